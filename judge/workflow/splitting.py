"""Split: answers into claims, by rules; running it again goes on where it stopped."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from judge.domain.answers import Dataset
from judge.domain.claims import ClaimSet, Source, UnitKind
from judge.domain.errors import JudgeError, UsageError
from judge.domain.judging import RunState
from judge.domain.rubrics import Rubric
from judge.steps.claims import SPLITTER, count_words, split_answer
from judge.store.answers import answer_ids
from judge.store.claims import (
    count_not_in_answer,
    insert_splits,
    keep_claim_set,
    list_claim_sets,
    not_checkable_by_reason,
    split_texts,
    split_totals,
    unsplit_answers,
)
from judge.store.database import Store
from judge.store.datasets import find_dataset

PART = 500
"""Answers committed at once."""
RULES = "rules"
"""Name of the splitter that needs no model, and of its claim set unless another is given."""


class SplitSummary(NamedTuple):
    """A claim set after a command; new, failed, calls, cached, tokens, cost and wall_s are of the command."""

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
    not_checkable_by_reason: dict[str, int]
    """The commonest reason first."""
    claims_per_100_words: float | None
    """Checkable claims per 100 words of the answers; None without a word."""
    uncovered: int
    """Characters of the answers that no claim and no not-checkable sentence holds, white space and layout aside."""
    not_in_answer: int
    """Claims of a model whose source stands nowhere in the answer; none of them is judged."""
    source: Source = "answer"
    """What was split."""
    splitter: str = SPLITTER
    """Its identity; empty where none was found yet."""
    failed: dict[str, int] = {}  # noqa: RUF012 - never written to
    """Answers that a model could not split, by reason; the same command asks for them again."""
    state: str = RunState.COMPLETE.value
    """complete, partial (some failed) or stopped."""
    calls: int = 0
    cached: int = 0
    tokens: int | None = 0
    cost: float | None = 0.0
    currency: str | None = None
    wall_s: float = 0.0
    error: JudgeError | None = None


def split_dataset(
    store: Store,
    dataset: str | None = None,
    *,
    name: str | None = None,
    source: Source = "answer",
    limit: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> SplitSummary:
    """Split the answers of a Dataset that its claim set ``name`` does not have yet, by rules.

    An answer that is null is left out; an empty one is split into nothing.

    Args:
        store: where from and to.
        dataset: name, ``name@version`` or id; None: the only one.
        name: of the claim set; None: ``rules``, for references ``rules-reference``.
        source: what is split; a reference is split once for each answer to its question.
        limit: only the first so many answers.
        progress: told how many answers were split so far.

    Raises:
        UsageError: no such dataset, or the claim set was made by another splitter.
    """
    named = name or default_name(RULES, source)
    with store.write() as connection:
        data = find_dataset(connection, dataset)
        set_of_name(connection, data, named, [SPLITTER], source)
        claim_set_id = keep_claim_set(connection, data.id, named, SPLITTER, source)
        until = last_answer(connection, data, limit)
    after, done = 0, 0
    while True:
        with store.write() as connection:
            part = unsplit_answers(connection, claim_set_id, data.id, after, PART, source=source, until=until)
            rows = [(one.id, split_answer(one.text, one.citations)) for one in part]
            insert_splits(connection, claim_set_id, data.id, rows)
        if not part:
            break
        after = part[-1].id
        done += len(part)
        if progress:
            progress(done)
    return summarise(store, data.name, ClaimSet(**_of(claim_set_id, data, named, source)), done)


def _of(claim_set_id: int, data: Dataset, name: str, source: Source) -> dict[str, object]:
    return {"id": claim_set_id, "dataset_id": data.id, "name": name, "splitter": SPLITTER, "source": source}


def default_name(splitter: str, source: Source) -> str:
    """The last part of a splitter's name, and what it split unless that is answers."""
    last = splitter.rstrip("/").rsplit("/", 1)[-1]
    return last if source == "answer" else f"{last}-{source}"


def set_of_name(
    connection: sa.Connection, data: Dataset, name: str, splitters: Sequence[str], source: Source
) -> ClaimSet | None:
    """The claim set of that name; None: there is none yet.

    Raises:
        UsageError: it was made by none of these splitters, or of another source.
    """
    found = next((one for one in list_claim_sets(connection, data.id) if one.name == name), None)
    if found is None or (found.splitter in splitters and found.source == source):
        return found
    made = found.splitter if found.source == "answer" else f"{found.splitter} from {found.source}s"
    would = splitters[0] if source == "answer" else f"{splitters[0]} from {source}s"
    raise UsageError(
        f"the claim set {name!r} of {data.name}@{data.version} was made by {made!r}, this would be {would!r}; "
        "choose another name with --name"
    )


def last_answer(connection: sa.Connection, data: Dataset, limit: int | None) -> int | None:
    """Row id of the last of the first ``limit`` answers; None without a limit."""
    return None if limit is None else max(answer_ids(connection, data.id, 0, limit), default=0)


def summarise(store: Store, dataset: str, claim_set: ClaimSet, done: int) -> SplitSummary:
    """The claim set in numbers, after ``done`` answers were split."""
    with store.read() as connection:
        totals = split_totals(connection, claim_set.id)
        reasons = not_checkable_by_reason(connection, claim_set.id)
        lost = count_not_in_answer(connection, claim_set.id)
        words, after = 0.0, 0
        while part := split_texts(connection, claim_set.id, after, source=claim_set.source):
            words += sum(count_words(one.text) for one in part)
            after = part[-1].id
    return SplitSummary(
        dataset=dataset,
        claim_set=claim_set.name,
        claims=totals.claims,
        not_checkable=totals.not_checkable,
        no_claims=totals.no_claims,
        coverage=totals.covered / totals.length if totals.length else None,
        new=done,
        not_checkable_by_reason=reasons,
        claims_per_100_words=100 * totals.claims / words if words else None,
        uncovered=totals.length - totals.covered,
        not_in_answer=lost,
        source=claim_set.source,
        splitter=claim_set.splitter,
    )


def ensure_claims(store: Store, dataset: str | None, rubrics: Sequence[Rubric]) -> SplitSummary | None:
    """Split a Dataset by the rules if its claims are asked about and nobody has made any; None: nothing to do."""
    if all(rubric.unit is not UnitKind.CLAIM for rubric in rubrics):
        return None
    with store.read() as connection:
        data = find_dataset(connection, dataset)
        if any(one.source == "answer" for one in list_claim_sets(connection, data.id)):
            return None
    return split_dataset(store, f"{data.name}@{data.version}")
