"""Sentence spans of an answer: English, Chinese and mixed text, lists, tables, headings, code.

The text is read line by line (blocks), then each block stop by stop; every look-behind and look-ahead is bounded,
so the time is linear in the length. Layout (list markers, heading hashes, table pipes, rules, emphasis around a whole
sentence) belongs to no sentence.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from judge.domain.base import Span
from judge.steps.blocks import CJK, INLINE_MARKER, NAMED_SOURCE, WHITE, WORD, Kind, Sentence, bare, find_blocks, trim
from judge.steps.enumerations import find_markers

_SUBJECTS = (
    "the|it|its|they|their|he|she|his|her|we|you|this|these|those|there|however|therefore|otherwise|moreover|instead|"
    "furthermore|consequently|nevertheless|meanwhile|thus|hence"
)
STOPS = re.compile(
    rf"[。！？｡!?；]+|…+|\.+|．+|;(?<=[{CJK}];)(?=[{CJK}])"
    rf"|;(?=[ \t](?:{_SUBJECTS})\b,?(?:[ \t][^\s;.]{{1,40}}){{3}})"  # a clause of its own, not a listed name
)
CLOSERS = "\"'”’»」』）)】］]〉》*_~`"
OPENERS = "\"'“‘«「『（(【［[〈《*_~`"
_CITATION = re.compile(
    r"[ \t\u3000]{0,4}(?:"
    r"\[\^?[ \t]?\d{1,4}(?:[ \t]?[,，、\-–~][ \t]?\d{1,4}){0,20}[ \t]?\]"  # [1] [1, 2] [^1]
    r"|【[^【】\n]{0,40}\d[^【】\n]{0,40}】"  # 【1】 【1†source】
    r"|\[(?=[^\[\]\n]{0,80}(?:\d|\.[A-Za-z]))[^\[\]\n]{1,80}\](?!\()"  # [doc.pdf p.3]
    rf"|［\d{{1,4}}］|[¹²³⁴-⁹⁰]{{1,4}}|\^\d{{1,4}}\^?|{NAMED_SOURCE})"
)
_NAMED = re.compile(NAMED_SOURCE)
_NEXT_WORD = re.compile(r"[^\W\d_]{1,20}\.?")
_HAN_START = re.compile(rf"[{CJK}]")
_PAIRS = {
    **{"(": (")", 200), "（": ("）", 200), "“": ("”", 120), "「": ("」", 120), "『": ("』", 120), '"': ('"', 120)},
    **{"‘": ("’", 120), "《": ("》", 80), "〈": ("〉", 80), "`": ("`", 120)},
}
_OPENING = re.compile("[" + re.escape("".join(_PAIRS)) + "]")
_NAMING = "《〈`"
"""What stands in these is a name: not even a stop at its end ends a sentence."""
_TWINS = re.compile(r"\*\*?|__?|~~|`|[\"']")
"""Marks that open and close alike."""
_GOES_ON = "的是等这之为与和及"


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_NEVER = _words(
    "dr mr mrs ms mx prof rev gen col sgt lt cpl capt cmdr gov sen hon messrs mme mlle vs cf viz approx ca resp incl "
    "excl e.g i.e eg ie z.b d.h"
)
_BEFORE_NUMBER = _words(
    "no nos nr fig figs eq eqs sec sect ch chap vol vols p pp pg art para ref refs tab app ed v ver jan feb mar apr "
    "jun jul aug sep sept oct nov dec ext tel est"
)
_BEFORE_NAME = _words("st mt ft inc ltd co corp bros dept univ ave blvd rd jr sr al ph.d m.d b.a m.a")
_ABBREVIATIONS = _BEFORE_NUMBER | _BEFORE_NAME
_CLOCK = frozenset(("a.m", "p.m"))
_STARTERS = _words(
    "the a an this that these those it its he she they we i you his her their our your there here in on at for from "
    "with by as after before during since while when where if although however but and so then also both each all "
    "some many most such no not other another one two what who how why"
)
_DAYS = _words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december"
)
_MONTHS = _DAYS | _words("januar februar märz mai juni juli oktober dezember")


class Sentences(NamedTuple):
    """An answer cut up: each character that is no white space is in a sentence or in layout, never in both.

    Pipes between the cells of a titled row are layout.
    """

    items: list[Sentence]
    layout: list[Span]


def find_sentences(text: str, citations: Iterable[Span] = ()) -> Sentences:
    """Cut ``text`` into sentences.

    Args:
        text: an answer, as it stands.
        citations: spans of known citation markers; one that follows a stop belongs to the sentence before it.

    Returns:
        Sentences in order, disjoint, without outer white space; and the layout between them.
    """
    marks = dict(sorted(citations))
    items: list[Sentence] = []
    for block in find_blocks(text):
        items += _cut(text, block.start, block.end, marks) if block.kind is Kind.TEXT else [block]
    return Sentences(items, _gaps(text, items))


def _gaps(text: str, items: Sequence[Sentence]) -> list[Span]:
    """Spans outside all sentences that hold more than white space, trimmed."""
    held = (span for item in items for span in _held(item))
    edges = [0, *(edge for span in held for edge in span), len(text)]
    trimmed = (trim(text, edges[i], edges[i + 1]) for i in range(0, len(edges), 2))
    return [(start, end) for start, end in trimmed if start < end]


def _held(item: Sentence) -> Sequence[Span]:
    """The item's own text: of a row its cells, without the pipes between them."""
    return [piece for piece in item.pieces if piece[0] >= item.start] or [item[:2]]


