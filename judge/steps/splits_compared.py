"""Yields two splits of one answer side by side, and what only one of them has."""

from collections.abc import Sequence
from typing import NamedTuple

from judge.domain.base import Span
from judge.domain.claims import Claim


class ComparedSplits(NamedTuple):
    """One answer as two claim sets have it; sentences that are not checkable among the claims."""

    answer: str
    """Its key."""
    a: tuple[Claim, ...]
    b: tuple[Claim, ...]
    only_a: tuple[Claim, ...]
    """Claims of A without one of B at the same place that is checkable, or not, like it."""
    only_b: tuple[Claim, ...]
    """The same of B."""
    spans_only_a: tuple[Span, ...]
    """Spans of A's claims that are no spans of B's, in answer order."""
    spans_only_b: tuple[Span, ...]
    """The same of B."""

    @property
    def differs(self) -> bool:
        """Whether anything is in one only, or the number of claims differs."""
        return bool(self.only_a or self.only_b) or len(self.a) != len(self.b)


def compare_splits(answer: str, a: Sequence[Claim], b: Sequence[Claim]) -> ComparedSplits:
    """Compare two splits of an answer by place, not by wording: a splitter may rewrite what it finds.

    Claims are the same when they have the same spans and both are checkable or both are not; claims without spans
    when they have the same text.

    Args:
        answer: the answer's key.
        a: claims of one claim set, in its order.
        b: claims of the other.
    """
    of_a, of_b = {_place(claim) for claim in a}, {_place(claim) for claim in b}
    spans_a, spans_b = ({span for claim in claims for span in claim.spans} for claims in (a, b))
    return ComparedSplits(
        answer=answer,
        a=tuple(a),
        b=tuple(b),
        only_a=tuple(claim for claim in a if _place(claim) not in of_b),
        only_b=tuple(claim for claim in b if _place(claim) not in of_a),
        spans_only_a=tuple(sorted(spans_a - spans_b)),
        spans_only_b=tuple(sorted(spans_b - spans_a)),
    )


def _place(claim: Claim) -> tuple[bool, tuple[Span, ...] | str]:
    return claim.checkable, tuple(sorted(set(claim.spans))) or claim.text
