"""Real faults of judges' replies (class 1 of the case collection), through a real HTTP server and the command line."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conftest import Cli
from tests.records import record
from tests.servers.fixtures import Stub

RUBRIC = """
name: verdict
version: 1
unit: claim
question: {en: 'Is the claim supported by the passages?'}
inputs: [passages, question, answer, claim]
scale:
  - {name: supported, meaning: {en: The passages say it.}, synonyms: [支持, 有依据]}
  - {name: not_supported, meaning: {en: They do not.}, synonyms: [unsupported, not supported, 不支持, 不相关]}
passing: [supported]
"""


class Outcome(NamedTuple):
    """What a run left behind."""

    run: dict[str, Any]
    verdicts: list[dict[str, Any]]
    requests: list[dict[str, Any]]

    @property
    def labels(self) -> list[str | None]:
        return [verdict["label"] for verdict in self.verdicts]

    @property
    def unscored(self) -> list[str | None]:
        return [verdict["unscored"] for verdict in self.verdicts]


Judged = Callable[..., Outcome]


@pytest.fixture
def judged(cli: Cli, openai_stub: Stub, tmp_path: Path, write: Callable[..., Path]) -> Judged:
    """Imports answers with n claims, plays the replies, runs the judge, and reads back what is stored."""

    def play(
        *steps: Any, claims: int = 1, answers: int = 1, options: Sequence[str] = (), rubric: str = RUBRIC, **script: Any
    ) -> Outcome:
        (tmp_path / "verdict.yaml").write_text(rubric, "utf-8")
        write(*(record(number, claims) for number in range(1, answers + 1)))
        cli("import", "answers.jsonl", "--dataset", "d")
        openai_stub.script(replies=list(steps), **script)
        per = "answer" if claims > 1 else "claim"
        named = ["--model", "openai/stub", "--api-base", openai_stub.url, "--per", per, "--retries", "0"]
        ended = cli("run", "--rubric", "verdict.yaml", *named, "--concurrency", "1", *options, "--json")
        assert ended.code == 0, ended.err
        units = [f"a{answer}#c{claim}" for answer in range(1, answers + 1) for claim in range(1, claims + 1)]
        shown = [cli("show", unit, "--json").json["verdicts"][0] for unit in units]
        return Outcome(ended.json, shown, openai_stub.requests())

    return play


def said(*labels: tuple[str, object]) -> str:
    return json.dumps({"verdicts": [{"claim_id": claim, "label": label} for claim, label in labels]})


def shares(cli: Cli) -> dict[str, Any]:
    """The report's shares of the only rubric, of all answers, by name."""
    found = json.loads(cli("report", "--json", "-").out)["rubrics"][0]["shares"]
    return {share["name"]: share for share in found if not share["group"]}


ONE = said(("c1", "supported"))


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "```JSON\n{}\n```", "~~~\n{}\n~~~", "```\n{}\n```"])
def test_o01_a_fenced_reply_is_read_at_once(judged: Judged, fence: str) -> None:
    reply = fence.replace("{}", ONE)
    found = judged(reply)
    assert found.labels == ["supported"]
    assert len(found.requests) == 1
    body = json.loads(found.verdicts[0]["attempts"][0]["raw"])
    assert body["choices"][0]["message"]["content"] == reply


def test_o03_braces_inside_reasoning_are_not_the_verdict(judged: Judged) -> None:
    found = judged(f"<think>maybe {ONE} no...</think>{said(('c1', 'not_supported'))}")
    assert found.labels == ["not_supported"]


def test_o04_reasoning_with_a_closing_tag_only(judged: Judged) -> None:
    assert judged(f"reasoning with {{braces}} ... </think>\n{ONE}").labels == ["supported"]


def test_o04_reasoning_alone_is_no_label(judged: Judged) -> None:
    found = judged("I think {it} is supported, but let me look again", "The claim seems supported by {1}")
    assert found.unscored == ["unparseable"]


@pytest.mark.parametrize("order", [("not_supported", "supported"), ("supported", "not_supported")])
def test_o06_of_several_objects_the_last_wins(judged: Judged, order: tuple[str, str]) -> None:
    first, last = (said(("c1", label)) for label in order)
    assert judged(f"Preliminary: {first} After checking: {last}").labels == [order[1]]


def test_o07_missing_verdicts_are_missing_not_supported(judged: Judged) -> None:
    found = judged(ONE, ONE, claims=5)
    assert found.labels == ["supported", None, None, None, None]
    assert found.run["unscored"] == {"missing_from_reply": 4}
    assert found.run["state"] == "partial"


def test_o08_no_verdicts_for_three_claims(judged: Judged) -> None:
    found = judged('{"verdicts": []}', '{"verdicts": []}', claims=3)
    assert found.labels == [None, None, None]
    assert len(found.requests) == 2, "one retry"
    assert sum(found.run["unscored"].values()) == 3


