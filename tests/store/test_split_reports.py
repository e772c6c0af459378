"""What is read of claim sets for reports and comparisons, on SQLite and PostgreSQL."""

from collections.abc import Callable
from pathlib import Path

from judge.domain.claims import Claim, NotCheckable, Split
from judge.store.answers import answer_ids
from judge.store.claims import (
    count_not_in_answer,
    count_unsplit,
    find_claims,
    hold_claim_set,
    insert_splits,
    keep_claim_set,
    list_claim_sets,
    load_claims,
    load_split_claims,
    not_checkable_by_reason,
    release_claim_set,
    split_by_both,
    split_texts,
    split_totals,
    unsplit_answers,
)
from judge.store.database import Store
from judge.store.datasets import find_dataset
from judge.workflow.imports import import_file

CLAIMS = (
    Claim(key="s1", text="Hi!", spans=((0, 3),), not_checkable=NotCheckable.GREETING),
    Claim(key="c1", text="It 红.", spans=((4, 6), (9, 11))),
    Claim(key="s2", text="Hello!", not_checkable=NotCheckable.GREETING),
    Claim(key="s3", text="Is it?", not_checkable=NotCheckable.QUESTION),
)


def test_two_claim_sets_are_read_side_by_side(store: Store, write: Callable[..., Path]) -> None:
    rows = ({"answer_id": f"a{i}", "question": "q", "answer": f"Hi! It is 红 {i}."} for i in range(4))
    import_file(store, write(*rows), dataset="d", shipped={})
    with store.write() as connection:
        dataset = find_dataset(connection, "d")
        ids = answer_ids(connection, dataset.id)
        first, second = (keep_claim_set(connection, dataset.id, name, name) for name in ("a", "b"))
        insert_splits(connection, first, dataset.id, [(one, Split(claims=CLAIMS)) for one in ids[:3]])
        insert_splits(connection, second, dataset.id, [(one, Split(claims=())) for one in ids[1:]])
        assert split_by_both(connection, (first, second)) == [(ids[1], "a1"), (ids[2], "a2")]
        assert split_by_both(connection, (first, second), after=ids[1], limit=1) == [(ids[2], "a2")]
        assert load_split_claims(connection, first, ids) == {one: list(CLAIMS) for one in ids[:3]}
        assert load_split_claims(connection, second, ids) == {}
        assert list(not_checkable_by_reason(connection, first).items()) == [("greeting", 6), ("question", 3)]
        assert not_checkable_by_reason(connection, second) == {}
        assert [one.text for one in split_texts(connection, first, ids[0], 1)] == ["Hi! It is 红 1."]
        assert [one.id for one in split_texts(connection, second)] == ids[1:]


def test_references_are_split_once_for_each_answer(store: Store, write: Callable[..., Path]) -> None:
    texts = ['It is "red".', None, "", "红。"]
    rows = (
        {"answer_id": f"a{i}", "question": f"q{i}", "answer": "A.", "reference": one} for i, one in enumerate(texts)
    )
    import_file(store, write(*rows), dataset="d", shipped={})
    with store.write() as connection:
        dataset = find_dataset(connection, "d")
        ids = answer_ids(connection, dataset.id)
        own = keep_claim_set(connection, dataset.id, "r", "rules", "reference")
        assert [(one.name, one.source) for one in list_claim_sets(connection, dataset.id)] == [("r", "reference")]
        todo = unsplit_answers(connection, None, dataset.id, source="reference")
        assert [(one.id, one.text, one.citations) for one in todo] == [
            (ids[0], 'It is "red".', ()),
            (ids[2], "", ()),
            (ids[3], "红。", ()),
        ]
        insert_splits(connection, own, dataset.id, [(ids[0], Split(claims=()))])
        assert count_unsplit(connection, own, dataset.id, "reference", None) == 2
        assert count_unsplit(connection, own, dataset.id, "reference", ids[2]) == 1
        left = unsplit_answers(connection, own, dataset.id, ids[0], 1, source="reference", until=ids[2])
        assert [one.id for one in left] == [ids[2]]
        assert [one.text for one in split_texts(connection, own, source="reference")] == ['It is "red".']


def test_a_claim_that_is_not_in_its_answer_is_kept_without_a_unit(store: Store, write: Callable[..., Path]) -> None:
    import_file(store, write({"answer_id": "a#1", "question": "q", "answer": "It is 红."}), dataset="d", shipped={})
    lost = Claim(key="x1", text='{"not_in_answer":true}', not_in_answer=True)
    with store.write() as connection:
        dataset = find_dataset(connection, "d")
        ids = answer_ids(connection, dataset.id)
        own = keep_claim_set(connection, dataset.id, "m", "m split-1 0")
        told = CLAIMS[1].model_copy(update={"citations": ('"not_in_answer":true',)})
        insert_splits(connection, own, dataset.id, [(ids[0], Split(claims=(lost, told)))])
        assert load_split_claims(connection, own, ids) == {ids[0]: [lost, told]}
        assert [claim for _, claim in load_claims(connection, own, ids)[ids[0]]] == [told]
        totals = split_totals(connection, own)
        assert (totals.claims, totals.not_checkable, count_not_in_answer(connection, own)) == (1, 0, 1)
        assert [claim for _, claim in find_claims(connection, "a%231#x1", [dataset.id])] == [lost]
        assert find_claims(connection, "a%231#x1", []) == find_claims(connection, "a%231#c1") == []


def test_one_process_at_a_time_splits_into_a_claim_set(store: Store, write: Callable[..., Path]) -> None:
    import_file(store, write({"question": "q", "answer": "A."}), dataset="d", shipped={})
    with store.write() as connection:
        own = keep_claim_set(connection, find_dataset(connection, "d").id, "m", "m split-1 0")
        assert hold_claim_set(connection, own, "elsewhere/1/1", 60) is None
        assert hold_claim_set(connection, own, "elsewhere/2/1", 60) == "elsewhere/1/1"
        release_claim_set(connection, own, "elsewhere/1/1")
        assert hold_claim_set(connection, own, "elsewhere/2/1", 60) is None
