"""Real faults of claim splitting (class 3 of the case collection), through the command line."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Cli
from tests.servers.fixtures import Stub

LIMA = {"id": "p1", "text": "Lima is the capital of Peru. It has 10.1 million inhabitants."}
Split = Callable[..., list[list[dict[str, Any]]]]


@pytest.fixture
def case(shared: Path) -> Callable[[str], str]:
    """The input of a case, as a text."""
    lines = (shared / "cases" / "open.jsonl").read_text("utf-8").splitlines()
    inputs = {row["id"]: row["input"] for row in map(json.loads, lines)}
    return lambda key: str(inputs[key]).strip("'").replace("\\n", "\n")


@pytest.fixture
def split(cli: Cli, write: Callable[..., Path]) -> Split:
    """Imports answers, splits them, and reads back each one's claims, those that are not checkable too."""

    def play(*answers: str, question: str = "q", passages: object = (LIMA,)) -> list[list[dict[str, Any]]]:
        rows = ({"answer_id": f"a{i}", "question": question, "answer": text} for i, text in enumerate(answers, 1))
        write(*({**row, "passages": passages} for row in rows))
        assert cli("import", "answers.jsonl", "--dataset", "d").code == 0
        summary = cli("split", "--json").json
        assert (summary["coverage"] in (None, 1.0), summary["uncovered"]) == (True, 0)
        return [one["a"] for one in cli("split", "--compare", "rules", "rules", "--json").json["compared"]]

    return play


def texts(claims: list[dict[str, Any]]) -> list[str]:
    return [claim["text"] for claim in claims if claim["not_checkable"] is None]


def test_c01_chinese_stops_end_sentences(split: Split, case: Callable[[str], str]) -> None:
    [claims] = split(case("C01"))
    assert [(claim["key"], claim["text"]) for claim in claims] == [
        ("c1", "北京是中国的首都。"),
        ("c2", "人口超过两千万！"),
        ("c3", "面积约16410平方公里"),
    ]


def test_c03_abbreviations_initials_and_decimals_end_none(split: Split, case: Callable[[str], str]) -> None:
    text = case("C03")
    [claims] = split(text)
    found = texts(claims)
    assert 2 <= len(found) <= 3
    assert not [one for one in found if one.endswith((" Dr.", " 3.", "Fig.", "J.", "R.", "Jan.", "e.g."))]
    spans = [span for claim in claims for span in claim["spans"]]
    assert " ".join(text[start:end] for start, end in spans) == text


def test_c04_etc_can_end_a_sentence(split: Split, case: Callable[[str], str]) -> None:
    [claims] = split(case("C04"))
    assert texts(claims) == ["I sell apples, pears etc.", "I ship on Mondays."]


def test_c05_no_claims_is_a_state_of_its_own_and_no_number(split: Split, cli: Cli) -> None:
    found = split("I don't know.", "根据提供的资料无法回答。", "", " \n ", LIMA["text"])
    assert [texts(claims) for claims in found[:4]] == [[], [], [], []]
    assert [claim["not_checkable"] for claims in found[:2] for claim in claims] == ["refusal", "refusal"]
    assert cli("run", "--model", "baseline", "--rubric", "support").code == 0
    report = cli("report", "--json", "-").json
    assert (report["no_claims"], report["answers"]) == (4, 5)
    for share in report["rubrics"][0]["shares"]:
        assert (share["raw"]["clusters"], share["raw"]["value"]) == (1, 1.0), "the answer with claims alone"


def test_c05_nothing_but_abstentions_has_no_score(split: Split, cli: Cli) -> None:
    split("I don't know.", "根据提供的资料无法回答。", "", " \n ")
    cli("run", "--model", "baseline", "--rubric", "support")
    report = cli("report", "--json", "-").json
    assert [share["raw"]["value"] for share in report["rubrics"][0]["shares"]] == [None, None]


def test_c08_nonsense_is_not_supported(split: Split, cli: Cli) -> None:
    [claims] = split("I love Christmas", question="capital of Peru?")
    assert texts(claims) == ["I love Christmas"]
    assert cli("run", "--model", "baseline", "--rubric", "support", "--json").json["rubrics"]["support"] == {
        "not_enough_info": 1
    }
    shares = cli("report", "--json", "-").json["rubrics"][0]["shares"]
    assert [share["raw"]["value"] for share in shares] == [0, 0]


def test_c08_a_reply_without_a_label_is_no_score(split: Split, cli: Cli, openai_stub: Stub) -> None:
    split("I love Christmas", question="capital of Peru?")
    openai_stub.script(default="Christmas is a holiday.")
    endpoint = ("--model", "openai/stub", "--api-base", openai_stub.url, "--retries", "0")
    found = cli("run", "--rubric", "support", *endpoint, "--json").json
    assert (found["rubrics"]["support"], found["unscored"]) == ({}, {"unparseable": 1})
    shares = cli("report", "--json", "-").json["rubrics"][0]["shares"]
    assert [share["raw"]["value"] for share in shares] == [None, None]


def test_c08_nonsense_is_not_relevant(split: Split, cli: Cli) -> None:
    split("I love Christmas", question="capital of Peru?")
    found = cli("run", "--model", "baseline", "--rubric", "relevance", "--json").json
    assert found["rubrics"]["relevance"] == {"irrelevant": 1}


