"""Claim sets, splits, claims with their units."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

import sqlalchemy as sa

from judge.domain.answers import Citation
from judge.domain.claims import Claim, ClaimSet, NotCheckable, Source, Split, UnitKind
from judge.store.answers import read_citations
from judge.store.bulk import insert_rows, reserve_ids
from judge.store.database import dump, load
from judge.store.runs import hold_row, release_row
from judge.store.tables import answers, claim_sets, claims, queries, splits, units
from judge.store.writing import chunks, get_or_insert


class PlacedClaim(NamedTuple):
    """Where a claim is stored."""

    claim_id: int
    unit_id: int | None
    """None when it is not checkable."""


class FoundClaim(NamedTuple):
    """Where a claim without a unit stands."""

    claim_id: int
    answer_id: int
    claim_set_id: int
    dataset_id: int


class Unsplit(NamedTuple):
    """An answer that a claim set does not have yet."""

    id: int
    text: str
    """What is split: the answer's own text, or the reference of its question."""
    citations: tuple[Citation, ...]
    """Of the answer; a reference has none."""


class SplitTotals(NamedTuple):
    """A claim set in numbers."""

    claims: int
    """Checkable ones."""
    not_checkable: int
    no_claims: int
    """Answers without a checkable claim."""
    length: int
    """Characters of all its answers, white space and layout aside."""
    covered: int
    """Those of them inside claims or not-checkable sentences."""
    answers: int
    """Answers that were split."""


def keep_claim_set(
    connection: sa.Connection, dataset_id: int, name: str, splitter: str, source: Source = "answer"
) -> int:
    """Row id of the Dataset's claim set of that name; created if it is new."""
    rest = {"splitter": splitter, "source": source, "created_at": time.time()}
    return get_or_insert(connection, claim_sets, {"dataset_id": dataset_id, "name": name}, rest)


def hold_claim_set(connection: sa.Connection, claim_set_id: int, holder: str, seconds: float) -> str | None:
    """Take or renew a process's hold on a claim set; None when it is held, else who holds it."""
    return hold_row(connection, claim_sets, claim_set_id, holder, seconds)


def release_claim_set(connection: sa.Connection, claim_set_id: int, holder: str) -> None:
    """Give a hold back."""
    release_row(connection, claim_sets, claim_set_id, holder)


def list_claim_sets(connection: sa.Connection, dataset_id: int) -> list[ClaimSet]:
    """The claim sets of a Dataset, oldest first."""
    query = sa.select(claim_sets).where(claim_sets.c.dataset_id == dataset_id).order_by(claim_sets.c.id)
    return [
        ClaimSet(id=row.id, dataset_id=row.dataset_id, name=row.name, splitter=row.splitter, source=row.source)
        for row in connection.execute(query)
    ]


def insert_splits(
    connection: sa.Connection, claim_set_id: int, dataset_id: int, rows: Sequence[tuple[int, Split]]
) -> dict[int, dict[str, PlacedClaim]]:
    """Store the splits of answers that the claim set has not, with claims and the units of checkable ones.

    Args:
        connection: inside a write transaction.
        claim_set_id: whose splits.
        dataset_id: whose answers.
        rows: (answer id, Split); an answer that was split before keeps what it has.

    Returns:
        The newly stored claims by answer id and claim key.
    """
    known = _split_before(connection, claim_set_id, [answer_id for answer_id, _ in rows])
    new = [(answer_id, split) for answer_id, split in rows if answer_id not in known]
    insert_rows(
        connection, splits, _SPLIT_COLUMNS, [_split_row(claim_set_id, answer_id, split) for answer_id, split in new]
    )
    flat = [(answer_id, place, claim) for answer_id, split in new for place, claim in enumerate(split.claims)]
    claim_ids = reserve_ids(connection, claims, len(flat)) if flat else []
    insert_rows(
        connection,
        claims,
        _CLAIM_COLUMNS,
        [(row_id, claim_set_id, *_claim_row(*one)) for row_id, one in zip(claim_ids, flat, strict=True)],
    )
    checkable = [(row_id, one[0]) for row_id, one in zip(claim_ids, flat, strict=True) if one[2].checkable]
    unit_ids = reserve_ids(connection, units, len(checkable)) if checkable else []
    insert_rows(
        connection,
        units,
        ("id", "kind", "dataset_id", "claim_set_id", "answer_id", "owner_id", "part_id"),
        [
            (unit_id, UnitKind.CLAIM.value, dataset_id, claim_set_id, answer_id, claim_id, 0)
            for unit_id, (claim_id, answer_id) in zip(unit_ids, checkable, strict=True)
        ],
    )
    unit_of = dict(zip((claim_id for claim_id, _ in checkable), unit_ids, strict=True))
    placed: dict[int, dict[str, PlacedClaim]] = {}
    for row_id, (answer_id, _, claim) in zip(claim_ids, flat, strict=True):
        placed.setdefault(answer_id, {})[claim.key] = PlacedClaim(row_id, unit_of.get(row_id))
    return placed


