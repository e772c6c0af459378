import json
from datetime import UTC, datetime

import pytest

from judge.domain.errors import FatalError, ItemError, RetryableError
from judge.llm.failures import failure, retry_after

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "Fri, 02 Jan 2026 03:04:35 GMT"}, 30),
        ({"retry-after": "Fri, 02 Jan 2026 03:00:00 GMT"}, None),
        ({"retry-after": "0"}, None),
        ({"retry-after-ms": "0"}, None),
        ({"retry-after": "999999"}, 3600),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "9" * 5000}, None),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m12.5s"}, 372.5),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "120ms"}, 0.12),
        ({"x-ratelimit-remaining-requests": "12", "x-ratelimit-reset-requests": "1h"}, None),
        ({}, None),
    ],
)
def test_the_wait_asked_for_is_read_in_all_its_forms(headers, seconds):
    assert (
        retry_after(headers, NOW) == pytest.approx(seconds)
        if seconds is not None
        else retry_after(headers, NOW) is None
    )


@pytest.mark.parametrize(
    ("status", "body", "error", "kind"),
    [
        (
            400,
            '{"error":{"code":"1301","message":"系统检测到输入或生成内容可能包含不安全或敏感内容"}}',
            ItemError,
            "refused",
        ),
        (400, '{"error":{"message":"Content Exists Risk","type":"invalid_request_error"}}', ItemError, "refused"),
        (
            400,
            '{"error":{"code":null,"message":"x","innererror":{"code":"ResponsibleAIPolicyViolation"}}}',
            ItemError,
            "refused",
        ),
        (400, '{"code":"DataInspectionFailed","message":"Output data may contain ..."}', ItemError, "refused"),
        (400, '{"error":{"code":"1261","message":"Prompt 超长"}}', ItemError, "context_too_long"),
        (400, '{"error":{"message":"prompt is too long: 210000 tokens > 200000"}}', ItemError, "context_too_long"),
        (
            400,
            '{"object":"error","message":"This model\'s maximum context length is 8192 tokens"}',
            ItemError,
            "context_too_long",
        ),
        (413, "too large", ItemError, "context_too_long"),
        (429, '{"error":{"code":"1113","message":"您的账户已欠费，请充值后重试"}}', FatalError, "quota"),
        (400, '{"code":"Arrearage","message":"Access denied"}', FatalError, "quota"),
        (429, '{"error":{"type":"exceeded_current_quota_error","message":"x"}}', FatalError, "quota"),
        (
            400,
            '{"error":{"code":"json_validate_failed","message":"Failed to generate JSON"}}',
            RetryableError,
            "json_validate_failed",
        ),
        (500, "Internal: insufficient_quota", RetryableError, "server"),
        (501, "", FatalError, "bad_request"),
        (400, "", FatalError, "bad_request"),
        (400, '{"error": "text"}', FatalError, "bad_request"),
        (400, "[1]", FatalError, "bad_request"),
        (400, '{"detail": [{"msg": "field required"}]}', FatalError, "bad_request"),
        (400, '{"error":{"message":"response_format is odd"}}', FatalError, "bad_request"),
    ],
)
def test_endpoints_say_it_in_their_own_words(status, body, error, kind):
    told = failure(status, {}, body.encode(), "text", (), NOW)
    assert (type(told), told.kind, told.status, told.raw) == (error, kind, status, body.encode())
    assert str(told)
    assert "\n" not in str(told)


def test_long_messages_are_shortened():
    assert len(str(failure(400, {}, b"x" * 100_000, "text", (), NOW))) <= 300


GEMINI = "You exceeded your current quota, please check your plan and billing details."


