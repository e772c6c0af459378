"""Replies are read as verdicts by stated rules; what can not be read has a reason."""

import json
import math
import time

import pytest

from judge.domain.judging import Unscored, Usage
from judge.steps.verdicts import label_confidence, read_reply, unscored_all
from tests.steps.asking import FLAT, RELEVANCE, SUPPORT, batch, labels, one, read, reply, request, scale

U = Unscored


def test_flat_object_gives_label_rationale_and_confidence():
    verdict = one(FLAT)
    assert (verdict.unit_id, verdict.label, verdict.unscored) == (11, "not_enough_info", None)
    assert (verdict.rationale, verdict.confidence, verdict.confidence_source) == ("r", 0.8, "stated")
    assert verdict.flags == ()


@pytest.mark.parametrize(
    "fence", ["```json\n%s\n```", "```JSON\n%s\n```", "~~~\n%s\n~~~", "```\n%s\n```", "```json\n%s"]
)
def test_o01_fenced_json_is_read(fence):
    assert one(fence % batch(("c1", "supported"))).label == "supported"


def test_o03_a_draft_in_the_reasoning_block_does_not_count():
    text = "<think>maybe {} no...</think>{}".format(batch(("c1", "supported")), batch(("c1", "not_supported")))
    assert one(text).label == "not_enough_info"


def test_o04_reasoning_that_only_ends_is_taken_off():
    assert one("reasoning with {braces} ... </think>\n" + batch(("c1", "supported"))).label == "supported"


@pytest.mark.parametrize(
    "text", ["I think the claim is supported, since", "<think>so it is supported\nlabel: supported"]
)
def test_o04_reasoning_alone_is_unparseable(text):
    assert one(text).unscored is U.UNPARSEABLE


def test_json_that_quotes_a_reasoning_tag_is_taken_as_it_stands():
    inside = '{"rationale": "the text says </think> and <think>", "label": "contradicted"}'
    assert one(inside).label == "contradicted"
    assert one(f"```json\n{inside}\n```").label == "contradicted"
    assert one(f"<think>{{}}</think>{inside}").label == "contradicted"


@pytest.mark.parametrize(("first", "last"), [("not_supported", "supported"), ("supported", "not_supported")])
def test_o06_the_last_object_wins_in_both_orders(first, last):
    text = f"Preliminary: {batch(('c1', first))} After checking: {batch(('c1', last))}"
    assert one(text).label == SUPPORT.read_label(last)


def test_o07_missing_ids_have_no_label():
    reading = read(batch(("c1", "supported")), n=5)
    assert labels(reading) == ["supported", *["missing_from_reply"] * 4]
    assert reading.problem is U.MISSING_FROM_REPLY


def test_o08_no_verdicts_are_no_pass():
    assert labels(read('{"verdicts": []}', n=3)) == ["unparseable"] * 3
    assert labels(read('{"verdicts": []}', n=1)) == ["unparseable"]


def test_o09_verdicts_beyond_those_asked_are_dropped_and_flagged():
    reading = read(batch(("c1", "supported"), ("c2", "contradicted"), ("c3", "supported")), n=2)
    assert labels(reading) == ["supported", "contradicted"]
    assert all("extra_ids" in verdict.flags for verdict in reading.verdicts)


def test_o10_permuted_ids_are_matched_by_id():
    reading = read(batch(("c3", "supported"), ("c1", "contradicted"), ("c2", "not_enough_info")), n=3)
    assert labels(reading) == ["contradicted", "not_enough_info", "supported"]


@pytest.mark.parametrize(
    "ids", [(1, 2, 3), ("1", "2", "3"), ("c2", "c3", "c4"), ("c0", "c1", "c2"), (None, None, None)]
)
def test_o10_shifted_or_positional_replies_are_rejected(ids):
    assert labels(read(batch(*((key, "supported") for key in ids)), n=3)) == ["unparseable"] * 3
    by_index = json.dumps([{"index": key, "label": "supported"} for key in ids])
    assert labels(read(by_index, n=3)) == ["unparseable"] * 3


@pytest.mark.parametrize("word", ["unsupported", "NOT SUPPORTED", "不支持", "不相关", "Unsupported."])
def test_o12_negative_words_never_pass(word):
    assert one(json.dumps({"label": word})).label == "not_enough_info"
    assert one(f"label: {word}").label == "not_enough_info"


