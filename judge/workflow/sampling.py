"""Sample: a known design over a Run's units, offered to people as a queue; the same again tops it up."""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from judge.domain.errors import UsageError
from judge.domain.judging import Run
from judge.domain.review import Sample
from judge.domain.rubrics import Rubric
from judge.steps.samples import ALL, UNSCORED, Draw, allocate, draw
from judge.store.database import Store
from judge.store.review import (
    find_sample,
    insert_items,
    keep_sample,
    keep_strata,
    list_samples,
    open_queue,
    rubrics_of,
)
from judge.store.rubrics import load_rubric
from judge.store.runs import RunJudge, find_run, judges_of
from judge.store.units import framed_units
from judge.store.verdicts import count_verdicts, frame


class SampleSummary(NamedTuple):
    """A queue after a command."""

    queue: str
    items: int
    new: int
    design: str
    rubrics: tuple[str, ...]
    strata: dict[str, dict[str, int]]


def draw_sample(
    store: Store,
    run: str | None,
    *,
    rubrics: Sequence[str],
    size: int,
    design: str,
    seed: int,
    name: str | None = None,
) -> SampleSummary:
    """Draw units of a Run and offer them to people, each with all its rubrics under one probability.

    The same Run, rubrics, design and seed again is the same Sample: a larger size tops it up and keeps what was drawn.

    Args:
        store: the open database.
        run: name or id; None: the only one.
        rubrics: names of the Run's rubrics; the first makes the strata. None given: all of the Run.
        size: units wanted.
        design: ``random`` (one stratum) or ``verdict`` (one stratum a verdict, mildly oversampling those that fail).
        seed: of the permanent random numbers.
        name: of the queue; made from the Run's where absent.
    """
    if size < 1:
        raise UsageError(f"--size is {size}, expected at least 1")
    with store.write() as connection:
        found = find_run(connection, run)
        asked = _rubrics(connection, found, rubrics)
        sizes = _sizes(connection, found, asked[0], design)
        sample, before = _sample(connection, found, asked, design, seed, name)
        wanted = _wanted(asked[0][1], sizes, design, size, sample, before)
        units = framed_units(connection, frame(found, asked[0][0], asked[0][1].unit), asked[0][0].id)
        rows = ((unit_id, key, ALL if design == "random" else label or UNSCORED) for unit_id, key, label in units)
        drawn = draw(rows, sizes, wanted, seed)
        new = _store(connection, sample, drawn)
        names = tuple(rubric.name for _, rubric in asked)
        strata = {part: {"size": total, "drawn": n} for part, (total, n) in drawn.strata.items()}
        return SampleSummary(sample.name, len(drawn.units), new, design, names, strata)


def _rubrics(connection: sa.Connection, run: Run, names: Sequence[str]) -> list[tuple[RunJudge, Rubric]]:
    judges = [(judge, load_rubric(connection, judge.rubric_id)) for judge in judges_of(connection, run.id)]
    by_name = {rubric.name: (judge, rubric) for judge, rubric in judges}
    missing = [name for name in names if name not in by_name]
    if missing:
        raise UsageError(f"run {run.name!r} has no rubric {missing[0]!r}; it has: {', '.join(by_name)}")
    asked = [by_name[name] for name in dict.fromkeys(names)] or judges
    if len({rubric.unit for _, rubric in asked}) > 1:
        kinds = ", ".join(f"{rubric.name}: {rubric.unit.value}" for _, rubric in asked)
        raise UsageError(f"the rubrics ask about different units ({kinds}); draw one sample for each kind")
    return asked


def _sizes(connection: sa.Connection, run: Run, asked: tuple[RunJudge, Rubric], design: str) -> dict[str, int]:
    """Units by stratum, in the rubric's order, the unscored last."""
    judge, rubric = asked
    counts = count_verdicts(connection, run, judge, rubric.unit)
    if not counts.asked:
        raise UsageError(f"run {run.name!r} has no units under {rubric.name!r}")
    if design == "random":
        return {ALL: counts.asked}
    waiting = counts.asked - counts.judged - sum(counts.unscored.values())
    if waiting:
        raise UsageError(
            f"{waiting} of {counts.asked} units have no verdict yet, so there are no strata; "
            "finish with `judge run` first, or draw with --design random"
        )
    sizes = {label: counts.labels.get(label, 0) for label in rubric.labels}
    return {name: n for name, n in {**sizes, UNSCORED: sum(counts.unscored.values())}.items() if n}


def _sample(
    connection: sa.Connection,
    run: Run,
    asked: Sequence[tuple[RunJudge, Rubric]],
    design: str,
    seed: int,
    name: str | None,
) -> tuple[Sample, dict[str, tuple[int, int]]]:
    rubric_ids = [judge.rubric_id for judge, _ in asked]
    for sample in list_samples(connection, run.dataset_id):
        same = (sample.run_id, sample.design, sample.seed) == (run.id, design, seed)
        if same and rubrics_of(connection, sample.id) == rubric_ids and name in (None, sample.name):
            return sample, {part.name: (part.size, part.drawn) for part in sample.strata}
    if name is not None and any(sample.name == name for sample in list_samples(connection)):
        raise UsageError(f"the queue {name!r} was drawn otherwise; choose another --name, or its run, design and seed")
    sample_id = keep_sample(
        connection,
        name=name or f"{run.name}-{asked[0][1].name}",
        dataset_id=run.dataset_id,
        design=design,
        seed=seed,
        run_id=run.id,
        claim_set_id=run.claim_set_id,
        stratum_rubric_id=rubric_ids[0] if design == "verdict" else None,
        rubric_ids=rubric_ids,
    )
    open_queue(connection, sample_id)
    return find_sample(connection, str(sample_id)), {}


def _wanted(
    rubric: Rubric,
    sizes: dict[str, int],
    design: str,
    size: int,
    sample: Sample,
    before: dict[str, tuple[int, int]],
) -> dict[str, int]:
    """How many of each stratum, never fewer than before."""
    if before and {name: total for name, (total, _) in before.items()} != sizes:
        raise UsageError(
            f"the verdicts changed since {sample.name!r} was drawn, and strata are never redefined; "
            "draw a new sample with another --seed or --name (labels that are there are used again)"
        )
    drawn = {name: n for name, (_, n) in before.items()}
    if sum(drawn.values()) >= size:
        return drawn
    wanted = {ALL: size} if design == "random" else allocate(sizes, size, rubric.passing)
    return {name: max(wanted[name], drawn.get(name, 0)) for name in sizes}


def _store(connection: sa.Connection, sample: Sample, drawn: Draw) -> int:
    strata = keep_strata(connection, sample.id, drawn.strata)
    before = sum(part.drawn for part in sample.strata)
    insert_items(
        connection, [(sample.id, unit.unit_id, strata[unit.stratum], unit.place, None) for unit in drawn.units]
    )
    return len(drawn.units) - before
