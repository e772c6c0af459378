"""Run: units x rubrics -> requests -> calls -> verdicts; running it again is how it goes on."""

import itertools
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from pydantic import JsonValue

from judge.domain.answers import Dataset
from judge.domain.base import content_hash
from judge.domain.claims import UnitKind
from judge.domain.errors import BusyError, FatalError, JudgeError, UsageError
from judge.domain.judging import RUNGS, Judge, Model, Per, Run, Rung, RunState
from judge.domain.rubrics import Rubric
from judge.engines.judgements import Judgement, Verdicts
from judge.engines.local import Done, Outcome, Progress, Sink, Work, patiently, run_calls
from judge.engines.pace import SharedPause
from judge.engines.rungs import Climbed, climb, settled
from judge.engines.work import Instrument, pending, request_for
from judge.steps.requests import TEMPLATE
from judge.steps.verdicts import PARSER
from judge.store.claims import list_claim_sets
from judge.store.database import Store
from judge.store.datasets import find_dataset
from judge.store.names import pick
from judge.store.review import labelled_rubrics, list_samples
from judge.store.rubrics import keep_rubric
from judge.store.runs import (
    add_run_judge,
    find_run,
    hold_run,
    holder_of,
    judges_of,
    keep_judge,
    keep_run,
    list_runs,
    release_run,
    set_run,
    this_process,
)
from judge.store.units import keep_answer_units
from judge.store.verdicts import commonest_failures, count_verdicts, insert_verdicts
from judge.workflow.holds import HOLD_SECONDS, kept

PROBES = 5
"""Questions tried in the search for a rung before the endpoint counts as dead."""


class Job(NamedTuple):
    """What one command judges with."""

    store: Store
    rubrics: Sequence[Rubric]
    model: Model
    name: str
    plan: "Plan"
    holder: str
    stop: threading.Event


class Plan(NamedTuple):
    """How to judge, beside what and by whom."""

    parameters: Mapping[str, JsonValue] = {}
    per: Per = "claim"
    claims: str | None = None
    limit: int | None = None
    concurrency: int = 16
    retries: int = 3
    retry: frozenset[str] = frozenset()


class RunSummary(NamedTuple):
    """A Run after a command; calls, cached, tokens, cost and wall_s are of the command, the rest of the Run."""

    run: str
    asked: int
    judged: int
    unscored: dict[str, int]
    calls: int
    cached: int
    tokens: int | None
    cost: float | None
    currency: str | None
    wall_s: float
    state: str
    rubrics: dict[str, dict[str, int]]
    failures: tuple[tuple[str, int], ...] = ()
    """What the endpoint said of the units that it failed on, commonest first."""
    labelled: bool = False
    """Whether people labelled units of the Dataset."""
    stopped: bool = False
    """Whether this command ended before it had done all that it was asked."""
    error: JudgeError | None = None


Report = Callable[[Progress, int], None]
"""Called with how far the command is and how many units it has to do."""


def judge_dataset(
    store: Store,
    dataset: str | None,
    rubrics: Sequence[Rubric],
    model: Model,
    *,
    name: str,
    plan: Plan,
    stop: threading.Event | None = None,
    report: Report = lambda progress, total: None,
) -> RunSummary:
    """Judge every unit of a Dataset under these rubrics that has no verdict yet.

    Args:
        store: the open database.
        dataset: name or id; None: the only one.
        rubrics: the questions, one Judge each.
        model: the endpoint.
        name: how people call the model.
        plan: how to judge.
        stop: set it to end the run after the requests in flight.
        report: called now and then.

    Raises:
        UsageError: no such dataset or claim set, a rubric named twice.
        BusyError: another process judges this Run just now.
    """
    if len({rubric.name for rubric in rubrics}) < len(rubrics):
        raise UsageError("a rubric is named twice; name each once")
    job = Job(store, rubrics, model, name, plan, this_process(), stop or threading.Event())
    run = patiently(lambda: _open_run(job, dataset))
    outcome = Outcome(Progress(), stopped=True, error=None)
    try:
        with kept(store, lambda connection: hold_run(connection, run.id, job.holder, HOLD_SECONDS), job.stop):
            outcome = _judge_run(job, run, report)
    finally:
        summary = patiently(lambda: _close(job, run, outcome))
    return summary


def _judge_run(job: Job, run: Run, report: Report) -> Outcome:
    begin, error = _begin(job, run)
    instruments = _instruments(job, run)
    if error is not None or not instruments:
        return Outcome(begin, stopped=error is None, error=error)
    plan, total = job.plan, _left(job, run, instruments)
    return run_calls(
        pending(job.store, run, instruments, plan.retry, plan.limit),
        Sink(job.store, run.id, insert_verdicts_of),
        job.model,
        SharedPause(),
        concurrency=plan.concurrency,
        retries=plan.retries,
        stop=job.stop,
        begin=begin,
        report=lambda progress: report(progress, total),
    )


