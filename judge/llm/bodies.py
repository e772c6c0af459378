"""The OpenAI chat protocol: what is posted, and the Reply in what comes back; shared by both lanes."""

from collections.abc import Mapping
from typing import Any

import orjson
from pydantic import JsonValue

from judge.domain.errors import FatalError, RetryableError
from judge.domain.judging import Prompt, Reply, Usage

SCHEMA_NAME = "verdict"
"""Name of our JSON schema, and of the function that some providers make of it."""
FUNCTIONS = (SCHEMA_NAME, "json_tool_call")
"""Function calls whose arguments are the reply; a call of any other tool is no reply."""
OURS = ("model", "messages", "stream", "n", "response_format", "tools")
"""Fields of the request that are not the user's to set."""
SETTINGS = (
    "api_key",
    "api_base",
    "base_url",
    "headers",
    "extra_headers",
    "default_headers",
    "fallbacks",
    "mock_response",
    "num_retries",
    "max_retries",
    "timeout",
)
"""What a lane is set up with: a parameter of that name would be stored, or would get round our own."""
BROKEN_OFF = frozenset({"insufficient_system_resource", "network_error", "error", "abort"})
"""Finish reasons that mean: the provider broke the reply off."""


def request_fields(prompt: Prompt) -> dict[str, Any]:
    """Messages, parameters and response format of a chat request, without the model.

    Raises:
        FatalError: a parameter names a field that is ours, at the top or in ``extra_body``.
    """
    extra = prompt.parameters.get("extra_body")
    given = {*prompt.parameters, *(extra if isinstance(extra, dict) else ())}
    taken = [name for name in (*OURS, *SETTINGS) if name in given]
    if taken:
        raise FatalError(f"the parameter {taken[0]!r} can't be set; it is part of how judging works", kind="parameters")
    fields: dict[str, Any] = {
        "messages": [{"role": message.role, "content": message.content} for message in prompt.messages],
        **prompt.parameters,
    }
    if prompt.rung == "json_schema":
        schema = {"name": SCHEMA_NAME, "strict": True, "schema": prompt.json_schema}
        fields["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif prompt.rung == "json_object":
        fields["response_format"] = {"type": "json_object"}
    return fields


def read_body(data: Any, raw: bytes) -> Reply:
    """The Reply in a chat completion; text is the content, else our JSON tool call, else JSON in the reasoning field.

    Raises:
        RetryableError: there is no choice in it (``empty_choices``), it is no chat completion (``bad_body``), or the
            provider broke the reply off (``interrupted``).
    """
    if not isinstance(data, dict):
        raise RetryableError("the endpoint's answer is no chat completion", kind="bad_body", status=200, raw=raw)
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise RetryableError("the endpoint's answer has no choices", kind="empty_choices", status=200, raw=raw)
    choice = choices[0]
    if _word(choice.get("finish_reason")) in BROKEN_OFF or choice.get("error"):
        raise RetryableError("the provider broke the reply off", kind="interrupted", status=200, raw=raw)
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    return Reply(
        text=_text(message),
        raw=raw,
        finish_reason=_word(choice.get("finish_reason")),
        refusal=_word(message.get("refusal")),
        usage=_usage(data.get("usage")),
        served_model=_word(data.get("model")),
        fingerprint=_word(data.get("system_fingerprint")),
        logprobs=_logprobs(choice.get("logprobs")),
    )


def _text(message: Mapping[str, Any]) -> str:
    return _content(message.get("content")) or _called(message) or _reasoned(message)


def _content(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(
        part["text"]
        for part in parts
        if isinstance(part, dict) and part.get("type") in ("text", "output_text") and isinstance(part.get("text"), str)
    )


def _called(message: Mapping[str, Any]) -> str:
    calls = message.get("tool_calls")
    listed = calls if isinstance(calls, list) else []
    functions = [call.get("function") for call in listed if isinstance(call, dict)] + [message.get("function_call")]
    for function in functions:
        if isinstance(function, dict) and function.get("name") in FUNCTIONS:
            arguments = function.get("arguments")
            return arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
    return ""


def _reasoned(message: Mapping[str, Any]) -> str:
    """The reasoning field where all of it is one JSON object: some servers put a structured reply there."""
    for name in ("reasoning_content", "reasoning"):
        text = message.get(name)
        if isinstance(text, str) and text.strip().startswith("{"):
            try:
                orjson.loads(text)
            except orjson.JSONDecodeError:
                continue
            return text
    return ""


def _usage(usage: Any) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    prompt, completion = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
    cached = prompt.get("cached_tokens") if isinstance(prompt, dict) else None
    put, got = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    reasoning = _count(completion.get("reasoning_tokens") if isinstance(completion, dict) else None)
    if put is not None and got is not None and reasoning and usage.get("total_tokens") == put + got + reasoning:
        got += reasoning  # some endpoints count the reasoning beside the reply
    return Usage(
        input=put,
        output=got,
        cached=_count(cached if cached is not None else usage.get("prompt_cache_hit_tokens")),
        reasoning=reasoning,
    )


def _logprobs(value: Any) -> tuple[tuple[str, float], ...]:
    content = value.get("content") if isinstance(value, dict) else None
    return tuple(
        (item["token"], float(item["logprob"]))
        for item in (content if isinstance(content, list) else [])
        if isinstance(item, dict) and isinstance(item.get("token"), str) and _is_number(item.get("logprob"))
    )


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
