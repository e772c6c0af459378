import pytest

from judge.domain.judging import Usage
from judge.llm.prices import Rates, cost_of, price, rates

TIERS = (
    Rates(above=0, input=1e-6, output=4e-6, cached=1e-7, reasoning=4e-6),
    Rates(above=1000, input=2e-6, output=8e-6, cached=2e-7, reasoning=8e-6),
)


def test_b08_cached_tokens_are_billed_once_at_their_own_rate():
    tier = Rates(above=0, input=1.25e-6, output=10e-6, cached=0.625e-6, reasoning=10e-6)
    assert cost_of([tier], Usage(input=262960, cached=257955, output=1744)) == pytest.approx(0.1849, abs=5e-5)


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (Usage(input=1000, output=100), 1000e-6 + 400e-6),
        (Usage(input=1001, output=100), 2002e-6 + 800e-6),
        (Usage(input=2000, output=0, cached=1500), 500 * 2e-6 + 1500 * 2e-7),
        (Usage(input=10, output=0, cached=50), 10 * 1e-7),
        (Usage(input=None, output=5), None),
        (Usage(input=5, output=None), None),
    ],
)
def test_tiers_and_unknown_tokens(usage, cost):
    assert cost_of(TIERS, usage) == (None if cost is None else pytest.approx(cost))
    assert cost_of((), usage) is None


def test_reasoning_has_its_own_rate_where_one_is_named():
    tier = Rates(above=0, input=0, output=1, cached=0, reasoning=3)
    assert cost_of([tier], Usage(input=1, output=10, reasoning=4)) == 6 + 12


def test_known_models_have_their_price():
    usage = Usage(input=1_000_000, output=1_000_000, cached=400_000)
    assert price("gpt-4o-mini", usage, "openai") == (pytest.approx(0.6 * 0.15 + 0.4 * 0.075 + 0.6), "USD")
    assert price("deepseek-chat", usage, "deepseek") is not None
    assert price("glm-4.6", usage, "zhipu") is None, "in yuan"
    assert price("qwen-plus", usage, "qwen") == price("qwen-plus", usage, "dashscope") != None  # noqa: E711


def test_tiers_of_both_forms_are_read():
    listed = rates("qwen3-max", "dashscope")
    assert [tier.above for tier in listed] == [0, 32000, 128000]
    named = rates("gemini-2.5-pro", "gemini")
    assert [tier.above for tier in named] == [0, 200_000]
    assert named[1].input == pytest.approx(2 * named[0].input)


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("no-such-model", "openai"),
        ("gpt-4o-mini", "vllm"),
        ("gpt-4o-mini", "deepseek"),
        ("llama3", "ollama"),
        ("", "openai"),
    ],
)
def test_unknown_or_free_is_none_never_zero(model, provider):
    assert price(model, Usage(input=5, output=5), provider) is None