def test_o08_the_answers_score_is_null(judged: Judged, cli: Cli) -> None:
    judged('{"verdicts": []}', '{"verdicts": []}', claims=3)
    assert {share["raw"]["value"] for share in shares(cli).values()} == {None}


def test_o09_a_third_verdict_for_two_claims_is_dropped_and_recorded(judged: Judged, cli: Cli) -> None:
    found = judged(said(("c1", "supported"), ("c2", "not_supported"), ("c3", "supported")), claims=2)
    assert found.labels == ["supported", "not_supported"]
    assert all("extra_ids" in verdict["flags"] for verdict in found.verdicts)
    passing = shares(cli)["passing"]["raw"]
    assert (passing["value"], passing["n"]) == (0.5, 2)


def test_o10_ids_decide_not_positions(judged: Judged) -> None:
    found = judged(said(("c3", "supported"), ("c1", "not_supported"), ("c2", "not_supported")), claims=3)
    assert found.labels == ["not_supported", "not_supported", "supported"]


def test_o10_shifted_indices_are_never_moved_onto_other_claims(judged: Judged) -> None:
    shifted = json.dumps({"verdicts": [{"index": n, "label": "supported"} for n in (1, 2, 3)]})
    found = judged(shifted, shifted, claims=3)
    assert found.labels == [None, None, None]


@pytest.mark.parametrize("word", ["unsupported", "NOT SUPPORTED", "不支持", "不相关"])
def test_o12_a_negative_word_is_never_the_positive_label(judged: Judged, word: str) -> None:
    assert judged(said(("c1", word))).labels == ["not_supported"]


def test_o13_a_sentence_never_becomes_the_passing_label(judged: Judged) -> None:
    sentence = said(("c1", "No, the context does not back this up."))
    found = judged(sentence, sentence)
    assert found.labels == [None]
    assert found.unscored == ["off_scale"]


def test_o15_not_enough_info_is_a_state_of_its_own(judged: Judged, cli: Cli) -> None:
    rubric = (Path(__file__).parents[2] / "rubrics" / "support.yaml").read_text("utf-8")
    found = judged(said(("c1", "supported"), ("c2", "not_enough_info"), ("c3", "supported")), claims=3, rubric=rubric)
    assert found.labels == ["supported", "not_enough_info", "supported"]
    found_shares = {name: round(share["raw"]["value"], 4) for name, share in shares(cli).items()}
    assert found_shares == {"groundedness": 0.6667, "passing": 0.6667}


def test_o16_a_failed_judgement_is_no_zero(judged: Judged, cli: Cli) -> None:
    replies = [ONE, "no idea", "no idea", said(("c1", "not_supported")), ONE]
    found = judged(*replies, answers=4)
    assert found.labels == ["supported", None, "not_supported", "supported"]
    rubric = json.loads(cli("report", "--json", "-").out)["rubrics"][0]
    mean = next(share for share in rubric["shares"] if share["name"] != "passing")
    assert round(mean["raw"]["value"], 4) == 0.6667
    assert mean["raw"]["n"] == 3
    assert (rubric["coverage"]["judged"], rubric["coverage"]["asked"]) == (3, 4)
    assert rubric["coverage"]["unscored"] == {"unparseable": 1}


GRADES = """
name: grade
version: 1
unit: claim
question: {en: 'How relevant is the claim, 0 to 100?'}
inputs: [question, claim]
ordered: true
scale: [{name: '0', meaning: {en: not}}, {name: '50', meaning: {en: half}}, {name: '100', meaning: {en: fully}}]
passing: ['100']
"""


@pytest.mark.parametrize("grade", ["92222222222222222222", "1e400", "-1", '"Infinity"', "true"])
def test_o17_a_grade_off_the_scale_is_rejected(judged: Judged, cli: Cli, grade: str) -> None:
    bad = f'{{"rationale": "r", "label": {grade}}}'
    good = '{"rationale": "r", "label": 100}'
    found = judged(good, bad, bad, answers=2, rubric=GRADES)
    assert found.labels == ["100", None]
    assert found.unscored[1] in ("off_scale", "unparseable")
    assert found.verdicts[1]["score"] is None
    passing = shares(cli)["passing"]["raw"]
    assert (passing["value"], passing["n"]) == (1.0, 1)


@pytest.mark.parametrize("sure", ["92222222222222222222", "1e400", "-1", '"Infinity"', "true"])
def test_o17_a_confidence_out_of_range_is_null(judged: Judged, sure: str) -> None:
    found = judged(f'{{"rationale": "r", "label": "supported", "confidence": {sure}}}')
    assert found.verdicts[0]["confidence"] is None


def test_o20_a_reply_cut_by_the_cap_is_truncated_even_if_it_parses(judged: Judged) -> None:
    whole = said(*((f"c{n}", "supported") for n in range(1, 13)))
    cut = {"content": whole[: whole.index("c9") + 10], "finish_reason": "length"}
    again = {"content": whole, "finish_reason": "length"}
    found = judged(cut, again, claims=12, options=["--param", "max_tokens=256"])
    assert set(found.unscored) == {"truncated"}
    caps = [request["body"]["max_tokens"] for request in found.requests]
    assert caps == [256, 512], "the cap is raised once"


