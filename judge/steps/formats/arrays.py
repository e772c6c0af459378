"""A JSON list, element by element, and other JSON that is not one record a line."""

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from judge.domain.errors import InputError
from judge.steps.formats.encodings import CHUNK, open_utf8
from judge.steps.formats.lenient import loads
from judge.steps.formats.mapping import ROWS, Expression
from judge.steps.formats.notes import Notes
from judge.steps.formats.ragas import annotated_rows
from judge.steps.formats.source import Source
from judge.steps.records import MOST_BYTES, Line, kind_of, too_long

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["\[\]{},]', re.DOTALL)
_OF_A_ROW = ("question", "query", "input", "user_input", "trace", "traceId")
"""Keys of an object that is a row itself, whatever lists it holds."""
_LINES = "is it JSON Lines? say --format jsonl"
_BLANK = b" \t\r\n"


def read_array(source: Source, notes: Notes | None = None) -> Iterator[Line]:
    """The elements of a top-level list, numbered from 1; memory holds one of them, whatever the file's size.

    A file that is one object holds its rows in a list inside it: the one that ``--map rows=EXPRESSION`` finds, else
    the only list of objects, else the object is the one row. Such a file is read whole.

    Raises:
        InputError: no JSON, cut off, or an element or object above ``MOST_BYTES``.
    """
    with open_utf8(source.path, source.encoding) as file:
        first = _first_byte(file)
    if not first:
        raise InputError(source.where, "the file holds no records", "a JSON list of objects")
    with open_utf8(source.path, source.encoding) as file:
        if first == b"[" and ROWS not in source.maps:
            yield from _elements(file, source.where, notes)
        else:
            yield from _inside(read_whole(file, source.where), source, notes)


def read_whole(file: BinaryIO, where: str) -> Any:
    """All of a JSON file. InputError: no JSON or above ``MOST_BYTES``."""
    text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise too_long(where, "a JSON file that is not one list of rows")
    try:
        return loads(text)[0]
    except ValueError as error:
        raise InputError(where, f"the file is no JSON ({error})", "one JSON list or object", _LINES) from None


def _first_byte(file: BinaryIO) -> bytes:
    while chunk := file.read(CHUNK):
        if text := chunk.lstrip(_BLANK):
            return text[:1]
    return b""


def _inside(value: Any, source: Source, notes: Notes | None) -> Iterator[Line]:
    where, path = source.where, source.maps.get(ROWS)
    if path is not None:
        rows = Expression(path, f"--map {ROWS}").of(value, where)
        if not isinstance(rows, list) or not rows:
            raise InputError(where, f"--map {ROWS}={path} finds {kind_of(rows)}", "a list of objects")
    else:
        rows = _rows_in(value, notes) if isinstance(value, dict) else value if isinstance(value, list) else [value]
    for number, row in enumerate(rows, 1):
        yield element(number, row, where)


def _rows_in(value: dict[str, Any], notes: Notes | None) -> list[Any]:
    annotated = annotated_rows(value)
    if annotated is not None:
        return annotated
    lists = {key: one for key, one in value.items() if isinstance(one, list) and one and isinstance(one[0], dict)}
    if len(lists) != 1 or any(key in value for key in _OF_A_ROW):
        return [value]
    [(name, rows)] = lists.items()
    if notes is not None:
        notes.said[f"rows taken from `{name}`"] += 1
    return rows


def element(number: int, row: Any, where: str) -> Line:
    """A row of a list; what is no object is its line's problem."""
    if isinstance(row, dict):
        return Line(number, row)
    return Line(number, {}, InputError(f"{where}:{number}", f"the row is {kind_of(row)}", "an object"))


def _elements(file: BinaryIO, where: str, notes: Notes | None) -> Iterator[Line]:
    number = 0
    for number, text in enumerate(_slices(file, where), 1):
        try:
            value, nan = loads(text)
        except ValueError as error:
            problem = InputError(f"{where}:{number}", f"element {number} of the list is no JSON ({error})")
            yield Line(number, {}, problem)
            continue
        if nan and notes is not None:
            notes.said["NaN or infinity read as null"] += 1
        yield element(number, value, where)
    if not number:
        raise InputError(where, "the list is empty", "a JSON list of objects")


def _slices(file: BinaryIO, where: str) -> Iterator[bytes]:
    """The texts between the commas of the outermost list."""
    buffer, place, start, depth, size, count = b"", 0, 0, 0, CHUNK, 0
    while True:
        chunk = file.read(size)
        buffer, place, start = buffer[start:] + chunk, place - start, 0
        if len(buffer) > MOST_BYTES + CHUNK:
            raise too_long(where, f"element {count + 1} of the list")
        waits = False
        for token in _TOKEN.finditer(buffer, place):
            mark = token.group()
            if mark == b'"':  # a text whose end is not read yet; go on from its start
                place, waits = token.start(), True
                break
            place = token.end()
            if mark[:1] == b'"':
                continue
            if mark in b"[{":
                depth += 1
                if depth == 1:
                    start = place
            elif mark in b"]}":
                depth -= 1
            if (mark == b"," and depth == 1) or depth == 0:
                text = buffer[start : token.start()].strip(_BLANK)
                start = place
                if text or mark == b",":
                    count += 1
                    yield text
            if depth == 0:
                _check_rest(buffer[place:] + file.read(CHUNK), where)
                return
        if not chunk:
            raise InputError(where, f"the list is cut off in element {count + 1}", "a list that ends with ]")
        # a long text is looked at again from its start with each part read, so parts grow
        size = max(CHUNK, len(buffer)) if waits else CHUNK


def _check_rest(text: bytes, where: str) -> None:
    if text.strip(_BLANK):
        raise InputError(where, "more follows the end of the list", "one JSON list", _LINES)
