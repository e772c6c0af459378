"""Verdicts from replies: a label of the scale, or none and a reason; never a number in place of a judgement."""

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from judge.domain.judging import Reply, Request, Subject, Unscored, Verdict
from judge.domain.rubrics import Rubric
from judge.steps.quotes import find_quotes
from judge.steps.replies import object_at, read_objects, read_spoken, without_reasoning

PARSER = "reader-2"
"""Version of all that stands here and in ``replies`` and ``quotes``; it enters the Judge's identity."""

CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"})
"""Finish reasons that mean: cut off at the reply's cap."""
FILTERED = frozenset({"content_filter", "refusal", "safety", "sensitive", "prohibited_content", "blocklist"})
"""Finish reasons that mean: the provider or the model declined."""
RAW_SHOWN = 500
"""Characters kept of what stood in the label's place."""
RATIONALE_LIMIT = 10_000
BRACES_TRIED = 50
"""Braces before a claim's id that may begin its object; the others stand in texts before it."""
SCORE_LIMIT = 100.0
"""Scores of judges stand on 0-1, 1-5 or 0-100; anything outside 0..100 is a slip of the model."""

_RATIONALES = ("rationale", "reason", "reasoning", "explanation", "理由")
Item = dict[str, Any]
Flags = tuple[str, ...]


class Reading(NamedTuple):
    """What one reply says."""

    verdicts: tuple[Verdict, ...]
    """One for each unit of the request, in its order."""
    problem: Unscored | None
    """Why it is not wholly usable, for a repair turn or a larger cap; None when every unit has a label."""


def read_reply(reply: Reply, request: Request) -> Reading:
    """Read one reply; ``request.unit_ids[i]`` belongs to the i-th claim of its subject, or to the answer.

    A reply that was cut off is not read at all: nothing is kept of it, even when its prefix parses. JSON is taken as
    it stands first, then without fence and reasoning; of several objects the last one of the right shape wins.
    Verdicts belong to claims by id, never by position. Ids beyond those asked are dropped and flagged; when asked ids
    are missing at the same time, the ids are shifted and the whole reply is unparseable. An id given twice counts if
    both say the same. Without JSON, one unit may be read from the last label line or tag, or from a bare label.
    """
    if (whole := _whole_failure(reply)) is not None:
        return Reading(unscored_all(request, whole, flags=_empty_flag(reply)), whole)
    subject = _subject(request)
    items = _items(reply.text, subject)
    verdicts = _from_items(items, reply, request, subject) if items else _from_words(reply, request, subject)
    problem = next((verdict.unscored for verdict in verdicts if verdict.unscored), None)
    return Reading(verdicts, problem)


def unscored_all(request: Request, reason: Unscored, raw: str | None = None, flags: Flags = ()) -> tuple[Verdict, ...]:
    """One Verdict without a label for each unit of the request."""
    return tuple(Verdict(unit_id=unit, unscored=reason, raw=_cut(raw), flags=flags) for unit in request.unit_ids)


def _subject(request: Request) -> Subject:
    subject = request.prompt.subject
    if subject is None or len(request.unit_ids) != max(1, len(subject.claims)):
        raise ValueError("a request is read with its subject and one unit id for each of its claims")
    return subject


def _whole_failure(reply: Reply) -> Unscored | None:
    finish = (reply.finish_reason or "").casefold()
    if finish in FILTERED or (reply.refusal or "").strip():
        return Unscored.REFUSED
    return Unscored.TRUNCATED if finish in CUT else None


def _empty_flag(reply: Reply) -> Flags:
    if without_reasoning(reply.text).strip():
        return ()
    reasoned = bool(reply.text.strip()) or bool(reply.usage.reasoning)
    return ("empty_after_reasoning",) if reasoned else ("empty_reply",)


def _items(text: str, subject: Subject) -> list[Item] | None:
    """The verdict items of the last object of the right shape; None when there is no such object."""
    for values in read_objects(text):
        for value in reversed(values):
            if (items := _shaped(value, len(subject.claims) > 1)) is not None:
                return items
    return None


