"""``judge sample``, ``judge labels export|import``: what people are asked, and what they said."""

from pathlib import Path
from typing import Annotated

import typer

from judge.cli.common import DATABASE, Db, Json, opened, print_json, print_pairs, say


def sample(
    run: Annotated[str | None, typer.Argument(metavar="[RUN]", help="Name or id; the only one by default.")] = None,
    rubric: Annotated[
        list[str] | None,
        typer.Option(
            "--rubric",
            metavar="NAME",
            help="Rubric asked of people; the first makes the strata. All of the run by default.",
        ),
    ] = None,
    size: Annotated[
        int, typer.Option(metavar="N", help="Units wanted; a larger number later tops the queue up.")
    ] = 200,
    design: Annotated[str, typer.Option(metavar="random|verdict", help="How to draw.")] = "verdict",
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 7,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Name of the queue.")] = None,
    as_json: Json = False,
    db: Db = DATABASE,
) -> None:
    """Draw a known-probability sample of a run's units for people to label."""
    from judge.domain.errors import UsageError
    from judge.workflow.sampling import draw_sample

    if design not in ("random", "verdict"):
        raise UsageError(f"--design is {design!r}, expected random or verdict")
    with opened(db) as store:
        found = draw_sample(store, run, rubrics=rubric or (), size=size, design=design, seed=seed, name=name)
    if as_json:
        print_json(found._asdict())
        return
    rows = [("queue", found.queue), ("items", f"{found.items:,} ({found.new:,} new)"), ("design", found.design)]
    rows += [(f"  {part}", f"{n['drawn']:,} of {n['size']:,}") for part, n in found.strata.items()]
    print_pairs([*rows, ("rubrics", ", ".join(found.rubrics))])
    say("Next: judge ui, or judge labels export --out labels.csv")


def export(
    queue: Annotated[str | None, typer.Option(metavar="NAME", help="Which queue; the only one by default.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to; standard output by default.")] = None,
    annotator: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose sheet; holds this person's labels so far.")
    ] = None,
    everyone: Annotated[
        bool, typer.Option("--all", help="The labels of everyone, a row each, instead of a sheet to fill.")
    ] = False,
    as_json: Json = False,
    db: Db = DATABASE,
) -> None:
    """Write a queue as a CSV sheet; fill its label column and bring it back with `judge labels import`."""
    from judge.domain.errors import UsageError
    from judge.workflow.files import write_whole
    from judge.workflow.labelling import export_labels

    if as_json and out is None:
        raise UsageError("--json needs --out FILE, since the sheet goes to standard output otherwise")
    with opened(db) as store:
        sheet, rows = export_labels(store, queue, annotator=annotator, everyone=everyone)
    if out is None:
        typer.get_binary_stream("stdout").write(sheet)
        return
    write_whole(out, sheet)
    if as_json:
        print_json({"file": str(out), "rows": rows})
    else:
        say(f"Wrote {rows:,} rows to {out}. Fill the column `label`; the words are in `scale`.")


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A filled sheet, UTF-8 or GBK.")],
    queue: Annotated[str | None, typer.Option(metavar="NAME", help="Which queue; the only one by default.")] = None,
    annotator: Annotated[str | None, typer.Option(metavar="NAME", help="Who labelled, instead of the column.")] = None,
    as_json: Json = False,
    db: Db = DATABASE,
) -> None:
    """Read labels back from a sheet. A changed label supersedes the person's earlier one."""
    from judge.workflow.labelling import import_labels

    with opened(db) as store:
        found = import_labels(store, file, queue=queue, annotator=annotator)
    if as_json:
        print_json(found._asdict())
        return
    people = ", ".join(found.annotators)
    rows = [("queue", found.queue), ("labels", f"{found.labels:,} by {people}"), ("new", f"{found.new:,}")]
    print_pairs([*rows, ("unchanged", f"{found.unchanged:,}")])
    say("Next: judge agree, judge report --html report.html")
