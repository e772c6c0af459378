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
        ({"retry-after": "Fri, 02 Jan 2026 03:00:00 GMT"}, 0),
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
