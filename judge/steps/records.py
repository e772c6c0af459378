"""The records of a JSON Lines file, one by one: lines end at a line feed and nothing else, text is UTF-8."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from zlib import crc32

import orjson

from judge.domain.errors import InputError

_BOM = b"\xef\xbb\xbf"
_TABLES = {".csv": "a table", ".tsv": "a table", ".parquet": "a Parquet table"}
_SAVE = "save the sheet as CSV"
_UNPACK = "unpack it"
_OTHER = {
    **dict.fromkeys((".xlsx", ".xls", ".ods"), ("a spreadsheet", _SAVE)),
    **dict.fromkeys((".gz", ".zip", ".bz2", ".xz", ".zst"), ("compressed", _UNPACK)),
}
MOST_BYTES = 256 << 20
"""Bytes of the longest record that is read: one line more and a broken file would fill the memory."""
_JSON_ADVICE = "write one JSON object a line, UTF-8 (docs: the records format)"


class Line(NamedTuple):
    """One record of a file, or what is wrong with it."""

    number: int
    """Line in the file, from 1."""
    row: dict[str, Any]
    """The JSON object; empty when there is a problem."""
    problem: InputError | None = None
    """Why the line can't be used."""
    nul: bool = False
    """Whether U+0000 stood in it; U+FFFD stands there now."""
    check: int = 0
    """Checksum of its bytes."""


def read_records(path: Path, name: str | None = None) -> Iterator[Line]:
    """Read a JSON Lines file lazily; memory holds one line at a time.

    A byte order mark, CR LF ends and blank lines are fine; U+2028 and the like inside texts end no line. Integers
    beyond 64 bits become floats, as in JavaScript; U+0000 becomes U+FFFD. NaN, infinities and lone surrogates are
    problems of their line.

    Args:
        path: the file.
        name: what messages call it; the path where absent.

    Raises:
        InputError: missing, unreadable, another format, not UTF-8 (with the byte), or without any record.
    """
    where = name or str(path)
    check_file(path, where)
    try:
        with path.open("rb") as file:
            yield from read_lines(file, where)
    except OSError as error:
        raise InputError(where, f"the file can't be read ({error.strerror})") from None


def check_file(path: Path, where: str) -> None:
    """Refuse what can't be JSON Lines by its name or nature.

    Raises:
        InputError: missing, a folder, or a table or archive by its ending.
    """
    check_there(path, where)
    if kind := _TABLES.get(path.suffix.lower()):
        raise InputError(where, f"the file is {kind} by its ending", "JSON Lines (.jsonl)", _JSON_ADVICE)


def check_there(path: Path, where: str) -> None:
    """Refuse what can't be read as any format.

    Raises:
        InputError: missing, a folder, or a spreadsheet or archive by its ending.
    """
    if path.is_dir():
        raise InputError(where, "is a folder", "a JSON Lines file", "name one file in it")
    if not path.exists():
        raise InputError(where, "there is no such file", advice="check the path")
    if kind := _OTHER.get(path.suffix.lower()):
        raise InputError(where, f"the file is {kind[0]} by its ending", "JSON Lines, JSON, CSV or Parquet", kind[1])


def read_lines(file: BinaryIO, where: str) -> Iterator[Line]:
    """The records of an open file of JSON Lines in UTF-8.

    Raises:
        InputError: not UTF-8 (with the byte), a line above ``MOST_BYTES``, or without any record.
    """
    offset = 0
    found = False
    number = 0
    while raw := file.readline(MOST_BYTES + 1):
        number += 1
        if len(raw) > MOST_BYTES:
            raise too_long(f"{where}:{number}", "the line")
        text = raw.rstrip(b"\r\n")
        if number == 1:
            _check_start(text, where)
            text = text.removeprefix(_BOM)
        if text.strip():
            found = True
            yield _line(text, where, number, offset + (len(_BOM) if raw.startswith(_BOM) and number == 1 else 0))
        offset += len(raw)
    if not found:
        raise InputError(where, "the file holds no records", "one JSON object a line")


def too_long(where: str, what: str) -> InputError:
    """A line, cell or value is longer than any record may be."""
    return InputError(where, f"{what} is longer than {MOST_BYTES >> 20} MB", advice="is it a data file of this kind?")


def _check_start(text: bytes, where: str) -> None:
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(where, "the file is UTF-16", "UTF-8", "save it as UTF-8")
    if text.lstrip()[:1] == b"[" and not text.rstrip().endswith(b"]"):
        raise InputError(where, "the file is one JSON list", "one JSON object a line", "convert it: jq -c '.[]' FILE")


def _line(text: bytes, where: str, number: int, offset: int) -> Line:
    at = f"{where}:{number}"
    try:
        row = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        _check_utf8(text, at, offset)
        # the message is orjson's; the text of a line may be 50 MB, so only its place is told
        return Line(
            number, {}, InputError(at, f"no JSON at character {error.pos + 1} ({error.msg})", advice=_advise(text))
        )
    if not isinstance(row, dict):
        return Line(number, {}, InputError(at, f"the record is {kind_of(row)}", "a JSON object", _advise(text)))
    if b"\\u0000" not in text:
        return Line(number, row, check=crc32(text))
    try:
        clean = _without_nul(row)
    except RecursionError:
        return Line(number, {}, InputError(at, "the record is nested too deeply", advice="nest its values less deeply"))
    return Line(number, clean, nul=clean != row, check=crc32(text))


def _advise(text: bytes) -> str:
    return "convert the list: jq -c '.[]' FILE" if text.lstrip()[:1] == b"[" else _JSON_ADVICE


def _check_utf8(text: bytes, at: str, offset: int) -> None:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = text[error.start]
        raise InputError(
            at,
            f"byte {offset + error.start + 1} of the file (0x{byte:02x}) is not UTF-8",
            "UTF-8",
            f"{_guess(text)}save the file as UTF-8, for instance with iconv",
        ) from None


def _guess(text: bytes) -> str:
    try:
        text.decode("gb18030")
    except UnicodeDecodeError:
        return ""
    return "it may be GBK / GB18030; "


def _without_nul(value: Any) -> Any:
    """The value with U+FFFD for each U+0000, which PostgreSQL can't store; spans stay right."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    if isinstance(value, dict):
        return {_without_nul(key): _without_nul(part) for key, part in value.items()}
    return [_without_nul(part) for part in value] if isinstance(value, list) else value


def kind_of(value: Any) -> str:
    """What a JSON value is, in words: ``a string 'abc'``, ``null``, ``a list of 3``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"a string {_short(value)!r}" if value else "an empty string"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}" if value else "an empty list"
    return "an object" if isinstance(value, dict) else f"the number {_short(str(value))}"


def _short(text: str, most: int = 40) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
