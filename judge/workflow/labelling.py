"""People's labels: sheets out and in, and one label at a time from a page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from judge.domain.answers import Answer
from judge.domain.base import content_hash
from judge.domain.claims import Claim
from judge.domain.errors import InputError, UsageError
from judge.domain.review import Outcome, Sample
from judge.domain.rubrics import Rubric
from judge.steps.exports import SheetRow, from_sheet, outcome_of, passages_cell, readable, to_sheet
from judge.store.answers import load_answers
from judge.store.claims import claims_of_units
from judge.store.database import Store
from judge.store.review import (
    NewLabel,
    StoredLabel,
    current_labels,
    drawn_units,
    find_sample,
    insert_labels,
    keep_user,
    list_samples,
    rubrics_of,
)
from judge.store.rubrics import load_rubric
from judge.store.units import load_units

BAD_ROWS = 20


class Given(NamedTuple):
    """One person's answer, before it is stored."""

    unit_id: int
    rubric_id: int
    annotator: str
    outcome: Outcome
    label: str | None
    comment: str | None = None
    seconds: float | None = None
    details: dict[str, Any] | None = None
    token: bytes | None = None
    """16 bytes that name one press of a page; made from the content where absent."""


class LabelSummary(NamedTuple):
    """What an import of labels did."""

    queue: str
    labels: int
    new: int
    unchanged: int
    annotators: tuple[str, ...]


class Item(NamedTuple):
    """One unit of a queue with all that people need to label it."""

    unit_id: int
    key: str
    answer: Answer
    claim: Claim | None


def queue_items(connection: sa.Connection, sample: Sample) -> list[Item]:
    """A queue's items in its order."""
    drawn = drawn_units(connection, sample.id)
    units = load_units(connection, [draw.unit_id for draw in drawn])
    answers = load_answers(connection, sorted({draw.answer_id for draw in drawn}))
    claims = claims_of_units(connection, list(units))
    return [
        Item(draw.unit_id, units[draw.unit_id].key, answers[draw.answer_id], claims.get(draw.unit_id)) for draw in drawn
    ]


def rubrics_asked(connection: sa.Connection, sample: Sample) -> dict[int, Rubric]:
    """The rubrics of a queue by row id, in order."""
    return {rubric_id: load_rubric(connection, rubric_id) for rubric_id in rubrics_of(connection, sample.id)}


def export_labels(store: Store, queue: str | None, *, annotator: str | None, everyone: bool) -> tuple[bytes, int]:
    """A sheet to label in, with this annotator's labels so far; or the labels of everyone, a row each.

    Returns:
        The CSV file and its number of rows.
    """
    with store.read() as connection:
        sample = _queue(connection, queue)
        items = queue_items(connection, sample)
        rubrics = rubrics_asked(connection, sample)
        labels = current_labels(connection, [item.unit_id for item in items], list(rubrics))
    given: dict[tuple[int, int], list[StoredLabel]] = {}
    for label in labels:
        if everyone or label.user == annotator:
            given.setdefault((label.unit_id, label.rubric_id), []).append(label)
    rows = []
    for item in items:
        for rubric_id, rubric in rubrics.items():
            own = given.get((item.unit_id, rubric_id), [])
            rows += [_sheet_row(item, rubric, label, annotator) for label in own]
            if not own and not everyone:
                rows.append(_sheet_row(item, rubric, None, annotator))
    return to_sheet(rows), len(rows)


def _sheet_row(item: Item, rubric: Rubric, label: StoredLabel | None, annotator: str | None) -> dict[str, str]:
    query, answer = item.answer.query, item.answer
    shown = item.claim.passages if item.claim and item.claim.passages is not None else None
    passages = [
        (one.passage.key, one.passage.text or "")
        for one in answer.passages
        if shown is None or one.passage.key in shown
    ]
    return {
        "unit": item.key,
        "rubric": rubric.name,
        "label": "" if label is None else label.label or label.outcome.value,
        "annotator": (label.user if label else annotator) or "",
        "comment": (label.comment if label else "") or "",
        "scale": " | ".join([*rubric.labels, Outcome.SKIP.value, Outcome.CANT_TELL.value]),
        "question": readable(query.text),
        "claim": readable(item.claim.text if item.claim else ""),
        "answer": readable(answer.text or ""),
        "passages": passages_cell(passages) if "passages" in rubric.inputs else "",
    }


