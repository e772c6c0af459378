"""Many new rows at once: ids taken beforehand, tuples straight to the driver (SQLite) or by COPY (PostgreSQL)."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa


def reserve_ids(connection: sa.Connection, table: sa.Table, count: int) -> list[int]:
    """Row ids that no other writer gets; the caller inserts under them in this transaction."""
    if connection.dialect.name == "postgresql":
        query = sa.text("SELECT nextval(pg_get_serial_sequence(:name, 'id')) FROM generate_series(1, :count)")
        return sorted(connection.execute(query, {"name": table.name, "count": count}).scalars())
    # a writer holds SQLite's only write lock, so the next ids are its own
    start = int(connection.execute(sa.select(sa.func.coalesce(sa.func.max(table.c.id), 0))).scalar_one()) + 1
    return list(range(start, start + count))


def insert_rows(
    connection: sa.Connection, table: sa.Table, names: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows that can't be there yet.

    Args:
        connection: inside a write transaction.
        table: where to.
        names: columns, in the order of the tuples.
        rows: values as the driver takes them (JSON as text).
    """
    if not rows:
        return
    columns = ", ".join(names)
    if connection.dialect.name == "postgresql":
        driver: Any = connection.connection.driver_connection
        with driver.cursor() as cursor, cursor.copy(f"COPY {table.name} ({columns}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        return
    marks = ", ".join("?" * len(names))
    connection.exec_driver_sql(f"INSERT INTO {table.name} ({columns}) VALUES ({marks})", list(rows))  # noqa: S608 - names of ours
