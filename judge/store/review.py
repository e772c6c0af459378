"""Users, Samples with their strata and items, Queues, Labels."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from judge.domain.review import Outcome, Sample, Stratum
from judge.store.bulk import insert_rows
from judge.store.database import dump, load
from judge.store.names import pick
from judge.store.runs import free_name
from judge.store.tables import (
    labels,
    queues,
    review_items,
    sample_rubrics,
    samples,
    strata,
    units,
    users,
)
from judge.store.writing import chunks, get_or_insert, insert_for

LEASE_SECONDS = 1800.0


class NewLabel(NamedTuple):
    """A label to append."""

    unit_id: int
    rubric_id: int
    user_id: int
    outcome: str
    label: str | None
    seconds: float | None
    comment: str | None
    details: dict[str, Any]
    source: str
    adjudication: bool = False
    supersedes_id: int | None = None
    token: bytes = b""


class StoredLabel(NamedTuple):
    """A label that no newer one supersedes."""

    id: int
    unit_id: int
    rubric_id: int
    user: str
    outcome: Outcome
    label: str | None
    adjudication: bool
    comment: str | None
    seconds: float | None
    source: str


class DrawnUnit(NamedTuple):
    """A sampled unit with what a figure needs to know of its draw."""

    unit_id: int
    answer_id: int
    stratum_id: int | None
    probability: float | None


def keep_user(connection: sa.Connection, name: str, role: str = "annotator") -> int:
    """Row id of the user of that name."""
    return get_or_insert(connection, users, {"name": name}, {"role": role, "created_at": time.time()})


def keep_sample(
    connection: sa.Connection,
    *,
    name: str,
    dataset_id: int,
    design: str,
    seed: int = 0,
    run_id: int | None = None,
    claim_set_id: int | None = None,
    stratum_rubric_id: int | None = None,
    rubric_ids: Sequence[int],
) -> int:
    """Create a Sample under ``name`` (``name-2``, ... where that is taken); its row id."""
    statement = insert_for(connection, samples).values(
        name=free_name(connection, samples, name),
        dataset_id=dataset_id,
        run_id=run_id,
        claim_set_id=claim_set_id,
        design=design,
        seed=seed,
        stratum_rubric_id=stratum_rubric_id,
        created_at=time.time(),
    )
    sample_id = int(connection.execute(statement.returning(samples.c.id)).scalar_one())
    for position, rubric_id in enumerate(rubric_ids):
        row = {"sample_id": sample_id, "rubric_id": rubric_id}
        get_or_insert(connection, sample_rubrics, row, {"position": position})
    return sample_id


def open_queue(connection: sa.Connection, sample_id: int, seats: int = 1) -> int:
    """Offer a Sample's items to people; its queue's row id."""
    row = {"state": "open", "seats": seats, "lease_seconds": LEASE_SECONDS}
    return get_or_insert(connection, queues, {"sample_id": sample_id}, row)


def keep_strata(connection: sa.Connection, sample_id: int, sizes: dict[str, tuple[int, int]]) -> dict[str, int]:
    """Set ``{name: (size, drawn)}`` of a Sample's strata; their row ids by name."""
    ids = {}
    for name, (size, drawn) in sizes.items():
        ids[name] = get_or_insert(
            connection, strata, {"sample_id": sample_id, "name": name}, {"size": size, "drawn": 0}
        )
        connection.execute(strata.update().where(strata.c.id == ids[name]).values(size=size, drawn=drawn))
    return ids


def insert_items(connection: sa.Connection, rows: Sequence[tuple[int, int, int | None, float, float | None]]) -> None:
    """Add items: (sample id, unit id, stratum id, place, probability); those that are there stay."""
    names = ("sample_id", "unit_id", "stratum_id", "place", "probability")
    insert_rows(connection, review_items, names, rows, "ON CONFLICT DO NOTHING")


def list_samples(connection: sa.Connection, dataset_id: int | None = None) -> list[Sample]:
    """All Samples, of one Dataset where given, oldest first."""
    query = sa.select(samples).order_by(samples.c.id)
    if dataset_id is not None:
        query = query.where(samples.c.dataset_id == dataset_id)
    return [_sample(connection, row) for row in connection.execute(query).all()]


def find_sample(connection: sa.Connection, ref: str | None, dataset_id: int | None = None) -> Sample:
    """The Sample of that name or id; None: the only one. UsageError lists them otherwise."""
    return pick(ref, list_samples(connection, dataset_id), "queue", advice="`judge sample` makes one")


def _sample(connection: sa.Connection, row: Any) -> Sample:
    parts = connection.execute(sa.select(strata).where(strata.c.sample_id == row.id).order_by(strata.c.id))
    return Sample(
        id=row.id,
        name=row.name,
        dataset_id=row.dataset_id,
        run_id=row.run_id,
        claim_set_id=row.claim_set_id,
        design=row.design,
        seed=row.seed,
        stratum_rubric_id=row.stratum_rubric_id,
        strata=tuple(Stratum(id=part.id, name=part.name, size=part.size, drawn=part.drawn) for part in parts),
    )


