"""What the baseline measures of a claim: each feature moves when, and only when, it should."""

import pytest

from judge.llm.features import FEATURES, is_chinese, measure
from judge.llm.overlap import read_claim, read_sentences

PASSAGES = (
    "Our cats sleep. They sleep all day.",
    "Items can be returned within 30 days of delivery. Opened software is not refunded. Shipping is free in Europe.",
    "商品签收后30天内可以退货。已拆封的软件不予退款。",
)


def features(claim: str, *passages: str, question: str = "", position: float = 0.0) -> dict[str, float]:
    found = measure(claim, passages or PASSAGES, question, position)
    return dict(zip(FEATURES, found.values, strict=True))


def test_a_verbatim_claim_holds_everything() -> None:
    for claim in ("Shipping is free in Europe.", "Opened software is not refunded.", "商品签收后30天内可以退货。"):
        assert features(claim) == {**dict.fromkeys(FEATURES, 0.0), "recall": 1.0, "pairs": 1.0}


def test_a_strange_claim_holds_nothing() -> None:
    found = features("Penguins admire a distant moon.")
    assert (found["recall"], found["pairs"]) == (0.0, 0.0)
    assert found["longest_gap"] > 1.5


def test_rare_words_weigh_more_than_common_ones() -> None:
    passages = ("Sleep is good. Sleep is deep. Sleep is long. A walrus is here.",)
    assert features("walrus bicycle", *passages)["recall"] > features("sleep bicycle", *passages)["recall"]


def test_word_order_shows_in_pairs_only() -> None:
    found = features("Within 30 days of delivery items are returned.")
    assert found["recall"] == 1.0
    assert 0 < found["pairs"] < 1


def test_words_of_the_question_are_no_new_words() -> None:
    claim = "The walrus bicycle club ships free in Europe."
    alone, asked = features(claim), features(claim, question="Does the walrus bicycle club ship?")
    assert asked["longest_gap"] < alone["longest_gap"]
    assert asked["recall"] == alone["recall"], "the question is no evidence"


@pytest.mark.parametrize(
    ("claim", "missing", "other"),
    [
        ("Items can be returned within 30 days.", 0, 0),
        ("Items can be returned within thirty days.", 0, 0),
        ("Items can be returned within 60 days.", 1, 1),
        ("Items can be returned within 60 minutes.", 1, 0),
        ("商品签收后三十天内可以退货。", 0, 0),
        ("商品签收后60天内可以退货。", 1, 1),
    ],
)
def test_numbers(claim: str, missing: int, other: int) -> None:
    found = features(claim)
    assert (found["number_missing"], found["number_other"]) == (missing, other)


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        ("Shipping is free in Europe.", False),
        ("Shipping is free in Japan.", True),
        ("商品签收后30天内可以用Paypal退货。", True),
    ],
)
def test_names(claim: str, missing: bool) -> None:
    assert (features(claim)["name_missing"] > 0) == missing


@pytest.mark.parametrize(
    ("claim", "absence"),
    [
        ("The passages do not mention a warranty.", 1),
        ("I am unable to answer this.", 1),
        ("资料中没有相关说明。", 1),
        ("资料未提及保修。", 1),
        ("Opened software is not refunded.", 0),
        ("已拆封的软件不予退款。", 0),
    ],
)
def test_talk_of_what_the_passages_lack(claim: str, absence: int) -> None:
    assert features(claim)["absence"] == absence


def test_talk_of_the_passages_is_no_part_of_the_claim() -> None:
    plain = read_claim("Items can be returned.").terms
    for frame in ("Based on the given passages, items", "Passage 2 states that items", "[1] items"):
        assert read_claim(f"{frame} can be returned.").terms == plain
    assert read_claim("根据上述资料，商品可以退货。").terms == read_claim("商品可以退货。").terms


def test_the_quote_is_verbatim_and_the_window_stays_in_one_passage() -> None:
    found = measure("Opened software and shipping in Europe.", PASSAGES, "", 0.0).match
    assert found.quote in PASSAGES[1]
    assert 1 <= len(found.window) <= 3
    assert all(sentence.text in PASSAGES[1] for sentence in found.window)


def test_nothing_stands_in_no_passage() -> None:
    found = measure("Shipping is free.", (), "", 0.0)
    assert (found.match.window, found.match.quote, found.values[0]) == ((), "", 0.0)


def test_a_claim_without_words_is_measured() -> None:
    for claim in ("", "  ", "10.", "的", "🙂", "\u200b"):
        assert len(measure(claim, PASSAGES, "", 0.0).values) == len(FEATURES)


def test_language_by_letters() -> None:
    assert [is_chinese(text) for text in ("Plain.", "退货。", "用 GPT 和 RAG 退货", "naïve")] == [
        False,
        True,
        True,
        False,
    ]


def test_sentences_are_verbatim_pieces() -> None:
    text = "One v1.2 here. Two!\n三。“四？”五；六 " + "x" * 1500
    found = [sentence.text for sentence in read_sentences(text)]
    assert found[:4] == ["One v1.2 here.", "Two!", "三。", "“四？”"]
    assert all(each in text and len(each) <= 600 for each in found)
    assert "".join("".join(found).split()) == "".join(text.split())
