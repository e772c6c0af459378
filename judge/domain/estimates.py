"""A figure never travels alone."""

from typing import Any

from pydantic import Field

from judge.domain.base import Noun


class Caution(Noun):
    """A warning that belongs to a figure; the report words it in the reader's language by its code."""

    code: str
    """Stable machine word, such as ``indicative``."""
    text: str
    """The English wording."""
    values: dict[str, Any] = Field(default_factory=dict)
    """The numbers in the wording."""


class Estimate(Noun):
    """A figure with its interval and company. Nothing leaves ``measure/`` without one."""

    value: float | None
    """The figure; None when it is undefined (``status`` says why)."""
    low: float | None = None
    """Lower limit of the interval."""
    high: float | None = None
    """Upper limit of the interval."""
    level: float = 0.95
    """Nominal coverage of the interval."""
    n: int = 0
    """Labelled units behind it."""
    n_effective: float | None = None
    """Kish's effective number, (sum w)^2 / sum w^2."""
    clusters: int | None = None
    """Answers behind it."""
    method: str = ""
    """Formula and interval, in words that can be looked up."""
    population: str = ""
    """What the figure speaks about."""
    status: str = "ok"
    """``ok``, or why the value or the interval is missing."""
    warnings: tuple[Caution, ...] = ()
    """What a reader must know beside it."""