def _shaped(value: Any, many: bool) -> list[Item] | None:
    """Items of ``{"verdicts": [...]}``, of a bare list, or, where one unit is asked, of the flat object."""
    if isinstance(value, dict) and "verdicts" not in value:
        return [value] if not many and "label" in value else None
    listed = value.get("verdicts") if isinstance(value, dict) else value
    if not isinstance(listed, list):
        return None
    items = [item for item in listed if isinstance(item, dict)]
    named = any("label" in item for item in items)
    return items if named and len(items) == len(listed) else None


def _from_items(items: Sequence[Item], reply: Reply, request: Request, subject: Subject) -> tuple[Verdict, ...]:
    asked = [claim.key for claim in subject.claims] or [""]
    by_id: dict[str, list[Item]] = {key: [] for key in asked}
    extra = stray = False
    for item in items:
        key = _claim_id(item, asked)
        stray |= key is None
        extra |= key is not None and key not in by_id
        if key in by_id:
            by_id[key].append(item)
    missing = [key for key, own in by_id.items() if not own]
    flags: Flags = ("extra_ids",) * extra + ("missing_ids",) * stray
    if len(missing) == len(asked) or (missing and extra):
        only_other = len(asked) == 1 and extra
        reason = Unscored.MISSING_FROM_REPLY if only_other else Unscored.UNPARSEABLE
        return unscored_all(request, reason, raw=reply.text, flags=flags)
    return tuple(
        _of_claim(unit, by_id[key], key, flags, reply, subject)
        for unit, key in zip(request.unit_ids, asked, strict=True)
    )


def _claim_id(item: Item, asked: Sequence[str]) -> str | None:
    """The id that an item names; an item without one belongs to the only unit asked, or to none."""
    value = item.get("claim_id")
    if value is None:
        return asked[0] if len(asked) == 1 else None
    return value.strip().casefold() if isinstance(value, str) else str(value)


def _of_claim(unit: int, own: Sequence[Item], key: str, flags: Flags, reply: Reply, subject: Subject) -> Verdict:
    if not own:
        return Verdict(unit_id=unit, unscored=Unscored.MISSING_FROM_REPLY, flags=flags)
    if len(own) > 1:
        flags = (*flags, "duplicate_ids")
        labels = {_label(item.get("label"), subject.rubric) for item in own}
        if len(labels) > 1:
            return Verdict(unit_id=unit, unscored=Unscored.UNPARSEABLE, flags=flags, raw=_cut(_json(list(own))))
    item = own[-1]
    if "label" not in item:
        return Verdict(unit_id=unit, unscored=Unscored.UNPARSEABLE, flags=flags, raw=_cut(_json(item)))
    return _verdict(unit, item, flags, reply, subject, key if len(subject.claims) > 1 else None)


def _from_words(reply: Reply, request: Request, subject: Subject) -> tuple[Verdict, ...]:
    spoken = read_spoken(reply.text) if len(request.unit_ids) == 1 else None
    label = subject.rubric.read_label(spoken.label) if spoken else None
    if spoken is None or (label is None and not spoken.anchored):
        return unscored_all(request, Unscored.UNPARSEABLE, raw=reply.text, flags=_empty_flag(reply))
    item = {"label": spoken.label, "rationale": spoken.rationale}
    return (_verdict(request.unit_ids[0], item, (), reply, subject, None),)


