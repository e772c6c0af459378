"""Yields label sheets: CSV that a spreadsheet opens safely, and the labels that come back in one."""

import csv
import io
import unicodedata
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
FORMULA = ("=", "+", "-", "@")
"""A cell that begins so would be run by a spreadsheet."""
_BLANK = " \t\r\n\v\f\x85\u00a0\u200b\u200c\u200d\u2028\u2029\u2060\ufeff"
"""What a spreadsheet may drop before it looks."""
WORDS = {
    "skip": Outcome.SKIP,
    "跳过": Outcome.SKIP,
    "can't tell": Outcome.CANT_TELL,
    "cant_tell": Outcome.CANT_TELL,
    "无法判断": Outcome.CANT_TELL,
}


class SheetRow(NamedTuple):
    """One filled row of a sheet."""

    number: int
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
    """A cell that no spreadsheet takes for a formula: an apostrophe goes before a dangerous first character.

    Blank and invisible characters before it do not count, and the wide forms (``＝``) are as dangerous as the others.
    """
    plain = unicodedata.normalize("NFKC", value).lstrip(_BLANK)
    dangerous = plain.startswith(FORMULA) or value.lstrip(" ").startswith(("\t", "\r"))
    return f"'{value}" if dangerous or value.startswith("'") else value


def restored(value: str) -> str:
    """The text behind a neutral cell."""
    return value[1:] if value.startswith("'") else value


def from_sheet(data: bytes, name: str) -> list[SheetRow]:
    """The rows of a sheet that carry a label, as spreadsheets save it.

    UTF-8 or UTF-16 by its byte order mark, UTF-8, or GBK (GB18030); cells parted by comma, semicolon or tab; columns in
    any order, heads in any case. Rows are numbered as a spreadsheet numbers them: the head is row 1.

    Raises:
        InputError: not such a text, a column is missing, or a row has more cells than the head.
    """
    if data.startswith(b"PK"):
        raise InputError(name, "this is a workbook (.xlsx)", "a CSV file", "save the sheet as CSV UTF-8")
    text = decode(data, name)
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    found: list[SheetRow] = []
    try:
        head = [column.strip().casefold() for column in next(lines, [])]
        missing = [column for column in NEEDED if column not in head]
        if missing:
            wanted = ", ".join(NEEDED)
            raise InputError(name, f"no column {missing[0]!r} in the head", wanted, "export a fresh sheet")
        for number, cells in enumerate(lines, 2):
            if any(cells[len(head) :]):
                found_cells = f"{len(cells)} cells, more than the head has columns"
                raise InputError(f"{name}: row {number}", found_cells, f"{len(head)} cells", "quote cells with commas")
            row = {key: restored(value.strip()) for key, value in zip(head, cells, strict=False)}
            if row.get("label"):
                found.append(_row(row, number, f"{name}: row {number}"))
    except csv.Error as error:
        raise InputError(name, f"no CSV ({error})", "a sheet of `judge labels export`") from error
    return found


def _delimiter(text: str) -> str:
    head = text.split("\n", 1)[0]
    return max(",;\t", key=head.count)


def _row(cells: Mapping[str, str], number: int, where: str) -> SheetRow:
    for column in ("unit", "rubric"):
        if not cells.get(column):
            raise InputError(f"{where}: `{column}`", "empty", "what the exported sheet has there")
    rest = (cells.get("annotator", ""), cells.get("comment", ""))
    return SheetRow(number, cells["unit"], cells["rubric"], cells["label"], *rest)


def outcome_of(word: str) -> Outcome:
    """What a cell of the label column says: skip and can't tell have words in both languages."""
    return WORDS.get(word.strip().casefold(), Outcome.LABEL)


def passages_cell(passages: Sequence[tuple[str, str]]) -> str:
    """Passages as one readable cell."""
    return readable("\n\n".join(f"[{key}] {words}" for key, words in passages))


def readable(text: str, most: int = 8000) -> str:
    """A cell for reading, cut before a spreadsheet would refuse it."""
    return text if len(text) <= most else f"{text[:most]} …"
