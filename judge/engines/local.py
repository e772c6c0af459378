"""The local engine: one event loop, bounded requests in flight, one writer that commits in batches."""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import sqlalchemy as sa

from judge.domain.errors import BusyError, FatalError, UnsupportedError
from judge.domain.judging import Attempt, Model, Reply, Unscored
from judge.engines.conversation import Conversation, Question, converse
from judge.engines.pace import Pace
from judge.engines.threads import run_in_thread
from judge.store.calls import save_call, usable_replies
from judge.store.database import Store

T = TypeVar("T")
V = TypeVar("V")
BATCH = 200
"""The writer commits what has come in, at most so many results at a time."""
REPORT_SECONDS = 0.5
"""Progress is told at least so often."""
GRACE_SECONDS = 20.0
"""After a stop, requests in flight may still finish: they are paid for."""
BUSY_TRIES = 10
"""How often a batch is offered to a busy database; each try waits up to the database's own time limit."""
REMEMBERED = 20_000
"""Call ids of late answers kept at hand, so that an equal request further down a loaded page is not sent again."""
REMEMBERED_FAILED = 1_000
"""Failed conversations kept at hand, so that an equal question does not pay for the same failure."""
ODD_ONES = 5
"""So many requests in a row that an endpoint rejects stop the run; fewer are those items' own errors."""


class Work(NamedTuple, Generic[T]):
    """One question to settle."""

    owner: int
    """Row id that the result belongs to: a Judge, a ClaimSet."""
    question: Question[T]
    """What to ask."""
    known: T | None = None
    """The result, when nothing needs to be asked."""
    cached: tuple[int, tuple[Reply, ...]] | None = None
    """Call id and replies of an identity that was answered before."""


class Done(NamedTuple, Generic[T]):
    """One settled question, to be written."""

    owner: int
    question: Question[T]
    result: T | None
    """None: nothing is decided, only attempts are kept."""
    attempts: tuple[Attempt, ...] = ()
    usable: bool = False
    call_id: int | None = None
    """Of a call that was made before and answered this one from the store."""
    asked: bool = False
    """Whether a request was sent for it, by itself or by an equal one."""


class Progress(NamedTuple):
    """How far this command is."""

    units: int = 0
    unscored: int = 0
    calls: int = 0
    replies: int = 0
    cached: int = 0
    tokens: int | None = 0
    cost: float | None = 0.0
    currency: str | None = None
    first_request: float | None = None
    last_commit: float | None = None

    def plus(self, done: Done[Any]) -> "Progress":
        """With one more result."""
        replies = [attempt.reply for attempt in done.attempts if attempt.reply]
        tokens, cost = self.tokens, self.cost
        for reply in replies:
            use = reply.usage
            tokens = (
                None if tokens is None or use.input is None or use.output is None else tokens + use.input + use.output
            )
            cost = None if cost is None or reply.cost is None else cost + reply.cost
        units, unscored = (0, 0) if done.result is None else done.question.tally(done.result)
        return self._replace(
            units=self.units + units,
            unscored=self.unscored + unscored,
            calls=self.calls + len(done.attempts),
            replies=self.replies + len(replies),
            cached=self.cached + (done.call_id is not None),
            tokens=tokens,
            cost=cost,
            currency=next((reply.currency for reply in replies if reply.currency), self.currency),
        )


class Outcome(NamedTuple):
    """How a command ended."""

    progress: Progress
    stopped: bool
    error: FatalError | None


class Sink(NamedTuple, Generic[T]):
    """Where results go."""

    store: Store
    run_id: int | None
    """Run that the attempts are billed to."""
    write: Callable[[sa.Connection, int, int | None, T], None]
    """Writes one result: connection, owner, call id, result."""

    def save(self, batch: Sequence[Done[T]]) -> None:
        """Write a batch in one transaction: calls with their attempts, then what came of them."""
        if batch:
            patiently(lambda: self._save(batch))

    def _save(self, batch: Sequence[Done[T]]) -> None:
        with self.store.write() as connection:
            for done in batch:
                call_id = done.call_id
                if done.asked:
                    request = done.question.request
                    call_id = save_call(connection, request, done.attempts, usable=done.usable, run_id=self.run_id)
                if done.result is not None:
                    self.write(connection, done.owner, call_id, done.result)


