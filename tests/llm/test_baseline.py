"""The embedded baseline: what it answers, in which shape, and what it refuses."""

import asyncio
import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from judge.domain.answers import Answer, Passage, Query, Retrieved, Turn
from judge.domain.claims import Claim, UnitKind
from judge.domain.errors import FatalError
from judge.domain.judging import Model, Prompt, Reply, Subject, Usage
from judge.domain.rubrics import Rubric, ScaleLabel
from judge.llm.baseline import VERSION, Baseline, coefficients, judge_subject
from judge.llm.features import FEATURES
from tests.conftest import Cli
from tests.records import record


def rubric(
    *labels: str, inputs: tuple[str, ...] = ("passages", "question", "answer", "claim"), **fields: Any
) -> Rubric:
    scale = tuple(ScaleLabel(name=name, meaning={"en": name}) for name in labels)
    given = {
        "name": "r",
        "version": 1,
        "unit": UnitKind.CLAIM,
        "question": {"en": "?"},
        "passing": labels[:1],
        **fields,
    }
    return Rubric(scale=scale, inputs=inputs, **given)


SUPPORT = rubric("supported", "contradicted", "not_enough_info")
RELEVANCE = rubric("relevant", "irrelevant", inputs=("history", "question", "claim"))


def answer(*passages: str | None, question: str = "Q?", text: str = "", history: tuple[str, ...] = ()) -> Answer:
    query = Query(key="q", text=question, history=tuple(Turn(role="user", text=turn) for turn in history))
    retrieved = tuple(
        Retrieved(passage=Passage(key=f"p{i}", text=each), rank=i) for i, each in enumerate(passages, start=1)
    )
    return Answer(key="a", query=query, text=text, passages=retrieved)


def ask(given: Answer, *claims: Claim, by: Rubric = SUPPORT, language: Any = "en") -> Reply:
    subject = Subject(answer=given, claims=claims, rubric=by, language=language)
    return asyncio.run(Baseline().ask(Prompt(messages=(), subject=subject)))


def verdict(claim: str, *passages: str | None, **fields: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ask(answer(*passages), Claim(key="c1", text=claim), **fields).text)
    return found


POLICY = (
    "Items can be returned within 30 days of delivery. Opened software is not refunded. Shipping is free in Europe."
)
POLICY_ZH = "商品签收后30天内可以退货。已拆封的软件不予退款。欧洲境内免运费，国际运费为三千五百日元。"


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("You can return items within 30 days of delivery.", "supported"),
        ("Items can be returned within 60 days of delivery.", "not_enough_info"),
        ("The head office is in Lisbon and opened in spring.", "not_enough_info"),
        ("Items can be returned within thirty days of delivery.", "supported"),
    ],
)
def test_support_in_english(claim: str, label: str) -> None:
    found = verdict(claim, "Our cats sleep.", POLICY)
    assert found["label"] == label
    assert found["quote"] in POLICY
    assert bool(found["quote"]) == (label != "not_enough_info")


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("商品在签收后三十天内可以退货。", "supported"),
        ("商品签收后60天内可以退货。", "not_enough_info"),
        ("国际运费为3,500日元。", "supported"),
        ("公司总部设在杭州西湖区。", "not_enough_info"),
    ],
)
def test_support_in_chinese(claim: str, label: str) -> None:
    found = verdict(claim, POLICY_ZH, language="zh")
    assert found["label"] == label
    assert found["quote"] in POLICY_ZH
    assert bool(found["quote"]) == (label != "not_enough_info")


def test_one_reply_shape_for_one_claim_and_one_for_several() -> None:
    one = json.loads(ask(answer(POLICY), Claim(key="c1", text="Shipping is free in Europe.")).text)
    assert list(one) == ["rationale", "quote", "label", "confidence"]
    assert one["quote"] == "Shipping is free in Europe."
    several = json.loads(
        ask(answer(POLICY), Claim(key="c1", text="Shipping is free in Europe."), Claim(key="c2", text="Cats fly.")).text
    )
    assert [(each["claim_id"], each["label"]) for each in several["verdicts"]] == [
        ("c1", "supported"),
        ("c2", "not_enough_info"),
    ]


