"""How a file of others is to be read, and what became of its columns."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from judge.steps.formats.notes import Notes
from judge.steps.formats.source import Source

_LISTED = 20


class Form(NamedTuple):
    """How a file is to be read, as the options say."""

    format: str = "auto"
    """``auto``, a kind of file, or whose export it is."""
    encoding: str | None = None
    """Of its text; None looks."""
    maps: tuple[str, ...] = ()
    """``KEY=EXPRESSION`` or ``@FILE``."""
    qrels: Path | None = None
    """Judgements of a TREC run."""
    observations: Path | None = None
    """Observations (or traces) of Langfuse in a second file."""


AUTO = Form()


def remarks(source: Source, notes: Notes, rows: int) -> Iterator[str]:
    """What the person should know of how a file was read, a line each; none for our own format in UTF-8."""
    if source.shape != "native" or source.encoding not in ("", "utf-8"):
        encoding = f", {source.encoding.upper()}" if source.encoding else ""
        container = f" in {source.container}" if source.format not in (source.container, "trec") else ""
        yield f"Read as {source.format}{container}{encoding}."
    if source.shape != "native":
        taken = [f"{key} from {name!r}" for key, name in notes.taken.items() if key != name]
        if taken:
            yield f"Taken: {', '.join(taken)}."
        if notes.unmapped:
            names = [f"{name!r}" for name in list(notes.unmapped)[:_LISTED]]
            more = f" and {len(notes.unmapped) - _LISTED} more" if len(notes.unmapped) > _LISTED else ""
            yield f"Not used: {', '.join(names)}{more}."
        empty = [key for key, count in notes.nulls.items() if rows and count >= rows and key != "answer"]
        if empty:
            yield f"Without a value in all {rows:,} rows: {', '.join(empty)}."
    for text, count in notes.said.items():
        yield f"{text[:1].upper()}{text[1:]} ({count:,})." if count > 1 else f"{text[:1].upper()}{text[1:]}."
