"""``judge split --splitter`` stopped in the middle goes on with what is missing."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.cli.conftest import EN, WHEN, Split
from tests.servers.fixtures import Stub


def test_an_interrupt_keeps_what_came_back(split: Split, openai_stub: Stub, tmp_path: Path) -> None:
    openai_stub.script(when=[{**step, "delay": 0.7} for step in WHEN])
    command = [sys.executable, "-m", "judge", "split", "--splitter", "openai/stub", "--api-base", openai_stub.url]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*command, "--concurrency", "1", "--json"], cwd=tmp_path, stdout=pipe, stderr=pipe, text=True
    ) as process:
        deadline = time.monotonic() + 20
        while openai_stub.stats()["requests"] < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        busy = split()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (busy.code, "another process" in busy.err) == (1, True), "two at once would pay twice"
    assert process.returncode == 130, err
    assert "the same command goes on" in err
    found = json.loads(out)
    assert (found["state"], found["new"]) == ("stopped", 2)
    openai_stub.script(when=WHEN)
    again = split().json
    assert (again["calls"], again["state"]) == (1, "complete")


def test_an_interrupt_during_the_first_request_stops_too(split: Split, openai_stub: Stub, tmp_path: Path) -> None:
    openai_stub.script(default={"content": EN, "delay": 1.0})
    command = [sys.executable, "-m", "judge", "split", "--splitter", "openai/stub", "--api-base", openai_stub.url]
    pipe = subprocess.PIPE
    with subprocess.Popen([*command, "--json"], cwd=tmp_path, stdout=pipe, stderr=pipe, text=True) as process:
        deadline = time.monotonic() + 20
        while openai_stub.stats()["requests"] < 1 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert json.loads(out)["state"] == "stopped"
    assert openai_stub.stats()["requests"] == 1, "what was asked is awaited, nothing else is sent"
    openai_stub.script(when=WHEN)
    assert split().json["state"] == "complete"