def test_it_costs_nothing_and_says_its_version() -> None:
    reply = ask(answer(POLICY), Claim(key="c1", text="Shipping is free."))
    assert (reply.cost, reply.currency, reply.usage) == (0.0, None, Usage(input=0, output=0))
    assert (reply.served_model, reply.finish_reason, reply.raw) == (VERSION, "stop", reply.text.encode())


def test_it_says_the_same_twice() -> None:
    claim = Claim(key="c1", text="Items can be returned within 60 days.")
    assert ask(answer(POLICY), claim) == ask(answer(POLICY), claim)


def test_a_claim_is_judged_by_its_own_passages_only() -> None:
    claim = Claim(key="c1", text="Shipping is free in Europe.", passages=("p1",))
    assert json.loads(ask(answer("Our cats sleep.", POLICY), claim).text)["label"] == "not_enough_info"


@pytest.mark.parametrize("passages", [(), ("",), ("   ",), (None,)])
def test_c17_without_passage_text_nothing_is_supported(passages: tuple[str | None, ...]) -> None:
    assert verdict("Shipping is free.", *passages)["label"] == "not_enough_info"


def test_the_whole_answer_is_as_good_as_its_worst_sentence() -> None:
    good, bad = "Shipping is free in Europe.", "Items can be returned within 60 days of delivery."
    whole = rubric("supported", "contradicted", "not_enough_info", unit=UnitKind.ANSWER)
    labels = [
        json.loads(ask(answer(POLICY, text=text), by=whole).text)["label"] for text in (good, f"{good} {bad}", "")
    ]
    assert labels == ["supported", "not_enough_info", "not_enough_info"]


@pytest.mark.parametrize(
    ("claim", "question", "label"),
    [
        ("The plan costs 5 euros a month.", "How much is the plan?", "relevant"),
        ("It costs 5 euros.", "How much is the plan?", "relevant"),
        ("Our founders met at a sailing club in Genoa.", "How much is the plan?", "irrelevant"),
        ("套餐每月收费五元。", "这个套餐多少钱？", "relevant"),
        ("创始人相识于热那亚帆船俱乐部。", "这个套餐多少钱？", "irrelevant"),
    ],
)
def test_relevance(claim: str, question: str, label: str) -> None:
    reply = ask(answer(question=question), Claim(key="c1", text=claim), by=RELEVANCE)
    assert json.loads(reply.text)["label"] == label


def test_relevance_sees_the_conversation() -> None:
    given = answer(question="And in Genoa?", history=("Where do the founders live?",))
    reply = ask(given, Claim(key="c1", text="Both founders live near the old harbour."), by=RELEVANCE)
    assert json.loads(reply.text)["label"] == "relevant"


def test_labels_come_from_the_rubric() -> None:
    two = rubric("ok", "unsupported")
    assert [verdict(text, POLICY, by=two)["label"] for text in ("Shipping is free in Europe.", "Cats fly.")] == [
        "ok",
        "unsupported",
    ]


@pytest.mark.parametrize(
    "given",
    [
        rubric("supported", "not_supported", passing=()),
        rubric("1", "2", "3", "4", passing=("3", "4")),
        rubric("fluent", "clumsy", inputs=("answer",)),
        rubric("relevant", "irrelevant", unit=UnitKind.PASSAGE),
    ],
)
def test_what_it_cannot_answer_stops_the_run(given: Rubric) -> None:
    with pytest.raises(FatalError, match="only answers yes / no questions"):
        ask(answer(POLICY), Claim(key="c1", text="Shipping is free."), by=given)


