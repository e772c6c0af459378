"""Claim sets, splits, claims with their units."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from judge.domain.answers import Citation
from judge.domain.claims import Claim, ClaimSet, NotCheckable, Split, UnitKind
from judge.store.answers import read_citations
from judge.store.bulk import insert_rows, reserve_ids
from judge.store.database import dump, load
from judge.store.tables import answers, claim_sets, claims, splits, units
from judge.store.writing import chunks, get_or_insert


class PlacedClaim(NamedTuple):
    """Where a claim is stored."""

    claim_id: int
    unit_id: int | None
    """None when it is not checkable."""


class Unsplit(NamedTuple):
    """An answer that a claim set does not have yet."""

    id: int
    text: str
    citations: tuple[Citation, ...]


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


def keep_claim_set(connection: sa.Connection, dataset_id: int, name: str, splitter: str) -> int:
    """Row id of the Dataset's claim set of that name; created if it is new."""
    key = {"dataset_id": dataset_id, "name": name}
    return get_or_insert(connection, claim_sets, key, {"splitter": splitter, "created_at": time.time()})


def list_claim_sets(connection: sa.Connection, dataset_id: int) -> list[ClaimSet]:
    """The claim sets of a Dataset, oldest first."""
    query = sa.select(claim_sets).where(claim_sets.c.dataset_id == dataset_id).order_by(claim_sets.c.id)
    return [
        ClaimSet(id=row.id, dataset_id=row.dataset_id, name=row.name, splitter=row.splitter)
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
    connection: sa.Connection, claim_set_id: int, dataset_id: int, after: int = 0, limit: int = 1000
) -> list[Unsplit]:
    """The next answers with a text behind ``after`` that the claim set does not have, in file order."""
    done = sa.exists().where(splits.c.claim_set_id == claim_set_id, splits.c.answer_id == answers.c.id)
    query = (
        sa.select(answers.c.id, answers.c.text, answers.c.body)
        .where(answers.c.dataset_id == dataset_id, answers.c.id > after, answers.c.text.is_not(None), ~done)
        .order_by(answers.c.id)
        .limit(limit)
    )
    return [Unsplit(row.id, row.text, read_citations(row.body)) for row in connection.execute(query)]


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


def split_totals(connection: sa.Connection, claim_set_id: int) -> SplitTotals:
    """A claim set in numbers."""
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
    rest = len(split.claims) - checkable
    return claim_set_id, answer_id, checkable, rest, split.length, split.covered, dump(split.uncovered)


def _claim_row(answer_id: int, place: int, claim: Claim) -> tuple[Any, ...]:
    body: dict[str, Any] = {"spans": claim.spans}
    if claim.passages is not None:
        body["passages"] = claim.passages
    if claim.citations:
        body["citations"] = claim.citations
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
    )
