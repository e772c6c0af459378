"""What only the fast lane shows: broken transport and bodies, one session, and no key anywhere."""

import asyncio
import time

import pytest

from judge.domain.errors import FatalError, RetryableError, UnsupportedError
from judge.domain.judging import Message, Prompt
from judge.llm.fast import FastModel

KEY = "super-secret-0123456789"
PROMPT = Prompt(messages=(Message(role="user", content="hi"),), rung="text")


def run(url, prompts=(PROMPT,), timeout=10.0, **kw):
    async def go():
        model = FastModel("openai", url, "gpt-4o-mini", key=KEY, timeout=timeout, **kw)
        try:
            return await asyncio.gather(*(model.ask(prompt) for prompt in prompts))
        finally:
            await model.close()

    return asyncio.run(go())


def failed(url, error, kind, **kw):
    with pytest.raises(error) as caught:
        run(url, **kw)
    assert caught.value.kind == kind
    assert KEY not in str(caught.value)
    assert KEY.encode() not in caught.value.raw
    return caught.value


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        ({"reset": True, "content": "x" * 5000}, "connection"),
        ({"body": '{"choices": [{"message"'}, "bad_body"),
        ({"body": "<html>busy</html>", "content_type": "text/html"}, "bad_body"),
        ({"body": "data: {}\n\n", "content_type": "text/event-stream"}, "bad_body"),
        ({"body": "[1]"}, "bad_body"),
        ({"body": ""}, "bad_body"),
        ({"choices": []}, "empty_choices"),
        ({"json": {"object": "chat.completion"}}, "empty_choices"),
        ({"choices": ["x"]}, "empty_choices"),
        ({"json": {"error": {"code": 429, "message": "upstream is busy"}}}, "rate_limited"),
        ({"json": {"error": {"message": "no upstream"}}}, "server"),
        ({"status": 529, "body": "overloaded", "content_type": "text/plain"}, "overloaded"),
        ({"status": 408, "body": ""}, "server"),
    ],
)
def test_what_may_pass_is_worth_another_attempt(openai_stub, step, kind):
    openai_stub.script(default=step)
    failed(openai_stub.url, RetryableError, kind)
    assert openai_stub.stats()["requests"] == 1


@pytest.mark.parametrize("step", [{"hang": "connect"}, {"hang": "body"}, {"drip": 0.05}, {"delay": 5}])
def test_a_call_ends_within_its_time_limit(openai_stub, step):
    openai_stub.script(default=step)
    started = time.perf_counter()
    failed(openai_stub.url, RetryableError, "timeout", timeout=0.4)
    assert time.perf_counter() - started < 3


def test_a_closed_port_is_worth_another_attempt():
    failed("http://127.0.0.1:9/v1", RetryableError, "connection")


def test_a_redirect_is_not_followed(openai_stub):
    openai_stub.script(default={"status": 307, "headers": {"Location": "http://127.0.0.1:9/"}, "body": ""})
    failed(openai_stub.url, FatalError, "redirect")
    assert openai_stub.stats()["requests"] == 1


def test_rungs_are_rejected_one_after_the_other(openai_stub):
    openai_stub.script(reject=["json_schema", "json_object"], default="ok")
    schema = PROMPT.model_copy(update={"rung": "json_schema", "json_schema": {"type": "object"}})
    failed(openai_stub.url, UnsupportedError, "json_schema", prompts=(schema,))
    failed(
        openai_stub.url, UnsupportedError, "json_object", prompts=(PROMPT.model_copy(update={"rung": "json_object"}),)
    )
    assert run(openai_stub.url)[0].text == "ok"


def test_content_may_be_a_list_of_parts(openai_stub):
    parts = [{"type": "thinking", "text": "no"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}, 5]
    openai_stub.script(default={"message": {"role": "assistant", "content": parts}})
    assert run(openai_stub.url)[0].text == "ab"


def test_odd_fields_are_left_out_not_believed(openai_stub):
    openai_stub.script(
        default={
            "content": "x",
            "usage": {"prompt_tokens": -1, "completion_tokens": "many", "prompt_cache_hit_tokens": 4},
            "logprobs": {"content": [{"token": 1}, {"token": "a", "logprob": None}, {"token": "b", "logprob": -1}]},
            "model": None,
            "finish_reason": None,
        }
    )
    (reply,) = run(openai_stub.url)
    assert (reply.usage.input, reply.usage.output, reply.usage.cached, reply.usage.reasoning) == (None, None, 4, None)
    assert reply.logprobs == (("b", -1.0),)
    assert (reply.served_model, reply.finish_reason, reply.cost) == (None, None, None)


def test_calls_share_one_session_and_its_limit(openai_stub):
    openai_stub.script(default={"content": "x", "delay": 0.05})
    assert len(run(openai_stub.url, [PROMPT] * 12, concurrency=3)) == 12
    assert openai_stub.stats() == {"requests": 12, "max_in_flight": 3, "in_flight": 0}


def test_the_cost_is_that_of_the_tokens(openai_stub):
    openai_stub.script(default={"content": "x", "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 0}})
    (reply,) = run(openai_stub.url)
    assert (reply.cost, reply.currency) == (pytest.approx(0.15), "USD")


def test_an_echoed_key_is_neither_shown_nor_stored(openai_stub):
    told = {"error": {"message": f"bad key {KEY} and Bearer abc.def and sk-proj-abcdef123 for team-pass-77"}}
    openai_stub.script(default={"status": 401, "json": told})
    error = failed(openai_stub.url, FatalError, "auth", headers={"X-Pass": "team-pass-77"})
    assert str(error) == "bad key *** and Bearer *** and *** for ***"
    assert b"team-pass-77" not in error.raw
    assert KEY not in repr(FastModel("openai", openai_stub.url, "m", key=KEY))
    openai_stub.script(default={"content": f"your key is {KEY}"})
    assert KEY.encode() not in run(openai_stub.url)[0].raw


def test_surrogates_in_parameters_are_a_clear_error(openai_stub):
    failed(
        openai_stub.url,
        FatalError,
        "parameters",
        prompts=(PROMPT.model_copy(update={"parameters": {"stop": "\ud800"}}),),
    )
