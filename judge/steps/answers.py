"""Answers from the records of a file, with the claims, verdicts and labels that come along."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from judge.domain.answers import Answer, Citation, Passage, Query, Retrieved, Turn
from judge.domain.base import Span, content_hash
from judge.domain.claims import Claim, NotCheckable, Split, UnitKind
from judge.domain.errors import InputError
from judge.domain.judging import Unscored
from judge.domain.rubrics import fold_label
from judge.steps.claims import cover
from judge.steps.records import kind_of
from judge.steps.rows import AnswerRow, ClaimRow, LabelRow, PassageRow, VerdictRow, read_row

_THINKING = re.compile(r"\s*(?:<think>.*?(?:</think>\s*|\Z))+", re.DOTALL | re.IGNORECASE)
_BETWEEN = ' \t.。,，;；!！?？)）"”』」'
"""What may stand between a claim and the citation marker that belongs to it."""


class Address(NamedTuple):
    """Which unit of an answer a verdict or label is of."""

    kind: UnitKind
    claim: str | None = None
    passage: str | None = None

    def key(self, answer: Answer) -> str:
        """The unit's key: answer, ``answer#claim``, ``answer#claim@passage`` or ``query@passage``."""
        if self.kind is UnitKind.PASSAGE:
            return f"{answer.query.key}@{self.passage}"
        claim = f"#{self.claim}" if self.claim is not None else ""
        return f"{answer.key}{claim}" + (f"@{self.passage}" if self.passage is not None else "")


class GivenVerdict(NamedTuple):
    """A judgement made elsewhere."""

    of: Address
    rubric: str
    judge: str
    label: str | None
    unscored: Unscored | None
    confidence: float | None
    score: float | None
    raw: str | None


class GivenLabel(NamedTuple):
    """A person's label given elsewhere."""

    of: Address
    rubric: str
    annotator: str
    label: str
    probability: float | None
    seconds: float | None
    comment: str | None


class Record(NamedTuple):
    """One record as nouns."""

    answer: Answer
    split: Split | None
    """Claims of the file; None when the record has no ``claims``."""
    verdicts: tuple[GivenVerdict, ...]
    labels: tuple[GivenLabel, ...]
    corpus_version: str | None
    top_k: int | None
    named: bool
    """Whether the file gave ``answer_id``; else it is made from the content."""
    reasoning: bool
    """Whether a reasoning trace was moved to the metadata."""


class _Known(NamedTuple):
    """The ids that a record may refer to."""

    passages: set[str]
    claims: set[str]
    unchecked: set[str]
    """Of the claims those with ``checkable``: false."""


class _Text(NamedTuple):
    """The answer's text without the reasoning at its start."""

    text: str | None
    cut: int
    reasoning: str | None


def parse_record(row: dict[str, Any], where: str) -> Record:
    """Turn one record into nouns.

    ``answer_id``, when absent, is made from question, history, system, answer and passages, ``query_id`` from
    question and history, so that labels added later change neither. ``<think>`` blocks at the start of the answer and
    ``reasoning_content`` in the metadata become ``metadata["reasoning"]``; spans are counted in the text as it was.

    Args:
        row: the JSON object.
        where: ``file:line``.

    Raises:
        InputError: the first thing that is wrong.
    """
    given = read_row(row, where)
    known = _Known(
        _keys([passage.id for passage in given.passages], "passages", where),
        _keys([claim.id for claim in given.claims or ()], "claims", where),
        {claim.id for claim in given.claims or () if not claim.checkable},
    )
    text = _without_reasoning(given.answer)
    metadata, moved = _metadata(given.metadata, text.reasoning)
    answer = _answer(given, text, metadata, known.passages, where)
    return Record(
        answer=answer,
        split=_split(given, answer, text.cut, known.passages, where),
        verdicts=_verdicts(given, known, where),
        labels=_labels(given, known, where),
        corpus_version=given.corpus_version,
        top_k=given.top_k,
        named=given.answer_id is not None,
        reasoning=moved,
    )


def _keys(names: list[str], field: str, where: str) -> set[str]:
    known = set(names)
    if len(known) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InputError(where, f"`{field}` has the id {twice!r} twice", "each id once", "remove or rename one")
    return known


def _without_reasoning(text: str | None) -> _Text:
    found = _THINKING.match(text) if text else None
    if text is None or found is None:
        return _Text(text, 0, None)
    return _Text(text[found.end() :], found.end(), found.group().strip())


