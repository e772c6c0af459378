"""Report: one Run's figures with what people say of them, ready to be written."""

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Literal

import numpy as np
import sqlalchemy as sa

from judge.domain.answers import Dataset
from judge.domain.claims import UnitKind
from judge.domain.errors import NoLabelsError
from judge.domain.estimates import Caution
from judge.domain.judging import Run
from judge.domain.results import Agreement, Coverage, Report, RubricReport, Share, Weakness
from judge.domain.review import Sample
from judge.domain.rubrics import Rubric
from judge.measure.rates import mean, share
from judge.report.html_page import to_html
from judge.report.json_text import to_json
from judge.report.markdown import to_markdown
from judge.steps.families import family_of
from judge.steps.rollups import RollUp, roll_up
from judge.store.answers import Facts, answer_facts
from judge.store.calls import served_models, spent
from judge.store.claims import list_claim_sets, split_totals
from judge.store.database import Store
from judge.store.datasets import find_dataset, list_datasets
from judge.store.rubrics import load_rubric
from judge.store.runs import RunJudge, find_run, judges_of
from judge.store.verdicts import frame, verdict_labels
from judge.workflow.agreement import Compared, Known, Settings, Where, choose_sample, compare
from judge.workflow.examples import disagreements

Language = Literal["en", "zh"]
Kind = Literal["html", "md", "json"]
MOST_VALUES, LEAST_LABELS = 12, 10
"""A slice is shown when it has at most so many values; a value when people labelled so many of its units."""
WEAK, EXAMPLES = 5, 6


def make_report(store: Store, run: str | None, queue: str | None = None) -> Report:
    """Everything a report says of a Run.

    Raises:
        UsageError: no Run or queue of that name, or several and none named.
    """
    with store.read() as connection:
        found = find_run(connection, run)
        data = find_dataset(connection, str(found.dataset_id))
        facts = answer_facts(connection, data.id, found.limit)
        known = Known(connection, found)
        sample, compared = _people(connection, found, queue, known)
        judges = [(judge, load_rubric(connection, judge.rubric_id)) for judge in judges_of(connection, found.id)]
        parts = [_rubric(connection, found, sample, judge, rubric, facts, compared, known) for judge, rubric in judges]
        totals = split_totals(connection, found.claim_set_id, found.limit) if found.claim_set_id is not None else None
        sets = {one.id: one.name for one in list_claim_sets(connection, data.id)}
        money = spent(connection, found.id)
        return Report(
            run=found.name,
            run_id=found.id,
            state=found.state.value,
            dataset=f"{data.name}@{data.version}",
            dataset_id=data.hash.hex(),
            corpus_version=data.corpus_version,
            claim_set=sets.get(found.claim_set_id) if found.claim_set_id is not None else None,
            sample=f"{sample.name} ({sample.design}, seed {sample.seed})" if sample else None,
            answers=len(facts),
            systems=tuple(sorted({fact.system for fact in facts.values()})),
            claims=totals.claims if totals else 0,
            not_checkable=totals.not_checkable if totals else 0,
            no_claims=totals.no_claims if totals else 0,
            split_coverage=totals.covered / totals.length if totals and totals.length else None,
            rubrics=tuple(parts),
            calls=money.calls,
            tokens=money.tokens,
            cost=money.cost,
            currency=money.currency,
            warnings=tuple(_warnings(connection, found, data, judges, facts)),
            made_with=f"judge {version('judge')}",
        )


def rendered(report: Report, kind: Kind, lang: Language) -> str:
    """The report as one HTML page, as Markdown or as JSON."""
    if kind == "json":
        return to_json(report)
    return to_html(report, lang) if kind == "html" else to_markdown(report, lang)


def _people(
    connection: sa.Connection, run: Run, queue: str | None, known: Known
) -> tuple[Sample | None, list[Compared]]:
    """The labelled Sample and what it says; nothing when nobody has labelled yet."""
    try:
        sample = choose_sample(connection, run, queue)
    except NoLabelsError:
        return None, []
    return sample, compare(connection, run, sample, Settings(), known)


def _rubric(
    connection: sa.Connection,
    run: Run,
    sample: Sample | None,
    judge: RunJudge,
    rubric: Rubric,
    facts: dict[int, Facts],
    compared: Sequence[Compared],
    known: Known,
) -> RubricReport:
    counts = known.counts(judge, rubric.unit)
    mine = sorted((one for one in compared if one.match.judge.id == judge.id), key=lambda one: one.match.rolled)
    first = mine[0] if mine else None
    slices = tuple(_slices(connection, run, sample, first, facts, known)) if sample and first else ()
    return RubricReport(
        rubric=rubric.name,
        version=rubric.version,
        rubric_id=rubric.hash.hex(),
        question=dict(rubric.question.items()),
        passing=rubric.passing,
        judge=judge.judge.name,
        judge_id=judge.judge.hash.hex(),
        served=tuple(served_models(connection, judge.id, run.dataset_id)),
        counts={label: counts.labels.get(label, 0) for label in rubric.labels},
        coverage=Coverage(asked=counts.asked, judged=counts.judged, unscored=counts.unscored),
        shares=tuple(_shares(connection, run, judge, rubric, facts, bool(mine))) if rubric.passing else (),
        agreement=first.agreement if first else None,
        others=tuple(one.agreement for one in mine[1:]),
        slices=slices,
        weak=tuple(_weak(first.agreement, slices)) if first else (),
        examples=tuple(disagreements(connection, first, EXAMPLES)) if first else (),
    )


