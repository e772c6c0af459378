"""The fast lane: OpenAI-protocol endpoints over one shared aiohttp session, without litellm."""

import base64
import ssl
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import orjson

from judge.domain.errors import FatalError, ProviderError, RetryableError
from judge.domain.judging import Prompt, Reply, Rung
from judge.llm.bodies import read_body, request_fields
from judge.llm.failures import HIDDEN_IN_REPLIES, failure, masked, masked_bytes
from judge.llm.prices import price

CONNECT_SECONDS = 30.0
"""Longest wait for a connection, within the time limit of the whole call."""


class Proxy(NamedTuple):
    """The way to an endpoint through a proxy."""

    address: str
    """Without a login."""
    login: Mapping[str, str]
    """The header that signs in at it, if it wants one."""


class FastModel:
    """An OpenAI-protocol endpoint.

    Args:
        provider: its name, as it enters the identity.
        base_url: without ``/chat/completions``.
        name: model name as the endpoint knows it.
        key: sent as bearer token; empty for none. It is never shown, logged or stored.
        headers: further headers; their values are treated like keys.
        timeout: seconds for a whole call, from sending to the last byte.
        concurrency: connections at most; 0 leaves the bound to the caller.
        priced: whether the price list holds at this address; else the cost is unknown.
    """

    def __init__(
        self,
        provider: str,
        base_url: str,
        name: str,
        *,
        key: str = "",
        headers: Mapping[str, str] | None = None,
        timeout: float = 120.0,
        concurrency: int = 0,
        priced: bool = False,
    ) -> None:
        self.provider, self.base_url, self.name = provider, base_url, name
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._headers |= dict(headers or {})
        self._secrets = tuple(secret for secret in (key, *(headers or {}).values()) if secret)
        self._timeout, self._concurrency, self.priced = timeout, concurrency, priced
        self._session: aiohttp.ClientSession | None = None
        self._tunnel: Mapping[str, str] | None = None

    def __repr__(self) -> str:
        return f"FastModel(provider={self.provider!r}, base_url={self.base_url!r}, name={self.name!r})"

    async def ask(self, prompt: Prompt) -> Reply:
        """Post one chat request; no retry.

        Raises:
            ProviderError: of the tree in ``domain/errors.py``, with status, raw body and the wait asked for.
        """
        body = self._body(prompt)
        started = time.perf_counter()
        try:
            status, headers, raw = await self._post(body)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise self._broken(error) from None
        latency = (time.perf_counter() - started) * 1000
        reply = self._read(status, headers, raw, prompt.rung)
        priced = price(self.name, reply.usage, self.provider) if self.priced else None
        cost, currency = priced if priced else (None, None)
        return reply.model_copy(update={"latency_ms": latency, "cost": cost, "currency": currency})

    async def close(self) -> None:
        """Close the session and its connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _body(self, prompt: Prompt) -> bytes:
        fields: dict[str, Any] = {"model": self.name, **request_fields(prompt)}
        extra = fields.pop("extra_body", None)
        fields |= extra if isinstance(extra, dict) else {}
        try:
            return orjson.dumps(fields)
        except TypeError as error:
            raise FatalError(f"the request can't be written as JSON: {error}", kind="parameters") from None

    async def _post(self, body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        session, url = self._opened(), f"{self.base_url}/chat/completions"
        async with session.post(
            url, data=body, headers=self._headers, allow_redirects=False, proxy_headers=self._tunnel
        ) as response:
            raw = await response.read()
            return response.status, {name.lower(): value for name, value in response.headers.items()}, raw

    def _opened(self) -> aiohttp.ClientSession:
        """The session, made at first use so that it belongs to the running loop and reads the environment then.

        The default context is OpenSSL's, which takes its authorities from SSL_CERT_FILE and SSL_CERT_DIR where set.
        ``trust_env`` stays off: it would send logins of a netrc file, and ask for the proxy again with every request.
        """
        if self._session is None:
            secure = self.base_url.startswith("https:")
            context = ssl.create_default_context() if secure else True
            proxy = proxy_of(self.base_url)
            login = proxy.login if proxy else {}
            self._tunnel = login if secure else None
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._concurrency, ssl=context),
                timeout=aiohttp.ClientTimeout(total=self._timeout, sock_connect=min(CONNECT_SECONDS, self._timeout)),
                trust_env=False,
                proxy=proxy.address if proxy else None,
                headers={} if secure else login,
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session

    def _read(self, status: int, headers: Mapping[str, str], raw: bytes, rung: Rung) -> Reply:
        if not 200 <= status < 300:
            if 300 <= status < 400:
                raise FatalError(f"{self.base_url} redirects elsewhere; give the final address", kind="redirect")
            raise self._failure(status, headers, raw, rung)
        stored = masked_bytes(raw, self._secrets, HIDDEN_IN_REPLIES)
        try:
            data = orjson.loads(raw)
        except orjson.JSONDecodeError:
            kind = headers.get("content-type", "no content type")
            message = f"the endpoint's answer is no JSON ({masked(kind[:80], self._secrets)}, {len(raw)} bytes)"
            raise RetryableError(message, kind="bad_body", status=status, raw=stored) from None
        if isinstance(data, dict) and data.get("error") and not data.get("choices"):
            raise self._failure(_status_inside(data["error"]), headers, raw, rung)
        return read_body(data, stored)

    def _failure(self, status: int, headers: Mapping[str, str], raw: bytes, rung: Rung) -> ProviderError:
        endpoint = f"{self.provider} {self.base_url}"
        return failure(status, headers, raw, rung, self._secrets, datetime.now(UTC), endpoint)

    def _broken(self, error: Exception) -> ProviderError:
        """The error of our tree for a request that got no whole response."""
        told = masked(" ".join(str(error).split())[:200], self._secrets) or type(error).__name__
        if isinstance(error, TimeoutError):
            return RetryableError(f"no whole reply within {self._timeout:g} s", kind="timeout")
        if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientConnectorSSLError):
            return FatalError(f"no trusted connection to {self.base_url}; see SSL_CERT_FILE", kind="tls")
        if isinstance(error, aiohttp.InvalidURL | ValueError):
            return FatalError(f"nothing can be sent to {self.base_url}: {told}", kind="address")
        return RetryableError(f"the connection to {self.base_url} failed: {told}", kind="connection")


def proxy_of(base_url: str) -> Proxy | None:
    """The proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in capitals or not, name for an address."""
    parts = urlsplit(base_url)
    address = getproxies().get(parts.scheme, "").strip()
    if not address or proxy_bypass(parts.netloc):
        return None
    try:
        given = urlsplit(address if "://" in address else f"http://{address}")
    except ValueError:
        raise FatalError("the proxy's address can't be read; see HTTP_PROXY and HTTPS_PROXY", kind="address") from None
    if given.scheme not in ("http", "https"):
        raise FatalError(f"the proxy speaks {given.scheme}, only http and https are known", kind="address")
    login, _, place = given.netloc.rpartition("@")
    words = base64.b64encode(unquote(login).encode()).decode()
    header = {"Proxy-Authorization": f"Basic {words}"} if login else {}
    return Proxy(f"{given.scheme}://{place}", header)


def _status_inside(error: Any) -> int:
    """The status in an error body that came with HTTP 200, as gateways send it; 502 where there is none."""
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 502