def told(status, error, endpoint="openai https://api.openai.com/v1"):
    return failure(status, {}, json.dumps(error, ensure_ascii=False).encode(), "json_schema", (), NOW, endpoint)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (403, {"error": {"code": 403, "message": "Your chosen model requires moderation and your input was flagged"}}),
        (400, {"error": {"code": "invalid_prompt", "message": "Invalid prompt: violates our usage policy."}}),
        (403, {"code": "no permission", "error": "Content violates usage guidelines. Team: x"}),
        (400, {"error": {"code": "1301", "message": "System detected potentially unsafe or sensitive content"}}),
        (400, {"error": {"code": "SensitiveContentDetected", "message": "The request failed."}}),
        (400, {"error": {"code": "x", "message": "the input text may contain sensitive information."}}),
    ],
)
def test_one_flagged_item_stops_no_run(status, body):
    error = told(status, body)
    assert (type(error), error.kind) == (ItemError, "refused")


@pytest.mark.parametrize(
    "message",
    [
        "Prompt exceeds max length",
        "Total tokens of image and text exceed max message tokens.",
        "length of prompt_tokens (40000) must be less than max_seq_len (32768).",
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens",
        "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
    ],
)
def test_one_item_that_is_too_long_stops_no_run(message):
    error = told(422, {"error": {"message": message}})
    assert (type(error), error.kind) == (ItemError, "context_too_long")


@pytest.mark.parametrize(
    ("status", "kind"), [(400, "bad_request"), (422, "bad_request"), (401, "auth"), (403, "auth"), (407, "auth")]
)
def test_what_is_not_understood_says_of_which_kind_it_is(status, kind):
    assert (type(told(status, {})), told(status, {}).kind) == (FatalError, kind)
    assert told(401, {"error": "your key was flagged"}).kind == "auth"


@pytest.mark.parametrize(
    ("error", "endpoint", "wait"),
    [
        ([{"error": {"code": 429, "message": f"{GEMINI} Please retry in 20.04s.", "status": "x"}}], "gemini", 20.04),
        ({"error": {"message": GEMINI, "status": "RESOURCE_EXHAUSTED"}}, "gemini", None),
        ({"error": {"message": GEMINI, "details": [{"retryDelay": "34s"}]}}, "gemini", 34),
        ({"error": {"message": GEMINI, "code": "insufficient_quota"}}, "qwen https://x", None),
        (
            {"error": {"message": GEMINI, "code": "insufficient_quota"}},
            "openai https://dashscope.aliyuncs.com/v1",
            None,
        ),
        ({"error": {"message": "Rate limit reached. Please try again in 6m12.5s."}}, "openai", 372.5),
    ],
)
def test_a_limit_per_minute_is_waited_for(error, endpoint, wait):
    found = told(429, error, endpoint)
    assert (type(found), found.kind) == (RetryableError, "rate_limited")
    assert found.retry_after == (None if wait is None else pytest.approx(wait))


def test_money_that_is_used_up_stops_the_run_everywhere():
    used_up = {"error": {"message": GEMINI, "code": "insufficient_quota"}}
    assert told(429, used_up).kind == "quota"
    assert told(400, used_up, "qwen").kind == "quota"
    assert told(429, {"error": {"message": "余额不足"}}, "dashscope").kind == "quota"


def test_a_header_says_better_than_the_words_how_long_to_wait():
    body = b'{"error": {"message": "retry in 20s"}}'
    assert failure(429, {"retry-after": "3"}, body, "text", (), NOW).retry_after == 3
    assert failure(429, {"retry-after": "0"}, body, "text", (), NOW).retry_after == 20


def test_judged_text_that_comes_back_in_an_error_decides_nothing():
    wrong = {"loc": ["body", "max_tokens"], "msg": "too small", "input": "my credit balance is 5, was flagged"}
    error = told(422, {"detail": [wrong, {"msg": "and more"}, "x"]})
    assert (error.kind, str(error)) == ("bad_request", "body.max_tokens too small; and more")


def test_short_words_are_no_secrets():
    body = b'{"error": {"message": "judge is null; pass-word-1 and a-key-of-20-letters1"}}'
    secrets = ("judge", "null", "pass-word-1", "a-key-of-20-letters1")
    error = failure(500, {}, body, "text", secrets, NOW)
    assert str(error) == "judge is null; *** and ***"
    assert error.raw == b'{"error": {"message": "judge is null; *** and ***"}}'
