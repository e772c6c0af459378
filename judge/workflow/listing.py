"""Lists of what a database holds."""

from typing import Any

from judge.domain.errors import UsageError
from judge.domain.rubrics import Rubric
from judge.store.database import Store
from judge.store.datasets import list_datasets
from judge.store.rubrics import find_rubric, list_rubrics
from judge.store.runs import run_rows
from judge.workflow.rubrics import load_rubric, shipped_rubrics


def dataset_rows(store: Store) -> list[dict[str, Any]]:
    """id, dataset, version, answers, corpus version; oldest first."""
    with store.read() as connection:
        return [
            {
                "id": one.id,
                "dataset": one.name,
                "version": one.version,
                "answers": one.answers,
                "corpus_version": one.corpus_version,
            }
            for one in list_datasets(connection)
        ]


def all_runs(store: Store) -> list[dict[str, Any]]:
    """id, run, state, dataset, rubric, judge, judged; a row for each judge of a run."""
    with store.read() as connection:
        return run_rows(connection)


def rubric_rows(store: Store) -> list[dict[str, Any]]:
    """rubric, version, unit, labels, passing, identity, where it is from."""
    with store.read() as connection:
        stored = [one.rubric for one in list_rubrics(connection)]
    known = {rubric.hash for rubric in stored}
    shipped = [rubric for rubric in map(load_rubric, shipped_rubrics()) if rubric.hash not in known]
    return [
        {
            "rubric": rubric.name,
            "version": rubric.version,
            "unit": rubric.unit.value,
            "labels": " | ".join(rubric.labels),
            "passing": ", ".join(rubric.passing),
            "identity": rubric.hash.hex(),
            "from": "database" if rubric.hash in known else "judge",
        }
        for rubric in (*stored, *shipped)
    ]


def named_rubric(store: Store, name: str) -> Rubric:
    """The rubric in that file, or of that name: one that comes with judge, else a stored one.

    Raises:
        UsageError: there is none; the text lists the shipped names.
    """
    try:
        return load_rubric(name)
    except UsageError as unknown:
        with store.read() as connection:
            try:
                return find_rubric(connection, name).rubric
            except UsageError:
                raise unknown from None
