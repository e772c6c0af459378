"""Judges, Runs, Calls with their attempts, Verdicts."""

import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa

from judge.domain.claims import UnitKind
from judge.domain.judging import Attempt, AttemptKind, Judge, Reply, Request, Run, RunState, Usage, Verdict
from judge.store.database import dump, load
from judge.store.names import pick
from judge.store.tables import (
    answers,
    attempts,
    calls,
    claims,
    datasets,
    judges,
    rubrics,
    run_judges,
    runs,
    units,
    verdicts,
)
from judge.store.writing import chunks, get_or_insert, insert_for


class RunJudge(NamedTuple):
    """A Judge as one Run uses it."""

    id: int
    judge: Judge
    rubric_id: int


class Counts(NamedTuple):
    """Verdicts of one Judge in one Run."""

    asked: int
    labels: dict[str, int]
    unscored: dict[str, int]

    @property
    def judged(self) -> int:
        """Units with a label."""
        return sum(self.labels.values())


class Spent(NamedTuple):
    """What the requests of a Run have cost so far."""

    calls: int
    tokens: int | None
    cost: float | None
    currency: str | None


def keep_judge(connection: sa.Connection, judge: Judge, rubric_id: int) -> int:
    """Store a Judge once by its identity; its row id."""
    return get_or_insert(
        connection,
        judges,
        {"hash": judge.hash},
        {"name": judge.name, "rubric_id": rubric_id, "body": judge.model_dump_json(), "created_at": time.time()},
    )


def keep_run(
    connection: sa.Connection,
    *,
    hash: bytes,
    name: str,
    dataset_id: int,
    claim_set_id: int | None,
    state: RunState,
    settings: Mapping[str, Any],
    answer_limit: int | None = None,
) -> int:
    """Get the Run of this identity, or create it under ``name`` (``name-2``, ... where that is taken)."""
    found = connection.execute(sa.select(runs.c.id).where(runs.c.hash == hash)).scalar()
    if found is not None:
        return int(found)
    row = {
        "name": free_name(connection, runs, name),
        "dataset_id": dataset_id,
        "claim_set_id": claim_set_id,
        "state": state.value,
        "answer_limit": answer_limit,
        "settings": dump(dict(settings)),
        "created_at": time.time(),
    }
    return get_or_insert(connection, runs, {"hash": hash}, row)


def free_name(connection: sa.Connection, table: sa.Table, name: str) -> str:
    """``name``, or ``name-2``, ``name-3``, ... where it is taken in ``table``."""
    like = name.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    taken = set(connection.execute(sa.select(table.c.name).where(table.c.name.like(f"{like}%", escape="!"))).scalars())
    if name not in taken:
        return name
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"


def add_run_judge(connection: sa.Connection, run_id: int, judge_id: int) -> None:
    """Say that a Run uses a Judge."""
    get_or_insert(connection, run_judges, {"run_id": run_id, "judge_id": judge_id}, {})


def set_run(connection: sa.Connection, run_id: int, **values: Any) -> None:
    """Change a Run's ``state`` or ``answer_limit``."""
    connection.execute(runs.update().where(runs.c.id == run_id).values(**values))


def list_runs(connection: sa.Connection, dataset_id: int | None = None) -> list[Run]:
    """All Runs, of one Dataset where given, oldest first."""
    query = sa.select(runs).order_by(runs.c.id)
    if dataset_id is not None:
        query = query.where(runs.c.dataset_id == dataset_id)
    return [_run(row) for row in connection.execute(query)]


def find_run(connection: sa.Connection, ref: str | None) -> Run:
    """The Run of that name or id; None: the only one. UsageError lists them otherwise."""
    return pick(ref, list_runs(connection), "run", advice="`judge run` makes one")


def _run(row: Any) -> Run:
    return Run(
        id=row.id,
        name=row.name,
        dataset_id=row.dataset_id,
        claim_set_id=row.claim_set_id,
        state=RunState(row.state),
        limit=row.answer_limit,
        settings=load(row.settings),
    )


