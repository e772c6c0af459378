"""Run: units x rubrics -> requests -> calls -> verdicts; running it again is how it goes on."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from pydantic import JsonValue

from judge.domain.answers import Dataset
from judge.domain.base import content_hash
from judge.domain.claims import UnitKind
from judge.domain.errors import JudgeError, UsageError
from judge.domain.judging import Judge, Model, Per, Run, RunState
from judge.domain.rubrics import Rubric
from judge.engines.local import Outcome, Progress, find_rung, judge_units, save
from judge.engines.pace import SharedPause
from judge.engines.work import Instrument, pending
from judge.steps.requests import TEMPLATE
from judge.steps.verdicts import PARSER
from judge.store.claims import list_claim_sets
from judge.store.database import Store
from judge.store.datasets import find_dataset
from judge.store.names import pick
from judge.store.rubrics import keep_rubric, load_rubric
from judge.store.runs import RunJudge, add_run_judge, find_run, judges_of, keep_judge, keep_run, set_run
from judge.store.units import keep_answer_units
from judge.store.verdicts import count_verdicts


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
    """
    if len({rubric.name for rubric in rubrics}) < len(rubrics):
        raise UsageError("a rubric is named twice; name each once")
    run, judges = _open_run(store, dataset, rubrics, model, name, plan)
    begin = Progress()
    if not judges:
        begin, judges = _begin(store, run, rubrics, model, name, plan)
    instruments = [Instrument(one.id, one.judge, rubric) for one, rubric in zip(judges, rubrics, strict=True)]
    total = _left(store, run, instruments, judges, plan.retry)
    outcome = judge_units(
        store,
        run,
        instruments,
        model,
        SharedPause(),
        concurrency=plan.concurrency,
        retries=plan.retries,
        stop=stop or threading.Event(),
        retry=plan.retry,
        begin=begin,
        report=lambda progress: report(progress, total),
    )
    return _close(store, run, instruments, judges, outcome)


def _open_run(
    store: Store, dataset: str | None, rubrics: Sequence[Rubric], model: Model, name: str, plan: Plan
) -> tuple[Run, list[RunJudge]]:
    with store.write() as connection:
        data = find_dataset(connection, dataset)
        claim_set_id = _claim_set(connection, data, rubrics, plan.claims)
        for rubric in rubrics:
            keep_rubric(connection, rubric)
        if any(rubric.unit is UnitKind.ANSWER for rubric in rubrics):
            keep_answer_units(connection, data.id)
        judges = [_judge(rubric, model, name, plan) for rubric in rubrics]
        identity = content_hash(
            [data.hash, claim_set_id, [judge.model_copy(update={"rung": "text"}) for judge in judges]]
        )
        run_id = keep_run(
            connection,
            hash=identity,
            name=f"{data.name}-{name.rsplit('/', 1)[-1]}",
            dataset_id=data.id,
            claim_set_id=claim_set_id,
            state=RunState.OPEN,
            settings={"model": name, "per": plan.per, "parameters": dict(plan.parameters)},
            answer_limit=plan.limit,
        )
        # a limit is how far this command goes: never back, only on
        before = find_run(connection, str(run_id)).limit
        limit = None if plan.limit is None or before is None else max(plan.limit, before)
        set_run(connection, run_id, answer_limit=limit, state=RunState.OPEN.value)
        return find_run(connection, str(run_id)), judges_of(connection, run_id)


def _claim_set(connection: sa.Connection, data: Dataset, rubrics: Sequence[Rubric], name: str | None) -> int | None:
    kinds = {rubric.unit for rubric in rubrics}
    if other := kinds - {UnitKind.CLAIM, UnitKind.ANSWER}:
        raise UsageError(
            f"`judge run` asks about claims and answers; this rubric asks about a {sorted(other)[0].value}"
        )
    if UnitKind.CLAIM not in kinds:
        return None
    sets = list_claim_sets(connection, data.id)
    return pick(name, sets, "claim set", advice=f"`judge split {data.name}` makes one").id


