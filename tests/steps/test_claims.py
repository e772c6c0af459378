"""Claims by rules: what is checkable, keys, citations, coverage; the open cases about splitting."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.domain.answers import Citation
from judge.domain.claims import Claim, NotCheckable, Split
from judge.steps.claims import cover, split_answer

NOTHING_TO_CHECK = {
    NotCheckable.GREETING: [
        "Hello!",
        "Hi there!",
        "Dear customer,",
        "Good morning.",
        "Thank you for your question!",
        "Sure!",
        "Great question!",
        "I'm here to help.",
        "I'd be happy to help you with that.",
        "Have a nice day!",
        "Best regards,",
        "你好！",
        "您好，",
        "感谢您的提问！",
        "谢谢。",
        "不客气！",
        "好的！",
        "很高兴为您服务。",
        "祝您生活愉快！",
        "祝您旅途顺利。",
    ],
    NotCheckable.QUESTION: [
        "Which plan do you mean?",
        "Is that what you meant?",
        "**Why?**",
        "您指的是哪个型号？",
        "是否需要发票?",
        "“可以吗？”",
    ],
    NotCheckable.HEDGE: [
        "I hope this helps!",
        "Hope this answers your question.",
        "I'm not sure.",
        "I am not certain about that.",
        "It depends.",
        "希望对你有帮助。",
        "希望以上信息能对您有所帮助！",
        "我不太确定。",
        "以上内容仅供参考。",
    ],
    NotCheckable.REFUSAL: [
        "I don't know.",
        "Unable to answer based on given passages.",
        "I don't have enough information to answer this question.",
        "I'm sorry, but I cannot help with that.",
        "Unfortunately, the provided documents do not mention the price.",
        "The context does not contain this information.",
        "There is no information about pets in the passages.",
        "Based on the given passages, I cannot determine the date.",
        "As an AI language model, I cannot give legal advice.",
        "This question cannot be answered from the documents.",
        "抱歉，资料中没有提到退款政策。",
        "根据提供的资料无法回答。",
        "很抱歉，我无法回答这个问题。",
        "我不知道。",
        "提供的文档中并未提及保修期。",
        "对不起，目前没有找到相关信息。",
        "非常抱歉。",
    ],
    NotCheckable.HEADING: [
        "# Shipping",
        "**Features**",
        "Features:",
        "**Step one:**",
        "## 退款政策",
        "**注意事项**",
        "适用范围：",
    ],
    NotCheckable.INSTRUCTION: [
        "Please let me know if you need more.",
        "Feel free to ask!",
        "Let me know which one you use.",
        "Please provide more details.",
        "如果还有其他问题，请随时告诉我。",
        "请提供更多具体信息。",
        "如有疑问，欢迎随时咨询。",
    ],
    NotCheckable.META: [
        "Here are the steps:",
        "Based on the given passages, here's a possible answer to the question:",
        "Here is a summary of the policy.",
        "Sure, here are the three plans:",
        "The steps are as follows:",
        "In summary:",
        "To return an item, do the following:",
        "According to the document, the awards include:",
        "[1]",
        "Sources: guide.pdf",
        "以下是具体步骤：",
        "具体步骤如下：",
        "主要原因有：",
        "总之，",
        "参考资料：手册.pdf",
    ],
    NotCheckable.CODE: ["```\npip install x\n```", "~~~python\nx = 1. + 2\n~~~"],
}
CLAIMS = [
    "Paris",
    "Yes.",
    "It is not sold in Spain.",
    "You cannot return opened boxes.",
    "Thanks to the new filter, noise fell by half.",
    "Hello Kitty was created in 1974.",
    "Sure, the plan costs 5 euros a month.",
    "I love Christmas",
    "Mash the berries.",
    "Please keep the tablets away from children.",
    "The document does not mention the price, but it says delivery takes 3 days.",
    "Here the river is 20 km wide.",
    "For adults, the dose is 5 mg.",
    "The price is 30 euros: 20 for the room and 10 for breakfast.",
    "Great Plains cover a third of the state.",
    "There is no fee.",
    "Dear Leader is the title of a book by Jang Jin-sung.",
    "不可以。",
    "该产品不支持无线充电。",
    "没有收取手续费。",
    "当然可以退货，但需保留包装。",
    "请在饭后服用，每日两次。",
    "资料显示保修期为两年。",
    "以下情况不予退款。",
    "冬季气温常在零度以下。",
    "本店提供免费停车。",
    "文件需要在三天内提交。",
    "抱歉，文档未提及价格，但说明了配送需要3天。",
    "感谢信由三名员工共同署名。",
    "无法律效力的合同不予受理。",
    "我国有34个省级行政区。",
]


@pytest.mark.parametrize(
    ("reason", "text"), [(reason, text) for reason, texts in NOTHING_TO_CHECK.items() for text in texts]
)
def test_not_checkable(reason: NotCheckable, text: str) -> None:
    claims = split_answer(text).claims
    assert [(claim.key, claim.not_checkable) for claim in claims] == [("s1", reason)]


@pytest.mark.parametrize("text", CLAIMS)
def test_checkable(text: str) -> None:
    claims = split_answer(text).claims
    assert [(claim.key, claim.text, claim.not_checkable) for claim in claims] == [("c1", text, None)]


def test_keys_count_claims_and_the_others_apart_in_answer_order() -> None:
    split = split_answer("您好！保修两年。Is that all? It is free.\n希望对您有帮助。")
    assert [(claim.key, claim.text) for claim in split.claims] == [
        ("s1", "您好！"),
        ("c1", "保修两年。"),
        ("s2", "Is that all?"),
        ("c2", "It is free."),
        ("s3", "希望对您有帮助。"),
    ]


def test_citations_go_to_the_sentence_that_holds_them() -> None:
    text = "[1] says it is red. It is big.[2] It is old (see [1][2]). It is new."
    at = [text.index("[1]"), text.index("[2]"), text.rindex("[1]"), text.rindex("[2]")]
    citations = [Citation(span=(i, i + 3), passage=f"p{text[i + 1]}") for i in at]
    assert [claim.citations for claim in split_answer(text, citations).claims] == [("p1",), ("p2",), ("p1", "p2"), ()]


def test_layout_is_neither_counted_nor_covered() -> None:
    split = split_answer("- 免费\n- It is fast")
    assert (split.length, split.covered, split.uncovered) == (10, 10, ())


def test_cover_lists_what_given_claims_leave_out() -> None:
    text = "One is red. Two is blue. "
    split = cover(text, [Claim(key="c1", text="One", spans=((0, 11),)), Claim(key="c2", text="red", spans=((7, 10),))])
    assert (split.uncovered, split.length, split.covered) == (((12, 24),), 19, 9)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from([*'aB1.。！?；… \n-*#|"“”（）:：', "It is. ", "中文。", "Here are:", "你好！", "```"]),
        max_size=60,
    )
)
def test_every_claim_is_the_answer_s_own_text_and_nothing_is_lost(pieces: list[str]) -> None:
    text = "".join(pieces)
    split = split_answer(text)
    for claim in split.claims:
        assert {text[start:end] for start, end in claim.spans} == {claim.text}
    assert len({claim.key for claim in split.claims}) == len(split.claims)
    assert (split.uncovered, split.covered) == ((), split.length)


def _case(shared: Path, key: str) -> str:
    rows = (json.loads(line) for line in (shared / "cases" / "open.jsonl").read_text("utf-8").splitlines())
    return next(str(row["input"]) for row in rows if row["id"] == key).strip("'").replace("\\n", "\n")


def _checkable(split: Split) -> list[str]:
    return [claim.text for claim in split.claims if claim.checkable]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("C01", ["北京是中国的首都。", "人口超过两千万！", "面积约16410平方公里"]),
        ("C04", ["I sell apples, pears etc.", "I ship on Mondays."]),
        ("C09", []),
        ("C11", ["Mash the berries.", "Boil.", "Heute ist der 1. des Monats."]),
        ("C12", ["Lima | 10.1M"]),
    ],
)
def test_open_cases(shared: Path, key: str, expected: list[str]) -> None:
    split = split_answer(_case(shared, key))
    assert _checkable(split) == expected
    assert split.uncovered == ()


def test_c14_a_repeated_sentence_is_one_claim_with_all_its_spans() -> None:
    split = split_answer("The lake is deep. " * 40)
    assert [(claim.text, len(claim.spans)) for claim in split.claims] == [("The lake is deep.", 40)]


def test_the_same_words_under_another_heading_are_another_claim() -> None:
    split = split_answer("# Basic\nIt is free.\n# Plus\nIt is free.")
    assert _checkable(split) == ["It is free.", "It is free."]


def test_c15_no_silent_cap() -> None:
    facts = [f"Room {i} has {i + 2} windows and one door to the hall." for i in range(120)]
    assert _checkable(split_answer(" ".join(facts))) == facts


def test_c19_braces_and_percent_signs_are_text() -> None:
    text = 'Returned {"calls": [{"id": 1}]} and {0} and %s and {{x}}'
    assert _checkable(split_answer(text)) == [text]
