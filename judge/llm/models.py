"""Model names to Models: the fast lane for OpenAI-protocol endpoints, litellm for all others."""

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import orjson

from judge.domain.errors import UsageError
from judge.domain.judging import Model
from judge.llm.fast import FastModel

BASELINE = "baseline"


class Endpoint(NamedTuple):
    """An OpenAI-protocol endpoint that needs no litellm."""

    base_url: str
    """Its address; empty: the user must give one."""
    keys: tuple[str, ...]
    """Environment variables that may hold its key, first one found."""
    key_needed: bool = True
    """Whether it answers without a key."""


_DASHSCOPE = Endpoint("https://dashscope.aliyuncs.com/compatible-mode/v1", ("DASHSCOPE_API_KEY",))
_ZHIPU = Endpoint("https://open.bigmodel.cn/api/paas/v4", ("ZHIPUAI_API_KEY", "ZHIPU_API_KEY"))
_TOGETHER = Endpoint("https://api.together.xyz/v1", ("TOGETHER_API_KEY", "TOGETHERAI_API_KEY", "TOGETHER_AI_API_KEY"))
_VLLM = Endpoint("", ("HOSTED_VLLM_API_KEY", "VLLM_API_KEY"), key_needed=False)

DOLLARS_ELSEWHERE = {
    "dashscope": "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    "qwen": "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    "zhipu": "",
    "glm": "",
    "siliconflow": "",
    "volcengine": "",
}
"""Endpoints that bill in yuan, and the address at which the price list's dollars hold instead, if there is one."""

ENDPOINTS: dict[str, Endpoint] = {
    "openai": Endpoint("https://api.openai.com/v1", ("OPENAI_API_KEY",)),
    "deepseek": Endpoint("https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",)),
    "dashscope": _DASHSCOPE,
    "qwen": _DASHSCOPE,
    "moonshot": Endpoint("https://api.moonshot.ai/v1", ("MOONSHOT_API_KEY",)),
    "zhipu": _ZHIPU,
    "glm": _ZHIPU,
    "zai": Endpoint("https://api.z.ai/api/paas/v4", ("ZAI_API_KEY",)),
    "siliconflow": Endpoint("https://api.siliconflow.cn/v1", ("SILICONFLOW_API_KEY",)),
    "volcengine": Endpoint("https://ark.cn-beijing.volces.com/api/v3", ("ARK_API_KEY", "VOLCENGINE_API_KEY")),
    "openrouter": Endpoint("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    "groq": Endpoint("https://api.groq.com/openai/v1", ("GROQ_API_KEY",)),
    "together": _TOGETHER,
    "together_ai": _TOGETHER,
    "xai": Endpoint("https://api.x.ai/v1", ("XAI_API_KEY",)),
    "vllm": _VLLM,
    "hosted_vllm": _VLLM,
    "ollama": Endpoint("http://localhost:11434/v1", ("OLLAMA_API_KEY",), key_needed=False),
}


def open_model(
    name: str,
    *,
    api_base: str | None = None,
    headers: Mapping[str, str] | None = None,
    timeout: float = 120.0,
    concurrency: int = 0,
    environment: Mapping[str, str] = os.environ,
) -> Model:
    """The Model of a name; nothing is sent yet.

    ``baseline`` is the embedded judge. ``openai/NAME``, a bare NAME and the prefixes of ``ENDPOINTS`` go over the fast
    lane; so does any name with ``api_base`` whose prefix is no provider that litellm knows. All others go through
    litellm, imported then. ``<KEY VARIABLE without _API_KEY>_API_BASE`` or ``_BASE_URL`` moves an endpoint, as the
    providers' own clients do.

    Args:
        name: model name with or without a provider's prefix.
        api_base: address of the endpoint; with it no key is demanded.
        headers: sent with every request; no part of the identity.
        timeout: seconds for a whole call.
        concurrency: connections at most; 0 for no bound here.
        environment: where keys are looked up.

    Raises:
        UsageError: no key (naming its variable), no address, or an address that holds a secret.
    """
    if name == BASELINE:
        from judge.llm.baseline import Baseline

        return Baseline()
    provider, model = _split(name, api_base)
    if not model:
        raise UsageError(f"{name!r} names no model; write PROVIDER/MODEL, such as openai/gpt-4o-mini")
    endpoint = ENDPOINTS.get(provider)
    if endpoint is None:
        from judge.llm.litellm_lane import open_litellm

        base = _address(api_base) if api_base else None
        return open_litellm(name, api_base=base, headers=headers, timeout=timeout, environment=environment)
    base = _address(api_base or _moved(endpoint, environment) or endpoint.base_url or _missing_base(provider))
    key = next((value for variable in endpoint.keys if (value := environment.get(variable, "").strip())), "")
    base = f"{base}/v1" if provider == "ollama" and not urlsplit(base).path else base
    own_base = base == endpoint.base_url
    if not key and endpoint.key_needed and own_base and not _authorised(headers):
        raise UsageError(f"no key for {provider}: set the environment variable {' or '.join(endpoint.keys)}")
    priced = base == DOLLARS_ELSEWHERE.get(provider, endpoint.base_url)
    return FastModel(
        provider, base, model, key=key, headers=headers, timeout=timeout, concurrency=concurrency, priced=priced
    )


def _split(name: str, api_base: str | None) -> tuple[str, str]:
    """Provider and model; a prefix that is part of the model's own name ("Qwen/Qwen3-8B") stays in it."""
    prefix, slash, rest = name.partition("/")
    if not slash:
        return "openai", name
    if prefix in ENDPOINTS:
        return prefix, rest
    if api_base and prefix not in litellm_providers():
        return "openai", name
    return prefix, rest


def litellm_providers() -> frozenset[str]:
    """Prefixes that litellm knows, from its own list read as data."""
    spec = find_spec("litellm")
    folder = spec.submodule_search_locations[0] if spec and spec.submodule_search_locations else ""
    path = Path(folder) / "provider_endpoints_support_backup.json"
    data = orjson.loads(path.read_bytes()) if folder and path.is_file() else {}
    return frozenset(data.get("providers", {}))


def _moved(endpoint: Endpoint, environment: Mapping[str, str]) -> str | None:
    stems = [key.removesuffix("_API_KEY") for key in endpoint.keys]
    names = (f"{stem}{end}" for stem in stems for end in ("_API_BASE", "_BASE_URL"))
    return next((value for name in names if (value := environment.get(name, "").strip())), None)


def _address(base: str) -> str:
    parts = urlsplit(base.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"the address of an endpoint starts with http:// or https://, not {parts.scheme or 'a bare name'!r}"
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError("the address of an endpoint is stored and shown: put keys into the environment or --header")
    return base.strip().rstrip("/").removesuffix("/chat/completions").rstrip("/")


def _missing_base(provider: str) -> str:
    raise UsageError(f"{provider} has no fixed address: give --api-base, such as http://localhost:8000/v1")


def _authorised(headers: Mapping[str, str] | None) -> bool:
    return any(name.lower() in ("authorization", "api-key", "x-api-key") for name in headers or {})
