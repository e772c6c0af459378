"""Foreign errors, mapped at the door: one HTTP status and body -> one error of our tree, without any key in it."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

import orjson

from judge.domain.errors import FatalError, ItemError, ProviderError, RetryableError, UnsupportedError
from judge.domain.judging import Rung

SHOWN = 300
"""Characters of an endpoint's message that are shown."""
LONGEST_WAIT = 3600.0
"""Seconds; a longer Retry-After is cut to it."""
HIDDEN_IN_ERRORS = 8
"""Characters from which a key or header value is masked in what an endpoint says of an error."""
HIDDEN_IN_REPLIES = 16
"""The same for a reply's stored bytes; shorter ones are words that a reply may well use."""

_REFUSED = re.compile(
    r"content_filter|content_policy|content management policy|ResponsibleAIPolicyViolation|data_?inspection_?failed|"
    r"content exists risk|considered high risk|inappropriate content|invalid_prompt|was flagged|requires moderation|"
    r"usage (?:polic(?:y|ies)|guidelines)|sensitive[ _]?(?:content|information)|敏感内容|不安全",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"context_length_exceeded|context[ _](?:length|window|size)|prompt is too long|input (?:is )?too long|"
    r"too many (?:input )?tokens|range of input length|input (?:token )?length|model token limit|"
    r"maximum (?:input|prompt|number of input) (?:length|tokens)|exceed_context|max(?:imum)? (?:model )?length|"
    r"max_seq_len|tokens[`' ]*\+[`' ]*max_new_tokens|inputs[`' ]* must have less than|max message tokens|"
    r"prompt exceeds|超长|输入长度|上下文长度",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient_user_quota|exceeded_current_quota|insufficient[ _]balance|"
    r"budget[ _](?:has been )?exceeded|arrearage|billing_hard_limit|credit balance|欠费|余额不足",
    re.IGNORECASE,
)
_EITHER_LIMIT = re.compile(r"insufficient_quota|exceeded (?:your )?current quota", re.IGNORECASE)
"""Said of money that is used up, and by some of a limit per minute."""
_PASSING = re.compile(r"retry in|retry_?delay|RESOURCE_EXHAUSTED|per ?minute", re.IGNORECASE)
_PER_MINUTE = ("dashscope", "qwen")
"""Endpoints that say ``insufficient_quota`` of their limits per minute."""
_WAIT_TOLD = re.compile(r"(?:retry|try again) in ([\d.]+[\dhms.]*)|retry_?delay\W{1,6}([\d.]+s)", re.IGNORECASE)
_FORMAT = re.compile(
    r"response[ _]format|json[ _]?schema|json[ _]?object|json mode|structured[ _]outputs?|guided[ _](?:json|decoding)",
    re.IGNORECASE,
)
_KEY = re.compile(r"\b(?:sk|gsk|xai)-[\w*.-]{6,}|(?<=Bearer )\S+", re.IGNORECASE)
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")


def failure(
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    rung: Rung,
    secrets: Iterable[str],
    now: datetime,
    endpoint: str = "",
) -> ProviderError:
    """The error of our tree for a response that is no reply.

    Args:
        status: HTTP status.
        headers: of the response; names in lower case.
        body: as it came.
        rung: how the request asked for JSON; a rejected format is only that when one was asked for.
        secrets: keys and header values that must never be shown or stored.
        now: for a Retry-After that is a date.
        endpoint: provider and address; the same words mean other things at some.
    """
    secrets = tuple(secrets)
    raw = masked_bytes(body, secrets, HIDDEN_IN_ERRORS)
    code, message = _told(body)
    text = f"{code} {message}"
    shown = masked(" ".join(message.split())[:SHOWN], secrets) or f"HTTP {status}"
    kind_of, kind = _kind(status, text, rung, endpoint)
    wait = (retry_after(headers, now) or _wait_told(text)) if kind_of is RetryableError else None
    return kind_of(f"{shown}{_advice(text)}", kind=kind, status=status, raw=raw, retry_after=wait)


def masked(text: str, secrets: Iterable[str]) -> str:
    """The text without the secrets and without anything that looks like a key."""
    for secret in secrets:
        if len(secret) >= HIDDEN_IN_ERRORS:
            text = text.replace(secret, "***")
    return _KEY.sub("***", text)


