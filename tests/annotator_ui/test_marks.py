"""Safe text, shared words, excerpts."""

import pytest

from annotator_ui.marks import compare, escape, excerpt, marked, near, plain, window
from annotator_ui.words import LANGUAGES, keys


def common(text: str, claim: str) -> list[str]:
    return [text[start:end] for start, end in compare(text, claim).spans]


@pytest.mark.parametrize(
    ("text", "claim", "shared"),
    [
        ("A restocking fee of 15% is charged.", "The fee is 15%.", ["fee", "15"]),
        ("Refunds take 1.5 days.", "A refund takes 1.5 or 15 days", ["Refunds", "take", "1.5", "days"]),
        ("滤芯每半年更换一次，属于耗材。", "滤芯建议每半年更换。", ["滤芯每半年更换"]),
        ("Der Preis ist höher.", "PREIS", ["Preis"]),
        ("is the of", "is the of", []),
        ("", "", []),
    ],
)
def test_shared_words(text: str, claim: str, shared: list[str]) -> None:
    assert common(text, claim) == shared


def test_overlap_is_the_share_of_the_claims_words() -> None:
    assert compare("red green", "red blue").overlap == 0.5
    assert compare("anything", "").overlap == 0.0


def test_marks_escape_everything_and_merge_what_overlaps() -> None:
    text = "<b>&</b> 你好"
    assert marked(text, [(0, 3), (2, 5), (9, 11), (9, 99)], "m") == (
        '<mark class="m">&lt;b&gt;&amp;&lt;</mark>/b&gt; <mark class="m">你好</mark>'
    )


def test_signs_that_turn_the_text_are_shown_by_their_code() -> None:
    assert escape("a\u202e<b") == "a[U+202E]&lt;b"


def test_a_label_has_no_markdown_left() -> None:
    assert plain("**a** [b](c)\n:red[d] $e$ <f>") == (r"\*\*a\*\* \[b\]\(c\) \:red\[d\] \$e\$ \<f\>")


def test_the_window_holds_most_marks() -> None:
    assert window(50, [(10, 12)], 100) == (0, 50)
    low, high = window(10_000, [(10, 12), (5000, 5002), (5010, 5012)], 400)
    assert high - low == 400
    assert low <= 5000
    assert high >= 5012
    assert window(1000, [(998, 1000)], 100) == (900, 1000)


def test_the_answer_is_shown_from_shortly_before_the_claim() -> None:
    text = "one\ntwo\nthree\nfour <five>"
    part = near(text, [(14, 18)], 300)
    assert excerpt(text, [(14, 18)], part, "m") == '… three\n<mark class="m">four</mark> &lt;five&gt;'
    assert near("short", [], 300) == (0, 5)


@pytest.mark.parametrize(
    ("before", "begins"),
    [
        (
            "x" * 50 + " every large order needs the manager's approval at least three days before and then " * 2,
            "the manager's approval",
        ),
        ("word " * 40 + "end. An order waits. It needs approval. ", "An order waits."),
        ("字" * 300 + "。退款需要审批。", "退款需要审批。"),
        ("字" * 300, "字" * 30),
        ("字" * 300 + "，详情请咨询客服热线，", "详情请咨询"),
        ("x" * 300, "CLAIM"),
        ("word " * 40 + "\none\ntwo\n", "two\nCLAIM"),
    ],
)
def test_the_answer_begins_with_a_whole_word_or_sentence_near_the_claim(before: str, begins: str) -> None:
    text = f"{before}CLAIM and what follows"
    span = (len(before), len(before) + 5)
    start, end = near(text, [span], 700)
    assert text[start:].startswith(begins)
    assert span[0] - start <= 60
    assert end == len(text)


def test_excerpts_are_cut_between_words() -> None:
    text = "alpha beta gamma delta epsilon"
    assert excerpt(text, [(11, 16)], (2, 19), "m") == '… beta <mark class="m">gamma</mark> …'
    assert excerpt(text, [(8, 16)], (7, 16), "m") == '… <mark class="m">ta gamma</mark> …'
    assert excerpt("x" * 30, [], (5, 20), "m") == f"… {'x' * 8} …"


def test_both_languages_say_the_same_things() -> None:
    assert keys("en") == keys("zh")
    assert set(LANGUAGES) == {"en", "zh"}