def judges_of(connection: sa.Connection, run_id: int) -> list[RunJudge]:
    """The Judges of a Run, in the order in which they were added."""
    query = (
        sa.select(judges.c.id, judges.c.body, judges.c.rubric_id)
        .join(run_judges, run_judges.c.judge_id == judges.c.id)
        .where(run_judges.c.run_id == run_id)
        .order_by(run_judges.c.id)
    )
    return [RunJudge(row.id, Judge.model_validate_json(row.body), row.rubric_id) for row in connection.execute(query)]


def frame(run: Run, judge: RunJudge, kind: UnitKind) -> sa.Select[Any]:
    """Select (id, answer_id) of the units that a Judge was asked about in a Run."""
    query = sa.select(units.c.id, units.c.answer_id).where(units.c.dataset_id == run.dataset_id, units.c.kind == kind)
    if judge.judge.provider == "file":
        return query.join(verdicts, sa.and_(verdicts.c.unit_id == units.c.id, verdicts.c.judge_id == judge.id))
    if kind is UnitKind.CLAIM:
        query = query.join(claims, claims.c.id == units.c.owner_id).where(
            units.c.claim_set_id == run.claim_set_id, claims.c.not_checkable.is_(None)
        )
    if run.limit is not None:
        first = (
            sa.select(answers.c.id)
            .where(answers.c.dataset_id == run.dataset_id)
            .order_by(answers.c.id)
            .limit(run.limit)
        )
        query = query.where(units.c.answer_id.in_(first))
    return query


def count_verdicts(connection: sa.Connection, run: Run, judge: RunJudge, kind: UnitKind) -> Counts:
    """How far a Judge is in a Run: asked, verdicts by label, unscored by reason."""
    asked = frame(run, judge, kind).subquery()
    total = connection.execute(sa.select(sa.func.count()).select_from(asked)).scalar_one()
    rows = connection.execute(
        sa.select(verdicts.c.label, verdicts.c.unscored, sa.func.count())
        .where(verdicts.c.judge_id == judge.id, verdicts.c.unit_id.in_(sa.select(asked.c.id)))
        .group_by(verdicts.c.label, verdicts.c.unscored)
        .order_by(verdicts.c.label, verdicts.c.unscored)
    )
    labels: dict[str, int] = {}
    unscored: dict[str, int] = {}
    for label, reason, n in rows:
        (unscored if label is None else labels)[reason if label is None else label] = n
    return Counts(total, labels, unscored)


def verdict_states(connection: sa.Connection, judge_id: int, unit_ids: Sequence[int]) -> dict[int, str]:
    """Of these units those that have a verdict: ``""`` for a label, else the unscored reason."""
    found: dict[int, str] = {}
    for some in chunks(unit_ids):
        query = sa.select(verdicts.c.unit_id, verdicts.c.unscored).where(
            verdicts.c.judge_id == judge_id, verdicts.c.unit_id.in_(some)
        )
        found.update((unit_id, reason or "") for unit_id, reason in connection.execute(query))
    return found


def verdict_labels(
    connection: sa.Connection, judge_id: int, unit_ids: Iterable[int] | None = None
) -> dict[int, str | None]:
    """Label by unit id (None: unscored), of the whole Judge or of some units."""
    query = sa.select(verdicts.c.unit_id, verdicts.c.label).where(verdicts.c.judge_id == judge_id)
    if unit_ids is None:
        return {row[0]: row[1] for row in connection.execute(query)}
    found: dict[int, str | None] = {}
    for some in chunks(list(unit_ids)):
        found.update((row[0], row[1]) for row in connection.execute(query.where(verdicts.c.unit_id.in_(some))))
    return found


def usable_replies(connection: sa.Connection, hashes: Sequence[bytes]) -> dict[bytes, tuple[int, tuple[Reply, ...]]]:
    """The replies of each Call identity that was answered: ``{hash: (call id, Replies)}``. This is the cache."""
    found: dict[bytes, tuple[int, tuple[Reply, ...]]] = {}
    for some in chunks(hashes):
        query = (
            sa.select(calls.c.hash, calls.c.id, attempts.c.body, attempts.c.raw)
            .join(attempts, attempts.c.call_id == calls.c.id)
            .where(calls.c.hash.in_(some), calls.c.usable, attempts.c.error.is_(None))
            .order_by(attempts.c.id)
        )
        for row in connection.execute(query):
            reply = Reply.model_validate({**load(row.body), "raw": row.raw})
            found[row.hash] = (row.id, (*found.get(row.hash, (0, ()))[1], reply))
    return found


