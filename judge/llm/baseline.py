"""The embedded baseline judge: no model, no key, no download; deterministic.

It measures how a claim's words and numbers stand in the passages (``llm/features.py``) and weighs that by a small
logistic model whose coefficients are plain numbers in ``coefficients.json``. It is there so that the whole journey can
be tried and so that a real judge has something to beat. It never says contradicted: no rule for it was right often
enough on unseen labels (``docs/baseline.md``).
"""

import json
import math
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from judge.domain.answers import Answer
from judge.domain.claims import Claim, UnitKind
from judge.domain.errors import FatalError
from judge.domain.judging import Prompt, Reply, Subject, Usage
from judge.domain.rubrics import Rubric
from judge.llm.features import FEATURES, Evidence, is_chinese, measure
from judge.llm.numbers import words as words_of
from judge.llm.overlap import read_sentences

VERSION = "baseline-2"
"""Version of rules and coefficients, part of the Judge's and each Call's identity; others need another name."""
NOTHING_SHARED = 0.95
"""Confidence that a claim is not supported where no passage holds any of its words."""
ANYWHERE = 0.5
"""Position of a claim whose place in the answer is not known."""
_AGAINST = ("contradicted", "contradiction", "contradictory", "refuted", "矛盾")
_NO = ("not_enough_info", "not enough info", "not_supported", "not supported", "unsupported", "irrelevant", "no", "否")
_REFERS = frozenset(
    words_of("it its they their this that these those he she yes no you your 它 其 该 这 那 是 不 可 能 您 你")
)
_COMMON = frozenset(
    "的了是在和与及或也都就而并且被把将对于为其这那之以所等可能能要需应该由从向到至不没无未非个有人一吗呢什么怎样如何多少几哪请问我你您"
)


class Words(NamedTuple):
    """Which labels of a rubric the baseline says."""

    yes: str
    no: str


class Opinion(NamedTuple):
    """What the baseline says of one statement."""

    label: str
    confidence: float
    quote: str
    rationale: str


class Baseline:
    """A Model that reads ``prompt.subject`` instead of the messages."""

    provider = "baseline"
    base_url = ""
    name = VERSION

    async def ask(self, prompt: Prompt) -> Reply:
        """Judge the subject's claims, or its whole answer when it names none.

        Returns:
            A Reply whose text is JSON: one object with rationale, quote, label and confidence for one claim or a
            whole answer; ``{"verdicts": [...]}`` with ``claim_id`` in each for several. It costs nothing.

        Raises:
            FatalError: the prompt has no subject, or the rubric asks what overlap can't answer.
        """
        if prompt.subject is None:
            raise FatalError("the baseline judge got a prompt without its subject", kind="no_subject")
        text = json.dumps(judge_subject(prompt.subject), ensure_ascii=False)
        return Reply(
            text=text,
            raw=text.encode("utf-8", "surrogatepass"),
            finish_reason="stop",
            usage=Usage(input=0, output=0),
            served_model=VERSION,
            cost=0.0,
        )

    async def close(self) -> None:
        """Nothing is open."""


def choose_words(rubric: Rubric) -> Words:
    """The labels that stand for yes and no.

    Yes is the first passing label. No is a failing one named or nicknamed not_enough_info, not_supported, irrelevant
    (or alike), else the last failing label of the scale, contradicted (or alike) only where there is no other.

    Raises:
        FatalError: the rubric has no passing label, is a graded scale, or asks of passages or other things.
    """
    failing = [name for name in rubric.labels if name not in rubric.passing]
    graded = len(rubric.scale) > 4 or all(name.lstrip("-").isdigit() for name in rubric.labels)
    asked = rubric.unit is not UnitKind.PASSAGE and ("passages" in rubric.inputs or "question" in rubric.inputs)
    if not rubric.passing or not failing or graded or not asked:
        raise FatalError(
            f"rubric {rubric.name}: the baseline judge only answers yes / no questions with passing labels, about "
            "claims or answers and their passages or question; use a model for this rubric",
            kind="unsupported_rubric",
        )
    against = _named(rubric, _AGAINST, failing)
    others = [name for name in failing if name != against] or failing
    no = _named(rubric, _NO, others) or others[-1]
    return Words(rubric.passing[0], no)


def _named(rubric: Rubric, words: Sequence[str], among: Sequence[str]) -> str | None:
    return next((label for word in words if (label := rubric.read_label(word)) in among), None)


def judge_subject(subject: Subject) -> dict[str, object]:
    """The reply's content; see `Baseline.ask`."""
    words = choose_words(subject.rubric)
    if not subject.claims:
        return _fields(_whole_answer(subject, words))
    opinions = [(claim.key, _opinion(claim.text, claim, subject, words)) for claim in subject.claims]
    if len(opinions) == 1:
        return _fields(opinions[0][1])
    return {"verdicts": [{"claim_id": key, **_fields(opinion)} for key, opinion in opinions]}


def _fields(opinion: Opinion) -> dict[str, object]:
    return {
        "rationale": opinion.rationale,
        "quote": opinion.quote,
        "label": opinion.label,
        "confidence": round(opinion.confidence, 3),
    }


