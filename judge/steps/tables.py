"""Yields the label codes of a table of two ratings."""

import csv
import difflib
import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from judge.domain.errors import InputError, UsageError
from judge.measure.design import FloatArray, IntArray

MOST_LABELS = 50
"""Distinct values above which a column is no scale."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")


class Columns(NamedTuple):
    """Names of the columns that are read."""

    judge: str
    """The judge's labels."""
    human: str
    """People's labels."""
    weight: str | None = None
    """1 / inclusion probability."""
    cluster: str | None = None
    """Answer that a row belongs to."""
    stratum: str | None = None
    """Stratum that a row was drawn in."""


class Row(NamedTuple):
    """The cells of one line that are read, trimmed; '' where empty or not asked for."""

    line: int
    """Its last line in the file, from 1."""
    judge: str
    """Judge's label."""
    human: str
    """People's label."""
    weight: str
    """Weight."""
    cluster: str
    """Answer."""
    stratum: str
    """Stratum."""


class Scale(NamedTuple):
    """Labels in order, and the code of every spelling of them."""

    labels: tuple[str, ...]
    """Names, in scale order."""
    codes: dict[str, int]
    """From a cell's text to its place on the scale."""


class Pairs(NamedTuple):
    """The rows with both labels on the scale, as arrays of shape (n,), and what became of the others."""

    judge: IntArray
    """Codes of the judge's labels."""
    human: IntArray
    """Codes of people's labels."""
    weight: FloatArray | None
    """1 / inclusion probability."""
    cluster: IntArray | None
    """Answer codes."""
    stratum: IntArray | None
    """Stratum codes."""
    dropped: dict[str, int]
    """Rows left out, by reason: ``no_human_label``, ``no_verdict``, ``off_scale``."""
    unscored: dict[str, int]
    """Rows without a usable judge label: ``not_given``, ``off_scale``."""
    asked: int
    """Rows of the table."""


def read_rows(text: str, name: str, columns: Columns) -> list[Row]:
    """Rows of a CSV or TSV text; the header says which (tab, else comma, else semicolon).

    Args:
        text: the whole table.
        name: of the file, for messages.
        columns: those to read; other cells are not looked at.

    Raises:
        InputError: no header, an unknown or doubled column, a row of another width, a broken quote.
    """
    lines = _cells(text, name)
    _, header = next(lines, (1, []))
    if not header:
        raise InputError(name, "the table is empty", "a header line with column names")
    places = [None if wanted is None else _place(header, wanted, name) for wanted in columns]
    rows = []
    for line, cells in lines:
        if len(cells) < len(header) or any(cells[len(header) :]):
            found = f"{len(cells)} cells"
            raise InputError(f"{name}:{line}", found, f"{len(header)} as in the header", "quote cells that hold commas")
        rows.append(Row(line, *("" if place is None else cells[place] for place in places)))
    return rows


def scale_of(
    rows: Iterable[Row], name: str, *, labels: Sequence[str] | None, at_least: str | None, ordered: bool
) -> Scale:
    """The scale of a table: the labels given, else those found (numbers in their order, else the alphabet's).

    Numbers are compared as numbers, so that ``1`` and ``1.0`` are one label; other labels by their exact text.
    ``at_least`` makes it no / yes, split at that label.

    Args:
        rows: of the table.
        name: of the file, for messages.
        labels: the scale in order, if given.
        at_least: lowest label that means yes.
        ordered: whether distances on the scale matter (linear or quadratic weights).

    Raises:
        UsageError: an order is needed but the labels are no numbers and none was given; ``at_least`` not on the scale.
        InputError: no label at all, or more than a scale holds.
    """
    found = {text for row in rows for text in (row.judge, row.human) if text}
    if not found:
        raise InputError(name, "no row has a label", "labels in the judge's and the human column")
    if labels is not None:
        scale = _given(tuple(labels), found)
    elif all(_NUMBER.fullmatch(text) for text in found):
        scale = _numeric(found)
    elif ordered or at_least is not None:
        word = next(text for text in sorted(found) if not _NUMBER.fullmatch(text))
        raise UsageError(
            f"the label '{word}' is no number, so the order is unknown: give it with --labels low,...,high"
        )
    else:
        scale = Scale(tuple(sorted(found)), {text: code for code, text in enumerate(sorted(found))})
    scale = scale if at_least is None else _split(scale, at_least)
    if len(scale.labels) > MOST_LABELS:
        some = f"{len(scale.labels)} different labels"
        raise InputError(
            name, some, f"at most {MOST_LABELS}", "name other columns, the scale with --labels, or --at-least"
        )
    return scale


