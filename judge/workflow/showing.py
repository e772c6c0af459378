"""Show: everything behind the verdicts of one unit."""

from typing import Any, NamedTuple

import sqlalchemy as sa

from judge.domain.answers import Answer
from judge.domain.claims import Claim, ClaimSet, Unit, UnitKind
from judge.domain.errors import UsageError
from judge.domain.judging import Judge, Verdict
from judge.domain.rubrics import Rubric
from judge.store.answers import load_answers
from judge.store.calls import Sent, call_of
from judge.store.claims import claims_of_units, find_claims, list_claim_sets
from judge.store.database import Store
from judge.store.datasets import find_dataset, list_datasets
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
    """One unit with everything behind it, or a claim that is none since it is not judged."""

    key: str
    unit: Unit | None
    claim_set: ClaimSet | None
    """Of the claim."""
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
        if not found and (unjudged := _unjudged(connection, ref, dataset)):
            return unjudged
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
        claim_set = _set(connection, find_dataset(connection, name).id, unit.claim_set_id)
        claim = claims_of_units(connection, [unit.id]).get(unit.id)
        return Shown(unit.key, unit, claim_set, name, answer, claim, judged, labels)


def _unjudged(connection: sa.Connection, ref: str, dataset: str | None) -> Shown | None:
    """The newest claim of that key that is not judged, in the newest version of its Dataset."""
    known = [find_dataset(connection, dataset)] if dataset is not None else list_datasets(connection)
    names = {one.id: f"{one.name}@{one.version}" for one in {one.name: one for one in known}.values()}
    found = find_claims(connection, ref, list(names))
    if not found:
        return None
    where, claim = found[0]
    answer = load_answers(connection, [where.answer_id])[where.answer_id]
    claim_set = _set(connection, where.dataset_id, where.claim_set_id)
    return Shown(ref, None, claim_set, names[where.dataset_id], answer, claim, [], [])


def _set(connection: sa.Connection, dataset_id: int, claim_set_id: int | None) -> ClaimSet | None:
    sets = list_claim_sets(connection, dataset_id)
    return next((one for one in sets if one.id == claim_set_id), None)


def as_json(shown: Shown) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "unit": shown.key,
        "unit_id": shown.unit.id if shown.unit else None,
        "kind": shown.unit.kind.value if shown.unit else UnitKind.CLAIM.value,
        "dataset": shown.dataset,
        "claim_set": shown.claim_set.name if shown.claim_set else None,
        "source": shown.claim_set.source if shown.claim_set else "answer",
        "question": shown.answer.query.text,
        "answer": shown.answer.text,
        "reference": shown.answer.query.reference,
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
