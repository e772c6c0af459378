"""Split by a model: texts -> requests -> calls -> claims; running it again is how it goes on."""

import itertools
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import sqlalchemy as sa
from pydantic import JsonValue

from judge.domain.answers import Dataset
from judge.domain.claims import ClaimSet, Source
from judge.domain.errors import BusyError, FatalError, UsageError
from judge.domain.judging import RUNGS, Model, Rung, RunState
from judge.engines.local import Done, Outcome, Progress, Sink, run_calls
from judge.engines.pace import SharedPause
from judge.engines.rungs import Climbed, climb, settled
from judge.engines.splits import SplitResult, pending_splits, split_question, unsplit_texts
from judge.steps.split_prompts import Splitter
from judge.steps.split_replies import READER
from judge.store.claims import count_unsplit, hold_claim_set, insert_splits, keep_claim_set, release_claim_set
from judge.store.database import Store
from judge.store.datasets import find_dataset
from judge.store.runs import this_process
from judge.workflow.holds import HOLD_SECONDS, kept
from judge.workflow.splitting import SplitSummary, default_name, last_answer, set_of_name, summarise

PROBES = 5
"""Texts tried in the search for a rung before the endpoint counts as dead."""

Report = Callable[[Progress, int], None]
"""Called with how far the command is and how many answers it has to do."""


class SplitPlan(NamedTuple):
    """How to split, beside what and by whom."""

    name: str | None = None
    """Of the claim set; None: the last part of the model's name, for references with ``-reference``."""
    source: Source = "answer"
    parameters: Mapping[str, JsonValue] = {}
    limit: int | None = None
    """Only the first so many answers."""
    concurrency: int = 16
    retries: int = 3


class _Job(NamedTuple):
    """What one command splits with."""

    store: Store
    model: Model
    plan: SplitPlan
    data: Dataset
    name: str
    until: int | None
    stop: threading.Event
    results: dict[int, SplitResult]
    """What came of each answer, by row id; one that is written twice counts once."""


def split_by_model(
    store: Store,
    dataset: str | None,
    model: Model,
    *,
    plan: SplitPlan = SplitPlan(),  # noqa: B008 - a frozen value
    stop: threading.Event | None = None,
    report: Report = lambda progress, total: None,
) -> SplitSummary:
    """Have a model split the answers of a Dataset that the claim set does not have yet.

    An answer that is null is left out; one without a word is split into nothing and not sent. An answer that could
    not be split is counted by reason and asked for again by the same command.

    Args:
        store: the open database.
        dataset: name, ``name@version`` or id; None: the only one.
        model: the endpoint.
        plan: how to split.
        stop: set it to end the command after the requests in flight.
        report: called now and then.

    Raises:
        UsageError: no such dataset, the claim set was made by another splitter, or the model only judges.
        BusyError: another process splits into this claim set just now.
    """
    if model.provider == "baseline":
        raise UsageError(
            f"{model.provider!r} judges claims and can't split answers; --splitter rules needs no model either"
        )
    name = plan.name or default_name(model.name, plan.source)
    with store.read() as connection:
        data = find_dataset(connection, dataset)
        found = set_of_name(connection, data, name, _identities(model, plan), plan.source)
        until = last_answer(connection, data, plan.limit)
    job = _Job(store, model, plan, data, name, until, stop or threading.Event(), {})
    begin, error = Progress(), None
    if found is None:
        begin, found, error = _begin(job)
    if found is None:
        return _unbegun(job, begin, error)
    return _summary(job, found, _split(job, found, begin, report))


def _splitter(model: Model, plan: SplitPlan, rung: Rung) -> Splitter:
    return Splitter(model.provider, model.base_url, model.name, dict(plan.parameters), rung, READER)


def _identities(model: Model, plan: SplitPlan) -> list[str]:
    return [_splitter(model, plan, rung).identity for rung in RUNGS]


def _begin(job: _Job) -> tuple[Progress, ClaimSet | None, FatalError | None]:
    """Find the rung with a real text and make the claim set under it; None when it was stopped before."""
    model, plan = job.model, job.plan
    begin, done = Progress(first_request=time.monotonic()), list[Done[SplitResult]]()
    pages = unsplit_texts(job.store, job.data.id, None, plan.source, job.until)
    texts = (asked for page in pages for asked in page if asked.text.strip())
    climbed = Climbed[SplitResult](RUNGS[0])
    for asked in itertools.islice(texts, PROBES):
        tries = [(one, split_question(_splitter(model, plan, one), asked)) for one in RUNGS]
        climbed = climb(job.store, model, tries, plan.retries, job.stop)
        done += settled(0, climbed.asked)
        if climbed.answered or climbed.rung is None:
            break
    rung, error = climbed.rung, climbed.broken
    if error is None and rung is not None and not climbed.answered:
        last = done[-1].attempts[-1].error or "no reply"
        few = f"none of the first {len(done)} answers' requests" if len(done) > 1 else "not the first request"
        error = FatalError(f"the endpoint answered {few} ({last})", kind="no_answer")
    if rung is None or error is not None:  # no rung is fixed, so the next try begins afresh
        _sink(job, 0).save([one._replace(result=None) for one in done])
        for one in done:
            begin = begin.plus(one._replace(result=None))
        return begin._replace(last_commit=time.monotonic()), None, error
    found = _keep_set(job, _splitter(model, plan, rung).identity)
    _sink(job, found.id).save([one._replace(owner=found.id) for one in done])
    for one in done:
        begin = begin.plus(one)
    return begin._replace(last_commit=time.monotonic()), found, None


