"""Two claim sets of a Dataset side by side, for the answers that both have."""

from typing import NamedTuple

import sqlalchemy as sa

from judge.domain.claims import Claim, ClaimSet
from judge.domain.errors import UsageError
from judge.steps.splits_compared import ComparedSplits, compare_splits
from judge.store.claims import list_claim_sets, load_split_claims, split_by_both, split_totals
from judge.store.database import Store
from judge.store.datasets import find_dataset

PART = 500
"""Answers read at once."""


class SplitSide(NamedTuple):
    """One of the claim sets."""

    claim_set: str
    splitter: str
    answers: int
    """Answers that it has, whether the other has them or not."""
    claims: int
    """Checkable ones in the answers that both have."""
    not_checkable: int
    """The others there."""
    only: int
    """Claims and not-checkable sentences there that the other has not."""


class SplitsComparison(NamedTuple):
    """Two claim sets side by side."""

    dataset: str
    a: SplitSide
    b: SplitSide
    answers: int
    """Answers that both have."""
    differing: int
    """Those of them that are split otherwise."""
    compared: list[ComparedSplits]
    """In file order: all answers, or the first that differ."""


def compare_claim_sets(
    store: Store, names: tuple[str, str], dataset: str | None = None, *, limit: int | None = None
) -> SplitsComparison:
    """Compare two claim sets of a Dataset by the places of their claims.

    Args:
        store: where from.
        names: of the claim sets.
        dataset: name, ``name@version`` or id; None: the only one.
        limit: keep only the first so many answers that differ; None: all answers. Counts are of all in either case.

    Raises:
        UsageError: no such dataset or claim set.
    """
    kept: list[ComparedSplits] = []
    answers = differing = 0
    tallies = [[0, 0, 0], [0, 0, 0]]
    with store.read() as connection:
        data = find_dataset(connection, dataset)
        label = f"{data.name}@{data.version}"
        sets = [_pick(list_claim_sets(connection, data.id), name, label) for name in names]
        if sets[0].source != sets[1].source:
            raise UsageError(
                f"{names[0]!r} is of {sets[0].source}s and {names[1]!r} of {sets[1].source}s; compare like with like"
            )
        after = 0
        while part := split_by_both(connection, (sets[0].id, sets[1].id), after, PART):
            after = part[-1][0]
            for one in _compared(connection, sets, part):
                answers += 1
                differing += one.differs
                if limit is None or (one.differs and len(kept) < limit):
                    kept.append(one)
                _add(tallies[0], one.a, one.only_a)
                _add(tallies[1], one.b, one.only_b)
        a, b = (
            SplitSide(one.name, one.splitter, split_totals(connection, one.id).answers, *tally)
            for one, tally in zip(sets, tallies, strict=True)
        )
    return SplitsComparison(data.name, a, b, answers, differing, kept)


def _pick(sets: list[ClaimSet], name: str, dataset: str) -> ClaimSet:
    found = next((one for one in sets if one.name == name), None)
    if found is None:
        known = ", ".join(repr(one.name) for one in sets) or "none"
        raise UsageError(f"{dataset} has no claim set {name!r}; it has {known}")
    return found


def _compared(connection: sa.Connection, sets: list[ClaimSet], part: list[tuple[int, str]]) -> list[ComparedSplits]:
    ids = [answer_id for answer_id, _ in part]
    a, b = (load_split_claims(connection, one.id, ids) for one in sets)
    return [compare_splits(key, a.get(answer_id, ()), b.get(answer_id, ())) for answer_id, key in part]


def _add(tally: list[int], claims: tuple[Claim, ...], only: tuple[Claim, ...]) -> None:
    checkable = sum(claim.checkable for claim in claims)
    reasoned = sum(claim.not_checkable is not None for claim in claims)
    for i, count in enumerate((checkable, reasoned, len(only))):
        tally[i] += count
