"""What every writer needs: get-or-insert, upserts in the database's own words, lists cut to the parameter limit."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

T = TypeVar("T")
PARAMETERS = 10_000
"""Values in one statement; SQLite takes 32,766, PostgreSQL 65,535."""


def chunks(values: Sequence[T], size: int = PARAMETERS) -> Iterator[Sequence[T]]:
    """The values in slices that fit a statement."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def insert_for(connection: sa.Connection, table: sa.Table) -> Any:
    """An INSERT that knows ON CONFLICT in this database's dialect."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def get_or_insert(connection: sa.Connection, table: sa.Table, key: dict[str, Any], rest: dict[str, Any]) -> int:
    """Row id of the row with this unique key; inserted with ``rest`` if it is new."""
    where = [table.c[name] == value for name, value in key.items()]
    found = connection.execute(sa.select(table.c.id).where(*where)).scalar()
    if found is None:
        statement = insert_for(connection, table).values(**key, **rest).on_conflict_do_nothing()
        connection.execute(statement)
        found = connection.execute(sa.select(table.c.id).where(*where)).scalar_one()
    return int(found)
