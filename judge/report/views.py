"""What stands in a report, in words and in order, for HTML and Markdown alike."""

from dataclasses import dataclass

from judge.domain.estimates import Caution
from judge.domain.results import Agreement, Report, RubricReport
from judge.domain.rubrics import Language
from judge.report import cards, facts, tables
from judge.report.decisions import Decision, decision, spared
from judge.report.figures import clean, limits_of
from judge.report.parts import Card, Chart, Example, Facts, Table, dataset_name, names
from judge.report.words import caution_text, known, say


@dataclass(frozen=True)
class Fold:
    """A part that is closed until asked for."""

    title: str
    """What is in it."""
    tables: tuple[Table, ...] = ()
    """Its tables."""
    facts: Facts = ()
    """Terms with their values."""
    examples: tuple[Example, ...] = ()
    """Disagreements to read."""


@dataclass(frozen=True)
class RubricView:
    """One rubric, ready to be set."""

    name: str
    """Name and version."""
    question: str
    """What was asked."""
    decision: Decision
    """What stands first."""
    alarms: tuple[str, ...]
    """What must be read with the decision: labels by construction, and warnings about the run as a whole."""
    cautions: tuple[str, ...]
    """Other warnings."""
    cards: tuple[Card, ...]
    """At most four figures."""
    coverage: str
    """How much was judged, and why the rest was not."""
    chart: Chart | None
    """The one chart."""
    folds: tuple[Fold, ...]
    """The rest."""


@dataclass(frozen=True)
class ReportView:
    """A whole report, ready to be set."""

    title: str
    """Of the page."""
    run: str
    """Name of the run."""
    line: str
    """Dataset and sizes."""
    state: str
    """That the run is not complete; else empty."""
    rubrics: tuple[RubricView, ...]
    """One after the other."""
    folds: tuple[Fold, ...]
    """Identities and cost."""
    made_with: str
    """Version of this program."""


def report_view(report: Report, lang: Language) -> ReportView:
    """Everything that a report says, in the reader's language."""
    sizes = [f"{report.answers} {say(lang, 'answers')}", f"{report.claims} {say(lang, 'claims')}"]
    sizes.append(f"{len(report.systems)} {say(lang, 'systems')}")
    folds = (
        Fold(say(lang, "identities"), facts=facts.run_facts(report, lang)),
        Fold(say(lang, "cost"), facts=facts.cost_facts(report, lang)),
    )
    return ReportView(
        title=say(lang, "title"),
        run=clean(report.run, 120),
        line=" · ".join([dataset_name(report.dataset, lang), *sizes]),
        state="" if report.state == "complete" else known(lang, "state", report.state),
        rubrics=tuple(rubric_view(rubric, report.warnings, lang) for rubric in report.rubrics),
        folds=folds,
        made_with=say(lang, "made_with", version=clean(report.made_with, 40)),
    )


def rubric_view(rubric: RubricReport, warnings: tuple[Caution, ...], lang: Language) -> RubricView:
    """One rubric: the decision, four figures, one chart, the rest folded."""
    agreement, made = rubric.agreement, decision(rubric, lang)
    alarms = _texts(
        [*_construction(agreement, lang), *(caution_text(c, lang) for c in warnings if c.code != "run_state")]
    )
    return RubricView(
        name=say(lang, "rubric_head", rubric=clean(rubric.rubric, 80), version=rubric.version),
        question=clean(rubric.question.get(lang) or rubric.question.get("en", "")),
        decision=made,
        alarms=alarms,
        cautions=tuple(text for text in _cautions(rubric, made, lang) if text not in alarms),
        cards=cards.cards(rubric, lang),
        coverage=cards.coverage_line(rubric.coverage, agreement.unit if agreement else "", lang),
        chart=cards.chart(rubric, lang),
        folds=_folds(rubric, lang),
    )


def agreement_cautions(agreement: Agreement, lang: Language) -> tuple[str, ...]:
    """What must be known about an agreement, each said once."""
    return _texts([caution_text(c, lang) for c in (*agreement.notes, *agreement.kappa.warnings)])


def _folds(rubric: RubricReport, lang: Language) -> tuple[Fold, ...]:
    agreement = rubric.agreement
    weak = (tables.weak(rubric, lang),) if rubric.weak else ()
    counts = [tables.counts(rubric, lang)]
    if agreement and agreement.dropped:
        counts.append(tables.dropped(agreement, lang))
    folds = [
        *(_agreement_folds(agreement, lang) if agreement else ()),
        Fold(say(lang, "slices"), tables=(tables.slices(rubric, lang),) if rubric.slices else ()),
        Fold(say(lang, "weak"), tables=weak, examples=tables.examples(rubric, lang)),
        Fold(say(lang, "others"), facts=facts.other_facts(rubric, lang)),
        Fold(say(lang, "shares"), tables=(tables.shares(rubric, lang),) if rubric.shares else ()),
        Fold(say(lang, "counts"), tables=tuple(counts)),
        Fold(say(lang, "method"), facts=facts.rubric_facts(rubric, lang)),
    ]
    return tuple(fold for fold in folds if fold.tables or fold.facts or fold.examples)


def _agreement_folds(agreement: Agreement, lang: Language) -> tuple[Fold, ...]:
    title = say(lang, "confusion", **names(agreement, lang))
    return (
        Fold(title, tables=(tables.confusion(agreement, lang),)),
        Fold(say(lang, "per_label"), tables=(tables.per_label(agreement, lang),) if agreement.per_label else ()),
    )


def _construction(agreement: Agreement | None, lang: Language) -> tuple[str, ...]:
    found = (*agreement.notes, *agreement.kappa.warnings) if agreement else ()
    codes = ("labels_by_construction", "labels_partly_by_construction")
    return tuple(caution_text(c, lang) for c in found if c.code in codes)


def _cautions(rubric: RubricReport, made: Decision, lang: Language) -> tuple[str, ...]:
    """Warnings of the agreement and of each figure on the cards, each said once.

    That kappa is too uncertain is left out where its interval, though wide, lies below the goal: the headline has then
    decided; and where fewer than 5 labels leave it no interval.
    """
    agreement = rubric.agreement
    decided = made.state == "not_trusted" or (agreement is not None and not limits_of(spared(agreement).kappa))
    estimates = cards.card_estimates(rubric)
    found = [*(agreement.notes if agreement else ()), *(c for e in estimates for c in e.warnings)]
    return _texts([caution_text(c, lang) for c in found if not (decided and c.code == "uncertain")])


def _texts(texts: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(clean(text, 400) for text in texts))
