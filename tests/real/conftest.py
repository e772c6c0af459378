"""Real answers with people's labels and recorded verdicts, read where they lie beside the checkout."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Native = Callable[..., Path]


@pytest.fixture
def native(shared: Path, tmp_path: Path) -> Native:
    """Writes one of the shared files in the native format into the command's folder."""

    def convert(name: str, *options: str) -> Path:
        command = [
            sys.executable,
            str(shared / "tools" / "to_native.py"),
            str(shared / "data" / f"{name}.jsonl"),
            *options,
        ]
        path = tmp_path / f"{name}.jsonl"
        with path.open("wb") as file:
            subprocess.run(command, stdout=file, check=True)
        return path

    return convert
