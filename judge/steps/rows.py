"""The keys and types of the records format, and messages for what does not fit them.

Types are strict: nothing is converted, but ``page`` and the values of ``slices``, whose type the format leaves open.
``null`` stands for an absent value where a single value is optional; a list or object is left out instead.
"""

import difflib
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from judge.domain.errors import InputError
from judge.steps.records import kind_of

Word = Annotated[str, Field(min_length=1)]
Pair = Annotated[tuple[int, int], Field(strict=False)]
Number = Annotated[float, Field(allow_inf_nan=False)]


class _Row(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class TurnRow(_Row):
    """One turn of ``history``."""

    role: Word
    text: str


class PassageRow(_Row):
    """One of ``passages``."""

    id: Word
    text: str | None
    document: str | None = None
    page: Any = None
    object: str | None = None
    score: Number | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class CitationRow(_Row):
    """One of ``citations``."""

    start: int
    end: int
    passage: Word


class ClaimRow(_Row):
    """One of ``claims``."""

    id: Word
    text: Word
    spans: list[Pair] = Field(default_factory=list)
    passages: list[Word] | None = None
    checkable: bool = True


class VerdictRow(_Row):
    """One of ``verdicts``."""

    claim: Word | None = None
    passage: Word | None = None
    rubric: Word
    judge: Word
    label: Word | None = None
    unscored: Word | None = None
    confidence: Annotated[Number, Field(ge=0, le=1)] | None = None
    score: Number | None = None
    raw: str | None = None


class LabelRow(_Row):
    """One of ``labels``."""

    claim: Word | None = None
    passage: Word | None = None
    rubric: Word
    annotator: Word
    label: Word
    probability: Annotated[Number, Field(gt=0, le=1)] | None = None
    seconds: Annotated[Number, Field(ge=0)] | None = None
    comment: str | None = None


class AnswerRow(_Row):
    """One record."""

    question: str
    answer: str | None
    history: list[TurnRow] = Field(default_factory=list)
    passages: list[PassageRow] = Field(default_factory=list)
    answer_id: Word | None = None
    query_id: Word | None = None
    system: Word | None = None
    config: dict[str, Any] = Field(default_factory=dict)
    corpus_version: Word | None = None
    top_k: Annotated[int, Field(ge=1)] | None = None
    model: str | None = None
    model_family: str | None = None
    reference: str | None = None
    evidence_sets: list[list[Word]] = Field(default_factory=list)
    grades: dict[str, int] = Field(default_factory=dict)
    rankings: dict[str, list[Word]] = Field(default_factory=dict)
    citations: list[CitationRow] = Field(default_factory=list)
    slices: dict[str, Any] = Field(default_factory=dict)
    latency_ms: Annotated[Number, Field(ge=0)] | None = None
    claims: list[ClaimRow] | None = None
    verdicts: list[VerdictRow] = Field(default_factory=list)
    labels: list[LabelRow] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)


_PARTS: dict[str, type[_Row]] = {
    "history": TurnRow,
    "passages": PassageRow,
    "citations": CitationRow,
    "claims": ClaimRow,
    "verdicts": VerdictRow,
    "labels": LabelRow,
}
_EXPECTED = {
    "model_type": "an object",
    "dict_type": "an object",
    "list_type": "a list",
    "tuple_type": "a pair [start, end]",
    "too_short": "a pair [start, end]",
    "too_long": "a pair [start, end]",
    "string_type": "a string",
    "string_too_short": "at least one character",
    "int_type": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
}


def read_row(row: dict[str, Any], where: str) -> AnswerRow:
    """Check keys and types of one record.

    Raises:
        InputError: the first key that is unknown, missing or of another type, with the nearest known one.
    """
    try:
        return AnswerRow.model_validate(row)
    except ValidationError as error:
        raise _explained(error, where) from None


def _explained(error: ValidationError, where: str) -> InputError:
    first = error.errors(include_url=False)[0]
    loc, name = first["loc"], f"`{_path(first['loc'])}`"
    if first["type"] == "extra_forbidden":
        return InputError(where, f"unknown key {name}", advice=_nearest(loc))
    if first["type"] == "missing":
        written = [str(key) for key in first["input"]]
        close = difflib.get_close_matches(str(loc[-1]), written, n=1)
        return InputError(where, f"{name} is missing", advice=f"is `{close[0]}` meant for it?" if close else "add it")
    expected = _EXPECTED.get(first["type"]) or first["msg"].removeprefix("Input should be ")
    return InputError(where, f"{name} is {kind_of(first['input'])}", expected, _advice(first))


def _path(loc: tuple[int | str, ...]) -> str:
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _nearest(loc: tuple[int | str, ...]) -> str:
    model = _PARTS.get(str(loc[0]), AnswerRow) if len(loc) > 1 else AnswerRow
    close = difflib.get_close_matches(str(loc[-1]), list(model.model_fields), n=1)
    return f"did you mean `{close[0]}`?" if close else f"known keys: {', '.join(model.model_fields)}"


def _advice(first: Any) -> str:
    kind, value = first["type"], first["input"]
    if value is None:
        return "leave the key out where there is nothing"
    if kind == "string_type" and isinstance(value, int | float):
        return f'write it as a string: "{value}"'
    if kind in ("list_type", "dict_type") and isinstance(value, str):
        return "write the value itself, not a text that holds it"
    return ""
