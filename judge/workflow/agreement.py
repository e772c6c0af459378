"""Agree: the verdicts of a Run beside people's labels of the same units."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from judge.domain.claims import UnitKind
from judge.domain.errors import NoLabelsError, UsageError
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
from judge.store.review import StoredLabel, current_labels, drawn_units, labelled_rubrics, list_samples
from judge.store.rubrics import load_rubric
from judge.store.runs import RunJudge, find_run, judges_of, list_runs
from judge.store.verdicts import Counts, count_verdicts, count_verdicts_of, frame, has_label, verdict_labels

AUTHOR, CONSTRUCTED = "author", "demo"
"""Annotator and source of labels that hold by construction."""
NON_RESPONSE = 0.05
"""Share of drawn units without a usable label from which it is said."""


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
    rows = list_samples(connection, run.dataset_id)
    if queue is not None:
        return pick(queue, rows, "queue", option="--queue")
    # a file may have labelled claims of its own and whole answers: what fits this Run's claims counts
    labelled = [sample for sample in rows if labelled_rubrics(connection, sample.id, run.claim_set_id)]
    own = [sample for sample in labelled if sample.run_id == run.id]
    if not labelled:
        raise NoLabelsError(
            f"nobody has labelled units of run {run.name!r} yet; draw some with `judge sample {run.name}`, "
            "then label them with `judge ui` or `judge labels export` and `import`"
        )
    return pick(None, own or labelled, "queue", option="--queue")


class Known:
    """What several comparisons of one Run have in common, loaded once: verdict counts and roll-ups."""

    def __init__(self, connection: sa.Connection, run: Run) -> None:
        self._connection, self._run = connection, run
        self._counts: dict[int, Counts] = {}
        self._rolled: dict[int, dict[int, RollUp]] = {}

    def counts(self, judge: RunJudge, kind: UnitKind) -> Counts:
        """Verdicts of a Judge in the whole Run."""
        if judge.id not in self._counts:
            self._counts[judge.id] = count_verdicts(self._connection, self._run, judge, kind)
        return self._counts[judge.id]

    def rolled(self, judge: RunJudge, rubric: Rubric) -> dict[int, RollUp]:
        """Roll-ups by answer id of all claims that a Judge was asked about."""
        if judge.id not in self._rolled:
            labels = verdict_labels(self._connection, judge.id)
            asked = self._connection.execute(frame(self._run, judge, rubric.unit))
            rows = ((answer_id, labels.get(unit_id)) for unit_id, answer_id in asked)
            self._rolled[judge.id] = roll_up(rows, rubric.passing)
        return self._rolled[judge.id]


def compare(
    connection: sa.Connection, run: Run, sample: Sample, settings: Settings, known: Known | None = None
) -> list[Compared]:
    """All rubrics of a Run that people labelled in a Sample, each with its rows."""
    known = known or Known(connection, run)
    judges = [one for one in judges_of(connection, run.id) if settings.judge in (None, one.judge.name)]
    if not judges:
        raise UsageError(f"run {run.name!r} has no judge {settings.judge!r}")
    labelled = labelled_rubrics(connection, sample.id, run.claim_set_id)
    people = [(rubric_id, load_rubric(connection, rubric_id)) for rubric_id in labelled]
    rubrics = {one.id: load_rubric(connection, one.rubric_id) for one in judges}
    matches = [match for rubric_id, rubric in people for match in _matches(rubric_id, rubric, judges, rubrics)]
    with_labels = [match for match in matches if has_label(connection, match.judge.id)]
    if not with_labels:
        raise UsageError(
            f"no rubric of run {run.name!r} ({', '.join(sorted({rubric.name for rubric in rubrics.values()}))}) "
            f"was labelled by people in {sample.name!r} ({', '.join(rubric.name for _, rubric in people)})"
        )
    return [_compare(connection, run, sample, match, settings, known) for match in with_labels]


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


def _compare(
    connection: sa.Connection, run: Run, sample: Sample, match: Match, settings: Settings, known: Known
) -> Compared:
    scale, compared, people_map, judge_map = _scale(match, settings.merge)
    slices = [(one.name, one.values, one.negated) for one in settings.where]
    kept = answers_where(connection, run.dataset_id, slices) if slices else None
    drawn = [
        Draw(*draw)
        for draw in drawn_units(connection, sample.id, match.people.unit.value, run.claim_set_id)
        if kept is None or draw.answer_id in kept
    ]
    labels = current_labels(connection, [draw.unit_id for draw in drawn], [match.people_id])
    said = [Said(one.unit_id, one.user, one.outcome, people_map(one.label), one.adjudication) for one in labels]
    if sample.design == "file":  # a file's sample is what people labelled, under each rubric for itself
        asked = {one.unit_id for one in labels}
        drawn = [draw for draw in drawn if draw.unit_id in asked]
    verdicts, silent = _verdicts(connection, match, drawn, judge_map, known)
    pairs = pair(drawn, verdicts, said, scale, settings.human, silent)
    counts = _coverage(connection, run, match, kept, known)
    agreement = _agreement(counts, run, sample, match, settings, (scale, compared), pairs, labels)
    return Compared(agreement, pairs, match)


def _coverage(connection: sa.Connection, run: Run, match: Match, kept: Collection[int] | None, known: Known) -> Counts:
    """Asked and judged of what is compared: of the slice, and of answers where verdicts are rolled up."""
    if match.rolled:
        rolled = known.rolled(match.judge, match.rubric)
        answers = [one for key, one in rolled.items() if kept is None or key in kept]
        judged = sum(one.scored > 0 for one in answers)
        return Counts(
            len(answers), {PASS: judged}, {"no_verdict": len(answers) - judged} if judged < len(answers) else {}
        )
    if kept is None:
        return known.counts(match.judge, match.rubric.unit)
    return count_verdicts_of(connection, run, match.judge, match.rubric.unit, kept)


def _scale(match: Match, merge: Mapping[str, str]) -> tuple[tuple[str, ...], str, Map, Map]:
    """What is compared: the scale itself where both have it, else pass / fail."""

    def named(label: str | None) -> str | None:
        return merged(label, merge)

    unknown = [label for label in merge if label not in (*match.people.labels, *match.rubric.labels)]
    if unknown:
        known = ", ".join(dict.fromkeys((*match.people.labels, *match.rubric.labels)))
        raise UsageError(
            f"--merge names {unknown[0]!r}, which is no label of {match.people.name!r}; there are: {known}"
        )
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
    connection: sa.Connection, match: Match, drawn: Sequence[Draw], judge_map: Map, known: Known
) -> tuple[dict[int, str | None], frozenset[int]]:
    """Verdicts by unit id, and the units that no verdict could be asked for."""
    if not match.rolled:
        labels = verdict_labels(connection, match.judge.id, [draw.unit_id for draw in drawn])
        return {unit_id: judge_map(label) for unit_id, label in labels.items()}, frozenset()
    rolled = known.rolled(match.judge, match.rubric)
    silent = frozenset(draw.unit_id for draw in drawn if draw.answer_id not in rolled)
    return {draw.unit_id: rolled[draw.answer_id].label for draw in drawn if draw.answer_id in rolled}, silent


def _agreement(
    counts: Counts,
    run: Run,
    sample: Sample,
    match: Match,
    settings: Settings,
    comparison: tuple[Sequence[str], str],
    pairs: Pairs,
    labels: Sequence[StoredLabel],
) -> Agreement:
    scale, compared = comparison
    other = match.rubric.hash != match.people.hash
    found = figures(
        pairs.judge,
        pairs.human,
        scale,
        weight=pairs.weight,
        cluster=pairs.cluster,
        stratum=pairs.stratum,
        unit=pairs.units,
        population=f"answers like those of {run.name!r}, drawn by design {sample.design!r}",
    )
    return Agreement(
        rubric=match.people.name,
        judge_rubric=f"{match.rubric.name}@{match.rubric.version}" if other else "",
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
        annotators=tuple(sorted({one.user for one in labels})),
        notes=(*_notes(sample, match, labels), *_missing(sample, pairs)),
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
            unit=pairs.units[rows],
            population=population,
        )

    return {
        "rejected_of_passed": of(judge, ~human, "units that the judge passes"),
        "caught": of(~human, ~judge, "units that people reject"),
    }


def _notes(sample: Sample, match: Match, labels: Sequence[StoredLabel]) -> Iterator[Caution]:
    made = sum(one.source == CONSTRUCTED for one in labels)
    if made and made == len(labels):
        text = (
            "The labels are by construction: the author wrote each claim to be supported or not. "
            "They show how the judge does on these texts, not what people would say."
        )
        yield Caution(code="labels_by_construction", text=text)
    elif made:
        text = f"{made} of {len(labels)} labels are by construction, not what people said."
        yield Caution(code="labels_partly_by_construction", text=text, values={"n": made, "of": len(labels)})
    if sample.design == "file":
        text = "The labels came with the file; each labelled unit counts once unless the file gives its probability."
        yield Caution(code="file_sample", text=text)
    people, judge = match.people, match.rubric
    if match.rolled:
        text = (
            "People labelled whole answers, the judge their claims: an answer passes when all its scored claims pass."
        )
        yield Caution(code="roll_up", text=text)
    elif people.name == judge.name and people.hash != judge.hash:
        text = f"People labelled under {people.name}@{people.version}, the judge read {judge.name}@{judge.version}."
        values = {"people": f"{people.name}@{people.version}", "judge": f"{judge.name}@{judge.version}"}
        yield Caution(code="rubric_version", text=text, values=values)


def _missing(sample: Sample, pairs: Pairs) -> Iterator[Caution]:
    """What nobody has labelled: whole strata that the figures leave out, and the share that did not answer."""
    if pairs.unlabelled:
        absent = [part for part in sample.strata if part.id in pairs.unlabelled]
        units = sum(part.size for part in absent)
        names = ", ".join(part.name for part in absent)
        text = f"No label yet among the {units} units judged {names}: the figures leave them out."
        strata = [part.name for part in absent]
        yield Caution(code="stratum_unlabelled", text=text, values={"strata": strata, "units": units})
    missing = sum(pairs.dropped.get(reason, 0) for reason in ("not_labelled", "skip", "cant_tell"))
    share = missing / max(1, missing + len(set(pairs.units.tolist())))
    if share > NON_RESPONSE:
        text = f"{share:.0%} of the drawn units have no usable label; they are made up for by others of their stratum."
        yield Caution(code="non_response", text=text, values={"share": share})
