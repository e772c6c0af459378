"""Langfuse: traces with their observations, joined on ``traceId``."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from judge.domain.errors import InputError
from judge.steps.formats.mapping import Mapper, native_line
from judge.steps.formats.notes import Notes
from judge.steps.formats.values import message_of, parsed, passages_of
from judge.steps.records import Line

_ASKED = ("question", "query", "user_input", "input", "prompt", "message", "text", "content")
_ANSWERED = ("answer", "output", "response", "result", "completion", "text", "content", "message")
_LISTS = ("documents", "docs", "results", "passages", "chunks", "nodes", "source_nodes", "contexts", "context")
_RIGHT = (
    "export observations with input and output: GET /api/public/traces/{id}, or the export of observations "
    "with the fields input and output"
)
_DEPTH = 4
_CAMEL = {
    **{"trace_id": "traceId", "parent_observation_id": "parentObservationId", "project_id": "projectId"},
    **{"start_time": "startTime", "end_time": "endTime", "session_id": "sessionId", "user_id": "userId"},
}
"""Keys of exports in snake case, as this module reads them."""


def is_langfuse(row: dict[str, Any]) -> bool:
    """Whether a row is a trace with its observations, or one of either."""
    if isinstance(row.get("trace"), dict) and "observations" in row:
        return True
    return "traceId" in row or ("observations" in _camel(row) and "projectId" in _camel(row)) or is_observation(row)


def is_observation(row: dict[str, Any]) -> bool:
    """Whether a row, or a table's columns, are an observation beyond doubt."""
    if "traceId" in row:
        return not {"parentObservationId", "startTime", "type"}.isdisjoint(row)
    about = "trace_id" in row and not {"parent_observation_id", "start_time"}.isdisjoint(row)
    # trace and time stand in many a log of plain answers too, but these have names of their own for the two
    return about and not {"input", "output"}.isdisjoint(row) and {"question", "answer"}.isdisjoint(row)


def _camel(row: dict[str, Any]) -> dict[str, Any]:
    if _CAMEL.keys().isdisjoint(row):
        return row
    return {_CAMEL[key] if _CAMEL.get(key, key) not in row else key: value for key, value in row.items()}


def read_langfuse(
    lines: Iterable[Line], beside: Iterable[Line], mapper: Mapper, where: str, notes: Notes | None
) -> Iterator[Line]:
    """Native rows of traces.

    Traces that hold their observations go through one by one. Where traces and observations are rows of their own,
    all of them are held until the last is read, for they stand in any order.

    Args:
        lines: traces, observations, or traces that hold their observations.
        beside: rows of a second file, observations or traces.
        mapper: of ``--map``; it sees the trace with its ``observations`` in order of time.
        where: the file's name.
        notes: told what was found.

    Raises:
        InputError: observations came without their input and output.
    """
    rows = _Rows({}, {}, {})
    for line in beside:
        rows.add(line, None)
    for line in lines:
        if line.problem is not None:
            yield line
        elif isinstance(line.row.get("trace"), dict) or "observations" in line.row:
            trace = _camel(line.row.get("trace") or line.row)
            observations = rows.observations.get(str(trace.get("id"))) or _listed(line.row.get("observations"))
            yield _traced(line.number, trace, observations, mapper, where, notes)
        else:
            rows.add(line, line.number)
    yield from _joined(rows, mapper, where, notes)


class _Rows(NamedTuple):
    """Traces and observations that are rows of their own."""

    traces: dict[str, dict[str, Any]]
    observations: dict[str, list[dict[str, Any]]]
    """By trace."""
    numbers: dict[str, int]
    """Row of the first file where each trace first stands, or an observation of it."""

    def add(self, line: Line, number: int | None) -> None:
        """Take in a row; those of the second file have no number."""
        if line.problem is not None:
            raise line.problem
        row = _camel(line.row)
        trace = row.get("traceId")
        key = str(trace or row.get("id"))
        if trace is None:
            self.traces[key] = row
        else:
            self.observations.setdefault(key, []).append(row)
        if number is not None:
            self.numbers.setdefault(key, number)


