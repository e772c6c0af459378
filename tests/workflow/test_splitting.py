"""Split: every answer once, resumable."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from judge.domain.errors import UsageError
from judge.store.answers import answer_ids
from judge.store.claims import list_claim_sets, load_claims
from judge.store.database import Store, open_database
from judge.workflow.imports import import_file
from judge.workflow.splitting import PART, split_dataset

TEXTS = ["Cats sleep 15 hours. They fear water.", "猫睡十五个小时。", "", None, "Hello!"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_database(f"sqlite:///{tmp_path / 'judge.db'}")
    yield opened
    opened.close()


@pytest.fixture
def path(write: Callable[..., Path]) -> Path:
    return write(*({"answer_id": f"a{i}", "question": "q", "answer": text} for i, text in enumerate(TEXTS)))


def test_each_answer_is_split_once(store: Store, path: Path) -> None:
    summary = import_file(store, path, dataset="d", shipped={})
    first = split_dataset(store)
    assert (first.dataset, first.claim_set, first.claims, first.not_checkable, first.no_claims, first.new) == (
        "d",
        "rules",
        3,
        1,
        2,
        4,
    )
    assert first.coverage == 1.0
    assert split_dataset(store, "d@1") == first._replace(new=0)
    with store.read() as connection:
        claim_set = list_claim_sets(connection, summary.id)[0]
        claims = load_claims(connection, claim_set.id, answer_ids(connection, summary.id))
    assert [claim.text for some in claims.values() for _, claim in some] == [
        "Cats sleep 15 hours.",
        "They fear water.",
        "猫睡十五个小时。",
    ]


def test_an_interrupted_split_goes_on(store: Store, write: Callable[..., Path]) -> None:
    rows = ({"answer_id": f"a{i}", "question": "q", "answer": "Cats sleep."} for i in range(PART + 10))
    import_file(store, write(*rows), dataset="d", shipped={})

    def stop(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        split_dataset(store, progress=stop)
    done: list[int] = []
    rest = split_dataset(store, progress=done.append)
    assert (rest.new, rest.claims, done) == (10, PART + 10, [10])


def test_texts_are_all_there_is(store: Store, write: Callable[..., Path]) -> None:
    import_file(store, write({"question": "q", "answer": None}), dataset="d", shipped={})
    assert split_dataset(store)[2:11] == (0, 0, 0, None, 0, {}, None, 0, 0)


def test_a_claim_set_of_a_file_keeps_its_name(store: Store, write: Callable[..., Path]) -> None:
    import_file(store, write({"question": "q", "answer": "a", "claims": []}), dataset="d", shipped={})
    with pytest.raises(UsageError, match=r"'file' of d@1 was made by 'file'.* choose another name"):
        split_dataset(store, name="file")


def test_without_a_dataset_it_says_how_to_make_one(store: Store) -> None:
    with pytest.raises(UsageError, match="there is no dataset yet; `judge import"):
        split_dataset(store)