def unsplit_answers(
    connection: sa.Connection,
    claim_set_id: int | None,
    dataset_id: int,
    after: int = 0,
    limit: int = 1000,
    *,
    source: Source = "answer",
    until: int | None = None,
) -> list[Unsplit]:
    """The next answers with a text to split behind ``after`` that the claim set does not have, in file order.

    Args:
        connection: any.
        claim_set_id: whose; None: one that has nothing yet.
        dataset_id: whose answers.
        after: row id of the last answer seen.
        limit: how many.
        source: what is split; answers whose question has no reference are left out for ``reference``.
        until: row id of the last answer wanted.
    """
    query = _unsplit(claim_set_id, dataset_id, source, until)
    return _with_text(connection, query.where(answers.c.id > after).order_by(answers.c.id).limit(limit), source)


def count_unsplit(
    connection: sa.Connection, claim_set_id: int | None, dataset_id: int, source: Source, until: int | None
) -> int:
    """How many answers ``unsplit_answers`` has in all."""
    query = _unsplit(claim_set_id, dataset_id, source, until)
    return int(connection.execute(query.with_only_columns(sa.func.count())).scalar_one())


def _unsplit(claim_set_id: int | None, dataset_id: int, source: Source, until: int | None) -> sa.Select[Any]:
    done = sa.exists().where(splits.c.claim_set_id == claim_set_id, splits.c.answer_id == answers.c.id)
    query = _texts(source).where(answers.c.dataset_id == dataset_id, ~done)
    return query if until is None else query.where(answers.c.id <= until)


def _texts(source: Source) -> sa.Select[Any]:
    """Id, text and body of the answers with a text, or with a reference in the body of their question."""
    if source == "answer":
        return sa.select(answers.c.id, answers.c.text, answers.c.body).where(answers.c.text.is_not(None))
    # no other text in a question's body has this key, and within a text the quotation marks would be escaped
    referenced = queries.c.body.like('%"reference":"%')
    asked = sa.select(answers.c.id, queries.c.body).join(queries, queries.c.id == answers.c.query_id)
    return asked.where(referenced)


def _with_text(connection: sa.Connection, query: sa.Select[Any], source: Source) -> list[Unsplit]:
    rows = connection.execute(query)
    if source == "answer":
        return [Unsplit(row.id, row.text, read_citations(row.body)) for row in rows]
    return [Unsplit(row.id, load(row.body)["reference"], ()) for row in rows]


def load_claims(
    connection: sa.Connection, claim_set_id: int, answer_ids: Sequence[int]
) -> dict[int, list[tuple[int, Claim]]]:
    """The checkable claims of these answers with their unit ids, in answer order; answers without one are absent."""
    found: dict[int, list[tuple[int, Claim]]] = {}
    for some in chunks(answer_ids):
        query = (
            sa.select(claims, units.c.id.label("unit_id"))
            .join(units, sa.and_(units.c.kind == UnitKind.CLAIM.value, units.c.owner_id == claims.c.id))
            .where(claims.c.claim_set_id == claim_set_id, claims.c.answer_id.in_(some))
            .order_by(claims.c.answer_id, claims.c.position)
        )
        for row in connection.execute(query):
            found.setdefault(row.answer_id, []).append((row.unit_id, _claim(row)))
    return found