def masked_bytes(body: bytes, secrets: Iterable[str], shortest: int) -> bytes:
    """The body, byte for byte but for our own secrets of at least ``shortest`` characters, should they be echoed."""
    for secret in secrets:
        word = secret.encode("utf-8", "replace")
        if len(secret) >= shortest and word in body:
            body = body.replace(word, b"***")
    return body


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that the endpoint asks to wait: Retry-After (seconds, date, ms), else the reset of an exhausted limit.

    None where it names no time, or none that lies ahead: then our own back-off holds.
    """
    if (value := headers.get("retry-after-ms", "").strip()) and _is_number(value):
        return _bounded(float(value) / 1000)
    if value := headers.get("retry-after", "").strip():
        if _is_number(value):
            return _bounded(float(value))
        try:
            return _bounded((parsedate_to_datetime(value) - now).total_seconds())
        except (ValueError, TypeError):
            return None
    resets = [
        seconds
        for what in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{what}") == "0"
        and (seconds := _duration(headers.get(f"x-ratelimit-reset-{what}", ""))) is not None
    ]
    return _bounded(max(resets)) if resets else None


def _kind(status: int, text: str, rung: Rung, endpoint: str) -> tuple[type[ProviderError], str]:
    """The class and kind of an error; the first rule that holds, from what stops a run to what stops one request."""
    slow = {429: "rate_limited", 503: "overloaded", 529: "overloaded"}
    passing = status in (408, 409, 425, 429) or (status >= 500 and status != 501)
    rules: tuple[tuple[object, type[ProviderError], str], ...] = (
        (status == 402 or (status < 500 and _used_up(status, text, endpoint)), FatalError, "quota"),
        (passing, RetryableError, slow.get(status, "server")),
        (status in (401, 407), FatalError, "auth"),
        (_REFUSED.search(text), ItemError, "refused"),
        (status == 403, FatalError, "auth"),
        ("json_validate_failed" in text, RetryableError, "json_validate_failed"),
        (rung != "text" and _FORMAT.search(text), UnsupportedError, rung),
        (status == 413 or _TOO_LONG.search(text), ItemError, "context_too_long"),
        (status == 404, FatalError, "unknown_model"),
    )
    return next(((error, kind) for holds, error, kind in rules if holds), (FatalError, "bad_request"))


def _used_up(status: int, text: str, endpoint: str) -> bool:
    """Whether money or a quota is gone, and not only a limit per minute that is worded alike."""
    if _QUOTA.search(text):
        return True
    per_minute = status == 429 and (_PASSING.search(text) or any(name in endpoint for name in _PER_MINUTE))
    return bool(_EITHER_LIMIT.search(text)) and not per_minute


def _told(body: bytes) -> tuple[str, str]:
    """Code words and message of an error body, in the forms that endpoints use."""
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        return "", body.decode("utf-8", "replace").strip()
    if isinstance(data, list) and len(data) == 1:
        data = data[0]  # Gemini's
    error = data.get("error", data) if isinstance(data, dict) else data
    if not isinstance(error, dict):
        return "", str(error)
    words = [error.get("code"), error.get("type"), error.get("status"), _inner(error), _delay(error)]
    message = error.get("message") or error.get("msg") or _detail(error.get("detail"))
    return " ".join(str(word) for word in words if word), str(message)


def _inner(error: Mapping[str, Any]) -> str:
    for name in ("innererror", "metadata"):
        if isinstance(inner := error.get(name), dict):
            return str(inner.get("code") or inner.get("raw") or "")
    return ""


def _delay(error: Mapping[str, Any]) -> str:
    """Gemini's wait, which may stand beside the message only."""
    details = error.get("details")
    listed = details if isinstance(details, list) else []
    delays = [one["retryDelay"] for one in listed if isinstance(one, dict) and "retryDelay" in one]
    return f"retryDelay {delays[0]}" if delays else ""


def _detail(detail: Any) -> str:
    """FastAPI's list of what was wrong, without the judged text that it gives back in ``input``."""
    if not isinstance(detail, list):
        return str(detail or "")
    return "; ".join(
        f"{_place(one.get('loc'))} {one.get('msg', '')}".strip() for one in detail if isinstance(one, dict)
    )


def _place(loc: Any) -> str:
    return ".".join(map(str, loc)) if isinstance(loc, list) else ""


def _wait_told(text: str) -> float | None:
    told = _WAIT_TOLD.search(text)
    seconds = _duration((told[1] or told[2]).rstrip(".")) if told else None
    return None if seconds is None else _bounded(seconds)


def _advice(text: str) -> str:
    if "enable_thinking" in text:
        return "; try --param extra_body.enable_thinking=false"
    return ""


def _is_number(value: str) -> bool:
    return re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", value) is not None


def _duration(text: str) -> float | None:
    if _is_number(text.strip()):
        return float(text)
    match = _DURATION.fullmatch(text.strip())
    if match is None or not match.group():
        return None
    hours, minutes, seconds, millis = (float(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + seconds + millis / 1000


def _bounded(seconds: float) -> float | None:
    return min(seconds, LONGEST_WAIT) if seconds > 0 else None
