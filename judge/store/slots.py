"""Queues and their seats: who holds or filled which, by atomic claims with a lease.

A seat's row is made when it is first taken. Every change is made under the queue's lock (``lock_queue``), so that
what was read is still so when it is written: on SQLite the write transaction is that lock already.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from judge.domain.review import Outcome, SlotState
from judge.store.tables import labels, passages, queues, review_items, samples, slots, units, users

OPEN, LEASED, FILLED = (state.value for state in (SlotState.OPEN, SlotState.LEASED, SlotState.FILLED))


class StoredQueue(NamedTuple):
    """A Sample's items offered to people."""

    sample_id: int
    name: str
    state: str
    """``open`` or ``closed``."""
    seats: int
    """People asked about each item."""
    lease_seconds: float


class Person(NamedTuple):
    """Whose turn it is, and under which questions."""

    user_id: int
    rubric_ids: Sequence[int]


class Place(NamedTuple):
    """What an item is about."""

    unit_id: int
    answer_id: int
    passage: str | None
    """Key of the passage, of citation and passage units."""


def list_queues(connection: sa.Connection) -> list[StoredQueue]:
    """All queues, oldest first."""
    return [StoredQueue(*row) for row in connection.execute(_QUEUES.order_by(samples.c.id))]


def find_queue(connection: sa.Connection, sample_id: int) -> StoredQueue | None:
    """The queue of a Sample; None where nobody is asked."""
    row = connection.execute(_QUEUES.where(samples.c.id == sample_id)).one_or_none()
    return StoredQueue(*row) if row else None


def lock_queue(connection: sa.Connection, sample_id: int) -> StoredQueue | None:
    """The queue of a Sample, held by this write transaction until its end; None where nobody is asked."""
    connection.execute(sa.select(queues.c.id).where(queues.c.sample_id == sample_id).with_for_update())
    return find_queue(connection, sample_id)


def find_user(connection: sa.Connection, name: str) -> int | None:
    """Row id of the user of that name; None before their first item."""
    return connection.execute(sa.select(users.c.id).where(users.c.name == name)).scalar()


def held_item(connection: sa.Connection, sample_id: int, user_id: int) -> int | None:
    """The item that this person holds; a hold that lapsed still counts while nobody else took the seat."""
    query = (
        sa.select(slots.c.item_id)
        .join(review_items, review_items.c.id == slots.c.item_id)
        .where(slots.c.user_id == user_id, slots.c.state == LEASED, review_items.c.sample_id == sample_id)
        .order_by(slots.c.leased_until.desc(), slots.c.id)
        .limit(1)
    )
    return connection.execute(query).scalar()


def free_item(connection: sa.Connection, queue: StoredQueue, person: Person, start: float, now: float) -> int | None:
    """The next item with a free seat that this person has not answered, in queue order from ``start``, wrapping.

    Args:
        connection: inside a write transaction that holds the queue.
        queue: where to look.
        person: who asks.
        start: place in [0, 1) to look from.
        now: UTC seconds.
    """
    query = (
        sa.select(review_items.c.id)
        .where(*_for(queue, person, now))
        .order_by(review_items.c.place, review_items.c.id)
        .limit(1)
    )
    ahead = connection.execute(query.where(review_items.c.place >= start)).scalar()
    return ahead if ahead is not None else connection.execute(query.where(review_items.c.place < start)).scalar()


def hold_seat(connection: sa.Connection, queue: StoredQueue, item_id: int, user_id: int, now: float) -> bool:
    """Hold a seat at an item for the queue's lease, or keep the one that this person filled; False: none is free."""
    rows = connection.execute(sa.select(slots).where(slots.c.item_id == item_id).order_by(slots.c.seat)).all()
    own = next((row for row in rows if row.user_id == user_id), None)
    if own is not None:
        if own.state == LEASED:
            _set(connection, own.id, LEASED, user_id, now + queue.lease_seconds)
        return True
    by_seat = {row.seat: row for row in rows}
    for seat in range(1, queue.seats + 1):
        row = by_seat.get(seat)
        if row is None:
            values = {"item_id": item_id, "seat": seat, "state": LEASED, "user_id": user_id}
            connection.execute(slots.insert().values(**values, leased_until=now + queue.lease_seconds))
            return True
        if row.state == OPEN or (row.state == LEASED and row.leased_until <= now):
            _set(connection, row.id, LEASED, user_id, now + queue.lease_seconds)
            return True
    return False


def fill_seat(connection: sa.Connection, item_id: int, user_id: int) -> None:
    """The person is done with the item; the seat stays theirs."""
    connection.execute(_own(item_id, user_id).values(state=FILLED, leased_until=None))


