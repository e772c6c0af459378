"""Verdicts, and how far a Judge is in its Run."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from judge.domain.claims import UnitKind
from judge.domain.judging import Run, Unscored, Verdict
from judge.store.bulk import insert_rows
from judge.store.database import load
from judge.store.runs import RunJudge
from judge.store.tables import (
    answers,
    claims,
    units,
    verdicts,
)
from judge.store.writing import chunks


class Counts(NamedTuple):
    """Verdicts of one Judge in one Run."""

    asked: int
    labels: dict[str, int]
    unscored: dict[str, int]

    @property
    def judged(self) -> int:
        """Units with a label."""
        return sum(self.labels.values())


def frame(run: Run, judge: RunJudge, kind: UnitKind) -> sa.Select[Any]:
    """Select (id, answer_id) of the units that a Judge was asked about in a Run."""
    query = sa.select(units.c.id, units.c.answer_id).where(units.c.dataset_id == run.dataset_id, units.c.kind == kind)
    if judge.judge.provider == "file":
        return query.join(verdicts, sa.and_(verdicts.c.unit_id == units.c.id, verdicts.c.judge_id == judge.id))
    if kind is UnitKind.ANSWER:
        query = query.join(answers, answers.c.id == units.c.owner_id).where(answers.c.text.is_not(None))
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


def count_verdicts_of(
    connection: sa.Connection, run: Run, judge: RunJudge, kind: UnitKind, answer_ids: Collection[int]
) -> Counts:
    """The same for the units of some answers."""
    asked = frame(run, judge, kind).subquery()
    query = sa.select(asked.c.answer_id, verdicts.c.id, verdicts.c.label, verdicts.c.unscored).select_from(
        asked.outerjoin(verdicts, sa.and_(verdicts.c.unit_id == asked.c.id, verdicts.c.judge_id == judge.id))
    )
    rows = [row for row in connection.execute(query) if row.answer_id in answer_ids]
    given = [row for row in rows if row.id is not None]
    labels = Counter(row.label for row in given if row.label is not None)
    unscored = Counter(row.unscored for row in given if row.label is None)
    return Counts(len(rows), dict(sorted(labels.items())), dict(sorted(unscored.items())))


def verdict_states(connection: sa.Connection, judge_id: int, unit_ids: Sequence[int]) -> dict[int, str]:
    """Of these units those that have a verdict: ``""`` for a label, else the unscored reason."""
    found: dict[int, str] = {}
    for some in chunks(unit_ids):
        query = sa.select(verdicts.c.unit_id, verdicts.c.unscored).where(
            verdicts.c.judge_id == judge_id, verdicts.c.unit_id.in_(some)
        )
        found.update((unit_id, reason or "") for unit_id, reason in connection.execute(query))
    return found


def commonest_failures(
    connection: sa.Connection, run: Run, judge_ids: Sequence[int], most: int = 3
) -> list[tuple[str, int]]:
    """What the endpoint said of the units of a Run that it failed on, with their numbers, commonest first."""
    n = sa.func.count()
    query = (
        sa.select(verdicts.c.body, n)
        .join(units, units.c.id == verdicts.c.unit_id)
        .where(
            verdicts.c.judge_id.in_(list(judge_ids)),
            verdicts.c.unscored == Unscored.PROVIDER_ERROR.value,
            units.c.dataset_id == run.dataset_id,
        )
        .group_by(verdicts.c.body)
        .order_by(n.desc(), verdicts.c.body)
        .limit(most)
    )
    return [(str(load(body).get("raw", "")), count) for body, count in connection.execute(query)]


def has_label(connection: sa.Connection, judge_id: int) -> bool:
    """Whether a Judge gave any label; one that only scored did not."""
    query = sa.select(verdicts.c.id).where(verdicts.c.judge_id == judge_id, verdicts.c.label.is_not(None)).limit(1)
    return connection.execute(query).first() is not None


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


def insert_verdicts(connection: sa.Connection, judge_id: int, call_id: int | None, given: Sequence[Verdict]) -> None:
    """Store verdicts; one that has a label stays as it is, an unscored one gives way to a newer one."""
    rows = [
        (
            judge_id,
            verdict.unit_id,
            call_id,
            verdict.label,
            verdict.unscored.value if verdict.unscored else None,
            verdict.confidence,
            verdict.confidence_source,
            verdict.score,
            _body(verdict),
        )
        for verdict in given
    ]
    newer = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[2:])
    conflict = f"ON CONFLICT (judge_id, unit_id) DO UPDATE SET {newer} WHERE verdicts.label IS NULL"
    insert_rows(connection, verdicts, _COLUMNS, rows, conflict)


_COLUMNS = (
    "judge_id",
    "unit_id",
    "call_id",
    "label",
    "unscored",
    "confidence",
    "confidence_source",
    "score",
    "body",
)


def _body(verdict: Verdict) -> str:
    if verdict.rationale is verdict.raw is None and not verdict.quotes and not verdict.flags:
        return "{}"  # most of those in files; the whole way takes longer than the rest of the row
    return verdict.model_dump_json(include={"rationale", "quotes", "flags", "raw"}, exclude_defaults=True)


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
