"""Answers from the records of a file, with the claims, verdicts and labels that come along."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from judge.domain.answers import Answer
from judge.domain.base import Span, content_hash
from judge.domain.claims import Claim, NotCheckable, Split
from judge.domain.errors import InputError
from judge.steps.claims import cover
from judge.steps.given import (
    GivenLabel,
    GivenVerdict,
    Known,
    check_known,
    check_labels,
    check_verdicts,
    given_label,
    given_verdict,
    keys_of,
)
from judge.steps.records import kind_of
from judge.steps.rows import AnswerRow, ClaimRow, PassageRow, TurnRow, read_row

_TAG = r"(?:seed:think|think(?:ing)?|thought|reasoning)"
_OPENED = rf"<({_TAG})(?:\s[^<>]{{0,200}})?>"
_THINKING = re.compile(rf"\s*(?:{_OPENED}.*?(?:</\1>\s*|\Z))+", re.DOTALL | re.IGNORECASE)
_OPENING = re.compile(_OPENED, re.IGNORECASE)
_LONE_END = re.compile(rf"(?<![`'\"“‘「])</{_TAG}>(?![`'\"”’」])\s*", re.IGNORECASE)
"""The end of a trace whose opening tag the server left out; one in quotation marks is spoken of."""
_BETWEEN = ' \t.。,，;；!！?？)）"”』」'
"""What may stand between a claim and the citation marker that belongs to it."""


@dataclass(frozen=True)
class Record:
    """One record that was checked.

    Its nouns are made when they are asked for: the first reading of a file asks for none, and they cost most of it.
    """

    given: AnswerRow
    answer_key: str
    """The file's ``answer_id``, else made from the content."""
    query_key: str
    """The file's ``query_id``, else made from the content."""
    kept: "_Text"
    """The answer's text without the reasoning."""
    verdicts: tuple[GivenVerdict, ...]
    labels: tuple[GivenLabel, ...]

    @property
    def corpus_version(self) -> str | None:
        """As the record says it."""
        return self.given.get("corpus_version")

    @property
    def top_k(self) -> int | None:
        """As the record says it."""
        return self.given.get("top_k")

    @property
    def named(self) -> bool:
        """Whether the file gave ``answer_id``; else it is made from the content."""
        return self.given.get("answer_id") is not None

    @property
    def reasoning(self) -> bool:
        """Whether a reasoning trace was moved to the metadata."""
        return _metadata(self.given.get("metadata", {}), self.kept.reasoning)[1]

    @property
    def has_claims(self) -> bool:
        """Whether the record has claims of its own; an empty list of a kept answer says that there are none."""
        return self.given.get("claims") is not None and self.given["answer"] is not None

    @cached_property
    def answer(self) -> Answer:
        """The answer with its query and passages."""
        return _answer(self)

    @cached_property
    def split(self) -> Split | None:
        """Claims of the file; None when the record has no ``claims``."""
        return _split(self.given, self.answer, self.kept.cut) if self.has_claims else None


class _Text(NamedTuple):
    """The answer's text without the reasoning at its start."""

    text: str | None
    cut: int
    reasoning: str | None


def parse_record(row: dict[str, Any], where: str) -> Record:
    """Check one record.

    ``answer_id``, when absent, is made from question, history, system, answer and passages, ``query_id`` from
    question and history, so that labels added later change neither. ``<think>`` blocks at the start of the answer, all
    before a ``</think>`` without its opening, and ``reasoning_content`` of the row or its metadata become
    ``metadata["reasoning"]``; spans are counted in the text as it was. Turns of the history lose such blocks.

    Args:
        row: the JSON object.
        where: ``file:line``.

    Raises:
        InputError: the first thing that is wrong.
    """
    given = read_row(row, where)
    record = checked_record(given)
    passages, claims = given.get("passages", ()), given.get("claims") or ()
    known = Known(
        keys_of([passage["id"] for passage in passages], "passages", where),
        keys_of([claim["id"] for claim in claims], "claims", where),
        {claim["id"] for claim in claims if not claim.get("checkable", True)},
    )
    _check_answer(given, record.kept.cut, known.passages, where)
    _check_claims(given, record.kept.cut, known.passages, where)
    check_verdicts(given, record.verdicts, known, where)
    check_labels(record.labels, known, where)
    return record


def checked_record(given: AnswerRow) -> Record:
    """The Record of a row that ``parse_record`` found good before; nothing is checked again."""
    given = _gathered(given)
    text = _without_reasoning(given["answer"])
    query_key, answer_key = given.get("query_id"), given.get("answer_id")
    if query_key is None or answer_key is None:
        turns = [[turn["role"], turn["text"]] for turn in given.get("history", ())]
        texts = [[passage["id"], passage["text"]] for passage in given.get("passages", ())]
        query_key = query_key or f"q-{_digest(given['question'], turns)}"
        answer_key = answer_key or f"a-{_digest(given['question'], turns, _system(given), given['answer'], texts)}"
    return Record(
        given=given,
        answer_key=answer_key,
        query_key=query_key,
        kept=text,
        verdicts=tuple(map(given_verdict, given.get("verdicts", ()))),
        labels=tuple(map(given_label, given.get("labels", ()))),
    )


def _gathered(given: AnswerRow) -> AnswerRow:
    """The row with its ``reasoning_content`` in the metadata, where servers that keep it apart put it as well."""
    if "reasoning_content" not in given:
        return given
    rest = given.copy()
    trace, metadata = rest.pop("reasoning_content"), given.get("metadata", {})
    if not trace or trace in (metadata.get("reasoning"), metadata.get("reasoning_content")):
        return rest
    known = metadata.get("reasoning_content")
    rest["metadata"] = {**metadata, "reasoning_content": trace if known is None else [known, trace]}
    return rest


