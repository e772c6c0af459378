"""Litellm's lane, for all providers that do not speak the OpenAI protocol; litellm is imported here, nowhere else."""

import asyncio
import os
import time
import warnings
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from types import ModuleType
from typing import Any

import orjson

from judge.domain.errors import FatalError, ItemError, ProviderError, RetryableError, UsageError
from judge.domain.judging import Prompt, Reply, Rung
from judge.llm.bodies import read_body, request_fields
from judge.llm.failures import failure, masked
from judge.llm.prices import price

OTHER_SIGN_IN = frozenset({"azure", "azure_ai", "bedrock", "databricks", "sagemaker", "vertex_ai", "watsonx"})
"""Providers that also sign in by roles, profiles or tokens: a missing key variable says nothing there."""

OWN_ADDRESS = frozenset({"azure", "azure_ai", "databricks", "vertex_ai", "watsonx"})
"""Providers that give each customer an address: it is their own, so their prices hold there."""
STEMS = {"ollama_chat": "OLLAMA", "azure_text": "AZURE", "vertex_ai_beta": "VERTEX_AI"}
"""Providers whose variables begin with another name."""
PLACES = {
    "azure": ("AZURE_API_VERSION",),
    "azure_text": ("AZURE_API_VERSION",),
    "azure_ai": ("AZURE_AI_API_VERSION",),
    "vertex_ai": ("VERTEXAI_API_BASE", "VERTEXAI_PROJECT", "VERTEXAI_LOCATION", "VERTEX_LOCATION"),
    "bedrock": ("AWS_BEDROCK_RUNTIME_ENDPOINT", "AWS_REGION_NAME", "AWS_REGION"),
    "sagemaker": ("AWS_REGION_NAME", "AWS_REGION"),
    "watsonx": ("WATSONX_URL", "WATSONX_PROJECT_ID"),
    "cloudflare": ("CLOUDFLARE_ACCOUNT_ID",),
    "snowflake": ("SNOWFLAKE_ACCOUNT_ID",),
}
"""Further variables that say which resource answers."""


class LitellmModel:
    """A model behind ``litellm.acompletion``.

    Args:
        provider: litellm's name of the provider.
        name: model name without the provider.
        full_name: model name as litellm takes it.
        api_base: address, if one was given; else litellm takes it from the environment.
        place: what the environment says of the resource; part of the identity, for another resource is another judge.
        headers: further headers; their values are treated like keys.
        timeout: seconds for a whole call.
    """

    def __init__(
        self,
        provider: str,
        name: str,
        full_name: str,
        api_base: str | None,
        headers: Mapping[str, str],
        timeout: float,
        place: str = "",
    ) -> None:
        self.provider, self.base_url, self.name = provider, " ".join(filter(None, (api_base, place))), name
        self._full_name, self._headers, self._timeout = full_name, dict(headers), timeout
        self._api_base = api_base
        self.priced = not api_base and (not place.startswith("http") or provider in OWN_ADDRESS)

    def __repr__(self) -> str:
        return f"LitellmModel(provider={self.provider!r}, base_url={self.base_url!r}, name={self.name!r})"

    async def ask(self, prompt: Prompt) -> Reply:
        """One call, litellm's and the SDK's retries off.

        The Reply's ``raw`` is the completion as litellm words it: it does not hand out the provider's own bytes.

        Raises:
            ProviderError: of the tree in ``domain/errors.py``.
        """
        litellm = imported()
        fields = {"model": self._full_name, **request_fields(prompt), **self._settings()}
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self._timeout):
                answer = await litellm.acompletion(**fields)
        except TimeoutError:
            raise RetryableError(f"no whole reply within {self._timeout:g} s", kind="timeout") from None
        except Exception as error:
            raise mapped(error, prompt.rung, self._secrets(), f"{self.provider} {self.base_url}") from None
        latency = (time.perf_counter() - started) * 1000
        data = answer.model_dump(mode="json")
        reply = read_body(data, orjson.dumps(data))
        priced = price(self.name, reply.usage, self.provider) if self.priced else None
        cost, currency = priced if priced else (None, None)
        return reply.model_copy(update={"latency_ms": latency, "cost": cost, "currency": currency})

    async def close(self) -> None:
        """Close the clients that litellm keeps for the running loop, and the tasks that it left behind."""
        await imported().close_litellm_async_clients()

    def _settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = {"num_retries": 0, "max_retries": 0, "timeout": self._timeout, "drop_params": False}
        if self._api_base:
            settings["api_base"] = self._api_base
        if self._headers:
            settings["extra_headers"] = self._headers
        return settings

    def _secrets(self) -> tuple[str, ...]:
        keys = [value for name, value in os.environ.items() if name.endswith(("_API_KEY", "_TOKEN", "_SECRET", "_KEY"))]
        return (*self._headers.values(), *(key for key in keys if len(key) > 7))


