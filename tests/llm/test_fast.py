"""What only the fast lane shows: broken transport and bodies, one session, and no key anywhere."""

import asyncio
import base64
import json
import time

import pytest

from judge.domain.errors import FatalError, RetryableError, UnsupportedError
from judge.domain.judging import Message, Prompt
from judge.llm.fast import FastModel, proxy_of

KEY = "super-secret-0123456789"
PROMPT = Prompt(messages=(Message(role="user", content="hi"),), rung="text")


def run(url, prompts=(PROMPT,), timeout=10.0, **kw):
    async def go():
        model = FastModel("openai", url, "gpt-4o-mini", timeout=timeout, **{"key": KEY, **kw})
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
        ({"content": "label: supported", "finish_reason": "insufficient_system_resource"}, "interrupted"),
        ({"content": "label: supported", "finish_reason": "network_error"}, "interrupted"),
        ({"content": "label: supported", "finish_reason": "error"}, "interrupted"),
        ({"choices": [{"message": {"content": "x"}, "error": {"code": 502}}]}, "interrupted"),
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
    (reply,) = run(openai_stub.url, priced=True)
    assert (reply.cost, reply.currency) == (pytest.approx(0.15), "USD")
    assert run(openai_stub.url)[0].cost is None, "at another address the price list says nothing"


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


@pytest.mark.parametrize(
    "lane", [{"key": "null"}, {"key": "true"}, {"headers": {"X-Title": "judge"}}, {"headers": {"X-Note": "supported"}}]
)
def test_a_short_key_or_header_changes_no_reply(openai_stub, lane):
    text = '{"rationale": "the judge says true, null", "label": "supported"}'
    openai_stub.script(default={"content": text})
    (reply,) = run(openai_stub.url, **lane)
    assert reply.text == text
    assert json.loads(reply.raw)["choices"][0]["message"]["content"] == text


def test_a_reply_is_read_before_anything_is_masked(openai_stub):
    openai_stub.script(default={"content": "label: not_enough_information"})
    assert run(openai_stub.url, headers={"X-Label": "not_enough_information"})[0].text.endswith("information")


def test_reasoning_that_is_counted_beside_the_reply_is_paid_as_well(openai_stub):
    details = {"completion_tokens_details": {"reasoning_tokens": 50}}
    beside = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 65, **details}
    openai_stub.script(replies=[{"content": "x", "usage": beside}])
    usage = run(openai_stub.url)[0].usage
    assert (usage.output, usage.reasoning) == (55, 50)
    openai_stub.script(replies=[{"content": "x", "usage": {**beside, "completion_tokens": 55}}])
    assert run(openai_stub.url)[0].usage.output == 55


@pytest.fixture
def no_proxy(monkeypatch):
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


def sent_headers(openai_stub):
    return {name.lower(): value for name, value in openai_stub.requests()[-1]["headers"].items()}


def test_a_netrc_file_sends_no_login(openai_stub, no_proxy, monkeypatch, tmp_path):
    (tmp_path / "netrc").write_text("default login me password hidden\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    run(openai_stub.url, key="")
    assert "authorization" not in sent_headers(openai_stub)
    run(openai_stub.url)
    assert sent_headers(openai_stub)["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy"])
def test_a_proxy_passes_plain_requests_on_and_gets_its_login(openai_stub, no_proxy, monkeypatch, variable):
    monkeypatch.setenv(variable, openai_stub.root.replace("://", "://me:p%40ss@"))
    assert run("http://api.example.invalid/v1")[0].text
    headers = sent_headers(openai_stub)
    assert (headers["host"], headers["authorization"]) == ("api.example.invalid", f"Bearer {KEY}")
    assert base64.b64decode(headers["proxy-authorization"].removeprefix("Basic ")) == b"me:p@ss"
    monkeypatch.setenv("NO_PROXY", "example.invalid")
    failed("http://api.example.invalid/v1", RetryableError, "connection", timeout=3)


def test_a_proxy_is_asked_for_a_tunnel_to_secure_addresses(no_proxy, monkeypatch):
    """The tunnel is refused here, as no certificate is at hand; what was asked for is what counts."""

    async def go():
        asked = []

        async def refuse(reader, writer):
            asked.append((await reader.readuntil(b"\r\n\r\n")).decode())
            writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(refuse, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:hidden-word@127.0.0.1:{port}")
        model = FastModel("openai", "https://api.example.invalid/v1", "m", key=KEY, timeout=5)
        with pytest.raises(RetryableError) as caught:
            await model.ask(PROMPT)
        await model.close()
        server.close()
        return asked[0], str(caught.value)

    asked, told = asyncio.run(go())
    assert asked.startswith("CONNECT api.example.invalid:443 ")
    assert f"Proxy-Authorization: Basic {base64.b64encode(b'me:hidden-word').decode()}" in asked
    assert KEY not in asked
    assert "hidden" not in told


@pytest.mark.parametrize("proxy", ["socks5://me:hidden@127.0.0.1:1", "http://me:hidden@[bad:1"])
def test_a_proxy_that_cannot_be_used_is_a_clear_error(no_proxy, monkeypatch, proxy):
    monkeypatch.setenv("HTTP_PROXY", proxy)
    assert "hidden" not in str(failed("http://api.example.invalid/v1", FatalError, "address"))


@pytest.mark.parametrize(
    ("variables", "address", "proxy"),
    [
        ({}, "https://a.example/v1", None),
        ({"HTTPS_PROXY": "proxy:3128"}, "https://a.example/v1", "http://proxy:3128"),
        ({"https_proxy": "http://proxy:3128"}, "http://a.example/v1", None),
        ({"https_proxy": "http://proxy", "no_proxy": "a.example"}, "https://a.example/v1", None),
        ({"https_proxy": "http://proxy", "NO_PROXY": "localhost"}, "https://a.example/v1", "http://proxy"),
        ({"http_proxy": "http://proxy", "no_proxy": "127.0.0.1"}, "http://127.0.0.1:8000/v1", None),
    ],
)
def test_the_environment_names_the_proxy(no_proxy, monkeypatch, variables, address, proxy):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = proxy_of(address)
    assert (found and found.address) == proxy


@pytest.mark.parametrize("place", [{"stream": True}, {"extra_body": {"model": "x"}}, {"extra_body": {"messages": []}}])
def test_no_parameter_overrides_the_request(openai_stub, place):
    prompt = PROMPT.model_copy(update={"parameters": place})
    failed(openai_stub.url, FatalError, "parameters", prompts=(prompt,))
    failed(
        openai_stub.url, FatalError, "parameters", prompts=(PROMPT.model_copy(update={"parameters": {"api_key": "k"}}),)
    )
    assert openai_stub.stats()["requests"] == 0
