"""``judge run`` against a real HTTP server: it resumes, pays once, stops where it must, and says why."""

import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import OK, Run
from tests.conftest import Cli
from tests.records import record
from tests.servers.fixtures import Stub


def test_every_claim_is_judged_once_and_a_second_run_asks_nothing(run: Run, openai_stub: Stub) -> None:
    openai_stub.script(default={"content": OK})
    first = run().json
    assert {key: first[key] for key in ("run", "asked", "judged", "unscored", "calls", "cached", "state")} == {
        "run": "d-stub",
        "asked": 6,
        "judged": 6,
        "unscored": {},
        "calls": 6,
        "cached": 0,
        "state": "complete",
    }
    assert first["tokens"] == 720
    assert first["cost"] is None, "the price of an unknown model is unknown, not 0"
    again = run().json
    assert (again["judged"], again["calls"], again["cached"], again["cost"]) == (6, 0, 0, 0)
    assert openai_stub.stats()["requests"] == 6


def test_at_another_address_the_price_is_unknown(run: Run, openai_stub: Stub) -> None:
    openai_stub.script(default={"content": OK})
    found = run(model="openai/gpt-4o-mini").json
    assert (found["cost"], found["currency"]) == (None, None), "openai's list does not say what a gateway takes"


def test_headers_and_time_limits_are_no_part_of_the_judge_but_parameters_are(run: Run, openai_stub: Stub) -> None:
    openai_stub.script(default={"content": OK})
    run()
    same = run("--header", "X-Team=blue", "--timeout", "9").json
    assert (same["run"], same["calls"]) == ("d-stub", 0)
    other = run("--param", "temperature=0", "--param", "extra_body.enable_thinking=false").json
    assert (other["run"], other["calls"]) == ("d-stub-2", 6)
    body = openai_stub.requests()[-1]["body"]
    assert body["temperature"] == 0
    assert body["enable_thinking"] is False


def test_a_header_is_sent(run: Run, openai_stub: Stub) -> None:
    openai_stub.script(default={"content": OK})
    run("--header", "X-Team=blue")
    headers = {name.lower(): value for name, value in openai_stub.requests()[0]["headers"].items()}
    assert headers["x-team"] == "blue"


def test_a_limit_judges_the_first_answers_and_a_larger_one_goes_on(run: Run, openai_stub: Stub) -> None:
    openai_stub.script(default={"content": OK})
    assert (run("--limit", 1).json["asked"], openai_stub.stats()["requests"]) == (2, 2)
    assert (run("--limit", 2).json["asked"], openai_stub.stats()["requests"]) == (4, 4)
    assert (run().json["asked"], openai_stub.stats()["requests"]) == (6, 6)


@pytest.mark.parametrize(
    ("reject", "rung"),
    [((), "json_schema"), (("json_schema",), "json_object"), (("json_schema", "json_object"), "text")],
)
def test_the_rung_is_found_first_and_then_kept(run: Run, openai_stub: Stub, reject: tuple[str, ...], rung: str) -> None:
    openai_stub.script(default={"content": OK}, reject=list(reject))
    found = run().json
    assert found["judged"] == 6
    formats = [
        (request["body"].get("response_format") or {"type": "text"})["type"] for request in openai_stub.requests()
    ]
    assert formats == ["json_schema", "json_object", "text"][: len(reject)] + [rung] * 6


def test_a_failed_request_is_repeated_at_most_as_often_as_said(run: Run, openai_stub: Stub) -> None:
    openai_stub.script(replies=[OK], default={"status": 500})
    found = run("--retries", 2, "--limit", 1, "--concurrency", 1).json
    assert openai_stub.stats()["requests"] == 4, "one claim answered, one asked three times"
    assert found["unscored"] == {"provider_error": 1}
    assert (found["judged"], found["state"]) == (1, "partial")


