"""Agree: the verdicts of a Run beside people's labels of the same units."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from judge.domain.claims import UnitKind
from judge.domain.errors import UsageError
from judge.domain.estimates import Caution, Estimate
from judge.domain.judging import Run
from judge.domain.results import Agreement, Coverage
from judge.domain.review import HumanRule, Sample
from judge.domain.rubrics import Rubric
from judge.measure.rates import share
from judge.steps.figures import figures
from judge.steps.pairs import Draw, Map, Pairs, Said, pair
from judge.steps.rollups import FAIL, PASS, RollUp, merged, on_passing, roll_up
from judge.store.answers import answers_where
from judge.store.database import Store
from judge.store.names import pick
from judge.store.review import current_labels, drawn_units, labelled_rubrics, list_samples
from judge.store.rubrics import load_rubric
from judge.store.runs import RunJudge, find_run, judges_of, list_runs
from judge.store.verdicts import count_verdicts, frame, verdict_labels

AUTHOR = "author"
"""Annotator of labels that hold by construction."""


class Where(NamedTuple):
    """A slice: answers whose value of ``name`` is (or is not) among ``values``; ``system`` is a slice too."""

    name: str
    values: tuple[str, ...]
    negated: bool = False

    @property
    def value(self) -> str:
        """The values in one word."""
        return f"{'not ' if self.negated else ''}{', '.join(self.values)}"


class Settings(NamedTuple):
    """How to compare."""

    judge: str | None = None
    where: tuple[Where, ...] = ()
    human: HumanRule = "each"
    queue: str | None = None
    merge: Mapping[str, str] = {}


class Match(NamedTuple):
    """A people's rubric and the Judge that is measured by it."""

    people: Rubric
    people_id: int
    judge: RunJudge
    rubric: Rubric
    rolled: bool


class Compared(NamedTuple):
    """An Agreement with the rows behind it."""

    agreement: Agreement
    pairs: Pairs
    match: Match


def agree(store: Store, run: str | None, settings: Settings) -> list[Agreement]:
    """Agreement of a Run's Judges with people, one for each rubric that both have.

    Raises:
        UsageError: no Run, Judge or labelled Sample of that name, or several and none named; nothing to compare.
    """
    with store.read() as connection:
        found = choose_run(connection, run, settings.judge)
        sample = choose_sample(connection, found, settings.queue)
        return [one.agreement for one in compare(connection, found, sample, settings)]


def choose_run(connection: sa.Connection, ref: str | None, judge: str | None) -> Run:
    """The Run of that name; without one, the only Run, or the only one with that Judge."""
    if ref is not None or judge is None:
        return find_run(connection, ref)
    having = [
        run for run in list_runs(connection) if any(one.judge.name == judge for one in judges_of(connection, run.id))
    ]
    if not having:
        return find_run(connection, judge)
    return pick(None, having, "run")


def choose_sample(connection: sa.Connection, run: Run, queue: str | None) -> Sample:
    """The Sample whose labels are used: named, else drawn from this Run, else the only labelled one of the Dataset."""
    rows = [
        sample
        for sample in list_samples(connection, run.dataset_id)
        if sample.claim_set_id in (None, run.claim_set_id) or run.claim_set_id is None
    ]
    if queue is not None:
        return pick(queue, rows, "queue")
    labelled = [sample for sample in rows if labelled_rubrics(connection, sample.id)]
    own = [sample for sample in labelled if sample.run_id == run.id]
    if not labelled:
        raise UsageError(
            f"nobody has labelled units of run {run.name!r} yet; draw some with `judge sample {run.name}`, "
            "then label them with `judge ui` or `judge labels export` and `import`"
        )
    return pick(None, own or labelled, "queue")


def compare(connection: sa.Connection, run: Run, sample: Sample, settings: Settings) -> list[Compared]:
    """All rubrics of a Run that people labelled in a Sample, each with its rows."""
    judges = [one for one in judges_of(connection, run.id) if settings.judge in (None, one.judge.name)]
    if not judges:
        raise UsageError(f"run {run.name!r} has no judge {settings.judge!r}")
    people = [(rubric_id, load_rubric(connection, rubric_id)) for rubric_id in labelled_rubrics(connection, sample.id)]
    rubrics = {one.id: load_rubric(connection, one.rubric_id) for one in judges}
    matches = [match for rubric_id, rubric in people for match in _matches(rubric_id, rubric, judges, rubrics)]
    with_labels = [match for match in matches if any(verdict_labels(connection, match.judge.id).values())]
    if not with_labels:
        raise UsageError(
            f"no rubric of run {run.name!r} ({', '.join(sorted({rubric.name for rubric in rubrics.values()}))}) "
            f"was labelled by people in {sample.name!r} ({', '.join(rubric.name for _, rubric in people)})"
        )
    return [_compare(connection, run, sample, match, settings) for match in with_labels]


