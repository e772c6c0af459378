"""May this judge be trusted? The one sentence that a report begins with."""

import math
from dataclasses import dataclass
from typing import Literal

from judge.domain.estimates import Estimate
from judge.domain.results import Agreement, RubricReport
from judge.domain.rubrics import Language
from judge.report.figures import LEAST, finite, limits_of, number, percent, reason, span, sparing
from judge.report.words import TEXTS, say

State = Literal["trusted", "not_trusted", "inconclusive", "unchecked"]

GOAL = 0.6
"""Kappa that a judge must reach. From here on its verdicts spare about a third of the labels that people alone would
need for the same interval (statistics 5: saved = kappa^2 = .36); the literature calls it substantial agreement."""
COVERAGE_GOAL = 0.95
"""Least share judged. With at most 5% without a verdict, even the worst case moves a rate by 5 points at most."""
PLAIN_FROM = 100
"""Labels from which perfect agreement counts as trusted, though it leaves no standard error (statistics 14.6)."""
NEAR = 0.03
"""A kappa nearer to the goal than this is not worth chasing with labels."""

ROLL_UP = "answer by roll-up"
"""Unit of an Agreement whose labels are of answers and whose coverage is of their claims."""

Why = Literal["trusted", "not_trusted", "open", "few", "coverage", "construction", "undefined", "no_interval"]
_STATES: dict[Why, State] = {"trusted": "trusted", "not_trusted": "not_trusted"}


@dataclass(frozen=True)
class Decision:
    """The state, and why."""

    state: State
    """trusted, not_trusted, inconclusive, or unchecked (no labels)."""
    headline: str
    """The state in a word, and what it means among 100 units."""
    why: str
    """The rule that led there, with kappa and, where it makes sense, how many more labels would settle it."""
    more_labels: int | None = None
    """About how many more labels would settle it; None when not known or no sensible way."""

    @property
    def sentence(self) -> str:
        """Headline and reason together."""
        return f"{self.headline} {self.why}"


def decision(rubric: RubricReport, lang: Language, goal: float = GOAL) -> Decision:
    """Decide on the limits of kappa, never on its point.

    * unchecked: no labels.
    * trusted: lower limit >= ``goal``, coverage >= 95%, and the labels are people's (labels by construction show that
      the pipeline works; they can refute a judge, not vouch for it).
    * not trusted: upper limit < ``goal``.
    * inconclusive: everything else, also when kappa or its interval is missing.
    """
    agreement = spared(rubric.agreement) if rubric.agreement else None
    if agreement is None or agreement.kappa.n == 0:
        word = say(lang, "decision", word=say(lang, "unchecked"), plain="").strip()
        return Decision("unchecked", word, say(lang, "why_unchecked"))
    code = _why(agreement, rubric.coverage.share, goal)
    state = _STATES.get(code, "inconclusive")
    more = _more(code, agreement, goal)
    plain = _plain(agreement, rubric.passing, lang)
    headline = say(lang, "decision", word=say(lang, state), plain=plain).strip()
    reasons = (_reason(code, rubric, agreement, lang, goal), _hint(code, more, agreement, lang))
    return Decision(state, headline, (" " if lang == "en" else "").join(filter(None, reasons)), more)


def spared(agreement: Agreement) -> Agreement:
    """The Agreement, its kappa without an interval where fewer than 5 labels are behind it."""
    return agreement.model_copy(update={"kappa": sparing(agreement.kappa)})


def by_construction(agreement: Agreement) -> bool:
    """Whether the labels come from whoever made the data, not from people who read it."""
    return any(c.code == "labels_by_construction" for c in (*agreement.notes, *agreement.kappa.warnings))


def who(agreement: Agreement | None, lang: Language) -> str:
    """``people``, or ``the reference labels`` where no person looked."""
    return say(lang, "references" if agreement and by_construction(agreement) else "people")


def more_labels(kappa: Estimate, goal: float) -> int | None:
    """About how many more labels would bring the limit to the goal, the point staying where it is.

    The half-width shrinks with the root of n, so n grows by (half-width now / half-width needed)^2; the half-width is
    taken on the goal's side. Rounded up to two digits. None when kappa has no interval or lies within 0.03 of the goal.
    """
    value, limits = finite(kappa.value), limits_of(kappa)
    if value is None or limits is None or abs(value - goal) < NEAR:
        return None
    half = value - limits[0] if value > goal else limits[1] - value
    more = kappa.n * (float((half / (value - goal)) ** 2) - 1)
    if more <= 0:
        return None
    step = int(10 ** max(1, math.floor(math.log10(more)) - 1))
    return math.ceil(round(more / step, 6)) * step


def rejected_of_passed(agreement: Agreement, passing: tuple[str, ...]) -> Estimate | None:
    """Of what the judge passes, the share that people reject; None when it can't be told which labels pass.

    As estimated; else 1 - precision of the only passing label; else the point of the weighted table.
    """
    if agreement.rejected_of_passed:
        return agreement.rejected_of_passed
    passes = _passes(agreement, passing)
    if len(passes) == 1:
        found = next((x.precision for x in agreement.per_label if x.label == agreement.labels[passes[0]]), None)
        return _complement(found) if found else _point(agreement, passes, rejected=True)
    return _point(agreement, passes, rejected=True) if passes else None