def _verdict(unit: int, item: Item, flags: Flags, reply: Reply, subject: Subject, key: str | None) -> Verdict:
    rubric, word = subject.rubric, _label_word(item["label"])
    label = _label(item["label"], rubric)
    quotes = find_quotes(_quote_texts(item), subject.answer.passages) if label and rubric.needs_quote else ()
    if label in rubric.needs_quote:
        lost = any(quote.passage is None for quote in quotes)
        flags = (*flags, *(("quote_missing",) if not quotes else ("quote_not_found",) * lost))
    stated, odd = _number(item.get("confidence"), 1.0)
    score, odd_score = _number(item.get("score"), SCORE_LIMIT)
    token = label_confidence(reply.logprobs, word, key) if label else None
    source: Literal["logprob", "stated"] | None = "logprob" if token is not None else "stated"
    confidence = token if token is not None else stated
    return Verdict(
        unit_id=unit,
        label=label,
        unscored=None if label else Unscored.OFF_SCALE,
        confidence=confidence if label else None,
        confidence_source=source if label and confidence is not None else None,
        score=score,
        rationale=_rationale(item),
        quotes=quotes,
        flags=(*flags, *("confidence_invalid",) * odd, *("score_invalid",) * odd_score),
        raw=None if label else _cut(word),
    )


def _label(value: Any, rubric: Rubric) -> str | None:
    """The label that a JSON value names; a whole number may name one of a numeric scale, a bool names none."""
    readable = isinstance(value, str | int) and not isinstance(value, bool)
    return rubric.read_label(str(value)) if readable else None


def _label_word(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _number(value: Any, limit: float) -> tuple[float | None, bool]:
    """A finite number in 0..limit, and whether something else stood there."""
    if value is None:
        return None, False
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None, True
    usable = 0 <= value <= limit
    return (float(value) if usable else None), not usable


def _rationale(item: Item) -> str | None:
    texts = (item.get(name) for name in _RATIONALES)
    return next((text.strip()[:RATIONALE_LIMIT] for text in texts if isinstance(text, str) and text.strip()), None)


def _quote_texts(item: Item) -> list[str]:
    found: list[str] = []
    for value in (item.get("quote"), item.get("quotes")):
        texts: Iterable[Any] = value if isinstance(value, list) else (value,)
        found += [text for text in texts if isinstance(text, str) and text.strip()]
    return found


def label_confidence(logprobs: Sequence[tuple[str, float]], word: str, key: str | None) -> float | None:
    """Probability of the label's own tokens: exp of the sum of their log probabilities; None where they are not found.

    Args:
        logprobs: tokens of the reply in order.
        word: the label as the reply wrote it.
        key: id of the claim in whose object the label stands; None: the last label of the reply.
    """
    if not logprobs or not word:
        return None
    text = "".join(token for token, _ in logprobs)
    span = _label_span(text, word, key)
    if span is None:
        return None
    total, at = 0.0, 0
    for token, logprob in logprobs:
        if at < span[1] and at + len(token) > span[0]:
            total += logprob
        at += len(token)
    return math.exp(total) if math.isfinite(total) and total <= 0 else None


def _label_span(text: str, word: str, key: str | None) -> tuple[int, int] | None:
    low, high = (0, len(text)) if key is None else _object_of(text, key)
    fields = list(re.finditer(rf'(?<!\\)"label"\s*:\s*"?({re.escape(word)})', text[low:high]))
    if fields:
        start, end = fields[-1].span(1)
        return low + start, low + end
    at = text.rfind(word) if key is None else -1
    return (at, at + len(word)) if at >= 0 else None


def _object_of(text: str, key: str) -> tuple[int, int]:
    """Where the last object stands that names a claim; its label may come before its id. Nowhere: an empty place."""
    named = list(re.finditer(rf'(?<!\\)"claim_id"\s*:\s*"\s*{re.escape(key)}\s*"', text, re.IGNORECASE))
    low = high = named[-1].start() if named else 0
    for _ in range(BRACES_TRIED if named else 0):
        low = text.rfind("{", 0, low)
        if low < 0:
            break
        value, end = object_at(text, low)
        if end > high and isinstance(value, dict) and "claim_id" in value:
            return low, end
    return 0, 0


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return str(type(value).__name__)


def _cut(text: str | None) -> str | None:
    return None if text is None else text[:RAW_SHOWN]