def base_name(name: str) -> str:
    """``support`` for ``support`` and for a file's ``<dataset>/support/answer``."""
    parts = name.split("/")
    return parts[1] if len(parts) == 3 else name


def _matches(rubric_id: int, people: Rubric, judges: Sequence[RunJudge], rubrics: Mapping[int, Rubric]) -> list[Match]:
    """The Judges that a people's rubric measures: same rubric, else same name and unit, else by roll-up."""
    same = [one for one in judges if one.rubric_id == rubric_id]
    named = [one for one in judges if base_name(rubrics[one.id].name) == base_name(people.name)]
    alike = [one for one in named if rubrics[one.id].unit is people.unit]
    rolled = [one for one in named if rubrics[one.id].unit is UnitKind.CLAIM and people.unit is UnitKind.ANSWER]
    found = same or alike
    chosen = [(one, False) for one in found] if found else [(one, True) for one in rolled]
    return [Match(people, rubric_id, one, rubrics[one.id], roll) for one, roll in chosen]


def _compare(connection: sa.Connection, run: Run, sample: Sample, match: Match, settings: Settings) -> Compared:
    scale, compared, people_map, judge_map = _scale(match, settings.merge)
    kept = (
        answers_where(connection, run.dataset_id, [(one.name, one.values, one.negated) for one in settings.where])
        if settings.where
        else None
    )
    drawn = [
        Draw(*draw)
        for draw in drawn_units(connection, sample.id, match.people.unit.value)
        if kept is None or draw.answer_id in kept
    ]
    labels = current_labels(connection, [draw.unit_id for draw in drawn], [match.people_id])
    said = [Said(one.unit_id, one.user, one.outcome, people_map(one.label), one.adjudication) for one in labels]
    verdicts = _verdicts(connection, run, match, drawn, judge_map)
    if sample.design == "file":  # a file's sample is what people labelled, under each rubric for itself
        asked = {one.unit_id for one in labels}
        drawn = [draw for draw in drawn if draw.unit_id in asked]
    pairs = pair(drawn, verdicts, said, scale, settings.human)
    people = tuple(sorted({one.user for one in labels}))
    agreement = _agreement(connection, run, sample, match, settings, (scale, compared), pairs, people)
    return Compared(agreement, pairs, match)


def _scale(match: Match, merge: Mapping[str, str]) -> tuple[tuple[str, ...], str, Map, Map]:
    """What is compared: the scale itself where both have it, else pass / fail."""

    def named(label: str | None) -> str | None:
        return merged(label, merge)

    people = tuple(dict.fromkeys(merge.get(label, label) for label in match.people.labels))
    judge = tuple(dict.fromkeys(merge.get(label, label) for label in match.rubric.labels))
    if not match.rolled and set(people) == set(judge):
        return judge, "scale", named, named
    for rubric in (match.people, match.rubric):
        if not rubric.passing:
            raise UsageError(
                f"the scales of {match.people.name!r} ({', '.join(people)}) and {match.rubric.name!r} "
                f"({', '.join(judge)}) differ, and {rubric.name!r} does not say which labels pass; "
                "import with --passing LABEL, or make the scales equal with --merge a,b=c"
            )

    def passes(label: str | None) -> str | None:
        return on_passing(label, match.people.passing)

    def judge_passes(label: str | None) -> str | None:
        return label if match.rolled else on_passing(label, match.rubric.passing)

    return (PASS, FAIL), "passing", passes, judge_passes


def _verdicts(
    connection: sa.Connection, run: Run, match: Match, drawn: Sequence[Draw], judge_map: Map
) -> dict[int, str | None]:
    if not match.rolled:
        labels = verdict_labels(connection, match.judge.id, [draw.unit_id for draw in drawn])
        return {unit_id: judge_map(label) for unit_id, label in labels.items()}
    rolled = rolled_up(connection, run, match.judge, match.rubric)
    return {draw.unit_id: rolled[draw.answer_id].label for draw in drawn if draw.answer_id in rolled}