@pytest.mark.parametrize("word", ["不相关", "NOT RELEVANT", "irrelevant", "无关"])
def test_o12_negative_words_of_relevance(word):
    assert one(json.dumps({"label": word}), rubric=RELEVANCE).label == "irrelevant"


def test_o13_a_sentence_in_the_labels_place_is_off_scale():
    yes_no = scale("yes", "no", passing=("yes",))
    for text in (
        '{"label": "No, the context does not back this up."}',
        "label: No, the context does not back this up.",
    ):
        verdict = one(text, rubric=yes_no)
        assert (verdict.label, verdict.unscored) == (None, U.OFF_SCALE)
        assert verdict.raw == "No, the context does not back this up."


def test_o15_not_enough_info_is_a_label_of_its_own():
    reading = read(batch(("c1", "supported"), ("c2", "not_enough_info"), ("c3", "supported")), n=3)
    assert labels(reading) == ["supported", "not_enough_info", "supported"]
    assert reading.problem is None


@pytest.mark.parametrize(
    "value", ["92222222222222222222", "1e400", "-1", '"Infinity"', "true", "NaN", "-Infinity", "9" * 5000]
)
def test_o17_impossible_numbers_are_dropped_and_flagged(value):
    verdict = one(f'{{"label": "contradicted", "score": {value}, "confidence": {value}}}')
    assert (verdict.label, verdict.score, verdict.confidence, verdict.confidence_source) == (
        "contradicted",
        None,
        None,
        None,
    )
    assert {"score_invalid", "confidence_invalid"} <= set(verdict.flags)


def test_possible_numbers_are_kept():
    verdict = one('{"label": "contradicted", "score": 73, "confidence": 1}')
    assert (verdict.score, verdict.confidence) == (73.0, 1.0)