def _cut(text: str, start: int, end: int, marks: dict[int, int]) -> list[Sentence]:
    """Sentences of one block; a piece without any letter or digit joins its neighbour."""
    pieces: list[Span] = []
    begin, fresh, spoken = start, start, False
    for stop in [*_ends(text, start, end, marks), end]:
        spoken = spoken or bool(WORD.search(text, fresh, stop))
        fresh = stop
        if spoken and not _only_marker(text, begin, stop):
            pieces.append((begin, stop))
            begin, spoken = stop, False
    if begin < end and pieces:
        pieces[-1] = (pieces[-1][0], end)
    return [_sentence(text, *piece, first=i == 0) for i, piece in enumerate(pieces)] if pieces else []


def _sentence(text: str, start: int, end: int, *, first: bool) -> Sentence:
    start, end = trim(text, start, end)
    marker = None if first else INLINE_MARKER.match(text, start, end)
    if marker and WORD.search(text, marker.end(), end):
        start = marker.end()
    return Sentence(*bare(text, start, end), Kind.TEXT)


def _only_marker(text: str, start: int, end: int) -> bool:
    piece = text[start : min(end, start + 12)].strip()
    return end - start < 12 and (piece.rstrip(".．").isdigit() and len(piece) < 5) and piece.endswith((".", "．"))


def _ends(text: str, start: int, end: int, marks: dict[int, int]) -> Iterator[int]:
    """Where sentences end: behind the stop, what closes after it, and its citations; and before a listed item."""
    shields = _shields(text, start, end)
    openings = [shield[0] for shield in shields]
    listed = [
        marker
        for marker in find_markers(text, start, end)
        if not _shielded(text, shields, openings, marker[0] - 1, marker[0] + 1)
    ]
    done, item = start, 0
    for stop in STOPS.finditer(text, start, end):
        while item < len(listed) and listed[item][0] <= stop.start():
            if listed[item][0] >= done:
                yield listed[item][0]
                done = listed[item][1]
            item += 1
        if stop.start() < done:
            continue
        after = _close(text, done, stop.end(), end)
        if _shielded(text, shields, openings, stop.start(), after):
            continue
        if _inserted(text, shields, openings, max(start, done), stop.start(), after, end):
            continue
        cited = _cited(text, after, end, marks)
        if _stops(text, start, stop, after, cited, end):
            done = cited
            yield cited
    yield from (marker[0] for marker in listed[item:] if marker[0] >= done)


def _shielded(text: str, shields: Sequence[Span], openings: Sequence[int], at: int, after: int) -> bool:
    """Whether a stop at ``at``, with what closes behind it up to ``after``, is inside brackets, quotes or a name."""
    i = bisect_right(openings, at) - 1
    return i >= 0 and (after if text[openings[i]] not in _NAMING else at + 1) <= shields[i][1]


def _inserted(
    text: str, shields: Sequence[Span], openings: Sequence[int], begin: int, at: int, after: int, end: int
) -> bool:
    """Whether a stop at ``at`` ends only an insertion (该店（很旧！）已关门).

    Its brackets or quotes open behind a word of the sentence, which begins at ``begin``, and Chinese goes on at once
    behind them. What opens behind a stop, colon or comma stands for itself, and a source belongs to what precedes it.
    """
    i = bisect_right(openings, at) - 1
    if i < 0 or not at < shields[i][1] < after < end or not _HAN_START.match(text[after]):
        return False
    before = openings[i]
    while before > begin and text[before - 1] in CLOSERS:
        before -= 1
    behind_word = before > begin and bool(WORD.match(text[before - 1]))
    return behind_word and not _NAMED.match(text, openings[i], after)


