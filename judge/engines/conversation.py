"""One Call: a request with its retries, its repair turn and its larger cap, until its question is settled."""

import asyncio
import random
import time
from collections.abc import Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from judge.domain.errors import FatalError, ItemError, ProviderError, RetryableError, UnsupportedError
from judge.domain.judging import Attempt, AttemptKind, Model, Prompt, Reply, Request, Unscored
from judge.engines.pace import Pace
from judge.steps.requests import larger_cap

T = TypeVar("T")
REPAIRABLE = (Unscored.UNPARSEABLE, Unscored.OFF_SCALE, Unscored.MISSING_FROM_REPLY)
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds of back-off: doubled each time, with jitter, unless the endpoint says how long."""


class Heard(NamedTuple, Generic[T]):
    """What the replies of a Call say."""

    result: T
    """What was asked for, with reasons in place of what could not be read."""
    problem: Unscored | None
    """What a repair turn or a larger cap might mend; None when all was read."""
    usable: bool
    """Whether the Call is not to be sent again."""


class Question(Protocol[T]):
    """Something to ask, and how its replies are read; judging and splitting each have one."""

    @property
    def request(self) -> Request:
        """What is sent, under which identity."""

    def hear(self, replies: Sequence[Reply]) -> Heard[T]:
        """Read the replies of the Call so far, oldest first; the same replies read the same for ever."""

    def give_up(self, reason: Unscored, said: str | None) -> T:
        """The result when nothing could be read."""

    def repair(self, prompt: Prompt, reply: Reply, problem: Unscored) -> Prompt:
        """One more turn that shows what was wrong."""

    def tally(self, result: T) -> tuple[int, int]:
        """How many things a result decides, and how many of them are without a usable judgement."""


class Conversation(NamedTuple, Generic[T]):
    """A Call as it went."""

    attempts: tuple[Attempt, ...]
    """All requests sent, failed ones among them."""
    result: T
    """What came of it."""
    usable: bool
    """Whether its replies are the cache's from now on."""
    broken: FatalError | UnsupportedError | None = None
    """An error that is not this question's alone; the attempts before it are billed all the same."""


async def converse(model: Model, question: Question[T], pace: Pace, retries: int) -> Conversation[T]:
    """Ask until the question is settled, within ``retries`` repeats of a failed request."""
    attempts: list[Attempt] = []
    replies: list[Reply] = []
    prompt, kind, failures = question.request.prompt, AttemptKind.FIRST, 0
    while True:
        started = time.monotonic()
        try:
            reply = await _send(model, prompt, pace)
        except ProviderError as error:
            attempts.append(_failed(kind, error, started))
            failures += 1
            if isinstance(error, RetryableError) and failures <= retries:
                await _wait(pace, error, failures)
                kind = AttemptKind.RETRY if kind is AttemptKind.FIRST else kind
                continue
            return _given_up(attempts, replies, question, error)
        attempts.append(Attempt(kind=kind, reply=reply, status=200, latency_ms=reply.latency_ms))
        replies.append(reply)
        heard = question.hear(replies)
        step = _next(question, prompt, reply, heard.problem, attempts)
        if step is None:
            return Conversation(tuple(attempts), heard.result, heard.usable)
        prompt, kind = step


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
    attempts: Sequence[Attempt], replies: Sequence[Reply], question: Question[T], error: ProviderError
) -> Conversation[T]:
    broken = error if isinstance(error, FatalError | UnsupportedError) else None
    if replies:  # a repair turn failed on the way: what was read before it stands
        heard = question.hear(replies)
        return Conversation(tuple(attempts), heard.result, heard.usable, broken)
    reason = Unscored.PROVIDER_ERROR
    if isinstance(error, ItemError) and error.kind in set(Unscored):
        reason = Unscored(error.kind)
    return Conversation(tuple(attempts), question.give_up(reason, str(error)), usable=False, broken=broken)


def _next(
    question: Question[T], prompt: Prompt, reply: Reply, problem: Unscored | None, attempts: Sequence[Attempt]
) -> tuple[Prompt, AttemptKind] | None:
    """What to send after a reply that left something open, or None: at most one repair and one larger cap."""
    kinds = {attempt.kind for attempt in attempts}
    if problem is Unscored.TRUNCATED and AttemptKind.LARGER_CAP not in kinds:
        larger = larger_cap(prompt)
        return (larger, AttemptKind.LARGER_CAP) if larger else None
    if problem in REPAIRABLE and AttemptKind.REPAIR not in kinds:
        return question.repair(prompt, reply, problem), AttemptKind.REPAIR
    return None
