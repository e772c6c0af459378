"""A file of records into the store: read once to check everything, once more to write it in one transaction."""

import gc
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from judge.domain.answers import Dataset
from judge.domain.base import content_hash
from judge.domain.errors import InputError, UsageError
from judge.domain.rubrics import Rubric
from judge.steps.bindings import Used, bind_names
from judge.steps.formats.mapping import read_maps
from judge.steps.formats.notes import Notes
from judge.steps.formats.reading import open_source, rows_of
from judge.steps.formats.source import Source
from judge.steps.scans import Placed, Scan, read_planned, scan_file
from judge.store.database import Store
from judge.store.datasets import count_imported, dataset_of_hash
from judge.store.rubrics import list_rubrics
from judge.workflow.filing import begin, write_part
from judge.workflow.previews import AUTO, Form, remarks

PART = 500
"""Records written at once."""
_NAME = re.compile(r"[\w.][\w.\-]*")
Progress = Callable[[int], None]


class ImportSummary(NamedTuple):
    """What an import brought, or what is there already."""

    dataset: str
    version: int
    id: int
    answers: int
    passages: int
    """Different ones."""
    claims: int
    verdicts: int
    labels: int
    rejected: int
    """Bad rows left out."""
    new: bool
    """False: the same content stood under this name already, nothing was added."""
    reasoning_moved: int
    """Answers whose reasoning trace went to the metadata."""
    nul_replaced: int
    """Rows in which U+FFFD stands for U+0000."""
    problems: tuple[str, ...]
    """The first of the bad rows, one line each."""
    format: str = "jsonl"
    """As it was read."""
    encoding: str = "utf-8"
    """Of the file; '' for Parquet."""
    unmapped: tuple[str, ...] = ()
    """Columns or keys that nothing was taken from."""
    remarks: tuple[str, ...] = ()
    """What the person should know of how the file was read."""


class Scanned(NamedTuple):
    """A file that was read once and found good enough to import."""

    source: Source
    dataset: str
    scan: Scan
    notes: Notes
    shipped: Mapping[str, Rubric]
    rubric_files: Mapping[str, Rubric]
    passing: Sequence[str]

    def check_alone(self) -> None:
        """Bind the rubric names as in an empty database, so that what fails there fails before one is made.

        Raises:
            InputError: the names don't fit.
        """
        bind_names(self.scan.names, self.dataset, {}, self.shipped, self.rubric_files, self.passing)


def import_file(
    store: Store,
    path: Path | str,
    *,
    dataset: str,
    shipped: Mapping[str, Rubric],
    corpus_version: str | None = None,
    top_k: int | None = None,
    skip_bad: bool = False,
    bad_limit: int = 20,
    rubric_files: Mapping[str, Rubric] | None = None,
    passing: Sequence[str] = (),
    form: Form = AUTO,
    progress: Progress | None = None,
) -> ImportSummary:
    """Import a file of answers as a new version of a Dataset; the same content again adds nothing.

    Args:
        store: where to.
        path: the file; ``-`` for standard input.
        dataset: name: letters, digits and ``. _ -``, not only digits.
        shipped: rubrics that come with the program, by name.
        corpus_version: version of the indexed corpus, where the file does not say it.
        top_k: production's k, likewise.
        skip_bad: import the good rows; else one bad row stops the import.
        bad_limit: how many bad rows to list.
        rubric_files: ``--rubric NAME=FILE``: what a rubric name in the file means.
        passing: labels that pass in rubrics that are made from the file.
        form: how the file is to be read.
        progress: told how many rows were read so far, then how many were written.

    Raises:
        UsageError: the dataset's name or a number is none.
        InputError: the file can't be read, has bad rows, or its rubric names don't fit; nothing is stored then.
    """
    with scanned(
        path,
        dataset=dataset,
        shipped=shipped,
        corpus_version=corpus_version,
        top_k=top_k,
        skip_bad=skip_bad,
        bad_limit=bad_limit,
        rubric_files=rubric_files,
        passing=passing,
        form=form,
        progress=progress,
    ) as found:
        return store_scanned(store, found, progress=progress)