def claims_of_units(connection: sa.Connection, unit_ids: Sequence[int]) -> dict[int, Claim]:
    """The claim of each claim or citation unit, by unit id; other units have none."""
    found: dict[int, Claim] = {}
    kinds = (UnitKind.CLAIM.value, UnitKind.CITATION.value)
    for some in chunks(unit_ids):
        query = (
            sa.select(claims, units.c.id.label("unit_id"))
            .join(units, units.c.owner_id == claims.c.id)
            .where(units.c.id.in_(some), units.c.kind.in_(kinds))
        )
        found.update((row.unit_id, _claim(row)) for row in connection.execute(query))
    return found


def find_claims(
    connection: sa.Connection, ref: str, dataset_ids: Sequence[int] | None = None
) -> list[tuple[FoundClaim, Claim]]:
    """Claims under the key ``answer#claim`` that have no unit, since they are not judged; newest first.

    Args:
        connection: any.
        ref: the key.
        dataset_ids: where to look; None: everywhere.
    """
    answer, _, key = ref.partition("#")
    query = (
        sa.select(claims, answers.c.dataset_id)
        .join(answers, answers.c.id == claims.c.answer_id)
        .where(answers.c.key == unquote(answer), claims.c.key == key)
        .order_by(claims.c.id.desc())
    )
    if dataset_ids is not None:
        query = query.where(answers.c.dataset_id.in_(dataset_ids))
    rows = connection.execute(query)
    found = ((FoundClaim(row.id, row.answer_id, row.claim_set_id, row.dataset_id), _claim(row)) for row in rows)
    return [one for one in found if not one[1].checkable]


def split_totals(connection: sa.Connection, claim_set_id: int, limit: int | None = None) -> SplitTotals:
    """A claim set in numbers, or only the first ``limit`` answers of its Dataset."""
    totals = [
        sa.func.coalesce(sa.func.sum(column), 0)
        for column in (
            splits.c.checkable,
            splits.c.not_checkable,
            sa.case((splits.c.checkable == 0, 1), else_=0),
            splits.c.length,
            splits.c.covered,
        )
    ]
    query = sa.select(*totals, sa.func.count()).where(splits.c.claim_set_id == claim_set_id)
    if limit is not None:
        whose = sa.select(claim_sets.c.dataset_id).where(claim_sets.c.id == claim_set_id).scalar_subquery()
        first = sa.select(answers.c.id).where(answers.c.dataset_id == whose).order_by(answers.c.id).limit(limit)
        query = query.where(splits.c.answer_id.in_(first))
    return SplitTotals(*map(int, connection.execute(query).one()))


_SPLIT_COLUMNS = ("claim_set_id", "answer_id", "checkable", "not_checkable", "length", "covered", "uncovered")
_CLAIM_COLUMNS = ("id", "claim_set_id", "answer_id", "position", "key", "text", "not_checkable", "body")


def _split_before(connection: sa.Connection, claim_set_id: int, answer_ids: Sequence[int]) -> set[int]:
    found: set[int] = set()
    for some in chunks(answer_ids):
        query = sa.select(splits.c.answer_id).where(splits.c.claim_set_id == claim_set_id, splits.c.answer_id.in_(some))
        found.update(connection.execute(query).scalars())
    return found


def _split_row(claim_set_id: int, answer_id: int, split: Split) -> tuple[Any, ...]:
    checkable = sum(claim.checkable for claim in split.claims)
    rest = sum(claim.not_checkable is not None for claim in split.claims)
    return claim_set_id, answer_id, checkable, rest, split.length, split.covered, dump(split.uncovered)


