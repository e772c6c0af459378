"""Quotes of a judge, found again in the passages."""

import re
import unicodedata
from collections.abc import Sequence
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
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
    }
)


def find_quotes(texts: Sequence[str], passages: Sequence[Retrieved]) -> tuple[Quote, ...]:
    """Each quote with the first passage, in rank order, in which it stands, and its span there.

    White space and width are folded, and with them compatibility forms, quotation marks, dashes and invisible
    characters; letters and case must agree. A quote with an ellipsis is found when each of its pieces is. Quotes
    without a letter or digit are left out. Not found: passage and span are None.
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
        at = source.find(text)
        if at >= 0:
            return Quote(text=text, passage=item.passage.key, span=(at, at + len(text)))
        folded = folded or _fold(text)
        if folded and folded in _folded(source) and (span := _span(folded, source)):
            return Quote(text=text, passage=item.passage.key, span=span)
    return Quote(text=text)


@lru_cache(maxsize=512)
def _folded(text: str) -> str:
    return _fold(text)


def _fold(text: str) -> str:
    return "".join(unicodedata.normalize("NFKD", text).translate(_SAME).split())


def _span(folded: str, source: str) -> Span | None:
    """Span in the source of what equals ``folded``, by an index from folded to original characters."""
    origin: list[int] = []
    pieces: list[str] = []
    for index, char in enumerate(source):
        piece = _fold(char) if ord(char) > 127 else ("" if char.isspace() else char)
        pieces.append(piece)
        origin.extend([index] * len(piece))
    at = "".join(pieces).find(folded)
    return (origin[at], origin[at + len(folded) - 1] + 1) if at >= 0 else None