@contextmanager
def scanned(
    path: Path | str,
    *,
    dataset: str,
    shipped: Mapping[str, Rubric],
    corpus_version: str | None = None,
    top_k: int | None = None,
    skip_bad: bool = False,
    bad_limit: int = 20,
    rubric_files: Mapping[str, Rubric] | None = None,
    passing: Sequence[str] = (),
    form: Form = AUTO,
    progress: Progress | None = None,
) -> Iterator[Scanned]:
    """The first half of ``import_file``, which needs no database: read all of the file and check it."""
    _check_name(dataset)
    _check_numbers(top_k, bad_limit)
    tell, notes = progress or (lambda done: None), Notes()
    with opened_source(path, form) as source, _no_collector():
        lines = rows_of(source, notes)
        scan = scan_file(lines, source.where, corpus_version=corpus_version, top_k=top_k, most=bad_limit, tell=tell)
        _refuse_bad(scan, source.where, skip_bad)
        yield Scanned(source, dataset, scan, notes, shipped, rubric_files or {}, passing)


def store_scanned(store: Store, found: Scanned, *, progress: Progress | None = None) -> ImportSummary:
    """The second half of ``import_file``: read the file again and store it, in one transaction.

    Raises:
        InputError: the rubric names don't fit, or the file changed; nothing is stored then.
    """
    scan, files, passing = found.scan, found.rubric_files, found.passing
    identity = content_hash(
        {
            "dataset": found.dataset,
            "corpus_version": scan.corpus_version,
            "top_k": scan.top_k,
            "rubrics": {name: rubric.hash.hex() for name, rubric in files.items()},
            "passing": sorted(passing),
            "records": scan.plan.hash.hex(),
        }
    )
    with store.write() as connection:
        old = dataset_of_hash(connection, identity)
        if old is not None:
            return _summary(connection, old, found, new=False)
        bound = bind_names(scan.names, found.dataset, _versions(connection), found.shipped, files, passing)
        made = _write(connection, found, identity, bound, progress or (lambda done: None))
        return _summary(connection, made, found, new=True)


@contextmanager
def opened_source(path: Path | str, form: Form) -> Iterator[Source]:
    """A file, or what comes through a pipe, with the way it is to be read.

    Raises:
        UsageError: a format, an encoding or a map is none.
        InputError: the file can't be that.
    """
    maps = read_maps(form.maps)
    with _regular_file(str(path)) as (file, where):
        yield open_source(
            file, where, format=form.format, encoding=form.encoding, maps=maps, beside=form.qrels or form.observations
        )


class Preview(NamedTuple):
    """What an import would do."""

    format: str
    encoding: str
    rows: int
    rejected: int
    taken: dict[str, str]
    """What each key was taken from."""
    unmapped: dict[str, int]
    """Columns or keys that nothing was taken from, and how many rows have them."""
    nulls: dict[str, int]
    """Rows without a value, by key."""
    first: tuple[dict[str, Any], ...]
    """The first good rows, as they will be stored."""
    problems: tuple[str, ...]
    remarks: tuple[str, ...]


def preview_file(
    path: Path | str, *, form: Form = AUTO, limit: int = 3, bad_limit: int = 20, progress: Progress | None = None
) -> Preview:
    """Read and check a file as an import does, and store nothing.

    Raises:
        UsageError: a number, a format, an encoding or a map is none.
        InputError: the file as a whole can't be read.
    """
    _check_numbers(None, bad_limit)
    _check_limit(limit)
    notes = Notes()
    with opened_source(path, form) as source, _no_collector():
        tell = progress or (lambda done: None)
        lines = rows_of(source, notes)
        scan = scan_file(lines, source.where, corpus_version=None, top_k=None, most=bad_limit, tell=tell)
        first = tuple(_shown(one) for one in islice(read_planned(rows_of(source), source.where, scan.plan), limit))
    rows = scan.good + scan.rejected
    return Preview(
        format=source.format,
        encoding=source.encoding,
        rows=rows,
        rejected=scan.rejected,
        taken=notes.taken,
        unmapped=dict(notes.unmapped),
        nulls={key: count for key, count in notes.nulls.items() if count},
        first=first,
        problems=tuple(map(str, scan.problems)),
        remarks=tuple(remarks(source, notes, rows)),
    )


