"""A report as the demo could make it, with English and Chinese contents."""

from judge.domain.estimates import Caution, Estimate
from judge.domain.results import (
    Agreement,
    Coverage,
    Example,
    LabelAgreement,
    Report,
    RubricReport,
    Share,
    Weakness,
)

LABELS = ("supported", "contradicted", "not_enough_info")
TABLE = ((118, 3, 7), (2, 21, 4), (9, 3, 33))
WEIGHTED = ((0.643, 0.011, 0.032), (0.009, 0.079, 0.016), (0.041, 0.013, 0.156))
COVERAGE = Coverage(asked=240, judged=233, unscored={"unparseable": 4, "refused": 3})
AUTHOR = Caution(
    code="labels_by_construction",
    text="The labels were made by construction, not by people: they show that the pipeline works, "
    "not how far the judge can be trusted on your data.",
)


def estimate(
    value: float | None, low: float | None = None, high: float | None = None, n: int = 200, **more
) -> Estimate:
    given = {
        "n_effective": n * 0.85,
        "method": "share, weighted clustered; Wilson at n/d",
        "population": "claims",
        **more,
    }
    return Estimate(value=value, low=low, high=high, n=n, **given)


def agreement(low: float = 0.65, high: float = 0.79, value: float | None = 0.72, n: int = 200, **more) -> Agreement:
    kappa_more = {k: more.pop(k) for k in ("status", "warnings") if k in more}
    fields = {
        "rubric": "support",
        "judge_rubric": "support",
        "judge": "qwen-plus",
        "judge_id": "5d41402abc4b2a76b9719d911017c592",
        "unit": "claim",
        "labels": LABELS,
        "table": TABLE,
        "weighted_table": WEIGHTED,
        "kappa": estimate(value, low, high, n, clusters=61, method="Cohen's kappa, weighted clustered", **kappa_more),
        "observed": estimate(0.878, 0.824, 0.917, n),
        "per_label": (
            per_label("supported", 128, 129, 0.921, (0.937, 0.881, 0.968), (0.928, 0.872, 0.961)),
            per_label("contradicted", 27, 27, 0.786, (0.76, 0.57, 0.89), (0.767, 0.58, 0.89)),
            per_label("not_enough_info", 45, 44, 0.753, (0.743, 0.60, 0.85), (0.765, 0.62, 0.87)),
        ),
        "caught": estimate(0.865, 0.76, 0.93, 71),
        "coverage": COVERAGE,
        "dropped": {"cant_tell": 3, "skip": 1},
        "queue": "support-pilot",
        "design": "verdict, seed 7",
        "annotators": ("li", "王芳"),
    }
    return Agreement(**{**fields, **more})


def per_label(label, judge_n, human_n, both, precision, recall) -> LabelAgreement:
    return LabelAgreement(
        label=label,
        judge_n=judge_n,
        human_n=human_n,
        agreement=both,
        precision=estimate(*precision, n=judge_n),
        recall=estimate(*recall, n=human_n),
    )


def rubric(found: Agreement | None, **more) -> RubricReport:
    fields = {
        "rubric": "support",
        "version": 1,
        "rubric_id": "9b74c9897bac770ffc029102a200c5de",
        "question": {
            "en": "Do the passages, on their own, support the claim?",
            "zh": "仅凭所给资料，能否支持这条陈述？",
        },
        "passing": ("supported",),
        "judge": "qwen-plus",
        "judge_id": "5d41402abc4b2a76b9719d911017c592",
        "served": ("qwen-plus-2025-07-28",),
        "counts": {"supported": 160, "contradicted": 25, "not_enough_info": 48},
        "coverage": COVERAGE,
        "shares": (
            Share(name="groundedness", raw=estimate(0.712, 0.65, 0.77, 40), coverage=COVERAGE),
            Share(name="passing", raw=estimate(0.687, 0.63, 0.74, 233), coverage=COVERAGE),
            Share(name="groundedness", group="rag-a", raw=estimate(0.79, 0.69, 0.87, 20), coverage=COVERAGE),
            Share(name="groundedness", group="rag-b", raw=estimate(0.634, 0.52, 0.74, 20), coverage=COVERAGE),
        ),
        "agreement": found,
    }
    return RubricReport(**{**fields, **more})


def support() -> RubricReport:
    return rubric(
        agreement(),
        slices=(
            agreement(0.66, 0.85, 0.77, 104, where={"lang": "lang=en"}),
            agreement(0.53, 0.76, 0.66, 96, where={"lang": "lang=zh"}),
            agreement(-0.12, 0.61, 0.31, 22, where={"type": "医疗说明书"}),
            agreement(0, 0, None, 12, where={"type": "type!=travel"}, status="undefined_single_class").model_copy(
                update={"kappa": estimate(None, n=12, status="undefined_single_class")}
            ),
        ),
        weak=(
            Weakness(where="type=医疗说明书", kappa=estimate(0.31, -0.12, 0.61, 22), disagreements=8, n=22),
            Weakness(where="lang=zh", kappa=estimate(0.66, 0.53, 0.76, 96), disagreements=17, n=96),
            Weakness(where="not_enough_info -> supported", disagreements=9, n=45),
        ),
        examples=(
            Example(
                unit="rag-b/q17/c2",
                question="Can I return an opened router after 20 days?",
                claim="A 15% restocking fee applies to opened routers.",
                judge_label="not_enough_info",
                human_label="supported",
                rationale="The passages name a restocking fee for opened devices but do not mention routers.",
            ),
            Example(
                unit="rag-a/q31/c1",
                question="布洛芬和阿司匹林可以一起吃吗？",
                claim="两种药可以同时服用，没有相互作用。",
                judge_label="supported",
                human_label="contradicted",
                rationale="资料提到两种药都用于止痛。",
            ),
        ),
    )


def relevance() -> RubricReport:
    return rubric(
        None,
        rubric="relevance",
        question={"en": "Does the claim help to answer the question?", "zh": "这条陈述是否有助于回答问题？"},
        passing=("relevant",),
        counts={"relevant": 214, "irrelevant": 19},
        shares=(Share(name="passing", raw=estimate(0.918, 0.87, 0.95, 233), coverage=COVERAGE),),
    )


def report(*rubrics: RubricReport, **more) -> Report:
    fields = {
        "run": "support-desk · qwen-plus",
        "run_id": 3,
        "state": "partial",
        "dataset": "客服问答 v2",
        "dataset_id": "e99a18c428cb38d5f260853678922e03",
        "corpus_version": "2025-09",
        "claim_set": "rules-1",
        "sample": "support-pilot, verdict, seed 7",
        "answers": 40,
        "systems": ("rag-a", "rag-b"),
        "claims": 240,
        "not_checkable": 31,
        "no_claims": 2,
        "split_coverage": 0.9987,
        "rubrics": rubrics or (support(), relevance()),
        "calls": 251,
        "tokens": 312_480,
        "cost": None,
        "warnings": (
            Caution(
                code="self_preference",
                text="qwen-plus judges answers of its own model family (qwen): it may prefer them.",
                values={"judge": "qwen-plus", "family": "qwen"},
            ),
        ),
        "made_with": "judge 0.1.0",
    }
    return Report(**{**fields, **more})
