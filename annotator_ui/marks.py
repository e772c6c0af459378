"""Text of unknown hands made safe to show, with what it shares with a claim marked."""

import html
import re
import string
from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import east_asian_width

from judge.domain.base import Span

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"(?P<cjk>[{_CJK}]+)|\d+(?:[.,]\d+)*|[^\W\d_{_CJK}]+", re.UNICODE)
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an the this that these those and or but if than of at by for with about to from in on is are was were be "
        "been has have had do does did can could will would may it its they their he she his her we you your i as not",
    )
)
_PARTICLES = frozenset("的了是在和与及或也都就而并被把将对于为其这那之以所等则着过有一不")
_WORDLIKE = re.compile(rf"[^\W{_CJK}]")
_BEGINNING = re.compile(r"(?<=[.!?…])\s+(?=\S)|(?<=[。！？；：，])(?=\S)|\n+(?=[^\n])")
"""Between two sentences or lines; in Chinese also between the parts of a sentence."""
LEAD = 60
"""Width of what stands before a claim in its answer, less than two lines of a telephone, so that the claim is seen at
once; a Chinese or Japanese character is two wide."""
LINES_BEFORE = 2
LONG_WORD = 40
"""What is longer is cut inside."""
_TURNERS = {code: f"[U+{code:04X}]" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
"""Signs that turn the direction of what follows, and so can make a text read as another one: shown by their code."""
_SPECIAL = str.maketrans({sign: "\\" + sign for sign in string.punctuation})


class Evidence(NamedTuple):
    """A passage's text beside a claim."""

    spans: tuple[Span, ...]
    """What both have in common, in order, not overlapping."""
    overlap: float
    """Share of the claim's words in the passage, 0 to 1."""


def plain(text: str) -> str:
    """Text for a widget's label, which is read as Markdown: every sign stands for itself."""
    return " ".join(text.split()).translate(_TURNERS).translate(_SPECIAL)


def escape(text: str) -> str:
    """Text for HTML: every sign stands for itself."""
    return html.escape(text).translate(_TURNERS)


def compare(text: str, claim: str) -> Evidence:
    """Words that a text shares with a claim: whole words and numbers, pairs of Chinese or Japanese characters."""
    wanted = {word for word, _ in _words(claim)}
    found = [(word, span) for word, span in _words(text) if word in wanted]
    share = len({word for word, _ in found}) / len(wanted) if wanted else 0.0
    return Evidence(_merged([span for _, span in found]), share)


def marked(text: str, spans: Sequence[Span], kind: str) -> str:
    """HTML of a text with the spans marked; everything in it is escaped.

    Args:
        text: any text.
        spans: half-open, in code points; those outside the text are left out.
        kind: CSS class of the mark.
    """
    parts, at = [], 0
    for start, end in _merged([span for span in spans if 0 <= span[0] < span[1] <= len(text)]):
        parts += [escape(text[at:start]), f'<mark class="{kind}">{escape(text[start:end])}</mark>']
        at = end
    return "".join([*parts, escape(text[at:])])


def window(length: int, spans: Sequence[Span], size: int) -> Span:
    """The stretch of ``size`` characters, of ``length``, that holds most of the spans."""
    if length <= size:
        return 0, length
    starts = [start for start, _ in spans] or [0]
    best = max(starts, key=lambda first: (sum(first <= start < first + size // 2 for start in starts), -first))
    start = max(0, min(best - size // 4, length - size))
    return start, start + size


def near(text: str, spans: Sequence[Span], size: int) -> Span:
    """The stretch of at most ``size`` characters that begins with the sentence or line before the first span.

    Where that is far, it begins with a word shortly before the span, or with the span.
    """
    first = min((start for start, _ in spans), default=0)
    low = _lead(text, first)
    starts = [
        match.end() for match in _BEGINNING.finditer(text, max(0, low - 1), first + 1) if low <= match.end() <= first
    ]
    starts = [0, *starts] if low == 0 else starts
    few = [start for start in starts if text.count("\n", start, first) < LINES_BEFORE]
    start = few[0] if few else _after_word(text, low, first)
    return start, min(len(text), start + size)


def _lead(text: str, at: int) -> int:
    """The place from which what stands before ``at`` is ``LEAD`` wide."""
    width = 0
    for place in range(at - 1, -1, -1):
        width += 2 if east_asian_width(text[place]) in "WF" else 1
        if width > LEAD:
            return place + 1
    return 0


def excerpt(text: str, spans: Sequence[Span], part: Span, kind: str) -> str:
    """HTML of one part of a text in whole words, with its marks, and dots where text was left out."""
    within = [span for span in spans if span[0] < part[1] and span[1] > part[0]]
    reach = min(LONG_WORD, (part[1] - part[0]) // 2)
    low = _after_word(text, part[0], min([part[0] + reach, *(start for start, _ in within if start >= part[0])]))
    high = _before_word(text, part[1], max([part[1] - reach, *(end for _, end in within if end <= part[1])]))
    inside = [(max(start, low) - low, min(end, high) - low) for start, end in within]
    return ("… " if low else "") + marked(text[low:high], inside, kind) + (" …" if high < len(text) else "")


def _after_word(text: str, at: int, most: int) -> int:
    """The first place from ``at`` on that is not inside a word, or ``most`` where that comes first."""
    place = at
    while place < most and _splits(text, place):
        place += 1
    while 0 < place < most and text[place].isspace():
        place += 1
    return place


def _before_word(text: str, at: int, least: int) -> int:
    """The last place up to ``at`` that is not inside a word; ``at`` where only places before ``least`` are."""
    place = at
    while place > least and _splits(text, place):
        place -= 1
    while least < place < len(text) and text[place - 1].isspace():
        place -= 1
    return place if place > least or not _splits(text, place) else at


def _splits(text: str, at: int) -> bool:
    """Whether a word goes on from before ``at``; Chinese and Japanese may be cut anywhere."""
    return 0 < at < len(text) and bool(_WORDLIKE.match(text[at - 1]) and _WORDLIKE.match(text[at]))


def _words(text: str) -> list[tuple[str, Span]]:
    found: list[tuple[str, Span]] = []
    for match in _TOKEN.finditer(text):
        start, word = match.start(), match[0].casefold()
        if not match["cjk"]:
            if word not in _COMMON:
                stem = word[:-1] if len(word) > 3 and word.endswith("s") else word
                found.append((stem, match.span()))
            continue
        pairs = [(word[i : i + 2], (start + i, start + i + 2)) for i in range(len(word) - 1)]
        found += [pair for pair in pairs if _PARTICLES.isdisjoint(pair[0])]
    return found


def _merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