def pairs_of(rows: Sequence[Row], scale: Scale, name: str, columns: Columns) -> Pairs:
    """Rows with both labels on the scale as integer codes; the others counted by the first reason that holds.

    Raises:
        InputError: no such row; a weight that is no finite number above 0, an empty cluster or stratum in one.
    """
    reasons = [_reason(row, scale) for row in rows]
    kept = [row for row, reason in zip(rows, reasons, strict=True) if not reason]
    if not kept:
        raise InputError(name, "no row has both a judge's and a human label on the scale", "at least one")
    unscored = Counter(_unscored(row, scale) for row in rows)
    return Pairs(
        judge=np.array([scale.codes[row.judge] for row in kept], dtype=np.int64),
        human=np.array([scale.codes[row.human] for row in kept], dtype=np.int64),
        weight=np.array([_weight(row, name) for row in kept]) if columns.weight is not None else None,
        cluster=_grouped(kept, "cluster", name) if columns.cluster is not None else None,
        stratum=_grouped(kept, "stratum", name) if columns.stratum is not None else None,
        dropped={reason: n for reason, n in sorted(Counter(reasons).items()) if reason},
        unscored={reason: n for reason, n in sorted(unscored.items()) if reason},
        asked=len(rows),
    )


def _cells(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    first = text.split("\n", 1)[0]
    delimiter = next((mark for mark in "\t,;" if mark in first), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            trimmed = [cell.strip() for cell in cells]
            if any(trimmed):
                yield reader.line_num, trimmed
    except csv.Error as error:
        raise InputError(f"{name}:{reader.line_num}", str(error), "a CSV or TSV row", "check its quotes") from error


def _place(header: Sequence[str], wanted: str, name: str) -> int:
    times = header.count(wanted)
    if times == 1:
        return header.index(wanted)
    if times > 1:
        raise InputError(name, f"{times} columns are called '{wanted}'", "one", "rename the others")
    near = difflib.get_close_matches(wanted, header, n=1, cutoff=0.5)
    advice = f"did you mean '{near[0]}'?" if near else "name one of those"
    raise InputError(name, f"there is no column '{wanted}'", f"one of {', '.join(header)}", advice)


def _given(labels: tuple[str, ...], found: set[str]) -> Scale:
    if all(_NUMBER.fullmatch(label) for label in labels):
        places = {Decimal(label): code for code, label in enumerate(labels)}
        numbers = {text: Decimal(text) for text in {*found, *labels} if _NUMBER.fullmatch(text)}
        codes = {text: places[number] for text, number in numbers.items() if number in places}
    else:
        places = {}
        codes = {label: code for code, label in enumerate(labels)}
    if not labels or "" in labels or len(set(labels)) < len(labels) or (places and len(places) < len(labels)):
        raise UsageError(f"--labels {','.join(labels)}: expected different labels, none of them empty")
    return Scale(labels, codes)


def _numeric(found: set[str]) -> Scale:
    spellings: dict[Decimal, list[str]] = {}
    for text in sorted(found, key=lambda text: (len(text), text)):
        spellings.setdefault(Decimal(text), []).append(text)
    ordered = sorted(spellings)
    return Scale(
        tuple(spellings[number][0] for number in ordered),
        {text: code for code, number in enumerate(ordered) for text in spellings[number]},
    )


def _split(scale: Scale, at_least: str) -> Scale:
    if at_least in scale.codes:
        border = scale.codes[at_least]
    elif _NUMBER.fullmatch(at_least) and _rising(scale.labels):
        border = sum(Decimal(label) < Decimal(at_least) for label in scale.labels)
    else:
        some = ", ".join(scale.labels[:MOST_LABELS])
        raise UsageError(f"--at-least {at_least}: no such label, expected one of {some}")
    return Scale(("no", "yes"), {text: int(code >= border) for text, code in scale.codes.items()})


def _rising(labels: Sequence[str]) -> bool:
    if not all(_NUMBER.fullmatch(label) for label in labels):
        return False
    numbers = [Decimal(label) for label in labels]
    return numbers == sorted(numbers)


def _reason(row: Row, scale: Scale) -> str:
    if not row.human:
        return "no_human_label"
    if not row.judge:
        return "no_verdict"
    return "" if row.judge in scale.codes and row.human in scale.codes else "off_scale"


def _unscored(row: Row, scale: Scale) -> str:
    if not row.judge:
        return "not_given"
    return "" if row.judge in scale.codes else "off_scale"


def _weight(row: Row, name: str) -> float:
    number = float(row.weight) if _NUMBER.fullmatch(row.weight) else math.nan
    if not (math.isfinite(number) and number > 0):
        raise InputError(f"{name}:{row.line}", f"the weight is '{row.weight}'", "a finite number above 0")
    return number


def _grouped(rows: Sequence[Row], field: str, name: str) -> IntArray:
    codes: dict[str, int] = {}
    for row in rows:
        text = getattr(row, field)
        if not text:
            raise InputError(f"{name}:{row.line}", f"the {field} is empty", "a name or number")
        codes.setdefault(text, len(codes))
    return np.array([codes[getattr(row, field)] for row in rows], dtype=np.int64)