def _keep_set(job: _Job, splitter: str) -> ClaimSet:
    """The claim set, made under this identity unless another process was faster."""
    with job.store.write() as connection:
        keep_claim_set(connection, job.data.id, job.name, splitter, job.plan.source)
        found = set_of_name(connection, job.data, job.name, [splitter], job.plan.source)
    if found is None:
        raise LookupError(f"claim set {job.name!r} is gone")
    return found


def _split(job: _Job, found: ClaimSet, begin: Progress, report: Report) -> Outcome:
    """Split what is left, under a hold that keeps other processes from paying for the same."""
    holder = this_process()
    with job.store.write() as connection:
        if other := hold_claim_set(connection, found.id, holder, HOLD_SECONDS):
            raise BusyError(
                f"another process ({other}) splits into the claim set {found.name!r}; wait for it or stop it"
            )
        failed = begin.unscored
        left = count_unsplit(connection, found.id, job.data.id, found.source, job.until)
    rung = next(rung for rung in RUNGS if _splitter(job.model, job.plan, rung).identity == found.splitter)
    pages = unsplit_texts(job.store, job.data.id, found.id, found.source, job.until)
    # what failed in the search for the rung is not asked again by the same command
    work = pending_splits(job.store, _splitter(job.model, job.plan, rung), found.id, pages, frozenset(job.results))
    try:
        with kept(job.store, lambda c: hold_claim_set(c, found.id, holder, HOLD_SECONDS), job.stop):
            return run_calls(
                work,
                _sink(job, found.id),
                job.model,
                SharedPause(),
                concurrency=job.plan.concurrency,
                retries=job.plan.retries,
                stop=job.stop,
                begin=begin,
                report=lambda progress: report(progress, left + begin.units - failed),
            )
    finally:
        with job.store.write() as connection:
            release_claim_set(connection, found.id, holder)


def _sink(job: _Job, claim_set_id: int) -> Sink[SplitResult]:
    def write(connection: sa.Connection, owner: int, call_id: int | None, result: SplitResult) -> None:
        if result.split is not None:
            insert_splits(connection, claim_set_id, job.data.id, [(result.answer_id, result.split)])
        job.results[result.answer_id] = result._replace(split=None)

    return Sink(job.store, None, write)


def _summary(job: _Job, found: ClaimSet, outcome: Outcome) -> SplitSummary:
    failed = _counted(result.failed for result in job.results.values())
    with job.store.read() as connection:
        left = count_unsplit(connection, found.id, job.data.id, found.source, job.until)
    state = RunState.PARTIAL if failed else RunState.COMPLETE
    if left > sum(failed.values()):
        state = RunState.STOPPED
    progress = outcome.progress
    wall = 0.0
    if progress.first_request is not None and progress.last_commit is not None:
        wall = max(0.0, progress.last_commit - progress.first_request)
    return summarise(job.store, job.data.name, found, len(job.results) - sum(failed.values()))._replace(
        failed=failed,
        state=state.value,
        calls=progress.calls,
        cached=progress.cached,
        tokens=progress.tokens,
        cost=progress.cost,
        currency=progress.currency,
        wall_s=round(wall, 3),
        error=outcome.error,
    )


def _counted(reasons: Iterable[str | None]) -> dict[str, int]:
    """How often each reason stands there, the commonest first."""
    given = sorted(str(reason) for reason in reasons if reason is not None)
    counts = [(reason, len(list(same))) for reason, same in itertools.groupby(given)]
    return dict(sorted(counts, key=lambda one: -one[1]))


def _unbegun(job: _Job, progress: Progress, error: FatalError | None) -> SplitSummary:
    """Of a command that ended before there was a claim set."""
    return SplitSummary(
        dataset=job.data.name,
        claim_set=job.name,
        claims=0,
        not_checkable=0,
        no_claims=0,
        coverage=None,
        new=0,
        not_checkable_by_reason={},
        claims_per_100_words=None,
        uncovered=0,
        not_in_answer=0,
        source=job.plan.source,
        splitter="",
        state=RunState.STOPPED.value,
        calls=progress.calls,
        tokens=progress.tokens if progress.replies or not progress.calls else None,
        cost=progress.cost if progress.replies or not progress.calls else None,
        currency=progress.currency,
        error=error,
    )
