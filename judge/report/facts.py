"""What a report names: run, rubric, judge, corpus and sample identities, method, cost."""

from collections.abc import Sequence

from judge.domain.results import Agreement, Report, RubricReport
from judge.domain.rubrics import Language
from judge.report.decisions import COVERAGE_GOAL, GOAL, spared
from judge.report.figures import DASH, clean, finite, limits_of, number, percent, reason, span
from judge.report.parts import Facts, dataset_name, label_name, slice_name
from judge.report.words import known, say


def rubric_facts(rubric: RubricReport, lang: Language) -> Facts:
    """Identities and method of one rubric."""
    facts = [
        ("rubric", f"{rubric.rubric} v{rubric.version} · {rubric.rubric_id}"),
        ("passing", ", ".join(label_name(x, lang) for x in rubric.passing) or say(lang, "none")),
        ("judge", f"{rubric.judge} · {rubric.judge_id}"),
        ("served", ", ".join(rubric.served) or say(lang, "unknown")),
    ]
    if rubric.agreement:
        facts += _agreement_facts(rubric.agreement, lang)
    facts.append(("goal_line", say(lang, "goal_text", goal=number(GOAL, "kappa"), needed=f"{COVERAGE_GOAL:.0%}")))
    return _facts(facts, lang)


def agreement_facts(agreement: Agreement, lang: Language) -> Facts:
    """Where an agreement's labels come from and how kappa was estimated."""
    return _facts(_agreement_facts(agreement, lang), lang)


def other_facts(rubric: RubricReport, lang: Language) -> Facts:
    """The same judge against labels of another unit or scale, a line each."""
    return tuple((_other_name(one, lang), _other_text(spared(one), lang)) for one in rubric.others)


def run_facts(report: Report, lang: Language) -> Facts:
    """Identities of the run."""
    claims = say(
        lang,
        "claims_text",
        claims=report.claims,
        not_checkable=report.not_checkable,
        no_claims=report.no_claims,
    )
    facts = [
        ("run", f"{report.run} · {report.run_id}"),
        ("dataset", f"{dataset_name(report.dataset, lang)} · {report.dataset_id}"),
        ("corpus", report.corpus_version or say(lang, "unknown")),
        ("system_names", ", ".join(report.systems) or say(lang, "unknown")),
        ("claim_set", report.claim_set or say(lang, "none")),
        ("claims_line", claims),
        ("split_coverage", percent(report.split_coverage)),
        ("sample", report.sample or say(lang, "none")),
    ]
    return _facts(facts, lang)


def cost_facts(report: Report, lang: Language) -> Facts:
    """Requests, tokens and money; what is unknown says so."""
    money = say(lang, "unknown") if report.cost is None else f"{report.cost:.4f} {report.currency or ''}".strip()
    tokens = say(lang, "unknown") if report.tokens is None else f"{report.tokens}"
    return _facts([("calls", f"{report.calls}"), ("tokens", tokens), ("money", money)], lang)


def _agreement_facts(agreement: Agreement, lang: Language) -> list[tuple[str, str]]:
    kappa = agreement.kappa
    facts = [
        ("judge_rubric", agreement.judge_rubric if agreement.judge_rubric != agreement.rubric else ""),
        ("compared", say(lang, f"compared_{agreement.compared}")),
        ("queue", agreement.queue),
        ("design", agreement.design),
        ("annotators", ", ".join(agreement.annotators)),
        ("human", say(lang, f"human_{agreement.human}")),
        ("kappa_method", kappa.method),
        ("population", kappa.population),
        ("clusters", "" if kappa.clusters is None else str(kappa.clusters)),
    ]
    return [(key, value) for key, value in facts if value]


def _other_name(agreement: Agreement, lang: Language) -> str:
    parts = [agreement.rubric, known(lang, "kind", agreement.unit)]
    parts += [say(lang, "compared_passing")] if agreement.compared == "passing" else []
    parts += [slice_name(agreement, lang)] if agreement.where else []
    return clean(" · ".join(parts), 200)


def _other_text(agreement: Agreement, lang: Language) -> str:
    kappa, share = agreement.kappa, percent(agreement.coverage.share)
    value, limits = finite(kappa.value), limits_of(kappa)
    shown = DASH if value is None else number(value, "kappa")
    if value is None or limits is None:
        why = reason(kappa, lang)
        return say(lang, "others_missing", n=kappa.n, kappa=shown, reason=why, coverage=share)
    return say(lang, "others_text", n=kappa.n, kappa=shown, range=span(limits, "kappa", lang), coverage=share)


def _facts(facts: Sequence[tuple[str, str]], lang: Language) -> Facts:
    return tuple((say(lang, key), clean(value, 400)) for key, value in facts)
