"""Yields label sheets: CSV that a spreadsheet opens safely, and the labels that come back in one."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from judge.domain.errors import InputError
from judge.domain.review import Outcome
from judge.steps.texts import decode

COLUMNS = (
    "unit",
    "rubric",
    "label",
    "annotator",
    "comment",
    "scale",
    "question",
    "claim",
    "answer",
    "passages",
)
"""Columns of a sheet; the first five come back, the others are for reading."""
NEEDED = ("unit", "rubric", "label")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A cell that begins so would be run by a spreadsheet."""
WORDS = {
    "skip": Outcome.SKIP,
    "跳过": Outcome.SKIP,
    "can't tell": Outcome.CANT_TELL,
    "cant_tell": Outcome.CANT_TELL,
    "无法判断": Outcome.CANT_TELL,
}


class SheetRow(NamedTuple):
    """One filled row of a sheet."""

    line: int
    unit: str
    rubric: str
    label: str
    annotator: str
    comment: str


def to_sheet(rows: Iterable[Mapping[str, str]]) -> bytes:
    """CSV in UTF-8 with a byte order mark (so that Excel reads Chinese), cells neutralised against formulas."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\r\n", extrasaction="raise")
    writer.writeheader()
    writer.writerows({name: neutral(value) for name, value in row.items()} for row in rows)
    return b"\xef\xbb\xbf" + text.getvalue().encode("utf-8", "replace")


def neutral(value: str) -> str:
    """A cell that no spreadsheet takes for a formula: an apostrophe goes before a dangerous first character."""
    return f"'{value}" if value.lstrip(" ").startswith(FORMULA) or value.startswith("'") else value


def restored(value: str) -> str:
    """The text behind a neutral cell."""
    return value[1:] if value.startswith("'") else value


def from_sheet(data: bytes, name: str) -> list[SheetRow]:
    """The rows of a sheet that carry a label; UTF-8 with or without byte order mark, else GBK (GB18030).

    Raises:
        InputError: not such a text, a column is missing, or a row has more cells than the head.
    """
    text = decode(data, name)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, restkey="")
    found: list[SheetRow] = []
    try:
        head = [column.strip() for column in reader.fieldnames or ()]
        missing = [column for column in NEEDED if column not in head]
        if missing:
            raise InputError(name, f"no column {missing[0]!r}", ", ".join(NEEDED), "export a fresh sheet")
        reader.fieldnames = head
        for row in reader:
            where = f"{name}:{reader.line_num}"
            if row.get(""):
                raise InputError(where, "more cells than the head has columns", f"{len(head)} cells", "quote commas")
            cells = {key: restored((value or "").strip()) for key, value in row.items() if key}
            if cells["label"]:
                found.append(_row(cells, reader.line_num, where))
    except csv.Error as error:
        raise InputError(
            f"{name}:{reader.line_num}", f"no CSV ({error})", "a sheet of `judge labels export`"
        ) from error
    return found


def _row(cells: Mapping[str, str], line: int, where: str) -> SheetRow:
    for column in ("unit", "rubric"):
        if not cells[column]:
            raise InputError(f"{where}: `{column}`", "empty", "what the exported sheet has there")
    rest = (cells.get("annotator", ""), cells.get("comment", ""))
    return SheetRow(line, cells["unit"], cells["rubric"], cells["label"], *rest)


def outcome_of(word: str) -> Outcome:
    """What a cell of the label column says: skip and can't tell have words in both languages."""
    return WORDS.get(word.strip().casefold(), Outcome.LABEL)


def passages_cell(passages: Sequence[tuple[str, str]], most: int = 8000) -> str:
    """Passages as one readable cell, cut where a spreadsheet would cut it."""
    text = "\n\n".join(f"[{key}] {words}" for key, words in passages)
    return text if len(text) <= most else f"{text[:most]} …"
