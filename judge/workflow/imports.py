"""A file of records into the store: read once to check everything, once more to write it in one transaction."""

import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from judge.domain.answers import Dataset
from judge.domain.base import content_hash
from judge.domain.errors import InputError, UsageError
from judge.domain.rubrics import Rubric
from judge.steps.bindings import Used, bind_names
from judge.steps.scans import Scan, read_planned, scan_file
from judge.store.database import Store
from judge.store.datasets import count_imported, dataset_of_hash
from judge.store.rubrics import list_rubrics
from judge.workflow.filing import begin, write_part

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
    progress: Progress | None = None,
) -> ImportSummary:
    """Import a JSON Lines file as a new version of a Dataset; the same content again adds nothing.

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
        progress: told how many rows were read so far, then how many were written.

    Raises:
        UsageError: the dataset's name is none.
        InputError: the file can't be read, has bad rows, or its rubric names don't fit; nothing is stored then.
    """
    _check_name(dataset)
    files = rubric_files or {}
    tell = progress or (lambda done: None)
    with _regular_file(str(path)) as (file, where):
        scan = scan_file(file, where, corpus_version=corpus_version, top_k=top_k, most=bad_limit, tell=tell)
        _refuse_bad(scan, where, skip_bad)
        identity = content_hash(
            {
                "dataset": dataset,
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
                return _summary(connection, old, scan, new=False)
            bound = bind_names(scan.names, dataset, _versions(connection), shipped, files, passing)
            made = _write(connection, (file, where), dataset, identity, scan, bound, tell)
            return _summary(connection, made, scan, new=True)


def _write(
    connection: sa.Connection,
    source: tuple[Path, str],
    name: str,
    identity: bytes,
    scan: Scan,
    bound: Mapping[Used, Rubric],
    tell: Progress,
) -> Dataset:
    job = begin(connection, name, identity, scan, bound)
    records = read_planned(*source, scan.plan)
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


def _summary(connection: sa.Connection, dataset: Dataset, scan: Scan, *, new: bool) -> ImportSummary:
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
    )


def _check_name(dataset: str) -> None:
    if not _NAME.fullmatch(dataset) or dataset.isdecimal():
        raise UsageError(
            f"{dataset!r} can't name a dataset; use letters of any script, digits and . _ -, not only digits"
        )


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
