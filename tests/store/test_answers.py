"""Answers, claims, units, rubrics and datasets: what is written comes back, once, and in batches."""

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from judge.domain.answers import Answer, Citation, Dataset, Passage, Query, Retrieved, Turn
from judge.domain.base import content_hash
from judge.domain.claims import Claim, NotCheckable, Split, UnitKind
from judge.domain.errors import RubricConflictError, UsageError
from judge.domain.rubrics import Rubric, ScaleLabel
from judge.store import tables
from judge.store.answers import (
    NewAnswer,
    answer_facts,
    answer_ids,
    answers_where,
    complete_query,
    insert_answers,
    insert_queries,
    keep_passages,
    load_answers,
    passage_hash,
)
from judge.store.claims import (
    claims_of_units,
    insert_splits,
    keep_claim_set,
    list_claim_sets,
    load_claims,
    split_totals,
    unsplit_answers,
)
from judge.store.database import Store
from judge.store.datasets import find_dataset, insert_dataset, list_datasets
from judge.store.rubrics import find_rubric, keep_rubric, list_rubrics, load_rubric
from judge.store.units import NewUnit, answer_units, find_units, keep_answer_units, keep_units, load_units

PASSAGES = (
    Passage(key="p1", text="猫睡觉。\u2028", document="d", page="1", object="o", metadata={"x": [1, None]}),
    Passage(key="p2", text=None),
)
TEXT = st.text(st.characters(exclude_categories=()))
"""Lone surrogates, control characters and all planes among it."""
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
QUERY = Query(
    key="q1", text="猫？", history=(Turn(role="user", text="\t\\N hi"),), evidence_sets=(("p1",),), grades={"p1": 2}
)


def _answer(number: int, **changes: object) -> Answer:
    values: dict[str, object] = {
        "key": f"a{number}",
        "query": QUERY,
        "text": "Cats\tsleep \\N [1].\nYes.",
        "passages": tuple(Retrieved(passage=p, rank=i, score=0.5) for i, p in enumerate(PASSAGES, 1)),
        "citations": (Citation(span=(14, 17), passage="p1"),),
        "config": {"k": 1},
        "model": "m",
        "rankings": {"retrieved": ("p9", "p1")},
        "slices": {"lang": "zh" if number % 2 else "en"},
        "latency_ms": 1.5,
        "metadata": {"m": "é"},
        **changes,
    }
    return Answer.model_validate(values)


def _dataset(connection: sa.Connection, name: str = "d", answers: int = 0) -> Dataset:
    hash = f"{name}{connection.execute(sa.select(sa.func.count()).select_from(tables.datasets)).scalar_one():>15}"
    return insert_dataset(
        connection, name=name, hash=hash.encode()[:16], corpus_version=None, top_k=None, answers=answers
    )


def _keep(connection: sa.Connection, dataset: Dataset, *given: Answer) -> list[int]:
    query_id = insert_queries(connection, dataset.id, [QUERY])[0]
    rows = []
    for answer in given:
        ids = keep_passages(connection, [item.passage for item in answer.passages])
        rows.append(NewAnswer(answer, query_id, ids))
    return insert_answers(connection, dataset.id, rows)


SPLIT = Split(
    claims=(
        Claim(key="c1", text="Cats sleep", spans=((0, 10), (12, 13)), passages=("p1",), citations=("p1",)),
        Claim(key="s1", text="Yes.", not_checkable=NotCheckable.GREETING),
        Claim(key="c2", text="睡"),
    ),
    uncovered=((10, 12),),
    length=20,
    covered=15,
)


def test_answers_come_back_whole(store: Store) -> None:
    given = [
        _answer(1),
        _answer(2, passages=(), citations=(), text=None, config={}, latency_ms=None),
        _answer(3, text=""),
    ]
    with store.write() as connection:
        ids = _keep(connection, _dataset(connection), *given)
    with store.read() as connection:
        assert load_answers(connection, ids) == dict(zip(ids, given, strict=True))


def test_a_passage_is_stored_once_by_its_content(store: Store) -> None:
    other = PASSAGES[0].model_copy(update={"text": "other"})
    with store.write() as connection:
        first = keep_passages(connection, [*PASSAGES, PASSAGES[0]])
        again = keep_passages(connection, [PASSAGES[1], other, PASSAGES[0]])
    assert first[0] == first[2] == again[2]
    assert again[0] == first[1]
    assert again[1] not in first