def _shields(text: str, start: int, end: int) -> list[Span]:
    """Brackets and quotes that close soon; a stop inside them ends no sentence."""
    shields: list[Span] = []
    at = start
    while opening := _OPENING.search(text, at, end):
        closer, reach = _PAIRS[opening.group()]
        close = text.find(closer, opening.end(), min(end, opening.end() + reach))
        at = opening.end() if close < 0 else close + 1
        if close >= 0:
            shields.append((opening.start(), close))
    return shields


def _close(text: str, begin: int, at: int, end: int) -> int:
    """Behind what closes after a stop, in a sentence that begins at ``begin``."""
    while at < end and text[at] in CLOSERS:
        twin = _TWINS.match(text, at, end)
        sign = twin.group() if twin else text[at]
        opens = twin and at + len(sign) < end and WORD.match(text, at + len(sign))
        if opens and not text.count(sign, max(begin, at - 400), at) % 2:
            break
        at += len(sign)
    return at


def _cited(text: str, at: int, end: int, marks: dict[int, int]) -> int:
    """Behind the citation markers that follow at once, and a stop that follows them."""
    while at < end:
        found = _CITATION.match(text, at, end)
        gap = at
        while gap < end and gap - at < 4 and text[gap] in WHITE:
            gap += 1
        if gap in marks and gap < marks[gap] <= end:
            at = marks[gap]
        elif found:
            at = found.end()
        else:
            return at
    return at


def _stops(text: str, start: int, stop: re.Match[str], after: int, cited: int, end: int) -> bool:
    """Whether this stop ends a sentence."""
    sign = stop.group()
    if sign[0] in "。！？｡；;" and cited < end:
        quoted = after > stop.end()
        return text[cited] not in ("，、,；;：" + _GOES_ON if quoted else "，、,；;：")
    gap = cited
    while gap < end and (text[gap].isspace() or (gap > cited and text[gap] in OPENERS)):
        gap += 1
    if gap >= end:
        return True
    spaced = gap > cited or cited > after
    if not spaced and not _HAN_START.match(text[gap]) and text[cited] not in "“《（「『【":
        return False
    if sign not in (".", "．"):
        return not text[gap].islower() and text[gap] not in "，、,。"
    goes_on = after > stop.end() and text[gap].islower()
    return not goes_on and _full_stop(text, start, stop.start(), gap, spaced=spaced)


def _full_stop(text: str, start: int, dot: int, gap: int, *, spaced: bool) -> bool:
    """Whether a single ``.`` ends a sentence, by the word before it and the one after it (at ``gap``)."""
    word = _word_before(text, start, dot)
    following = text[gap]
    found = _NEXT_WORD.match(text, gap)
    name = found.group() if found else ""
    low = word.casefold()
    numbers = low in _BEFORE_NUMBER and (following.isdigit() or (len(name) == 1 and name not in "IA"))
    day = low.isdecimal() and len(low) < 3 and name.casefold() in _MONTHS
    if low in _NEVER or numbers or day:
        return False
    initial = len(word) == 1 and word.isupper()
    if _HAN_START.match(following):
        short = low in _ABBREVIATIONS or low == "etc" or _is_dotted(word)
        return not initial and (spaced or not (short or word[-1:].isdigit()))
    if following.islower():
        alone = dot > start and text[dot - 1] in WHITE and spaced  # "common . the": text cut into words
        return alone or (len(word) >= 4 and word.isalpha() and low not in _ABBREVIATIONS) or name[1:2].isupper()
    starter = name.casefold() in _STARTERS
    if low in _CLOCK:
        return starter or (name.rstrip(".").casefold() not in _DAYS and not name.isupper())
    return starter or not (low in _BEFORE_NAME or initial or _is_dotted(word))


def _word_before(text: str, start: int, dot: int) -> str:
    chunk = text[max(start, dot - 24) : dot]
    return re.split(rf"[\s()（）\[\]【】\"'“”‘’*_/,，、。：:;；！？{CJK}\-]", chunk)[-1]


def _is_dotted(word: str) -> bool:
    """``U.K``, ``Ph.D``: letters with single dots between."""
    parts = word.split(".")
    return len(parts) > 1 and all(part.isalpha() and len(part) <= 2 for part in parts)