def patiently(action: Callable[[], T]) -> T:
    """Do what writes to the database; when another program holds it, wait for a turn again and again.

    What came back from an endpoint is paid for, so it is worth minutes of waiting.

    Raises:
        BusyError: it was held through all tries.
    """
    for _ in range(BUSY_TRIES - 1):
        try:
            return action()
        except BusyError:
            continue
    return action()


def ask_once(
    model: Model, question: Question[T], pace: Pace, retries: int, stop: threading.Event
) -> Conversation[T] | None:
    """Ask one question alone, as the search for a rung does; None when it was stopped."""

    async def main() -> Conversation[T] | None:
        asking = asyncio.create_task(converse(model, question, pace, retries))
        try:
            deadline: float | None = None
            while not asking.done():
                await asyncio.wait([asking], timeout=0.2)
                if stop.is_set():
                    deadline = deadline or time.monotonic() + GRACE_SECONDS
                    if time.monotonic() > deadline:
                        asking.cancel()
            return None if asking.cancelled() else asking.result()
        finally:
            await model.close()  # a session belongs to its event loop

    return run_in_thread(main, stop.set)


def run_calls(
    work: Iterator[Work[T]],
    sink: Sink[T],
    model: Model,
    pace: Pace,
    *,
    concurrency: int,
    retries: int,
    stop: threading.Event,
    begin: Progress = Progress(),  # noqa: B008 - a frozen value
    report: Callable[[Progress], None] = lambda progress: None,
) -> Outcome:
    """Settle every question and store what comes back.

    Setting ``stop`` ends it after the requests in flight; what they bring is kept.
    """

    async def main() -> Outcome:
        flow = _Flow(sink, model, pace, retries, stop, concurrency, begin)
        writer = asyncio.create_task(flow.write(report))
        workers = [asyncio.create_task(flow.work(work)) for _ in range(concurrency)]
        try:
            await flow.until_done(workers, writer)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            if not writer.done():
                await flow.decide_doubtful()
                await flow.results.put(None)
            await model.close()
            await writer
        return Outcome(flow.progress, stop.is_set(), flow.fatal)

    return run_in_thread(main, stop.set)