def _shares(
    connection: sa.Connection, run: Run, judge: RunJudge, rubric: Rubric, facts: dict[int, Facts], checked: bool
) -> Iterator[Share]:
    """Passing share of the units and, for claims, groundedness of the answers: of all, then by system."""
    labels = verdict_labels(connection, judge.id)
    rows = [(row.answer_id, labels.get(row.id)) for row in connection.execute(frame(run, judge, rubric.unit))]
    rolled = roll_up(rows, rubric.passing)
    systems = sorted({facts[answer_id].system for answer_id in rolled})
    for group in ["", *(systems if len(systems) > 1 else [])]:
        of_group = {key: one for key, one in rolled.items() if not group or facts[key].system == group}
        if rubric.unit is UnitKind.CLAIM:
            yield _groundedness(of_group, facts, rubric, group, checked)
        yield _passing(of_group, [row for row in rows if row[0] in of_group], rubric, group, checked)


def _passing(
    rolled: dict[int, RollUp], rows: Sequence[tuple[int, str | None]], rubric: Rubric, group: str, checked: bool
) -> Share:
    scored = [(answer_id, label) for answer_id, label in rows if label is not None]
    raw = share(
        np.array([label in rubric.passing for _, label in scored], dtype=np.int64),
        cluster=np.array([answer_id for answer_id, _ in scored], dtype=np.int64),
        population=f"{rubric.unit.value}s like those judged",
    )
    coverage = Coverage(asked=sum(one.asked for one in rolled.values()), judged=len(scored))
    return Share(name="passing", group=group, raw=raw, coverage=coverage, checked=checked)


def _groundedness(
    rolled: dict[int, RollUp], facts: dict[int, Facts], rubric: Rubric, group: str, checked: bool
) -> Share:
    scored = {answer_id: one.groundedness for answer_id, one in rolled.items() if one.groundedness is not None}
    raw = mean(
        np.array(list(scored.values()), dtype=np.float64),
        cluster=np.array([facts[answer_id].query_id for answer_id in scored], dtype=np.int64),
        population="answers like those judged",
    )
    coverage = Coverage(asked=len(rolled), judged=len(scored))
    name = "groundedness" if rubric.name == "support" else "mean_passing"
    return Share(name=name, group=group, raw=raw, coverage=coverage, checked=checked)


def _slices(
    connection: sa.Connection, run: Run, sample: Sample, mine: Compared, facts: dict[int, Facts], known: Known
) -> Iterator[Agreement]:
    """The same agreement inside each value of each slice that people labelled enough of."""
    values: dict[str, set[str]] = {}
    for fact in facts.values():
        for name, value in {**fact.slices, "system": fact.system}.items():
            values.setdefault(name, set()).add(value)
    for name in sorted(values):
        if not 1 < len(values[name]) <= MOST_VALUES:
            continue
        for value in sorted(values[name]):
            settings = Settings(judge=mine.match.judge.judge.name, where=(Where(name, (value,)),))
            for one in compare(connection, run, sample, settings, known):
                if one.match == mine.match and one.agreement.kappa.n >= LEAST_LABELS:
                    yield one.agreement


def _weak(whole: Agreement, slices: Sequence[Agreement]) -> Iterator[Weakness]:
    """Slices whose agreement is worst, then the cells of the table where most units part."""
    known = sorted((one for one in slices if one.kappa.value is not None), key=lambda one: one.kappa.value or 0.0)
    for one in known[:2]:
        where = ", ".join(f"{name} = {value}" for name, value in one.where.items())
        differ = sum(sum(row) for row in one.table) - sum(one.table[i][i] for i in range(len(one.labels)))
        yield Weakness(where=where, kappa=one.kappa, disagreements=differ, n=one.kappa.n)
    cells = [
        (whole.table[i][j], judge, human)
        for i, judge in enumerate(whole.labels)
        for j, human in enumerate(whole.labels)
        if i != j and whole.table[i][j]
    ]
    for n, judge, human in sorted(cells, reverse=True)[: WEAK - len(known[:2])]:
        total = sum(whole.table[whole.labels.index(judge)])
        yield Weakness(where=f"{judge} -> {human}", disagreements=n, n=total)


def _warnings(
    connection: sa.Connection,
    run: Run,
    data: Dataset,
    judges: Sequence[tuple[RunJudge, Rubric]],
    facts: dict[int, Facts],
) -> Iterator[Caution]:
    families = {family_of(fact.model_family) or family_of(fact.model) for fact in facts.values()} - {None}
    for name in sorted({judge.judge.name for judge, _ in judges}):
        family = family_of(name)
        if family in families:
            text = f"{name} judges answers of its own model family ({family}): it may prefer them."
            yield Caution(code="self_preference", text=text, values={"judge": name, "family": family})
    newest = max(one.version for one in list_datasets(connection) if one.name == data.name)
    if newest > data.version:
        text = f"Stale: dataset {data.name} has a newer version ({newest}) than the one judged ({data.version})."
        yield Caution(code="stale", text=text, values={"dataset": data.name, "newest": newest, "judged": data.version})
    if run.state.value != "complete":
        yield Caution(code="run_state", text=f"The run is {run.state.value}.", values={"state": run.state.value})
