"""Values of foreign files: lists out of texts, passages, turns."""

from typing import Any

import pytest

from judge.domain.errors import InputError
from judge.steps.formats.values import fit, parsed, passage_id, passages_of, tidy


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('["doc one", "doc two, with comma"]', ["doc one", "doc two, with comma"]),
        ("['a', 'b']", ["a", "b"]),
        ("('a', 'b')", ["a", "b"]),
        ("['a' 'b'\n 'c, d']", ["a", "b", "c, d"]),
        ("""["it's" 'so']""", ["it's", "so"]),
        ("""["say 'a' 'b'"]""", ["say 'a' 'b'"]),
        ("{'x': None}", {"x": None}),
        ("[1] Lima is a city.", "[1] Lima is a city."),
        ("(see above)", "(see above)"),
        ("plain", "plain"),
        ("", ""),
        ("__import__('os').getcwd()", "__import__('os').getcwd()"),
        ("[__import__('os').getcwd()]", "[__import__('os').getcwd()]"),
        ("[" * 3000 + "]" * 3000, "[" * 3000 + "]" * 3000),
    ],
)
def test_lists_in_texts_are_parsed_and_never_run(text: str, value: Any) -> None:
    assert parsed(text) == value


def test_a_huge_literal_stays_text() -> None:
    text = "['" + "a" * 1_000_001 + "']"
    assert parsed(text) == text
    assert parsed(text.replace("'", '"')) == ["a" * 1_000_001]


def test_passages_from_texts_have_ids_that_are_the_same_in_every_row() -> None:
    one, two, again = passages_of(["Lima.", "熊猫", "Lima."], "f:1")
    assert one == {"id": passage_id("Lima."), "text": "Lima."}
    assert again["id"] == one["id"] + "-2"
    assert passages_of("熊猫", "f:2") == [two]
    assert len(one["id"]) == 14
    assert passages_of([], "f:1") == passages_of(None, "f:1") == passages_of("", "f:1") == []


def test_passages_from_objects_keep_what_they_have() -> None:
    rows = [
        {"doc_id": 7, "text": "a", "score": 0.5, "lang": "en"},
        {"page_content": "b", "metadata": {"source": "x.pdf"}, "document": "x"},
        {"node": {"id_": "n1", "text": "c"}, "score": 0.1},
        {"id": "only"},
    ]
    first, second, third, fourth = passages_of(rows, "f:1")
    assert first == {"id": "7", "text": "a", "score": 0.5, "metadata": {"lang": "en"}}
    assert second == {"id": passage_id("b"), "text": "b", "document": "x", "metadata": {"source": "x.pdf"}}
    assert (third["id"], third["text"], third["score"]) == ("n1", "c", 0.1)
    assert fourth == {"id": "only", "text": None}


@pytest.mark.parametrize("value", [7, [7], [None], [{"x": 1}], [["a"]]])
def test_what_is_no_passage_is_told(value: Any) -> None:
    with pytest.raises(InputError, match="passages"):
        passages_of(value, "f:1")


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("answer", 42, "42"),
        ("query_id", 7, "7"),
        ("answer", "NA", "NA"),
        ("reference", ["a", "b"], "a\nb"),
        ("top_k", "5", 5),
        ("top_k", 5.0, 5),
        ("latency_ms", "1.5", 1.5),
        ("slices", '{"lang": "zh"}', {"lang": "zh"}),
        ("grades", "", None),
        ("passages", "", []),
        (
            "history",
            [{"speaker": "agent", "text": "hi"}, {"type": "human", "content": [{"type": "text", "text": "yo"}]}],
            [{"role": "assistant", "text": "hi"}, {"role": "user", "text": "yo"}],
        ),
    ],
)
def test_values_fit_their_keys(key: str, value: Any, found: Any) -> None:
    assert fit(key, value, "f:1") == found


@pytest.mark.parametrize(
    ("key", "value"),
    [("answer", ["a"]), ("top_k", "five"), ("slices", "x"), ("labels", {"a": 1}), ("history", ["hi"]), ("history", 3)],
)
def test_values_that_do_not_fit_name_the_key(key: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"f:1: `{key}"):
        fit(key, value, "f:1")


def test_nul_and_numbers_that_are_none() -> None:
    assert tidy({"a": "x\0", "b": [float("nan"), 1.5], "c": float("inf")}) == (
        {"a": "x\ufffd", "b": [None, 1.5], "c": None},
        True,
        True,
    )
