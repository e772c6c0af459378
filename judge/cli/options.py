"""Reads the options that carry a small language of their own."""

import json
import re
from collections.abc import Sequence
from typing import Any

from judge.domain.errors import UsageError

_WORD = re.compile(r"[A-Za-z_][\w.-]*")


def pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    """``K=V`` options as a dictionary."""
    found = {}
    for pair in given:
        key, sep, value = pair.partition("=")
        if not sep or not key.strip():
            raise UsageError(f"{option} {pair.split('=')[0]!r} has no '='; expected KEY=VALUE")
        found[key.strip()] = value.strip()
    return found


def parameters(given: Sequence[str]) -> dict[str, Any]:
    """``--param KEY=JSON`` options, dotted keys nested; a plain word needs no quotes.

    ``extra_body.enable_thinking=false`` becomes ``{"extra_body": {"enable_thinking": False}}``.
    """
    found: dict[str, Any] = {}
    for key, text in pairs("--param", given).items():
        *path, last = key.split(".")
        place = found
        for part in path:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise UsageError(f"--param {key}: {part!r} has a value already and can't have parts")
        place[last] = _value(key, text)
    return found


def _value(key: str, text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except ValueError as error:
        if _WORD.fullmatch(text):
            return text
        raise UsageError(
            f"--param {key}: {text!r} is no JSON ({error}); a text needs quotes: {key}='\"...\"'"
        ) from error


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON number")