def _without_reasoning(text: str | None) -> _Text:
    if not text or "<" not in text:
        return _Text(text, 0, None)
    found = _THINKING.match(text)
    cut = found.end() if found else 0
    ends = list(_LONE_END.finditer(text, cut))
    if ends and not _OPENING.search(text, cut, ends[-1].start()):
        cut = ends[-1].end()
    return _Text(text[cut:], cut, text[:cut].strip() if cut else None)


def _turn(turn: TurnRow) -> dict[str, Any]:
    """A turn; what the judged system thought before an earlier answer is no part of the conversation either."""
    text = turn["text"] if turn["role"] == "user" else _without_reasoning(turn["text"]).text
    return {"role": turn["role"], "text": text}


def _metadata(given: dict[str, Any], reasoning: str | None) -> tuple[dict[str, Any], bool]:
    if reasoning is None and "reasoning_content" not in given:
        return given, False
    traces = [given.get("reasoning"), given.get("reasoning_content"), reasoning]
    traces = [trace for trace in traces if trace is not None]
    rest = {key: value for key, value in given.items() if key not in ("reasoning", "reasoning_content")}
    if not traces:
        return rest, False
    return {**rest, "reasoning": traces[0] if len(traces) == 1 else traces}, True


def _answer(record: Record) -> Answer:
    """One validation of the whole, which takes half as long as making the nouns one by one."""
    given, cut = record.given, record.kept.cut
    return Answer.model_validate(
        {
            "key": record.answer_key,
            "query": _query(record),
            "text": record.kept.text,
            "passages": tuple(_retrieved(row, rank) for rank, row in enumerate(given.get("passages", ()), 1)),
            "citations": tuple(
                {"span": (row["start"] - cut, row["end"] - cut), "passage": row["passage"]}
                for row in given.get("citations", ())
            ),
            "system": _system(given),
            "config": given.get("config", {}),
            "model": given.get("model"),
            "model_family": given.get("model_family"),
            "rankings": given.get("rankings", {}),
            "slices": {name: _slice(value) for name, value in given.get("slices", {}).items()},
            "latency_ms": given.get("latency_ms"),
            "metadata": _metadata(given.get("metadata", {}), record.kept.reasoning)[0],
        }
    )


def _query(record: Record) -> dict[str, Any]:
    given = record.given
    return {
        "key": record.query_key,
        "text": given["question"],
        "history": tuple(map(_turn, given.get("history", ()))),
        "reference": given.get("reference"),
        "evidence_sets": given.get("evidence_sets", ()),
        "grades": given.get("grades", {}),
    }


def _system(given: AnswerRow) -> str:
    return given.get("system") or "default"


def _digest(*content: Any) -> str:
    return content_hash(content).hex()[:16]


def _retrieved(row: PassageRow, rank: int) -> dict[str, Any]:
    page = row.get("page")
    passage = {
        "key": row["id"],
        "text": row["text"],
        "document": row.get("document"),
        "page": None if page is None else str(page),
        "object": row.get("object"),
        "metadata": row.get("metadata", {}),
    }
    return {"passage": passage, "rank": rank, "score": row.get("score")}


def _slice(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check_answer(given: AnswerRow, cut: int, known: set[str], where: str) -> None:
    for i, passage in enumerate(given.get("passages", ())):
        page = passage.get("page")
        if page is not None and (isinstance(page, bool) or not isinstance(page, str | int)):
            raise InputError(where, f"`passages[{i}].page` is {kind_of(page)}", "a string or an integer")
    for i, row in enumerate(given.get("citations", ())):
        check_known(row["passage"], known, f"citations[{i}].passage", "passages", where)
        _check_span((row["start"], row["end"]), given["answer"], cut, f"citations[{i}]", where)
    for name, value in given.get("slices", {}).items():
        if not isinstance(value, str | int | float):
            raise InputError(where, f"`slices.{name}` is {kind_of(value)}", "one word or number to group by")


def _check_span(span: Sequence[int], text: str | None, cut: int, name: str, where: str) -> None:
    """A span counts in the text as it was, and may not lie in the part that is cut off."""
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


def _check_claims(given: AnswerRow, cut: int, known: set[str], where: str) -> None:
    claims = given.get("claims") or ()
    if claims and given["answer"] is None:
        raise InputError(where, "`claims` has claims, but `answer` is null", "claims of a text", "give the answer")
    for i, row in enumerate(claims):
        for key in row.get("passages") or ():
            check_known(key, known, f"claims[{i}].passages", "passages", where)
        for span in row.get("spans", ()):
            _check_span(span, given["answer"], cut, f"claims[{i}].spans", where)


def _split(given: AnswerRow, answer: Answer, cut: int) -> Split:
    return cover(answer.text or "", [_claim(row, answer, cut) for row in given.get("claims") or ()])


def _claim(row: ClaimRow, answer: Answer, cut: int) -> Claim:
    spans = tuple((start - cut, end - cut) for start, end in row.get("spans", ()))
    passages = row.get("passages")
    return Claim(
        key=row["id"],
        text=row["text"],
        spans=spans,
        passages=None if passages is None else tuple(passages),
        citations=_cited(spans, answer) if answer.citations else (),
        not_checkable=None if row.get("checkable", True) else NotCheckable.GIVEN,
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
