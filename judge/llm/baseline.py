"""The embedded baseline judge: no model, no key, no download; deterministic.

It compares words and numbers (``llm/overlap.py``), nothing more. It is there so that the whole journey can be tried
and so that a real judge has something to beat.
"""

import json
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from judge.domain.answers import Answer
from judge.domain.claims import Claim, UnitKind
from judge.domain.errors import FatalError
from judge.domain.judging import Prompt, Reply, Subject, Usage
from judge.domain.rubrics import Rubric
from judge.llm.overlap import Evidence, compare, index_passages, read_sentence, read_sentences
from judge.llm.overlap import words as words_of

SERVED_MODEL = "baseline-1"
"""Version of the rules; another rule needs another name."""
SUPPORTED_FROM = 0.5
"""Weighted recall from which a claim counts as supported; chosen by eye on English and Chinese answers."""
TOUCHED_FROM = 0.4
"""Weighted recall from which another number or a negation speaks against a claim, not beside it."""
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
    against: str


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
    name = "baseline"

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
            served_model=SERVED_MODEL,
            cost=0.0,
        )

    async def close(self) -> None:
        """Nothing is open."""


def choose_words(rubric: Rubric) -> Words:
    """The labels that stand for yes, no and against.

    Yes is the first passing label. Against is a failing label named or nicknamed contradicted (or alike); no is a
    failing one named not_enough_info, not_supported, irrelevant (or alike), else the last failing label of the scale.

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
    return Words(rubric.passing[0], no, against or no)


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
    order = [words.against, words.no, words.yes] if "passages" in subject.rubric.inputs else [words.yes, words.no]
    return min(opinions, key=lambda each: (order.index(each.label), -each.confidence))


def _opinion(text: str, claim: Claim | None, subject: Subject, words: Words) -> Opinion:
    if "passages" in subject.rubric.inputs:
        return _support(text, _texts(subject.answer, claim), subject, words)
    return _relevance(text, subject, words)


def _texts(answer: Answer, claim: Claim | None) -> tuple[str, ...]:
    """Passages that may serve as evidence for this claim."""
    allowed = claim.passages if claim else None
    passages = [each.passage for each in answer.passages if allowed is None or each.passage.key in allowed]
    return tuple(passage.text for passage in passages if passage.text and passage.text.strip())


def _support(text: str, passages: tuple[str, ...], subject: Subject, words: Words) -> Opinion:
    found = compare(read_sentence(text), index_passages(passages))
    share = f"{found.recall:.0%}"
    if found.recall >= TOUCHED_FROM and found.other_number:
        reason = _say(
            subject,
            f"The closest passage has another number where the claim says {found.other_number}.",
            f"最接近的资料在该处的数字不是 {found.other_number}。",
        )
        return Opinion(words.against, 0.5 + found.recall / 2, found.quote, reason)
    if found.recall >= TOUCHED_FROM and found.denied:
        reason = _say(subject, "One of claim and passage denies the other.", "陈述与资料一为肯定、一为否定。")
        return Opinion(words.against, 0.4 + found.recall / 2, found.quote, reason)
    if found.recall >= SUPPORTED_FROM and not found.missing_number:
        reason = _say(
            subject, f"{share} of the claim's words stand in one passage.", f"陈述用词的 {share} 见于同一处资料。"
        )
        return Opinion(words.yes, _above(found.recall), found.quote, reason)
    return Opinion(words.no, _below(found), "", _unsupported(found, share, subject))


def _unsupported(found: Evidence, share: str, subject: Subject) -> str:
    if found.missing_number and found.recall >= SUPPORTED_FROM:
        return _say(
            subject, f"No close passage has {found.missing_number}.", f"相近的资料中没有 {found.missing_number}。"
        )
    return _say(
        subject, f"Only {share} of the claim's words stand in one passage.", f"陈述用词只有 {share} 见于同一处资料。"
    )


def _above(recall: float) -> float:
    return 0.5 + 0.49 * (recall - SUPPORTED_FROM) / (1 - SUPPORTED_FROM)


def _below(found: Evidence) -> float:
    return 0.6 if found.recall >= SUPPORTED_FROM else 0.5 + 0.45 * (SUPPORTED_FROM - found.recall) / SUPPORTED_FROM


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
    if refers or len(mine) <= 2:
        return Opinion(words.yes, 0.55, "", _say(subject, "The claim leans on what was said before.", "陈述承接上文。"))
    return Opinion(words.no, 0.6, "", _say(subject, "Claim and question share no word.", "陈述与问题没有共同的词。"))


def _substance(text: str) -> set[str]:
    """Stems of words, and single Han characters that carry meaning."""
    terms = {term for sentence in read_sentences(text) for term in sentence.terms if not term.startswith("#")}
    return {part for term in terms for part in (term if "\u3400" <= term[0] <= "\ufaff" else [term])} - _COMMON


def _say(subject: Subject, english: str, chinese: str) -> str:
    return chinese if subject.language == "zh" else english
