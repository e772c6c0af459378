"""Claims by rules: what is checkable, keys, citations, coverage; the open cases about splitting."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.domain.answers import Citation
from judge.domain.claims import Claim, NotCheckable, Split
from judge.steps.claims import count_words, cover, split_answer

MADE: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("splits.yaml").read_text("utf-8"))
"""Answers made by hand, with the claims expected."""


def _sentences(texts: str) -> list[str]:
    """Sentences between line ends and dots in the middle."""
    return [text.strip() for line in texts.strip().splitlines() for text in line.split(" · ")]


NOTHING_TO_CHECK = {
    NotCheckable.GREETING: _sentences("""
        Hello! · Hi there! · Dear customer, · Good morning. · Thank you for your question! · Sure! · Great question!
        I'm here to help. · I'd be happy to help you with that. · Have a nice day! · Best regards, · 你好！ · 您好，
        感谢您的提问！ · 谢谢。 · 不客气！ · 好的！ · 很高兴为您服务。 · 祝您生活愉快！ · 祝您旅途顺利。
        Take care! · Good luck! · Good luck with your exam! · Best regards, Anna · Hello, John! · Dear Ms. Smith,
        Dear John, · Hi everyone! · Of course! · Have a great trip to Paris! · Enjoy your trip to Japan!
        We're happy to help you with any questions. · Happy to help! · Safe travels! · You're welcome! · 敬礼！
        此致 · 此致敬礼！ · 祝您一切顺利！ · 祝旅途愉快！ · 祝生活愉快，万事顺利！ · 祝你考试成功！
        预祝大会圆满成功！ · 谢谢您的耐心等待！ · 你好呀！ · 您好，张先生！ · 好的。 · 没问题！ · 很高兴为您解答。
        我很乐意为您提供帮助。
    """),
    NotCheckable.QUESTION: _sentences("""
        Which plan do you mean? · Is that what you meant? · **Why?** · 您指的是哪个型号？ · 是否需要发票?
        “可以吗？”
    """),
    NotCheckable.HEDGE: _sentences("""
        I hope this helps! · Hope this answers your question. · I'm not sure. · I am not certain about that.
        It depends. · 希望对你有帮助。 · 希望以上信息能对您有所帮助！ · 我不太确定。 · 以上内容仅供参考。
        It depends on your plan. · It depends on several factors. · It's hard to say.
        It is difficult to say for certain. · I could be wrong. · I hope this information is helpful to you.
        I hope that helps! · 视情况而定。 · 很难说。 · 仅供参考。 · 以上内容仅供参考，请以官方为准。
        希望能帮到您。 · 希望以上回答对您有用！ · 我不确定是否正确。
    """),
    NotCheckable.REFUSAL: _sentences("""
        I don't know. · Unable to answer based on given passages.
        I don't have enough information to answer this question. · I'm sorry, but I cannot help with that.
        Unfortunately, the provided documents do not mention the price.
        The context does not contain this information. · There is no information about pets in the passages.
        Based on the given passages, I cannot determine the date.
        As an AI language model, I cannot give legal advice. · This question cannot be answered from the documents.
        抱歉，资料中没有提到退款政策。 · 根据提供的资料无法回答。 · 很抱歉，我无法回答这个问题。 · 我不知道。
        提供的文档中并未提及保修期。 · 对不起，目前没有找到相关信息。 · 非常抱歉。
        I could not find any information about that. · I do not have access to this information.
        I'm unable to answer this question. · I’m unable to answer this question. · We don't know.
        We cannot determine whether this is true from the passages. · We do not have enough information to answer.
        Sorry, we could not find any information about this. · I'm sorry, but we cannot help with that.
        The passages do not mention the price. · The provided documents don't contain any information about refunds.
        The documents do not contain information on refunds. · The article does not mention his age.
        None of the given passages mention it. · The context has no information about pets.
        The provided context does not explicitly state the date. · The text does not say when he died.
        The search results do not include the answer. · The information provided does not specify the fee.
        The document doesn't provide specific recommendations. · There is no mention of a fee.
        There is not enough information to answer. · There isn't any information in the passages about this.
        There is no information available. · There is no evidence in the passages that he went there.
        It cannot be determined from the given passages. · Unable to determine.
        Unable to find the answer, since the passages are silent. · Sorry for the confusion. · Sorry!
        I don't know the colour. · 提供的资料中没有退款政策的信息。 · 提供的资料未提及价格。 · 资料未提及价格。
        上下文中没有相关信息。 · 上下文没有包含答案。 · 根据上述文档，无法确定日期。 · 文档中没有关于退款的信息。
        根据资料，无法判断。 · 从文档中无法得知他的年龄。 · 手册没有提到保修期。 · 文件没有说明退款期限。
        检索到的文档不包含价格。 · 我无法提供相关信息。 · 我们没有找到相关信息。 · 我们无法确定具体日期。
        我们不清楚。 · 抱歉，无法回答。 · 很抱歉，根据现有资料，无法回答您的问题。 · 抱歉，没有找到相关内容。
        对不起，我不能提供医疗建议。 · 抱歉，关于这个问题，我不清楚。 · 无法根据给定的资料准确回答。
        该问题无法回答。 · 抱歉让您久等了。
    """),
    NotCheckable.HEADING: _sentences("""
        # Shipping · **Features** · Features: · **Step one:** · ## 退款政策 · **注意事项** · 适用范围：
    """),
    NotCheckable.INSTRUCTION: _sentences("""
        Please let me know if you need more. · Feel free to ask! · Let me know which one you use.
        Please provide more details. · 如果还有其他问题，请随时告诉我。 · 请提供更多具体信息。
        如有疑问，欢迎随时咨询。 · Feel free to reach out if you have further questions!
        If you have any other questions, please don't hesitate to ask.
        Please provide additional information or clarify the question. · Please clarify what you mean.
        请随时联系我们。 · 如果您有其他问题，随时告诉我。 · 如果您需要更多信息，请随时与我联系。
        欢迎随时向我提问。 · 随时联系我。 · 您可以随时问我。 · 如有其他问题，欢迎继续提问。
        请提供更多详细信息，以便我更好地回答。 · 请告诉我您的型号。
    """),
    NotCheckable.META: _sentences("""
        Here are the steps: · Based on the given passages, here's a possible answer to the question:
        Here is a summary of the policy. · Sure, here are the three plans: · The steps are as follows: · In summary:
        To return an item, do the following: · According to the document, the awards include: · [1]
        Sources: guide.pdf · 以下是具体步骤： · 具体步骤如下： · 主要原因有： · 总之， · 参考资料：手册.pdf
        In the passages, · Given the context: · From the documents, · Based on the passages, · Here is what I found:
        Here are some tips. · Here's an overview of the three plans. · 以下是详细步骤。 · 下面是几点建议：
        根据资料，
    """),
    NotCheckable.CODE: ["```\npip install x\n```", "~~~python\nx = 1. + 2\n~~~"],
}
CLAIMS = _sentences("""
    Paris · Yes. · It is not sold in Spain. · You cannot return opened boxes.
    Thanks to the new filter, noise fell by half. · Hello Kitty was created in 1974.
    Sure, the plan costs 5 euros a month. · I love Christmas · Mash the berries.
    Please keep the tablets away from children.
    The document does not mention the price, but it says delivery takes 3 days. · Here the river is 20 km wide.
    For adults, the dose is 5 mg. · The price is 30 euros: 20 for the room and 10 for breakfast.
    Great Plains cover a third of the state. · There is no fee.
    Dear Leader is the title of a book by Jang Jin-sung. · 不可以。 · 该产品不支持无线充电。 · 没有收取手续费。
    当然可以退货，但需保留包装。 · 请在饭后服用，每日两次。 · 资料显示保修期为两年。 · 以下情况不予退款。
    冬季气温常在零度以下。 · 本店提供免费停车。 · 文件需要在三天内提交。
    抱歉，文档未提及价格，但说明了配送需要3天。 · 感谢信由三名员工共同署名。 · 无法律效力的合同不予受理。
    我国有34个省级行政区。