def _metadata(given: dict[str, Any], reasoning: str | None) -> tuple[dict[str, Any], bool]:
    if reasoning is None and "reasoning_content" not in given:
        return given, False
    traces = [given.get("reasoning"), given.get("reasoning_content"), reasoning]
    traces = [trace for trace in traces if trace is not None]
    rest = {key: value for key, value in given.items() if key not in ("reasoning", "reasoning_content")}
    if not traces:
        return rest, False
    return {**rest, "reasoning": traces[0] if len(traces) == 1 else traces}, True


def _answer(given: AnswerRow, text: _Text, metadata: dict[str, Any], known: set[str], where: str) -> Answer:
    history = tuple(Turn(role=turn.role, text=turn.text) for turn in given.history)
    turns = [[turn.role, turn.text] for turn in history]
    query = Query(
        key=given.query_id or f"q-{_digest(given.question, turns)}",
        text=given.question,
        history=history,
        reference=given.reference,
        evidence_sets=tuple(map(tuple, given.evidence_sets)),
        grades=given.grades,
    )
    system = given.system or "default"
    texts = [[passage.id, passage.text] for passage in given.passages]
    return Answer(
        key=given.answer_id or f"a-{_digest(given.question, turns, system, given.answer, texts)}",
        query=query,
        text=text.text,
        passages=tuple(_retrieved(p, rank, where) for rank, p in enumerate(given.passages, 1)),
        citations=_citations(given, text.cut, known, where),
        system=system,
        config=given.config,
        model=given.model,
        model_family=given.model_family,
        rankings={stage: tuple(keys) for stage, keys in given.rankings.items()},
        slices={name: _slice(name, value, where) for name, value in given.slices.items()},
        latency_ms=given.latency_ms,
        metadata=metadata,
    )


def _digest(*content: Any) -> str:
    return content_hash(content).hex()[:16]


def _retrieved(row: PassageRow, rank: int, where: str) -> Retrieved:
    if row.page is not None and (isinstance(row.page, bool) or not isinstance(row.page, str | int)):
        raise InputError(where, f"`passages[{rank - 1}].page` is {kind_of(row.page)}", "a string or an integer")
    passage = Passage(
        key=row.id,
        text=row.text,
        document=row.document,
        page=None if row.page is None else str(row.page),
        object=row.object,
        metadata=row.metadata,
    )
    return Retrieved(passage=passage, rank=rank, score=row.score)


