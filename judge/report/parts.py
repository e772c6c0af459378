"""The pieces that a report is set from, and how labels, reasons and slices are called in it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from judge.domain.results import Agreement, Share
from judge.domain.rubrics import Language
from judge.report.decisions import by_construction, who
from judge.report.figures import FEW, LEAST, Figure, clean
from judge.report.words import TEXTS, known, label_word, say

Facts = tuple[tuple[str, str], ...]
"""Terms with their values."""


@dataclass(frozen=True)
class Cell:
    """One cell of a table."""

    text: str
    """What stands in it."""
    below: str = ""
    """A second, smaller line."""
    few: str = ""
    """Why it is grey: it rests on few units; else empty."""
    shade: str = ""
    """Depth of its ground, 0 to 1, in a heat table."""
    match: bool = False
    """Whether it lies on the diagonal."""


@dataclass(frozen=True)
class Row:
    """One row of a table."""

    head: str
    """What it is about."""
    cells: tuple[Cell, ...]
    """Its numbers."""

    @property
    def few(self) -> str:
        """Why some of its cells are grey, said once; empty when none is."""
        return next((cell.few for cell in self.cells if cell.few), "")


@dataclass(frozen=True)
class Table:
    """A table: first column words, all others numbers unless named."""

    caption: str
    """What it shows, with units."""
    head: tuple[str, ...]
    """Column titles."""
    rows: tuple[Row, ...]
    """Its rows."""
    words: frozenset[int] = field(default_factory=frozenset)
    """Places of further columns that hold words and stand left."""
    over: str = ""
    """A title over the number columns; a table that has one is a heat table."""


@dataclass(frozen=True)
class Axis:
    """What a line of figures is marked with."""

    low: str
    """Its left end."""
    high: str
    """Its right end."""
    goal: str
    """The goal; empty without one."""
    place: str
    """Where the goal stands, 0 to 100."""


@dataclass(frozen=True)
class Card:
    """One of the at most four figures."""

    figure: Figure
    """The number with its company."""
    hint: str
    """What it means."""
    few: str
    """That it rests on few units; else empty."""
    unchecked: bool
    """Whether no person stands behind it."""
    axis: Axis | None = None
    """What its line is marked with, where it stands alone."""


@dataclass(frozen=True)
class Bar:
    """One bar of a bar chart."""

    title: str
    """What is counted."""
    count: int
    """How often."""
    share: str
    """Per cent of all."""
    width: str
    """Length, 0 to 100."""
    missing: bool
    """Whether it counts units without a verdict."""


@dataclass(frozen=True)
class Chart:
    """The one chart: figures on a common line, or bars."""

    title: str
    """What it shows."""
    rows: tuple[Card, ...] = ()
    """Figures."""
    axis: Axis | None = None
    """What their line is marked with."""
    bars: tuple[Bar, ...] = ()
    """Bars, where there are no labels."""
    note: str = ""
    """What it leaves out; empty when nothing."""


@dataclass(frozen=True)
class Example:
    """One disagreement, to be read."""

    unit: str
    """Its id."""
    question: str
    """What was asked."""
    claim: str
    """What was said."""
    judge: str
    """Who says what: the judge."""
    human: str
    """Who says what: people."""
    rationale: str
    """The judge's reasons."""


def names(agreement: Agreement | None, lang: Language) -> dict[str, str]:
    """Who stands against the judge, for the texts that name it."""
    return {"who": who(agreement, lang)}


def unchecked(share: Share, agreement: Agreement | None) -> bool:
    """Whether no person stands behind a Share; labels by construction are nobody's."""
    return not share.checked or (agreement is not None and by_construction(agreement))


def label_name(label: str, lang: Language) -> str:
    """A label of the shipped rubrics in the reader's language; any other as it stands."""
    return clean(label_word(label, lang), 60)


def share_name(name: str, lang: Language) -> str:
    """What a Share measures."""
    return say(lang, f"share_{name}") if f"share_{name}" in TEXTS else clean(name.replace("_", " "), 80)


def slice_name(agreement: Agreement, lang: Language) -> str:
    """``lang=zh, type=multi-hop``, or ``all``; a condition may come whole (``lang!=zh``) or as its value."""
    named = say(lang, "list_comma").join(f"{k} = {v}" for k, v in agreement.where.items())
    return clean(named, 80) or say(lang, "all")


def dataset_name(text: str, lang: Language) -> str:
    """``demo, version 1`` for ``demo@1``; a name of another form as it stands."""
    found = re.fullmatch(r"(.+)@(\d+)", text, re.DOTALL)
    return say(lang, "rubric_head", rubric=clean(found[1], 120), version=found[2]) if found else clean(text, 120)


def reason_name(code: str, lang: Language) -> str:
    """Why there is no verdict or label, in words."""
    return clean(known(lang, "reason", code), 80)


def listed_reasons(reasons: Mapping[str, int], lang: Language) -> str:
    """``refused 3, off the scale 1``; empty when nothing is missing."""
    parts = [say(lang, "reason_count", reason=reason_name(code, lang), n=n) for code, n in reasons.items() if n]
    return say(lang, "list_comma").join(parts)


def few_text(n: int, lang: Language, key: str = "few") -> str:
    """That a figure rests on fewer than 30 units, or on fewer than 5 labels; else nothing."""
    if key == "few" and n < LEAST:
        return say(lang, "too_few", n=n)
    return say(lang, key) if n < FEW else ""
