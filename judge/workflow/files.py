"""Writes a file whole or not at all."""

import os
import tempfile
from pathlib import Path

from judge.domain.errors import InputError


def write_whole(path: Path, data: bytes) -> None:
    """Write ``data`` beside ``path``, then put it in its place, so that nobody ever sees half a file.

    Raises:
        InputError: the folder is not there or can't be written to.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(str(path), f"can't be written ({error.strerror})", "a file in a folder that exists") from error
