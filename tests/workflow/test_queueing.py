"""The queue: who gets what, once, and what is stored of it."""

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from judge.domain.errors import UsageError
from judge.domain.review import Outcome
from judge.store.database import Store
from judge.store.review import NewLabel, insert_labels, keep_user
from judge.store.tables import labels, queues, review_items, slots, users
from judge.workflow.labelling import Given, give_labels
from judge.workflow.queueing import (
    Press,
    Progress,
    Receipt,
    Task,
    answer,
    my_queues,
    next_item,
    progress,
    undo,
)
from judge.workflow.stores import open_store
from tests.annotator_ui.made import QUEUE, make_queue, plain_record


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(str(tmp_path / "judge.db"))
    yield opened
    opened.close()


def fill(store: Store, folder: Path, items: int, **given: Any) -> None:
    make_queue(store, folder, [plain_record(i) for i in range(items)], **given)


def press(task: Task, outcome: str = "label", label: str | None = None, nonce: str = "", **given: Any) -> Press:
    """The first open question of a task, answered."""
    rubric_id, rubric = next(iter(task.rubrics.items()))
    if outcome == "label":
        label = label or rubric.labels[0]
    text = f"{task.annotator}|{task.item_id}|{rubric_id}|{nonce}"
    token = hashlib.blake2b(text.encode(), digest_size=16).digest()
    return Press(rubric_id, Outcome(outcome), label, token, **given)


def must(task: Task | None) -> Task:
    assert task is not None
    return task


def finish(store: Store, task: Task) -> None:
    """Answer all questions of a task."""
    for rubric_id in list(task.rubrics):
        one = task._replace(rubrics={rubric_id: task.rubrics[rubric_id]})
        assert answer(store, one, press(one)) is Receipt.SAVED


def rows(store: Store, query: Any) -> list[Any]:
    with store.read() as connection:
        return list(connection.execute(query).all())


def kept(store: Store) -> list[tuple[str, str | None]]:
    return [(row.outcome, row.label) for row in rows(store, sa.select(labels).order_by(labels.c.id))]


def test_an_item_is_held_until_all_its_questions_are_answered(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path, 3)
    assert my_queues(store) == [QUEUE]
    task = must(next_item(store, QUEUE, "Li"))
    assert [rubric.name for rubric in task.rubrics.values()] == ["support", "relevance"]
    assert must(next_item(store, QUEUE, " Li ")).item_id == task.item_id
    assert answer(store, task, press(task)) is Receipt.SAVED
    again = must(next_item(store, QUEUE, "Li"))
    assert (again.item_id, [rubric.name for rubric in again.rubrics.values()]) == (task.item_id, ["relevance"])
    assert answer(store, again, press(again)) is Receipt.SAVED
    assert must(next_item(store, QUEUE, "Li")).item_id != task.item_id
    assert progress(store, QUEUE, "Li") == Progress(mine=1, left=2)
    assert [row.state for row in rows(store, sa.select(slots).where(slots.c.item_id == task.item_id))] == ["filled"]


def test_everyone_walks_the_stored_order_from_an_own_offset_and_wraps(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path, 9, rubrics=("support",), seats=4)
    order = [row.id for row in rows(store, sa.select(review_items.c.id).order_by(review_items.c.place))]
    walked = {}
    for name in ("Li", "Anna", "王芳", "Bo"):
        seen = []
        while (task := next_item(store, QUEUE, name)) is not None:
            seen.append(task.item_id)
            finish(store, task)
        walked[name] = seen
        start = order.index(seen[0])
        assert seen == order[start:] + order[:start]
    assert len({seen[0] for seen in walked.values()}) > 1