def test_a_prompt_without_a_subject_is_refused() -> None:
    with pytest.raises(FatalError, match="without its subject"):
        asyncio.run(Baseline().ask(Prompt(messages=())))


def test_it_is_a_model() -> None:
    model: Model = Baseline()
    assert (model.provider, model.base_url, model.name) == ("baseline", "", VERSION)
    asyncio.run(model.close())


@pytest.mark.parametrize(
    ("claim", "label", "confidence"),
    [
        ("Shipping is free in Europe.", "supported", 0.942),
        ("You can return items within 30 days of delivery.", "supported", 0.872),
        ("Shipping is free in Japan.", "supported", 0.649),
        ("Items can be returned within 60 days of delivery.", "not_enough_info", 0.640),
        ("The head office is in Lisbon and opened in spring.", "not_enough_info", 0.704),
        ("Cats fly.", "not_enough_info", 0.95),
        ("国际运费为3,500日元。", "supported", 0.913),
        ("商品签收后60天内可以退货。", "not_enough_info", 0.635),
    ],
)
def test_known_claims_keep_their_confidence(claim: str, label: str, confidence: float) -> None:
    found = verdict(claim, POLICY, POLICY_ZH)
    assert (found["label"], found["confidence"]) == (label, pytest.approx(confidence, abs=0.0005))


def test_coefficients_belong_to_the_version() -> None:
    plain = json.dumps({name: model._asdict() for name, model in coefficients().items()}, sort_keys=True)
    digest = hashlib.sha256(plain.encode()).hexdigest()[:16]
    assert (VERSION, digest) == ("baseline-2", "78ec912453865bca"), "other coefficients need another VERSION"


def test_evidence_speaks_for_a_claim_and_its_lack_against() -> None:
    for model in coefficients().values():
        weights = dict(zip(FEATURES, model.weights, strict=True))
        assert all(weights[name] > 0 for name in ("recall", "pairs", "absence"))
        assert all(weights[name] < 0 for name in ("longest_gap", "number_missing", "number_other", "name_missing"))


def test_it_never_says_contradicted() -> None:
    claims = [f"Items can be returned within {n} days of delivery." for n in range(100)]
    claims += ["Opened software is refunded.", "Items can never be returned.", "已拆封的软件予以退款。"]
    subject = Subject(
        answer=answer(POLICY, POLICY_ZH),
        claims=tuple(Claim(key=f"c{i}", text=text) for i, text in enumerate(claims)),
        rubric=SUPPORT,
        language="en",
    )
    said: Any = judge_subject(subject)["verdicts"]
    assert {each["label"] for each in said} == {"supported", "not_enough_info"}


def test_a_claim_later_in_the_answer_is_trusted_less() -> None:
    text = "Shipping is free in Japan."
    given = answer(POLICY, text=f"{'Well. ' * 20}{text}")
    early, late = (Claim(key="c1", text=text, spans=((at, at + 5),)) for at in (0, len(given.text or "") - 10))
    confidences = [json.loads(ask(given, claim).text)["confidence"] for claim in (early, late)]
    assert confidences[0] > confidences[1]


def test_two_runs_store_equal_bytes(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replies = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        (folder / "answers.jsonl").write_text("\n".join(json.dumps(record(n, 3)) for n in range(5)), encoding="utf-8")
        assert cli("import", "answers.jsonl", "--dataset", "d").code == 0
        assert cli("run", "--rubric", "support", "--rubric", "relevance", "--model", "baseline").code == 0
        [database] = folder.glob("*.db")
        with sqlite3.connect(database) as connection:
            replies.append(
                sorted(connection.execute("SELECT hash, raw FROM calls JOIN attempts ON call_id = calls.id"))
            )
            models = {model for (model,) in connection.execute("SELECT model FROM calls")}
            assert {model.partition(":")[0] for model in models} == {VERSION}
        connection.close()
    assert replies[0] == replies[1]
    assert len(replies[0]) == 30
