"""Parquet tables, a row group at a time."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from judge.domain.errors import InputError
from judge.steps.formats.source import Source
from judge.steps.records import Line

_BATCH = 256
"""Rows made Python values at once."""


def read_parquet(source: Source) -> Iterator[Line]:
    """The rows of a Parquet table, numbered from 1.

    Raises:
        InputError: it can't be read, or holds no rows.
    """
    number = 0
    try:
        with pq.ParquetFile(source.path) as file:
            for batch in file.iter_batches(batch_size=_BATCH):
                for row in batch.to_pylist():
                    number += 1
                    yield Line(number, row)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _unreadable(source, error) from None
    if not number:
        raise InputError(source.where, "the table has no rows")


def columns_of(source: Source) -> list[str]:
    """The names of the columns. InputError: it can't be read."""
    try:
        return list(pq.read_schema(source.path).names)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _unreadable(source, error) from None


def _unreadable(source: Source, error: Exception) -> InputError:
    first = str(error).strip().splitlines()[0][:200]
    return InputError(source.where, f"the file can't be read as Parquet ({first})")
