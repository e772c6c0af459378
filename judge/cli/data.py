"""``judge import``, ``judge split``, ``judge db upgrade``: answers in, claims out."""

from pathlib import Path
from typing import Annotated

import typer

from judge.cli.common import DATABASE, Db, Json, opened, print_json, print_pairs, say


def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON Lines of answers; - for standard input.")],
    dataset: Annotated[str, typer.Option("--dataset", metavar="NAME", help="Name of the dataset.")],
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
    from judge.cli.progress import counting
    from judge.domain.errors import UsageError
    from judge.workflow.imports import import_file
    from judge.workflow.rubrics import load_rubric, shipped_rubrics

    files = {}
    for pair in rubric or ():
        name, sep, path = pair.partition("=")
        if not sep:
            raise UsageError(f"--rubric {pair!r} has no '='; expected NAME=FILE")
        files[name] = load_rubric(path)
    with opened(db, new=True) as store, counting("rows") as progress:
        found = import_file(
            store,
            file,
            dataset=dataset,
            shipped={name: load_rubric(name) for name in shipped_rubrics()},
            corpus_version=corpus_version,
            top_k=top_k,
            skip_bad=skip_bad,
            bad_limit=bad_limit,
            rubric_files=files,
            passing=passing or (),
            progress=progress,
        )
    keys = ("dataset", "version", "answers", "passages", "claims", "verdicts", "labels", "rejected")
    values = {key: getattr(found, key) for key in keys}
    for problem in found.problems:
        say(problem)
    if len(found.problems) < found.rejected:
        say(f"... and {found.rejected - len(found.problems):,} more")
    if as_json:
        print_json({**values, "new": found.new, "reasoning_moved": found.reasoning_moved})
        return
    if not found.new:
        say(f"The same content is dataset {found.dataset}@{found.version} already; nothing was added.")
    print_pairs((key, f"{value:,}" if isinstance(value, int) else value) for key, value in values.items())
    if found.rejected:
        say(f"{found.rejected} bad rows were left out.")
    if not found.claims:
        say(f"Next: judge split {found.dataset}")


def split(
    dataset: Annotated[
        str | None, typer.Argument(metavar="[DATASET]", help="Name or id; the only one by default.")
    ] = None,
    as_json: Json = False,
    db: Db = DATABASE,
) -> None:
    """Split answers into claims, each with its place in the answer."""
    from judge.cli.progress import counting
    from judge.workflow.splitting import split_dataset

    with opened(db) as store, counting("answers") as progress:
        found = split_dataset(store, dataset, progress=progress)
    if as_json:
        print_json(found._asdict())
        return
    print_pairs(
        [
            ("dataset", found.dataset),
            ("claim set", found.claim_set),
            ("claims", f"{found.claims:,}"),
            ("not checkable", f"{found.not_checkable:,}"),
            ("answers without a claim", f"{found.no_claims:,}"),
            ("coverage", "-" if found.coverage is None else f"{found.coverage:.1%} of the answers' text"),
        ]
    )
    say(f"Next: judge run {found.dataset} --rubric support --model baseline")


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
