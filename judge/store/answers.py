"""Answers with their queries and passages, written and read in batches."""

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa

from judge.domain.answers import Answer, Citation, Passage, Query, Retrieved, Turn
from judge.domain.base import content_hash
from judge.domain.errors import UsageError
from judge.store.bulk import find_ids, insert_rows, reserve_ids
from judge.store.database import dump, load
from judge.store.tables import answer_passages, answers, passages, queries
from judge.store.writing import chunks


class NewAnswer(NamedTuple):
    """An answer to insert, with the rows it points to."""

    answer: Answer
    query_id: int
    passage_ids: Sequence[int]
    """Of its passages, in rank order."""


class Facts(NamedTuple):
    """What groups an answer, without its texts."""

    query_id: int
    system: str
    model: str | None
    model_family: str | None
    slices: dict[str, str]

    def group(self, name: str) -> str | None:
        """Its value of a slice; ``system`` is one too, unless the file has its own slice of that name."""
        return self.slices.get(name, self.system if name == "system" else None)


def insert_queries(connection: sa.Connection, dataset_id: int, new: Sequence[Query]) -> list[int]:
    """Add queries that the Dataset has not; their row ids."""
    ids = reserve_ids(connection, queries, len(new))
    rows = [
        (row_id, dataset_id, query.key, query.text, _query_body(query)) for row_id, query in zip(ids, new, strict=True)
    ]
    insert_rows(connection, queries, ("id", "dataset_id", "key", "text", "body"), rows)
    return ids


def complete_query(connection: sa.Connection, query_id: int, query: Query) -> None:
    """Add the reference, evidence sets and grades of ``query`` where the stored one has none."""
    where = queries.c.id == query_id
    body = load(connection.execute(sa.select(queries.c.body).where(where)).scalar_one())
    more = load(_query_body(query))
    connection.execute(queries.update().where(where).values(body=dump({**more, **body})))


def keep_passages(connection: sa.Connection, given: Sequence[Passage]) -> list[int]:
    """Row ids of these passages, in their order; each content is stored once."""
    hashes = [passage_hash(passage) for passage in given]
    wanted = dict(zip(hashes, given, strict=True))
    found = find_ids(connection, passages, "hash", list(wanted))
    new = [hash for hash in wanted if hash not in found]
    ids = reserve_ids(connection, passages, len(new)) if new else []
    rows = [(row_id, hash, *_passage_row(wanted[hash])) for row_id, hash in zip(ids, new, strict=True)]
    columns = ("id", "hash", "key", "text", "body")
    if insert_rows(connection, passages, columns, rows, "ON CONFLICT (hash) DO NOTHING") == len(new):
        found.update(zip(new, ids, strict=True))
    else:  # another writer of PostgreSQL stored one in between
        found |= find_ids(connection, passages, "hash", new)
    return [found[hash] for hash in hashes]


def passage_hash(passage: Passage) -> bytes:
    """``content_hash`` of a Passage; ten times as fast where orjson writes the same JSON, in most passages.

    It writes floats otherwise, and neither lone surrogates nor integers beyond 64 bits.
    """
    if all(type(value) in _SIMPLE for value in passage.metadata.values()):
        try:
            text = orjson.dumps(passage.__dict__, option=orjson.OPT_SORT_KEYS)
        except TypeError:
            return content_hash(passage)
        return hashlib.blake2b(text, digest_size=16).digest()
    return content_hash(passage)


def insert_answers(connection: sa.Connection, dataset_id: int, new: Sequence[NewAnswer]) -> list[int]:
    """Add answers with their rankings; their row ids."""
    ids = reserve_ids(connection, answers, len(new))
    rows = [_answer_row(row_id, dataset_id, one) for row_id, one in zip(ids, new, strict=True)]
    insert_rows(connection, answers, _ANSWER_COLUMNS, rows)
    ranked = [
        (row_id, item.rank, passage_id, item.score)
        for row_id, one in zip(ids, new, strict=True)
        for item, passage_id in zip(one.answer.passages, one.passage_ids, strict=True)
    ]
    insert_rows(connection, answer_passages, ("answer_id", "rank", "passage_id", "score"), ranked)
    return ids


def answer_ids(connection: sa.Connection, dataset_id: int, after: int = 0, limit: int = 1000) -> list[int]:
    """The next row ids of a Dataset's answers behind ``after``, in file order."""
    query = (
        sa.select(answers.c.id)
        .where(answers.c.dataset_id == dataset_id, answers.c.id > after)
        .order_by(answers.c.id)
        .limit(limit)
    )
    return list(connection.execute(query).scalars())


def load_answers(connection: sa.Connection, ids: Sequence[int]) -> dict[int, Answer]:
    """These answers by row id, each with its query and ranked passages."""
    found: dict[int, Answer] = {}
    for some in chunks(ids):
        ranked = _load_ranked(connection, some)
        query = (
            sa.select(
                answers, queries.c.key.label("query"), queries.c.text.label("asked"), queries.c.body.label("rest")
            )
            .join(queries, queries.c.id == answers.c.query_id)
            .where(answers.c.id.in_(some))
            .order_by(answers.c.id)
        )
        for row in connection.execute(query):
            found[row.id] = _answer(row, tuple(ranked.get(row.id, ())))
    return found