def rolled_up(connection: sa.Connection, run: Run, judge: RunJudge, rubric: Rubric) -> dict[int, RollUp]:
    """Roll-ups by answer id of all claims that a Judge was asked about in a Run."""
    labels = verdict_labels(connection, judge.id)
    asked = connection.execute(frame(run, judge, rubric.unit))
    return roll_up(((answer_id, labels.get(unit_id)) for unit_id, answer_id in asked), rubric.passing)


def _agreement(
    connection: sa.Connection,
    run: Run,
    sample: Sample,
    match: Match,
    settings: Settings,
    comparison: tuple[Sequence[str], str],
    pairs: Pairs,
    people: tuple[str, ...],
) -> Agreement:
    scale, compared = comparison
    found = figures(
        pairs.judge,
        pairs.human,
        scale,
        weight=pairs.weight,
        cluster=pairs.cluster,
        stratum=pairs.stratum,
        population=f"answers like those of {run.name!r}, drawn by design {sample.design!r}",
    )
    counts = count_verdicts(connection, run, match.judge, match.rubric.unit)
    return Agreement(
        rubric=match.people.name,
        judge_rubric="" if match.rubric.name == match.people.name else match.rubric.name,
        judge=match.judge.judge.name,
        judge_id=match.judge.judge.hash.hex(),
        unit="answer by roll-up" if match.rolled else match.people.unit.value,
        compared=compared,
        human=settings.human,
        where={one.name: one.value for one in settings.where},
        labels=tuple(scale),
        coverage=Coverage(asked=counts.asked, judged=counts.judged, unscored=counts.unscored),
        dropped=pairs.dropped,
        queue=sample.name,
        design=sample.design,
        annotators=people,
        notes=tuple(_notes(sample, match, people)),
        **_passing_figures(pairs, scale, {PASS} if compared == "passing" else _passing(match, settings.merge)),
        **{**found._asdict(), "kappa": _of_a_frame(found.kappa)},
    )


def _of_a_frame(kappa: Estimate) -> Estimate:
    """Here the judge's overall verdict counts are known, though this interval makes no use of them."""
    text = "This interval makes no use of the judge's overall verdict counts; it is unreliable when one class is rare."
    known = [
        Caution(code="rare_class", text=text, values=caution.values) if caution.code == "no_frame" else caution
        for caution in kappa.warnings
    ]
    return kappa.model_copy(update={"warnings": tuple(known)})


def _passing(match: Match, merge: Mapping[str, str]) -> set[str]:
    return {merge.get(label, label) for label in match.rubric.passing}


def _passing_figures(pairs: Pairs, scale: Sequence[str], passing: set[str]) -> dict[str, Estimate | None]:
    """In words: of those the judge passes people reject so many; of those they reject it catches so many."""
    codes = [code for code, label in enumerate(scale) if label in passing]
    if not codes or len(codes) == len(scale):
        return {"rejected_of_passed": None, "caught": None}
    judge, human = np.isin(pairs.judge, codes), np.isin(pairs.human, codes)

    def of(rows: npt.NDArray[np.bool_], hit: npt.NDArray[np.bool_], population: str) -> Estimate | None:
        if not rows.any():
            return None
        stratum = None if pairs.stratum is None else pairs.stratum[rows]
        return share(
            hit[rows].astype(np.int64),
            weight=pairs.weight[rows],
            cluster=pairs.cluster[rows],
            stratum=stratum,
            population=population,
        )

    return {
        "rejected_of_passed": of(judge, ~human, "units that the judge passes"),
        "caught": of(~human, ~judge, "units that people reject"),
    }


def _notes(sample: Sample, match: Match, people: Sequence[str]) -> list[Caution]:
    notes = []
    if people == (AUTHOR,):
        text = (
            "The labels are by construction: the author wrote each claim to be supported or not. "
            "They show how the judge does on these texts, not what people would say."
        )
        notes.append(Caution(code="labels_by_construction", text=text))
    if sample.design == "file":
        text = "The labels came with the file; each labelled unit counts once unless the file gives its probability."
        notes.append(Caution(code="file_sample", text=text))
    if match.rolled:
        text = (
            "People labelled whole answers, the judge their claims: an answer passes when all its scored claims pass."
        )
        notes.append(Caution(code="roll_up", text=text))
    return notes
