"""Keeps other processes off what this one pays for, as long as it works on it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from judge.domain.errors import BusyError
from judge.store.database import Store

HOLD_SECONDS = 30.0
"""How long a process that ends without a word keeps others off (on its own host they see that it ended)."""


@contextmanager
def kept(store: Store, renew: Callable[[sa.Connection], str | None], stop: threading.Event) -> Iterator[None]:
    """Renew a hold from a thread of its own until the block ends; ``stop`` is set when another process has it.

    Args:
        store: the open database.
        renew: takes or renews the hold; returns who has it, or None.
        stop: ends the work of the block.
    """
    done = threading.Event()

    def beat() -> None:
        while not done.wait(HOLD_SECONDS / 4):
            try:
                with store.write() as connection:
                    other = renew(connection)
            except BusyError:  # the next beat comes before the hold ends
                continue
            if other is not None:
                stop.set()
                return

    thread = threading.Thread(target=beat, name="judge-hold", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
