"""Records to nouns: everything of the format, and every refusal with where, what and what to do."""

from typing import Any

import pytest

from judge.domain.claims import NotCheckable, UnitKind
from judge.domain.errors import InputError
from judge.domain.judging import Unscored
from judge.steps.answers import parse_record
from judge.steps.given import Address

FULL: dict[str, Any] = {
    "question": "猫睡多久？",
    "history": [{"role": "user", "text": "你好"}],
    "answer": "Cats sleep 15 hours.[1] 猫也怕水。",
    "passages": [
        {
            "id": "p1",
            "text": "Cats sleep.",
            "document": "d",
            "page": 3,
            "object": "t1",
            "score": 2,
            "metadata": {"x": 1},
        },
        {"id": "p2", "text": None},
    ],
    "answer_id": "a1",
    "query_id": "q1",
    "system": "s",
    "config": {"embedding": "e"},
    "corpus_version": "v1",
    "top_k": 5,
    "model": "m",
    "model_family": "f",
    "reference": "15 小时",
    "evidence_sets": [["p1"], ["p9", "p2"]],
    "grades": {"p9": 2, "p1": 1},
    "rankings": {"retrieved": ["p9", "p1"]},
    "citations": [{"start": 20, "end": 23, "passage": "p1"}],
    "slices": {"lang": "zh", "hops": 2, "table": True},
    "latency_ms": 12.5,
    "claims": [
        {"id": "c1", "text": "Cats sleep 15 hours.", "spans": [[0, 20]], "passages": ["p1"]},
        {"id": "c2", "text": "猫也怕水。", "spans": [[24, 29]], "checkable": False},
    ],
    "verdicts": [
        {"claim": "c1", "rubric": "support", "judge": "j", "label": "supported", "confidence": 1, "score": 0.5},
        {"claim": "c1", "passage": "p1", "rubric": "cites", "judge": "j", "label": None},
        {"rubric": "whole", "judge": "j", "unscored": "refused"},
    ],
    "labels": [
        {
            "passage": "p2",
            "rubric": "r",
            "annotator": "李",
            "label": "2",
            "probability": 0.5,
            "seconds": 3,
            "comment": "x",
        }
    ],
    "metadata": {"anything": [1]},
}


def _with(**changes: Any) -> dict[str, Any]:
    return {**FULL, **changes}


def test_every_key_of_the_format_arrives() -> None:
    record = parse_record(FULL, "f:1")
    answer = record.answer
    assert (answer.key, answer.query.key, answer.system, answer.model, answer.model_family) == (
        "a1",
        "q1",
        "s",
        "m",
        "f",
    )
    assert answer.query.history[0].text == "你好"
    assert answer.query.evidence_sets == (("p1",), ("p9", "p2"))
    assert answer.query.grades == {"p9": 2, "p1": 1}
    assert [(item.rank, item.score, item.passage.page) for item in answer.passages] == [(1, 2.0, "3"), (2, None, None)]
    assert answer.slices == {"lang": "zh", "hops": "2", "table": "true"}
    assert (record.corpus_version, record.top_k, record.named, record.reasoning) == ("v1", 5, True, False)
    assert record.split is not None
    first, second = record.split.claims
    assert (first.spans, first.passages, first.citations) == (((0, 20),), ("p1",), ("p1",))
    assert second.not_checkable is NotCheckable.GIVEN
    assert record.split.uncovered == ((20, 23),)
    assert (record.split.length, record.split.covered) == (25, 22)
    assert [(verdict.of, verdict.label, verdict.unscored) for verdict in record.verdicts] == [
        (Address(UnitKind.CLAIM, "c1"), "supported", None),
        (Address(UnitKind.CITATION, "c1", "p1"), None, Unscored.NOT_GIVEN),
        (Address(UnitKind.ANSWER), None, Unscored.REFUSED),
    ]
    label = record.labels[0]
    assert label.of == Address(UnitKind.PASSAGE, None, "p2")
    assert label[2:] == ("李", "2", 0.5, 3.0, "x")


def test_unit_keys() -> None:
    answer = parse_record(FULL, "f:1").answer
    assert Address(UnitKind.ANSWER).key(answer) == "a1"
    assert Address(UnitKind.CLAIM, "c1").key(answer) == "a1#c1"
    assert Address(UnitKind.CITATION, "c1", "p1").key(answer) == "a1#c1@p1"
    assert Address(UnitKind.PASSAGE, None, "p1").key(answer) == "q1@p1"


def test_two_keys_are_enough_and_ids_come_from_the_content() -> None:
    one = parse_record({"question": "q", "answer": "a"}, "f:1")
    same = parse_record({"answer": "a", "question": "q", "labels": [], "metadata": {"x": 1}}, "f:2")
    other = parse_record({"question": "q", "answer": "b"}, "f:3")
    assert one.answer.key == same.answer.key != other.answer.key
    assert one.answer.query.key == other.answer.query.key
    assert one.answer.key.startswith("a-")
    assert one.answer.query.key.startswith("q-")
    assert (one.answer.system, one.split, one.named) == ("default", None, False)


