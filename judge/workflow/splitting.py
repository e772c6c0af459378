"""Split: answers into claims, by rules; running it again goes on where it stopped."""

from collections.abc import Callable
from typing import NamedTuple

from judge.domain.errors import UsageError
from judge.steps.claims import SPLITTER, split_answer
from judge.store.claims import insert_splits, keep_claim_set, list_claim_sets, split_totals, unsplit_answers
from judge.store.database import Store
from judge.store.datasets import find_dataset

PART = 500
"""Answers committed at once."""


class SplitSummary(NamedTuple):
    """A claim set after a command."""

    dataset: str
    claim_set: str
    claims: int
    """Checkable ones."""
    not_checkable: int
    no_claims: int
    """Answers without a checkable claim."""
    coverage: float | None
    """Share of the answers' text inside claims or not-checkable sentences; None without any text."""
    new: int
    """Answers that this command split."""


def split_dataset(
    store: Store,
    dataset: str | None = None,
    *,
    name: str = "rules",
    progress: Callable[[int], None] | None = None,
) -> SplitSummary:
    """Split the answers of a Dataset that its claim set ``name`` does not have yet.

    An answer that is null is left out; an empty one is split into nothing.

    Args:
        store: where from and to.
        dataset: name, ``name@version`` or id; None: the only one.
        name: of the claim set.
        progress: told how many answers were split so far.

    Raises:
        UsageError: no such dataset, or the claim set was made by another splitter.
    """
    with store.write() as connection:
        data = find_dataset(connection, dataset)
        taken = next((one for one in list_claim_sets(connection, data.id) if one.name == name), None)
        if taken is not None and taken.splitter != SPLITTER:
            raise UsageError(
                f"the claim set {name!r} of {data.name}@{data.version} was made by {taken.splitter!r}, "
                f"this would be {SPLITTER!r}; choose another name"
            )
        claim_set_id = keep_claim_set(connection, data.id, name, SPLITTER)
    after, done = 0, 0
    while True:
        with store.write() as connection:
            part = unsplit_answers(connection, claim_set_id, data.id, after, PART)
            rows = [(one.id, split_answer(one.text, one.citations)) for one in part]
            insert_splits(connection, claim_set_id, data.id, rows)
        if not part:
            break
        after = part[-1].id
        done += len(part)
        if progress:
            progress(done)
    with store.read() as connection:
        totals = split_totals(connection, claim_set_id)
    return SplitSummary(
        dataset=data.name,
        claim_set=name,
        claims=totals.claims,
        not_checkable=totals.not_checkable,
        no_claims=totals.no_claims,
        coverage=totals.covered / totals.length if totals.length else None,
        new=done,
    )
