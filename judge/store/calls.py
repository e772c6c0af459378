"""Calls with their attempts: what was sent, what came back, what it cost. Usable replies are the cache."""

import time
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa

from judge.domain.judging import Attempt, AttemptKind, Reply, Request, Usage
from judge.store.database import load
from judge.store.tables import attempts, calls, units, verdicts
from judge.store.writing import chunks, get_or_insert


class Spent(NamedTuple):
    """What the requests of a Run have cost so far."""

    calls: int
    tokens: int | None
    cost: float | None
    currency: str | None


def usable_replies(connection: sa.Connection, hashes: Sequence[bytes]) -> dict[bytes, tuple[int, tuple[Reply, ...]]]:
    """The replies of each Call identity that was answered: ``{hash: (call id, Replies)}``. This is the cache."""
    found: dict[bytes, tuple[int, tuple[Reply, ...]]] = {}
    for some in chunks(hashes):
        query = (
            sa.select(calls.c.hash, calls.c.id, attempts.c.body, attempts.c.raw)
            .join(attempts, attempts.c.call_id == calls.c.id)
            .where(calls.c.hash.in_(some), calls.c.usable, attempts.c.error.is_(None))
            .order_by(attempts.c.id)
        )
        for row in connection.execute(query):
            reply = Reply.model_validate({**load(row.body), "raw": row.raw})
            found[row.hash] = (row.id, (*found.get(row.hash, (0, ()))[1], reply))
    return found


def save_call(
    connection: sa.Connection, request: Request, made: Sequence[Attempt], *, usable: bool, run_id: int | None
) -> int:
    """Append the attempts of one Call identity; the call's row id."""
    call_id = get_or_insert(
        connection,
        calls,
        {"hash": request.hash},
        {
            "provider": request.provider,
            "model": request.model,
            "request": zlib.compress(_sent(request), 1),
            "usable": usable,
            "created_at": time.time(),
        },
    )
    if usable:
        connection.execute(calls.update().where(calls.c.id == call_id, ~calls.c.usable).values(usable=True))
    if made:
        connection.execute(attempts.insert(), [_attempt(call_id, run_id, one) for one in made])
    return call_id


def _sent(request: Request) -> bytes:
    prompt = request.prompt
    return orjson.dumps(
        {
            "messages": [[message.role, message.content] for message in prompt.messages],
            "rung": prompt.rung,
            "schema": prompt.json_schema,
            "parameters": prompt.parameters,
            "draw": request.draw,
        }
    )


def _attempt(call_id: int, run_id: int | None, attempt: Attempt) -> dict[str, Any]:
    reply = attempt.reply
    usage = reply.usage if reply else Usage()
    return {
        "call_id": call_id,
        "run_id": run_id,
        "kind": attempt.kind.value,
        "status": attempt.status,
        "error": attempt.error,
        "raw": reply.raw if reply else attempt.raw,
        "body": reply.model_dump_json(exclude={"raw"}, exclude_defaults=True) if reply else "{}",
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cached_tokens": usage.cached,
        "reasoning_tokens": usage.reasoning,
        "cost": reply.cost if reply else None,
        "currency": reply.currency if reply else None,
        "latency_ms": reply.latency_ms if reply else attempt.latency_ms,
        "served_model": reply.served_model if reply else None,
        "created_at": time.time(),
    }


def spent(connection: sa.Connection, run_id: int) -> Spent:
    """Requests, tokens and money of a Run; None where any request left it unknown."""
    row = connection.execute(
        sa.select(
            sa.func.count(),
            sa.func.sum(attempts.c.input_tokens + attempts.c.output_tokens),
            sa.func.count(attempts.c.input_tokens + attempts.c.output_tokens),
            sa.func.sum(attempts.c.cost),
            sa.func.count(attempts.c.cost),
            sa.func.max(attempts.c.currency),
            sa.func.count().filter(attempts.c.error.is_(None)),
        ).where(attempts.c.run_id == run_id)
    ).one()
    n, tokens, with_tokens, cost, with_cost, currency, replies = row
    return Spent(
        n,
        int(tokens) if replies and with_tokens == replies else None,
        float(cost) if replies and with_cost == replies else None,
        currency,
    )


def served_models(connection: sa.Connection, judge_id: int, dataset_id: int) -> list[str]:
    """The models as the provider named them in the calls behind a Judge's verdicts on one Dataset."""
    behind = (
        sa.select(verdicts.c.call_id)
        .join(units, units.c.id == verdicts.c.unit_id)
        .where(verdicts.c.judge_id == judge_id, units.c.dataset_id == dataset_id)
    )
    query = (
        sa.select(attempts.c.served_model)
        .where(
            attempts.c.served_model.is_not(None),
            attempts.c.call_id.in_(behind),
        )
        .distinct()
        .order_by(attempts.c.served_model)
    )
    return list(connection.execute(query).scalars())


class Sent(NamedTuple):
    """What a Call sent, and its attempts."""

    request: dict[str, Any]
    attempts: tuple[Attempt, ...]


def call_of(connection: sa.Connection, judge_id: int, unit_id: int) -> Sent | None:
    """The Call behind a verdict, if there was one."""
    query = (
        sa.select(calls.c.id, calls.c.request)
        .join(verdicts, verdicts.c.call_id == calls.c.id)
        .where(verdicts.c.judge_id == judge_id, verdicts.c.unit_id == unit_id)
    )
    call = connection.execute(query).first()
    if call is None:
        return None
    rows = connection.execute(sa.select(attempts).where(attempts.c.call_id == call.id).order_by(attempts.c.id))
    return Sent(load(zlib.decompress(call.request)), tuple(_attempt_of(row) for row in rows))


def _attempt_of(row: Any) -> Attempt:
    body = load(row.body)
    return Attempt(
        kind=AttemptKind(row.kind),
        reply=None if row.error is not None else Reply.model_validate({**body, "raw": row.raw}),
        error=row.error,
        status=row.status,
        raw=row.raw if row.error is not None else b"",
        latency_ms=row.latency_ms,
    )