def test_a_query_is_completed_and_never_overwritten(store: Store) -> None:
    with store.write() as connection:
        answer_id = _keep(connection, _dataset(connection), _answer(1))[0]
        query_id = connection.execute(sa.select(tables.queries.c.id)).scalar_one()
        complete_query(connection, query_id, QUERY.model_copy(update={"reference": "睡", "grades": {"p1": 1}}))
        query = load_answers(connection, [answer_id])[answer_id].query
    assert query == QUERY.model_copy(update={"reference": "睡"})


def test_answers_page_by_key_and_by_slice(store: Store) -> None:
    with store.write() as connection:
        dataset = _dataset(connection)
        ids = _keep(connection, dataset, *(_answer(i) for i in range(5)))
        assert answer_ids(connection, dataset.id, limit=2) == ids[:2]
        assert answer_ids(connection, dataset.id, after=ids[1]) == ids[2:]
        assert answers_where(connection, dataset.id, [("lang", ("en",), False)]) == {ids[0], ids[2], ids[4]}
        assert answers_where(connection, dataset.id, [("lang", ("en",), True), ("system", ("default",), False)]) == {
            ids[1],
            ids[3],
        }
        assert list(answer_facts(connection, dataset.id, 2)) == ids[:2]
        with pytest.raises(UsageError, match="no answer has the slice 'topic'; there are: lang, system"):
            answers_where(connection, dataset.id, [("topic", ("x",), False)])


def test_splits_are_stored_once_with_units_of_checkable_claims(store: Store) -> None:
    with store.write() as connection:
        dataset = _dataset(connection)
        ids = _keep(connection, dataset, _answer(1), _answer(2, text=None), _answer(3))
        claim_set_id = keep_claim_set(connection, dataset.id, "rules", "rules-1")
        assert keep_claim_set(connection, dataset.id, "rules", "rules-1") == claim_set_id
        todo = unsplit_answers(connection, claim_set_id, dataset.id)
        assert [(one.id, one.citations) for one in todo] == [(i, _answer(1).citations) for i in (ids[0], ids[2])]
        placed = insert_splits(connection, claim_set_id, dataset.id, [(ids[0], SPLIT), (ids[2], Split(claims=()))])
        assert insert_splits(connection, claim_set_id, dataset.id, [(ids[0], SPLIT)]) == {}
        assert unsplit_answers(connection, claim_set_id, dataset.id) == []
        assert placed[ids[0]]["s1"].unit_id is None
        claims = load_claims(connection, claim_set_id, ids)
        assert [claim for _, claim in claims[ids[0]]] == [SPLIT.claims[0], SPLIT.claims[2]]
        unit_ids = [unit_id for unit_id, _ in claims[ids[0]]]
        assert unit_ids == [placed[ids[0]][key].unit_id for key in ("c1", "c2")]
        assert claims_of_units(connection, unit_ids) == dict(claims[ids[0]])
        totals = split_totals(connection, claim_set_id)
        assert totals._asdict() == {
            "claims": 2,
            "not_checkable": 1,
            "no_claims": 1,
            "length": 20,
            "covered": 15,
            "answers": 2,
        }
        assert [one.name for one in list_claim_sets(connection, dataset.id)] == ["rules"]