def test_a_dead_endpoint_stops_the_run_and_fixes_nothing(run: Run, openai_stub: Stub) -> None:
    openai_stub.script(default={"status": 500})
    ended = run("--retries", 0)
    assert ended.code == 1
    assert "answered none of the first 5 questions" in ended.err
    assert json.loads(ended.out)["state"] == "stopped"
    openai_stub.script(default={"content": OK}, reject=["json_schema"])
    again = run().json
    assert (again["judged"], again["state"]) == (6, "complete"), "the rung is found by the first answer, not before"


def test_a_failed_first_question_does_not_choose_the_rung(run: Run, openai_stub: Stub) -> None:
    openai_stub.script(replies=[{"status": 500}], default={"content": OK}, reject=["json_schema"])
    found = run("--retries", 0, "--concurrency", 1).json
    assert (found["judged"], found["unscored"]) == (5, {"provider_error": 1})


def test_an_item_that_the_endpoint_rejects_does_not_stop_the_others(run: Run, openai_stub: Stub) -> None:
    flagged = {"status": 403, "json": {"error": {"message": "Your account may not do that with this text"}}}
    openai_stub.script(replies=[OK, OK, flagged], default={"content": OK})
    found = run("--concurrency", 1, "--retries", 0).json
    assert (found["judged"], sum(found["unscored"].values()), found["state"]) == (5, 1, "partial")


def test_equal_requests_one_after_the_other_are_sent_once(
    cli: Cli, openai_stub: Stub, write: Callable[..., Path]
) -> None:
    write(*({**record(1, 1), "answer_id": f"twin{number}"} for number in range(5)))
    cli("import", "answers.jsonl", "--dataset", "d")
    named = ["--model", "openai/stub", "--api-base", openai_stub.url, "--concurrency", 1, "--json"]
    found = cli("run", "--rubric", "support", "--rubric", "relevance", *named).json
    assert (found["judged"], openai_stub.stats()["requests"]) == (10, 2)


def test_rejections_that_turn_out_to_be_the_end_decide_nothing(run: Run, openai_stub: Stub) -> None:
    forbidden = {"status": 403, "json": {"error": {"message": "This key may not do that any more"}}}
    both = ("--rubric", "support", "--rubric", "relevance", "--concurrency", 1, "--retries", 0)
    openai_stub.script(replies=[OK, OK], default=forbidden)
    ended = run(*both)
    assert ended.code == 1
    found = json.loads(ended.out)
    assert (found["judged"], found["unscored"], found["calls"]) == (2, {}, 7)
    openai_stub.script()
    again = run(*both).json
    assert (again["judged"], again["state"], again["calls"]) == (12, "complete", 10)


def test_another_rubric_later_asks_for_nothing_again(run: Run, openai_stub: Stub) -> None:
    openai_stub.script(default={"content": OK})
    run("--rubric", "support")
    openai_stub.script()
    found = run("--rubric", "support", "--rubric", "relevance").json
    assert (found["judged"], openai_stub.stats()["requests"]) == (12, 6)
    swapped = run("--rubric", "relevance", "--rubric", "support").json
    assert (swapped["run"], swapped["calls"]) == (found["run"], 0)


def test_a_twin_of_a_failed_request_fails_for_the_same_reason(
    cli: Cli, openai_stub: Stub, write: Callable[..., Path]
) -> None:
    write(record(2, 1), *({**record(1, 1), "answer_id": f"twin{number}"} for number in range(3)))
    cli("import", "answers.jsonl", "--dataset", "d")
    error = {"message": "maximum context length is 8192 tokens", "code": "context_length_exceeded"}
    slow = {"status": 400, "json": {"error": error}, "delay": 0.3}
    openai_stub.script(when=[{"match": "Fact 1-1", **slow}], default={"content": OK})
    found = cli("run", "--model", "openai/stub", "--api-base", openai_stub.url, "--json").json
    assert found["unscored"] == {"context_too_long": 3}
    shown = cli("show", "twin2#c1", "--json").json["verdicts"][0]
    assert shown["prompt"]


def test_a_limit_stops_this_command_in_a_run_without_one(run: Run, openai_stub: Stub) -> None:
    openai_stub.script(replies=[OK], default={"status": 401, "json": {"error": {"message": "bad key"}}})
    assert run("--concurrency", 1).code == 1
    openai_stub.script(default={"content": OK})
    found = run("--limit", 1).json
    assert (found["asked"], found["judged"], found["state"]) == (6, 2, "stopped")
    assert run("--limit", 1).json["calls"] == 0, "done as far as this limit goes, and no interrupt"