def test_c09_courtesies_are_kept_as_such(split: Split, case: Callable[[str], str], cli: Cli) -> None:
    text = case("C09")
    [claims] = split(text)
    assert texts(claims) == []
    assert " ".join(claim["text"] for claim in claims) == text
    assert all(claim["not_checkable"] and claim["spans"] for claim in claims)
    assert cli("split", "--json").json["no_claims"] == 1


def test_c10_a_claim_that_is_not_in_the_answer_is_flagged_and_not_scored(
    split: Split, cli: Cli, openai_stub: Stub
) -> None:
    split("Lima is the capital of Peru.")
    texts = ("The firm was founded in 1890", "Lima is the capital of Peru.")
    claims = [{"quotes": [text], "kind": "claim", "text": text} for text in texts]
    openai_stub.script(default={"content": json.dumps({"claims": claims})})
    endpoint = ("--splitter", "openai/stub", "--api-base", openai_stub.url)
    found = cli("split", *endpoint, "--json").json
    assert (found["claims"], found["not_in_answer"]) == (1, 1)
    [one] = cli("split", "--compare", "stub", "stub", "--json").json["compared"]
    assert [(claim["text"], claim["not_in_answer"], claim["spans"]) for claim in one["a"]] == [
        ("The firm was founded in 1890", True, []),
        ("Lima is the capital of Peru.", False, [[0, 28]]),
    ]
    judged = cli("run", "--model", "baseline", "--claims", "stub", "--json").json
    assert (judged["asked"], judged["rubrics"]["support"], judged["unscored"]) == (1, {"supported": 1}, {})


def test_c11_numbers_of_lists_and_ordinals(split: Split, case: Callable[[str], str]) -> None:
    [claims] = split(case("C11"))
    assert texts(claims) == ["Mash the berries.", "Boil.", "Heute ist der 1. des Monats."]
    assert not {"1.", "2."} & {claim["text"] for claim in claims}


def test_c12_rows_hold_their_header_and_code_is_one(split: Split, case: Callable[[str], str]) -> None:
    text = case("C12")
    [claims] = split(text)
    [row] = texts(claims)
    assert all(word in row for word in ("City", "Lima", "Pop", "10.1M"))
    [code] = [claim for claim in claims if claim["not_checkable"] == "code"]
    assert (code["text"], len(code["spans"])) == (text[text.index("```") :], 1)
    assert not [claim for claim in claims if not any(char.isalnum() for char in claim["text"])]


def test_c14_a_sentence_said_forty_times_is_judged_once(split: Split, cli: Cli) -> None:
    [claims] = split("The lake is deep. " * 40)
    assert [(claim["text"], len(claim["spans"])) for claim in claims] == [("The lake is deep.", 40)]
    assert cli("run", "--model", "baseline", "--rubric", "support", "--json").json["calls"] == 1


def test_c15_no_silent_cap(split: Split, cli: Cli) -> None:
    facts = [f"Room {i} has {i + 2} windows and one door to the hall." for i in range(120)]
    [claims] = split(" ".join(facts))
    assert texts(claims) == facts
    assert cli("split", "--json").json["claims"] == 120


@pytest.mark.parametrize(
    "passages", [[], [{"id": "p1", "text": ""}], [{"id": "p1", "text": "   "}], [{"id": "p1", "text": None}]]
)
def test_c17_nothing_is_supported_by_no_context(split: Split, cli: Cli, passages: object) -> None:
    split("Lima is the capital of Peru.", passages=passages)
    found = cli("run", "--model", "baseline", "--rubric", "support", "--json").json
    assert (found["rubrics"]["support"], found["unscored"]) == ({}, {"no_passages": 1})
    shares = cli("report", "--json", "-").json["rubrics"][0]["shares"]
    assert {share["raw"]["value"] for share in shares} == {None}


RUBRIC = """
name: braces
version: 1
unit: claim
question: {en: 'Does {0} hold, %s, {{x}} and {"a": 1}?'}
inputs: [passages, question, answer, claim]
scale:
  - {name: supported, meaning: {en: 'It does {here}.'}}
  - {name: not_supported, meaning: {en: It does not.}}
passing: [supported]
"""


def test_c19_braces_reach_the_model_as_they_are(
    split: Split, case: Callable[[str], str], cli: Cli, openai_stub: Stub, tmp_path: Path
) -> None:
    text = case("C19").removeprefix("answer: '")
    (tmp_path / "braces.yaml").write_text(RUBRIC, "utf-8")
    openai_stub.script(replies=[json.dumps({"rationale": "r", "label": "supported"})])
    [claims] = split(text, passages=[{"id": "p1", "text": f"It says {text}."}])
    assert texts(claims) == [text]
    endpoint = ("--model", "openai/stub", "--api-base", openai_stub.url)
    assert cli("run", "--rubric", "braces.yaml", *endpoint, "--json").json["judged"] == 1
    said = "\n".join(message["content"] for message in openai_stub.requests()[-1]["body"]["messages"])
    assert said.count(text) >= 3, "passage, answer, claim"
    assert 'Does {0} hold, %s, {{x}} and {"a": 1}?' in said
    assert "It does {here}." in said


def test_every_case_of_the_class_has_a_test(shared: Path) -> None:
    cases = [json.loads(line) for line in (shared / "cases" / "open.jsonl").read_text("utf-8").splitlines()]
    wanted = {case["id"] for case in cases if case["class"] == "3-claim-splitting"}
    tested = {name.upper() for name in re.findall(r"def test_(c\d+)_", Path(__file__).read_text("utf-8"))}
    assert wanted - tested == set(), "cases without a test"