def _joined(rows: _Rows, mapper: Mapper, where: str, notes: Notes | None) -> Iterator[Line]:
    every = [one for observations in rows.observations.values() for one in observations]
    if every and rows.numbers and all(one.get("input") is None and one.get("output") is None for one in every):
        raise InputError(where, "no observation has an input or output", "observations with both", _RIGHT)
    for key, number in rows.numbers.items():
        trace = rows.traces.get(key, {"id": key})
        yield _traced(number, trace, rows.observations.get(key, []), mapper, where, notes)


def _traced(
    number: int, trace: dict[str, Any], observations: Sequence[Any], mapper: Mapper, where: str, notes: Notes | None
) -> Line:
    at = f"{where}:{number}"
    known = [_camel(one) for one in observations if isinstance(one, dict)]
    if observations and not any("input" in one or "output" in one for one in known):
        found = "only the ids of observations" if not known else "observations without input and output"
        raise InputError(at, f"the trace holds {found}", "observations with both", _RIGHT)
    known.sort(key=lambda one: str(one.get("startTime") or ""))
    try:
        return native_line(number, _native(trace, known, mapper, at, notes), at, notes)
    except InputError as error:
        return Line(number, {}, error)


def _native(
    trace: dict[str, Any], observations: list[dict[str, Any]], mapper: Mapper, at: str, notes: Notes | None
) -> dict[str, Any]:
    plain = {key: value for key, value in _read(trace, observations).items() if value is not None}
    given = {key: value for key, value in plain.items() if key not in mapper.given}
    if "passages" in given:
        given["passages"] = _once(passages_of(given["passages"], at))
    if notes is not None:
        _note(given, notes)
    if mapper.given:
        whole = {**trace, "observations": observations}
        given |= mapper.expressed(whole, at, notes)
    for key, where_from in (("question", "input"), ("answer", "output")):
        if given.get(key) is None and not (key == "answer" and "answer" in mapper.given):
            raise InputError(at, f"the trace says no {key}: it has no {where_from} that is a text", "", _RIGHT)
    return given


def _note(given: dict[str, Any], notes: Notes) -> None:
    source = {"question": "input", "answer": "output", "passages": "observations of type RETRIEVER or named retrieve"}
    notes.taken |= {key: text for key, text in source.items() if key in given}
    if not given.get("passages"):
        notes.said["traces without an observation that retrieves: no passages"] += 1


def _read(trace: dict[str, Any], observations: list[dict[str, Any]]) -> dict[str, Any]:
    roots = [one for one in observations if not one.get("parentObservationId")]
    generations = [one for one in observations if one.get("type") == "GENERATION"]
    places = [trace, *roots, *generations[-1:]]
    question, history = next((found for one in places if (found := _asked(one.get("input")))[0]), (None, []))
    said = (_answered(one.get("output")) for one in places)
    answer, reasoning = next((found for found in said if found[0] is not None), (None, None))
    retrieved = [text for one in observations if _retrieves(one) for text in _listed(one.get("output"))]
    kept = ("name", "sessionId", "userId", "tags", "environment", "release", "version", "timestamp")
    return {
        "question": question,
        "answer": answer,
        "reasoning_content": reasoning,
        "history": history or None,
        "passages": retrieved or None,
        "answer_id": None if trace.get("id") is None else str(trace["id"]),
        "model": next((one["model"] for one in reversed(generations) if isinstance(one.get("model"), str)), None),
        "latency_ms": _latency(trace, roots),
        "metadata": {key: trace[key] for key in kept if trace.get(key) not in (None, "", [])} or None,
    }


def _retrieves(observation: dict[str, Any]) -> bool:
    return observation.get("type") == "RETRIEVER" or "retriev" in str(observation.get("name") or "").lower()