def test_a_retry_after_is_waited_for(run: Run, openai_stub: Stub) -> None:
    openai_stub.script(replies=[{"status": 429, "headers": {"Retry-After": "1"}}], default={"content": OK})
    started = time.monotonic()
    found = run("--concurrency", 1).json
    assert time.monotonic() - started >= 1
    assert (found["judged"], found["calls"]) == (6, 7)


def test_unscored_units_are_left_alone_until_asked_for(run: Run, openai_stub: Stub) -> None:
    openai_stub.script(replies=[{"status": 500}], default={"content": OK})
    assert run("--retries", 0, "--concurrency", 1).json["unscored"] == {"provider_error": 1}
    assert run().json["calls"] == 0
    found = run("--retry", "provider_error").json
    assert (found["calls"], found["judged"], found["state"]) == (1, 6, "complete")


def test_a_wrong_key_stops_at_once_and_keeps_the_work(run: Run, openai_stub: Stub) -> None:
    openai_stub.script(replies=[OK, OK], default={"status": 401, "json": {"error": {"message": "Incorrect API key"}}})
    ended = run("--concurrency", 1)
    assert ended.code == 1
    found = json.loads(ended.out)
    assert (found["judged"], found["state"]) == (2, "stopped")
    assert "key" in ended.err
    assert openai_stub.stats()["requests"] == 3
    openai_stub.script(default={"content": OK})
    assert run().json["calls"] == 4


def test_a_context_too_long_touches_its_unit_only(run: Run, openai_stub: Stub) -> None:
    error = {"message": "maximum context length is 8192 tokens", "code": "context_length_exceeded"}
    openai_stub.script(replies=[OK, {"status": 400, "json": {"error": error}}], default={"content": OK})
    found = run("--concurrency", 1).json
    assert found["unscored"] == {"context_too_long": 1}
    assert (found["judged"], found["calls"]) == (5, 6)


def test_without_passages_nothing_is_sent(cli: Cli, openai_stub: Stub, write: Callable[..., Path]) -> None:
    write({**record(1, 2), "passages": []}, {**record(2, 1), "passages": [{"id": "p", "text": None}]})
    cli("import", "answers.jsonl", "--dataset", "d")
    found = cli("run", "--model", "openai/stub", "--api-base", openai_stub.url, "--json").json
    assert found["unscored"] == {"no_passages": 3}
    assert openai_stub.stats()["requests"] == 0


def test_equal_requests_are_sent_once(cli: Cli, openai_stub: Stub, write: Callable[..., Path]) -> None:
    twin = {**record(1, 1), "answer_id": "twin"}
    write(record(1, 1), twin)
    cli("import", "answers.jsonl", "--dataset", "d")
    openai_stub.script(default={"content": OK, "delay": 0.2})
    found = cli("run", "--model", "openai/stub", "--api-base", openai_stub.url, "--json").json
    assert (found["judged"], openai_stub.stats()["requests"]) == (2, 1)


def test_per_answer_asks_all_claims_in_one_call(run: Run, openai_stub: Stub) -> None:
    found = run("--per", "answer").json
    assert (found["judged"], found["calls"]) == (6, 3)


def test_several_rubrics_in_one_run(run: Run, openai_stub: Stub) -> None:
    found = run("--rubric", "support", "--rubric", "relevance").json
    assert (found["asked"], found["judged"], found["calls"]) == (12, 12, 12)
    assert set(found["rubrics"]) == {"support", "relevance"}


