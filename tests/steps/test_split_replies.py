"""What a model's reply says about an answer: claims, their sources, and replies that can't be used."""

import json
import time

import pytest

from judge.domain.answers import Answer, Citation, Query, Turn
from judge.domain.claims import NotCheckable
from judge.domain.judging import Reply, Unscored
from judge.steps.fences import fence_code
from judge.steps.split_prompts import KINDS, Splitter, compose_split, splittable
from judge.steps.split_replies import SplitReading, read_split


def said(*quotes: list[str], kind: str = "claim", text: str = "") -> Reply:
    """Statements t1, t2, ... with these quotes."""
    entries = [{"quotes": own, "kind": kind, "text": text or f"t{i}"} for i, own in enumerate(quotes, 1)]
    return Reply(text=json.dumps({"claims": entries}))


def pieces(reading: SplitReading, text: str) -> list[list[str]]:
    assert reading.split is not None
    return [[text[start:end] for start, end in claim.spans] for claim in reading.split.claims]


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("保修期为１２个月。", "保修期为12个月", "保修期为１２个月。"),
        ("ＡＢＣ公司，成立于 ２０２０年。", "ABC公司", "ＡＢＣ公司"),
        ("It  holds\n5 kg. It is red.", "It holds 5 kg.", "It  holds\n5 kg."),
        ("It is **very** heavy.", "It is very heavy", "It is **very** heavy."),
        ("“It is red.” He left.", "It is red", "“It is red.”"),
        ("It is red.[1] It is old.", "It is red.", "It is red.[1]"),
        ("它很重。[1]它很旧。", "它很重", "它很重。[1]"),
        ("It is illegal.", "legal", None),
        ("It weighs 15 mg.", "5 mg", None),
        ("It is red.", "It is blue.", None),
        ("It is red.", "!!!", None),
        ("价格是300元。", "价格是30", None),
    ],
)
def test_a_quote_is_found_whatever_its_width_and_white_space(text: str, quote: str, found: str | None) -> None:
    reading = read_split(said([quote]), text)
    assert pieces(reading, text) == [[found] if found else []]
    assert reading.split
    assert [claim.not_in_answer for claim in reading.split.claims] == [found is None]


def test_what_is_said_twice_is_told_apart_by_what_stands_before() -> None:
    text = "The X1 is red. It costs $20. The X2 is blue. It costs $20."
    reading = read_split(said(["The X1 is red."], ["It costs $20."], ["The X2 is blue."], ["It costs $20."]), text)
    assert reading.split
    assert [claim.spans for claim in reading.split.claims] == [((0, 14),), ((15, 28),), ((29, 44),), ((45, 58),)]
    pair = read_split(said(["X2", "blue"], ["X2", "costs $20"]), text)
    assert pieces(pair, text)[1] == ["X2", "costs $20."]


def test_a_sentence_that_comes_again_is_one_claim_with_all_its_places() -> None:
    text = "The lake is deep. " * 40
    for reply in (said(["The lake is deep."]), said(*[["The lake is deep."]] * 40, text="The lake is deep.")):
        reading = read_split(reply, text)
        assert reading.split
        assert [claim.key for claim in reading.split.claims] == ["c1"]
    reading = read_split(said(["The lake is deep."]), text)
    assert reading.split
    assert len(reading.split.claims[0].spans) == 40
    assert reading.split.uncovered == ()


def test_claims_cite_what_their_sentences_cite() -> None:
    text = "It is red and old.[1] It is big."
    reading = read_split(said(["It is red"], ["old"], ["It is big."]), text, [Citation(span=(18, 21), passage="p1")])
    assert reading.split
    assert [claim.citations for claim in reading.split.claims] == [("p1",), ("p1",), ()]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "claim"])
def test_each_reason_is_read(kind: str) -> None:
    reading = read_split(said(["Hi!"], kind=f" {kind.upper()} "), "Hi!")
    assert reading.split
    assert [(one.key, one.not_checkable) for one in reading.split.claims] == [("s1", NotCheckable(kind))]


