"""Fences around texts that a model reads: tags whose names end in a code that no text between them holds."""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_BESIDE_LETTERS = re.compile(r"[\W_]+")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def fence_code(shared: Sequence[str], asked: str = "") -> str:
    """A hash of the shared texts, counted on until no text contains it; the same texts have the same code.

    A text contains a code however it is dressed: in capitals, wide letters, with spaces or invisible characters
    between. No text can hold the codes to come, since each is a hash of the text.

    Args:
        shared: texts that many prompts have in common, as the claims of one answer do: their prompts begin alike.
        asked: the rest that is fenced; it is part of the code from the second try on.
    """
    joined = "\x1e".join(shared)
    shown = (_shared_letters(joined), _letters(asked))
    code, attempt = _hash(f"0\x1e{joined}"), 0
    while any(code in text for text in shown):
        attempt += 1
        code = _hash(f"{attempt}\x1e{joined}\x1e{asked}")
    return code


def sendable(text: str) -> str:
    """The text as UTF-8 can carry it: U+FFFD stands for a lone surrogate."""
    return _SURROGATES.sub("\ufffd", text)


def _hash(seed: str) -> str:
    return hashlib.blake2b(seed.encode("utf-8", "replace"), digest_size=5).hexdigest()


def _letters(text: str) -> str:
    return _BESIDE_LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=8)
def _shared_letters(text: str) -> str:
    """Kept, since the claims of an answer share most of what they show."""
    return _letters(text)
