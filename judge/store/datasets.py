"""Datasets: one row a version; a name means its newest version."""

import time
from typing import NamedTuple

import sqlalchemy as sa

from judge.domain.answers import Dataset
from judge.domain.errors import UsageError
from judge.store.database import dump
from judge.store.names import pick
from judge.store.tables import (
    answer_passages,
    answers,
    claim_sets,
    claims,
    datasets,
    labels,
    run_judges,
    runs,
    units,
    verdicts,
)

FILE_SETTINGS = {"source": "file"}
"""Settings of a Run whose verdicts came in a file."""


class Imported(NamedTuple):
    """What an import brought into a Dataset."""

    answers: int
    passages: int
    """Different ones."""
    claims: int
    """Of the file's own claim set."""
    verdicts: int
    labels: int


def insert_dataset(
    connection: sa.Connection, *, name: str, hash: bytes, corpus_version: str | None, top_k: int | None, answers: int
) -> Dataset:
    """Add the next version under ``name``."""
    newest = connection.execute(sa.select(sa.func.max(datasets.c.version)).where(datasets.c.name == name)).scalar()
    row = {
        "name": name,
        "version": (newest or 0) + 1,
        "hash": hash,
        "corpus_version": corpus_version,
        "top_k": top_k,
        "answers": answers,
    }
    statement = datasets.insert().values(**row, created_at=time.time()).returning(datasets.c.id)
    return Dataset.model_validate({"id": connection.execute(statement).scalar_one(), **row})


def list_datasets(connection: sa.Connection) -> list[Dataset]:
    """All Datasets with their versions, oldest first."""
    return [_dataset(row) for row in connection.execute(sa.select(datasets).order_by(datasets.c.id))]


def find_dataset(connection: sa.Connection, ref: str | None = None) -> Dataset:
    """The Dataset of that name (newest version), ``name@version`` or id; None: the only one.

    Raises:
        UsageError: none fits, or there are several; the text lists them.
    """
    return pick(ref, list_datasets(connection), "dataset", advice="`judge import FILE --dataset NAME` makes one")


def load_dataset(connection: sa.Connection, dataset_id: int) -> Dataset:
    """The Dataset of that row id.

    Raises:
        UsageError: there is none.
    """
    row = connection.execute(sa.select(datasets).where(datasets.c.id == dataset_id)).first()
    if row is None:
        raise UsageError(f"there is no dataset with the id {dataset_id}; `judge datasets` lists them")
    return _dataset(row)


def dataset_of_hash(connection: sa.Connection, hash: bytes) -> Dataset | None:
    """The Dataset of that identity, if it is stored."""
    row = connection.execute(sa.select(datasets).where(datasets.c.hash == hash)).first()
    return None if row is None else _dataset(row)


def count_imported(connection: sa.Connection, dataset: Dataset) -> Imported:
    """What came with the file of a Dataset; verdicts and labels made later are not counted."""
    own_answers = sa.select(answers.c.id).where(answers.c.dataset_id == dataset.id)
    own_sets = sa.select(claim_sets.c.id).where(claim_sets.c.dataset_id == dataset.id, claim_sets.c.splitter == "file")
    own_judges = (
        sa.select(run_judges.c.judge_id)
        .join(runs, runs.c.id == run_judges.c.run_id)
        .where(runs.c.dataset_id == dataset.id, runs.c.settings == dump(FILE_SETTINGS))
    )
    own_units = sa.select(units.c.id).where(units.c.dataset_id == dataset.id)
    counts = (
        sa.select(sa.func.count(answer_passages.c.passage_id.distinct())).where(
            answer_passages.c.answer_id.in_(own_answers)
        ),
        sa.select(sa.func.count()).select_from(claims).where(claims.c.claim_set_id.in_(own_sets)),
        sa.select(sa.func.count())
        .select_from(verdicts)
        .where(verdicts.c.judge_id.in_(own_judges), verdicts.c.unit_id.in_(own_units)),
        sa.select(sa.func.count())
        .select_from(labels)
        .where(labels.c.source == "file", labels.c.unit_id.in_(own_units)),
    )
    return Imported(dataset.answers, *(int(connection.execute(count).scalar_one()) for count in counts))


def _dataset(row: sa.Row[tuple[object, ...]]) -> Dataset:
    return Dataset.model_validate({name: value for name, value in row._mapping.items() if name != "created_at"})
