"""The frozen base of all nouns, and the identity of their content."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Noun(BaseModel):
    """A frozen value; unknown keys are refused, the string under a field is its meaning."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy; one with other values forgets what was computed from the old ones (an identity, say)."""
        copied = super().model_copy(update=update, deep=deep)
        if update:
            for name in copied.__dict__.keys() - type(self).model_fields.keys():
                del copied.__dict__[name]
        return copied


Span = tuple[int, int]
"""Half-open, in Unicode code points."""


def content_hash(value: Any) -> bytes:
    """The 16-byte identity of a JSON-able value: equal content, equal hash, on any machine.

    Key order does not matter; nouns are taken by their JSON form. BLAKE2b, 128 bits.
    """
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_plain, allow_nan=False)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"{type(value).__name__} has no JSON form")