def _claim_row(answer_id: int, place: int, claim: Claim) -> tuple[Any, ...]:
    body: dict[str, Any] = {"spans": claim.spans}
    if claim.passages is not None:
        body["passages"] = claim.passages
    if claim.citations:
        body["citations"] = claim.citations
    if claim.not_in_answer:
        body["not_in_answer"] = True
    reason = claim.not_checkable.value if claim.not_checkable else None
    return answer_id, place, claim.key, claim.text, reason, dump(body)


def _claim(row: sa.Row[Any]) -> Claim:
    body = load(row.body)
    return Claim(
        key=row.key,
        text=row.text,
        spans=tuple(map(tuple, body["spans"])),
        passages=tuple(body["passages"]) if "passages" in body else None,
        citations=tuple(body.get("citations", ())),
        not_checkable=NotCheckable(row.not_checkable) if row.not_checkable else None,
        not_in_answer=body.get("not_in_answer", False),
    )


def not_checkable_by_reason(connection: sa.Connection, claim_set_id: int) -> dict[str, int]:
    """How many sentences of a claim set are not checkable, by reason, the commonest first."""
    count = sa.func.count().label("number")
    query = (
        sa.select(claims.c.not_checkable, count)
        .where(claims.c.claim_set_id == claim_set_id, claims.c.not_checkable.is_not(None))
        .group_by(claims.c.not_checkable)
        .order_by(count.desc(), claims.c.not_checkable)
    )
    return {row.not_checkable: row.number for row in connection.execute(query)}


def count_not_in_answer(connection: sa.Connection, claim_set_id: int) -> int:
    """Claims of a claim set whose source stands nowhere in the answer."""
    # within a stored text its quotation marks would be escaped, so that only the field itself is like this
    flagged = claims.c.body.like('%"not_in_answer":true%')
    query = sa.select(sa.func.count()).where(claims.c.claim_set_id == claim_set_id, flagged)
    return int(connection.execute(query).scalar_one())


def split_texts(
    connection: sa.Connection, claim_set_id: int, after: int = 0, limit: int = 1000, *, source: Source = "answer"
) -> list[Unsplit]:
    """The next texts behind the answer's row id ``after`` that the claim set has split, in file order."""
    query = _texts(source).join(splits, splits.c.answer_id == answers.c.id)
    query = query.where(splits.c.claim_set_id == claim_set_id, answers.c.id > after)
    return _with_text(connection, query.order_by(answers.c.id).limit(limit), source)


def split_by_both(
    connection: sa.Connection, claim_set_ids: tuple[int, int], after: int = 0, limit: int = 1000
) -> list[tuple[int, str]]:
    """Row id and key of the next answers behind ``after`` that both claim sets have, in file order."""
    first, second = (splits.alias(name) for name in ("first", "second"))
    query = (
        sa.select(answers.c.id, answers.c.key)
        .join(first, first.c.answer_id == answers.c.id)
        .join(second, second.c.answer_id == answers.c.id)
        .where(
            first.c.claim_set_id == claim_set_ids[0],
            second.c.claim_set_id == claim_set_ids[1],
            answers.c.id > after,
        )
        .order_by(answers.c.id)
        .limit(limit)
    )
    return [(row.id, row.key) for row in connection.execute(query)]


def load_split_claims(
    connection: sa.Connection, claim_set_id: int, answer_ids: Sequence[int]
) -> dict[int, list[Claim]]:
    """All claims of these answers, those that are not checkable too, in answer order."""
    found: dict[int, list[Claim]] = {}
    for some in chunks(answer_ids):
        query = (
            sa.select(claims)
            .where(claims.c.claim_set_id == claim_set_id, claims.c.answer_id.in_(some))
            .order_by(claims.c.answer_id, claims.c.position)
        )
        for row in connection.execute(query):
            found.setdefault(row.answer_id, []).append(_claim(row))
    return found
