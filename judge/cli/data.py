"""``judge import``, ``judge db upgrade``: answers in."""

from pathlib import Path
from typing import Annotated

import typer

from judge.cli.common import DATABASE, Db, Json, print_json, say

FORMATS = "auto, jsonl, json, csv, tsv, parquet, ragas, langfuse, trec, labelstudio"


def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Answers: JSON Lines, JSON, CSV, ...; - for a pipe.")],
    dataset: Annotated[
        str | None, typer.Option("--dataset", metavar="NAME", help="Name of the dataset; --dry-run needs none.")
    ] = None,
    form: Annotated[str, typer.Option("--format", metavar="NAME", help=f"One of {FORMATS}.")] = "auto",
    maps: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="KEY=WHERE", help="Where a key is in a row (JMESPath), or @FILE of such lines."),
    ] = None,
    encoding: Annotated[str | None, typer.Option(metavar="NAME", help="Of the file's text, such as gbk.")] = None,
    qrels: Annotated[Path | None, typer.Option(metavar="FILE", help="TREC judgements of the run in FILE.")] = None,
    observations: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Langfuse observations of the traces in FILE.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be stored; store nothing.")] = False,
    limit: Annotated[int, typer.Option(help="With --dry-run: how many rows to show.")] = 3,
    corpus_version: Annotated[str | None, typer.Option(help="Version of the indexed corpus.")] = None,
    top_k: Annotated[int | None, typer.Option(help="Production's k.")] = None,
    rubric: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="Rubric that a name in the file means.")
    ] = None,
    passing: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="A label that passes, for scales found in the file.")
    ] = None,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Import the good rows, leave the bad ones out.")] = False,
    bad_limit: Annotated[int, typer.Option(help="How many bad rows to list.")] = 20,
    as_json: Json = False,
    db: Db = DATABASE,
) -> None:
    """Import answers with their passages, and claims, verdicts and labels where the file has them."""
    from judge.cli.imports import bring, preview
    from judge.domain.errors import UsageError
    from judge.workflow.previews import Form

    read_as = Form(form, encoding, tuple(maps or ()), qrels, observations)
    if dry_run:
        preview(file, read_as, limit=limit, bad_limit=bad_limit, as_json=as_json)
        return
    if dataset is None:
        raise UsageError("say --dataset NAME, or --dry-run to look first")
    bring(
        file,
        read_as,
        dataset=dataset,
        corpus_version=corpus_version,
        top_k=top_k,
        rubric=rubric or (),
        passing=passing or (),
        skip_bad=skip_bad,
        bad_limit=bad_limit,
        as_json=as_json,
        db=db,
    )


def upgrade(as_json: Json = False, db: Db = DATABASE) -> None:
    """Bring an older database to the form that this version needs."""
    from judge.domain.errors import UsageError
    from judge.workflow.stores import upgrade_store

    if "://" not in db and not Path(db).exists():
        raise UsageError(f"there is no database {db!r} here; name it with --db")
    before, after = upgrade_store(db)
    if as_json:
        print_json({"before": before, "after": after})
        return
    say("Nothing to do." if before == after else f"Upgraded from {before} to {after}.")
