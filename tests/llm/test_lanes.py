"""The same behaviour over both lanes, against a real HTTP server in its own process."""

import asyncio
import json
import time

import pytest

from judge.domain.errors import FatalError, ItemError, RetryableError, UnsupportedError
from judge.domain.judging import Message, Prompt, Usage
from judge.llm.models import open_model

pytestmark = pytest.mark.filterwarnings("ignore:Items? .* using the `ReadOnly` qualifier:UserWarning")

VERDICT = '{"rationale": "r", "label": "supported"}'
SCHEMA = {
    "type": "object",
    "properties": {"label": {"type": "string", "enum": ["supported"]}},
    "required": ["label"],
    "additionalProperties": False,
}
KEY = "sk-test-0123456789abcdef"


def prompt(rung="json_schema", **parameters):
    return Prompt(
        messages=(Message(role="system", content="judge"), Message(role="user", content="claim 判断")),
        json_schema=SCHEMA if rung == "json_schema" else None,
        rung=rung,
        parameters=parameters,
    )


@pytest.fixture(params=["fast", "litellm"])
def ask(request, openai_stub, monkeypatch):
    """Ask one prompt of the scripted server over a lane; a new model for each call."""
    monkeypatch.setenv("LITELLM_PROXY_API_KEY", KEY)
    name = {"fast": "openai/gpt-4o-mini", "litellm": "litellm_proxy/gpt-4o-mini"}[request.param]

    def run(asked, timeout=20.0, **kw):
        async def once():
            environment = {"OPENAI_API_KEY": KEY}
            model = open_model(name, api_base=openai_stub.url, timeout=timeout, environment=environment, **kw)
            try:
                return await model.ask(asked)
            finally:
                await model.close()

        return asyncio.run(once())

    return run


def failed(ask, error, kind, asked=None, **kw):
    with pytest.raises(error) as caught:
        ask(asked or prompt(), **kw)
    assert type(caught.value) is error
    assert caught.value.kind == kind
    assert KEY not in str(caught.value)
    assert KEY.encode() not in caught.value.raw
    return caught.value


def test_a_reply_comes_with_all_that_the_endpoint_said(ask, openai_stub):
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": 120,
        "prompt_tokens_details": {"cached_tokens": 60},
        "completion_tokens_details": {"reasoning_tokens": 7},
    }
    content = [{"token": "x", "logprob": -0.5, "bytes": [120], "top_logprobs": []}]
    openai_stub.script(
        default={
            "content": VERDICT,
            "usage": usage,
            "logprobs": {"content": content},
            "model": "gpt-4o-mini-2024-07-18",
            "fingerprint": "fp_9",
        }
    )
    reply = ask(prompt())
    assert reply.text == VERDICT
    assert reply.usage == Usage(input=100, output=20, cached=60, reasoning=7)
    assert (reply.finish_reason, reply.refusal, reply.fingerprint) == ("stop", None, "fp_9")
    assert reply.served_model.endswith("gpt-4o-mini-2024-07-18")
    assert reply.logprobs == (("x", -0.5),)
    assert reply.latency_ms > 0
    assert json.loads(reply.raw)["choices"][0]["message"]["content"] == VERDICT


def test_the_request_holds_messages_parameters_and_schema(ask, openai_stub):
    openai_stub.script(default=VERDICT)
    ask(prompt(temperature=0, extra_body={"enable_thinking": False}), headers={"X-Team": "eval-team"})
    (sent,) = openai_stub.requests()
    body = sent["body"]
    assert body["messages"][1] == {"role": "user", "content": "claim 判断"}
    assert (body["temperature"], body["enable_thinking"]) == (0, False)
    assert "extra_body" not in body
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert body["response_format"]["json_schema"]["strict"] is True
    headers = {name.lower(): value for name, value in sent["headers"].items()}
    assert (headers["authorization"], headers["x-team"]) == (f"Bearer {KEY}", "eval-team")
    assert sent["path"] == "/v1/chat/completions"


@pytest.mark.parametrize("rung", ["json_object", "text"])
def test_lower_rungs_ask_for_less(ask, openai_stub, rung):
    openai_stub.script(default=VERDICT)
    ask(prompt(rung))
    wanted = {"json_object": {"type": "json_object"}, "text": None}[rung]
    assert openai_stub.requests()[0]["body"].get("response_format") == wanted


