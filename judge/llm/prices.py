"""What a call costs, from litellm's price file read as data; litellm itself is not imported."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from judge.domain.judging import Usage

PRICE_FILE = "model_prices_and_context_window_backup.json"
CURRENCY = "USD"
PRICE_PREFIXES = {
    "qwen": "dashscope",
    "together": "together_ai",
}
"""Our provider names whose prices stand under another name in the file."""

_ABOVE = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")


class Rates(NamedTuple):
    """Prices per token from a size of the prompt on."""

    above: int
    """Prompt tokens above which they hold."""
    input: float
    output: float
    cached: float
    """A cached prompt token; the full price where the file names none."""
    reasoning: float


def price(model: str, usage: Usage, provider: str) -> tuple[float, str] | None:
    """Cost and currency of one attempt at the provider's own address; None, never 0, where price or tokens are unknown.

    Elsewhere (a gateway, a plan of one's own) the list says nothing, and the caller does not ask.

    Cached prompt tokens are billed at their own rate and only once; a prompt above a tier's size is billed wholly at
    that tier, as the providers do.

    Args:
        model: name as the endpoint knows it.
        usage: tokens of the attempt.
        provider: whose price list.
    """
    cost = cost_of(rates(model, provider), usage)
    return None if cost is None else (cost, CURRENCY)


def cost_of(tiers: Sequence[Rates], usage: Usage) -> float | None:
    """Money of one attempt at given rates; None where rates or tokens are unknown.

    (input - cached) x input + cached x cached + (output - reasoning) x output + reasoning x reasoning, at the rates of
    the last tier that the prompt is above.

    Args:
        tiers: smallest prompts first.
        usage: tokens of the attempt.
    """
    if not tiers or usage.input is None or usage.output is None:
        return None
    tier = next((tier for tier in reversed(tiers) if usage.input > tier.above), tiers[0])
    cached = min(usage.cached or 0, usage.input)
    reasoning = min(usage.reasoning or 0, usage.output)
    cost = (usage.input - cached) * tier.input + cached * tier.cached
    return cost + (usage.output - reasoning) * tier.output + reasoning * tier.reasoning


@lru_cache(maxsize=64)
def rates(model: str, provider: str) -> tuple[Rates, ...]:
    """Price tiers of a model, smallest prompts first; empty where the file does not know it or calls it free."""
    entry = _entry(model, provider)
    if entry is None:
        return ()
    tiers = _listed_tiers(entry) or _named_tiers(entry)
    return tuple(sorted(tiers)) if any(tier.input or tier.output for tier in tiers) else ()


def _entry(model: str, provider: str) -> Mapping[str, Any] | None:
    name = PRICE_PREFIXES.get(provider, provider)
    known = _price_list()
    for key in (f"{name}/{model}", model):
        entry = known.get(key)
        if isinstance(entry, dict) and entry.get("litellm_provider") == name:
            return entry
    return None


@lru_cache(maxsize=1)
def _price_list() -> Mapping[str, Any]:
    spec = find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        return {}
    path = Path(spec.submodule_search_locations[0]) / PRICE_FILE
    if not path.is_file():
        return {}
    data = orjson.loads(path.read_bytes())
    return data if isinstance(data, dict) else {}


def _listed_tiers(entry: Mapping[str, Any]) -> list[Rates]:
    tiers = entry.get("tiered_pricing")
    listed = [tier for tier in tiers if isinstance(tier, dict)] if isinstance(tiers, list) else []
    found = [_rates(tier, "", int(_bound(tier))) for tier in listed]
    return [tier for tier in found if tier is not None]


def _named_tiers(entry: Mapping[str, Any]) -> list[Rates]:
    sizes = [match for key in entry if (match := _ABOVE.fullmatch(key))]
    above = [_rates(entry, f"_above_{match[1]}k_tokens", int(match[1]) * 1000) for match in sizes]
    return [tier for tier in (_rates(entry, "", 0), *above) if tier is not None]


def _rates(entry: Mapping[str, Any], suffix: str, above: int) -> Rates | None:
    """Rates of one tier; a price that the tier does not name is that of the base."""

    def named(*names: str) -> float | None:
        values = (entry.get(f"{name}{end}") for name in names for end in dict.fromkeys((suffix, "")))
        return next((float(value) for value in values if isinstance(value, int | float)), None)

    put, got = named("input_cost_per_token"), named("output_cost_per_token")
    if put is None or got is None:
        return None
    cached = named("cache_read_input_token_cost", "input_cost_per_token_cache_hit")
    reasoning = named("output_cost_per_reasoning_token") if not suffix else None
    return Rates(above, put, got, put if cached is None else cached, got if reasoning is None else reasoning)


def _bound(tier: Mapping[str, Any]) -> float:
    bounds = tier.get("range")
    low = bounds[0] if isinstance(bounds, list) and bounds else 0
    return low if isinstance(low, int | float) else 0
