"""Label Studio: tasks that hold a question and an answer, with people's choices on them as labels."""

from collections.abc import Iterable, Iterator
from typing import Any

from judge.domain.base import content_hash
from judge.domain.errors import InputError
from judge.steps.formats.mapping import Mapper, native_line
from judge.steps.formats.notes import Notes
from judge.steps.records import Line

_CLAIM = ("claim", "claim_text", "sentence", "陈述")
_CHOICES = {"choices": "choices", "rating": "rating", "taxonomy": "taxonomy", "number": "number"}


def is_labelstudio(row: dict[str, Any]) -> bool:
    """Whether a row is a task with its annotations."""
    return isinstance(row.get("data"), dict) and "annotations" in row


def is_minimal(row: dict[str, Any]) -> bool:
    """Whether a row is of the short export (JSON-MIN, CSV), which does not say what its labels are about."""
    return "annotation_id" in row and "annotator" in row


def read_labelstudio(lines: Iterable[Line], mapper: Mapper, where: str, notes: Notes | None) -> Iterator[Line]:
    """Native rows of tasks; tasks of one answer that ask about its claims become one record.

    A choice is a label of the rubric that its control (``from_name``) names, by whoever completed it: of the claim
    where the task's data have one, else of the whole answer. Cancelled annotations count for nothing. The tasks are
    held until the last one is read, since tasks of one answer stand in any order.
    """
    found: dict[bytes, tuple[int, dict[str, Any]]] = {}
    for line in lines:
        if line.problem is not None:
            yield line
            continue
        at = f"{where}:{line.number}"
        try:
            given, claim = _task(line.row, mapper, at, notes)
            labels = list(_labels(line.row, at))
        except InputError as error:
            yield Line(line.number, {}, error)
            continue
        same = [given.get(key) for key in ("answer_id", "question", "answer", "system", "passages")]
        own = [] if claim else [line.number]  # tasks of whole answers are records of their own
        _, record = found.setdefault(content_hash([*same, *own]), (line.number, given))
        if claim is not None:
            key = _claim_key(record, claim)
            labels = [{**label, "claim": key} for label in labels]
        if labels:
            record.setdefault("labels", []).extend(labels)
    if notes is not None:
        notes.taken["labels"] = "annotations"
    for number, record in found.values():
        try:
            yield native_line(number, record, f"{where}:{number}", notes)
        except InputError as error:
            yield Line(number, {}, error)


def _task(
    task: dict[str, Any], mapper: Mapper, at: str, notes: Notes | None
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    data = task.get("data")
    if not isinstance(data, dict):
        raise InputError(at, "the task has no `data`", "a task of Label Studio's JSON export, not JSON-MIN")
    if "unit" in data and not mapper.by_name(data).get("question"):
        raise InputError(
            at,
            "the task holds a unit of a queue, not a question and answer",
            "tasks whose data hold both",
            "export it as CSV with the columns unit, rubric, label, annotator, and use `judge labels import`",
        )
    name = next((key for key in _CLAIM if isinstance(data.get(key), str) and data[key]), None)
    rest = {key: value for key, value in data.items() if key not in (name, "claim_id")}
    claim = None if name is None else {"id": data.get("claim_id"), "text": data[name]}
    return mapper.row(rest, at, notes), claim


def _claim_key(record: dict[str, Any], claim: dict[str, Any]) -> str:
    """The claim's id in its record, where it is added unless it is there; its place in the answer where that is one."""
    claims: list[dict[str, Any]] = record.setdefault("claims", [])
    for known in claims:
        if known["text"] == claim["text"]:
            return str(known["id"])
    key = f"c{len(claims) + 1}" if claim["id"] is None else str(claim["id"])
    text = record["answer"] or ""
    start = text.find(claim["text"])
    once = start >= 0 and text.find(claim["text"], start + 1) < 0
    spans = {"spans": [[start, start + len(claim["text"])]]} if once else {}
    claims.append({"id": key, "text": claim["text"], **spans})
    return key


def _labels(task: dict[str, Any], at: str) -> Iterator[dict[str, Any]]:
    for annotation in task.get("annotations") or ():
        if not isinstance(annotation, dict):
            raise InputError(at, "an annotation is no object", "annotations of a JSON export")
        if annotation.get("was_cancelled"):
            continue
        comment = next((text for one in annotation.get("result") or () if (text := _text(one))), None)
        for result in annotation.get("result") or ():
            label = _choice(result, at)
            if label is not None:
                given: dict[str, Any] = {
                    "rubric": str(result.get("from_name") or "label"),
                    "annotator": _who(annotation, at),
                    "label": label,
                }
                seconds = annotation.get("lead_time")
                given |= {"seconds": seconds} if isinstance(seconds, int | float) and seconds >= 0 else {}
                yield given | ({"comment": comment} if comment else {})


def _choice(result: dict[str, Any], at: str) -> str | None:
    key = _CHOICES.get(str(result.get("type")))
    value = (result.get("value") or {}).get(key) if key else None
    while isinstance(value, list):
        if len(value) != 1:
            raise InputError(at, f"{result.get('from_name')!r} has {len(value)} choices", "one", "labels are one word")
        value = value[0]
    return None if value is None else str(value)


def _text(result: dict[str, Any]) -> str:
    if result.get("type") != "textarea":
        return ""
    text = (result.get("value") or {}).get("text")
    return "\n".join(map(str, text)) if isinstance(text, list) else str(text or "")


def _who(annotation: dict[str, Any], at: str) -> str:
    who = annotation.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    if who in (None, ""):
        raise InputError(at, "an annotation has no `completed_by`", "who labelled")
    return str(who)