def test_o20_the_larger_cap_saves_the_answer(judged: Judged) -> None:
    whole = said(*((f"c{n}", "supported") for n in range(1, 13)))
    cut = {"content": whole[:200], "finish_reason": "length"}
    found = judged(cut, whole, claims=12, options=["--param", "max_tokens=256"])
    assert found.labels == ["supported"] * 12
    assert found.run["calls"] == 2


def test_o21_nothing_after_reasoning_is_told_and_asked_with_a_larger_cap(judged: Judged) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 512, "completion_tokens_details": {"reasoning_tokens": 512}}
    empty = {"content": "", "finish_reason": "length", "usage": usage}
    found = judged(empty, empty, options=["--param", "max_tokens=512"])
    assert found.unscored == ["truncated"]
    assert "empty_after_reasoning" in found.verdicts[0]["flags"]
    assert [request["body"]["max_tokens"] for request in found.requests] == [512, 1024]
    attempt = found.verdicts[0]["attempts"][0]
    assert json.loads(attempt["raw"])["choices"][0]["finish_reason"] == "length"
    assert attempt["served_model"]
    assert attempt["usage"]["reasoning"] == 512


def test_o23_python_quotes(judged: Judged) -> None:
    reply = "{'verdicts': [{'claim_id': 'c1', 'label': 'supported', 'rationale': \"it's in doc 2\"}]}"
    found = judged(reply, reply)
    if found.labels == ["supported"]:
        assert found.verdicts[0]["rationale"] == "it's in doc 2"
    else:
        assert found.unscored == ["unparseable"]


def test_o24_a_renamed_key_fails_that_item_only(judged: Judged) -> None:
    bad = '{"statements": [{"claim_id": "c1", "label": "supported"}]}'
    good = said(("c1", "supported"), ("c2", "supported"))
    found = judged(bad, bad, good, claims=2, answers=2)
    assert found.labels == [None, None, "supported", "supported"]
    assert found.run["judged"] == 2
    assert sum(found.run["unscored"].values()) == 2


def test_o24_a_verdict_without_id_belongs_to_no_claim_of_two(judged: Judged) -> None:
    found = judged('{"verdict": "supported"}', '{"label": "supported"}', claims=2)
    assert found.labels == [None, None]


def test_o26_a_refusal_is_counted_apart_and_not_paid_again(judged: Judged) -> None:
    refusal = {"content": None, "refusal": "I cannot help", "finish_reason": "content_filter"}
    found = judged(refusal, options=["--retries", "3"])
    assert found.unscored == ["refused"]
    assert len(found.requests) == 1
    assert found.run["unscored"] == {"refused": 1}


def call(name: str, arguments: str) -> dict[str, Any]:
    tool = {"id": "x", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"content": None, "tool_calls": [tool], "finish_reason": "tool_calls"}


def test_o27_json_mode_by_a_tool_call_is_read(judged: Judged) -> None:
    assert judged(call("json_tool_call", ONE)).labels == ["supported"]


def test_o27_an_unrelated_tool_is_never_a_verdict(judged: Judged) -> None:
    found = judged(call("web_search", ONE), call("web_search", ONE))
    assert found.labels == [None]
    assert found.unscored == ["unparseable"]


@pytest.mark.parametrize("reply", ["{}", "Claim one is supported."])
def test_o28_an_empty_object_and_prose_are_malformed(judged: Judged, reply: str) -> None:
    found = judged(reply, reply)
    assert found.labels == [None]
    assert found.unscored == ["unparseable"]


LABELS_29 = {
    "Partially supported": None,
    "SUPPORTED.": "supported",
    " supported ": "supported",
    "N/A": None,
    "部分支持": None,
    "支持": "supported",
    "supports": None,
    "✅": None,
}


@pytest.mark.parametrize("word", list(LABELS_29))
def test_o29_only_declared_words_are_labels(judged: Judged, word: str) -> None:
    found = judged(said(("c1", word)), said(("c1", word)))
    assert found.labels == [LABELS_29[word]]
    if LABELS_29[word] is None:
        assert found.unscored == ["off_scale"]
        assert found.verdicts[0]["raw"] == word


def test_o31_the_last_anchored_label_wins(judged: Judged) -> None:
    reply = "I would say LABEL: not_supported if ... but it matches.\nLABEL: supported\nHope this helps!"
    assert judged(reply).labels == ["supported"]


def test_every_case_of_the_class_has_a_test(shared: Path) -> None:
    cases = [json.loads(line) for line in (shared / "cases" / "open.jsonl").read_text("utf-8").splitlines()]
    wanted = {case["id"] for case in cases if case["class"] == "1-llm-output"}
    tested = {name.upper() for name in re.findall(r"def test_(o\d+)_", Path(__file__).read_text("utf-8"))}
    assert wanted - tested == set(), "cases without a test"
