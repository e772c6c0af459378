"""A scanned file's records into the tables, some thousand at a time, in the transaction of its import."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from judge.domain.answers import Dataset, Query
from judge.domain.base import content_hash
from judge.domain.claims import UnitKind
from judge.domain.judging import Judge, RunState, Verdict
from judge.domain.review import Outcome
from judge.domain.rubrics import Rubric
from judge.steps.answers import Record
from judge.steps.bindings import Used
from judge.steps.given import Address, GivenLabel, GivenVerdict
from judge.steps.samples import permanent_number
from judge.steps.scans import Placed, Scan
from judge.store.answers import NewAnswer, complete_query, insert_answers, insert_queries, keep_passages
from judge.store.claims import PlacedClaim, insert_splits, keep_claim_set
from judge.store.datasets import FILE_SETTINGS, insert_dataset
from judge.store.review import NewLabel, insert_items, insert_labels, keep_sample, keep_user
from judge.store.rubrics import keep_rubric
from judge.store.runs import add_run_judge, keep_judge, keep_run
from judge.store.units import NewUnit, keep_units
from judge.store.verdicts import insert_verdicts

FILE = "file"
"""Name and splitter of claims, provider of judges, design of samples, source of labels that came in a file."""
_SEED = 0
_OF_CLAIMS = (UnitKind.CLAIM, UnitKind.CITATION)


class Job(NamedTuple):
    """An import under way."""

    dataset: Dataset
    scan: Scan
    bound: Mapping[Used, Rubric]
    rubric_ids: Mapping[Used, int]
    claim_set_id: int | None
    judge_ids: Mapping[tuple[str, Used], int]
    sample_id: int | None
    user_ids: dict[str, int]
    """Annotators met so far."""
    query_ids: "array[int]"
    """Row ids of the queries written so far, by their number in the plan."""


class _Filed(NamedTuple):
    """A record with its rows."""

    record: Record
    query_id: int
    passage_ids: Mapping[str, int]
    answer_id: int
    claims: Mapping[str, PlacedClaim]


_Units = dict[tuple[int, Address], int]
"""Unit ids by answer id and address."""


def begin(connection: sa.Connection, name: str, identity: bytes, scan: Scan, bound: Mapping[Used, Rubric]) -> Job:
    """Make the Dataset's version and what its rows will point to: rubrics, claim set, runs with judges, the sample."""
    dataset = insert_dataset(
        connection,
        name=name,
        hash=identity,
        corpus_version=scan.corpus_version,
        top_k=scan.top_k,
        answers=scan.good,
    )
    rubric_ids = {used: keep_rubric(connection, rubric) for used, rubric in bound.items()}
    claim_set_id = keep_claim_set(connection, dataset.id, FILE, FILE) if scan.claims else None
    judge_ids = {}
    for judge, names in scan.judges.items():
        run_id = keep_run(
            connection,
            hash=content_hash([FILE, dataset.hash.hex(), judge]),
            name=f"{name}-{judge}",
            dataset_id=dataset.id,
            claim_set_id=_claims_of(names, claim_set_id),
            state=RunState.COMPLETE,
            settings=FILE_SETTINGS,
        )
        for used in names:
            instrument = Judge(name=judge, provider=FILE, model=judge, rubric=bound[used].hash.hex())
            judge_ids[judge, used] = keep_judge(connection, instrument, rubric_ids[used])
            add_run_judge(connection, run_id, judge_ids[judge, used])
    sample_id = _begin_sample(connection, dataset, scan, rubric_ids, claim_set_id) if scan.labelled else None
    return Job(dataset, scan, bound, rubric_ids, claim_set_id, judge_ids, sample_id, {}, array("q"))


def write_part(connection: sa.Connection, job: Job, part: Sequence[Placed]) -> None:
    """Write some records with everything in them."""
    filed = _write_answers(connection, job, part)
    units = _write_units(connection, job, filed)
    _write_verdicts(connection, job, filed, units)
    _write_labels(connection, job, filed, units)


def _claims_of(names: Iterable[Used], claim_set_id: int | None) -> int | None:
    return claim_set_id if any(kind in _OF_CLAIMS for _, kind in names) else None


def _begin_sample(
    connection: sa.Connection,
    dataset: Dataset,
    scan: Scan,
    rubric_ids: Mapping[Used, int],
    claim_set_id: int | None,
) -> int:
    return keep_sample(
        connection,
        name=f"{dataset.name}-{FILE}",
        dataset_id=dataset.id,
        design=FILE,
        seed=_SEED,
        claim_set_id=_claims_of(scan.labelled, claim_set_id),
        rubric_ids=[rubric_ids[used] for used in scan.labelled],
    )


