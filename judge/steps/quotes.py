"""Quotes of a judge, found again in the passages."""

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache

from judge.domain.answers import Retrieved
from judge.domain.base import Span
from judge.domain.judging import Quote

MAX_QUOTES = 20
"""More pieces than this are no quote any more."""

_ELLIPSIS = re.compile(r"\[(?:\.{3,}|…+)\]|\((?:\.{3,}|…+)\)|\.{3,}|…+")
_WRAPPING = " \t\r\n\"'`“”‘’「」『』«»"
_SAME = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»「」『』〝〞", '"'),
        **dict.fromkeys("‘’‚‛", "'"),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufe0e\ufe0f\ufeff", None),
    }
)
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts whose words are not set apart by spaces (Chinese, kana, hangul with its particles, Thai, ...)."""
_LETTER = rf"[^\W_{_UNSPACED}]"
_SPACE = re.compile(rf"((?<=[^\W_{_UNSPACED}\u0300-\u036f])\s+(?={_LETTER}))|\s+")
_IS_LETTER = re.compile(_LETTER)
_LETTER_BEFORE = re.compile(rf"{_LETTER}[\u0300-\u036f]*\Z")
_LETTER_AFTER = re.compile(rf"'?{_LETTER}")
_NUMBER_BEFORE = re.compile(r"\d[.,]\Z|(?:\A|[\s(\[])-\Z")
_NUMBER_AFTER = re.compile(r"[.,]\d")
_ACCENTS = "".join(map(chr, range(0x300, 0x370)))
MOST_PLACES = 1_000
"""Places of a quote in one passage that are looked at."""
NEAR = 4
"""Characters beside a quote that say whether it begins or ends inside a word, a number or a letter."""


def find_quotes(texts: Sequence[str], passages: Sequence[Retrieved]) -> tuple[Quote, ...]:
    """Each quote with the first passage, in rank order, in which it stands, and its span there.

    Width is folded, and with it compatibility forms, quotation marks, dashes and invisible characters; white space is
    one space between words and none elsewhere; letters and case must agree. A quote begins and ends where words,
    numbers and letters do: "legal" does not stand in "illegal", "5 mg" not in "15 mg" or "0.5 mg", "e" not in "é".
    A quote with an ellipsis is found when each of its pieces is. Quotes without a letter or digit are left out. Not
    found: passage and span are None.
    """
    wanted = [text for text in texts[:MAX_QUOTES] if any(char.isalnum() for char in text)]
    return tuple(quote for text in wanted for quote in _found(text, passages))


def _found(text: str, passages: Sequence[Retrieved]) -> tuple[Quote, ...]:
    for variant in dict.fromkeys((text, text.strip(_WRAPPING))):
        if (quote := _located(variant, passages)).passage is not None:
            return (quote,)
    pieces = [piece for piece in _ELLIPSIS.split(text.strip(_WRAPPING)) if any(char.isalnum() for char in piece)]
    if 1 < len(pieces) <= MAX_QUOTES:
        parts = tuple(_located(piece, passages) for piece in pieces)
        if all(part.passage is not None for part in parts):
            return parts
    return (Quote(text=text),)


def _located(text: str, passages: Sequence[Retrieved]) -> Quote:
    folded = ""
    for item in passages:
        source = item.passage.text
        if source is None:
            continue
        if span := _plain_span(text, source):
            return Quote(text=text, passage=item.passage.key, span=span)
        folded = folded or _fold(text)
        if folded and folded in _folded(source) and (span := _folded_span(folded, source)):
            return Quote(text=text, passage=item.passage.key, span=span)
    return Quote(text=text)


@lru_cache(maxsize=512)
def _folded(text: str) -> str:
    return _fold(text)


def _fold(text: str) -> str:
    return _SPACE.sub(lambda space: " " if space[1] else "", _same(text))


def _same(text: str) -> str:
    return unicodedata.normalize("NFKD", text).translate(_SAME)


def _places(wanted: str, text: str) -> Iterator[int]:
    at = text.find(wanted)
    for _ in range(MOST_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(wanted, at + 1)


def _plain_span(text: str, source: str) -> Span | None:
    spans = ((at, at + len(text)) for at in _places(text, source))
    return next((span for span in spans if _is_whole(span, source)), None)


def _folded_span(folded: str, source: str) -> Span | None:
    """Span in the source of what equals ``folded``, by an index from folded to original characters."""
    text, origin = _indexed(source)
    for at in _places(folded, text):
        end = at + len(folded)
        cut = (at and origin[at - 1] == origin[at]) or (end < len(origin) and origin[end] == origin[end - 1])
        span = (origin[at], origin[end - 1] + 1)
        if not cut and _is_whole(span, source):
            return span
    return None


@lru_cache(maxsize=32)
def _indexed(source: str) -> tuple[str, "array[int]"]:
    """The folded source, and for each of its characters the place of the original one."""
    pieces = [char if char.isascii() else _same(char) for char in source]
    places = array("L", [index for index, piece in enumerate(pieces) for _ in piece])
    text = "".join(pieces)
    kept: list[str] = []
    origin = array("L")
    at = 0
    for space in _SPACE.finditer(text):
        kept += [text[at : space.start()], " " if space[1] else ""]
        origin += places[at : space.start()] + places[space.start() : space.start() + bool(space[1])]
        at = space.end()
    return "".join([*kept, text[at:]]), origin + places[at:]


def _is_whole(span: Span, source: str) -> bool:
    """Whether a place begins and ends with whole words, numbers and letters."""
    start, end = span
    before, after = _same(source[max(0, start - NEAR) : start]), _same(source[end : end + NEAR])
    inside = _same(source[start:end])
    if not inside or (after and _joins(after[0])):
        return False
    first, last = inside[0], inside.rstrip(_ACCENTS)[-1:]
    cut_first = first.isdigit() and _NUMBER_BEFORE.search(before)
    cut_last = last.isdigit() and _NUMBER_AFTER.match(after)
    in_word = (_IS_LETTER.match(first) and _LETTER_BEFORE.search(before)) or (
        _IS_LETTER.match(last) and _LETTER_AFTER.match(after)
    )
    return not (cut_first or cut_last or in_word)


def _joins(char: str) -> bool:
    """Whether a character belongs to the one before it: a combining mark, or a vowel or final of hangul."""
    return unicodedata.category(char).startswith("M") or "\u1160" <= char <= "\u11ff"
