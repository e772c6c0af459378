"""Fences around texts that a model reads: tags whose names end in a code that no text between them holds."""

import hashlib
import re
import unicodedata
from collections.abc import Sequence

_BESIDE_LETTERS = re.compile(r"[\W_]+")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def fence_code(texts: Sequence[str]) -> str:
    """A hash of the texts, counted on until none of them contains it.

    The same texts have the same code. A text contains a code however it is dressed: in capitals, wide letters, with
    spaces or invisible characters between. No text can hold the codes to come, since each is a hash of the text.
    """
    joined = "\x1e".join(texts)
    letters = _BESIDE_LETTERS.sub("", unicodedata.normalize("NFKC", joined).casefold())
    attempt = 0
    while (code := _hash(f"{attempt}\x1e{joined}")) in letters:
        attempt += 1
    return code


def sendable(text: str) -> str:
    """The text as UTF-8 can carry it: U+FFFD stands for a lone surrogate."""
    return _SURROGATES.sub("\ufffd", text)


def _hash(seed: str) -> str:
    return hashlib.blake2b(seed.encode("utf-8", "replace"), digest_size=5).hexdigest()
