"""Sentence spans: hand-made texts in English, Chinese and both, and properties over any text."""

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.steps.blocks import Kind
from judge.steps.claims import split_answer
from judge.steps.sentences import find_sentences

# Each text with the sentences expected, written out.
ENGLISH = [
    ("The sky is blue. Grass is green.", ["The sky is blue.", "Grass is green."]),
    ("It costs 3.50 euros. It weighs 1.2 kg", ["It costs 3.50 euros.", "It weighs 1.2 kg"]),
    ("Dr. Smith met Mrs. Jones. They left.", ["Dr. Smith met Mrs. Jones.", "They left."]),
    ("I sell apples, pears etc. I ship on Mondays.", ["I sell apples, pears etc.", "I ship on Mondays."]),
    ("He moved to the U.S. in 1990. The U.S. Army paid.", ["He moved to the U.S. in 1990.", "The U.S. Army paid."]),
    ("She lives in the U.S. She likes it.", ["She lives in the U.S.", "She likes it."]),
    ("J. R. R. Tolkien wrote it.", ["J. R. R. Tolkien wrote it."]),
    ("Take vitamin C. The dose is low.", ["Take vitamin C.", "The dose is low."]),
    ("See Fig. 7d and No. 5 of vol. 2. It helps.", ["See Fig. 7d and No. 5 of vol. 2.", "It helps."]),
    ("No. It is red.", ["No.", "It is red."]),
    ("Use cats, e.g. tabbies, i.e. small ones. Or not.", ["Use cats, e.g. tabbies, i.e. small ones.", "Or not."]),
    ("Kim et al. showed it. Lee et al. (2020) did not.", ["Kim et al. showed it.", "Lee et al. (2020) did not."]),
    ("Open at 9 a.m. and shut at 5 p.m. Doors lock.", ["Open at 9 a.m. and shut at 5 p.m.", "Doors lock."]),
    ("Come at 9 a.m. Monday.", ["Come at 9 a.m. Monday."]),
    ("Version 3.11.2 is out. Get v4.", ["Version 3.11.2 is out.", "Get v4."]),
    (
        "See https://a.example/x?y=1.2&z. Then www.b.example too.",
        ["See https://a.example/x?y=1.2&z.", "Then www.b.example too."],
    ),
    ("Write to jo.do@mail.example.com. We answer.", ["Write to jo.do@mail.example.com.", "We answer."]),
    ("It costs $5.[1] It is red [2]. Done. [3][4]", ["It costs $5.[1]", "It is red [2].", "Done. [3][4]"]),
    ("It is old. [guide.pdf p.3] It is big.", ["It is old. [guide.pdf p.3]", "It is big."]),
    ("It is old. [Note] the date.", ["It is old.", "[Note] the date."]),
    ('"I left." He came.', ['"I left."', "He came."]),
    ('He asked "Really? No!" and left.', ['He asked "Really? No!" and left.']),
    ('"Really?" he asked.', ['"Really?" he asked.']),
    ("It works (see p. 3. It helps). Fine.", ["It works (see p. 3. It helps).", "Fine."]),
    ("It works. (It really does.) Fine.", ["It works.", "(It really does.)", "Fine."]),
    ("Wait... what is it? Well... He left.", ["Wait... what is it?", "Well...", "He left."]),
    ("Really?! Yes!!! It is.", ["Really?!", "Yes!!!", "It is."]),
    ("It ended in 1999. 20 people came.", ["It ended in 1999.", "20 people came."]),
    ("Steps: 1. Open it. 2. Close it.", ["Steps:", "Open it.", "Close it."]),
    ("- One thing\n- Another thing\n* A third", ["One thing", "Another thing", "A third"]),
    ("1. Mash it.\n2) Boil it.\n(3) Eat it.", ["Mash it.", "Boil it.", "Eat it."]),
    ("-5 degrees is cold.", ["-5 degrees is cold."]),
    ("- **Price:** It costs 5. It is paid monthly.", ["**Price:** It costs 5.", "It is paid monthly."]),
    ("**It is free.**", ["It is free."]),
    ("> Quoted text. More.", ["Quoted text.", "More."]),
    ("First line\nSecond line", ["First line", "Second line"]),
    (
        "This rather long line of prose goes on and is\nwrapped by hand. It ends.",
        ["This rather long line of prose goes on and is\nwrapped by hand.", "It ends."],
    ),
]
CHINESE = [
    (
        "北京是中国的首都。人口超过两千万！面积约16410平方公里",
        ["北京是中国的首都。", "人口超过两千万！", "面积约16410平方公里"],
    ),
    ("真的吗？！是的。", ["真的吗？！", "是的。"]),
    ("他说：“我走了。”然后离开了。", ["他说：“我走了。”", "然后离开了。"]),
    ("“来吧！”的口号很响。", ["“来吧！”的口号很响。"]),
    ("“好吗？”，他问。", ["“好吗？”，他问。"]),
    ("他写道：“先看。再说。”文章结束。", ["他写道：“先看。再说。”", "文章结束。"]),
    ("甲方付款；乙方交货。", ["甲方付款；", "乙方交货。"]),
    ("由当事人约定;没有约定的除外。", ["由当事人约定;", "没有约定的除外。"]),
    ("售价为3.5元。版本为3.11.2。", ["售价为3.5元。", "版本为3.11.2。"]),
    ("价格是30元。[1]保修两年【2】。可退货。【3†来源】", ["价格是30元。[1]", "保修两年【2】。", "可退货。【3†来源】"]),
    ("一、先开机。\n二、再联网。", ["先开机。", "再联网。"]),
    ("（1）身份证；\n（2）照片。", ["身份证；", "照片。"]),
    ("①开机\n②联网", ["开机", "联网"]),
    ("1.首先开机。\n2、然后联网。", ["首先开机。", "然后联网。"]),
    ("步骤如下：1. 打开设置。2. 点击保存。", ["步骤如下：", "打开设置。", "点击保存。"]),
    ("冠军分别是：1. 甲（周）2. 乙（艾）3. 丙", ["冠军分别是：", "甲（周）", "乙（艾）", "丙"]),
    ("• 免费\n· 快速\n-稳定", ["免费", "快速", "稳定"]),
    ("他等了很久……然后走了。", ["他等了很久……", "然后走了。"]),
    ("可以。最多五张…多了不行。", ["可以。", "最多五张…", "多了不行。"]),
    ("支持三种方式，\n包括刷卡。", ["支持三种方式，\n包括刷卡。"]),
    ("「你好。」她笑了。", ["「你好。」", "她笑了。"]),
    ("这是真的。（见第3页。）没错。", ["这是真的。", "（见第3页。）", "没错。"]),
    ("**保修期为两年。**", ["保修期为两年。"]),
    ("第一行\n第二行", ["第一行", "第二行"]),
    ("会议于2024.5.1召开.地点在上海.", ["会议于2024.5.1召开.", "地点在上海."]),
]
MIXED = [
    (
        "iPhone 15 支持USB-C。It costs $799. 电池容量为3349mAh。",
        ["iPhone 15 支持USB-C。", "It costs $799.", "电池容量为3349mAh。"],
    ),
    ("请访问https://a.example/b?c=1。谢谢", ["请访问https://a.example/b?c=1。", "谢谢"]),
    ("使用 v2.0.1 版本. 它更快! Really.", ["使用 v2.0.1 版本.", "它更快!", "Really."]),
    ("由 Dr. Wang 主讲，e.g. 第3章。结束。", ["由 Dr. Wang 主讲，e.g. 第3章。", "结束。"]),
]


