"""Units: what is judged and labelled, once by (kind, owner, part)."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

import sqlalchemy as sa

from judge.domain.claims import KEY_ESCAPES, Unit, UnitKind, unit_key
from judge.store.bulk import insert_rows
from judge.store.datasets import find_dataset, list_datasets
from judge.store.tables import answers, claims, passages, queries, units, verdicts
from judge.store.writing import chunks


class NewUnit(NamedTuple):
    """A unit to get or create."""

    kind: UnitKind
    dataset_id: int
    claim_set_id: int | None
    """Of claims and citations."""
    answer_id: int
    owner_id: int
    """Claim (also of a citation), answer, or query of a passage."""
    part_id: int = 0
    """The passage of a citation or passage unit; 0 for others."""


def keep_units(connection: sa.Connection, rows: Sequence[NewUnit]) -> list[int]:
    """Row ids of these units, in their order; those that are new are created."""
    wanted = {(row.kind, row.owner_id, row.part_id): row for row in rows}
    found = _find(connection, list(wanted))
    new = [row for key, row in wanted.items() if key not in found]
    insert_rows(connection, units, NewUnit._fields, [(row.kind.value, *row[1:]) for row in new], _STAYS)
    found |= _find(connection, [(row.kind, row.owner_id, row.part_id) for row in new])
    return [found[row.kind, row.owner_id, row.part_id] for row in rows]


def keep_answer_units(connection: sa.Connection, dataset_id: int) -> None:
    """Make the units of all answers of a Dataset; one whose text was not kept has none to judge."""
    kind = UnitKind.ANSWER.value
    made = sa.exists().where(units.c.kind == kind, units.c.owner_id == answers.c.id)
    query = sa.select(
        sa.literal(kind), answers.c.dataset_id, sa.null(), answers.c.id, answers.c.id.label("owner_id"), sa.literal(0)
    ).where(answers.c.dataset_id == dataset_id, answers.c.text.is_not(None), ~made)
    columns = ("kind", "dataset_id", "claim_set_id", "answer_id", "owner_id", "part_id")
    connection.execute(units.insert().from_select(columns, query.order_by(answers.c.id)))


def answer_units(connection: sa.Connection, answer_ids: Sequence[int]) -> dict[int, int]:
    """Unit id by answer id, of the answers that have one."""
    found: dict[int, int] = {}
    for some in chunks(answer_ids):
        query = sa.select(units.c.owner_id, units.c.id).where(
            units.c.kind == UnitKind.ANSWER.value, units.c.owner_id.in_(some)
        )
        found.update((row.owner_id, row.id) for row in connection.execute(query))
    return dict(sorted(found.items()))


def find_units(connection: sa.Connection, ref: str, dataset: str | None = None) -> list[tuple[Unit, str]]:
    """Units of that id or key, with the names of their Datasets (``name@version``); newest first.

    A key is looked up in the newest version of each Dataset; older ones are reached by ``dataset`` or by id.

    Args:
        connection: any.
        ref: row id, ``answer``, ``answer#claim``, ``answer#claim@passage`` or ``query@passage``.
        dataset: name, ``name@version`` or id of the only Dataset to look in.

    Raises:
        UsageError: ``dataset`` names none.
    """
    known = list_datasets(connection)
    of = [find_dataset(connection, dataset)] if dataset is not None else list({one.name: one for one in known}.values())
    names = {one.id: f"{one.name}@{one.version}" for one in (known if dataset is None else of)}
    near = _near(ref, [one.id for one in of])
    rows = connection.execute(_WITH_KEYS.where(units.c.answer_id.in_(near), _key() == ref))
    found = [(_unit(row), names[row.dataset_id]) for row in rows]
    if not found and ref.isascii() and ref.isdigit():
        rows = connection.execute(_WITH_KEYS.where(units.c.id == int(ref), units.c.dataset_id.in_(names)))
        found = [(_unit(row), names[row.dataset_id]) for row in rows]
    return sorted(found, key=lambda each: -each[0].id)


def load_units(connection: sa.Connection, ids: Sequence[int]) -> dict[int, Unit]:
    """These units by row id, with the keys that name them in any database."""
    found: dict[int, Unit] = {}
    for some in chunks(ids):
        for row in connection.execute(_WITH_KEYS.where(units.c.id.in_(some))):
            found[row.id] = _unit(row)
    return found


def framed_units(
    connection: sa.Connection, frame: sa.Select[Any], judge_id: int
) -> Iterator[tuple[int, str, str | None]]:
    """(unit id, key, label by a Judge or None) of the units that ``frame`` selects, streamed."""
    asked = frame.subquery()
    query = (
        _WITH_KEYS.add_columns(verdicts.c.label)
        .join(asked, asked.c.id == units.c.id)
        .outerjoin(verdicts, sa.and_(verdicts.c.unit_id == units.c.id, verdicts.c.judge_id == judge_id))
    )
    for row in connection.execution_options(yield_per=1000).execute(query):
        kind = UnitKind(row.kind)
        owner = row.query if kind is UnitKind.PASSAGE else row.answer
        yield row.id, unit_key(kind, owner, row.claim, row.passage), row.label


def _unit(row: Any) -> Unit:
    kind = UnitKind(row.kind)
    owner = row.query if kind is UnitKind.PASSAGE else row.answer
    return Unit(
        id=row.id,
        kind=kind,
        key=unit_key(kind, owner, row.claim, row.passage),
        answer_id=row.answer_id,
        claim_set_id=row.claim_set_id,
    )


def _near(ref: str, dataset_ids: Sequence[int]) -> sa.CompoundSelect[Any]:
    """Answers whose key, or whose query's key, begins ``ref``: found by index, where the whole key has none."""
    heads = (ref, ref.split("#")[0], ref.split("@")[0], ref.split("#")[0].split("@")[0])  # noqa: PLC0207
    starts = {unquote(head) for head in heads}
    own = sa.select(answers.c.id).where(answers.c.dataset_id.in_(dataset_ids), answers.c.key.in_(starts))
    asked = sa.select(queries.c.id).where(queries.c.dataset_id.in_(dataset_ids), queries.c.key.in_(starts))
    return own.union(sa.select(answers.c.id).where(answers.c.query_id.in_(asked)))


