"""The queue: one item at a time to each person, each press stored once, nobody's label shown to another."""

import hashlib
import time
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NamedTuple

import sqlalchemy as sa

from judge.domain.answers import Answer, Passage
from judge.domain.claims import Claim, UnitKind
from judge.domain.errors import UsageError
from judge.domain.review import Outcome
from judge.domain.rubrics import Rubric
from judge.store.answers import load_answers
from judge.store.claims import claims_of_units
from judge.store.database import Store
from judge.store.review import StoredLabel, current_labels, find_sample, keep_user, rubrics_of
from judge.store.rubrics import load_rubric
from judge.store.slots import (
    Person,
    StoredQueue,
    count_done,
    count_left,
    fill_seat,
    find_queue,
    find_user,
    free_item,
    free_seat,
    held_item,
    hold_seat,
    item_place,
    last_answered,
    list_queues,
    lock_queue,
    token_known,
)
from judge.store.units import load_units
from judge.workflow.labelling import Given, give_labels

NAME_LENGTH = 80


class Receipt(StrEnum):
    """What became of a press."""

    SAVED = "saved"
    """It is on the disk."""
    REPEATED = "repeated"
    """Nothing stored: a press of the same token is on the disk, with this label or another."""
    ANSWERED = "answered"
    """Nothing stored: the person answered this meanwhile, in another tab or by a sheet."""
    GONE = "gone"
    """Nothing stored: the hold lapsed and someone else has the item, or it is settled, or the queue is closed."""


class Task(NamedTuple):
    """One item as its annotator sees it: no verdict, no other person's label."""

    queue: str
    item_id: int
    unit_id: int
    key: str
    kind: UnitKind
    annotator: str
    answer: Answer
    claim: Claim | None
    passages: tuple[Passage, ...]
    """What may be shown as evidence, in rank order: the claim's own, the cited one, or all of the answer."""
    rubrics: dict[int, Rubric]
    """Still to be answered, in order."""
    asked: int
    """Questions of the queue on each item."""
    earlier: dict[int, StoredLabel]
    """The person's own labels that are reopened, by rubric."""


class Press(NamedTuple):
    """One answer to one question of a Task."""

    rubric_id: int
    outcome: Outcome
    label: str | None
    token: bytes
    """16 bytes of the page that was shown: the same again is the same press, whatever was pressed."""
    comment: str | None = None
    seconds: float | None = None
    details: dict[str, Any] | None = None


class Progress(NamedTuple):
    """How far a person is in a queue."""

    mine: int
    """Items they answered."""
    left: int
    """Items that wait for them."""


def my_queues(store: Store) -> list[str]:
    """Names of the open queues, newest first."""
    with store.read() as connection:
        return [queue.name for queue in reversed(list_queues(connection)) if queue.state == "open"]


def next_item(store: Store, queue: str, annotator: str) -> Task | None:
    """The item that this person holds, else the next free one, held from now on; None: nothing is left for them.

    Everyone goes through the queue's stored order from an own offset, so that several people rarely meet.

    Raises:
        UsageError: there is no such queue, or the name is empty or too long.
    """
    name = check_name(annotator)
    with store.write() as connection:
        found, person = _enter(connection, queue, name)
        item_id = _claim(connection, found, person, name) if found.state == "open" else None
        return None if item_id is None else _task(connection, found, person, item_id, name)


def answer(store: Store, task: Task, press: Press) -> Receipt:
    """Store one press, once; it is on the disk when this returns ``SAVED``.

    A skip passes on the whole item: it is stored for each question still open, and the seat goes back to the queue
    for someone else. A label or "can't tell" under the last question fills the seat.

    Raises:
        UsageError: the question or label is none of the task's.
    """
    _check(task, press)
    with store.write(durable=True) as connection:
        if token_known(connection, press.token):
            return Receipt.REPEATED
        queue, person = _enter(connection, task.queue, task.annotator)
        labels = current_labels(connection, [task.unit_id], person.rubric_ids)
        own = _own(labels, task.annotator)
        if _id(own.get(press.rubric_id)) != _id(task.earlier.get(press.rubric_id)):
            return Receipt.ANSWERED
        settled = any(label.adjudication for label in labels)
        if queue.state != "open" or settled or not _hold(connection, queue, task.item_id, person):
            return Receipt.GONE
        give_labels(connection, _given(task, press, own), source="ui")
        _settle(connection, person, task.item_id, task.unit_id, task.annotator)
        return Receipt.SAVED


def undo(store: Store, queue: str, annotator: str) -> Task | None:
    """Reopen the person's last answer; the stored label stands until the new one supersedes it.

    Returns:
        The item with that question first (after a skip: all that were skipped); None when there is nothing to undo,
        the item is settled, or someone else took the seat.
    """
    name = check_name(annotator)
    with store.write() as connection:
        found, person = _enter(connection, queue, name)
        last = last_answered(connection, found.sample_id, person)
        if last is None or found.state != "open":
            return None
        item_id, rubric_id = last
        labels = current_labels(connection, [item_place(connection, item_id).unit_id], person.rubric_ids)
        if any(label.adjudication for label in labels) or not _hold(connection, found, item_id, person):
            return None
        own = _own(labels, name)
        skipped = own[rubric_id].outcome is Outcome.SKIP
        reopened = {
            rubric: label
            for rubric, label in own.items()
            if rubric == rubric_id or (skipped and label.outcome is Outcome.SKIP)
        }
        return _task(connection, found, person, item_id, name, reopened)


