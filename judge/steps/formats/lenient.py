"""JSON as Python's own writer makes it: NaN and infinities, which JSON lacks, are read as null."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from judge.domain.errors import InputError
from judge.steps.formats.notes import Notes
from judge.steps.records import MOST_BYTES, Line, kind_of, too_long


def loads(text: bytes) -> tuple[Any, bool]:
    """The value, and whether a NaN or infinity in it became null.

    Raises:
        ValueError: no JSON either way.
    """
    try:
        return orjson.loads(text), False
    except orjson.JSONDecodeError as error:
        if b"NaN" not in text and b"Infinity" not in text:
            raise
        first = error
    found = False

    def null(name: str) -> None:
        nonlocal found
        found = True

    try:
        return json.loads(text, parse_constant=null), found
    except (ValueError, RecursionError):
        raise first from None


def read_objects(file: BinaryIO, where: str, notes: Notes | None) -> Iterator[Line]:
    """The objects of a file of JSON Lines that is not ours.

    Raises:
        InputError: a line above ``MOST_BYTES``, or no record at all.
    """
    number, found = 0, False
    while raw := file.readline(MOST_BYTES + 1):
        number += 1
        if len(raw) > MOST_BYTES:
            raise too_long(f"{where}:{number}", "the line")
        if raw.strip():
            found = True
            yield _object(raw, number, f"{where}:{number}", notes)
    if not found:
        raise InputError(where, "the file holds no records", "one JSON object a line")


def _object(raw: bytes, number: int, at: str, notes: Notes | None) -> Line:
    try:
        value, nan = loads(raw)
    except ValueError as error:
        return Line(number, {}, InputError(at, f"the line is no JSON ({error})", "one JSON object a line"))
    if nan and notes is not None:
        notes.said["NaN or infinity read as null"] += 1
    if not isinstance(value, dict):
        return Line(number, {}, InputError(at, f"the record is {kind_of(value)}", "a JSON object"))
    return Line(number, value)
