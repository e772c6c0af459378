"""Show: everything behind the verdicts of one unit."""

from typing import Any, NamedTuple

from judge.domain.answers import Answer
from judge.domain.claims import Claim, Unit
from judge.domain.errors import UsageError
from judge.domain.judging import Judge, Verdict
from judge.domain.rubrics import Rubric
from judge.store.answers import load_answers
from judge.store.calls import Sent, call_of
from judge.store.claims import claims_of_units
from judge.store.database import Store
from judge.store.review import StoredLabel, current_labels
from judge.store.rubrics import load_rubric
from judge.store.runs import judged_by
from judge.store.units import find_units
from judge.store.verdicts import load_verdicts


class Judged(NamedTuple):
    """One verdict with what led to it."""

    run: str
    judge: Judge
    rubric: Rubric
    verdict: Verdict
    sent: Sent | None
    """What was sent and what came back; None for a verdict made elsewhere or without a call."""


class Shown(NamedTuple):
    """One unit with everything behind it."""

    unit: Unit
    dataset: str
    answer: Answer
    claim: Claim | None
    judged: list[Judged]
    labels: list[tuple[Rubric, StoredLabel]]


def show(store: Store, ref: str, dataset: str | None = None) -> Shown:
    """Everything about the unit of that key (``answer#claim``) or id.

    Raises:
        UsageError: no such unit, or several in different datasets.
    """
    with store.read() as connection:
        found = find_units(connection, ref, dataset)
        if not found:
            raise UsageError(
                f"there is no unit {ref!r}; expected an id or a key such as ANSWER#c1 "
                "(`judge labels export` and the report list them)"
            )
        if len(found) > 1:
            names = ", ".join(f"{unit.id} (dataset {name})" for unit, name in found)
            raise UsageError(f"{ref!r} names several units, give an id or --dataset: {names}")
        unit, name = found[0]
        judged = []
        for run, judge_id, judge, rubric_id in judged_by(connection, unit.id):
            verdict = load_verdicts(connection, judge_id, [unit.id])[0]
            sent = call_of(connection, judge_id, unit.id)
            judged.append(Judged(run, judge, load_rubric(connection, rubric_id), verdict, sent))
        labels = [(load_rubric(connection, label.rubric_id), label) for label in current_labels(connection, [unit.id])]
        answer = load_answers(connection, [unit.answer_id])[unit.answer_id]
        return Shown(unit, name, answer, claims_of_units(connection, [unit.id]).get(unit.id), judged, labels)


def as_json(shown: Shown) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "unit": shown.unit.key,
        "unit_id": shown.unit.id,
        "kind": shown.unit.kind.value,
        "dataset": shown.dataset,
        "question": shown.answer.query.text,
        "answer": shown.answer.text,
        "claim": shown.claim.model_dump(mode="json") if shown.claim else None,
        "passages": [one.model_dump(mode="json") for one in shown.answer.passages],
        "verdicts": [_judged(one) for one in shown.judged],
        "labels": [
            {"rubric": rubric.name, "annotator": label.user, "outcome": label.outcome.value, "label": label.label}
            for rubric, label in shown.labels
        ],
    }


def _judged(one: Judged) -> dict[str, Any]:
    sent = one.sent
    return {
        "run": one.run,
        "judge": one.judge.name,
        "judge_id": one.judge.hash.hex(),
        "rubric": one.rubric.name,
        "rubric_id": one.rubric.hash.hex(),
        **one.verdict.model_dump(mode="json", exclude={"unit_id"}),
        "prompt": sent.request["messages"] if sent else None,
        "attempts": [
            {
                "kind": attempt.kind.value,
                "error": attempt.error,
                "raw": (attempt.reply.raw if attempt.reply else attempt.raw).decode("utf-8", "replace"),
                "served_model": attempt.reply.served_model if attempt.reply else None,
                "usage": attempt.reply.usage.model_dump() if attempt.reply else None,
                "cost": attempt.reply.cost if attempt.reply else None,
                "latency_ms": attempt.reply.latency_ms if attempt.reply else attempt.latency_ms,
            }
            for attempt in (sent.attempts if sent else ())
        ],
    }