def progress(store: Store, queue: str, annotator: str) -> Progress:
    """How many items this person answered, and how many wait for them."""
    name = check_name(annotator)
    with store.read() as connection:
        found = _known(find_queue(connection, find_sample(connection, queue).id), queue)
        # before their first item a person is no user yet, and no row has the id 0
        person = Person(find_user(connection, name) or 0, rubrics_of(connection, found.sample_id))
        left = count_left(connection, found, person, time.time()) if found.state == "open" else 0
        return Progress(count_done(connection, found.sample_id, person), left)


def check_name(annotator: str) -> str:
    """The name without outer white space.

    Raises:
        UsageError: it is empty, too long, or holds control characters.
    """
    name = " ".join(annotator.split())
    if not name or len(name) > NAME_LENGTH or not name.isprintable():
        raise UsageError(f"the name {name[:NAME_LENGTH]!r} can't be used: 1 to {NAME_LENGTH} printable characters")
    return name


def _enter(connection: sa.Connection, queue: str, name: str) -> tuple[StoredQueue, Person]:
    found = _known(lock_queue(connection, find_sample(connection, queue).id), queue)
    return found, Person(keep_user(connection, name), rubrics_of(connection, found.sample_id))


def _known(found: StoredQueue | None, queue: str) -> StoredQueue:
    if found is None:
        raise UsageError(f"{queue!r} is no queue: its labels came with a file; `judge sample` makes one")
    return found


def _claim(connection: sa.Connection, queue: StoredQueue, person: Person, name: str) -> int | None:
    """The item that the person holds from now on."""
    while (item_id := held_item(connection, queue.sample_id, person.user_id)) is not None:
        _hold(connection, queue, item_id, person)
        if not _settle(connection, person, item_id, item_place(connection, item_id).unit_id, name):
            return item_id
    item_id = free_item(connection, queue, person, _offset(name), time.time())
    return item_id if item_id is not None and _hold(connection, queue, item_id, person) else None


def _hold(connection: sa.Connection, queue: StoredQueue, item_id: int, person: Person) -> bool:
    return hold_seat(connection, queue, item_id, person.user_id, time.time())


def _settle(connection: sa.Connection, person: Person, item_id: int, unit_id: int, name: str) -> bool:
    """Fill the seat once all questions are answered, or give it back after a skip; whether that was so."""
    own = _own(current_labels(connection, [unit_id], person.rubric_ids), name)
    if len(own) < len(person.rubric_ids):
        return False
    skipped = any(label.outcome is Outcome.SKIP for label in own.values())
    (free_seat if skipped else fill_seat)(connection, item_id, person.user_id)
    return True


def _task(
    connection: sa.Connection,
    queue: StoredQueue,
    person: Person,
    item_id: int,
    name: str,
    reopened: dict[int, StoredLabel] | None = None,
) -> Task:
    place = item_place(connection, item_id)
    unit = load_units(connection, [place.unit_id])[place.unit_id]
    whole = load_answers(connection, [place.answer_id])[place.answer_id]
    claim = claims_of_units(connection, [place.unit_id]).get(place.unit_id)
    earlier = reopened or {}
    done = _own(current_labels(connection, [place.unit_id], person.rubric_ids), name).keys() - earlier.keys()
    only = (place.passage,) if place.passage is not None else claim.passages if claim else None
    return Task(
        queue=queue.name,
        item_id=item_id,
        unit_id=place.unit_id,
        key=unit.key,
        kind=unit.kind,
        annotator=name,
        # reasoning traces of the judged system stand in the metadata
        answer=whole.model_copy(update={"metadata": {}}),
        claim=claim,
        passages=tuple(one.passage for one in whole.passages if only is None or one.passage.key in only),
        rubrics={rubric: load_rubric(connection, rubric) for rubric in person.rubric_ids if rubric not in done},
        asked=len(person.rubric_ids),
        earlier=earlier,
    )


def _check(task: Task, press: Press) -> None:
    rubric = task.rubrics.get(press.rubric_id)
    if rubric is None:
        raise UsageError(f"the rubric {press.rubric_id} is not asked of {task.key!r}")
    known = press.label in rubric.labels if press.outcome is Outcome.LABEL else press.label is None
    if not known:
        raise UsageError(f"{press.label!r} is no label of {rubric.name!r}; expected one of {', '.join(rubric.labels)}")


def _given(task: Task, press: Press, own: dict[int, StoredLabel]) -> list[Given]:
    """The press, and the other open questions of an item that is skipped."""
    words = (press.comment, press.seconds, press.details)
    given = [
        Given(task.unit_id, press.rubric_id, task.annotator, press.outcome, press.label, *words, token=press.token)
    ]
    if press.outcome is Outcome.SKIP:
        others = [rubric for rubric in task.rubrics if rubric != press.rubric_id]
        given += [
            Given(task.unit_id, rubric, task.annotator, Outcome.SKIP, None)
            for rubric in others
            if _id(own.get(rubric)) == _id(task.earlier.get(rubric))
        ]
    return given


def _own(labels: Iterable[StoredLabel], name: str) -> dict[int, StoredLabel]:
    return {label.rubric_id: label for label in labels if label.user == name and not label.adjudication}


def _id(label: StoredLabel | None) -> int | None:
    return label.id if label else None


def _offset(name: str) -> float:
    """Where a person starts in the queue, in [0, 1); the same on any machine."""
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest) >> 11) / 2**53
