"""The demo data: native format, paired systems, and one label for each claim that the rule splitter makes."""

import json
from collections import Counter
from importlib.resources import files
from typing import Any

from judge.domain.answers import Citation
from judge.steps.answers import parse_record
from judge.steps.claims import split_answer


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (files("judge.demo") / name).read_text("utf-8").splitlines()]


ANSWERS = rows("answers.jsonl")
LABELS = rows("labels.jsonl")


def claims() -> list[tuple[str, str]]:
    found = []
    for row in ANSWERS:
        citations = [Citation(span=(c["start"], c["end"]), passage=c["passage"]) for c in row.get("citations", [])]
        split = split_answer(row["answer"], citations)
        assert split.uncovered == ()
        found += [(row["answer_id"], claim.text) for claim in split.claims if claim.checkable]
    return found


def test_each_checkable_claim_has_exactly_one_label_row() -> None:
    labelled = [(row["answer_id"], row["text"]) for row in LABELS]
    assert len(set(labelled)) == len(labelled)
    assert sorted(labelled) == sorted(claims())


def test_each_row_is_in_the_native_format() -> None:
    records = [parse_record(row, f"answers.jsonl:{i}") for i, row in enumerate(ANSWERS, 1)]
    assert [record.answer.key for record in records] == [row["answer_id"] for row in ANSWERS]


def test_two_systems_answer_the_same_twenty_questions_half_in_chinese() -> None:
    assert len(ANSWERS) == len({row["answer_id"] for row in ANSWERS}) == 40
    by_system = {name: {row["query_id"] for row in ANSWERS if row["system"] == name} for name in ("bm25", "hybrid")}
    assert by_system["bm25"] == by_system["hybrid"]
    assert Counter(row["slices"]["lang"] for row in ANSWERS) == {"en": 20, "zh": 20}
    assert {row["slices"]["topic"] for row in ANSWERS} == {"product", "policy", "leaflet", "travel", "software"}
    assert len({json.dumps(row["config"], sort_keys=True) for row in ANSWERS}) == 2


def test_passages_are_few_and_citations_point_at_them() -> None:
    for row in ANSWERS:
        keys = [passage["id"] for passage in row["passages"]]
        assert 2 <= len(keys) == len(set(keys)) <= 4
        for citation in row.get("citations", []):
            assert citation["passage"] == keys[int(row["answer"][citation["start"] + 1 : citation["end"] - 1]) - 1]


def test_the_mix_holds_every_label() -> None:
    support = Counter(row["support"] for row in LABELS)
    shares = {label: count / len(LABELS) for label, count in support.items()}
    assert set(shares) == {"supported", "contradicted", "not_enough_info"}
    assert 0.60 < shares["supported"] < 0.75
    assert 0.10 < shares["contradicted"] < 0.17
    assert 0.08 < Counter(row["relevance"] for row in LABELS)["irrelevant"] / len(LABELS) < 0.17
    for lang in ("en", "zh"):
        inside = {row["answer_id"] for row in ANSWERS if row["slices"]["lang"] == lang}
        assert {row["support"] for row in LABELS if row["answer_id"] in inside} == set(shares)


def test_some_answers_claim_nothing_and_one_passage_is_hostile() -> None:
    assert len({row["answer_id"] for row in ANSWERS} - {row["answer_id"] for row in LABELS}) == 2
    texts = [passage["text"] for row in ANSWERS for passage in row["passages"]]
    assert any("<script>" in text and "ignore your instructions" in text for text in texts)
