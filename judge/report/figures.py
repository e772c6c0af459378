"""An Estimate as it is shown: its number, interval, n, and where the dot and the range stand on a line."""

import math
import re
from dataclasses import dataclass
from functools import partial
from typing import Literal

from judge.domain.estimates import Estimate
from judge.domain.rubrics import Language
from judge.report.words import known, say

Kind = Literal["kappa", "percent", "percent_fine"]
"""``kappa``: two decimals; ``percent``: whole per cent; ``percent_fine``: one decimal, for tables."""

FEW = 30
"""A figure that rests on fewer units is grey and says so."""
LEAST = 5
"""A figure that rests on fewer labels is shown without its interval."""
TOO_FEW = "too_few_labels"
"""Status of a figure that was left without its interval for that."""
DASH = "–"
_INVISIBLE = re.compile("[\u061c\u200b\u200e\u200f\u2060\ufeff]")
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Plot:
    """Places on a horizontal line, in per cent of its length, as the SVG takes them."""

    dot: str
    """The figure."""
    left: str | None
    """Start of the range; None without an interval."""
    width: str | None
    """Length of the range."""
    goal: str | None
    """The goal's tick; None without a goal."""
    zero: str | None
    """Where 0 stands, when the line starts below it."""
    text: str
    """The same in words, for those who can't see it."""


@dataclass(frozen=True)
class Figure:
    """An Estimate in words."""

    title: str
    """What it is."""
    value: str
    """The number, or a dash."""
    unit: str
    """``%`` or nothing."""
    range: str
    """The interval in the same unit; empty without one."""
    level: str
    """Nominal coverage of the interval, per cent."""
    n: int
    """Units behind it."""
    n_effective: str
    """Effective number; empty when it is n or unknown."""
    note: str
    """Why the value or the interval is missing; empty when both are there."""
    few: bool
    """Whether it rests on fewer than 30 units."""
    plot: Plot | None
    """How it is drawn; None without a value."""


@dataclass(frozen=True)
class Scale:
    """The line that figures are drawn on."""

    low: float = 0.0
    """Its left end."""
    high: float = 1.0
    """Its right end."""
    goal: float | None = None
    """A tick on it."""

    def place(self, value: float) -> float:
        """Where a value stands, 0 to 100; values beyond an end stand at the end."""
        return 100 * min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))


def figure(title: str, estimate: Estimate, kind: Kind, scale: Scale, lang: Language) -> Figure:
    """Put an Estimate into words and on a line."""
    show = partial(number, kind=kind)
    value, limits = finite(estimate.value), limits_of(estimate)
    range_ = span(limits, kind, lang) if limits else ""
    effective = finite(estimate.n_effective)
    return Figure(
        title=title,
        value=DASH if value is None else show(value),
        unit="" if kind == "kappa" or value is None else "%",
        range=range_,
        level=f"{100 * estimate.level:g}",
        n=estimate.n,
        n_effective="" if effective is None or round(effective) == estimate.n else f"{effective:.0f}",
        note="" if value is not None and (limits or estimate.status == TOO_FEW) else reason(estimate, lang),
        few=estimate.n < FEW,
        plot=None if value is None else _plot(value, limits, kind, scale, lang),
    )


def kappa_scale(estimates: tuple[Estimate, ...], goal: float) -> Scale:
    """A line from 0 to 1, or from the tenth below the lowest limit when that is negative."""
    known_limits = [x for e in estimates for x in (finite(e.value), finite(e.low)) if x is not None]
    lowest = min([0.0, *known_limits])
    return Scale(low=max(-1.0, math.floor(lowest * 10) / 10), goal=goal)


def finite(value: float | None) -> float | None:
    """The value, or None for what is missing or no finite number."""
    return value if value is not None and math.isfinite(value) else None


def limits_of(estimate: Estimate) -> tuple[float, float] | None:
    """Both limits, or None when one is missing."""
    low, high = finite(estimate.low), finite(estimate.high)
    return None if low is None or high is None else (low, high)


def sparing(estimate: Estimate) -> Estimate:
    """The Estimate, without its interval where it rests on fewer than 5 labels: they carry no claim."""
    if not 0 < estimate.n < LEAST or limits_of(estimate) is None:
        return estimate
    return estimate.model_copy(update={"low": None, "high": None, "status": TOO_FEW})


def reason(estimate: Estimate, lang: Language) -> str:
    """Why an Estimate lacks its value or its interval."""
    if estimate.value is not None and finite(estimate.value) is None:
        return say(lang, "status_not_finite")
    if estimate.status == TOO_FEW:
        return say(lang, "too_few", n=estimate.n)
    if estimate.status == "ok" and estimate.value is not None:
        return say(lang, "no_interval")
    return clean(known(lang, "status", estimate.status), 80)


def number(value: float, kind: Kind) -> str:
    """``0.72``, ``-0.15`` with a true minus, ``83`` or ``83.1`` (per cent)."""
    factor, digits = {"kappa": (1, 2), "percent": (100, 0), "percent_fine": (100, 1)}[kind]
    text = f"{factor * value:.{digits}f}"
    bare = text.lstrip("-")
    return f"−{bare}" if text.startswith("-") and float(bare) else bare


def percent(share: float | None) -> str:
    """A share with one decimal and its sign; what is neither none nor all never reads 0.0% or 100.0%."""
    if share is None:
        return DASH
    text = number(share, "percent_fine")
    if text == "100.0" and share < 1:
        return ">99.9%"
    if text == "0.0" and share > 0:
        return "<0.1%"
    return f"{text}%"


def span(limits: tuple[float, float], kind: Kind, lang: Language) -> str:
    """``0.65–0.79``; in words where a limit is negative, so that no dash meets a minus."""
    low, high = number(limits[0], kind), number(limits[1], kind)
    return say(lang, "to", low=low, high=high) if limits[0] < 0 else f"{low}–{high}"


def clean(text: str, limit: int = 300) -> str:
    """Text from data on one line: cut with an ellipsis, without characters that steer the page around it.

    Line breaks and runs of white space become one space; controls, direction overrides and lone surrogates become
    U+FFFD, so that a reader sees that something was there.
    """
    words = " ".join(_INVISIBLE.sub("", text[: 4 * limit]).split())
    words = _UNSAFE.sub("\ufffd", words)
    return f"{words[: limit - 1].rstrip()}…" if len(words) > limit or len(text) > 4 * limit else words


def _plot(value: float, limits: tuple[float, float] | None, kind: Kind, scale: Scale, lang: Language) -> Plot:
    unit = "" if kind == "kappa" else "%"
    text = number(value, kind) + unit
    if limits:
        text = say(lang, "plot_text", value=text, range=span(limits, kind, lang) + unit)
    if scale.goal is not None:
        text = say(lang, "plot_with_goal", text=text, goal=number(scale.goal, kind) + unit)
    left, right = (scale.place(x) for x in limits) if limits else (None, None)
    return Plot(
        dot=f"{scale.place(value):.2f}",
        left=None if left is None else f"{left:.2f}",
        width=None if left is None or right is None else f"{right - left:.2f}",
        goal=None if scale.goal is None else f"{scale.place(scale.goal):.2f}",
        zero=f"{scale.place(0):.2f}" if scale.low < 0 else None,
        text=text,
    )
