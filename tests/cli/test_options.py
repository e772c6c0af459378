"""The small language of ``--param``: what is stored in it, and what is refused because it would be."""

import math

import pytest

from judge.cli.options import pairs, parameters
from judge.domain.errors import UsageError


def test_dots_nest_and_plain_words_need_no_quotes() -> None:
    given = ["temperature=0.5", "extra_body.enable_thinking=false", "extra_body.effort=low", 'stop=["a"]']
    assert parameters(given) == {
        "temperature": 0.5,
        "extra_body": {"enable_thinking": False, "effort": "low"},
        "stop": ["a"],
    }
    with pytest.raises(UsageError, match="has a value already"):
        parameters(["a=1", "a.b=2"])


@pytest.mark.parametrize(
    ("given", "instead"),
    [
        ('api_key="sk-hidden"', "environment"),
        ("API-Key=hidden", "environment"),
        ("api_key=hidden/+==", "environment"),
        ('extra_body.api_key="hidden"', "environment"),
        ('extra_body={"a": [{"api_key": "hidden"}]}', "environment"),
        ("aws_secret_access_key=hidden", "environment"),
        ("azure_ad_token=hidden", "environment"),
        ('extra_headers={"Authorization": "Bearer hidden"}', "--header"),
        ('headers={"X": "hidden"}', "--header"),
        ('extra_body.default_headers={"X": "hidden"}', "--header"),
        ('api_base="http://hidden"', "--api-base"),
        ('base_url="http://hidden"', "--api-base"),
        ('extra_body={"model": "hidden"}', "--model"),
        ("timeout=5", "--timeout"),
        ("num_retries=5", "--retries"),
        ("max_retries=5", "--retries"),
        ("extra_body.messages=[]", "how judging works"),
        ("extra_body.stream=true", "how judging works"),
        ("n=2", "how judging works"),
        ("response_format=hidden", "how judging works"),
        ("fallbacks=[]", "how judging works"),
        ("mock_response=hidden", "how judging works"),
    ],
)
def test_what_is_no_parameter_is_refused_with_what_to_use(given: str, instead: str) -> None:
    with pytest.raises(UsageError, match=instead) as error:
        parameters([given])
    assert "hidden" not in str(error.value)


@pytest.mark.parametrize("given", ["max_tokens=5", "prompt_cache_key=a", "extra_body.min_tokens=1", "tool_choice=none"])
def test_names_that_only_sound_alike_pass(given: str) -> None:
    assert parameters([given])


def test_equal_numbers_are_the_same_parameter() -> None:
    found = parameters(["temperature=0.0", "top_p=1e0", 'extra_body={"a": [2.0, -0.0, 0.5]}', "penalty=1e300"])
    assert repr(found) == repr({"temperature": 0, "top_p": 1, "extra_body": {"a": [2, 0, 0.5]}, "penalty": 1e300})


@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "Infinity", "[1e999]", '{"a": 1e999}'])
def test_numbers_that_are_none_are_refused(number: str) -> None:
    with pytest.raises(UsageError, match="--param top_p"):
        parameters([f"top_p={number}"])
    assert math.isinf(float("1e400"))


@pytest.mark.parametrize("text", ["{", "a b", "[" * 100_000, "9" * 5000 + "x"])
def test_text_that_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no JSON"):
        parameters([f"stop={text}"])


def test_a_pair_needs_its_sign() -> None:
    assert pairs("--header", ["A=b=c", " X = y "]) == {"A": "b=c", "X": "y"}
    with pytest.raises(UsageError, match="expected KEY=VALUE"):
        pairs("--header", ["A"])
