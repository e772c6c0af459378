"""Fixtures that start real servers; ``tests/conftest.py`` imports them."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


class Stub:
    """A running ``openai_stub``: ``url`` is its API base; ``script`` takes what the module's docstring describes."""

    def __init__(self, port: int) -> None:
        self.root = f"http://127.0.0.1:{port}"
        self.url = f"{self.root}/v1"

    def script(self, **script: Any) -> "Stub":
        """Play a new script from its start; earlier requests are forgotten."""
        self._send("/script", json.dumps(script).encode())
        return self

    def stats(self) -> dict[str, int]:
        return self._send("/stats")

    def requests(self) -> list[dict[str, Any]]:
        return self._send("/requests")

    def _send(self, path: str, data: bytes | None = None) -> Any:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(self.root + path, data) as answer:
            return json.load(answer)


@pytest.fixture(scope="session")
def openai_stub_process() -> Iterator[Stub]:
    command = [sys.executable, str(Path(__file__).with_name("openai_stub.py")), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield Stub(int(process.stdout.readline()))
        process.terminate()


@pytest.fixture
def openai_stub(openai_stub_process: Stub) -> Stub:
    """A scripted OpenAI-protocol server in its own process, with an empty script."""
    return openai_stub_process.script()
