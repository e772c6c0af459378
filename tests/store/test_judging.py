"""Runs, calls and verdicts: written once, never overwritten, shared by identity."""

from pathlib import Path

import pytest

from judge.domain.judging import Attempt, AttemptKind, Judge, Reply, RunState, Unscored, Usage, Verdict
from judge.store.calls import call_of, save_call, spent, usable_replies
from judge.store.database import Store
from judge.store.datasets import find_dataset
from judge.store.rubrics import keep_rubric
from judge.store.runs import add_run_judge, find_run, judges_of, keep_judge, keep_run
from judge.store.verdicts import count_verdicts, insert_verdicts, load_verdicts, verdict_labels, verdict_states
from judge.workflow.imports import import_file
from judge.workflow.rubrics import load_rubric
from tests.records import record
from tests.steps.asking import request

SUPPORT = load_rubric("support")


@pytest.fixture
def ids(store: Store, tmp_path: Path) -> tuple[int, int, list[int]]:
    """A Run's id, its Judge's id, and its units' ids."""
    import json

    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(json.dumps(record(n, 2)) for n in (1, 2)), "utf-8")
    import_file(store, path, dataset="d", shipped={})
    with store.write() as connection:
        rubric_id = keep_rubric(connection, SUPPORT)
        judge = Judge(name="m", provider="openai", model="m", rubric=SUPPORT.hash.hex())
        judge_id = keep_judge(connection, judge, rubric_id)
        assert keep_judge(connection, judge, rubric_id) == judge_id
        data = find_dataset(connection)
        made = {"dataset_id": data.id, "claim_set_id": 1, "state": RunState.OPEN, "settings": {}}
        run_id = keep_run(connection, hash=b"r" * 16, name="d-m", **made)
        assert keep_run(connection, hash=b"r" * 16, name="other", **made) == run_id
        assert find_run(connection, str(keep_run(connection, hash=b"s" * 16, name="d-m", **made))).name == "d-m-2"
        add_run_judge(connection, run_id, judge_id)
        add_run_judge(connection, run_id, judge_id)
        assert [one.judge for one in judges_of(connection, run_id)] == [judge]
    return run_id, judge_id, [1, 2, 3, 4]


def test_a_label_stays_and_an_unscored_verdict_gives_way(store: Store, ids: tuple[int, int, list[int]]) -> None:
    run_id, judge_id, units = ids
    first = [
        Verdict(unit_id=units[0], label="supported", rationale="理由"),
        Verdict(unit_id=units[1], unscored=Unscored.UNPARSEABLE, raw="hm"),
    ]
    second = [
        Verdict(unit_id=units[0], label="contradicted"),
        Verdict(unit_id=units[1], label="not_enough_info", confidence=0.5, confidence_source="stated"),
    ]
    with store.write() as connection:
        insert_verdicts(connection, judge_id, None, first)
        assert verdict_states(connection, judge_id, units) == {units[0]: "", units[1]: "unparseable"}
        insert_verdicts(connection, judge_id, None, second)
        assert verdict_labels(connection, judge_id) == {units[0]: "supported", units[1]: "not_enough_info"}
        kept = {verdict.unit_id: verdict for verdict in load_verdicts(connection, judge_id, units)}
        assert kept[units[0]] == first[0]
        assert kept[units[1]] == second[1]
        run = find_run(connection, str(run_id))
        counts = count_verdicts(connection, run, judges_of(connection, run_id)[0], SUPPORT.unit)
        assert (counts.asked, counts.judged, counts.unscored) == (4, 2, {})


def test_attempts_are_appended_and_a_usable_call_is_the_cache(store: Store, ids: tuple[int, int, list[int]]) -> None:
    run_id, judge_id, units = ids
    asked = request()
    reply = Reply(text="{}", raw=b'{"\xff raw', usage=Usage(input=3, output=4), cost=0.5, currency="USD")
    failed = Attempt(kind=AttemptKind.FIRST, error="timeout: too slow", raw=b"half")
    with store.write() as connection:
        call_id = save_call(connection, asked, [failed], usable=False, run_id=run_id)
        assert usable_replies(connection, [asked.hash]) == {}
        good = Attempt(kind=AttemptKind.RETRY, reply=reply, status=200)
        assert save_call(connection, asked, [good], usable=True, run_id=run_id) == call_id
        assert usable_replies(connection, [asked.hash]) == {asked.hash: (call_id, (reply,))}
        insert_verdicts(connection, judge_id, call_id, [Verdict(unit_id=units[0], label="supported")])
        sent = call_of(connection, judge_id, units[0])
        assert sent is not None
        assert [attempt.raw or attempt.reply.raw for attempt in sent.attempts if attempt.raw or attempt.reply] == [
            b"half",
            b'{"\xff raw',
        ]
        assert spent(connection, run_id) == (2, 7, 0.5, "USD")


def test_an_unknown_cost_makes_the_sum_unknown(store: Store, ids: tuple[int, int, list[int]]) -> None:
    run_id, _, _ = ids
    known = Attempt(kind=AttemptKind.FIRST, reply=Reply(text="a", usage=Usage(input=1, output=1), cost=1.0))
    unknown = Attempt(kind=AttemptKind.FIRST, reply=Reply(text="b"))
    with store.write() as connection:
        save_call(connection, request(), [known, unknown], usable=True, run_id=run_id)
        assert spent(connection, run_id)[1:3] == (None, None)