def test_no_claims_null_answers_and_empty_ones() -> None:
    empty = parse_record({"question": "q", "answer": "", "claims": []}, "f:1")
    assert empty.split is not None
    assert (empty.split.claims, empty.split.length) == ((), 0)
    null = parse_record({"question": "q", "answer": None, "claims": []}, "f:1")
    assert (null.answer.text, null.split) == (None, None)
    with pytest.raises(InputError, match="`answer` is null"):
        parse_record({"question": "q", "answer": None, "claims": [{"id": "c", "text": "t"}]}, "f:1")


def test_reasoning_goes_to_the_metadata_and_spans_move_along() -> None:
    thought = "<think>喵 {</think>\n<think>b</think>\n\n"
    row = {
        "question": "q",
        "answer": f"{thought}Yes [1].",
        "passages": [{"id": "p", "text": "t"}],
        "citations": [{"start": len(thought) + 4, "end": len(thought) + 7, "passage": "p"}],
        "claims": [{"id": "c1", "text": "Yes", "spans": [[len(thought), len(thought) + 3]]}],
        "metadata": {"reasoning_content": "first", "k": 1},
    }
    record = parse_record(row, "f:1")
    assert record.reasoning
    assert record.answer.text == "Yes [1]."
    assert record.answer.citations[0].span == (4, 7)
    assert record.split is not None
    assert record.split.claims[0].spans == ((0, 3),)
    assert record.answer.metadata == {"k": 1, "reasoning": ["first", thought.strip()]}
    row["claims"] = [{"id": "c1", "text": "喵", "spans": [[7, 8]]}]
    with pytest.raises(InputError, match=r"in the reasoning at the answer's start"):
        parse_record(row, "f:1")


@pytest.mark.parametrize("text", ["Use <think> tags.</think>", "a <think>b</think>", "think"])
def test_a_tag_inside_the_answer_is_answer(text: str) -> None:
    assert parse_record({"question": "q", "answer": text}, "f:1").answer.text == text


@pytest.mark.parametrize(
    "thought",
    [
        "So the user asks...\nParis is likely.\n</think>\n\n",
        "First </think> and then more.</think>",
        "<thinking>secret</thinking>",
        "<think lang='en'>secret</think>\n",
        "<THINK>secret</THINK>",
        "<think>a <think>b</think> c</think>",
    ],
)
def test_reasoning_in_all_its_forms_reaches_no_judge(thought: str) -> None:
    turns = [{"role": "user", "text": "<think>x</think>hi"}, {"role": "assistant", "text": f"{thought}Hello."}]
    record = parse_record({"question": "q", "answer": f"{thought}Paris.", "history": turns}, "f:1")
    assert (record.answer.text, record.answer.metadata) == ("Paris.", {"reasoning": thought.strip()})
    assert [turn.text for turn in record.answer.query.history] == ["<think>x</think>hi", "Hello."]


@pytest.mark.parametrize(
    "text", ["End it with `</think>` please.", "“</think>” ends it.", "a <b>c</b>", "x </thinker> y"]
)
def test_a_lone_tag_that_is_spoken_of_is_answer(text: str) -> None:
    assert parse_record({"question": "q", "answer": text}, "f:1").answer.text == text


