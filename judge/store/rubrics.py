"""Rubrics: stored once by content; the same name and version with other words is refused."""

import difflib
import json
import time
from typing import NamedTuple

import sqlalchemy as sa

from judge.domain.errors import RubricConflictError, UsageError
from judge.domain.rubrics import Rubric
from judge.store.names import pick
from judge.store.tables import rubrics
from judge.store.writing import get_or_insert


class StoredRubric(NamedTuple):
    """A Rubric with its row id."""

    id: int
    name: str
    version: int
    rubric: Rubric


def keep_rubric(connection: sa.Connection, rubric: Rubric) -> int:
    """Store a Rubric once by its identity; its row id.

    Raises:
        RubricConflictError: name and version are taken by other words; the text shows the difference.
    """
    same = sa.select(rubrics.c.body).where(rubrics.c.name == rubric.name, rubrics.c.version == rubric.version)
    body = connection.execute(same.where(rubrics.c.hash != rubric.hash)).scalar()
    if body is not None:
        raise RubricConflictError(
            f"the rubric {rubric.name}@{rubric.version} is stored with other words; give the new words a new version:\n"
            + _difference(Rubric.model_validate_json(body), rubric)
        )
    row = {
        "name": rubric.name,
        "version": rubric.version,
        "body": rubric.model_dump_json(),
        "created_at": time.time(),
    }
    return get_or_insert(connection, rubrics, {"hash": rubric.hash}, row)


def list_rubrics(connection: sa.Connection) -> list[StoredRubric]:
    """All stored Rubrics, by name, versions in order."""
    query = sa.select(rubrics.c.id, rubrics.c.body).order_by(rubrics.c.name, rubrics.c.version)
    return [_stored(row.id, row.body) for row in connection.execute(query)]


def find_rubric(connection: sa.Connection, ref: str) -> StoredRubric:
    """The Rubric of that name (newest version), ``name@version`` or id.

    Raises:
        UsageError: there is none; the text lists what there is.
    """
    return pick(ref, list_rubrics(connection), "rubric", advice="importing labels or running a judge stores them")


def load_rubric(connection: sa.Connection, rubric_id: int) -> Rubric:
    """The Rubric of that row id.

    Raises:
        UsageError: there is none.
    """
    body = connection.execute(sa.select(rubrics.c.body).where(rubrics.c.id == rubric_id)).scalar()
    if body is None:
        raise UsageError(f"there is no rubric with the id {rubric_id}; `judge rubrics` lists them")
    return Rubric.model_validate_json(body)


def _stored(row_id: int, body: str) -> StoredRubric:
    rubric = Rubric.model_validate_json(body)
    return StoredRubric(row_id, rubric.name, rubric.version, rubric)


def _difference(old: Rubric, new: Rubric, most: int = 40) -> str:
    lines = list(difflib.unified_diff(_lines(old), _lines(new), "stored", "given", lineterm="", n=1))
    return "\n".join(lines[:most]) + (f"\n... {len(lines) - most} more lines" if len(lines) > most else "")


def _lines(rubric: Rubric) -> list[str]:
    return json.dumps(rubric.model_dump(mode="json"), ensure_ascii=False, indent=1).splitlines()
