"""The local engine: one event loop, bounded requests in flight, one writer that commits in batches."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from judge.domain.errors import FatalError, UnsupportedError
from judge.domain.judging import RUNGS, Attempt, Judge, Model, Request, Run, Rung, Subject, Unscored, Verdict
from judge.engines.conversation import Conversation, converse, read_all
from judge.engines.pace import Pace
from judge.engines.work import Instrument, Work, pending, request_for
from judge.steps.verdicts import unscored_all
from judge.store.calls import save_call
from judge.store.database import Store
from judge.store.verdicts import insert_verdicts

T = TypeVar("T")
BATCH, BATCH_SECONDS = 200, 0.5
"""The writer commits after so many results or so many seconds, whichever comes first."""


GRACE_SECONDS = 20.0
"""After a stop, requests in flight may still finish: they are paid for."""


class Progress(NamedTuple):
    """How far this command is."""

    units: int = 0
    unscored: int = 0
    calls: int = 0
    cached: int = 0
    tokens: int | None = 0
    cost: float | None = 0.0
    currency: str | None = None
    first_request: float | None = None
    last_commit: float | None = None

    def plus(self, done: "Done") -> "Progress":
        """With one more result."""
        replies = [attempt.reply for attempt in done.attempts if attempt.reply]
        tokens, cost = self.tokens, self.cost
        for reply in replies:
            used = reply.usage
            tokens = (
                None
                if tokens is None or used.input is None or used.output is None
                else tokens + used.input + used.output
            )
            cost = None if cost is None or reply.cost is None else cost + reply.cost
        return self._replace(
            units=self.units + len(done.verdicts),
            unscored=self.unscored + sum(verdict.label is None for verdict in done.verdicts),
            calls=self.calls + len(done.attempts),
            cached=self.cached + (done.call_id is not None),
            tokens=tokens,
            cost=cost,
            currency=next((reply.currency for reply in replies if reply.currency), self.currency),
        )


class Done(NamedTuple):
    """One settled piece of work, to be written."""

    judge_id: int
    request: Request
    verdicts: tuple[Verdict, ...]
    attempts: tuple[Attempt, ...] = ()
    usable: bool = False
    call_id: int | None = None
    """Of a call that was made before and answered this one from the store."""


class Outcome(NamedTuple):
    """How a command ended."""

    progress: Progress
    stopped: bool
    error: FatalError | None


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


def find_rung(
    model: Model, subject: Subject, unit_ids: tuple[int, ...], judge: Judge, pace: Pace, retries: int
) -> tuple[Rung, Done]:
    """The highest structured-output rung that the endpoint takes, by asking a real question.

    Returns:
        The rung, and the question's result: it is stored, so that the Run does not ask it again.
    """

    async def climb() -> tuple[Rung, Done]:
        try:
            return await ask()
        finally:
            await model.close()  # a session belongs to its event loop

    async def ask() -> tuple[Rung, Done]:
        refused: UnsupportedError | None = None
        for rung in RUNGS:
            request = request_for(judge, subject, rung, unit_ids)
            try:
                said = await converse(model, request, pace, retries)
            except UnsupportedError as error:
                refused = error
                continue
            return rung, Done(0, request, said.verdicts, said.attempts, said.usable)
        raise FatalError(f"the endpoint takes none of {', '.join(RUNGS)}: {refused}", kind="unsupported")

    return run_in_thread(climb, lambda: None)


class _Shared:
    """What the coroutines of one run share."""

    def __init__(self, stop: threading.Event, concurrency: int, begin: Progress) -> None:
        self.stop = stop
        self.results: asyncio.Queue[Done | None] = asyncio.Queue(maxsize=4 * concurrency + BATCH)
        self.flying: dict[bytes, asyncio.Future[Conversation]] = {}
        self.progress = begin
        self.fatal: FatalError | None = None

    @property
    def ending(self) -> bool:
        return self.stop.is_set() or self.fatal is not None


def judge_units(
    store: Store,
    run: Run,
    instruments: Sequence[Instrument],
    model: Model,
    pace: Pace,
    *,
    concurrency: int,
    retries: int,
    stop: threading.Event,
    retry: frozenset[str] = frozenset(),
    begin: Progress = Progress(),  # noqa: B008 - a frozen value
    report: Callable[[Progress], None] = lambda progress: None,
) -> Outcome:
    """Judge every unit of the Run that has no verdict yet, and store what comes back.

    Setting ``stop`` ends it after the requests in flight; what they bring is kept.
    """

    async def main() -> Outcome:
        shared = _Shared(stop, concurrency, begin)
        work = pending(store, run, instruments, retry)
        writer = asyncio.create_task(_write(store, run.id, shared, report))
        workers = [asyncio.create_task(_work(work, model, pace, retries, shared)) for _ in range(concurrency)]
        try:
            await _until_done(workers, writer, shared)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            if not writer.done():
                await shared.results.put(None)
            await model.close()
            await writer
        return Outcome(shared.progress, shared.stop.is_set(), shared.fatal)

    return run_in_thread(main, stop.set)


async def _until_done(workers: Sequence[asyncio.Task[None]], writer: asyncio.Task[None], shared: _Shared) -> None:
    """Wait for the workers; a worker or the writer that failed ends it, and a stop does after some grace."""
    deadline: float | None = None
    while busy := [worker for worker in workers if not worker.done()]:
        await asyncio.wait([*busy, writer], timeout=0.2, return_when=asyncio.FIRST_COMPLETED)
        if writer.done():
            break
        if shared.ending:
            deadline = deadline or time.monotonic() + GRACE_SECONDS
            if time.monotonic() > deadline:
                break
        _raise_first(workers)
    _raise_first(workers)


def _raise_first(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        if task.done() and not task.cancelled() and (error := task.exception()) is not None:
            raise error


async def _work(work: Iterator[Work], model: Model, pace: Pace, retries: int, shared: _Shared) -> None:
    for item in work:  # one iterator for all workers: each takes the next piece when it is free
        try:
            await shared.results.put(await _settle(item, model, pace, retries, shared))
        except FatalError as error:
            shared.fatal = shared.fatal or error
        if shared.ending:
            return


async def _settle(item: Work, model: Model, pace: Pace, retries: int, shared: _Shared) -> Done:
    request = item.request
    if item.known:
        return Done(item.judge_id, request, item.known)
    if item.cached:
        call_id, replies = item.cached
        return Done(item.judge_id, request, read_all(replies, request).verdicts, call_id=call_id)
    twin = shared.flying.get(request.hash)
    if twin is not None:  # the same words are being asked just now: one request serves both
        said = await twin
        replies = tuple(attempt.reply for attempt in said.attempts if attempt.reply)
        own = read_all(replies, request).verdicts if replies else unscored_all(request, Unscored.PROVIDER_ERROR)
        return Done(item.judge_id, request, own, usable=said.usable)
    return await _ask(item, model, pace, retries, shared)


async def _ask(item: Work, model: Model, pace: Pace, retries: int, shared: _Shared) -> Done:
    request = item.request
    future: asyncio.Future[Conversation] = asyncio.get_running_loop().create_future()
    shared.flying[request.hash] = future
    if shared.progress.first_request is None:
        shared.progress = shared.progress._replace(first_request=time.monotonic())
    try:
        said = await converse(model, request, pace, retries)
    except UnsupportedError as error:
        said = Conversation((), unscored_all(request, Unscored.PROVIDER_ERROR, str(error)), usable=False)
    except BaseException as error:
        future.set_exception(error)
        future.exception()  # seen, also when no twin waits for it
        raise
    finally:
        del shared.flying[request.hash]
    future.set_result(said)
    return Done(item.judge_id, request, said.verdicts, said.attempts, said.usable)


async def _write(store: Store, run_id: int, shared: _Shared, report: Callable[[Progress], None]) -> None:
    open_end = True
    while open_end:
        batch: list[Done] = []
        deadline = time.monotonic() + BATCH_SECONDS
        while len(batch) < BATCH and (left := deadline - time.monotonic()) > 0:
            try:
                done = await asyncio.wait_for(shared.results.get(), left)
            except TimeoutError:
                break
            if done is None:
                open_end = False
                break
            batch.append(done)
        if batch:
            save(store, run_id, batch)
            for done in batch:
                shared.progress = shared.progress.plus(done)
            shared.progress = shared.progress._replace(last_commit=time.monotonic())
        report(shared.progress)


def save(store: Store, run_id: int | None, batch: Sequence[Done]) -> None:
    """Write results in one transaction: calls with their attempts, then verdicts."""
    with store.write() as connection:
        for done in batch:
            call_id = done.call_id
            if done.attempts or done.usable:
                call_id = save_call(connection, done.request, done.attempts, usable=done.usable, run_id=run_id)
            if done.judge_id:
                insert_verdicts(connection, done.judge_id, call_id, done.verdicts)
