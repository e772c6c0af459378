"""Yields roll-ups: what the verdicts of an answer's claims say of the answer."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

PASS, FAIL = "pass", "fail"


class RollUp(NamedTuple):
    """One Answer by its checkable claims."""

    passing: int
    scored: int
    asked: int

    @property
    def groundedness(self) -> float | None:
        """Passing / scored; None when no claim is scored."""
        return self.passing / self.scored if self.scored else None

    @property
    def label(self) -> str | None:
        """``pass`` when all its scored claims pass; None when none is scored."""
        if not self.scored:
            return None
        return PASS if self.passing == self.scored else FAIL


def roll_up(labels: Iterable[tuple[int, str | None]], passing: Collection[str]) -> dict[int, RollUp]:
    """Roll verdicts up to answers.

    Args:
        labels: (answer id, label or None) of each checkable claim that was asked about.
        passing: labels that pass.
    """
    counts: dict[int, list[int]] = {}
    for answer_id, label in labels:
        count = counts.setdefault(answer_id, [0, 0, 0])
        count[0] += label is not None and label in passing
        count[1] += label is not None
        count[2] += 1
    return {answer_id: RollUp(*count) for answer_id, count in counts.items()}


def on_passing(label: str | None, passing: Collection[str]) -> str | None:
    """A label as pass or fail; None stays None."""
    if label is None:
        return None
    return PASS if label in passing else FAIL


def merged(label: str | None, names: Mapping[str, str]) -> str | None:
    """A label under its merged name."""
    return None if label is None else names.get(label, label)