""")
SOUND_NOT_CHECKABLE = _sentences("""
    There is no evidence that vaccines cause autism. · There is no data limit on this plan.
    We do not offer refunds after 30 days. · We will not give your address to third parties.
    The data does not leave your phone. · This material does not conduct electricity.
    The documents do not need to be notarised. · 文件不能超过10MB。 · 材料不能使用复印件。 · 信息未经授权不得转让。
    手册没有中文版。 · 我们无法提供上门安装服务。 · In the US the drinking age is 21
    From the airport a taxi costs 30 euros · Take care not to exceed 4 g a day. · 敬礼是军人的一种礼节。
    祝融号火星着陆任务取得成功。 · It depends on age: adults take 500 mg. · 会员可随时联系客服退订。
    We cannot confirm bookings by phone. · We do not answer calls on Sundays. · We do not know your password.
    We do not know what causes Alzheimer's disease. · We will not tell your employer.
    We have no access to your photos. · We do not verify your age. · Unfortunately, we do not offer refunds.
    Unfortunately for the team it lost the final. · We are unable to provide spare parts.
    We cannot help with visa applications. · This material does not contain latex.
    The data does not include taxes. · The document has no legal force. · The documents do not cover flood damage.
    The information does not leave the EU. · The content has no age limit. · Mobile data does not include roaming.
    There is no information desk at this station. · There is no data roaming charge in the EU.
    There is no answer phone in the office. · There is no evidence of water on Venus.
    There are no details to fill in. · It cannot be confirmed without a deposit. · This cannot be verified by phone.
    Unable to find work, he moved to Paris. · Good luck charms include horseshoes.
    Sincerely held beliefs are protected. · Hello Kitty · Hello Kitty is a cat. · Good morning America is a show.
    Wishes are granted by the genie. · Have a good breakfast before the test.
    Enjoy your free drink within 30 minutes. · Certainly. · Of course. · Yes, absolutely!
    We are happy to help 24 hours a day. · It is difficult to say no. · It depends on sunlight.
    It depends on the dose: above 4 g the liver suffers. · We hope this vaccine will prevent malaria.
    Feel free to bring your own food. · If you feel chest pain, do not hesitate to call 112.
    Please provide additional documents within 14 days. · Please provide your contact details at check-in.
    Please specify which size you want on the form. · Based on the novel by Jane Austen
    From the age of 18 you may vote · Given the choice most patients prefer tablets · In the north it rains a lot
    Here is the tomb of Napoleon. · Take care when lifting heavy boxes. · Reach out to 112 in an emergency.
    Just ask the reception for towels. · 很难说服他改变主意。 · 仅供参考的价格为三十元。
    公司希望能帮助贫困儿童上学。 · 你好是最常见的问候语。 · 可以的。 · 祝英台与梁山伯终获幸福。
    祝允明的书法很成功。 · 祝福语常用来祝人健康。 · 很遗憾，他未能完成比赛。 · 遗憾的是航班已取消。
    抱歉，本店不能退款。 · 抱歉，目前无法提供该服务。 · 抱歉，我们没有大号。 · 我们不知道您的密码。
    我们没有相关服务。 · 我们不能帮您取消订单。 · 我们不能确认收货。 · 我们没有足够的库存。
    不能根据外观判断蘑菇有无毒性。 · 无法从外表判断年龄。 · 文件未找到。 · 文件无法打开。 · 文件不包含病毒。
    材料未提供原件的，不予受理。 · 合同文件未提及的事项由双方协商。 · 文件未提及的事项由双方协商。
    信息无法确认时，请联系客服。 · 资料没有法律效力。 · 内容未经审核不得发布。 · 材料中不含石棉。 · 材料没有毒性。
    如有不适，请随时联系医生。 · 如有疑问，请咨询医生。 · 如有问题，请拨打客服热线。
    用户可以随时联系我们取消订阅。 · 请提供您的身份证原件。 · 请提供详细的收货地址。 · 以下将不予受理。
    下面是地下停车场。 · 敬礼时右手举至帽檐。 · 问题不能解决时，可申请仲裁。 · 顺颂商祺是书信结尾的敬语。
    乐意为残疾人提供免费轮椅。 · 该湖长二十公里以上，其支流如下：
    The passages do not only mention the price, they give it as 5 euros. · Bible passages do not mention dinosaurs.
    There is no fee information on the receipt.
