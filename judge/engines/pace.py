"""Rate of the requests of one run: what every worker asks before it sends."""

import asyncio
import time
from typing import Protocol


class Pace(Protocol):
    """Says when the next request may go; another engine can put an actor in its place."""

    async def acquire(self, estimate: int) -> None:
        """Wait until a request of about ``estimate`` tokens may be sent."""

    async def settle(self, actual: int | None) -> None:
        """Say how many tokens the request used; None: unknown."""

    async def pause(self, until: float) -> None:
        """Hold all workers until that moment (``time.monotonic`` seconds), as an endpoint asked."""


class SharedPause:
    """No limit of its own: it only makes one worker's Retry-After everybody's."""

    def __init__(self) -> None:
        self._until = 0.0

    async def acquire(self, estimate: int) -> None:
        """Wait while an endpoint's pause lasts."""
        while (left := self._until - time.monotonic()) > 0:
            await asyncio.sleep(left)

    async def settle(self, actual: int | None) -> None:
        """Nothing is counted here."""

    async def pause(self, until: float) -> None:
        """Hold all workers until that moment."""
        self._until = max(self._until, until)