def _write_answers(connection: sa.Connection, job: Job, part: Sequence[Placed]) -> list[_Filed]:
    query_ids = _write_queries(connection, job, part)
    flat = [item.passage for _, record in part for item in record.answer.passages]
    passage_ids = iter(keep_passages(connection, flat))
    known = [{item.passage.key: next(passage_ids) for item in record.answer.passages} for _, record in part]
    new = [
        NewAnswer(record.answer, query_id, list(ids.values()))
        for (_, record), query_id, ids in zip(part, query_ids, known, strict=True)
    ]
    answer_ids = insert_answers(connection, job.dataset.id, new)
    splits = [
        (answer_id, record.split)
        for answer_id, (_, record) in zip(answer_ids, part, strict=True)
        if record.split is not None
    ]
    claims: Mapping[int, Mapping[str, PlacedClaim]] = {}
    if job.claim_set_id is not None:
        claims = insert_splits(connection, job.claim_set_id, job.dataset.id, splits)
    return [
        _Filed(record, query_id, ids, answer_id, claims.get(answer_id, {}))
        for (_, record), query_id, ids, answer_id in zip(part, query_ids, known, answer_ids, strict=True)
    ]


def _write_queries(connection: sa.Connection, job: Job, part: Sequence[Placed]) -> list[int]:
    """Row id of each record's query; those met for the first time are written."""
    plan = job.scan.plan
    numbers = plan.query[[place for place, _ in part]].tolist()
    new: dict[int, Query] = {}
    for number, (_, record) in zip(numbers, part, strict=True):
        if number >= len(job.query_ids):
            new.setdefault(number, record.answer.query)
    job.query_ids.extend(insert_queries(connection, job.dataset.id, list(new.values())))
    for number, (place, record) in zip(numbers, part, strict=True):
        if plan.adds[place]:
            complete_query(connection, job.query_ids[number], record.answer.query)
    return [job.query_ids[number] for number in numbers]


def _write_units(connection: sa.Connection, job: Job, filed: Sequence[_Filed]) -> _Units:
    """Unit ids of all that verdicts and labels address; those of claims were made with the claims."""
    units: _Units = {}
    new: dict[tuple[int, Address], NewUnit] = {}
    for one in filed:
        for of in _addressed(one.record):
            made = one.claims[of.claim].unit_id if of.kind is UnitKind.CLAIM and of.claim is not None else None
            if made is None:
                new[one.answer_id, of] = _new_unit(job, one, of)
            else:
                units[one.answer_id, of] = made
    units.update(zip(new, keep_units(connection, list(new.values())), strict=True))
    return units


def _addressed(record: Record) -> Iterator[Address]:
    given = [verdict.of for verdict in record.verdicts] + [label.of for label in record.labels]
    yield from dict.fromkeys(given)


def _new_unit(job: Job, one: _Filed, of: Address) -> NewUnit:
    part_id = 0 if of.passage is None else one.passage_ids[of.passage]
    owner_id = one.query_id if of.kind is UnitKind.PASSAGE else one.answer_id
    if of.claim is not None:
        owner_id = one.claims[of.claim].claim_id
    claim_set_id = job.claim_set_id if of.kind in _OF_CLAIMS else None
    return NewUnit(of.kind, job.dataset.id, claim_set_id, one.answer_id, owner_id, part_id)


def _write_verdicts(connection: sa.Connection, job: Job, filed: Sequence[_Filed], units: _Units) -> None:
    by_judge: dict[int, list[Verdict]] = {}
    for one in filed:
        for given in one.record.verdicts:
            used = (given.rubric, given.of.kind)
            verdict = _verdict(given, job.bound[used], units[one.answer_id, given.of])
            by_judge.setdefault(job.judge_ids[given.judge, used], []).append(verdict)
    for judge_id, verdicts in by_judge.items():
        insert_verdicts(connection, judge_id, None, verdicts)


def _verdict(given: GivenVerdict, rubric: Rubric, unit_id: int) -> Verdict:
    return Verdict(
        unit_id=unit_id,
        label=None if given.label is None else rubric.read_label(given.label),
        unscored=given.unscored,
        confidence=given.confidence,
        confidence_source=None if given.confidence is None else "given",
        score=given.score,
        raw=given.raw,
    )


def _write_labels(connection: sa.Connection, job: Job, filed: Sequence[_Filed], units: _Units) -> None:
    if job.sample_id is None:
        return
    items: dict[int, tuple[int, int, int | None, float, float | None]] = {}
    labels = []
    for one in filed:
        for given in one.record.labels:
            unit_id = units[one.answer_id, given.of]
            place = permanent_number(_SEED, given.of.key(one.record.answer), "order")
            probability = 1.0 if given.probability is None else given.probability
            items[unit_id] = (job.sample_id, unit_id, None, place, probability)
            labels.append(_label(connection, job, given, unit_id))
    insert_items(connection, list(items.values()))
    insert_labels(connection, labels)


def _label(connection: sa.Connection, job: Job, given: GivenLabel, unit_id: int) -> NewLabel:
    used = (given.rubric, given.of.kind)
    if given.annotator not in job.user_ids:
        job.user_ids[given.annotator] = keep_user(connection, given.annotator)
    user_id, rubric_id = job.user_ids[given.annotator], job.rubric_ids[used]
    return NewLabel(
        unit_id=unit_id,
        rubric_id=rubric_id,
        user_id=user_id,
        outcome=Outcome.LABEL.value,
        label=job.bound[used].read_label(given.label),
        seconds=given.seconds,
        comment=given.comment,
        details={},
        source=FILE,
        token=content_hash([FILE, unit_id, rubric_id, user_id]),
    )
