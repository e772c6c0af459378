"""Judges and the Runs that use them."""

import itertools
import os
import socket
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


def hold_run(connection: sa.Connection, run_id: int, holder: str, seconds: float) -> str | None:
    """Take or renew a process's hold on a Run; None when it is held, else who holds it."""
    return hold_row(connection, runs, run_id, holder, seconds)


def hold_row(connection: sa.Connection, table: sa.Table, row_id: int, holder: str, seconds: float) -> str | None:
    """Take or renew a process's hold on a row; None when it is held, else who holds it."""
    row = connection.execute(sa.select(table.c.holder, table.c.held_until).where(table.c.id == row_id)).one()
    now = time.time()
    if row.holder not in (None, holder) and (row.held_until or 0) > now and not _gone(row.holder):
        return str(row.holder)
    connection.execute(table.update().where(table.c.id == row_id).values(holder=holder, held_until=now + seconds))
    return None


def holder_of(connection: sa.Connection, run_id: int) -> str | None:
    """Who holds a Run just now, if anybody does."""
    row = connection.execute(sa.select(runs.c.holder, runs.c.held_until).where(runs.c.id == run_id)).one()
    held = row.holder is not None and (row.held_until or 0) > time.time() and not _gone(row.holder)
    return str(row.holder) if held else None


def release_run(connection: sa.Connection, run_id: int, holder: str) -> None:
    """Give a hold back."""
    release_row(connection, runs, run_id, holder)


def release_row(connection: sa.Connection, table: sa.Table, row_id: int, holder: str) -> None:
    """Give a hold on a row back."""
    own = sa.and_(table.c.id == row_id, table.c.holder == holder)
    connection.execute(table.update().where(own).values(holder=None, held_until=None))


def this_process() -> str:
    """``host/process id/number``: a name that no other hold has."""
    return f"{socket.gethostname()}/{os.getpid()}/{next(_holds)}"


_holds = itertools.count(1)


def _gone(holder: str) -> bool:
    """Whether the process of a hold ended without giving it back; known on its own host only."""
    host, process, _ = holder.rsplit("/", 2)
    if host != socket.gethostname() or os.name == "nt":  # there os.kill(pid, 0) would interrupt the process
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


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
    """One row a Run and Judge, for lists; ``n`` counts the Judge's labels in the Run's Dataset."""
    judged = (
        sa.select(sa.func.count(verdicts.c.label))
        .join(units, units.c.id == verdicts.c.unit_id)
        .where(verdicts.c.judge_id == judges.c.id, units.c.dataset_id == runs.c.dataset_id)
        .correlate(judges, runs)
    )
    query = (
        sa.select(
            runs.c.id,
            runs.c.name.label("run"),
            runs.c.state,
            datasets.c.name.label("dataset"),
            datasets.c.version,
            rubrics.c.name.label("rubric"),
            judges.c.name.label("judge"),
            runs.c.settings,
            judged.scalar_subquery().label("n"),
        )
        .join(run_judges, run_judges.c.run_id == runs.c.id)
        .join(judges, judges.c.id == run_judges.c.judge_id)
        .join(rubrics, rubrics.c.id == judges.c.rubric_id)
        .join(datasets, datasets.c.id == runs.c.dataset_id)
        .order_by(runs.c.id, run_judges.c.id)
    )
    return [_listed(dict(row._mapping)) for row in connection.execute(query)]


def _listed(row: dict[str, Any]) -> dict[str, Any]:
    """What tells Runs of one model apart: ``per`` and the parameters."""
    settings = load(row.pop("settings"))
    parameters = ", ".join(f"{name}={dump(value)}" for name, value in settings.get("parameters", {}).items())
    n = row.pop("n")
    return {**row, "per": settings.get("per", ""), "parameters": parameters, "n": n}


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