def save_call(
    connection: sa.Connection, request: Request, made: Sequence[Attempt], *, usable: bool, run_id: int | None
) -> int:
    """Append the attempts of one Call identity; the call's row id."""
    call_id = get_or_insert(
        connection,
        calls,
        {"hash": request.hash},
        {
            "provider": request.provider,
            "model": request.model,
            "request": zlib.compress(_sent(request), 1),
            "usable": usable,
            "created_at": time.time(),
        },
    )
    if usable:
        connection.execute(calls.update().where(calls.c.id == call_id, ~calls.c.usable).values(usable=True))
    if made:
        connection.execute(attempts.insert(), [_attempt(call_id, run_id, one) for one in made])
    return call_id


def _sent(request: Request) -> bytes:
    prompt = request.prompt
    return orjson.dumps(
        {
            "messages": [[message.role, message.content] for message in prompt.messages],
            "rung": prompt.rung,
            "schema": prompt.json_schema,
            "parameters": prompt.parameters,
            "draw": request.draw,
        }
    )


def _attempt(call_id: int, run_id: int | None, attempt: Attempt) -> dict[str, Any]:
    reply = attempt.reply
    usage = reply.usage if reply else Usage()
    return {
        "call_id": call_id,
        "run_id": run_id,
        "kind": attempt.kind.value,
        "status": attempt.status,
        "error": attempt.error,
        "raw": reply.raw if reply else attempt.raw,
        "body": reply.model_dump_json(exclude={"raw"}, exclude_defaults=True) if reply else "{}",
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cached_tokens": usage.cached,
        "reasoning_tokens": usage.reasoning,
        "cost": reply.cost if reply else None,
        "currency": reply.currency if reply else None,
        "latency_ms": reply.latency_ms if reply else attempt.latency_ms,
        "served_model": reply.served_model if reply else None,
        "created_at": time.time(),
    }


def insert_verdicts(connection: sa.Connection, judge_id: int, call_id: int | None, given: Sequence[Verdict]) -> None:
    """Store verdicts; one that has a label stays as it is, an unscored one gives way to a newer one."""
    rows = [
        {
            "judge_id": judge_id,
            "unit_id": verdict.unit_id,
            "call_id": call_id,
            "label": verdict.label,
            "unscored": verdict.unscored.value if verdict.unscored else None,
            "confidence": verdict.confidence,
            "confidence_source": verdict.confidence_source,
            "score": verdict.score,
            "body": verdict.model_dump_json(include={"rationale", "quotes", "flags", "raw"}, exclude_defaults=True),
        }
        for verdict in given
    ]
    if not rows:
        return
    statement = insert_for(connection, verdicts)
    newer = {name: statement.excluded[name] for name in rows[0] if name not in ("judge_id", "unit_id")}
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=["judge_id", "unit_id"], set_=newer, where=verdicts.c.label.is_(None)
        ),
        rows,
    )


def spent(connection: sa.Connection, run_id: int) -> Spent:
    """Requests, tokens and money of a Run; None where any request left it unknown."""
    row = connection.execute(
        sa.select(
            sa.func.count(),
            sa.func.sum(attempts.c.input_tokens + attempts.c.output_tokens),
            sa.func.count(attempts.c.input_tokens + attempts.c.output_tokens),
            sa.func.sum(attempts.c.cost),
            sa.func.count(attempts.c.cost),
            sa.func.max(attempts.c.currency),
            sa.func.count().filter(attempts.c.error.is_(None)),
        ).where(attempts.c.run_id == run_id)
    ).one()
    n, tokens, with_tokens, cost, with_cost, currency, replies = row
    return Spent(
        n,
        int(tokens) if replies and with_tokens == replies else None,
        float(cost) if replies and with_cost == replies else None,
        currency,
    )


