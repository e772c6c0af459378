"""An event loop in a thread of its own, so that notebooks and Streamlit can call an engine."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_in_thread(main: Callable[[], Coroutine[Any, Any, T]], on_interrupt: Callable[[], None]) -> T:
    """Run a coroutine in a thread of its own and wait; so that notebooks and Streamlit can call an engine.

    Args:
        main: makes the coroutine.
        on_interrupt: called at Ctrl-C; the coroutine is expected to end soon after it.
    """
    box: list[T] = []
    errors: list[BaseException] = []
    done = threading.Event()  # an interrupt inside Thread.join makes Python take the thread for dead

    def target() -> None:
        try:
            box.append(asyncio.run(main()))
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=target, name="judge-engine", daemon=True).start()
    interrupts = 0
    while not done.is_set():
        try:
            done.wait(0.2)
        except KeyboardInterrupt:
            interrupts += 1
            if interrupts > 1:
                raise
            on_interrupt()
    if errors:
        raise errors[0]
    return box[0]
