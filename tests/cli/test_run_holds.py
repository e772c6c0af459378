"""``judge run`` beside another one, and stopped in the middle: nothing is paid twice and nothing is lost."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.cli.conftest import OK, Run
from tests.servers.fixtures import Stub


def test_two_runs_at_once_do_not_pay_twice(run: Run, openai_stub: Stub, tmp_path: Path) -> None:
    openai_stub.script(default={"content": OK, "delay": 2})
    command = [sys.executable, "-m", "judge", "run", "--model", "openai/stub", "--api-base", openai_stub.url]
    with subprocess.Popen([*command, "--concurrency", "1"], cwd=tmp_path, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 20
        while openai_stub.stats()["requests"] < 1 and time.monotonic() < deadline:
            time.sleep(0.05)
        ended = run("--concurrency", 1)
        assert ended.code == 1
        assert "judged by another process" in ended.err
        process.send_signal(signal.SIGKILL)
        process.wait(10)
    openai_stub.script(default={"content": OK})
    assert run().json["judged"] == 6, "a process that was killed holds nothing"


def test_an_interrupt_during_the_first_request_stops_too(run: Run, openai_stub: Stub, tmp_path: Path) -> None:
    openai_stub.script(default={"content": OK, "delay": 1.0})
    command = [sys.executable, "-m", "judge", "run", "--model", "openai/stub", "--api-base", openai_stub.url, "--json"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True) as process:
        deadline = time.monotonic() + 20
        while openai_stub.stats()["requests"] < 1 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert json.loads(out)["state"] == "stopped"
    assert openai_stub.stats()["requests"] == 1


def test_an_interrupt_keeps_what_came_back_and_says_how_to_go_on(run: Run, openai_stub: Stub, tmp_path: Path) -> None:
    openai_stub.script(default={"content": OK, "delay": 0.4})
    command = [sys.executable, "-m", "judge", "run", "--model", "openai/stub", "--api-base", openai_stub.url]
    with subprocess.Popen(
        [*command, "--concurrency", "1", "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        deadline = time.monotonic() + 20
        while openai_stub.stats()["requests"] < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    assert "the same command goes on" in err
    found = json.loads(out)
    assert found["state"] == "stopped"
    assert 1 <= found["judged"] < 6
    openai_stub.script(default={"content": OK})
    again = run("--concurrency", 1).json
    assert (again["judged"], again["calls"]) == (6, 6 - found["judged"])


def test_a_hold_is_kept_through_a_long_first_request(run: Run, openai_stub: Stub, tmp_path: Path) -> None:
    openai_stub.script(replies=[{"content": OK, "delay": 7}], default={"content": OK})
    code = "import judge.workflow.holds as h, judge.workflow.runs as r; h.HOLD_SECONDS = r.HOLD_SECONDS = 1.0; "
    code += "import sys; from judge.cli.app import run; run(sys.argv[1:])"
    command = [sys.executable, "-c", code, "run", "--model", "openai/stub", "--api-base", openai_stub.url]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 20
        while openai_stub.stats()["requests"] < 1 and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.6)  # longer than a hold that nobody renews
        ended = run()
        assert ended.code == 1
        assert "judged by another process" in ended.err
        assert process.wait(30) == 0
    assert openai_stub.stats()["requests"] == 6


def test_runs_that_share_a_rubric_do_not_pay_for_it_twice(run: Run, openai_stub: Stub, tmp_path: Path) -> None:
    openai_stub.script(default={"content": OK, "delay": 2})
    command = [sys.executable, "-m", "judge", "run", "--model", "openai/stub", "--api-base", openai_stub.url]
    with subprocess.Popen([*command, "--concurrency", "1"], cwd=tmp_path, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 20
        while openai_stub.stats()["requests"] < 1 and time.monotonic() < deadline:
            time.sleep(0.05)
        ended = run("--rubric", "support", "--rubric", "relevance")
        assert ended.code == 1
        assert "asks some of the same just now" in ended.err
        process.kill()
