"""What a Run still has to do, page by page, so that memory stays flat."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from judge.domain.answers import Answer
from judge.domain.claims import Claim, UnitKind
from judge.domain.judging import Judge, Request, Run, Rung, Subject
from judge.domain.rubrics import Rubric
from judge.engines.judgements import Judgement, Verdicts
from judge.engines.local import Work
from judge.steps.requests import compose, language_of, positions, subjects, unanswerable
from judge.steps.verdicts import unscored_all
from judge.store.answers import answer_ids, load_answers
from judge.store.calls import usable_replies
from judge.store.claims import load_claims
from judge.store.database import Store
from judge.store.units import answer_units
from judge.store.verdicts import verdict_states

PAGE = 200
"""Answers loaded at a time."""


class Instrument(NamedTuple):
    """A Judge as a Run uses it, with its rubric at hand."""

    judge_id: int
    judge: Judge
    rubric: Rubric


def pending(
    store: Store, run: Run, instruments: Sequence[Instrument], retry: frozenset[str], limit: int | None = None
) -> Iterator[Work[Verdicts]]:
    """Everything without a verdict, and the unscored whose reason stands in ``retry``, in answer order.

    Args:
        store: the open database.
        run: whose units.
        instruments: its Judges.
        retry: unscored reasons to ask again for.
        limit: only the first answers, for this command.
    """
    after = 0
    left = min((n for n in (run.limit, limit) if n is not None), default=None)
    while left is None or left > 0:
        with store.read() as connection:
            page = answer_ids(connection, run.dataset_id, after, PAGE if left is None else min(PAGE, left))
            work = list(_page(connection, run, instruments, page, retry)) if page else []
        yield from work
        if not page:
            return
        after = page[-1]
        left = None if left is None else left - len(page)


def _page(
    connection: sa.Connection,
    run: Run,
    instruments: Sequence[Instrument],
    page: Sequence[int],
    retry: frozenset[str],
) -> Iterator[Work[Verdicts]]:
    answers: dict[int, Answer] | None = None
    claims = load_claims(connection, run.claim_set_id, page) if run.claim_set_id is not None else {}
    for instrument in instruments:
        units = units_of(connection, instrument.rubric.unit, page, claims)
        states = verdict_states(connection, instrument.judge_id, [unit for some in units.values() for unit, _ in some])
        todo = {
            answer_id: some for answer_id, some in units.items() if any(_open(states, unit, retry) for unit, _ in some)
        }
        if not todo:
            continue
        answers = answers if answers is not None else load_answers(connection, page)
        asked = [
            request
            for answer_id, some in todo.items()
            for request in _requests(instrument, answers[answer_id], some)
            if any(_open(states, unit, retry) for unit in request.unit_ids)
        ]
        again = {request.hash for request in asked if any(states.get(unit) in retry for unit in request.unit_ids)}
        yield from _with_replies(connection, instrument, asked, again)


def units_of(
    connection: sa.Connection,
    kind: UnitKind,
    page: Sequence[int],
    claims: dict[int, list[tuple[int, Claim]]],
) -> dict[int, list[tuple[int, Claim | None]]]:
    """Units to judge by answer: its checkable claims, or the answer itself."""
    if kind is UnitKind.ANSWER:
        return {answer_id: [(unit_id, None)] for answer_id, unit_id in answer_units(connection, page).items()}
    return {
        answer_id: [(unit_id, claim) for unit_id, claim in some if claim.checkable]
        for answer_id, some in claims.items()
    }


def _open(states: dict[int, str], unit_id: int, retry: frozenset[str]) -> bool:
    return unit_id not in states or states[unit_id] in retry


def _requests(instrument: Instrument, answer: Answer, units: list[tuple[int, Claim | None]]) -> Iterator[Request]:
    judge, rubric = instrument.judge, instrument.rubric
    claims = [claim for _, claim in units if claim is not None]
    ids = [unit_id for unit_id, _ in units]
    asked = subjects(answer, claims, rubric, judge.per, language_of(judge.language, answer))
    for subject in asked:
        unit_ids = tuple(ids[place] for place in positions(subject)) or tuple(ids)  # an answer's subject has no claims
        yield request_for(judge, subject, judge.rung, unit_ids)


def request_for(judge: Judge, subject: Subject, rung: Rung, unit_ids: tuple[int, ...]) -> Request:
    """The Request that asks a Judge about a Subject."""
    # the embedded judge reads the rubric itself, not only the words made of it
    model = f"{judge.model}:{judge.rubric}" if judge.provider == "baseline" else judge.model
    return Request(
        prompt=compose(subject, rung, judge.parameters),
        provider=judge.provider,
        base_url=judge.base_url,
        model=model,
        unit_ids=unit_ids,
    )


def _with_replies(
    connection: sa.Connection, instrument: Instrument, requests: list[Request], again: set[bytes]
) -> Iterator[Work[Verdicts]]:
    cached = usable_replies(connection, [request.hash for request in requests if request.hash not in again])
    for request in requests:
        subject = request.prompt.subject
        reason = unanswerable(subject) if subject else None
        if reason is not None:
            yield Work(instrument.judge_id, Judgement(request), known=unscored_all(request, reason))
        else:
            yield Work(instrument.judge_id, Judgement(request), cached=cached.get(request.hash))