def caught(agreement: Agreement, passing: tuple[str, ...]) -> Estimate | None:
    """Of what people reject, the share that the judge rejects too; None when it can't be told which labels pass.

    As estimated; else the recall of the only failing label; else the point of the weighted table.
    """
    if agreement.caught:
        return agreement.caught
    passes = _passes(agreement, passing)
    fails = [name for i, name in enumerate(agreement.labels) if i not in passes]
    if not passes or not fails:
        return None
    found = next((x.recall for x in agreement.per_label if [x.label] == fails), None)
    return found or _point(agreement, passes, rejected=False)


def _why(agreement: Agreement, share: float | None, goal: float) -> Why:
    kappa, limits = agreement.kappa, limits_of(agreement.kappa)
    if limits is None or finite(kappa.value) is None:
        return "undefined" if finite(kappa.value) is None else "no_interval"
    if limits[0] < goal:
        return "not_trusted" if limits[1] < goal else "open"
    if kappa.status == "degenerate_se" and kappa.n < PLAIN_FROM:
        return "few"
    if by_construction(agreement):
        return "construction"
    return "trusted" if share is not None and share >= COVERAGE_GOAL else "coverage"


def _reason(code: Why, rubric: RubricReport, agreement: Agreement, lang: Language, goal: float) -> str:
    kappa, limits = agreement.kappa, limits_of(agreement.kappa)
    value = finite(kappa.value)
    return say(
        lang,
        f"why_{code}",
        who=who(agreement, lang),
        kappa="" if value is None else number(value, "kappa"),
        range=span(limits, "kappa", lang) if limits else "",
        goal=number(goal, "kappa"),
        share=percent(rubric.coverage.share),
        needed=f"{COVERAGE_GOAL:.0%}",
        reason=reason(kappa, lang),
    )


def _more(code: Why, agreement: Agreement, goal: float) -> int | None:
    if by_construction(agreement):
        return None
    if code == "few":
        return PLAIN_FROM - agreement.kappa.n
    return more_labels(agreement.kappa, goal) if code == "open" else None


def _hint(code: Why, more: int | None, agreement: Agreement, lang: Language) -> str:
    if code in ("open", "few") and by_construction(agreement):
        return say(lang, "more_people")
    if more is None:
        return say(lang, "near") if code == "open" else ""
    known_left = agreement.coverage.judged - agreement.kappa.n if agreement.unit != ROLL_UP else more
    return say(lang, "more", n=more) if more <= known_left else say(lang, "more_than_left")


def _plain(agreement: Agreement, passing: tuple[str, ...], lang: Language) -> str:
    kind = "answer" if agreement.unit.startswith("answer") else agreement.unit
    counter = say(lang, f"counter_{kind}" if f"counter_{kind}" in TEXTS else "counter_other")
    units = say(lang, f"unit_{kind}" if f"unit_{kind}" in TEXTS else "unit_other")
    bad = _of_hundred(rejected_of_passed(agreement, passing), counter, lang)
    seen = _of_hundred(caught(agreement, passing), counter, lang)
    if not bad and not seen:
        return ""
    key = "plain_both" if bad and seen else "plain_rejected" if bad else "plain_caught"
    return say(lang, key, units=units, who=who(agreement, lang), rejected=bad, caught=seen)


def _of_hundred(estimate: Estimate | None, counter: str, lang: Language) -> str:
    value = finite(estimate.value) if estimate else None
    if estimate is None or value is None:
        return ""
    text, limits = number(value, "percent"), limits_of(estimate)
    if estimate.n < LEAST:
        return say(lang, "count_few", value=text, counter=counter, few=say(lang, "too_few", n=estimate.n))
    if limits is None:
        return say(lang, "count", value=text, counter=counter)
    return say(lang, "count_range", value=text, counter=counter, range=span(limits, "percent", lang))


def _passes(agreement: Agreement, passing: tuple[str, ...]) -> list[int]:
    """Places of the passing labels in the table; two scales met on pass / fail have a label of that name."""
    names = passing if agreement.compared == "scale" else ("pass",)
    return [i for i, label in enumerate(agreement.labels) if label in names]


def _complement(estimate: Estimate) -> Estimate:
    flipped = {
        "value": None if estimate.value is None else 1 - estimate.value,
        "low": None if estimate.high is None else 1 - estimate.high,
        "high": None if estimate.low is None else 1 - estimate.low,
    }
    return estimate.model_copy(update=flipped)


def _point(agreement: Agreement, passes: list[int], *, rejected: bool) -> Estimate:
    """The share off the weighted table, without an interval: judge passes and people don't, or neither passes."""
    size = range(len(agreement.labels))
    fails = [i for i in size if i not in passes]
    rows, columns = (passes, fails) if rejected else (fails, fails)
    among_rows, among_columns = (passes, list(size)) if rejected else (list(size), fails)
    table, counts = agreement.weighted_table, agreement.table
    whole = sum(table[i][j] for i in among_rows for j in among_columns)
    part = sum(table[i][j] for i in rows for j in columns)
    return Estimate(
        value=part / whole if whole > 0 else None,
        n=sum(counts[i][j] for i in among_rows for j in among_columns),
        method="share of the weighted table",
        status="no_interval" if whole > 0 else "empty",
    )
