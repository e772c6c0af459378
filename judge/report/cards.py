"""The at most four figures of a rubric, its coverage, and its one chart."""

from judge.domain.estimates import Estimate
from judge.domain.results import Agreement, Coverage, RubricReport, Share
from judge.domain.rubrics import Language
from judge.report.decisions import GOAL, ROLL_UP, caught, rejected_of_passed, spared
from judge.report.figures import Kind, Scale, figure, kappa_scale, limits_of, number, percent, sparing
from judge.report.parts import (
    Axis,
    Bar,
    Card,
    Chart,
    few_text,
    label_name,
    listed_reasons,
    names,
    reason_name,
    share_name,
    slice_name,
    unchecked,
)
from judge.report.words import TEXTS, known, say

CHART_ROWS = 12
"""Rows that a chart shows at most; the table behind it has all."""


def cards(rubric: RubricReport, lang: Language) -> tuple[Card, ...]:
    """Kappa, rejected of passed, caught of rejected and one share; without labels up to four shares."""
    shown = tuple(_share_card(share, rubric.agreement, lang) for share in _first_shares(rubric))
    if rubric.agreement is None:
        return shown
    return (*agreement_cards(rubric.agreement, rubric.passing, lang), *shown[:1])


def agreement_cards(agreement: Agreement, passing: tuple[str, ...], lang: Language) -> tuple[Card, ...]:
    """Kappa, and what goes wrong on either side; where no label is known to pass, observed agreement instead."""
    agreement = spared(agreement)
    kappa = _card("kappa", agreement.kappa, "kappa", kappa_scale((agreement.kappa,), GOAL), agreement, lang)
    sides = (("rejected", rejected_of_passed(agreement, passing)), ("caught", caught(agreement, passing)))
    found = [(key, estimate) for key, estimate in sides if estimate] or [("observed", agreement.observed)]
    return (kappa, *(_card(key, estimate, "percent", Scale(), agreement, lang) for key, estimate in found))


def card_estimates(rubric: RubricReport) -> tuple[Estimate, ...]:
    """The Estimates behind the cards."""
    agreement = rubric.agreement
    shown = [share.raw for share in _first_shares(rubric)]
    if agreement is None:
        return tuple(shown)
    two = (rejected_of_passed(agreement, rubric.passing), caught(agreement, rubric.passing))
    return (agreement.kappa, *(estimate for estimate in two if estimate), *shown[:1])


def coverage_line(coverage: Coverage, unit: str, lang: Language) -> str:
    """``233 of 240 claims asked have a verdict (97.1%). Without a verdict: refused 3, ...``."""
    if not coverage.asked:
        return say(lang, "coverage_none")
    judged = "claim" if unit == ROLL_UP else unit
    units = known(lang, "unit", judged) if f"unit_{judged}" in TEXTS else say(lang, "unit_other")
    text = say(
        lang,
        "coverage_text",
        judged=coverage.judged,
        asked=coverage.asked,
        share=percent(coverage.share),
        units=units,
    )
    listed = listed_reasons(coverage.unscored, lang)
    gap = " " if lang == "en" else ""
    return f"{text}{gap}{say(lang, 'without', reasons=listed)}" if listed else text


def chart(rubric: RubricReport, lang: Language) -> Chart | None:
    """Kappa by slice; else what people confirm of each verdict; without labels the verdicts as bars."""
    if rubric.agreement is None:
        return _bars(rubric, lang)
    agreement = spared(rubric.agreement)
    level = f"{100 * agreement.kappa.level:g}"
    known_slices = [one for one in map(spared, rubric.slices) if limits_of(one.kappa)]
    if known_slices:
        shown = (agreement, *known_slices[: CHART_ROWS - 1])
        scale = kappa_scale(tuple(a.kappa for a in shown), GOAL)
        rows = tuple(_plain_card(slice_name(a, lang), a.kappa, "kappa", scale, lang) for a in shown)
        left = len(rubric.slices) + 1 - len(shown)
        note = say(lang, "chart_rest", n=left) if left else ""
        return Chart(say(lang, "chart_slices", level=level), rows, _axis(scale, "kappa"), note=note)
    given = [(x.label, x.precision) for x in agreement.per_label if x.precision]
    if not given:
        return None
    rows = tuple(_plain_card(label_name(label, lang), e, "percent", Scale(), lang) for label, e in given[:CHART_ROWS])
    return Chart(say(lang, "chart_labels", level=level, **names(agreement, lang)), rows, _axis(Scale(), "percent"))


def _first_shares(rubric: RubricReport) -> list[Share]:
    """Up to four shares over everything, those that people checked first."""
    return sorted((share for share in rubric.shares if not share.group), key=lambda share: not share.checked)[:4]


def _card(key: str, estimate: Estimate, kind: Kind, scale: Scale, agreement: Agreement, lang: Language) -> Card:
    shown = figure(say(lang, key), sparing(estimate), kind, scale, lang)
    hint = say(lang, f"{key}_hint", **names(agreement, lang))
    return Card(shown, hint, few_text(estimate.n, lang), unchecked=False, axis=_axis(scale, kind))


def _share_card(share: Share, agreement: Agreement | None, lang: Language) -> Card:
    key = f"share_{share.name}_hint"
    shown = figure(share_name(share.name, lang), share.raw, "percent", Scale(), lang)
    hint = say(lang, key if key in TEXTS else "share_hint")
    return Card(
        shown,
        hint,
        few_text(share.raw.n, lang, "few_judged"),
        unchecked=unchecked(share, agreement),
        axis=_axis(Scale(), "percent"),
    )


def _plain_card(title: str, estimate: Estimate, kind: Kind, scale: Scale, lang: Language) -> Card:
    return Card(figure(title, sparing(estimate), kind, scale, lang), "", few_text(estimate.n, lang), unchecked=False)


def _axis(scale: Scale, kind: Kind) -> Axis:
    low, high = (f"{scale.low:g}", f"{scale.high:g}") if kind == "kappa" else ("0%", "100%")
    goal = "" if scale.goal is None else number(scale.goal, kind)
    return Axis(low.replace("-", "−"), high, goal, f"{scale.place(scale.goal or 0):.2f}")


def _bars(rubric: RubricReport, lang: Language) -> Chart | None:
    asked = rubric.coverage.asked
    if not asked:
        return None
    listed = [(label_name(label, lang), n, False) for label, n in rubric.counts.items()]
    listed += [(reason_name(code, lang), n, True) for code, n in rubric.coverage.unscored.items()]
    bars = tuple(
        Bar(t, n, percent(n / asked).rstrip("%"), f"{100 * n / asked:.2f}", gone) for t, n, gone in listed[:CHART_ROWS]
    )
    return Chart(say(lang, "chart_counts"), bars=bars)