def _judge(rubric: Rubric, model: Model, name: str, plan: Plan) -> Judge:
    return Judge(
        name=name,
        provider=model.provider,
        base_url=model.base_url,
        model=model.name,
        parameters=dict(plan.parameters),
        rubric=rubric.hash.hex(),
        template=TEMPLATE,
        per=plan.per,
        parser=PARSER,
    )


def _begin(
    store: Store, run: Run, rubrics: Sequence[Rubric], model: Model, name: str, plan: Plan
) -> tuple[Progress, list[RunJudge]]:
    """Find the rung with a real question, then fix it for the Run."""
    # no stored judge has an id below 0, so nothing counts as judged yet
    probes = [Instrument(-place, _judge(rubric, model, name, plan), rubric) for place, rubric in enumerate(rubrics, 1)]
    first = next((work for work in pending(store, run, probes, frozenset()) if not work.known), None)
    begin, rung, asked = Progress(), probes[0].judge.rung, None
    if first is not None and first.request.prompt.subject is not None:
        begin = Progress(first_request=time.monotonic())
        prober = probes[-first.judge_id - 1].judge
        subject, unit_ids = first.request.prompt.subject, first.request.unit_ids
        rung, asked = find_rung(model, subject, unit_ids, prober, SharedPause(), plan.retries)
        begin = begin.plus(asked._replace(verdicts=()))
    with store.write() as connection:
        for probe in probes:
            rubric_id = keep_rubric(connection, probe.rubric)
            judge = probe.judge.model_copy(update={"rung": rung})
            add_run_judge(connection, run.id, keep_judge(connection, judge, rubric_id))
        judges = judges_of(connection, run.id)
    if first is not None and asked is not None:
        save(store, run.id, [asked._replace(judge_id=judges[-first.judge_id - 1].id)])
    return begin._replace(last_commit=time.monotonic()), judges


def _left(
    store: Store, run: Run, instruments: Sequence[Instrument], judges: Sequence[RunJudge], retry: frozenset[str]
) -> int:
    """Units that this command has to decide."""
    left = 0
    with store.read() as connection:
        for instrument, judge in zip(instruments, judges, strict=True):
            counts = count_verdicts(connection, run, judge, instrument.rubric.unit)
            again = sum(n for reason, n in counts.unscored.items() if reason in retry)
            left += counts.asked - counts.judged - sum(counts.unscored.values()) + again
    return left


def _close(
    store: Store, run: Run, instruments: Sequence[Instrument], judges: Sequence[RunJudge], outcome: Outcome
) -> RunSummary:
    asked, judged, unscored = 0, 0, dict[str, int]()
    detail: dict[str, dict[str, int]] = {}
    with store.write() as connection:
        for instrument, judge in zip(instruments, judges, strict=True):
            counts = count_verdicts(connection, run, judge, instrument.rubric.unit)
            asked, judged = asked + counts.asked, judged + counts.judged
            for reason, n in counts.unscored.items():
                unscored[reason] = unscored.get(reason, 0) + n
            names = [label for label in instrument.rubric.labels if label in counts.labels]
            detail[instrument.rubric.name] = {label: counts.labels[label] for label in names}
        state = RunState.STOPPED
        if judged + sum(unscored.values()) >= asked:
            state = RunState.PARTIAL if unscored else RunState.COMPLETE
        set_run(connection, run.id, state=state.value)
    progress = outcome.progress
    wall = 0.0
    if progress.first_request is not None and progress.last_commit is not None:
        wall = progress.last_commit - progress.first_request
    return RunSummary(
        run=run.name,
        asked=asked,
        judged=judged,
        unscored=unscored,
        calls=progress.calls,
        cached=progress.cached,
        tokens=progress.tokens,
        cost=progress.cost,
        currency=progress.currency,
        wall_s=round(wall, 3),
        state=state.value,
        rubrics=detail,
        error=outcome.error,
    )


def rubric_of(connection: sa.Connection, judge: RunJudge) -> Rubric:
    """The rubric that a Judge asks."""
    return load_rubric(connection, judge.rubric_id)