def _slice(name: str, value: Any, where: str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise InputError(where, f"`slices.{name}` is {kind_of(value)}", "one word or number to group by")
    return str(value)


def _citations(given: AnswerRow, cut: int, known: set[str], where: str) -> tuple[Citation, ...]:
    found = []
    for i, row in enumerate(given.citations):
        name = f"citations[{i}]"
        _check_known(row.passage, known, f"{name}.passage", "passages", where)
        found.append(Citation(span=_span((row.start, row.end), given.answer, cut, name, where), passage=row.passage))
    return tuple(found)


def _span(span: Span, text: str | None, cut: int, name: str, where: str) -> Span:
    """A span of the text as it was, in the text that is kept."""
    start, end = span
    if text is None:
        raise InputError(where, f"`{name}` has a span, but `answer` is null", advice="leave the span out")
    if not 0 <= start < end <= len(text):
        raise InputError(
            where,
            f"`{name}` has the span [{start}, {end}]",
            f"0 <= start < end <= {len(text)}, the length of `answer`",
            "count in characters (code points), the end excluded",
        )
    if start < cut:
        raise InputError(
            where, f"`{name}` has the span [{start}, {end}] in the reasoning at the answer's start", f"a start >= {cut}"
        )
    return start - cut, end - cut


def _split(given: AnswerRow, answer: Answer, cut: int, known: set[str], where: str) -> Split | None:
    if given.claims is None or (given.answer is None and not given.claims):
        return None
    if given.answer is None:
        raise InputError(where, "`claims` has claims, but `answer` is null", "claims of a text", "give the answer")
    claims = [_claim(row, i, given.answer, answer, cut, known, where) for i, row in enumerate(given.claims)]
    return cover(answer.text or "", claims)


def _claim(row: ClaimRow, i: int, written: str, answer: Answer, cut: int, known: set[str], where: str) -> Claim:
    for key in row.passages or ():
        _check_known(key, known, f"claims[{i}].passages", "passages", where)
    spans = tuple(_span(span, written, cut, f"claims[{i}].spans", where) for span in row.spans)
    return Claim(
        key=row.id,
        text=row.text,
        spans=spans,
        passages=None if row.passages is None else tuple(row.passages),
        citations=_cited(spans, answer),
        not_checkable=None if row.checkable else NotCheckable.GIVEN,
    )


def _cited(spans: Sequence[Span], answer: Answer) -> tuple[str, ...]:
    """Passages of the markers inside a claim's spans or right behind them."""
    text = answer.text or ""
    beside = [
        citation.passage
        for citation in answer.citations
        for start, end in spans
        if start < citation.span[1] and (citation.span[0] < end or not text[end : citation.span[0]].strip(_BETWEEN))
    ]
    return tuple(dict.fromkeys(beside))


def _check_known(key: str, known: set[str], name: str, field: str, where: str) -> None:
    if key not in known:
        raise InputError(
            where, f"`{name}` is {kind_of(key)}", f"the id of one of this record's `{field}`", f"add it to `{field}`"
        )


def _address(row: VerdictRow | LabelRow, name: str, known: _Known, where: str) -> Address:
    if row.passage is not None:
        _check_known(row.passage, known.passages, f"{name}.passage", "passages", where)
    if row.claim is None:
        return Address(UnitKind.ANSWER if row.passage is None else UnitKind.PASSAGE, None, row.passage)
    _check_known(row.claim, known.claims, f"{name}.claim", "claims", where)
    if row.claim in known.unchecked:
        raise InputError(
            where,
            f"`{name}` is of the claim {row.claim!r}, which has `checkable`: false",
            "a checkable claim",
            "drop one of the two",
        )
    return Address(UnitKind.CLAIM if row.passage is None else UnitKind.CITATION, row.claim, row.passage)


def _verdicts(given: AnswerRow, known: _Known, where: str) -> tuple[GivenVerdict, ...]:
    found = []
    for i, row in enumerate(given.verdicts):
        name = f"verdicts[{i}]"
        of = _address(row, name, known, where)
        label, unscored = _outcome(row, name, where)
        found.append(GivenVerdict(of, row.rubric, row.judge, label, unscored, row.confidence, row.score, row.raw))
    _check_once([(v.of, v.rubric, v.judge) for v in found], "verdicts", "judge", where)
    return tuple(found)


def _outcome(row: VerdictRow, name: str, where: str) -> tuple[str | None, Unscored | None]:
    if row.label is not None:
        if row.unscored is not None:
            raise InputError(where, f"`{name}` has a `label` and `unscored`", "one of them", "drop one")
        _check_label(row.label, name, where)
        return row.label, None
    if row.unscored is None:
        if "label" not in row.model_fields_set:
            raise InputError(where, f"`{name}.label` is missing", "a label, or null with the reason in `unscored`")
        return None, Unscored.NOT_GIVEN
    if row.unscored not in list(Unscored):
        raise InputError(where, f"`{name}.unscored` is {kind_of(row.unscored)}", "one of " + ", ".join(Unscored))
    return None, Unscored(row.unscored)


def _labels(given: AnswerRow, known: _Known, where: str) -> tuple[GivenLabel, ...]:
    found = []
    for i, row in enumerate(given.labels):
        of = _address(row, f"labels[{i}]", known, where)
        _check_label(row.label, f"labels[{i}]", where)
        found.append(GivenLabel(of, row.rubric, row.annotator, row.label, row.probability, row.seconds, row.comment))
    _check_once([(label.of, label.rubric, label.annotator) for label in found], "labels", "annotator", where)
    _check_probability(found, where)
    return tuple(found)


def _check_label(label: str, name: str, where: str) -> None:
    if not fold_label(label):
        raise InputError(where, f"`{name}.label` is {kind_of(label)}", "a word of the scale")


def _check_once(keys: list[tuple[Address, str, str]], field: str, who: str, where: str) -> None:
    if len(set(keys)) == len(keys):
        return
    of, rubric, name = next(key for i, key in enumerate(keys) if key in keys[:i])
    unit = " ".join(part for part in (of.kind.value, of.claim, of.passage) if part)
    raise InputError(
        where, f"`{field}` has {rubric!r} of {unit} by {name!r} twice", f"one a unit, rubric and {who}", "remove one"
    )


def _check_probability(labels: list[GivenLabel], where: str) -> None:
    seen: dict[Address, float | None] = {}
    for label in labels:
        first = seen.setdefault(label.of, label.probability)
        if first != label.probability:
            raise InputError(
                where,
                f"`labels` give one unit the probabilities {first} and {label.probability}",
                "one for each unit, the same on all its labels",
            )
