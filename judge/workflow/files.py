"""Writes a file whole or not at all."""

import os
import tempfile
from pathlib import Path

from judge.domain.errors import InputError


def write_whole(path: Path, data: bytes) -> None:
    """Write ``data`` beside ``path``, then put it in its place, so that nobody ever sees half a file.

    A link is followed, a file's mode is kept; what is no plain file (a pipe, a device) is written into as it is.

    Raises:
        InputError: the folder is not there or can't be written to.
    """
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).chmod(mode)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(str(path), f"can't be written ({error.strerror})", "a file in a folder that exists") from error