def _once(passages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each passage once, where several retrievals of a trace found it."""
    seen: dict[str, dict[str, Any]] = {}
    for passage in passages:
        seen.setdefault(f"{passage['id']}\n{passage['text']}", passage)
    return list(seen.values())


def _plain(value: Any) -> Any:
    """The value that texts of texts hold, as exports wrap them."""
    for _ in range(_DEPTH):
        if not isinstance(value, str):
            return value
        inner = _unquoted(value) if value[:1] == '"' else parsed(value)
        if inner == value:
            return value
        value = inner
    return value


def _unquoted(text: str) -> Any:
    found = parsed(f"[{text}]")
    return found[0] if isinstance(found, list) and len(found) == 1 else text


def _asked(value: Any, depth: int = _DEPTH) -> tuple[str | None, list[dict[str, str]]]:
    """The last thing that a person said, and the turns before it."""
    value = _plain(value)
    if isinstance(value, str) or not depth:
        return (value if isinstance(value, str) and value.strip() else None), []
    if isinstance(value, dict):
        value = _inside(value, _ASKED)
        return _asked(value, depth - 1)
    if not isinstance(value, list):
        return None, []
    turns = [(role, text) for role, text in map(message_of, value) if text and role in ("user", "assistant")]
    last = next((place for place in range(len(turns) - 1, -1, -1) if turns[place][0] == "user"), None)
    if last is not None:
        return turns[last][1], [{"role": role or "user", "text": text or ""} for role, text in turns[:last]]
    texts = [one for one in value if isinstance(one, str)]
    return (texts[0] if len(texts) == 1 else None), []


def _answered(value: Any, depth: int = _DEPTH) -> tuple[str | None, str | None]:
    """What the system said last, and the reasoning that its message keeps apart."""
    value = _plain(value)
    if isinstance(value, str) or not depth:
        return (value if isinstance(value, str) and value.strip() else None), None
    if isinstance(value, dict):
        text, inner = _answered(_inside(value, _ANSWERED), depth - 1)
        own = value.get("reasoning_content")
        return text, own if isinstance(own, str) and own.strip() else inner
    if not isinstance(value, list):
        return None, None
    said = [one for one in value if message_of(one)[0] == "assistant" and message_of(one)[1]]
    if said:
        return _answered(said[-1], depth - 1)
    texts = [one for one in value if isinstance(one, str)]
    return (texts[0] if len(texts) == 1 == len(value) else None), None


def _inside(value: dict[str, Any], names: Sequence[str]) -> Any:
    """What an object of a call holds: its messages, its only text argument, or what stands under a usual name."""
    if isinstance(value.get("messages"), list):
        return value["messages"]
    if message_of(value)[0] in ("user", "assistant") and message_of(value)[1]:
        return message_of(value)[1]
    kwargs = value.get("kwargs")
    named = kwargs if isinstance(kwargs, dict) else value
    found = next((named[name] for name in names if named.get(name) is not None), None)
    texts = [one for one in value.get("args") or () if isinstance(one, str)]
    return texts[0] if found is None and len(texts) == 1 else found


def _listed(value: Any) -> list[Any]:
    value = _plain(value)
    if isinstance(value, dict):
        inner = next((value[name] for name in _LISTS if value.get(name) is not None), value)
        return [value] if inner is value else _listed(inner)
    return value if isinstance(value, list) else [] if value is None else [value]


def _latency(trace: dict[str, Any], roots: Sequence[dict[str, Any]]) -> float | None:
    """Of the trace, which Langfuse gives in seconds, else of its only root observation."""
    seconds = trace.get("latency")
    if isinstance(seconds, int | float) and seconds >= 0:
        return round(float(seconds) * 1000, 3)
    if len(roots) != 1:
        return None
    try:
        start, end = (datetime.fromisoformat(str(roots[0].get(key))) for key in ("startTime", "endTime"))
        return max(0.0, round((end - start).total_seconds() * 1000, 3))
    except (ValueError, TypeError):
        return None