def import_labels(store: Store, path: Path, *, queue: str | None, annotator: str | None) -> LabelSummary:
    """Read a filled sheet back; a changed label supersedes the person's earlier one, an equal one adds nothing.

    Raises:
        InputError: the file can't be read, or some rows are wrong; then nothing is imported.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            str(path), f"can't be read ({error.strerror})", "a CSV file of `judge labels export`"
        ) from error
    rows = from_sheet(data, path.name)
    with store.write(durable=True) as connection:
        sample = _queue(connection, queue)
        drawn = [draw.unit_id for draw in drawn_units(connection, sample.id)]
        units = {unit.key: unit.id for unit in load_units(connection, drawn).values()}
        rubrics = {rubric.name: (rubric_id, rubric) for rubric_id, rubric in rubrics_asked(connection, sample).items()}
        given, bad = _read_rows(rows, units, rubrics, annotator, path.name, sample.name)
        if bad:
            more = f"\n... and {len(bad) - BAD_ROWS} more" if len(bad) > BAD_ROWS else ""
            lines = "\n".join(bad[:BAD_ROWS]) + more
            rows_are = "row is" if len(bad) == 1 else "rows are"
            raise InputError(path.name, f"{len(bad)} {rows_are} wrong, nothing was imported:\n{lines}")
        new = give_labels(connection, given, source="csv")
    people = tuple(sorted({one.annotator for one in given}))
    return LabelSummary(sample.name, len(given), new, len(given) - new, people)


def _read_rows(
    rows: Sequence[SheetRow],
    units: dict[str, int],
    rubrics: dict[str, tuple[int, Rubric]],
    annotator: str | None,
    name: str,
    queue: str,
) -> tuple[list[Given], list[str]]:
    given: list[Given] = []
    bad: list[str] = []
    seen: dict[tuple[str, str, str], SheetRow] = {}
    for row in rows:
        who = annotator or row.annotator
        rubric_id, rubric = rubrics.get(row.rubric, (0, None))
        outcome = outcome_of(row.label)
        label = rubric.read_label(row.label) if rubric and outcome is Outcome.LABEL else None
        where = f"{name}: row {row.number}"
        earlier = seen.setdefault((row.unit, row.rubric, who), row)
        if row.unit not in units:
            bad.append(f"{where}: `unit` {row.unit!r} is not in queue {queue!r}; name the right one with --queue")
        elif rubric is None:
            bad.append(f"{where}: `rubric` is {row.rubric!r}, expected one of {', '.join(rubrics)}")
        elif outcome is Outcome.LABEL and label is None:
            bad.append(
                f"{where}: `label` is {row.label!r}, expected one of {', '.join(rubric.labels)}, skip, cant_tell"
            )
        elif earlier is not row and (earlier.label, earlier.comment) != (row.label, row.comment):
            bad.append(f"{where}: says otherwise than row {earlier.number} of the same unit, rubric and annotator")
        elif earlier is not row:
            continue
        elif not who:
            bad.append(f"{where}: `annotator` is empty; fill it or say --annotator NAME")
        else:
            given.append(Given(units[row.unit], rubric_id, who, outcome, label, row.comment or None))
    return given, bad


def give_labels(connection: sa.Connection, given: Sequence[Given], *, source: str) -> int:
    """Append labels, each superseding the person's earlier one of the same unit and rubric; how many were new."""
    before = {
        (label.unit_id, label.rubric_id, label.user): label
        for label in current_labels(connection, sorted({one.unit_id for one in given}))
        if not label.adjudication
    }
    rows = []
    for one in given:
        old = before.get((one.unit_id, one.rubric_id, one.annotator))
        if old and (old.outcome, old.label, old.comment) == (one.outcome, one.label, one.comment):
            continue
        user_id = keep_user(connection, one.annotator)
        supersedes = old.id if old else None
        token = one.token or content_hash([*one[:6], supersedes])
        rows.append(
            NewLabel(
                one.unit_id,
                one.rubric_id,
                user_id,
                one.outcome.value,
                one.label,
                one.seconds,
                one.comment,
                one.details or {},
                source,
                supersedes_id=supersedes,
                token=token,
            )
        )
    return insert_labels(connection, rows)


def _queue(connection: sa.Connection, ref: str | None) -> Sample:
    """The queue of that name; without one the only sample that was drawn for people, else the only sample."""
    if ref is None:
        drawn = [sample for sample in list_samples(connection) if sample.design != "file"]
        if len(drawn) == 1:
            return drawn[0]
        if len(drawn) > 1:
            names = ", ".join(sample.name for sample in drawn)
            raise UsageError(f"there are {len(drawn)} queues, name one with --queue: {names}")
    return find_sample(connection, ref)