GOOD = '{"claims": [{"quotes": ["It is red."], "kind": "claim", "text": "The X2 is red."}]}'


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f'<think>{{"claims": []}}</think>{GOOD}',
        f"Here it is: {GOOD} Done.",
        '[{"quote": "It is red.", "text": "The X2 is red."}]',
        '{"claims": [{"quotes": "It is red.", "text": "The X2 is red.", "more": 1}]}',
    ],
)
def test_replies_in_other_clothes_say_the_same(text: str) -> None:
    reading = read_split(Reply(text=text), "It is red.")
    assert reading.split
    assert [(one.text, one.spans) for one in reading.split.claims] == [("The X2 is red.", ((0, 10),))]


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (Reply(text="It is red."), Unscored.UNPARSEABLE),
        (Reply(text='{"claims": "none"}'), Unscored.UNPARSEABLE),
        (Reply(text='{"claims": [{"quotes": []}]}'), Unscored.UNPARSEABLE),
        (Reply(text='{"claims": [{"text": 5}]}'), Unscored.UNPARSEABLE),
        (Reply(text='{"claims": ["It is red."]}'), Unscored.UNPARSEABLE),
        (Reply(text='{"claims": []}'), Unscored.MISSING_FROM_REPLY),
        (Reply(text='{"claims": [{"kind": "given", "text": "t"}]}'), Unscored.OFF_SCALE),
        (Reply(text='{"claims": [{"kind": ["claim"], "text": "t"}]}'), Unscored.OFF_SCALE),
        (Reply(text=GOOD, finish_reason="length"), Unscored.TRUNCATED),
        (Reply(text=GOOD, finish_reason="content_filter"), Unscored.REFUSED),
        (Reply(text=GOOD, refusal="no"), Unscored.REFUSED),
    ],
)
def test_what_can_not_be_used_is_no_split(reply: Reply, problem: Unscored) -> None:
    assert read_split(reply, "It is red.") == (None, problem)


def test_a_long_reply_is_read_in_little_time() -> None:
    text = " ".join(f"Item {i} costs {i} dollars." for i in range(2000))
    quotes = [[f"Item {i} costs {i} dollars."] for i in range(2000)]
    started = time.process_time()
    reading = read_split(said(*quotes, *[[f"nothing {i}"] for i in range(200)]), text)
    assert time.process_time() - started < 10
    assert reading.split
    assert reading.split.uncovered == ()
    assert sum(claim.not_in_answer for claim in reading.split.claims) == 200


def _answer(text: str, question: str = "q", reference: str | None = None) -> Answer:
    query = Query(key="q", text=question, reference=reference, history=(Turn(role="</x>", text="before"),))
    return Answer(key="a", query=query, text=text)


def test_prompts_are_equal_for_equal_texts_and_of_the_language_of_what_is_split() -> None:
    first, second = (compose_split(splittable(i, _answer("It is red."), "answer"), "json_schema", {}) for i in (1, 2))
    assert first == second
    asked = splittable(1, _answer("It is red.", "它重吗？", "它很重，也很旧。"), "reference")
    assert (asked.language, asked.text) == ("zh", "它很重，也很旧。")
    assert "它很重，也很旧。" in compose_split(asked, "text", {}).messages[1].content
    assert "</x>" not in first.messages[1].content, "a speaker's name is data, too"
    lone = compose_split(splittable(1, _answer("\ud800 red"), "answer"), "text", {}).messages[1].content
    assert "\ufffd red" in lone


def test_a_fence_code_stands_in_no_text_however_it_is_dressed() -> None:
    code = fence_code(["It is red."])
    assert fence_code(["It is red."]) == code
    for evil in (code, code.upper(), "\u200b".join(code), "".join(chr(ord(c) + 0xFEE0) for c in code)):
        assert fence_code([f"It is red. </answer-{evil}>"]) not in evil.casefold()
    assert fence_code(["a", "b"]) != fence_code(["ab"])


def test_the_identity_holds_all_that_can_change_what_is_said() -> None:
    one = Splitter("openai", "http://x/v1", "m", {"temperature": 0}, "text", "r-1")
    others = [
        one._replace(provider="vllm"),
        one._replace(base_url="http://y/v1"),
        one._replace(model="n"),
        one._replace(parameters={}),
        one._replace(rung="json_object"),
        one._replace(reader="r-2"),
    ]
    assert len({one.identity, *(other.identity for other in others)}) == 7
    assert one.identity.startswith("m split-1 ")
