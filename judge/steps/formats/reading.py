"""Any file of answers as one stream of native records."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from judge.domain.errors import InputError, UsageError
from judge.steps.formats.arrays import read_array
from judge.steps.formats.delimited import header_of, read_table
from judge.steps.formats.encodings import open_utf8
from judge.steps.formats.labelstudio import is_labelstudio, is_minimal, read_labelstudio
from judge.steps.formats.langfuse import is_langfuse, is_observation, read_langfuse
from judge.steps.formats.lenient import read_objects
from judge.steps.formats.mapping import ROWS, Mapper, mapped
from judge.steps.formats.notes import Notes
from judge.steps.formats.ragas import is_ragas, read_ragas
from judge.steps.formats.source import SHAPES, Source, find_source
from judge.steps.formats.trec import read_trec
from judge.steps.records import Line, read_lines

_TABLES = ("csv", "tsv", "parquet")


def open_source(
    path: Path,
    where: str,
    *,
    format: str = "auto",
    encoding: str | None = None,
    maps: Mapping[str, str] | None = None,
    beside: Path | None = None,
) -> Source:
    """Find out how a file is to be read; nothing but its encoding is checked over the whole of it.

    Args:
        path: the file.
        where: its name in messages.
        format: one of ``FORMATS``; ``auto`` looks at ending and first bytes.
        encoding: of its text; None looks.
        maps: ``--map``: expression by native key.
        beside: a second file: judgements of a TREC run, observations of Langfuse traces.

    Raises:
        UsageError: a format or encoding that is none, or a second file that the format has no use for.
        InputError: the file can't be that, or has no column for question or answer.
    """
    source = find_source(path, where, format=format, encoding=encoding, maps=maps, beside=beside)
    if source.format == "trec":
        source = source._replace(container="trec", shape="trec")
    elif source.format in SHAPES:
        source = source._replace(shape=source.format)
    else:
        shape = _shape(source)
        source = source._replace(shape=shape, format=shape if format == "auto" and shape in SHAPES else source.format)
    if beside is not None and source.shape not in ("trec", "langfuse"):
        raise UsageError("--qrels is of --format trec, --observations of --format langfuse")
    if source.container in _TABLES and source.shape == "names":
        Mapper(source.maps).check_columns(_columns(source), where)
    return source


def rows_of(source: Source, notes: Notes | None = None) -> Iterator[Line]:
    """The native records of a file, one by one; what is wrong with a row is its line's problem.

    Args:
        source: from ``open_source``.
        notes: filled on the way with what was taken from where, what is not used, what is empty.

    Raises:
        InputError: the file as a whole can't be read.
    """
    if source.shape == "trec":
        return read_trec(source, notes)
    if source.shape == "native":
        return _native(source, notes)
    mapper, where = Mapper(source.maps), source.where
    lines = _raw(source, notes)
    if source.shape == "ragas":
        return read_ragas(lines, mapper, where, notes)
    if source.shape == "langfuse":
        beside = iter(()) if source.beside is None else _raw(_second(source.beside), notes)
        return read_langfuse(lines, beside, mapper, where, notes)
    if source.shape == "labelstudio":
        return read_labelstudio(lines, mapper, where, notes)
    return mapped(lines, mapper, where, notes)


def _second(path: Path) -> Source:
    return find_source(path, str(path))


def _raw(source: Source, notes: Notes | None) -> Iterator[Line]:
    if source.container in ("csv", "tsv"):
        yield from read_table(source, notes)
    elif source.container == "parquet":
        from judge.steps.formats.parquet import read_parquet  # noqa: PLC0415 - costs 0.1 s, only this format needs it

        yield from read_parquet(source)
    elif source.container == "json" or ROWS in source.maps:
        yield from read_array(source, notes)
    else:
        with open_utf8(source.path, source.encoding) as file:
            yield from read_objects(file, source.where, notes)


def _native(source: Source, notes: Notes | None) -> Iterator[Line]:
    """JSON Lines as they are; ``"passages": null`` says that there are none."""
    with open_utf8(source.path, source.encoding) as file:
        for line in read_lines(file, source.where):
            if line.row.get("passages", ()) is None:
                del line.row["passages"]
            if notes is not None:
                for key, value in line.row.items():
                    notes.taken.setdefault(key, key)
                    if value is None:
                        notes.nulls[key] += 1
            yield line


def _columns(source: Source) -> list[str]:
    if source.container != "parquet":
        return [name for name in header_of(source) if name]
    from judge.steps.formats.parquet import columns_of  # noqa: PLC0415 - as above

    return columns_of(source)


def _shape(source: Source) -> str:
    """How the rows are to be read, by the first of them."""
    if source.container in _TABLES:
        row: dict[str, Any] = dict.fromkeys(_columns(source))
    else:
        row = _first(source)
    known = _known(row, source)
    if known is not None or source.container != "jsonl" or source.maps:
        return known or "names"
    if not row:
        return "native"
    begun = not {"question", "answer"}.isdisjoint(row)  # a native record with something missing is told so
    return "native" if begun and ({"question", "answer"} <= row.keys() or Mapper({}).missing(list(row))) else "names"


def _known(row: dict[str, Any], source: Source) -> str | None:
    if is_langfuse(row) and (source.container not in _TABLES or _is_export(row, source)):
        return "langfuse"
    if is_labelstudio(row) or (is_minimal(row) and not source.maps):
        return "labelstudio"
    return "ragas" if is_ragas(row) else None


def _is_export(row: dict[str, Any], source: Source) -> bool:
    """Whether the columns of a table are Langfuse's, and not of answers that note their trace."""
    if Mapper(source.maps).missing(list(row)):
        return True
    return is_observation(row) and not {"question", "answer"} <= (row.keys() | source.maps.keys())


def _first(source: Source) -> dict[str, Any]:
    try:
        first = next(islice(_raw(source, None), 1), None)
    except InputError:
        return {}  # whoever reads the file for good says what is wrong with it
    return {} if first is None else first.row