class _Flow(Generic[T]):
    """What the workers and the writer of one run share."""

    def __init__(
        self,
        sink: Sink[T],
        model: Model,
        pace: Pace,
        retries: int,
        stop: threading.Event,
        concurrency: int,
        begin: Progress,
    ) -> None:
        self.sink, self.model, self.pace, self.retries, self.stop = sink, model, pace, retries, stop
        self.results: asyncio.Queue[Done[T] | None] = asyncio.Queue(maxsize=4 * concurrency + BATCH)
        self.flying: dict[bytes, asyncio.Future[Conversation[T]]] = {}
        self.answered: OrderedDict[bytes, None] = OrderedDict()
        self.failed: OrderedDict[bytes, Conversation[T]] = OrderedDict()
        self.progress = begin
        self.fatal: FatalError | None = None
        self.succeeded = False
        self.doubtful: list[Done[T]] = []

    @property
    def ending(self) -> bool:
        return self.stop.is_set() or self.fatal is not None

    async def until_done(self, workers: Sequence[asyncio.Task[None]], writer: asyncio.Task[None]) -> None:
        """Wait for the workers; a worker or the writer that failed ends it, and a stop does after some grace."""
        deadline: float | None = None
        while busy := [worker for worker in workers if not worker.done()]:
            await asyncio.wait([*busy, writer], timeout=0.2, return_when=asyncio.FIRST_COMPLETED)
            if writer.done():
                break
            if self.ending:
                deadline = deadline or time.monotonic() + GRACE_SECONDS
                if time.monotonic() > deadline:
                    break
            _raise_first(workers)
        _raise_first(workers)

    async def work(self, work: Iterator[Work[T]]) -> None:
        while not self.ending:  # one iterator for all workers: each takes the next piece when it is free
            item = next(work, None)
            if item is None:
                return
            await self.results.put(await self.settle(item))

    async def settle(self, item: Work[T]) -> Done[T]:
        question = item.question
        if item.known is not None:
            return Done(item.owner, question, item.known)
        identity = question.request.hash
        if item.cached is None and identity in self.flying:  # the same words are being asked just now
            return self._alike(item, await self.flying[identity])
        if item.cached is None and identity in self.failed:
            return self._alike(item, self.failed[identity])
        if item.cached is None and identity in self.answered:
            item = self._again(item)
        if item.cached is not None:
            call_id, replies = item.cached
            return Done(item.owner, question, question.hear(replies).result, call_id=call_id)
        return await self.ask(item)

    def _again(self, item: Work[T]) -> Work[T]:
        """Look into the cache once more: an equal request was answered since the page was loaded."""
        identity = item.question.request.hash
        with self.sink.store.read() as connection:
            return item._replace(cached=usable_replies(connection, [identity]).get(identity))

    def _alike(self, item: Work[T], said: Conversation[T]) -> Done[T]:
        """One request serves both; if it failed, both fail for the same reason."""
        replies = [attempt.reply for attempt in said.attempts if attempt.reply]
        if said.broken is not None and self.fatal is not None:
            return Done(item.owner, item.question, None)
        if replies:
            result = item.question.hear(replies).result
            return Done(item.owner, item.question, result, usable=said.usable, asked=True)
        last = said.attempts[-1].error if said.attempts else None
        reason = next((one for one in Unscored if last and last.startswith(f"{one.value}:")), Unscored.PROVIDER_ERROR)
        return Done(item.owner, item.question, item.question.give_up(reason, last), asked=True)

    async def ask(self, item: Work[T]) -> Done[T]:
        identity = item.question.request.hash
        future: asyncio.Future[Conversation[T]] = asyncio.get_running_loop().create_future()
        self.flying[identity] = future  # until the writer has committed it
        if self.progress.first_request is None:
            self.progress = self.progress._replace(first_request=time.monotonic())
        try:
            said = await converse(self.model, item.question, self.pace, self.retries)
        except BaseException as error:
            future.set_exception(error)
            future.exception()  # seen, also when no twin waits for it
            del self.flying[identity]
            raise
        future.set_result(said)
        done = Done(item.owner, item.question, said.result, said.attempts, said.usable, asked=True)
        if said.broken is None:
            self.succeeded = self.succeeded or said.usable
            await self.decide_doubtful()
            return done
        self._weigh(said.broken, done)
        return done._replace(result=None)

    def _weigh(self, error: FatalError | UnsupportedError, done: Done[T]) -> None:
        """An endpoint that answered before may reject a few items for themselves; else the run must end here."""
        own = isinstance(error, FatalError) and (error.kind == "bad_request" or error.status == 403)
        self.doubtful.append(done)
        if own and self.succeeded and len(self.doubtful) < ODD_ONES:
            return
        if isinstance(error, UnsupportedError):
            error = FatalError(f"the endpoint no longer takes {error.kind}: {error}", kind="unsupported")
        self.fatal = self.fatal or error

    async def decide_doubtful(self) -> None:
        """Rejections were those items' own, since the endpoint answers others, or the run ended well."""
        while self.doubtful and self.fatal is None:
            await self.results.put(self.doubtful.pop(0)._replace(attempts=()))

    async def write(self, report: Callable[[Progress], None]) -> None:
        open_end = True
        while open_end:
            batch: list[Done[T]] = []
            try:
                done = await asyncio.wait_for(self.results.get(), REPORT_SECONDS)
            except TimeoutError:
                report(self.progress)
                continue
            while done is not None:  # what has come in meanwhile goes along
                batch.append(done)
                if len(batch) == BATCH or self.results.empty():
                    break
                done = self.results.get_nowait()
            open_end = done is not None
            await asyncio.to_thread(self.sink.save, batch)
            self._written(batch)
            report(self.progress)

    def _written(self, batch: Sequence[Done[T]]) -> None:
        for done in batch:
            self.progress = self.progress.plus(done)
            identity = done.question.request.hash
            if done.attempts:
                said = self.flying.pop(identity, None)
                if done.usable:
                    _remember(self.answered, identity, None, REMEMBERED)
                elif said is not None and done.result is not None:
                    _remember(self.failed, identity, said.result(), REMEMBERED_FAILED)
        if batch:
            self.progress = self.progress._replace(last_commit=time.monotonic())


def _remember(where: "OrderedDict[bytes, V]", identity: bytes, value: V, most: int) -> None:
    where[identity] = value
    if len(where) > most:
        where.popitem(last=False)


def _raise_first(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        if task.done() and not task.cancelled() and (error := task.exception()) is not None:
            raise error
