"""What kind of file a file is: by its ending and its first bytes."""

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from judge.domain.errors import InputError, UsageError
from judge.steps.formats.encodings import find_encoding, open_utf8
from judge.steps.formats.lenient import loads
from judge.steps.records import check_there

SHAPES = ("ragas", "langfuse", "labelstudio")
"""Formats that are a choice of names, in any container."""
CONTAINERS = ("jsonl", "json", "csv", "tsv", "parquet")
FORMATS = ("auto", *CONTAINERS, *SHAPES, "trec")
_ENDINGS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_HEAD = 1 << 20


class Source(NamedTuple):
    """A file, and how it is to be read."""

    path: Path
    where: str
    """Its name in messages."""
    format: str
    """One of ``FORMATS`` but ``auto``."""
    container: str
    """One of ``CONTAINERS``, or ``trec``."""
    encoding: str
    """Of its text; '' for Parquet."""
    maps: Mapping[str, str] = {}
    """``--map``: expression by native key."""
    shape: str = "native"
    """How a row is read: ``native``, by ``names``, one of ``SHAPES``, or ``trec``."""
    beside: Path | None = None
    """A second file: judgements of a TREC run, observations of Langfuse traces."""


def find_source(
    path: Path,
    where: str,
    *,
    format: str = "auto",
    encoding: str | None = None,
    maps: Mapping[str, str] | None = None,
    beside: Path | None = None,
) -> Source:
    """Look at a file's ending, first bytes and encoding.

    Raises:
        UsageError: no such format or encoding.
        InputError: missing, a folder, an archive, binary, empty, or visibly of another format than its ending says.
    """
    if format not in FORMATS:
        raise UsageError(f"--format is {format!r}, expected one of {', '.join(FORMATS)}")
    asked = format if format in (*CONTAINERS, "trec") else _ENDINGS.get(path.suffix.lower())
    check_there(path, where)
    with path.open("rb") as file:
        head = file.read(64)
    if head.startswith(b"PAR1") or asked == "parquet":
        return Source(path, where, "parquet" if format == "auto" else format, "parquet", "", maps or {}, beside=beside)
    if head and not head.strip(b"\0"):
        raise InputError(where, "the file is binary, it starts with zero bytes", "a text file or Parquet")
    found = find_encoding(path, where, encoding)
    source = Source(path, where, format, asked or "", found, maps or {}, beside=beside)
    if format == "trec":
        return source
    start = _start(source)
    container = asked or _by_start(start)
    _check_start(source, start, container, by_ending=format not in CONTAINERS)
    if format not in CONTAINERS and container == "json" and _goes_on(start):
        container = "jsonl"
    return source._replace(format=container if format == "auto" else format, container=container)


def _start(source: Source) -> bytes:
    with open_utf8(source.path, source.encoding) as file:
        return file.read(_HEAD)


def _by_start(start: bytes) -> str:
    text = start.lstrip()
    if text[:1] == b"[":
        return "json"
    if text[:1] == b"{":
        return "jsonl" if _is_lines(start) or not _is_pretty(start) else "json"
    return "tsv" if b"\t" in text.split(b"\n")[0] else "csv" if text else "jsonl"


def _is_lines(start: bytes) -> bool:
    """Whether the first line is a whole object."""
    line = start.lstrip().split(b"\n")[0].strip()
    return line[:1] == b"{" and isinstance(_value(line), dict)


def _goes_on(start: bytes) -> bool:
    """Whether another object follows the one in the first line."""
    return _is_lines(start) and start.lstrip().partition(b"\n")[2].lstrip()[:1] == b"{"


def _is_pretty(start: bytes) -> bool:
    """Whether an object goes on over several lines."""
    lines = [line.strip() for line in islice(start.lstrip().split(b"\n"), 3)]
    return len(lines) > 1 and lines[0][:1] == b"{" and not lines[0].endswith(b"}") and lines[1][:1] in b'"}'


def _value(text: bytes) -> Any:
    try:
        return loads(text)[0]
    except ValueError:
        return None


def _check_start(source: Source, start: bytes, container: str, *, by_ending: bool) -> None:
    """InputError: the first bytes are of another format than the ending, or the option, says."""
    text = start.lstrip()
    said = "by its ending" if by_ending else "as --format says"
    if container == "jsonl":
        first, _, rest = text.partition(b"\n")
        if text[:1] == b"[" and not (rest.strip() and isinstance(_value(first), list)):
            raise _other(source, "one JSON list", "JSON Lines", said, "json")
        if _is_pretty(start):
            raise _other(source, "one JSON object over several lines", "JSON Lines", said, "json")
        lines = text.split(b"\n")
        table = next((mark for mark in (b",", b"\t", b";") if mark in lines[0] and mark in b"".join(lines[1:2])), None)
        if table is not None and text[:1] not in b'{["' and _value(lines[0]) is None:
            raise _other(source, "a table", "JSON Lines", said, "tsv" if table == b"\t" else "csv")
    elif container in ("csv", "tsv") and text[:1] in (b"{", b"[") and _value(text.split(b"\n")[0]) is not None:
        raise _other(source, "JSON", "a table", said, "jsonl" if text[:1] == b"{" else "json")
    elif container == "json" and text and text[:1] not in b'[{"':
        raise _other(source, "no JSON", "JSON", said, "csv")


def _other(source: Source, found: str, expected: str, said: str, right: str) -> InputError:
    return InputError(
        source.where, f"the file is {found} by its first bytes", f"{expected} {said}", f"say --format {right}"
    )