def _key() -> sa.ColumnElement[str]:
    """A unit's key as the database puts it together; ``unit_key`` says the same."""
    answer, claim, query = map(_written, (answers.c.key, claims.c.key, queries.c.key))
    return sa.case(
        (_of(UnitKind.CLAIM), answer + "#" + claim),
        (_of(UnitKind.CITATION), answer + "#" + claim + "@" + passages.c.key),
        (_of(UnitKind.PASSAGE), query + "@" + passages.c.key),
        else_=answer,
    )


def _written(column: sa.ColumnElement[str]) -> sa.ColumnElement[str]:
    for letter, code in KEY_ESCAPES:
        column = sa.func.replace(column, letter, code)
    return column


def _find(connection: sa.Connection, keys: Sequence[tuple[UnitKind, int, int]]) -> dict[tuple[UnitKind, int, int], int]:
    wanted = set(keys)
    found = {}
    for kind in UnitKind:
        owners = list(dict.fromkeys(owner for of, owner, _ in keys if of is kind))
        query = sa.select(units.c.id, units.c.owner_id, units.c.part_id).where(units.c.kind == kind.value)
        for some in chunks(owners):
            rows = connection.execute(query.where(units.c.owner_id.in_(some)))
            found.update({(kind, owner, part): row_id for row_id, owner, part in rows if (kind, owner, part) in wanted})
    return found


def _of(*kinds: UnitKind) -> sa.ColumnElement[bool]:
    return units.c.kind.in_([kind.value for kind in kinds])


_STAYS = "ON CONFLICT DO NOTHING"
_WITH_KEYS = (
    sa.select(
        units.c.id,
        units.c.kind,
        units.c.dataset_id,
        units.c.answer_id,
        units.c.claim_set_id,
        answers.c.key.label("answer"),
        queries.c.key.label("query"),
        claims.c.key.label("claim"),
        passages.c.key.label("passage"),
    )
    .join(answers, answers.c.id == units.c.answer_id)
    .join(queries, queries.c.id == answers.c.query_id)
    .outerjoin(claims, sa.and_(_of(UnitKind.CLAIM, UnitKind.CITATION), claims.c.id == units.c.owner_id))
    .outerjoin(passages, sa.and_(_of(UnitKind.CITATION, UnitKind.PASSAGE), passages.c.id == units.c.part_id))
)