def test_units_are_made_once_and_have_keys(store: Store) -> None:
    with store.write() as connection:
        dataset = _dataset(connection, answers=1)
        answer_id = _keep(connection, dataset, _answer(1))[0]
        claim_set_id = keep_claim_set(connection, dataset.id, "rules", "rules-1")
        placed = insert_splits(connection, claim_set_id, dataset.id, [(answer_id, SPLIT)])[answer_id]["c1"]
        passage_id = keep_passages(connection, PASSAGES)[0]
        query_id = connection.execute(sa.select(tables.queries.c.id)).scalar_one()
        new = [
            NewUnit(UnitKind.ANSWER, dataset.id, None, answer_id, answer_id),
            NewUnit(UnitKind.CITATION, dataset.id, claim_set_id, answer_id, placed.claim_id, passage_id),
            NewUnit(UnitKind.PASSAGE, dataset.id, None, answer_id, query_id, passage_id),
            NewUnit(UnitKind.CLAIM, dataset.id, claim_set_id, answer_id, placed.claim_id),
        ]
        ids = keep_units(connection, new)
        assert keep_units(connection, [*new, new[0]]) == [*ids, ids[0]]
        assert ids[3] == placed.unit_id
        keys = ["a1", "a1#c1@p1", "q1@p1", "a1#c1"]
        assert [load_units(connection, ids)[unit_id].key for unit_id in ids] == keys
        for unit_id, key in zip(ids, keys, strict=True):
            assert [(unit.id, name) for unit, name in find_units(connection, key)] == [(unit_id, "d@1")]
        assert find_units(connection, str(ids[1]))[0][0].key == "a1#c1@p1"
        assert find_units(connection, "a1#c9") == []
        keep_answer_units(connection, dataset.id)
        keep_answer_units(connection, dataset.id)
        assert answer_units(connection, [answer_id]) == {answer_id: ids[0]}


def test_datasets_are_named_by_name_version_or_id(store: Store) -> None:
    with store.write() as connection:
        with pytest.raises(UsageError, match="there is no dataset yet; `judge import"):
            find_dataset(connection)
        old, new = _dataset(connection), _dataset(connection)
        assert (old.version, new.version) == (1, 2)
        assert find_dataset(connection) == new
        other = _dataset(connection, "别的")
        for ref, expected in (("d", new), ("d@1", old), (str(old.id), old), ("别的", other)):
            assert find_dataset(connection, ref) == expected
        with pytest.raises(UsageError, match=r"there are 2 datasets, name one: d .*, 别的 "):
            find_dataset(connection)
        with pytest.raises(UsageError, match="there is no dataset 'x'"):
            find_dataset(connection, "x")
        assert list_datasets(connection) == [old, new, other]


def _rubric(meaning: str, version: int = 1) -> Rubric:
    scale = tuple(ScaleLabel(name=name, meaning={"en": meaning}) for name in ("yes", "no"))
    return Rubric(name="r", version=version, unit=UnitKind.CLAIM, question={"en": "?", "zh": "？"}, scale=scale)


def test_a_rubric_is_stored_once_and_its_words_never_change(store: Store) -> None:
    with store.write() as connection:
        first = keep_rubric(connection, _rubric("old words"))
        assert keep_rubric(connection, _rubric("old words")) == first
        with pytest.raises(RubricConflictError) as caught:
            keep_rubric(connection, _rubric("new words"))
        assert "r@1" in str(caught.value)
        assert '-    "en": "old words"' in str(caught.value)
        assert '+    "en": "new words"' in str(caught.value)
        second = keep_rubric(connection, _rubric("new words", version=2))
        assert load_rubric(connection, first) == _rubric("old words")
        found = [find_rubric(connection, ref).id for ref in ("r", "r@1", str(second))]
        assert found == [second, first, second]
        assert [one.id for one in list_rubrics(connection)] == [first, second]
        with pytest.raises(UsageError, match="there is no rubric 's'"):
            find_rubric(connection, "s")


@given(
    st.builds(
        Passage,
        key=TEXT,
        text=st.none() | TEXT,
        document=st.none() | TEXT,
        page=st.none() | TEXT,
        object=st.none() | TEXT,
        metadata=st.dictionaries(TEXT, VALUE, max_size=3),
    )
)
def test_the_fast_identity_of_a_passage_is_its_identity(passage: Passage) -> None:
    assert passage_hash(passage) == content_hash(passage)


def test_many_rows_more_than_one_statement_takes(store: Store) -> None:
    given = [Passage(key=f"p{i}", text=f"{i} %s ? 猫") for i in range(230)]
    with store.write() as connection:
        first = keep_passages(connection, given[:120])
        every = keep_passages(connection, [*reversed(given), given[0]])
    assert every[-1] == first[0]
    assert list(reversed(every[:-1]))[:120] == first
    with store.read() as connection:
        stored = dict(connection.execute(sa.select(tables.passages.c.id, tables.passages.c.text)).all())
    assert [stored[row_id] for row_id in reversed(every[:-1])] == [passage.text for passage in given]