def open_litellm(
    full_name: str,
    *,
    api_base: str | None,
    headers: Mapping[str, str] | None,
    timeout: float,
    environment: Mapping[str, str] = os.environ,
) -> LitellmModel:
    """A Model behind litellm; its key must be in the environment.

    Raises:
        UsageError: litellm knows no such provider, or the key is missing (its variable is named).
    """
    litellm = imported()
    try:
        name, provider, _, _ = litellm.get_llm_provider(model=full_name)
    except litellm.BadRequestError:
        known = "openai/NAME for an OpenAI-compatible endpoint with --api-base, or a provider's prefix known to litellm"
        raise UsageError(f"no provider is known for model {full_name!r}; use {known}") from None
    if api_base is None and provider not in OTHER_SIGN_IN:
        missing = litellm.validate_environment(model=full_name).get("missing_keys") or []
        if missing:
            raise UsageError(f"no key for {provider}: set the environment variable {' or '.join(missing)}")
    place = place_of(provider, environment, bool(api_base))
    return LitellmModel(provider, name, full_name, api_base, headers or {}, timeout, place)


def place_of(provider: str, environment: Mapping[str, str], given: bool) -> str:
    """What the environment says of a provider's address and resource, as litellm reads it, without a login.

    Args:
        provider: litellm's name.
        environment: where litellm looks.
        given: whether an address was given, which goes before the environment's.
    """
    stem = STEMS.get(provider, provider.upper().replace("-", "_"))
    bases = () if given else (f"{stem}_API_BASE", f"{stem}_BASE_URL")
    base = next((environment[name].strip() for name in bases if environment.get(name, "").strip()), "")
    more = [f"{name}={environment[name].strip()}" for name in PLACES.get(provider, ()) if environment.get(name)]
    return " ".join(filter(None, (_without_login(base), *map(_without_login, more))))


def _without_login(address: str) -> str:
    head, slashes, rest = address.partition("://")
    host, slash, path = rest.partition("?")[0].partition("/")
    return f"{head}{slashes}{host.rpartition('@')[2]}{slash}{path}".rstrip("/") if slashes else address


@lru_cache(maxsize=1)
def imported() -> ModuleType:
    """Litellm, made quiet: its price list local, telemetry, callbacks and retries off, nothing dropped silently."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    # One of the modules that litellm loads at its first call makes pydantic warn of a type that no call here uses.
    warnings.filterwarnings("ignore", message="Items? .* using the `ReadOnly` qualifier", category=UserWarning)
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    litellm.drop_params = False
    litellm.num_retries = 0
    for callbacks in ("callbacks", "input_callback", "success_callback", "failure_callback", "service_callback"):
        setattr(litellm, callbacks, [])
    module: ModuleType = litellm
    return module


def mapped(error: Exception, rung: Rung, secrets: tuple[str, ...], endpoint: str = "") -> ProviderError:
    """One of litellm's exceptions as an error of our tree."""
    litellm = imported()
    text = masked(" ".join(str(error).split())[:300], secrets)
    response = getattr(error, "response", None)
    headers = {name.lower(): value for name, value in dict(getattr(response, "headers", None) or {}).items()}
    status = getattr(error, "status_code", None)
    if isinstance(error, litellm.ContextWindowExceededError):
        return ItemError(text, kind="context_too_long", status=status)
    if isinstance(error, litellm.ContentPolicyViolationError):
        return ItemError(text, kind="refused", status=status)
    if isinstance(error, litellm.Timeout):
        return RetryableError(text, kind="timeout")
    if isinstance(error, litellm.APIConnectionError):
        return RetryableError(text, kind="connection")
    if not isinstance(status, int):
        return FatalError(f"{type(error).__name__}: {text}", kind="litellm")
    body = orjson.dumps({"error": {"message": str(error), "code": str(getattr(error, "code", None) or "")}})
    return failure(status, headers, body, rung, secrets, datetime.now(UTC), endpoint)
