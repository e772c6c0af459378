"""The command line: one command a step of the journey."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from judge.cli import agree, data, demo, judging, labels, lists, report, show, splits, ui

app = typer.Typer(
    name="judge",
    help="LLM judges as measuring instruments: judge claims, ask people about a sample, report how far to trust it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Journey: import, split, run, sample, labels (or ui), agree, report. `judge demo` runs it all.",
)
_label_app = typer.Typer(no_args_is_help=True, help="Take a queue out as a sheet, bring its labels back.")
_db_app = typer.Typer(no_args_is_help=True, help="Look after the database.")

app.command("demo")(demo.demo)
app.command("import")(data.import_)
app.command("split")(splits.split)
app.command("run")(judging.run)
app.command("sample")(labels.sample)
app.add_typer(_label_app, name="labels")
_label_app.command("export")(labels.export)
_label_app.command("import")(labels.import_)
app.command("ui")(ui.ui)
app.command("agree")(agree.agree)
app.command("report")(report.report)
app.command("show")(show.show)
app.command("datasets")(lists.datasets)
app.command("runs")(lists.runs)
app.command("rubrics")(lists.rubrics)
app.add_typer(_db_app, name="db")
_db_app.command("upgrade")(data.upgrade)


@app.callback()
def _judge(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.", is_eager=True)] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"judge {installed('judge')}")
        raise typer.Exit


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an error of ours is one text for people and an exit code of 1 (2 for usage)."""
    from judge.domain.errors import JudgeError

    try:
        app(arguments)
    except JudgeError as error:
        typer.echo(f"judge: {error}", err=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        typer.echo("judge: stopped; what was stored is kept, the same command goes on", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(1)
    except OSError as error:
        typer.echo(f"judge: {error.filename or 'the output'} can't be used ({error.strerror})", err=True)
        sys.exit(1)
