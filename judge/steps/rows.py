"""The keys and types of the records format, and messages for what does not fit them.

Types are strict: nothing is converted, but ``page`` and the values of ``slices``, whose type the format leaves open.
``null`` stands for an absent value where a single value is optional; a list or object is left out instead.
A checked row stays the dict it was, so the second reading of a file goes on from it without another check.
"""

import difflib
from typing import Annotated, Any, NotRequired, cast

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict  # pydantic asks for this one before Python 3.12

from judge.domain.errors import InputError
from judge.steps.records import kind_of

Word = Annotated[str, Field(min_length=1)]
Pair = Annotated[tuple[int, int], Field(strict=False)]
Number = Annotated[float, Field(allow_inf_nan=False)]
_STRICT = ConfigDict(strict=True, extra="forbid")


@with_config(_STRICT)
class TurnRow(TypedDict):
    """One turn of ``history``."""

    role: Word
    text: str


@with_config(_STRICT)
class PassageRow(TypedDict):
    """One of ``passages``."""

    id: Word
    text: str | None
    document: NotRequired[str | None]
    page: NotRequired[Any]
    object: NotRequired[str | None]
    score: NotRequired[Number | None]
    metadata: NotRequired[dict[str, Any]]


@with_config(_STRICT)
class CitationRow(TypedDict):
    """One of ``citations``."""

    start: int
    end: int
    passage: Word


@with_config(_STRICT)
class ClaimRow(TypedDict):
    """One of ``claims``."""

    id: Word
    text: Word
    spans: NotRequired[list[Pair]]
    passages: NotRequired[list[Word] | None]
    checkable: NotRequired[bool]


@with_config(_STRICT)
class VerdictRow(TypedDict):
    """One of ``verdicts``."""

    claim: NotRequired[Word | None]
    passage: NotRequired[Word | None]
    rubric: Word
    judge: Word
    label: NotRequired[Word | None]
    unscored: NotRequired[Word | None]
    confidence: NotRequired[Annotated[Number, Field(ge=0, le=1)] | None]
    score: NotRequired[Number | None]
    raw: NotRequired[str | None]


@with_config(_STRICT)
class LabelRow(TypedDict):
    """One of ``labels``."""

    claim: NotRequired[Word | None]
    passage: NotRequired[Word | None]
    rubric: Word
    annotator: Word
    label: Word
    probability: NotRequired[Annotated[Number, Field(gt=0, le=1)] | None]
    seconds: NotRequired[Annotated[Number, Field(ge=0)] | None]
    comment: NotRequired[str | None]


@with_config(_STRICT)
class AnswerRow(TypedDict):
    """One record."""

    question: Word
    answer: str | None
    reasoning_content: NotRequired[str | None]
    history: NotRequired[list[TurnRow]]
    passages: NotRequired[list[PassageRow]]
    answer_id: NotRequired[Word | None]
    query_id: NotRequired[Word | None]
    system: NotRequired[Word | None]
    config: NotRequired[dict[str, Any]]
    corpus_version: NotRequired[Word | None]
    top_k: NotRequired[Annotated[int, Field(ge=1)] | None]
    model: NotRequired[str | None]
    model_family: NotRequired[str | None]
    reference: NotRequired[str | None]
    evidence_sets: NotRequired[list[list[Word]]]
    grades: NotRequired[dict[str, int]]
    rankings: NotRequired[dict[str, list[Word]]]
    citations: NotRequired[list[CitationRow]]
    slices: NotRequired[dict[str, Any]]
    latency_ms: NotRequired[Annotated[Number, Field(ge=0)] | None]
    claims: NotRequired[list[ClaimRow] | None]
    verdicts: NotRequired[list[VerdictRow]]
    labels: NotRequired[list[LabelRow]]
    metadata: NotRequired[dict[str, Any]]


_PARTS: dict[str, Any] = {
    "history": TurnRow,
    "passages": PassageRow,
    "citations": CitationRow,
    "claims": ClaimRow,
    "verdicts": VerdictRow,
    "labels": LabelRow,
}
_ROW: TypeAdapter[AnswerRow] = TypeAdapter(AnswerRow)
_EXPECTED = {
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
    """Check keys and types of one record; the very same dict comes back.

    Raises:
        InputError: the first key that is unknown, missing or of another type, with the nearest known one.
    """
    try:
        _ROW.validate_python(row)
    except ValidationError as error:
        raise _explained(error, where) from None
    return cast(AnswerRow, row)


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
    close = difflib.get_close_matches(str(loc[-1]), list(model.__annotations__), n=1)
    return f"did you mean `{close[0]}`?" if close else f"known keys: {', '.join(model.__annotations__)}"


def _advice(first: Any) -> str:
    kind, value = first["type"], first["input"]
    if value is None:
        return "leave the key out where there is nothing"
    if kind == "string_type" and isinstance(value, int | float):
        return f'write it as a string: "{value}"'
    if kind in ("list_type", "dict_type") and isinstance(value, str):
        return "write the value itself, not a text that holds it"
    return ""
