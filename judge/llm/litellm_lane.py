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


class LitellmModel:
    """A model behind ``litellm.acompletion``.

    Args:
        provider: litellm's name of the provider.
        name: model name without the provider.
        full_name: model name as litellm takes it.
        api_base: address, if not the provider's own.
        headers: further headers; their values are treated like keys.
        timeout: seconds for a whole call.
    """

    def __init__(
        self, provider: str, name: str, full_name: str, api_base: str | None, headers: Mapping[str, str], timeout: float
    ) -> None:
        self.provider, self.base_url, self.name = provider, api_base or "", name
        self._full_name, self._headers, self._timeout = full_name, dict(headers), timeout

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
            raise mapped(error, prompt.rung, self._secrets()) from None
        latency = (time.perf_counter() - started) * 1000
        data = answer.model_dump(mode="json")
        reply = read_body(data, orjson.dumps(data))
        priced = price(self.name, reply.usage, self.provider)
        cost, currency = priced if priced else (None, None)
        return reply.model_copy(update={"latency_ms": latency, "cost": cost, "currency": currency})

    async def close(self) -> None:
        """Close the clients that litellm keeps for the running loop, and the tasks that it left behind."""
        await imported().close_litellm_async_clients()

    def _settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = {"num_retries": 0, "max_retries": 0, "timeout": self._timeout, "drop_params": False}
        if self.base_url:
            settings["api_base"] = self.base_url
        if self._headers:
            settings["extra_headers"] = self._headers
        return settings

    def _secrets(self) -> tuple[str, ...]:
        keys = [value for name, value in os.environ.items() if name.endswith(("_API_KEY", "_TOKEN", "_SECRET", "_KEY"))]
        return (*self._headers.values(), *(key for key in keys if len(key) > 7))


def open_litellm(
    full_name: str, *, api_base: str | None, headers: Mapping[str, str] | None, timeout: float
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
    return LitellmModel(provider, name, full_name, api_base, headers or {}, timeout)


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


def mapped(error: Exception, rung: Rung, secrets: tuple[str, ...]) -> ProviderError:
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
    return failure(status, headers, body, rung, secrets, datetime.now(UTC))
