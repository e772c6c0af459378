"""``judge report``: one file for the person who decides."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judge.cli.common import DATABASE, Db, opened, say

if TYPE_CHECKING:
    from judge.workflow.reporting import Kind, Language


def report(
    run: Annotated[str | None, typer.Argument(metavar="[RUN]", help="Name or id; the only one by default.")] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="One self-contained page.")] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="The same figures for programs; - for standard output."),
    ] = None,
    md: Annotated[Path | None, typer.Option("--md", metavar="FILE", help="Short, for a pull request.")] = None,
    lang: Annotated[str, typer.Option(metavar="en|zh", help="Language of the report.")] = "en",
    queue: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose labels, where there are several queues.")
    ] = None,
    db: Db = DATABASE,
) -> None:
    """Write the agreement report of a run; without a file it is printed as Markdown."""
    from judge.domain.errors import UsageError
    from judge.workflow.files import write_whole
    from judge.workflow.reporting import make_report, rendered

    if lang not in ("en", "zh"):
        raise UsageError(f"--lang is {lang!r}, expected en or zh")
    language: Language = "zh" if lang == "zh" else "en"
    with opened(db) as store:
        found = make_report(store, run, queue)
    files: tuple[tuple[Kind, Path | None], ...] = (("html", html), ("json", json_file), ("md", md))
    if not any(path for _, path in files):
        typer.echo(rendered(found, "md", language))
        return
    for kind, path in files:
        if path is None:
            continue
        text = rendered(found, kind, language)
        if str(path) == "-":
            typer.echo(text)
        else:
            write_whole(path, text.encode())
            say(f"Wrote {path}")
