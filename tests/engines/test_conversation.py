"""One Call with its retries, its repair turn and its larger cap, against a scripted model (a fake, no patch)."""

import asyncio
import json
import time

import pytest

from judge.domain.errors import FatalError, ItemError, ProviderError, RetryableError, UnsupportedError
from judge.domain.judging import AttemptKind, Prompt, Reply, Request, Unscored, Usage
from judge.engines.conversation import Conversation, converse
from judge.engines.judgements import Judgement, Verdicts
from judge.engines.pace import SharedPause
from tests.steps.asking import reply, request


class Scripted:
    """A model that plays replies and errors, and keeps the prompts."""

    provider, base_url, name = "fake", "", "m"

    def __init__(self, *steps: str | Reply | ProviderError) -> None:
        self.steps = list(steps)
        self.prompts: list[Prompt] = []

    async def ask(self, prompt: Prompt) -> Reply:
        self.prompts.append(prompt)
        step = self.steps.pop(0)
        if isinstance(step, ProviderError):
            raise step
        return step if isinstance(step, Reply) else Reply(text=step, usage=Usage(input=10, output=5))

    async def close(self) -> None:
        pass


def talk(model: Scripted, asked: Request, retries: int = 3) -> Conversation[Verdicts]:
    return asyncio.run(converse(model, Judgement(asked), SharedPause(), retries))


def said(**labels: str) -> str:
    return json.dumps({"verdicts": [{"claim_id": key, "label": label} for key, label in labels.items()]})


GOOD = said(c1="not_enough_info")


def kinds(conversation: Conversation[Verdicts]) -> list[str]:
    return [attempt.kind.value for attempt in conversation.attempts]


def test_a_good_reply_is_one_attempt() -> None:
    found = talk(Scripted(GOOD), request())
    assert kinds(found) == ["first"]
    assert found.usable
    assert [verdict.label for verdict in found.result] == ["not_enough_info"]


def test_failures_are_repeated_and_kept() -> None:
    model = Scripted(RetryableError("busy", kind="rate_limited", status=429, raw=b"slow down", retry_after=0.0), GOOD)
    found = talk(model, request())
    assert kinds(found) == ["first", "retry"]
    assert (found.attempts[0].status, found.attempts[0].raw) == (429, b"slow down")
    assert "rate_limited" in (found.attempts[0].error or "")


@pytest.mark.parametrize("retries", [0, 2])
def test_retries_are_counted(retries: int) -> None:
    model = Scripted(*(RetryableError("busy", retry_after=0.0) for _ in range(10)))
    found = talk(model, request(), retries)
    assert len(found.attempts) == retries + 1
    assert found.result[0].unscored is Unscored.PROVIDER_ERROR
    assert not found.usable


def test_one_repair_turn_shows_the_bad_reply() -> None:
    model = Scripted("I like it", GOOD)
    found = talk(model, request())
    assert kinds(found) == ["first", "repair"]
    assert [message.role for message in model.prompts[1].messages[-2:]] == ["assistant", "user"]
    assert "I like it" in model.prompts[1].messages[-2].content
    twice = talk(Scripted("I like it", "still do", GOOD), request())
    assert kinds(twice) == ["first", "repair"]
    assert twice.result[0].unscored is Unscored.UNPARSEABLE


def test_a_repair_fills_what_is_missing_and_changes_no_label() -> None:
    asked = request(3)
    model = Scripted(said(c1="supported", c2="contradicted"), said(c1="contradicted", c3="not_enough_info"))
    found = talk(model, asked)
    assert [verdict.label for verdict in found.result] == ["supported", "contradicted", "not_enough_info"]


def test_a_failed_repair_keeps_what_was_read_before() -> None:
    model = Scripted(said(c1="supported"), ItemError("no", kind="refused"))
    found = talk(model, request(2))
    assert [verdict.label for verdict in found.result] == ["supported", None]
    assert found.usable


def test_a_larger_cap_is_tried_once() -> None:
    asked = request()
    capped = asked.model_copy(update={"prompt": asked.prompt.model_copy(update={"parameters": {"max_tokens": 100}})})
    model = Scripted(reply("{", finish_reason="length"), reply(GOOD))
    found = talk(model, capped)
    assert kinds(found) == ["first", AttemptKind.LARGER_CAP.value]
    assert model.prompts[1].parameters == {"max_tokens": 200}
    assert talk(Scripted(reply("{", finish_reason="length")), asked).result[0].unscored is Unscored.TRUNCATED


def test_the_repair_turn_keeps_the_larger_cap() -> None:
    asked = request()
    capped = asked.model_copy(update={"prompt": asked.prompt.model_copy(update={"parameters": {"max_tokens": 100}})})
    model = Scripted(reply("{", finish_reason="length"), reply("hm"), reply(GOOD))
    assert kinds(talk(model, capped)) == ["first", "larger_cap", "repair"]
    assert model.prompts[2].parameters == {"max_tokens": 200}


@pytest.mark.parametrize("error", [FatalError("no key"), UnsupportedError("no schema", kind="json_schema")])
def test_errors_that_are_not_this_questions_alone_are_told(error: ProviderError) -> None:
    assert talk(Scripted(error), request()).broken is error


def test_attempts_before_such_an_error_are_kept_for_they_are_billed() -> None:
    found = talk(Scripted("I like it", FatalError("key revoked", kind="auth")), request())
    assert kinds(found) == ["first", "repair"]
    assert found.broken is not None
    assert found.attempts[0].reply is not None


@pytest.mark.parametrize(("kind", "reason"), [("context_too_long", "context_too_long"), ("odd", "provider_error")])
def test_an_item_error_is_its_reason(kind: str, reason: str) -> None:
    found = talk(Scripted(ItemError("no", kind=kind)), request())
    assert found.result[0].unscored == reason
    assert len(found.attempts) == 1


def test_stored_replies_are_read_again_to_the_same_verdicts() -> None:
    asked = request(3)
    found = talk(Scripted(said(c1="supported"), said(c2="supported", c3="contradicted")), asked)
    replies = [attempt.reply for attempt in found.attempts if attempt.reply]
    assert Judgement(asked).hear(replies).result == found.result


def test_a_pause_holds_everybody() -> None:
    async def wait() -> float:
        pace = SharedPause()
        started = time.monotonic()
        await pace.pause(started + 0.2)
        await pace.pause(started + 0.05)  # a shorter one does not end it
        await asyncio.gather(*(pace.acquire(1) for _ in range(3)))
        return time.monotonic() - started

    assert asyncio.run(wait()) >= 0.2