def insert_verdicts_of(connection: sa.Connection, judge_id: int, call_id: int | None, verdicts: Verdicts) -> None:
    """The writer of judgements."""
    insert_verdicts(connection, judge_id, call_id, verdicts)


def _open_run(job: Job, dataset: str | None) -> Run:
    rubrics, plan, name = job.rubrics, job.plan, job.name
    with job.store.write() as connection:
        data = find_dataset(connection, dataset)
        claim_set_id = _claim_set(connection, data, rubrics, plan.claims)
        for rubric in rubrics:
            keep_rubric(connection, rubric)
        if any(rubric.unit is UnitKind.ANSWER for rubric in rubrics):
            keep_answer_units(connection, data.id)
        specs = [_judge(job, rubric).model_copy(update={"rung": "text"}) for rubric in rubrics]
        run_id = keep_run(
            connection,
            # neither the rung, found later, nor the order of the rubrics makes another Run
            hash=content_hash([data.hash, claim_set_id, sorted(spec.hash.hex() for spec in specs)]),
            name=f"{data.name}-{name.rsplit('/', 1)[-1]}",
            dataset_id=data.id,
            claim_set_id=claim_set_id,
            state=RunState.OPEN,
            settings={
                "model": name,
                "per": plan.per,
                "parameters": dict(plan.parameters),
                "judges": sorted(spec.hash.hex() for spec in specs),
            },
            answer_limit=plan.limit,
        )
        run = find_run(connection, str(run_id))
        for sharing in list_runs(connection, data.id):  # Runs share Judges, and so what they pay for
            common = set(sharing.settings.get("judges", ())) & set(run.settings["judges"])
            if sharing.id != run_id and common and (other := holder_of(connection, sharing.id)):
                raise BusyError(
                    f"run {sharing.name!r} asks some of the same just now ({other}); wait for it or stop it"
                )
        if other := hold_run(connection, run_id, job.holder, HOLD_SECONDS):
            raise BusyError(f"run {run.name!r} is being judged by another process ({other}); wait for it or stop it")
        # a limit is how far the Run goes: never back, only on
        limit = None if plan.limit is None or run.limit is None else max(plan.limit, run.limit)
        set_run(connection, run_id, answer_limit=limit, state=RunState.OPEN.value)
        return find_run(connection, str(run_id))


def _claim_set(connection: sa.Connection, data: Dataset, rubrics: Sequence[Rubric], name: str | None) -> int | None:
    kinds = {rubric.unit for rubric in rubrics}
    if other := kinds - {UnitKind.CLAIM, UnitKind.ANSWER}:
        raise UsageError(
            f"`judge run` asks about claims and answers; this rubric asks about a {sorted(other)[0].value}"
        )
    if UnitKind.CLAIM not in kinds:
        return None
    sets = [one for one in list_claim_sets(connection, data.id) if one.source == "answer"]
    return pick(name, sets, "claim set", advice=f"`judge split {data.name}` makes one", option="--claims").id


def _judge(job: Job, rubric: Rubric) -> Judge:
    return Judge(
        name=job.name,
        provider=job.model.provider,
        base_url=job.model.base_url,
        model=job.model.name,
        parameters=dict(job.plan.parameters),
        rubric=rubric.hash.hex(),
        template=TEMPLATE,
        per=job.plan.per,
        parser=PARSER,
    )


def _instruments(job: Job, run: Run) -> list[Instrument]:
    """The Run's Judges in the order of the rubrics; none before the rung is found."""
    with job.store.read() as connection:
        judges = {one.judge.rubric: one for one in judges_of(connection, run.id)}
    found = [(judges.get(rubric.hash.hex()), rubric) for rubric in job.rubrics]
    return [Instrument(one.id, one.judge, rubric) for one, rubric in found if one is not None]


