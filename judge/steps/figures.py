"""Yields the figures of a pair of ratings, in the form that an Agreement takes."""

from collections.abc import Sequence
from typing import NamedTuple, TypedDict

import numpy.typing as npt

from judge.domain.estimates import Estimate
from judge.domain.results import LabelAgreement
from judge.measure import agreement


class Figures(NamedTuple):
    """Agreement of one pair of ratings, in the form that an Agreement takes."""

    table: tuple[tuple[int, ...], ...]
    """Counts, judge rows x human columns."""
    weighted_table: tuple[tuple[float, ...], ...]
    """Shares of the population."""
    kappa: Estimate
    """Cohen's kappa."""
    observed: Estimate
    """Observed agreement."""
    per_label: tuple[LabelAgreement, ...]
    """Label by label."""


def figures(  # noqa: PLR0913 - as judge.measure.agreement.kappa
    judge: npt.ArrayLike,
    human: npt.ArrayLike,
    labels: Sequence[str],
    *,
    weight: npt.ArrayLike | None = None,
    cluster: npt.ArrayLike | None = None,
    stratum: npt.ArrayLike | None = None,
    fraction: npt.ArrayLike | None = None,
    unit: npt.ArrayLike | None = None,
    weights: agreement.Weights = "none",
    level: float = 0.95,
    population: str = "",
) -> Figures:
    """Everything that is said about one pair of ratings; arguments and errors as in `judge.measure.agreement.kappa`.

    Args:
        judge: codes 0..len(labels)-1, shape (n,).
        human: codes 0..len(labels)-1, shape (n,).
        labels: names of the scale, in order.
        weight: 1 / inclusion probability.
        cluster: answer codes.
        stratum: stratum codes.
        fraction: sampling fraction.
        unit: unit codes, where several people labelled one.
        weights: agreement weights.
        level: nominal coverage.
        population: what the figures speak about.
    """
    q = len(labels)
    counts, shares = agreement.confusion(judge, human, q, weight=weight)
    common = _Common(weight=weight, cluster=cluster, unit=unit, level=level, population=population)
    parts = agreement.per_label(judge, human, q, **common)
    drawn = _Drawn(stratum=stratum, fraction=fraction, weights=weights)
    return Figures(
        table=tuple(tuple(int(cell) for cell in line) for line in counts),
        weighted_table=tuple(tuple(float(cell) for cell in line) for line in shares),
        kappa=agreement.kappa(judge, human, q, names=labels, **drawn, **common),
        observed=agreement.observed(judge, human, q, **drawn, **common),
        per_label=tuple(
            LabelAgreement(label=label, **part._asdict()) for label, part in zip(labels, parts, strict=True)
        ),
    )


class _Common(TypedDict):
    weight: npt.ArrayLike | None
    cluster: npt.ArrayLike | None
    unit: npt.ArrayLike | None
    level: float
    population: str


class _Drawn(TypedDict):
    stratum: npt.ArrayLike | None
    fraction: npt.ArrayLike | None
    weights: agreement.Weights
