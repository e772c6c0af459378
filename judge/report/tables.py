"""The folded tables of a report, and the examples."""

from judge.domain.estimates import Estimate
from judge.domain.results import Agreement, RubricReport
from judge.domain.rubrics import Language
from judge.report.figures import DASH, Kind, clean, finite, limits_of, number, percent, reason, span, sparing
from judge.report.parts import (
    Cell,
    Example,
    Row,
    Table,
    few_text,
    label_name,
    names,
    reason_name,
    share_name,
    slice_name,
    unchecked,
)
from judge.report.words import say

EXAMPLES = 10
"""Examples that are shown at most."""


def confusion(agreement: Agreement, lang: Language) -> Table:
    """Counts with weighted shares of the row; a row of fewer than 30 labels is grey."""
    labels = [label_name(label, lang) for label in agreement.labels]
    rows = []
    for i, label in enumerate(labels):
        counts, weights = agreement.table[i], agreement.weighted_table[i]
        few, whole = few_text(sum(counts), lang), sum(weights)
        cells = [
            Cell(
                str(count),
                below=f"{number(weight / whole, 'percent')}%" if whole > 0 else DASH,
                few=few,
                shade=f"{weight / whole:.3f}" if whole > 0 else "",
                match=i == j,
            )
            for j, (count, weight) in enumerate(zip(counts, weights, strict=True))
        ]
        rows.append(Row(label, (*cells, Cell(str(sum(counts)), few=few))))
    of = names(agreement, lang)
    head = (say(lang, "judge_says"), *labels, say(lang, "total"))
    return Table(say(lang, "confusion_caption", **of), head, tuple(rows), over=say(lang, "human_says", **of))


def per_label(agreement: Agreement, lang: Language) -> Table:
    """Specific agreement, precision and recall, each with its interval below it."""
    rows = []
    for x in agreement.per_label:
        few = few_text(min(x.judge_n, x.human_n), lang)
        specific = finite(x.agreement)
        cells = (
            Cell(str(x.judge_n)),
            Cell(str(x.human_n)),
            Cell(DASH if specific is None else number(specific, "percent_fine"), few=few),
            _estimate_cell(x.precision, "percent_fine", lang),
            _estimate_cell(x.recall, "percent_fine", lang),
        )
        rows.append(Row(label_name(x.label, lang), cells))
    of = names(agreement, lang)
    keys = ("label", "judge_n", "human_n", "specific", "precision", "recall")
    return Table(say(lang, "per_label_caption", **of), tuple(say(lang, key, **of) for key in keys), tuple(rows))


def slices(rubric: RubricReport, lang: Language) -> Table:
    """Kappa, observed agreement and coverage of each slice."""
    rows = [
        Row(
            slice_name(a, lang),
            (
                *_kappa_cells(a.kappa, lang),
                Cell(str(a.kappa.n)),
                _estimate_cell(a.observed, "percent_fine", lang),
                Cell(percent(a.coverage.share).rstrip("%")),
            ),
        )
        for a in (*((rubric.agreement,) if rubric.agreement else ()), *rubric.slices)
    ]
    keys = ("slice", "kappa", "interval", "n", "observed_short", "coverage_short")
    return Table(say(lang, "slices_caption"), tuple(say(lang, key) for key in keys), tuple(rows))


def weak(rubric: RubricReport, lang: Language) -> Table:
    """Where judge and people part, worst first."""
    rows = []
    for x in rubric.weak:
        kappa = _kappa_cells(x.kappa, lang) if x.kappa else (Cell(DASH), Cell(DASH))
        few = few_text(x.n, lang)
        where = " → ".join(label_name(part, lang) for part in x.where.split(" -> ", maxsplit=1))
        rows.append(Row(where, (Cell(str(x.disagreements), few=few), Cell(str(x.n), few=few), *kappa)))
    keys = ("where", "disagreements", "labelled", "kappa", "interval")
    return Table(say(lang, "weak_caption"), tuple(say(lang, key) for key in keys), tuple(rows))


def examples(rubric: RubricReport, lang: Language) -> tuple[Example, ...]:
    """The first ten examples, long texts cut."""
    of = names(rubric.agreement, lang)
    return tuple(
        Example(
            unit=say(lang, "example_unit", unit=clean(x.unit, 80)),
            question=clean(x.question),
            claim=clean(x.claim),
            judge=say(lang, "example_judge", label=label_name(x.judge_label, lang)),
            human=say(lang, "example_human", label=label_name(x.human_label, lang), **of),
            rationale=clean(x.rationale, 500),
        )
        for x in rubric.examples[:EXAMPLES]
    )


def shares(rubric: RubricReport, lang: Language) -> Table:
    """The judge's own figures by system, with coverage and whether people looked."""
    rows = []
    for x in rubric.shares:
        value, limits, few = finite(x.raw.value), limits_of(x.raw), few_text(x.raw.n, lang, "few_judged")
        head = f"{share_name(x.name, lang)} · {clean(x.group, 80) or say(lang, 'all')}"
        cells = (
            Cell(DASH, below=reason(x.raw, lang)) if value is None else Cell(number(value, "percent_fine"), few=few),
            Cell(span(limits, "percent_fine", lang) if limits else DASH, few=few),
            Cell(str(x.raw.n)),
            Cell(percent(x.coverage.share).rstrip("%")),
            Cell(say(lang, "not_checked" if unchecked(x, rubric.agreement) else "yes")),
        )
        rows.append(Row(head, cells))
    keys = ("figure", "value_percent", "interval_percent", "n", "coverage_short", "checked")
    titles = tuple(say(lang, key) for key in keys)
    return Table(say(lang, "shares_caption"), titles, tuple(rows), frozenset({5}))


def counts(rubric: RubricReport, lang: Language) -> Table:
    """All units asked: verdicts by label, then those without one by reason."""
    asked = rubric.coverage.asked
    listed = [(label_name(label, lang), n) for label, n in rubric.counts.items()]
    listed += [(reason_name(code, lang), n) for code, n in rubric.coverage.unscored.items()]
    rows = [Row(name, (Cell(str(n)), Cell(percent(n / asked if asked else None).rstrip("%")))) for name, n in listed]
    head = (say(lang, "verdict"), say(lang, "units_n"), say(lang, "share_percent"))
    return Table(say(lang, "counts_caption"), head, tuple(rows))


def dropped(agreement: Agreement, lang: Language) -> Table:
    """Labelled units that the agreement leaves out, by reason."""
    rows = tuple(Row(reason_name(code, lang), (Cell(str(n)),)) for code, n in agreement.dropped.items())
    return Table(say(lang, "dropped"), (say(lang, "where"), say(lang, "units_n")), rows)


def _kappa_cells(kappa: Estimate, lang: Language) -> tuple[Cell, Cell]:
    value, limits, few = finite(kappa.value), limits_of(sparing(kappa)), few_text(kappa.n, lang)
    shown = Cell(DASH, below=reason(kappa, lang)) if value is None else Cell(number(value, "kappa"), few=few)
    return shown, Cell(span(limits, "kappa", lang) if limits else DASH, few=few)


def _estimate_cell(estimate: Estimate | None, kind: Kind, lang: Language) -> Cell:
    if estimate is None:
        return Cell(DASH)
    value, limits = finite(estimate.value), limits_of(estimate)
    if value is None:
        return Cell(DASH, below=reason(estimate, lang))
    below = f"({span(limits, kind, lang)})" if limits else reason(estimate, lang)
    return Cell(number(value, kind), below=below, few=few_text(estimate.n, lang))
