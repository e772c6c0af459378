"""Judges and the Runs that use them."""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa

from judge.domain.judging import Judge, Run, RunState
from judge.store.database import dump, load
from judge.store.names import pick
from judge.store.tables import (
    datasets,
    judges,
    rubrics,
    run_judges,
    runs,
    units,
    verdicts,
)
from judge.store.writing import get_or_insert


class RunJudge(NamedTuple):
    """A Judge as one Run uses it."""

    id: int
    judge: Judge
    rubric_id: int


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
