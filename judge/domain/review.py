"""What people are asked, how it was drawn, what they said."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from judge.domain.base import Noun

Design = Literal["random", "verdict", "file", "hand"]
"""How a Sample was drawn; ``hand`` has no known probability and never enters an Estimate."""
HumanRule = Literal["each", "majority", "adjudicated"]


class Stratum(Noun):
    """A part of the frame from which a known number is drawn."""

    id: int
    """Row id."""
    name: str
    """The verdict that makes it, ``unscored``, or ``all``."""
    size: int
    """Units of the frame in it, N."""
    drawn: int
    """Units drawn from it so far, n; their probability is n / N."""


class Sample(Noun):
    """A known design over Units."""

    id: int
    """Row id."""
    name: str
    """Name of its Queue too."""
    dataset_id: int
    """Whose units."""
    run_id: int | None = None
    """The Run that gave frame and strata."""
    claim_set_id: int | None = None
    """Which claims."""
    design: Design
    """How it was drawn."""
    seed: int = 0
    """Seed of the permanent random numbers."""
    stratum_rubric_id: int | None = None
    """The rubric whose verdicts made the strata."""
    strata: tuple[Stratum, ...] = ()
    """Sizes and draws; never redefined by a top-up."""


class ReviewItem(Noun):
    """One sampled Unit with its inclusion probability."""

    id: int
    """Row id."""
    sample_id: int
    """Whose item."""
    unit_id: int
    """What is labelled."""
    position: int
    """Place in the queue's stored random order."""
    probability: float | None
    """Inclusion probability by the latest design; None: unknown."""


class SlotState(StrEnum):
    """What became of a seat."""

    OPEN = "open"
    LEASED = "leased"
    FILLED = "filled"
    SKIPPED = "skipped"


class Slot(Noun):
    """One seat at a ReviewItem."""

    id: int
    """Row id."""
    item_id: int
    """Whose seat."""
    seat: int
    """1, 2, ..."""
    state: SlotState
    """What became of it."""
    user_id: int | None = None
    """Who holds or filled it."""
    leased_until: datetime | None = None
    """When a hold ends."""


class Outcome(StrEnum):
    """What a person did with a unit; all but ``label`` are missing data, not a class."""

    LABEL = "label"
    SKIP = "skip"
    CANT_TELL = "cant_tell"


class Label(Noun):
    """One person's answer to (Unit, Rubric); append-only."""

    unit_id: int
    """What was labelled."""
    rubric_id: int
    """Under which question."""
    annotator: str
    """Who said so."""
    outcome: Outcome = Outcome.LABEL
    """A label, skip or can't tell."""
    label: str | None = None
    """The label; None unless the outcome is ``label``."""
    adjudication: bool = False
    """Whether it settles a disagreement; kept apart from the raw ones."""
    comment: str | None = None
    """Free words."""
    seconds: float | None = None
    """Active time."""
    details: dict[str, Any] = Field(default_factory=dict)
    """Flags on the claim, ticks, failure tags, what was shown."""
    source: str = "file"
    """``file``, ``ui``, ``csv`` or ``demo``."""
