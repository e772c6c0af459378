"""Progress on standard error: a bar on a terminal, a plain line now and then elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from judge.cli.common import is_terminal, say

if TYPE_CHECKING:
    from judge.engines.local import Progress

PLAIN_SECONDS = 10.0


@contextmanager
def counting(what: str) -> Iterator[Callable[[int], None]]:
    """A callback that shows how many are done."""
    if not is_terminal():
        yield lambda done: None
        return
    from rich.console import Console

    with Console(stderr=True).status(f"0 {what}") as status:
        yield lambda done: status.update(f"{done:,} {what}")


@contextmanager
def judging() -> Iterator[Callable[["Progress", int], None]]:
    """A callback that shows rate, unscored, cost and time left of a run."""
    started = time.monotonic()
    if not is_terminal():
        yield _plain(started)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=False) as bar:
        task = bar.add_task("", total=None)

        def show(progress: "Progress", total: int) -> None:
            bar.update(task, total=total, completed=progress.units, description=_words(progress, started))

        yield show


def _plain(started: float) -> Callable[["Progress", int], None]:
    last = started

    def show(progress: "Progress", total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= PLAIN_SECONDS:
            last = now
            left = (total - progress.units) * (now - started) / progress.units if progress.units else None
            ending = "" if left is None else f", about {left:.0f} s left"
            say(f"{progress.units:,} of {total:,}, {_words(progress, started)}{ending}")

    return show


def _words(progress: "Progress", started: float) -> str:
    rate = progress.units / max(1e-9, time.monotonic() - started)
    parts = [f"{rate:,.1f}/s", f"{progress.calls:,} calls"]
    if progress.unscored:
        parts.append(f"{progress.unscored:,} unscored")
    if progress.cost:
        parts.append(f"{progress.cost:.4f} {progress.currency or 'USD'}")
    elif progress.cost is None:
        parts.append("cost unknown")
    return ", ".join(parts)
