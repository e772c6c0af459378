"""Fixtures for all tests."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from judge.cli.app import run
from tests.servers.fixtures import openai_stub, openai_stub_process

__all__ = ["openai_stub", "openai_stub_process"]


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


Cli = Callable[..., Ended]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data, cases and oracles beside the checkout; a user's clone has none."""
    folder = Path(__file__).parents[1].parent / "shared"
    if not (folder / "oracles").is_dir():
        pytest.skip("the shared folder with real data is not beside this checkout")
    return folder


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Cli:
    """Runs commands as a user would, in an empty folder of their own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JUDGE_DATABASE_URL", raising=False)
    monkeypatch.setenv("COLUMNS", "160")

    def call(*arguments: object) -> Ended:
        capfdbinary.readouterr()
        code = 0
        try:
            run([str(argument) for argument in arguments])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        out, err = capfdbinary.readouterr()
        return Ended(code, out.decode(), err.decode())

    return call


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes records as JSON Lines into the command's folder."""

    def lines(*records: dict[str, Any], name: str = "answers.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")
        return path

    return lines