def test_a_task_holds_no_verdict_and_no_other_label(store: Store, tmp_path: Path) -> None:
    record = {**plain_record(1), "metadata": {"reasoning": "secret thought"}}
    make_queue(store, tmp_path, [record], seats=2)
    first = must(next_item(store, QUEUE, "Li"))
    assert answer(store, first, press(first, label="contradicted", comment="not so")) is Receipt.SAVED
    second = must(next_item(store, QUEUE, "Anna"))
    assert second.earlier == {}
    assert [rubric.name for rubric in second.rubrics.values()] == ["support", "relevance"]
    shown = repr((second.answer, second.claim, second.passages))
    assert "secret thought" not in shown
    assert "not so" not in shown


def test_five_presses_of_one_page_are_one_label(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path, 1)
    task = must(next_item(store, QUEUE, "Li"))
    receipts = [answer(store, task, press(task)) for _ in range(5)]
    other = press(task, label="contradicted")
    assert [*receipts, answer(store, task, other)] == [Receipt.SAVED, *[Receipt.REPEATED] * 5]
    assert kept(store) == [("label", "supported")]


def test_a_second_tab_overwrites_nothing(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path, 1)
    one, two = must(next_item(store, QUEUE, "Li")), must(next_item(store, QUEUE, "Li"))
    assert answer(store, one, press(one, nonce="tab 1")) is Receipt.SAVED
    assert answer(store, two, press(two, label="contradicted", nonce="tab 2")) is Receipt.ANSWERED
    assert kept(store) == [("label", "supported")]


def test_a_skip_passes_the_item_on_and_never_comes_back(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path, 1)
    task = must(next_item(store, QUEUE, "Li"))
    assert answer(store, task, press(task, "skip", comment="not my field")) is Receipt.SAVED
    assert kept(store) == [("skip", None), ("skip", None)]
    assert next_item(store, QUEUE, "Li") is None
    assert progress(store, QUEUE, "Li") == Progress(mine=0, left=0)
    assert must(next_item(store, QUEUE, "Anna")).item_id == task.item_id


def test_cant_tell_is_an_answer_without_a_label(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path, 1, rubrics=("support",))
    task = must(next_item(store, QUEUE, "Li"))
    assert answer(store, task, press(task, "cant_tell")) is Receipt.SAVED
    assert kept(store) == [("cant_tell", None)]
    assert next_item(store, QUEUE, "Anna") is None


def test_a_lapsed_hold_returns_and_the_late_press_is_refused(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path, 1, lease=0.05)
    late = must(next_item(store, QUEUE, "Li"))
    assert next_item(store, QUEUE, "Anna") is None
    time.sleep(0.06)
    task = must(next_item(store, QUEUE, "Anna"))
    assert task.item_id == late.item_id
    assert answer(store, late, press(late)) is Receipt.GONE
    assert kept(store) == []
    finish(store, task)
    assert [row.state for row in rows(store, sa.select(slots))] == ["filled"]


def test_a_lapsed_hold_that_nobody_took_is_still_good(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path, 1, lease=0.02)
    task = must(next_item(store, QUEUE, "Li"))
    time.sleep(0.03)
    assert answer(store, task, press(task)) is Receipt.SAVED


def test_undo_reopens_the_last_answer_and_the_new_one_supersedes(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path, 2)
    assert undo(store, QUEUE, "Li") is None
    task = must(next_item(store, QUEUE, "Li"))
    finish(store, task)
    again = must(undo(store, QUEUE, "Li"))
    assert again.item_id == task.item_id
    assert [rubric.name for rubric in again.rubrics.values()] == ["relevance"]
    assert [label.label for label in again.earlier.values()] == ["relevant"]
    assert answer(store, again, press(again, label="irrelevant", nonce="after undo")) is Receipt.SAVED
    stored = rows(store, sa.select(labels).order_by(labels.c.id))
    assert [row.label for row in stored] == ["supported", "relevant", "irrelevant"]
    assert stored[-1].supersedes_id == stored[-2].id
    assert progress(store, QUEUE, "Li") == Progress(mine=1, left=1)