def test_o20_a_cut_reply_is_truncated_even_if_its_prefix_parses():
    whole = batch(*((f"c{i}", "supported") for i in range(1, 13)))
    for text in (whole[: len(whole) * 3 // 4], batch(("c1", "supported"))):
        reading = read(text, n=12, finish_reason="length")
        assert labels(reading) == ["truncated"] * 12
        assert reading.problem is U.TRUNCATED


@pytest.mark.parametrize("text", ["", "<think>hm, the passage"])
def test_o21_empty_after_reasoning_is_flagged(text):
    verdict = one(text, finish_reason="length", usage=Usage(output=512, reasoning=512))
    assert (verdict.unscored, verdict.flags) == (U.TRUNCATED, ("empty_after_reasoning",))


def test_o23_python_style_quotes_are_read_without_eval():
    text = "{'verdicts': [{'claim_id': 'c1', 'label': 'supported', 'reason': \"it's in doc 2\"}]}"
    assert (one(text).label, one(text).rationale) == ("supported", "it's in doc 2")
    assert one("{'label': __import__('os').getcwd()}").unscored is U.UNPARSEABLE
    assert one(r"{'label': 'contradicted', 'reason': 'a\d'}").label == "contradicted"


def test_o24_renamed_keys_fail_for_that_item_only():
    assert labels(read('{"statements": [{"claim_id": "c1", "label": "supported"}]}', n=2)) == ["unparseable"] * 2
    assert labels(read('{"verdict": "supported"}', n=2)) == ["unparseable"] * 2
    mixed = '{"verdicts": [{"claim_id": "c1", "verdict": "supported"}, {"claim_id": "c2", "label": "contradicted"}]}'
    assert labels(read(mixed, n=2)) == ["unparseable", "contradicted"]
    unnamed = '{"verdicts": [{"label": "supported"}, {"claim_id": "c2", "label": "contradicted"}]}'
    assert labels(read(unnamed, n=2)) == ["missing_from_reply", "contradicted"]


@pytest.mark.parametrize(
    "kw",
    [{"refusal": "I cannot help"}, {"finish_reason": "content_filter"}, {"refusal": "no", "finish_reason": "length"}],
)
def test_o26_refusals_are_refused(kw):
    assert one("", **kw).unscored is U.REFUSED
    assert one(FLAT, **kw).unscored is U.REFUSED


@pytest.mark.parametrize("text", ["{}", "Claim one is supported.", "", "[]", "null", '"', "{", "[{}]"])
def test_o28_empty_objects_and_prose_are_unparseable(text):
    assert one(text).unscored is U.UNPARSEABLE
    assert labels(read(text, n=2)) == ["unparseable"] * 2


@pytest.mark.parametrize("word", ["SUPPORTED.", " supported ", "支持", "Supported", "supported。"])
def test_o29_declared_spellings_are_read(word):
    assert one(json.dumps({"label": word})).label == "supported"


@pytest.mark.parametrize("word", ["Partially supported", "N/A", "部分支持", "supports", "✅", "不完全支持", ""])
def test_o29_everything_else_is_off_scale_with_its_words(word):
    verdict = one(json.dumps({"label": word}))
    assert (verdict.label, verdict.unscored, verdict.raw) == (None, U.OFF_SCALE, word)


def test_o31_the_last_anchored_line_wins():
    text = "I would say LABEL: not_supported if ... but it matches.\nLABEL: supported\nHope this helps!"
    assert one(text).label == "supported"
    assert one("label: supported\nNo, wait.\n**Label:** `contradicted`").label == "contradicted"
    assert one("理由：资料写明。\n标签：支持。").label == "supported"


@pytest.mark.parametrize("tag", ["answer", "label", "ANSWER"])
def test_the_last_tag_wins_and_reasons_are_kept(tag):
    text = (
        f"<output><explanation>because</explanation><{tag}>contradicted</{tag}> <{tag}>\n supported </{tag}></output>"
    )
    verdict = one(text)
    assert (verdict.label, verdict.rationale) == ("supported", "because")


def test_a_reply_that_is_only_a_label_is_read():
    assert [one(text).label for text in ("supported", '"Supported."', "支持。", "**Contradicted**")] == [
        "supported",
        "supported",
        "supported",
        "contradicted",
    ]
    assert one("supported, because the passage says so").unscored is U.UNPARSEABLE


def test_words_are_not_read_for_several_claims():
    assert labels(read("label: supported", n=2)) == ["unparseable"] * 2


@pytest.mark.parametrize("label", ["true", "null", "[]", '{"a": 1}', "NaN", "3.5", "1e400"])
def test_labels_that_are_no_text_are_off_scale(label):
    verdict = one(f'{{"label": {label}}}', rubric=scale("true", "false", "null", "nan"))
    assert verdict.unscored is U.OFF_SCALE


def test_a_whole_number_may_name_a_label():
    assert one('{"label": 3}', rubric=scale("1", "2", "3")).label == "3"


def test_an_id_given_twice_counts_only_if_both_agree():
    agree = read(batch(("c1", "supported"), ("c1", "SUPPORTED"), ("c2", "contradicted")), n=2)
    assert labels(agree) == ["supported", "contradicted"]
    assert "duplicate_ids" in agree.verdicts[0].flags
    differ = read(batch(("c1", "supported"), ("c1", "contradicted"), ("c2", "contradicted")), n=2)
    assert labels(differ) == ["unparseable", "contradicted"]


def test_a_verdict_on_another_claim_is_not_ours():
    assert one(batch(("c7", "supported"))).unscored is U.MISSING_FROM_REPLY


def test_the_answer_as_a_whole_is_read_without_ids():
    assert read(FLAT, n=0).verdicts[0].label == "not_enough_info"
    assert read(batch(("c1", "supported")), n=0).verdicts[0].unscored is U.MISSING_FROM_REPLY


def test_a_bare_list_with_ids_is_read():
    assert labels(read('[{"claim_id": "c1", "label": "supported"}, {"claim_id": "C2", "label": "no"}]', n=2)) == [
        "supported",
        "not_enough_info",
    ]


def test_confidence_comes_from_the_labels_own_tokens():
    tokens = ('{"label', '": "', "not", "_enough", "_info", '", "confidence": 0.99}')
    logprobs = tuple(zip(tokens, (0.0, 0.0, -0.1, -0.2, 0.0, -3.0), strict=True))
    verdict = one("".join(tokens), logprobs=logprobs)
    assert verdict.confidence_source == "logprob"
    assert verdict.confidence == pytest.approx(math.exp(-0.3))


def test_token_confidence_follows_the_claim_id_and_falls_back():
    tokens = [
        ('{"verdicts": [{"claim_id": "c1", "label": "', 0.0),
        ("yes", -1.0),
        ('"}, {"claim_id": "c2", "label": "', 0.0),
    ]
    tokens += [("yes", -2.0), ('"}]}', 0.0)]
    assert label_confidence(tokens, "yes", "c1") == pytest.approx(math.exp(-1))
    assert label_confidence(tokens, "yes", "c2") == pytest.approx(math.exp(-2))
    assert label_confidence(tokens, "yes", "c3") is None
    assert label_confidence([("yes", math.nan)], "yes", None) is None
    assert label_confidence([("yes", 5.0)], "yes", None) is None
    assert one(FLAT, logprobs=(("x", -1.0),)).confidence_source == "stated"


def test_token_confidence_is_the_claims_own_when_labels_come_first():
    tokens = [
        ('{"verdicts": [{"label": "', 0.0),
        ("yes", -1.0),
        ('", "rationale": "a {brace} and \\"claim_id\\": \\"c2\\"", "claim_id": "c1"}, {"label": "', 0.0),
        ("yes", -2.0),
        ('", "claim_id": "C2"}]}', 0.0),
    ]
    assert label_confidence(tokens, "yes", "c1") == pytest.approx(math.exp(-1))
    assert label_confidence(tokens, "yes", "c2") == pytest.approx(math.exp(-2))


HOSTILE = {
    "nested objects": '{"a":' * 200_000,
    "nested lists": "[" * 1_000_000,
    "braces in prose": "{" * 1_000_000,
    "broken objects": '{"a" ' * 160_000,
    "broken lists": "[{" * 500_000,
    "tags": "<think>" * 150_000,
    "closing tags": "</think>" * 120_000,
    "fences": "```\n" * 250_000,
    "spaces": " " * 1_000_000,
    "labels": "label: x\n" * 110_000,
    "answer tags": "<answer>" * 120_000,
    "explanations": "<explanation>" * 80_000 + "\nlabel: x",
    "single quotes": "{'a':" * 200_000,
    "minus": "{'a': " + "-" * 19_000 + "1}",
    "quote": json.dumps({"label": "supported", "quote": "a ... " * 150_000}),
    "valid objects": '{"label": "x"}' * 70_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_replies_of_a_megabyte_are_read_in_linear_time(name):
    started = time.process_time()
    assert len(one(HOSTILE[name]).raw or "") <= 500
    read(HOSTILE[name], n=3)
    assert time.process_time() - started < 20  # under a second on a free machine; quadratic time would take minutes


def test_unscored_all_covers_every_unit():
    verdicts = unscored_all(request(3), U.CONTEXT_TOO_LONG, "said so")
    assert [(v.unit_id, v.unscored, v.raw) for v in verdicts] == [
        (n, U.CONTEXT_TOO_LONG, "said so") for n in (11, 12, 13)
    ]


def test_a_request_without_its_units_is_a_mistake():
    broken = request(2).model_copy(update={"unit_ids": (11,)})
    with pytest.raises(ValueError, match="unit id"):
        read_reply(reply(FLAT), broken)


def recorded(path):
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            for claim in json.loads(line)["claims"]:
                for said in claim["judge_labels"]:
                    if said.get("raw") is not None:
                        yield said["label"], said["raw"]


def test_recorded_gpt_replies_read_as_recorded(shared):
    rubric = scale("supported", "partially_supported", "not_supported")
    replies = list(recorded(shared / "data" / "wice_gpt.jsonl"))
    assert len(replies) == 600
    assert [label for label, _ in replies] == [one(raw, rubric=rubric).label for _, raw in replies]
    assert all(one(raw, rubric=rubric).rationale for _, raw in replies)


def test_recorded_chinese_replies_never_read_a_refutation_as_support(shared):
    spoken = {"supported": ["续写符合现实"], "not_supported": ["续写不符合现实"]}
    rubric = scale("supported", "not_supported", synonyms=spoken)
    read_labels = [
        (label, one(raw, rubric=rubric).label) for label, raw in recorded(shared / "data" / "uhgeval_zh.jsonl")
    ]
    assert sum(got == "supported" for _, got in read_labels) == 4163
    assert sum(got == "not_supported" for _, got in read_labels) == 70
    assert ("not_supported", "supported") not in read_labels