def test_keys_stand_nowhere(run: Run, openai_stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-planted-secret-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    message = {"error": {"message": f"Incorrect API key provided: {secret}"}}
    openai_stub.script(replies=[OK], default={"status": 401, "json": message})
    ended = run("--concurrency", 1)
    assert secret not in ended.out + ended.err
    with sqlite3.connect(tmp_path / "judge.db") as connection:
        dump = "\n".join(connection.iterdump())
    connection.close()
    assert secret not in dump
    assert secret.encode().hex() not in dump.casefold()
    sent = {name.lower(): value for name, value in openai_stub.requests()[0]["headers"].items()}
    assert sent["authorization"] == f"Bearer {secret}"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--model", "openai/stub", "--rubric", "suport"], "support"),
        (["--model", "openai/stub", "--param", "temperature"], "--param 'temperature' has no '='"),
        (["--model", "openai/stub", "--param", "temperature=0,5"], "is no JSON"),
        (["--model", "openai/stub", "--header", "X"], "--header 'X' has no '='"),
        (["--model", "openai/stub", "--per", "page"], "--per is 'page', expected claim or answer"),
        (["--model", "openai/stub", "--retry", "tired"], "--retry 'tired' is no reason"),
        ([], "--model baseline"),
        (["--model", "openai/gpt-4o"], "OPENAI_API_KEY"),
        (["nothing", "--model", "baseline"], "there is no dataset 'nothing'"),
        (["--model", "baseline", "--claims", "llm"], "there is no claim set 'llm'"),
    ],
)
def test_wrong_words_end_with_2_and_say_what_is_expected(
    cli: Cli, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, options: list[str], words: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    write(record(1, 1))
    cli("import", "answers.jsonl", "--dataset", "d")
    ended = cli("run", *options)
    assert ended.code == 2
    assert words in ended.err


def test_several_datasets_are_listed(cli: Cli, write: Callable[..., Path]) -> None:
    write(record(1, 1))
    cli("import", "answers.jsonl", "--dataset", "one")
    cli("import", "answers.jsonl", "--dataset", "two")
    ended = cli("run", "--model", "baseline")
    assert ended.code == 2
    assert "one" in ended.err
    assert "two" in ended.err


def test_the_baseline_needs_no_key(cli: Cli, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    write(record(1, 2), record(2, 1))
    cli("import", "answers.jsonl", "--dataset", "d")
    found: dict[str, Any] = cli("run", "--model", "baseline", "--json").json
    assert (found["judged"], found["cost"], found["tokens"]) == (3, 0, 0)


def test_two_commands_from_a_file_to_a_report(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "回答.csv").write_bytes(
        "问题,回答,资料\n能退货吗？,可以在七天内退货。,七天内可以退货。\n".encode("gbk")
    )
    assert cli("import", "回答.csv", "--dataset", "退货").code == 0
    ended = cli("run", "--model", "baseline", "--report", "报告.html", "--lang", "zh")
    assert ended.code == 0, ended.err
    assert "Split by rules first: 1 claims" in ended.err
    assert "未经人工核对" in (tmp_path / "报告.html").read_text("utf-8")


def test_what_the_search_for_a_rung_sent_is_kept_and_counted(run: Run, openai_stub: Stub, tmp_path: Path) -> None:
    openai_stub.script(replies=[{"status": 500}, {"status": 500}], default={"status": 401, "json": {"error": {}}})
    ended = run("--retries", 0, "--concurrency", 1)
    assert ended.code == 1
    assert json.loads(ended.out)["calls"] == openai_stub.stats()["requests"] == 3
    with sqlite3.connect(tmp_path / "judge.db") as connection:
        assert connection.execute("SELECT count(*) FROM attempts").fetchone() == (3,)
    connection.close()


def test_equal_questions_that_fail_are_paid_once(cli: Cli, openai_stub: Stub, write: Callable[..., Path]) -> None:
    write(record(2, 1), *({**record(1, 1), "answer_id": f"twin{number}"} for number in range(4)))
    cli("import", "answers.jsonl", "--dataset", "d")
    openai_stub.script(when=[{"match": "Fact 1-1", "content": "nonsense"}], default={"content": OK})
    named = ["--model", "openai/stub", "--api-base", openai_stub.url, "--concurrency", 1, "--json"]
    found = cli("run", *named).json
    assert found["unscored"] == {"unparseable": 4}
    assert openai_stub.stats()["requests"] == 3, "one good reply, one nonsense and its repair turn"
