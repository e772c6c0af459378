"""What all commands share: options, output, progress."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from judge.store.database import Store

Db = Annotated[
    str,
    typer.Option(
        "--db",
        envvar="JUDGE_DATABASE_URL",
        metavar="URL",
        help="Database: a SQLite file or a URL.",
        show_default=True,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
DATABASE = "judge.db"


@contextmanager
def opened(db: str, *, new: bool = False) -> Iterator[Store]:
    """The open database; one that is not there is only made by commands that fill it (``new``)."""
    from pathlib import Path

    from judge.domain.errors import UsageError
    from judge.workflow.stores import open_store

    if not new and "://" not in db and not Path(db).exists():
        raise UsageError(
            f"there is no database {db!r} here; `judge import FILE --dataset NAME` makes one, or name it with --db"
        )
    store = open_store(db)
    try:
        yield store
    finally:
        store.close()


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object on standard output."""
    import json

    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def say(text: str) -> None:
    """A line for people, on standard error, so that standard output stays clean."""
    typer.echo(text, err=True)


def print_pairs(rows: Iterable[tuple[str, str]]) -> None:
    """A calm two-column summary."""
    kept = list(rows)
    width = max(len(name) for name, _ in kept)
    for name, value in kept:
        typer.echo(f"{name:<{width}}  {value}".rstrip())


def print_table(head: Sequence[str], rows: Sequence[Sequence[object]], numbers: frozenset[int] = frozenset()) -> None:
    """A table; the columns in ``numbers`` are right-aligned. Data is printed as text, never as markup."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for place, name in enumerate(head):
        table.add_column(name, justify="right" if place in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(str(cell))) for cell in row))
    console = Console()
    console.print(table) if console.is_terminal else Console(width=160, no_color=True).print(table)


def visible(text: str) -> str:
    """Text with control characters made visible, so that data can't steer a terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else f"\\u{ord(char):04x}" for char in text)


def number(value: float | None, digits: int = 3) -> str:
    """A figure, or a dash where there is none."""
    return "-" if value is None else f"{value:.{digits}f}"


def interval(value: float | None, low: float | None, high: float | None, digits: int = 3) -> str:
    """A figure with its interval."""
    limits = "" if low is None or high is None else f" ({low:.{digits}f} to {high:.{digits}f})"
    return number(value, digits) + limits


def is_terminal() -> bool:
    """Whether progress may redraw its line."""
    return sys.stderr.isatty()