def answer_facts(connection: sa.Connection, dataset_id: int, limit: int | None = None) -> dict[int, Facts]:
    """What groups the answers of a Dataset, by row id, in file order.

    Args:
        connection: any.
        dataset_id: whose answers.
        limit: only the first so many.
    """
    query = (
        sa.select(
            answers.c.id,
            answers.c.query_id,
            answers.c.system,
            answers.c.model,
            answers.c.model_family,
            answers.c.slices,
        )
        .where(answers.c.dataset_id == dataset_id)
        .order_by(answers.c.id)
        .limit(limit)
    )
    return {row.id: Facts(*row[1:5], load(row.slices)) for row in connection.execute(query)}


def answers_where(
    connection: sa.Connection, dataset_id: int, wanted: Sequence[tuple[str, tuple[str, ...], bool]]
) -> set[int]:
    """Answers of a Dataset that lie in all of these slices.

    Args:
        connection: any.
        dataset_id: whose answers.
        wanted: (slice name, values, negated): the answer's value is (or is not) among them; ``system`` is a slice
            too; an answer without a value lies in no slice but in the negated ones.

    Raises:
        UsageError: no answer has a slice of that name.
    """
    facts = answer_facts(connection, dataset_id)
    known = {"system", *(name for fact in facts.values() for name in fact.slices)}
    for name, values, _ in wanted:
        if name not in known:
            raise UsageError(f"no answer has the slice {name!r}; there are: {', '.join(sorted(known))}")
        there = sorted({fact.group(name) or "" for fact in facts.values()} - {""})
        for value in values:
            if value not in there:
                some = ", ".join(there[:20]) + (f" and {len(there) - 20} more" if len(there) > 20 else "")
                raise UsageError(f"no answer has {name} = {value!r}; there are: {some}")
    return {
        answer_id
        for answer_id, fact in facts.items()
        if all((fact.group(name) in values) != negated for name, values, negated in wanted)
    }


def read_citations(body: str) -> tuple[Citation, ...]:
    """The citations in an answer's body column."""
    return tuple(Citation(span=tuple(one["span"]), passage=one["passage"]) for one in load(body).get("citations", ()))


_SIMPLE = (str, int, bool, type(None))
_ANSWER_COLUMNS = (
    "id",
    "dataset_id",
    "query_id",
    "key",
    "text",
    "system",
    "model",
    "model_family",
    "slices",
    "body",
)


def _answer_row(row_id: int, dataset_id: int, new: NewAnswer) -> tuple[Any, ...]:
    one = new.answer
    body = {
        "config": one.config,
        "citations": [{"span": cited.span, "passage": cited.passage} for cited in one.citations],
        "rankings": one.rankings,
        "latency_ms": one.latency_ms,
        "metadata": one.metadata,
    }
    return (
        row_id,
        dataset_id,
        new.query_id,
        one.key,
        one.text,
        one.system,
        one.model,
        one.model_family,
        dump(one.slices),
        _compact(body),
    )


def _query_body(query: Query) -> str:
    return _compact(
        {
            "history": [{"role": turn.role, "text": turn.text} for turn in query.history],
            "reference": query.reference,
            "evidence_sets": query.evidence_sets,
            "grades": query.grades,
        }
    )


def _compact(values: dict[str, Any]) -> str:
    """JSON of those that say something."""
    return dump({name: value for name, value in values.items() if value or isinstance(value, str | int | float)})


def _passage_row(passage: Passage) -> tuple[Any, ...]:
    body = {
        "document": passage.document,
        "page": passage.page,
        "object": passage.object,
        "metadata": passage.metadata,
    }
    return passage.key, passage.text, _compact(body)


def _load_ranked(connection: sa.Connection, ids: Sequence[int]) -> dict[int, list[Retrieved]]:
    columns = (
        answer_passages.c.answer_id,
        answer_passages.c.rank,
        answer_passages.c.score,
        passages.c.id,
        passages.c.key,
        passages.c.text,
        passages.c.body,
    )
    query = (
        sa.select(*columns)
        .join(passages, passages.c.id == answer_passages.c.passage_id)
        .where(answer_passages.c.answer_id.in_(ids))
        .order_by(answer_passages.c.answer_id, answer_passages.c.rank)
    )
    known: dict[int, Passage] = {}
    ranked: dict[int, list[Retrieved]] = {}
    for row in connection.execute(query):
        if row.id not in known:
            known[row.id] = Passage(key=row.key, text=row.text, **load(row.body))
        ranked.setdefault(row.answer_id, []).append(Retrieved(passage=known[row.id], rank=row.rank, score=row.score))
    return ranked


def _answer(row: sa.Row[Any], ranked: tuple[Retrieved, ...]) -> Answer:
    body = load(row.body)
    rest = load(row.rest)
    return Answer(
        key=row.key,
        query=Query(
            key=row.query,
            text=row.asked,
            history=tuple(Turn(**turn) for turn in rest.get("history", ())),
            reference=rest.get("reference"),
            evidence_sets=tuple(map(tuple, rest.get("evidence_sets", ()))),
            grades=rest.get("grades", {}),
        ),
        text=row.text,
        passages=ranked,
        citations=read_citations(row.body),
        system=row.system,
        config=body.get("config", {}),
        model=row.model,
        model_family=row.model_family,
        rankings={stage: tuple(keys) for stage, keys in body.get("rankings", {}).items()},
        slices=load(row.slices),
        latency_ms=body.get("latency_ms"),
        metadata=body.get("metadata", {}),
    )
