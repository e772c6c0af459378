"""RAGAS: samples of 0.4 and of older versions, with their scores, and runs of a metric that a person annotated."""

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from judge.domain.errors import InputError
from judge.steps.formats.mapping import Mapper, folded, native_line
from judge.steps.formats.notes import Notes
from judge.steps.formats.values import message_of, parsed
from judge.steps.records import Line

JUDGE = "ragas"
"""Name of the judge whose scores and verdicts such a file holds."""
ANNOTATOR = "ragas-annotator"
"""Name of the person who annotated: the file says none."""
_METRICS = (
    *("faithfulness", "answer_relevan", "response_relevan", "context_precision", "context_recall", "context_relevan"),
    *("context_entity_recall", "context_utilization", "llm_context_", "non_llm_", "id_based_context_", "answer_corr"),
    *("answer_similarity", "answer_accuracy", "semantic_similarity", "factual_correctness", "noise_sensitivity"),
    *("response_groundedness", "summarization_score", "summary_score", "rouge", "bleu", "chrf", "exact_match"),
    *("string_present", "nv_", "harmfulness", "maliciousness", "coherence", "correctness", "conciseness"),
)
"""How the columns begin that hold RAGAS' scores."""
_METRIC = "metric_name"
"""Key under which a flattened row holds the metric that its list stood under."""


def annotated_rows(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The rows of ``{metric: [annotated run, ...]}`` in order; None: the object is something else."""
    rows = [
        {**row, _METRIC: metric}
        for metric, runs in value.items()
        if isinstance(runs, list)
        for row in runs
        if isinstance(row, dict) and "metric_input" in row
    ]
    whole = rows and len(rows) == sum(len(runs) if isinstance(runs, list) else 1 for runs in value.values())
    return rows if whole else None


def is_ragas(columns: Iterable[str]) -> bool:
    """Whether the keys of a row are those of RAGAS."""
    names = set(columns)
    return (
        {"user_input", "response"} <= names or "metric_input" in names or {"user_input", "reference_contexts"} <= names
    )


def read_ragas(lines: Iterable[Line], mapper: Mapper, where: str, notes: Notes | None) -> Iterator[Line]:
    """Native rows of RAGAS samples, or of annotated runs.

    The columns of metrics become verdicts of the judge ``ragas`` of the whole answer, with a score and no label.
    """
    runs = []
    for line in lines:
        at = f"{where}:{line.number}"
        if line.problem is not None:
            yield line
        elif "metric_input" in line.row:
            runs.append(line)
        else:
            try:
                yield native_line(line.number, _sample(line.row, mapper, at, notes), at, notes)
            except InputError as error:
                yield Line(line.number, {}, error)
    yield from _annotated(runs, mapper, where, notes)


def _sample(row: dict[str, Any], mapper: Mapper, at: str, notes: Notes | None) -> dict[str, Any]:
    scores = {name: row[name] for name in row if folded(name).startswith(_METRICS)}
    rest = {name: value for name, value in row.items() if name not in scores}
    contexts = rest.pop("reference_contexts", None)
    given = mapper.row(_turned(rest), at, notes)
    verdicts = [_scored(name, value, at) for name, value in scores.items()]
    if verdicts:
        given["verdicts"] = [*given.get("verdicts", ()), *verdicts]
    if contexts is not None:
        given["metadata"] = {**given.get("metadata", {}), "reference_contexts": contexts}
    if notes is not None and scores:
        notes.taken["verdicts"] = ", ".join(scores)
    return given


def _scored(name: str, value: Any, at: str) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise InputError(at, f"the score `{name}` is {value[:40]!r}", "a number or nothing") from None
    score = value if isinstance(value, int | float) and value == value else None  # noqa: PLR0124 - not NaN
    return {"rubric": name, "judge": JUDGE, "label": None, "score": None if score is None else float(score)}


def _turned(row: dict[str, Any]) -> dict[str, Any]:
    """A row of many turns, whose ``user_input`` is the conversation, as its last question with what came before."""
    turns = row.get("user_input")
    turns = parsed(turns) if isinstance(turns, str) else turns
    if not isinstance(turns, list) or not turns:
        return row
    said = [(role, text) for role, text in map(message_of, turns) if role in ("user", "assistant") and text]
    asked = next((place for place in range(len(said) - 1, -1, -1) if said[place][0] == "user"), None)
    if asked is None:
        return row
    answered = next((text for role, text in reversed(said[asked + 1 :]) if role == "assistant"), None)
    history = [{"role": role, "text": text} for role, text in said[:asked]]
    return {**row, "user_input": said[asked][1], "response": row.get("response", answered), "history": history}


def _annotated(runs: list[Line], mapper: Mapper, where: str, notes: Notes | None) -> Iterator[Line]:
    """One record for each input; the judge's verdicts and the person's labels of all metrics on it."""
    found: dict[bytes, tuple[int, dict[str, Any], set[str]]] = {}
    for line in runs:
        at = f"{where}:{line.number}"
        metric = str(line.row.get(_METRIC, "metric"))
        try:
            given = mapper.row(line.row["metric_input"], at, notes)
            verdict, label = _judged(line.row, metric, at)
        except InputError as error:
            yield Line(line.number, {}, error)
            continue
        first, record, metrics = found.setdefault(orjson.dumps(line.row["metric_input"]), (line.number, given, set()))
        if metric in metrics:
            problem = InputError(at, f"the same input of {metric!r} as row {first}", "each input once", "remove one")
            yield Line(line.number, {}, problem)
            continue
        metrics.add(metric)
        record.setdefault("verdicts", []).append(verdict)
        if label is not None:
            record.setdefault("labels", []).append(label)
    if notes is not None and found:
        notes.taken |= {"verdicts": "prompt_output", "labels": "is_accepted, edited_output"}
    for number, record, _ in found.values():
        yield native_line(number, record, f"{where}:{number}", notes)


def _judged(row: dict[str, Any], metric: str, at: str) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """What the judge said, and what the person says of it.

    The person's label is the edited verdict; without one, the judge's own where it was accepted, and the other of 0
    and 1 where it was rejected. A rejected verdict of any other scale has no label: nobody said the right one.
    """
    prompts = row.get("prompts")
    prompt = next(iter(prompts.values()), None) if isinstance(prompts, dict) else None
    prompt = prompt if isinstance(prompt, dict) else {}
    output, edited = prompt.get("prompt_output"), prompt.get("edited_output")
    said = output.get("verdict") if isinstance(output, dict) else None
    said = row.get("metric_output") if said is None else said
    if said is None:
        raise InputError(at, "the run has no `metric_output`", "the metric's verdict")
    raw = output.get("reason") if isinstance(output, dict) else None
    verdict = {"rubric": metric, "judge": JUDGE, "label": _word(said), "raw": raw if isinstance(raw, str) else None}
    label, comment = None, None
    accepted = row.get("is_accepted")
    if isinstance(edited, dict) and edited.get("verdict") is not None:
        label, comment = edited["verdict"], edited.get("reason")
    elif accepted is True:
        label = said
    elif accepted is False and said in (0, 1):
        label, comment = 1 - int(said), "rejected"
    if label is None:
        return verdict, None
    given = {"rubric": metric, "annotator": ANNOTATOR, "label": _word(label)}
    return verdict, given | ({"comment": comment} if isinstance(comment, str) else {})


def _word(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