def test_a_trace_that_never_ends_is_all_reasoning() -> None:
    record = parse_record({"question": "q", "answer": "<think>cut off"}, "f:1")
    assert (record.answer.text, record.answer.metadata) == ("", {"reasoning": "<think>cut off"})


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"anwser": "x"}, "unknown key `anwser`; did you mean `answer`?"),
        ({"passages": "[]"}, "`passages` is a string '[]', expected a list; write the value itself"),
        ({"passages": None}, "`passages` is null, expected a list; leave the key out"),
        ({"passages": [{"id": "p1"}]}, "`passages[0].text` is missing"),
        (
            {"passages": [{"id": 7, "text": "t"}]},
            '`passages[0].id` is the number 7, expected a string; write it as a string: "7"',
        ),
        ({"passages": [{"id": "p", "text": "t", "txet": 1}]}, "unknown key `passages[0].txet`; did you mean `text`?"),
        ({"passages": [{"id": "p", "text": "t"}] * 2}, "`passages` has the id 'p' twice"),
        ({"passages": [{"id": "p", "text": "t", "page": [1]}]}, "`passages[0].page` is a list of 1"),
        ({"passages": [{"id": "p", "text": "t", "score": True}]}, "`passages[0].score` is true, expected a number"),
        ({"answer": ["a"]}, "`answer` is a list of 1, expected a string"),
        ({"question": None}, "`question` is null, expected a string"),
        ({"answer_id": ""}, "`answer_id` is an empty string, expected at least one character"),
        ({"top_k": "5"}, "`top_k` is a string '5', expected an integer"),
        ({"top_k": 0}, "greater than or equal to 1"),
        ({"grades": {"p1": "2"}}, "`grades.p1` is a string '2', expected an integer"),
        ({"slices": {"lang": ["zh"]}}, "`slices.lang` is a list of 1"),
        (
            {"citations": [{"start": 0, "end": 3, "passage": "p9"}]},
            "`citations[0].passage` is a string 'p9', expected the id",
        ),
        ({"citations": [{"start": 3, "end": 3, "passage": "p1"}]}, "span [3, 3], expected 0 <= start < end <= 29"),
        ({"citations": [{"start": 28, "end": 30, "passage": "p1"}]}, "expected 0 <= start < end <= 29"),
        ({"claims": [{"id": "c1", "text": "x", "spans": [[-1, 2]]}]}, "`claims[0].spans` has the span [-1, 2]"),
        ({"claims": [{"id": "c1", "text": "x", "spans": [[1]]}]}, "`claims[0].spans[0]"),
        ({"claims": [{"id": "c1", "text": ""}]}, "`claims[0].text` is an empty string"),
        ({"claims": [{"id": "c", "text": "x"}] * 2}, "`claims` has the id 'c' twice"),
        ({"claims": [{"id": "c1", "text": "x", "passages": ["p9"]}]}, "`claims[0].passages` is a string 'p9'"),
        ({"latency_ms": -1}, "`latency_ms`"),
        (
            {"verdicts": [{"claim": "c9", "rubric": "r", "judge": "j", "label": "x"}]},
            "`verdicts[0].claim` is a string 'c9'",
        ),
        ({"verdicts": [{"claim": "c2", "rubric": "r", "judge": "j", "label": "x"}]}, "`checkable`: false"),
        ({"verdicts": [{"rubric": "r", "judge": "j"}]}, "`verdicts[0].label` is missing"),
        ({"verdicts": [{"rubric": "r", "judge": "j", "label": 3}]}, 'write it as a string: "3"'),
        ({"verdicts": [{"rubric": "r", "judge": "j", "label": " . "}]}, "expected a word of the scale"),
        (
            {"verdicts": [{"rubric": "r", "judge": "j", "label": None, "unscored": "lazy"}]},
            "expected one of unparseable",
        ),
        (
            {"verdicts": [{"rubric": "r", "judge": "j", "label": "x", "unscored": "refused"}]},
            "a `label` and `unscored`",
        ),
        ({"verdicts": [{"rubric": "r", "judge": "j", "label": "x", "confidence": 1.1}]}, "less than or equal to 1"),
        ({"verdicts": [{"rubric": "r", "judge": "j", "label": "x"}] * 2}, "'r' of answer by 'j' twice"),
        ({"labels": [{"rubric": "r", "annotator": "a", "label": None}]}, "`labels[0].label` is null"),
        ({"labels": [{"rubric": "r", "annotator": "a", "label": "x", "probability": 0}]}, "greater than 0"),
        ({"labels": [{"rubric": "r", "annotator": "a", "label": "x"}] * 2}, "one a unit, rubric and annotator"),
        (
            {
                "labels": [
                    {"rubric": "r", "annotator": "a", "label": "x", "probability": 0.5},
                    {"rubric": "r", "annotator": "b", "label": "x"},
                ]
            },
            "one unit the probabilities 0.5 and None",
        ),
    ],
)
def test_refusals_name_place_finding_and_expectation(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_record(_with(**changes), "答案.jsonl:17")
    assert str(caught.value).startswith("答案.jsonl:17: ")
    assert says in str(caught.value)


def test_a_missing_key_names_the_one_that_was_written_for_it() -> None:
    with pytest.raises(InputError, match=r"`answer` is missing; is `Anwser` meant for it\?"):
        parse_record({"question": "q", "Anwser": "a"}, "f:1")


@pytest.mark.parametrize(
    ("more", "metadata"),
    [
        ({"reasoning_content": "hm"}, {"reasoning": "hm"}),
        ({"reasoning_content": "hm", "metadata": {"k": 1}}, {"k": 1, "reasoning": "hm"}),
        ({"reasoning_content": "hm", "metadata": {"reasoning_content": "hm"}}, {"reasoning": "hm"}),
        ({"reasoning_content": "hm", "answer": "<think>x</think>A."}, {"reasoning": ["hm", "<think>x</think>"]}),
        ({"reasoning_content": None}, {}),
        ({"reasoning_content": ""}, {}),
    ],
)
def test_reasoning_beside_the_answer_is_moved(more: dict[str, Any], metadata: dict[str, Any]) -> None:
    record = parse_record({"question": "Q?", "answer": "A.", **more}, "f:1")
    assert (record.answer.text, record.answer.metadata, record.reasoning) == ("A.", metadata, bool(metadata))
    assert "reasoning_content" not in record.given