def test_undo_of_a_skip_takes_the_seat_again(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path, 1)
    task = must(next_item(store, QUEUE, "Li"))
    answer(store, task, press(task, "skip"))
    again = must(undo(store, QUEUE, "Li"))
    assert list(again.rubrics) == list(task.rubrics)
    assert next_item(store, QUEUE, "Anna") is None
    for rubric_id in again.rubrics:
        one = again._replace(rubrics={rubric_id: again.rubrics[rubric_id]})
        assert answer(store, one, press(one, nonce="after undo")) is Receipt.SAVED
    assert progress(store, QUEUE, "Li") == Progress(mine=1, left=0)


def test_undo_of_a_skip_fails_once_someone_else_has_the_item(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path, 1)
    task = must(next_item(store, QUEUE, "Li"))
    answer(store, task, press(task, "skip"))
    must(next_item(store, QUEUE, "Anna"))
    assert undo(store, QUEUE, "Li") is None


def test_a_settled_item_is_neither_undone_nor_answered(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path, 1, rubrics=("support",), seats=2)
    mine, hers = must(next_item(store, QUEUE, "Li")), must(next_item(store, QUEUE, "Anna"))
    finish(store, mine)
    with store.write() as connection:
        judge = keep_user(connection, "Judy")
        row = NewLabel(mine.unit_id, next(iter(mine.rubrics)), judge, "label", "supported", None, None, {}, "ui")
        insert_labels(connection, [row._replace(adjudication=True, token=b"x" * 16)])
    assert undo(store, QUEUE, "Li") is None
    assert answer(store, hers, press(hers)) is Receipt.GONE


def test_labels_from_a_sheet_are_not_asked_again(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path, 2)
    task = must(next_item(store, QUEUE, "Li"))
    with store.write() as connection:
        given = [Given(task.unit_id, rubric, "Li", Outcome.CANT_TELL, None) for rubric in task.rubrics]
        give_labels(connection, given, source="csv")
    assert must(next_item(store, QUEUE, "Li")).item_id != task.item_id
    assert progress(store, QUEUE, "Li") == Progress(mine=1, left=1)


def test_a_closed_queue_gives_and_takes_nothing(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path, 2)
    task = must(next_item(store, QUEUE, "Li"))
    with store.write() as connection:
        connection.execute(queues.update().values(state="closed"))
    assert my_queues(store) == []
    assert next_item(store, QUEUE, "Li") is None
    assert answer(store, task, press(task)) is Receipt.GONE
    assert progress(store, QUEUE, "Li").left == 0


def test_words_that_fit_nothing_are_refused(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path, 1)
    with pytest.raises(UsageError, match="printable"):
        next_item(store, QUEUE, " \n")
    with pytest.raises(UsageError, match="no queue 'other'"):
        next_item(store, "other", "Li")
    task = must(next_item(store, QUEUE, "Li"))
    with pytest.raises(UsageError, match="no label of 'support'"):
        answer(store, task, press(task, label="relevant"))
    with pytest.raises(UsageError, match="not asked"):
        answer(store, task, press(task)._replace(rubric_id=99))


def test_eight_people_at_once_lose_and_double_nothing(store: Store, tmp_path: Path) -> None:
    people, items, seats = [f"person {i}" for i in range(8)], 40, 2
    fill(store, tmp_path, items, seats=seats)
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            while (task := next_item(store, QUEUE, name)) is not None:
                finish(store, task)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=work, args=(name,)) for name in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    given = rows(store, sa.select(labels.c.unit_id, labels.c.rubric_id, users.c.name).join(users))
    assert max(Counter(tuple(row) for row in given).values()) == 1
    assert Counter(Counter((row.unit_id, row.rubric_id) for row in given).values()) == {seats: items * 2}
    seated = rows(store, sa.select(slots))
    assert Counter(row.state for row in seated) == {"filled": items * seats}
    assert max(Counter((row.item_id, row.user_id) for row in seated).values()) == 1