def _begin(job: Job, run: Run) -> tuple[Progress, FatalError | None]:
    """Find the rung with a real question and fix it for the Run; it stays open when it is stopped or broken before."""
    if _instruments(job, run):
        return Progress(), None
    # no stored judge has an id below 0, so nothing counts as judged yet
    probes = [Instrument(-place, _judge(job, rubric), rubric) for place, rubric in enumerate(job.rubrics, 1)]
    asked = (work for work in pending(job.store, run, probes, frozenset(), job.plan.limit) if work.known is None)
    began, found, done = time.monotonic(), Climbed[Verdicts](RUNGS[0]), list[Done[Verdicts]]()
    for work in itertools.islice(asked, PROBES):
        forms = _forms(work, probes[-work.owner - 1].judge)
        found = climb(job.store, job.model, forms, job.plan.retries, job.stop)
        done += settled(work.owner, found.asked)
        if found.answered or found.rung is None:
            break
    error = found.broken
    if error is None and found.rung is not None and not found.answered:
        few = f"none of the first {len(done)} questions" if len(done) > 1 else "not the first question"
        last = done[-1].attempts[-1].error or "no reply"
        error = FatalError(f"the endpoint answered {few} ({last})", kind="no_answer")
    if error is None and found.rung is not None:
        _keep_judges(job, run, probes, found.rung, done)
    else:  # nothing is decided and no rung is fixed, so the next try begins afresh
        Sink(job.store, run.id, insert_verdicts_of).save([one._replace(result=None) for one in done])
    begin = Progress(first_request=began if done else None)
    for one in done:
        begin = begin.plus(one._replace(result=None))
    return begin._replace(last_commit=time.monotonic() if done else None), error


def _forms(work: Work[Verdicts], judge: Judge) -> list[tuple[Rung, Judgement]]:
    """A question in the form of each rung."""
    request = work.question.request
    subject = request.prompt.subject
    if subject is None:
        return []
    return [(rung, Judgement(request_for(judge, subject, rung, request.unit_ids))) for rung in RUNGS]


def _keep_judges(job: Job, run: Run, probes: Sequence[Instrument], rung: Rung, done: Sequence[Done[Verdicts]]) -> None:
    """Store the Judges with their rung, and what the search for it brought."""
    ids: dict[int, int] = {}

    def keep() -> None:
        with job.store.write() as connection:
            for probe in probes:
                judge = probe.judge.model_copy(update={"rung": rung})
                ids[probe.judge_id] = keep_judge(connection, judge, keep_rubric(connection, probe.rubric))
                add_run_judge(connection, run.id, ids[probe.judge_id])

    patiently(keep)
    Sink(job.store, run.id, insert_verdicts_of).save([one._replace(owner=ids[one.owner]) for one in done])


def _left(job: Job, run: Run, instruments: Sequence[Instrument]) -> int:
    """Units that this command has to decide."""
    left = 0
    limits = [limit for limit in (run.limit, job.plan.limit) if limit is not None]
    here = run.model_copy(update={"limit": min(limits, default=None)})
    with job.store.read() as connection:
        for judge in judges_of(connection, run.id):
            kinds = [one.rubric.unit for one in instruments if one.judge_id == judge.id]
            for kind in kinds:
                counts = count_verdicts(connection, here, judge, kind)
                again = sum(n for reason, n in counts.unscored.items() if reason in job.plan.retry)
                left += counts.asked - counts.judged - sum(counts.unscored.values()) + again
    return left


def _close(job: Job, run: Run, outcome: Outcome) -> RunSummary:
    """Count the whole Run, set its state, give the hold back."""
    asked, judged, unscored = 0, 0, dict[str, int]()
    detail: dict[str, dict[str, int]] = {}
    known = {rubric.hash.hex(): rubric for rubric in job.rubrics}
    with job.store.write() as connection:
        judges = judges_of(connection, run.id)
        for judge in judges:
            rubric = known[judge.judge.rubric]
            counts = count_verdicts(connection, run, judge, rubric.unit)
            asked, judged = asked + counts.asked, judged + counts.judged
            for reason, n in counts.unscored.items():
                unscored[reason] = unscored.get(reason, 0) + n
            names = [label for label in rubric.labels if label in counts.labels]
            detail[rubric.name] = {label: counts.labels[label] for label in names}
        state = RunState.STOPPED
        if judges and judged + sum(unscored.values()) >= asked:
            state = RunState.PARTIAL if unscored else RunState.COMPLETE
        set_run(connection, run.id, state=state.value)
        failures = commonest_failures(connection, run, [judge.id for judge in judges]) if unscored else []
        labelled = any(labelled_rubrics(connection, one.id) for one in list_samples(connection, run.dataset_id))
        release_run(connection, run.id, job.holder)
    progress = outcome.progress
    wall = 0.0
    if progress.first_request is not None and progress.last_commit is not None:
        wall = max(0.0, progress.last_commit - progress.first_request)
    return RunSummary(
        run=run.name,
        asked=asked,
        judged=judged,
        unscored=unscored,
        calls=progress.calls,
        cached=progress.cached,
        # requests without any reply say nothing of their cost
        tokens=progress.tokens if progress.replies or not progress.calls else None,
        cost=progress.cost if progress.replies or not progress.calls else None,
        currency=progress.currency,
        wall_s=round(wall, 3),
        state=state.value,
        rubrics=detail,
        failures=tuple(failures),
        labelled=labelled,
        stopped=outcome.stopped or outcome.error is not None,
        error=outcome.error,
    )