def free_seat(connection: sa.Connection, item_id: int, user_id: int) -> None:
    """Give the person's seat back to the queue."""
    connection.execute(_own(item_id, user_id).values(state=OPEN, user_id=None, leased_until=None))


def item_place(connection: sa.Connection, item_id: int) -> Place:
    """What an item is about."""
    query = (
        sa.select(units.c.id, units.c.answer_id, passages.c.key)
        .join(review_items, review_items.c.unit_id == units.c.id)
        .outerjoin(passages, passages.c.id == sa.func.nullif(units.c.part_id, 0))
        .where(review_items.c.id == item_id)
    )
    return Place(*connection.execute(query).one())


def last_answered(connection: sa.Connection, sample_id: int, person: Person) -> tuple[int, int] | None:
    """(item id, rubric id) of the person's newest label in a queue."""
    query = (
        sa.select(review_items.c.id, labels.c.rubric_id)
        .join(labels, labels.c.unit_id == review_items.c.unit_id)
        .where(review_items.c.sample_id == sample_id, *_by(person))
        .order_by(labels.c.id.desc())
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    return (row[0], row[1]) if row else None


def count_done(connection: sa.Connection, sample_id: int, person: Person) -> int:
    """Items of a queue that this person answered under all rubrics, skipped ones aside."""
    newer = labels.alias("newer")
    given = _answered(person).where(
        labels.c.outcome != Outcome.SKIP.value, ~sa.exists().where(newer.c.supersedes_id == labels.c.id)
    )
    return _count(connection, _items(sample_id).where(review_items.c.unit_id.in_(given)))


def count_left(connection: sa.Connection, queue: StoredQueue, person: Person, now: float) -> int:
    """Items that wait for this person, the one they hold among them."""
    # what is closed to a person is far less than the queue, which may be long
    items = _items(queue.sample_id)
    full = (
        sa.select(slots.c.item_id)
        .join(review_items, review_items.c.id == slots.c.item_id)
        .where(review_items.c.sample_id == queue.sample_id, _taken(person, now))
        .group_by(slots.c.item_id)
        .having(sa.func.count() >= queue.seats)
    )
    closed = items.where(review_items.c.unit_id.in_(_answered(person))).union(full)
    return _count(connection, items) - _count(connection, closed)


def token_known(connection: sa.Connection, token: bytes) -> bool:
    """Whether the press with this token is stored."""
    return connection.execute(sa.select(labels.c.id).where(labels.c.token == token)).first() is not None


_QUEUES = sa.select(samples.c.id, samples.c.name, queues.c.state, queues.c.seats, queues.c.lease_seconds).join(
    queues, queues.c.sample_id == samples.c.id
)


def _for(queue: StoredQueue, person: Person, now: float) -> list[sa.ColumnElement[bool]]:
    """Items of the queue with a seat for the person that they have not answered under every rubric."""
    taken = sa.select(sa.func.count()).where(slots.c.item_id == review_items.c.id, _taken(person, now))
    return [
        review_items.c.sample_id == queue.sample_id,
        taken.scalar_subquery() < queue.seats,
        review_items.c.unit_id.not_in(_answered(person)),
    ]


def _taken(person: Person, now: float) -> sa.ColumnElement[bool]:
    """Seats that are filled, or held by someone else."""
    held = sa.and_(slots.c.state == LEASED, slots.c.leased_until > now, slots.c.user_id != person.user_id)
    return sa.or_(slots.c.state == FILLED, held)


def _answered(person: Person) -> sa.Select[int]:
    """Units that the person answered under every rubric."""
    return (
        sa.select(labels.c.unit_id)
        .where(*_by(person))
        .group_by(labels.c.unit_id)
        .having(sa.func.count(labels.c.rubric_id.distinct()) == len(person.rubric_ids))
    )


def _items(sample_id: int) -> sa.Select[int]:
    return sa.select(review_items.c.id).where(review_items.c.sample_id == sample_id)


def _count(connection: sa.Connection, query: sa.Select[int] | sa.CompoundSelect[int]) -> int:
    return int(connection.execute(sa.select(sa.func.count()).select_from(query.subquery())).scalar_one())


def _by(person: Person) -> list[sa.ColumnElement[bool]]:
    return [
        labels.c.user_id == person.user_id,
        labels.c.rubric_id.in_(list(person.rubric_ids)),
        labels.c.adjudication.is_(False),
    ]


def _own(item_id: int, user_id: int) -> sa.Update:
    return slots.update().where(slots.c.item_id == item_id, slots.c.user_id == user_id)


def _set(connection: sa.Connection, slot_id: int, state: str, user_id: int, until: float) -> None:
    values: dict[str, Any] = {"state": state, "user_id": user_id, "leased_until": until}
    connection.execute(slots.update().where(slots.c.id == slot_id).values(**values))