""")
"""Facts, policies and advice: an unjudged one would hide a fault, a judged courtesy costs one call."""


@pytest.mark.parametrize(
    ("reason", "text"), [(reason, text) for reason, texts in NOTHING_TO_CHECK.items() for text in texts]
)
def test_not_checkable(reason: NotCheckable, text: str) -> None:
    claims = split_answer(text).claims
    assert [(claim.key, claim.not_checkable) for claim in claims] == [("s1", reason)]


@pytest.mark.parametrize("text", [*CLAIMS, *SOUND_NOT_CHECKABLE])
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
        st.sampled_from(
            [
                *'aB1.。！?；… \n-*#|"“”（）:：',
                "It is. ",
                "中文。",
                "Here are:",
                "你好！",
                "```",
                "\n|a|b|\n|-|-|\n",
                "①",
                "②",
                "; the",
                "《",
            ]
        ),
        max_size=60,
    )
)
def test_every_claim_is_the_answer_s_own_text_and_nothing_is_lost(pieces: list[str]) -> None:
    text = "".join(pieces)
    split = split_answer(text)
    for claim in split.claims:
        said = [text[start:end] for start, end in claim.spans]
        assert set(said) == {claim.text} or " ".join(said) == claim.text
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
        ("C12", ["City Lima Pop 10.1M"]),
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


@pytest.mark.parametrize("made", MADE, ids=[f"{made['lang']}: {made['why']}" for made in MADE])
def test_made_by_hand(made: dict[str, Any]) -> None:
    split = split_answer(made["text"])
    rest: dict[str, list[str]] = {}
    for claim in split.claims:
        if claim.not_checkable:
            rest.setdefault(claim.not_checkable.value, []).append(claim.text)
    assert (_checkable(split), rest) == (made["claims"], made.get("rest", {}))
    assert split.uncovered == ()


def test_a_hundred_are_made_by_hand_and_half_of_them_chinese() -> None:
    counts = Counter(made["lang"] for made in MADE)
    assert counts["zh"] == counts["en"] >= 50
    assert len({made["text"] for made in MADE}) == len(MADE)


def test_a_row_points_at_its_cells_and_their_titles() -> None:
    text = "| City | Pop |\n|---|---|\n| Lima | 10.1M |\n| Lima | 10.1M |"
    rows = [claim for claim in split_answer(text).claims if claim.checkable]
    assert [[text[start:end] for start, end in row.spans] for row in rows] == [["City", "Lima", "Pop", "10.1M"]] * 2
    assert rows[0].spans[0] == rows[1].spans[0]
    assert rows[0].spans[1] < rows[1].spans[1], "an equal row is a claim of its own, since its text is not one place"


def test_a_column_title_as_long_as_a_text_is_not_said_again() -> None:
    text = f"| City | {'x' * 200} |\n|---|---|\n| Lima | 1 |"
    assert _checkable(split_answer(text)) == ["City Lima 1"]


def test_a_list_of_sources_ends_with_the_first_sentence() -> None:
    split = split_answer("## References\n- guide.pdf\n- The City Guide\n\nIt is deep.\n- cold")
    assert _checkable(split) == ["It is deep.", "cold"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It costs 3.50 euros.", 4),
        ("don't re-enter", 2),
        ("保修期为两年。", 4),
        ("iPhone 15 支持中文", 2 + 4 / 1.5),
        ("", 0),
    ],
)
def test_words_are_counted_alike_in_both_languages(text: str, words: float) -> None:
    assert count_words(text) == pytest.approx(words)