def words(text: str, citations: tuple[tuple[int, int], ...] = ()) -> list[str]:
    return [text[item.start : item.end] for item in find_sentences(text, citations).items]


@pytest.mark.parametrize(("text", "expected"), ENGLISH + CHINESE + MIXED)
def test_sentences(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_c03_abbreviations_initials_and_decimals() -> None:
    text = (
        "Dr. Smith measured 3.14 mm (Fig. 7d, e). J. R. R. Tolkien was born on Jan. 3, 1892 in the U.K. e.g. not here."
    )
    found = words(text)
    assert 2 <= len(found) <= 3
    assert " ".join(found) == text


def test_markup_is_told_apart() -> None:
    text = (
        "# Title\n\nIntro here.\n\n**Part one**\n\n| City | Pop |\n|---|---|\n| Lima | 10.1M |\n\n"
        "```python\nx = a.b  # v1.2\n```\n---\n1. **Setup**\n   - Run it.\n"
    )
    found = [(text[item.start : item.end], item.kind) for item in find_sentences(text).items]
    assert found == [
        ("Title", Kind.HEADING),
        ("Intro here.", Kind.TEXT),
        ("Part one", Kind.HEADING),
        ("City | Pop", Kind.HEADER),
        ("Lima | 10.1M", Kind.ROW),
        ("```python\nx = a.b  # v1.2\n```", Kind.CODE),
        ("Setup", Kind.HEADING),
        ("Run it.", Kind.TEXT),
    ]


def test_a_fence_around_prose_is_layout() -> None:
    assert words("```markdown\n# Plan\nIt is free.\n```") == ["Plan", "It is free."]


def test_a_known_citation_behind_the_stop_belongs_to_the_sentence_before() -> None:
    text = "It is red. <ref> It is big."
    assert words(text, ((11, 16),)) == ["It is red. <ref>", "It is big."]


ALPHABET = st.sampled_from(
    [
        *"aB1.。！?；… \n\t-*#|`\"'“”（）()[]【】,，:：>②✓",
        "e.g. ",
        "Dr. ",
        "3.5",
        "1. ",
        "中文",
        "\r\n",
        "```",
        "\n|a|b|\n|-|-|\n",
        "|x|",
        "\\|",
        "; the ",
        "①②③",
        "《‘",
        "**",
        "😀",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(ALPHABET, max_size=60).map("".join) | st.text(max_size=80))
def test_spans_are_ordered_disjoint_trimmed_and_lose_nothing(text: str) -> None:
    found = find_sentences(text)
    for item in found.items:
        piece = text[item.start : item.end]
        assert piece
        assert piece == piece.strip()
    own = [[piece for piece in item.pieces if piece[0] >= item.start] or [item[:2]] for item in found.items]
    spans = sorted([*(span for spans in own for span in spans), *found.layout])
    assert [span for item in found.items for span in item[:2]] == sorted(
        span for item in found.items for span in item[:2]
    )
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(spans))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    kept = "".join(text[start:end] for start, end in spans)
    assert "".join(kept.split()) == "".join(text.split())


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "中",
        "(",
        "“a",
        "[1",
        ". ",
        "a.b.",
        "|a",
        "> ",
        "http://.",
        "1. ",
        "a.[1",
        "* ",
        "①②",
        "; the a b c",
        "《a。",
        "。**",
        "\\|",
    ],
)
def test_a_megabyte_takes_seconds_whatever_it_is_made_of(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    start = time.process_time()
    find_sentences(text)
    assert time.process_time() - start < 20  # 2 s on a free machine; quadratic time would take minutes


@pytest.mark.parametrize("end", ["\n>", "\n> ", "\n>>", "\n#", "\n|", "\n-", "\n1."])
@pytest.mark.parametrize("before", ["a", "a line that is long enough to be taken for a wrapped one, x"])
def test_a_mark_alone_at_the_end_of_a_text(before, end):
    claims = split_answer(before + end).claims
    assert claims[0].text.startswith("a")