def _whole_answer(subject: Subject, words: Words) -> Opinion:
    """The answer's worst sentence decides on support, its best one on relevance."""
    sentences = [each.text for each in read_sentences(subject.answer.text or "")]
    opinions = [_opinion(text, None, subject, words) for text in sentences]
    if not opinions:
        return Opinion(words.no, 0.5, "", _say(subject, "The answer is empty.", "回答为空。"))
    order = [words.no, words.yes] if "passages" in subject.rubric.inputs else [words.yes, words.no]
    return min(opinions, key=lambda each: (order.index(each.label), -each.confidence))


def _opinion(text: str, claim: Claim | None, subject: Subject, words: Words) -> Opinion:
    if "passages" not in subject.rubric.inputs:
        return _relevance(text, subject, words)
    passages = _texts(subject.answer, claim)
    evidence = measure(text, passages, subject.answer.query.text, _position(text, claim, subject.answer))
    return _support(evidence, probability(text, evidence), subject, words)


def _texts(answer: Answer, claim: Claim | None) -> tuple[str, ...]:
    """Passages that may serve as evidence for this claim."""
    allowed = claim.passages if claim else None
    passages = [each.passage for each in answer.passages if allowed is None or each.passage.key in allowed]
    return tuple(passage.text for passage in passages if passage.text and passage.text.strip())


def _position(text: str, claim: Claim | None, answer: Answer) -> float:
    whole = answer.text or ""
    start = claim.spans[0][0] if claim and claim.spans else whole.find(text)
    return min(start / len(whole), 1.0) if whole and start >= 0 else ANYWHERE


class Coefficients(NamedTuple):
    """A logistic model: log odds = intercept + sum of weights times features."""

    intercept: float
    weights: tuple[float, ...]
    """In the order of `FEATURES`."""


@cache
def coefficients() -> Mapping[str, Coefficients]:
    """The frozen model of each language."""
    data = json.loads(files("judge.llm").joinpath("coefficients.json").read_text("utf-8"))
    return {
        language: Coefficients(model["intercept"], tuple(model["weights"][name] for name in FEATURES))
        for language, model in data["models"].items()
    }


def probability(text: str, evidence: Evidence) -> float:
    """How likely the claim is supported, 0 to 1, as if 70 of 100 claims were; its language chooses the model."""
    if not evidence.match.window:
        return 1 - NOTHING_SHARED
    model = coefficients()["zh" if is_chinese(text) else "en"]
    odds = model.intercept + sum(w * x for w, x in zip(model.weights, evidence.values, strict=True))
    return 1 / (1 + math.exp(-odds))


def _support(evidence: Evidence, supported: float, subject: Subject, words: Words) -> Opinion:
    share = f"{evidence.values[0]:.0%}"
    if supported >= 0.5:
        reason = _say(
            subject, f"{share} of the claim's words stand in one passage.", f"陈述用词的 {share} 见于同一处资料。"
        )
        return Opinion(words.yes, supported, evidence.match.quote, reason)
    return Opinion(words.no, 1 - supported, "", _unsupported(evidence, share, subject))


def _unsupported(evidence: Evidence, share: str, subject: Subject) -> str:
    if evidence.other_number:
        return _say(
            subject,
            f"The closest passage has another number where the claim says {evidence.other_number}.",
            f"最接近的资料在该处的数字不是 {evidence.other_number}。",
        )
    if evidence.missing_number and evidence.match.window:
        return _say(
            subject,
            f"The closest passage does not have {evidence.missing_number}.",
            f"最接近的资料中没有 {evidence.missing_number}。",
        )
    return _say(
        subject, f"Only {share} of the claim's words stand in one passage.", f"陈述用词只有 {share} 见于同一处资料。"
    )


def _relevance(text: str, subject: Subject, words: Words) -> Opinion:
    """Generous: one shared word of substance, a pronoun near the start, or hardly any word of its own is enough."""
    query = subject.answer.query
    turns = [turn.text for turn in query.history] if "history" in subject.rubric.inputs else []
    asked = _substance("\n".join([*turns, query.text]))
    mine = _substance(text)
    shared = sorted(asked & mine)
    folded = unicodedata.normalize("NFKC", text).casefold().lstrip("\"'“‘「*- ")
    refers = folded[:1] in _REFERS or any(word.strip(",.!") in _REFERS for word in folded.split(" ", 6)[:6])
    if shared:
        named = ", ".join(shared[:3])
        reason = _say(subject, f"Claim and question share: {named}.", f"陈述与问题都提到：{named}。")
        return Opinion(words.yes, min(0.95, 0.6 + 0.1 * len(shared)), "", reason)
    if refers or len(mine) <= 1:
        return Opinion(words.yes, 0.55, "", _say(subject, "The claim leans on what was said before.", "陈述承接上文。"))
    return Opinion(words.no, 0.6, "", _say(subject, "Claim and question share no word.", "陈述与问题没有共同的词。"))


def _substance(text: str) -> set[str]:
    """Stems of words, and single Han characters that carry meaning."""
    terms = {term for sentence in read_sentences(text) for term in sentence.terms if not term.startswith("#")}
    return {part for term in terms for part in (term if "\u3400" <= term[0] <= "\ufaff" else [term])} - _COMMON


def _say(subject: Subject, english: str, chinese: str) -> str:
    return chinese if subject.language == "zh" else english
