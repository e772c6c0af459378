"""Tables in CSV or TSV, row by row."""

import csv
import io
from collections.abc import Iterator
from typing import Literal, TextIO

from judge.domain.errors import InputError
from judge.steps.formats.encodings import open_utf8
from judge.steps.formats.mapping import ALIASES, folded
from judge.steps.formats.notes import Notes
from judge.steps.formats.source import Source
from judge.steps.formats.values import KEYS
from judge.steps.records import MOST_BYTES, Line, kind_of, too_long

_DELIMITERS = ",;\t|"
_USUAL = frozenset(KEYS) | {name for names in ALIASES.values() for name in names}


def read_table(source: Source, notes: Notes | None = None) -> Iterator[Line]:
    """The rows of a table as ``{column: cell}``; an empty cell is null, every other cell the text that it is.

    ``NA``, ``None`` and ``null`` stay texts. Rows end at LF, CR LF or CR; quoted cells hold any of them. A row has the
    number of its first line. The delimiter of the header counts: of comma, semicolon, tab and bar the one that gives
    most usual names, then most columns; a first line ``sep=;`` says it. Where quotes can't be what holds the cells of
    a table with tabs together, but all rows fit without, they are characters like any other, and the notes say so.

    Raises:
        InputError: no header, two columns of one name, a quote that is not closed, a cell above ``MOST_BYTES``.
    """
    # process-wide, as the module has it; never lowered, so that no other reader of it is cut short
    csv.field_size_limit(max(csv.field_size_limit(), MOST_BYTES))
    with io.TextIOWrapper(open_utf8(source.path, source.encoding), "utf-8", newline="") as file:
        yield from _rows(file, source, notes)


def header_of(source: Source) -> list[str]:
    """The names of the columns. InputError: there is no header."""
    with io.TextIOWrapper(open_utf8(source.path, source.encoding), "utf-8", newline="") as file:
        return _start(file, source)[0]


def _rows(file: TextIO, source: Source, notes: Notes | None = None) -> Iterator[Line]:
    header, delimiter, done = _start(file, source)
    bare = delimiter == "\t" and _without_quotes(source, len(header))
    if bare and notes is not None:
        notes.said["quotes are read as characters of their cells, not as what holds a cell together"] += 1
    # strict: else a quote that is never closed takes all rows below it into one cell, without a word
    quoting: Literal[0, 3] = csv.QUOTE_NONE if bare else csv.QUOTE_MINIMAL
    reader = csv.reader(_lines(file, source.where, done), delimiter=delimiter, strict=True, quoting=quoting)
    begins, found = done + 1, False
    try:
        for cells in reader:
            if any(cells):
                found = True
                yield _row(header, cells, begins, source.where)
            begins = done + reader.line_num + 1
    except csv.Error as error:
        advice = "is a quote in it not closed, or not doubled inside a quoted cell?"
        raise InputError(f"{source.where}:{begins}", f"the row can't be read ({error})", advice=advice) from None
    if not found:
        raise InputError(source.where, "the table has no rows below its header")


def _without_quotes(source: Source, columns: int) -> bool:
    """Whether the rows of a table with tabs can't be read with quotes, and all of them fit its header without."""
    return not _fits(source, csv.QUOTE_MINIMAL, None) and _fits(source, csv.QUOTE_NONE, columns)


def _fits(source: Source, quoting: Literal[0, 3], columns: int | None) -> bool:
    with io.TextIOWrapper(open_utf8(source.path, source.encoding), "utf-8", newline="") as file:
        done = _start(file, source)[2]
        reader = csv.reader(_lines(file, source.where, done), delimiter="\t", strict=True, quoting=quoting)
        try:
            return all(columns is None or len(cells) == columns or not any(cells) for cells in reader)
        except csv.Error:
            return False


def _start(file: TextIO, source: Source) -> tuple[list[str], str, int]:
    """Header, delimiter, and how many lines they took."""
    lines = _lines(file, source.where, 0)
    first = next(lines, "")
    taken, delimiters = 0, "\t" if source.container == "tsv" else _DELIMITERS
    if first[:4].lower() == "sep=" and len(first.rstrip("\r\n")) == 5:
        delimiters, taken, first = first[4], 1, next(lines, "")
    pulled = [first]

    def kept() -> Iterator[str]:
        yield first
        for line in lines:
            pulled.append(line)
            yield line

    next(csv.reader(kept(), delimiter=delimiters[0]), [])  # pulls all lines of a header with quoted line ends
    heads = {mark: next(csv.reader(pulled, delimiter=mark), []) for mark in delimiters}
    delimiter = max(heads, key=lambda mark: (_usual(heads[mark]), len(heads[mark])))
    header = [name.strip() for name in heads[delimiter]]
    if not any(header):
        raise InputError(source.where, "the table is empty", "a header line with column names")
    twice = next((name for place, name in enumerate(header) if name and name in header[:place]), None)
    if twice is not None:
        raise InputError(source.where, f"two columns are named {twice!r}", "each name once", "rename one")
    return header, delimiter, taken + len(pulled)


def _usual(header: list[str]) -> int:
    return sum(folded(name) in _USUAL for name in header)


def _lines(file: TextIO, where: str, number: int) -> Iterator[str]:
    while line := file.readline(MOST_BYTES):
        number += 1
        if len(line) >= MOST_BYTES:
            raise too_long(f"{where}:{number}", "the line")
        yield line


def _row(header: list[str], cells: list[str], number: int, where: str) -> Line:
    if len(cells) < len(header) or any(cells[len(header) :]):
        found = f"the row has {len(cells)} cells"
        expected = f"{len(header)} as in the header"
        starts = f"it starts with {kind_of(cells[0])}; quote cells that hold delimiters or line breaks"
        return Line(number, {}, InputError(f"{where}:{number}", found, expected, starts))
    return Line(number, {name: cell or None for name, cell in zip(header, cells, strict=False) if name})
