"""One Call: a request with its retries, its repair turn and its larger cap, until there are verdicts."""

import asyncio
import random
import time
from collections.abc import Sequence
from typing import NamedTuple

from judge.domain.errors import FatalError, ItemError, ProviderError, RetryableError, UnsupportedError
from judge.domain.judging import Attempt, AttemptKind, Model, Prompt, Reply, Request, Unscored, Verdict
from judge.domain.rubrics import Language
from judge.engines.pace import Pace
from judge.steps.requests import larger_cap, repair
from judge.steps.verdicts import Reading, read_reply, unscored_all

REPAIRABLE = (Unscored.UNPARSEABLE, Unscored.OFF_SCALE, Unscored.MISSING_FROM_REPLY)
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds of back-off: doubled each time, with jitter, unless the endpoint says how long."""


class Conversation(NamedTuple):
    """A Call as it went."""

    attempts: tuple[Attempt, ...]
    verdicts: tuple[Verdict, ...]
    usable: bool


async def converse(model: Model, request: Request, pace: Pace, retries: int) -> Conversation:
    """Ask until every unit has a verdict or a reason, within ``retries`` repeats of a failed request.

    Raises:
        FatalError: every further request would fail as well.
        UnsupportedError: the endpoint does not take this rung.
    """
    attempts: list[Attempt] = []
    replies: list[Reply] = []
    prompt, kind, failures = request.prompt, AttemptKind.FIRST, 0
    while True:
        started = time.monotonic()
        try:
            reply = await _send(model, prompt, pace)
        except (FatalError, UnsupportedError):
            raise
        except ProviderError as error:
            attempts.append(_failed(kind, error, started))
            failures += 1
            if isinstance(error, RetryableError) and failures <= retries:
                await _wait(pace, error, failures)
                kind = AttemptKind.RETRY if kind is AttemptKind.FIRST else kind
                continue
            return _given_up(attempts, replies, request, error)
        attempts.append(Attempt(kind=kind, reply=reply, status=200, latency_ms=reply.latency_ms))
        replies.append(reply)
        reading = read_all(replies, request)
        step = _next(request, reply, reading, attempts)
        if step is None:
            return Conversation(tuple(attempts), reading.verdicts, _usable(reading.verdicts))
        prompt, kind = step


def read_all(replies: Sequence[Reply], request: Request) -> Reading:
    """Read the replies of one Call: a unit's first label stands, later replies fill what is missing."""
    reading = read_reply(replies[0], request)
    for reply in replies[1:]:
        later = read_reply(reply, request)
        merged = tuple(
            old if old.label is not None or new.label is None else new
            for old, new in zip(reading.verdicts, later.verdicts, strict=True)
        )
        problem = later.problem if any(verdict.label is None for verdict in merged) else None
        reading = Reading(merged, problem)
    return reading


def _usable(verdicts: Sequence[Verdict]) -> bool:
    """A reply that decided a unit, or refused to, is not asked for again."""
    return any(verdict.label is not None or verdict.unscored is Unscored.REFUSED for verdict in verdicts)


async def _send(model: Model, prompt: Prompt, pace: Pace) -> Reply:
    estimate = sum(len(message.content) for message in prompt.messages) // 3
    await pace.acquire(estimate)
    reply: Reply | None = None
    try:
        reply = await model.ask(prompt)
    finally:
        usage = reply.usage if reply else None
        known = usage and usage.input is not None and usage.output is not None
        await pace.settle((usage.input or 0) + (usage.output or 0) if usage and known else None)
    return reply


async def _wait(pace: Pace, error: RetryableError, failures: int) -> None:
    if error.retry_after is not None:
        await pace.pause(time.monotonic() + error.retry_after)
        return
    longest = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (failures - 1))
    await asyncio.sleep(longest * random.uniform(0.5, 1.0))  # noqa: S311 - jitter, not a secret


def _failed(kind: AttemptKind, error: ProviderError, started: float) -> Attempt:
    took = (time.monotonic() - started) * 1000
    text = f"{error.kind}: {error}"
    return Attempt(kind=kind, error=text, status=error.status, raw=error.raw, latency_ms=took)


def _given_up(
    attempts: Sequence[Attempt], replies: Sequence[Reply], request: Request, error: ProviderError
) -> Conversation:
    if replies:  # a repair turn failed on the way: what was read before it stands
        verdicts = read_all(replies, request).verdicts
        return Conversation(tuple(attempts), verdicts, _usable(verdicts))
    reason = Unscored.PROVIDER_ERROR
    if isinstance(error, ItemError) and error.kind in set(Unscored):
        reason = Unscored(error.kind)
    return Conversation(tuple(attempts), unscored_all(request, reason, str(error)), usable=False)


def _next(
    request: Request, reply: Reply, reading: Reading, attempts: Sequence[Attempt]
) -> tuple[Prompt, AttemptKind] | None:
    """What to send after a reply that left something open, or None: at most one repair and one larger cap."""
    kinds = {attempt.kind for attempt in attempts}
    if reading.problem is Unscored.TRUNCATED and AttemptKind.LARGER_CAP not in kinds:
        larger = larger_cap(request.prompt)
        return (larger, AttemptKind.LARGER_CAP) if larger else None
    if reading.problem in REPAIRABLE and AttemptKind.REPAIR not in kinds:
        return repair(request.prompt, reply, reading.problem, _language(request)), AttemptKind.REPAIR
    return None


def _language(request: Request) -> Language:
    return request.prompt.subject.language if request.prompt.subject else "en"