def served_models(connection: sa.Connection, judge_id: int) -> list[str]:
    """The models as the provider named them in the calls behind a Judge's verdicts."""
    query = (
        sa.select(attempts.c.served_model)
        .where(
            attempts.c.served_model.is_not(None),
            attempts.c.call_id.in_(sa.select(verdicts.c.call_id).where(verdicts.c.judge_id == judge_id)),
        )
        .distinct()
        .order_by(attempts.c.served_model)
    )
    return list(connection.execute(query).scalars())


def run_rows(connection: sa.Connection) -> list[dict[str, Any]]:
    """One row a Run and Judge, for lists: run, state, dataset, rubric, judge, verdicts, unscored."""
    query = (
        sa.select(
            runs.c.id,
            runs.c.name.label("run"),
            runs.c.state,
            datasets.c.name.label("dataset"),
            datasets.c.version,
            rubrics.c.name.label("rubric"),
            judges.c.name.label("judge"),
            sa.select(sa.func.count(verdicts.c.label))
            .where(verdicts.c.judge_id == judges.c.id)
            .scalar_subquery()
            .label("n"),
        )
        .join(run_judges, run_judges.c.run_id == runs.c.id)
        .join(judges, judges.c.id == run_judges.c.judge_id)
        .join(rubrics, rubrics.c.id == judges.c.rubric_id)
        .join(datasets, datasets.c.id == runs.c.dataset_id)
        .order_by(runs.c.id, run_judges.c.id)
    )
    return [dict(row._mapping) for row in connection.execute(query)]


def load_verdicts(connection: sa.Connection, judge_id: int, unit_ids: Sequence[int]) -> list[Verdict]:
    """The verdicts of a Judge on these units, with rationale and quotes."""
    found = []
    for some in chunks(unit_ids):
        query = sa.select(verdicts).where(verdicts.c.judge_id == judge_id, verdicts.c.unit_id.in_(some))
        found += [
            Verdict.model_validate(
                {
                    **load(row.body),
                    "unit_id": row.unit_id,
                    "label": row.label,
                    "unscored": row.unscored,
                    "confidence": row.confidence,
                    "confidence_source": row.confidence_source,
                    "score": row.score,
                }
            )
            for row in connection.execute(query.order_by(verdicts.c.id))
        ]
    return found


def judged_by(connection: sa.Connection, unit_id: int) -> list[tuple[str, int, Judge, int]]:
    """(Run name, judge id, Judge, rubric id) of all Judges that gave a unit a verdict."""
    query = (
        sa.select(runs.c.name, judges.c.id, judges.c.body, judges.c.rubric_id)
        .join(run_judges, run_judges.c.run_id == runs.c.id)
        .join(judges, judges.c.id == run_judges.c.judge_id)
        .join(verdicts, verdicts.c.judge_id == judges.c.id)
        .join(units, units.c.id == verdicts.c.unit_id)
        .where(verdicts.c.unit_id == unit_id, runs.c.dataset_id == units.c.dataset_id)
        .order_by(runs.c.id, run_judges.c.id)
    )
    return [(row[0], row[1], Judge.model_validate_json(row[2]), row[3]) for row in connection.execute(query)]


class Sent(NamedTuple):
    """What a Call sent, and its attempts."""

    request: dict[str, Any]
    attempts: tuple[Attempt, ...]


def call_of(connection: sa.Connection, judge_id: int, unit_id: int) -> Sent | None:
    """The Call behind a verdict, if there was one."""
    query = (
        sa.select(calls.c.id, calls.c.request)
        .join(verdicts, verdicts.c.call_id == calls.c.id)
        .where(verdicts.c.judge_id == judge_id, verdicts.c.unit_id == unit_id)
    )
    call = connection.execute(query).first()
    if call is None:
        return None
    rows = connection.execute(sa.select(attempts).where(attempts.c.call_id == call.id).order_by(attempts.c.id))
    return Sent(load(zlib.decompress(call.request)), tuple(_attempt_of(row) for row in rows))


def _attempt_of(row: Any) -> Attempt:
    body = load(row.body)
    return Attempt(
        kind=AttemptKind(row.kind),
        reply=None if row.error is not None else Reply.model_validate({**body, "raw": row.raw}),
        error=row.error,
        status=row.status,
        raw=row.raw if row.error is not None else b"",
        latency_ms=row.latency_ms,
    )