def call(name, arguments):
    return [{"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}]


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ({"tool_calls": call("json_tool_call", VERDICT)}, VERDICT),
        ({"tool_calls": call("verdict", VERDICT)}, VERDICT),
        ({"tool_calls": call("web_search", VERDICT)}, ""),
        ({"reasoning_content": VERDICT}, VERDICT),
        ({"reasoning_content": f"first {VERDICT}"}, ""),
        ({"content": VERDICT, "reasoning_content": '{"label": "contradicted"}'}, VERDICT),
        ({"content": ""}, ""),
    ],
)
def test_the_words_to_parse_are_found(ask, openai_stub, step, text):
    openai_stub.script(default=step)
    assert ask(prompt()).text == text


def test_a_refusal_and_a_cut_come_through(ask, openai_stub):
    openai_stub.script(replies=[{"refusal": "I cannot help", "finish_reason": "content_filter"}])
    reply = ask(prompt())
    assert (reply.text, reply.finish_reason) == ("", "content_filter")
    openai_stub.script(replies=[{"content": "x", "finish_reason": "length"}])
    assert ask(prompt()).finish_reason == "length"


@pytest.mark.parametrize(
    ("status", "code", "message", "error", "kind"),
    [
        (401, "invalid_api_key", f"Incorrect API key provided: {KEY}", FatalError, "auth"),
        (403, "forbidden", "no access", FatalError, "auth"),
        (404, "model_not_found", "The model does not exist", FatalError, "unknown_model"),
        (429, "insufficient_quota", "You exceeded your current quota", FatalError, "quota"),
        (402, "", "Insufficient Balance", FatalError, "quota"),
        (400, "budget_exceeded", "Budget has been exceeded! Current cost: 11", FatalError, "quota"),
        (429, "rate_limit_exceeded", "Rate limit reached", RetryableError, "rate_limited"),
        (500, "", "server error", RetryableError, "server"),
        (503, "", "overloaded", RetryableError, "overloaded"),
        (400, "context_length_exceeded", "maximum context length is 128000", ItemError, "context_too_long"),
        (400, "", "Range of input length should be [1, 30720]", ItemError, "context_too_long"),
        (400, "content_filter", "The response was filtered", ItemError, "refused"),
        (400, "data_inspection_failed", "Input data may contain inappropriate content.", ItemError, "refused"),
        (400, "", "response_format type is unavailable now", UnsupportedError, "json_schema"),
        (400, "", "temperature must be at most 2", FatalError, "bad_request"),
    ],
)
def test_errors_are_mapped_at_the_door(ask, openai_stub, status, code, message, error, kind):
    openai_stub.script(default={"status": status, "json": {"error": {"message": message, "code": code, "type": code}}})
    caught = failed(ask, error, kind)
    assert caught.status == status
    assert openai_stub.stats()["requests"] == 1


def test_a_demanded_parameter_is_named_with_what_to_do(ask, openai_stub):
    told = {"error": {"message": "parameter.enable_thinking must be set to false for non-streaming calls"}}
    openai_stub.script(default={"status": 400, "json": told})
    assert "--param extra_body.enable_thinking=false" in str(failed(ask, FatalError, "bad_request"))


def test_the_wait_asked_for_is_handed_on(ask, openai_stub):
    told = {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}
    openai_stub.script(default={"status": 429, "json": told, "headers": {"Retry-After": "7"}})
    assert failed(ask, RetryableError, "rate_limited").retry_after == 7


def test_a_server_that_says_nothing_is_left_in_time(ask, openai_stub):
    openai_stub.script(default={"hang": "connect"})
    started = time.perf_counter()
    failed(ask, RetryableError, "timeout", timeout=0.5)
    assert time.perf_counter() - started < 5


def test_parameters_that_are_ours_are_refused(ask, openai_stub):
    failed(ask, FatalError, "parameters", prompt(stream=True))
    assert openai_stub.stats()["requests"] == 0


def test_no_choices_are_worth_another_attempt(ask, openai_stub):
    openai_stub.script(default={"choices": []})
    with pytest.raises(RetryableError):
        ask(prompt())
