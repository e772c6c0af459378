"""Many new rows at once: ids taken beforehand, tuples straight to the driver (SQLite) or by COPY (PostgreSQL)."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, TypeVar

import sqlalchemy as sa

from judge.store.writing import chunks

T = TypeVar("T")
TOGETHER = 100
"""Rows in one INSERT of SQLite: twice as fast as one by one (measured), and more gain little."""


def reserve_ids(connection: sa.Connection, table: sa.Table, count: int) -> list[int]:
    """Row ids that no other writer gets; the caller inserts under them in this transaction."""
    if connection.dialect.name == "postgresql":
        query = sa.text("SELECT nextval(pg_get_serial_sequence(:name, 'id')) FROM generate_series(1, :count)")
        return sorted(connection.execute(query, {"name": table.name, "count": count}).scalars())
    # a writer holds SQLite's only write lock, so the next ids are its own
    start = int(connection.execute(sa.select(sa.func.coalesce(sa.func.max(table.c.id), 0))).scalar_one()) + 1
    return list(range(start, start + count))


def insert_rows(
    connection: sa.Connection,
    table: sa.Table,
    names: Sequence[str],
    rows: Sequence[tuple[Any, ...]],
    conflict: str = "",
) -> int:
    """Insert many rows; how many were inserted or, by ``conflict``, updated.

    Args:
        connection: inside a write transaction.
        table: where to.
        names: columns, in the order of the tuples.
        rows: values as the driver takes them (JSON as text).
        conflict: an ``ON CONFLICT`` clause, where some may be there already.
    """
    if not rows:
        return 0
    insert = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES "  # noqa: S608 - names of ours
    if connection.dialect.name == "sqlite":
        return _insert_together(connection, insert, f"({', '.join('?' * len(names))})", rows, conflict)
    if conflict:
        return connection.exec_driver_sql(
            f"{insert} ({', '.join(['%s'] * len(names))}) {conflict}", list(rows)
        ).rowcount
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(f"COPY {table.name} ({', '.join(names)}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)
    return len(rows)


def find_ids(connection: sa.Connection, table: sa.Table, column: str, values: Sequence[T]) -> dict[T, int]:
    """Row ids by the values of a unique column; straight to the driver, for SQLAlchemy takes longer to word it."""
    mark = "?" if connection.dialect.name == "sqlite" else "%s"
    found: dict[T, int] = {}
    for some in chunks(values):
        query = f"SELECT {column}, id FROM {table.name} WHERE {column} IN ({', '.join([mark] * len(some))})"  # noqa: S608
        found.update({row[0]: row[1] for row in connection.exec_driver_sql(query, tuple(some))})
    return found


def _insert_together(
    connection: sa.Connection, insert: str, marks: str, rows: Sequence[tuple[Any, ...]], conflict: str
) -> int:
    whole = len(rows) - len(rows) % TOGETHER
    statement = f"{insert} {', '.join([marks] * TOGETHER)} {conflict}"
    done = 0
    for start in range(0, whole, TOGETHER):
        values = tuple(chain.from_iterable(rows[start : start + TOGETHER]))
        done += connection.exec_driver_sql(statement, values).rowcount
    if rest := rows[whole:]:
        done += connection.exec_driver_sql(f"{insert} {marks} {conflict}", list(rest)).rowcount
    return done
