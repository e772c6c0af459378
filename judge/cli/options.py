"""Reads the options that carry a small language of their own."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from judge.domain.errors import UsageError

_WORD = re.compile(r"[A-Za-z_][\w.-]*")
_ENVIRONMENT = "the environment variable of the provider"
_OURS = "nothing: it is part of how judging works"
INSTEAD = {
    "api_key": _ENVIRONMENT,
    "api_base": "--api-base",
    "base_url": "--api-base",
    "headers": "--header",
    "extra_headers": "--header",
    "default_headers": "--header",
    "model": "--model",
    "timeout": "--timeout",
    "num_retries": "--retries",
    "max_retries": "--retries",
    **dict.fromkeys(("fallbacks", "mock_response", "messages", "stream", "n", "response_format", "tools"), _OURS),
}
"""Names that are no parameters of a judge, and what to use instead; parameters are stored and shown."""
_SECRET = re.compile(
    r"api_?key|access_key|secret|passw|credential|authori[sz]ation|(?:\b|ad_|auth_|access_|session_|bearer_)token$"
)
LARGEST = 2**53
"""Numbers up to which a float without a fraction is a whole number for certain."""


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

    ``extra_body.enable_thinking=false`` becomes ``{"extra_body": {"enable_thinking": False}}``. Equal numbers are
    written alike (0.0 is 0), since a judge's identity holds them.

    Raises:
        UsageError: no JSON, a number that is none, a secret, or a name that has an option or a place of its own.
    """
    found: dict[str, Any] = {}
    for key, text in pairs("--param", given).items():
        *path, last = key.split(".")
        _refuse_secrets(dict.fromkeys((*path, last)))  # before its value is read, for an error would show it
        place = found
        for part in path:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise UsageError(f"--param {key}: {part!r} has a value already and can't have parts")
        place[last] = _plain(key, _value(key, text))
    _refuse(found)
    body = found.get("extra_body")
    _refuse(body if isinstance(body, dict) else {}, "extra_body.")
    _refuse_secrets(found)
    return found


def _refuse(names: Mapping[str, Any], inside: str = "") -> None:
    for name in names:
        if instead := INSTEAD.get(_folded(name)):
            raise UsageError(f"--param {inside}{name} can't be set; use {instead}")


def _refuse_secrets(value: Any) -> None:
    """Keys must not be stored, so none may stand in a parameter at any depth."""
    for name in value if isinstance(value, dict) else ():
        if _SECRET.search(_folded(name)):
            raise UsageError(
                f"--param {name} holds a secret, and parameters are stored; use {_ENVIRONMENT} or --header"
            )
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        _refuse_secrets(one)


def _folded(name: str) -> str:
    return name.strip().casefold().replace("-", "_")


def _value(key: str, text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        if _WORD.fullmatch(text) and text not in ("NaN", "Infinity"):
            return text
        raise UsageError(
            f"--param {key}: {text!r} is no JSON ({error}); a text needs quotes: {key}='\"...\"'"
        ) from error


def _plain(key: str, value: Any) -> Any:
    """The value with whole numbers as such at any depth."""
    if isinstance(value, dict):
        return {name: _plain(key, one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(key, one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(f"--param {key}: the number is too large")
    whole = isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST
    return int(value) if whole else value


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON number")
