"""`judge ui` as a process: what ends it ends the server, and a port that can't be had is told at once."""

import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.domain.errors import UsageError
from judge.workflow.pages import check_address

STARTING_SECONDS = 60


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen(1)
        yield int(other.getsockname()[1])


def ui(folder: Path, port: int) -> list[str]:
    return [sys.executable, "-m", "judge", "ui", "--db", str(folder / "judge.db"), "--port", str(port)]


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2):
            return True
    except (urllib.error.URLError, OSError):
        return False


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
@pytest.mark.parametrize("sign", ["SIGTERM", "SIGINT"])
def test_what_ends_the_command_ends_the_server(tmp_path: Path, port: int, sign: str) -> None:
    with (tmp_path / "ui.log").open("w") as log:
        server = subprocess.Popen(ui(tmp_path, port), stdout=log, stderr=log, start_new_session=True)
    try:
        end = time.monotonic() + STARTING_SECONDS
        while not answers(port) and server.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        assert answers(port), (tmp_path / "ui.log").read_text()
        server.send_signal(getattr(signal, sign))
        server.wait(timeout=20)
        assert not answers(port)
        check_address("127.0.0.1", port)
    finally:
        server.kill()
        server.wait()


def test_a_port_that_can_not_be_had_is_told_before_anything_starts(tmp_path: Path, taken: int) -> None:
    ended = subprocess.run(ui(tmp_path, taken), capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert f"port {taken} is taken by another program; choose another with --port" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("port", [0, -1, 65_536])
def test_a_number_that_is_no_port(port: int) -> None:
    with pytest.raises(UsageError, match=f"--port {port} is no port: give one from 1 to 65535"):
        check_address("127.0.0.1", port)


def test_an_address_of_another_machine() -> None:
    with pytest.raises(UsageError, match=r"can't listen on 203\.0\.113\.1"):
        check_address("203.0.113.1", 8501)


def test_a_free_port_may_be_used(port: int) -> None:
    check_address("127.0.0.1", port)
    check_address("localhost", port)