def rubrics_of(connection: sa.Connection, sample_id: int) -> list[int]:
    """Rubrics asked of a Sample's items, in order."""
    query = (
        sa.select(sample_rubrics.c.rubric_id)
        .where(sample_rubrics.c.sample_id == sample_id)
        .order_by(sample_rubrics.c.position)
    )
    return list(connection.execute(query).scalars())


def stratum_items(connection: sa.Connection, sample_id: int) -> dict[int, str]:
    """Stratum name by unit id of the items drawn so far."""
    query = (
        sa.select(review_items.c.unit_id, strata.c.name)
        .join(strata, strata.c.id == review_items.c.stratum_id)
        .where(review_items.c.sample_id == sample_id)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


def drawn_units(
    connection: sa.Connection, sample_id: int, kind: str | None = None, claim_set_id: int | None = None
) -> list[DrawnUnit]:
    """The Sample's units with their probability by the latest design: n / N of the stratum, else the item's own.

    Args:
        connection: to the store.
        sample_id: whose items.
        kind: only units of this kind.
        claim_set_id: of claims, only those of this set.
    """
    share = strata.c.drawn * 1.0 / strata.c.size
    query = (
        sa.select(
            review_items.c.unit_id,
            units.c.answer_id,
            review_items.c.stratum_id,
            sa.func.coalesce(review_items.c.probability, share),
        )
        .join(units, units.c.id == review_items.c.unit_id)
        .outerjoin(strata, strata.c.id == review_items.c.stratum_id)
        .where(review_items.c.sample_id == sample_id)
        .order_by(review_items.c.place, review_items.c.id)
    )
    if kind is not None:
        query = query.where(units.c.kind == kind)
    if claim_set_id is not None:
        query = query.where(sa.or_(units.c.claim_set_id.is_(None), units.c.claim_set_id == claim_set_id))
    return [DrawnUnit(*row) for row in connection.execute(query)]


def insert_labels(connection: sa.Connection, rows: Sequence[NewLabel]) -> int:
    """Append labels; one with a token that is there already is the same press again. How many were new."""
    if not rows:
        return 0
    known: set[bytes] = set()
    for some in chunks([row.token for row in rows]):
        known.update(connection.execute(sa.select(labels.c.token).where(labels.c.token.in_(some))).scalars())
    new = {row.token: row for row in rows if row.token not in known}
    now = time.time()
    names = (*NewLabel._fields, "created_at")
    values = [
        tuple({**row._asdict(), "details": dump(row.details), "created_at": now}.values()) for row in new.values()
    ]
    insert_rows(connection, labels, names, values, "ON CONFLICT (token) DO NOTHING")
    return len(values)


def current_labels(
    connection: sa.Connection, unit_ids: Sequence[int], rubric_ids: Sequence[int] | None = None
) -> list[StoredLabel]:
    """The labels of these units that nothing supersedes, oldest first."""
    newer = labels.alias("newer")
    query = (
        sa.select(labels, users.c.name.label("user"))
        .join(users, users.c.id == labels.c.user_id)
        .where(~sa.exists().where(newer.c.supersedes_id == labels.c.id))
        .order_by(labels.c.id)
    )
    if rubric_ids is not None:
        query = query.where(labels.c.rubric_id.in_(list(rubric_ids)))
    found = []
    for some in chunks(unit_ids):
        found += [_label(row) for row in connection.execute(query.where(labels.c.unit_id.in_(some)))]
    return found


def _label(row: Any) -> StoredLabel:
    return StoredLabel(
        row.id,
        row.unit_id,
        row.rubric_id,
        row.user,
        Outcome(row.outcome),
        row.label,
        row.adjudication,
        row.comment,
        row.seconds,
        row.source,
    )


def details_of(connection: sa.Connection, label_id: int) -> dict[str, Any]:
    """Flags, ticks, tags and what was shown of one label."""
    text = connection.execute(sa.select(labels.c.details).where(labels.c.id == label_id)).scalar_one()
    return dict(load(text))


def labelled_rubrics(connection: sa.Connection, sample_id: int, claim_set_id: int | None = None) -> list[int]:
    """Rubrics under which units of a Sample carry at least one label; of claims, only those of one set if given."""
    query = (
        sa.select(labels.c.rubric_id)
        .join(review_items, review_items.c.unit_id == labels.c.unit_id)
        .join(units, units.c.id == labels.c.unit_id)
        .where(review_items.c.sample_id == sample_id)
        .distinct()
        .order_by(labels.c.rubric_id)
    )
    if claim_set_id is not None:
        query = query.where(sa.or_(units.c.claim_set_id.is_(None), units.c.claim_set_id == claim_set_id))
    return list(connection.execute(query).scalars())