def _shown(placed: Placed) -> dict[str, Any]:
    """A row with the ids that it gets, its answer without the reasoning."""
    record = placed.record
    ids = {"answer_id": record.answer_key, "query_id": record.query_key}
    return {**ids, **record.given, **ids, "answer": record.answer.text, "metadata": record.answer.metadata}


def _write(
    connection: sa.Connection, found: Scanned, identity: bytes, bound: Mapping[Used, Rubric], tell: Progress
) -> Dataset:
    job = begin(connection, found.dataset, identity, found.scan, bound)
    records = read_planned(rows_of(found.source), found.source.where, found.scan.plan)
    done = 0
    while part := list(islice(records, PART)):
        write_part(connection, job, part)
        done += len(part)
        tell(done)
    return job.dataset


def _refuse_bad(scan: Scan, where: str, skip_bad: bool) -> None:
    if not scan.rejected or (skip_bad and scan.good):
        return
    rows = scan.good + scan.rejected
    listed = "\n".join(f"  {problem}" for problem in scan.problems)
    more = scan.rejected - len(scan.problems)
    raise InputError(
        where,
        f"{scan.rejected} of {rows} rows {'is' if scan.rejected == 1 else 'are'} bad, nothing was imported; "
        f"mend {'it' if scan.rejected == 1 else 'them'} or use --skip-bad:\n"
        + listed
        + (f"\n  and {more} more" if more else ""),
    )


def _versions(connection: sa.Connection) -> dict[str, list[Rubric]]:
    found: dict[str, list[Rubric]] = {}
    for stored in list_rubrics(connection):
        found.setdefault(stored.name, []).append(stored.rubric)
    return found


def _summary(connection: sa.Connection, dataset: Dataset, found: Scanned, *, new: bool) -> ImportSummary:
    scan = found.scan
    return ImportSummary(
        dataset.name,
        dataset.version,
        dataset.id,
        *count_imported(connection, dataset),
        rejected=scan.rejected,
        new=new,
        reasoning_moved=scan.reasoning,
        nul_replaced=scan.nul,
        problems=tuple(map(str, scan.problems)),
        format=found.source.format,
        encoding=found.source.encoding,
        unmapped=tuple(found.notes.unmapped),
        remarks=tuple(remarks(found.source, found.notes, scan.good + scan.rejected)),
    )


def _check_limit(limit: int) -> None:
    if limit < 0:
        raise UsageError(f"--limit is {limit}, expected 0 or more")


def _check_numbers(top_k: int | None, bad_limit: int) -> None:
    if top_k is not None and top_k < 1:
        raise UsageError(f"--top-k is {top_k}, expected 1 or more")
    if bad_limit < 0:
        raise UsageError(f"--bad-limit is {bad_limit}, expected 0 or more")


def _check_name(dataset: str) -> None:
    if not _NAME.fullmatch(dataset) or dataset.isdecimal():
        raise UsageError(
            f"{dataset!r} can't name a dataset; use letters of any script, digits and . _ -, not only digits"
        )


@contextmanager
def _no_collector() -> Iterator[None]:
    """Python's cycle collector off: it walks all rows of a part again and again, a third of the time of an import.

    Rows and nouns hold no cycles, so memory stays flat without it.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def _regular_file(path: str) -> Iterator[tuple[Path, str]]:
    """The file and its name in messages; a pipe goes to a temporary file first, for it is read twice."""
    piped = path == "-" or (Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir())
    if not piped:
        yield Path(path), path
        return
    with tempfile.TemporaryDirectory() as folder:
        spool = Path(folder) / "records"
        with spool.open("wb") as copy:
            if path == "-":
                shutil.copyfileobj(sys.stdin.buffer, copy)
            else:
                with Path(path).open("rb") as pipe:
                    shutil.copyfileobj(pipe, copy)
        yield spool, "standard input" if path == "-" else path
