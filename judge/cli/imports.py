"""What ``judge import`` does and prints."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from judge.cli.common import opened, print_json, print_pairs, say, visible

if TYPE_CHECKING:
    from judge.workflow.imports import ImportSummary
    from judge.workflow.previews import Form

_COUNTS = ("dataset", "version", "answers", "passages", "claims", "verdicts", "labels", "rejected")
_MOST_TEXT = 500
"""Characters of a text that a person is shown."""
_MEMORY = ("sqlite://", "sqlite:///:memory:", ":memory:")


def bring(
    file: str,
    form: "Form",
    *,
    dataset: str,
    corpus_version: str | None,
    top_k: int | None,
    rubric: Sequence[str],
    passing: Sequence[str],
    skip_bad: bool,
    bad_limit: int,
    as_json: bool,
    db: str,
) -> None:
    """Import a file. The database is opened once the file was found good, so that a bad one leaves none behind."""
    from judge.cli.progress import counting
    from judge.domain.errors import UsageError
    from judge.workflow.imports import scanned, store_scanned
    from judge.workflow.rubrics import load_rubric, shipped_rubrics

    if db in _MEMORY:
        raise UsageError(f"--db {db} is a database in memory, which ends with this command; name a file")
    files = {}
    for pair in rubric:
        name, sep, path = pair.partition("=")
        if not sep:
            raise UsageError(f"--rubric {pair!r} has no '='; expected NAME=FILE")
        files[name] = load_rubric(path)
    shipped = {name: load_rubric(name) for name in shipped_rubrics()}
    with (
        counting("rows") as progress,
        scanned(
            file,
            dataset=dataset,
            shipped=shipped,
            corpus_version=corpus_version,
            top_k=top_k,
            skip_bad=skip_bad,
            bad_limit=bad_limit,
            rubric_files=files,
            passing=passing,
            form=form,
            progress=progress,
        ) as found,
    ):
        if not _there(db):
            found.check_alone()
        with opened(db, new=True) as store:
            summary = store_scanned(store, found, progress=progress)
    _print(summary, as_json=as_json)


def _there(db: str) -> bool:
    """Whether the database exists; one behind a URL of a server always does."""
    path = db.removeprefix("sqlite:///")
    return "://" in path or Path(path).exists()


def _print(found: "ImportSummary", *, as_json: bool) -> None:
    values = {key: getattr(found, key) for key in _COUNTS}
    for text in (*found.remarks, *found.problems):
        say(visible(text))
    if len(found.problems) < found.rejected:
        say(f"... and {found.rejected - len(found.problems):,} more")
    if as_json:
        more = ("new", "reasoning_moved", "nul_replaced", "format", "encoding", "unmapped", "remarks")
        print_json({**values, **{key: getattr(found, key) for key in more}})
        return
    if not found.new:
        say(f"The same content is dataset {found.dataset}@{found.version} already; nothing was added.")
    print_pairs((key, f"{value:,}" if isinstance(value, int) else value) for key, value in values.items())
    if found.reasoning_moved:
        say(f"Reasoning was moved to the metadata in {found.reasoning_moved:,} answers.")
    if found.nul_replaced:
        say(f"U+0000 was replaced by U+FFFD in {found.nul_replaced:,} rows.")
    if found.rejected:
        say(f"{found.rejected} bad rows were left out.")
    if not found.claims:
        say(f"Next: judge split {found.dataset}")


def preview(file: str, form: "Form", *, limit: int, bad_limit: int, as_json: bool) -> None:
    """Show what an import would store."""
    from judge.cli.progress import counting
    from judge.workflow.imports import preview_file

    with counting("rows") as progress:
        found = preview_file(file, form=form, limit=limit, bad_limit=bad_limit, progress=progress)
    if as_json:
        print_json(found._asdict())
        return
    for text in (*found.remarks, *found.problems):
        say(visible(text))
    if len(found.problems) < found.rejected:
        say(f"... and {found.rejected - len(found.problems):,} more")
    for row in found.first:
        typer.echo(visible(json.dumps(_cut(row), ensure_ascii=False, indent=2)))
    rows = [("format", found.format), ("encoding", found.encoding or "-"), ("rows", f"{found.rows:,}")]
    rows += [("rejected", f"{found.rejected:,}")]
    rows += [(f"no {key}", f"{count:,}") for key, count in found.nulls.items()]
    rows += [("not used", visible(", ".join(found.unmapped)))] if found.unmapped else []
    print_pairs(rows)
    say("Nothing was stored.")


def _cut(value: Any) -> Any:
    """A value whose texts fit a screen; ``--json`` has them whole."""
    if isinstance(value, str) and len(value) > _MOST_TEXT:
        return f"{value[:_MOST_TEXT]}… {len(value):,} in all"
    if isinstance(value, dict):
        return {key: _cut(one) for key, one in value.items()}
    return [_cut(one) for one in value] if isinstance(value, list | tuple) else value
