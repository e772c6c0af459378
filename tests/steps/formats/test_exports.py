"""RAGAS, Langfuse, TREC and Label Studio as native rows."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge.domain.errors import InputError, UsageError
from judge.steps.formats.mapping import read_maps
from judge.steps.formats.notes import Notes
from judge.steps.formats.reading import open_source, rows_of
from judge.steps.records import Line


def _read(path: Path, notes: Notes | None = None, **more: Any) -> list[Line]:
    maps = read_maps(more.pop("maps", []))
    return list(rows_of(open_source(path, path.name, maps=maps, **more), notes))


@pytest.fixture
def dump(tmp_path: Path) -> Any:
    def make(value: Any, name: str = "f.json") -> Path:
        path = tmp_path / name
        path.write_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), "utf-8")
        return path

    return make


def test_ragas_samples_of_both_versions_with_their_scores(dump: Any) -> None:
    new = {"user_input": "q", "response": "a", "retrieved_contexts": ["c"], "reference": "r", "faithfulness": 0.5}
    old = {"question": "q", "answer": "a", "contexts": ["c"], "ground_truths": ["r"], "faithfulness": float("nan")}
    [fresh], [aged] = _read(dump([new])), _read(dump([old]), format="ragas")
    for row in (fresh.row, aged.row):
        assert (row["question"], row["answer"], row["reference"], len(row["passages"])) == ("q", "a", "r", 1)
    [verdict] = fresh.row["verdicts"]
    assert verdict == {"rubric": "faithfulness", "judge": "ragas", "label": None, "score": 0.5}
    assert aged.row["verdicts"][0]["score"] is None


def test_a_ragas_conversation_is_its_last_question_and_what_came_before(dump: Any) -> None:
    turns = [
        {"type": "human", "content": "hi"},
        {"type": "ai", "content": "hello"},
        {"type": "human", "content": "q"},
        {"type": "ai", "content": "a"},
    ]
    [line] = _read(dump([{"user_input": turns, "reference_contexts": ["g"]}]), format="ragas")
    assert (line.row["question"], line.row["answer"]) == ("q", "a")
    assert line.row["history"] == [{"role": "user", "text": "hi"}, {"role": "assistant", "text": "hello"}]
    assert line.row["metadata"] == {"reference_contexts": ["g"]}


def _run(verdict: int, accepted: bool, edited: int | None = None, text: str = "q") -> dict[str, Any]:
    prompt = {
        "prompt_output": {"reason": "why", "verdict": verdict},
        "edited_output": None if edited is None else {"reason": "no", "verdict": edited},
    }
    return {
        "metric_input": {"user_input": text, "response": "a"},
        "metric_output": verdict if edited is None else edited,
        "prompts": {"p": prompt},
        "is_accepted": accepted,
    }


def test_annotated_ragas_runs_are_verdicts_and_labels(dump: Any) -> None:
    runs = [_run(1, True), _run(1, False, text="r"), _run(0, True, 1, text="s"), _run(0, True)]
    lines = _read(dump({"helpful": runs, "true": [_run(2, False)]}))
    assert [str(line.problem) for line in lines if line.problem] == [
        "f.json:4: the same input of 'helpful' as row 1, expected each input once; remove one"
    ]
    good = [line.row for line in lines if not line.problem]
    said = [[(one["rubric"], one["label"]) for one in row["verdicts"]] for row in good]
    assert said == [[("helpful", "1"), ("true", "2")], [("helpful", "1")], [("helpful", "0")]]
    assert [[one["label"] for one in row["labels"]] for row in good] == [["1"], ["0"], ["1"]]


TRACE = {"id": "t1", "name": "rag", "input": '"What?"', "output": {"answer": "This."}, "latency": 1.5}
SEEN: list[dict[str, Any]] = [
    {"traceId": "t1", "name": "retrieve", "type": "SPAN", "input": "What?", "output": ["one", "two"], "startTime": "2"},
    {"traceId": "t1", "type": "RETRIEVER", "input": "What?", "output": {"documents": [{"id": "d", "text": "two"}]}},
    {"traceId": "t1", "type": "GENERATION", "model": "m", "input": [{"role": "user", "content": "x"}], "output": "y"},
]


def _langfuse(line: Line) -> None:
    assert line.problem is None
    assert (line.row["question"], line.row["answer"], line.row["answer_id"]) == ("What?", "This.", "t1")
    assert sorted(one["text"] for one in line.row["passages"]) == ["one", "two", "two"]
    assert (line.row["model"], line.row["latency_ms"]) == ("m", 1500)


def test_langfuse_traces_in_every_arrangement(dump: Any) -> None:
    whole = [
        dump({"trace": TRACE, "observations": SEEN}),
        dump([{**TRACE, "projectId": "p", "observations": SEEN}], "l.json"),
    ]
    mixed = "".join(json.dumps(row) + "\n" for row in (SEEN[0], TRACE, *SEEN[1:]))
    for path in (*whole, dump(mixed, "m.jsonl")):
        [line] = _read(path)
        _langfuse(line)
    seen = dump(SEEN, "o.json")
    [line] = _read(dump([TRACE], "t.json"), format="langfuse", beside=seen)
    _langfuse(line)


def test_langfuse_observations_alone_speak_through_root_and_generation(dump: Any) -> None:
    seen = [
        {"traceId": "t2", "id": "1", "parentObservationId": None, "type": "SPAN", "input": None, "output": None},
        {
            "traceId": "t2",
            "parentObservationId": "1",
            "type": "GENERATION",
            "input": [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}],
            "output": {"role": "assistant", "content": "a"},
        },
    ]
    notes = Notes()
    [line] = _read(dump(seen), notes)
    assert (line.row["question"], line.row["answer"]) == ("q", "a")
    assert "passages" not in line.row
    assert list(notes.said) == ["traces without an observation that retrieves: no passages"]


def test_a_map_sees_the_trace_with_its_observations(dump: Any) -> None:
    path = dump({"trace": TRACE, "observations": SEEN})
    [line] = _read(path, maps=["passages=observations[?name=='retrieve'].output[]", "slices.app=name"])
    assert [one["text"] for one in line.row["passages"]] == ["one", "two"]
    assert line.row["slices"] == {"app": "rag"}


@pytest.mark.parametrize(
    ("observations", "says"),
    [
        (["o1", "o2"], "only the ids of observations"),
        ([{"id": "o1", "type": "SPAN"}], "observations without input and output"),
    ],
)
def test_a_langfuse_export_without_input_and_output_is_refused(dump: Any, observations: Any, says: str) -> None:
    with pytest.raises(InputError, match=f"{says}.*GET /api/public/traces"):
        _read(dump({"trace": TRACE, "observations": observations}))
    rows = [{"traceId": "t", "id": "o", "input": None, "output": None}]
    with pytest.raises(InputError, match="no observation has an input or output"):
        _read(dump(rows))


RUN = "301 Q0 d1 9 0.5 bm25\n301 Q0 d3 1 2.5 bm25\n301\tQ0\td2 1 2.5 bm25\n\n302 Q0 d1 1 1 bm25\n301 Q0 d1 1 1 dense\n"


def test_a_trec_run_is_ranked_by_score_as_trec_eval_does(dump: Any) -> None:
    judged = dump("301 0 d1 1\n301 0 d9 2\n999 0 d1 0\n", "qrels")
    notes = Notes()
    lines = _read(dump(RUN, "run"), notes, format="trec", beside=judged)
    assert [(line.number, line.row["answer_id"]) for line in lines] == [
        (1, "301-bm25"),
        (5, "302-bm25"),
        (6, "301-dense"),
    ]
    first = lines[0].row
    assert [(one["id"], one["score"], one["text"]) for one in first["passages"]] == [
        ("d3", 2.5, None),
        ("d2", 2.5, None),
        ("d1", 0.5, None),
    ]
    assert (first["question"], first["answer"], first["system"]) == ("301", None, "bm25")
    assert first["grades"] == {"d1": 1, "d9": 2}
    assert "grades" not in lines[1].row
    assert notes.said["judged queries that the run lacks"] == 1


@pytest.mark.parametrize(
    ("run", "says"),
    [
        ("301 Q0 d1 1 0.5\n", ":1: the line has 5 words"),
        ("301 Q0 d1 1 high t\n", ":1: the score is 'high'"),
        ("301 Q0 d1 1 nan t\n", ":1: the score is 'nan'"),
        ("1 Q0 d 1 1 t\n2 Q0 d 1 1 t\n1 Q0 e 1 1 t\n", ":3: query '1' of 't' stands in two places"),
        ("1 Q0 d 1 1 t\n1 Q0 d 2 1 t\n", ":2: document 'd' stands twice"),
        ("", "the run is empty"),
    ],
)
def test_runs_that_are_broken(dump: Any, run: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        _read(dump(run, "run"), format="trec")


@pytest.mark.parametrize(("text", "says"), [("1 0 d x\n", "grade is 'x'"), ("1 0 d 1\n1 0 d 2\n", "another grade")])
def test_judgements_that_are_broken(dump: Any, text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        _read(dump(RUN, "run"), format="trec", beside=dump(text, "qrels"))


def test_a_second_file_needs_a_format_that_has_one(dump: Any) -> None:
    with pytest.raises(UsageError, match="--qrels is of --format trec"):
        _read(dump([{"question": "q", "answer": "a"}]), beside=dump("", "qrels"))


def _task(number: int, who: Any, choice: str, **data: Any) -> dict[str, Any]:
    result = [
        {"from_name": "support", "type": "choices", "value": {"choices": [choice]}},
        {"from_name": "why", "type": "textarea", "value": {"text": ["because"]}},
    ]
    return {
        "id": number,
        "data": {"answer_id": "a1", "question": "q", "answer": "One. Two.", "context": "c", **data},
        "annotations": [
            {"completed_by": who, "result": result, "lead_time": 2.5},
            {"completed_by": 9, "result": result, "was_cancelled": True},
        ],
    }


def test_label_studio_tasks_of_one_answer_become_one_record(dump: Any) -> None:
    tasks = [_task(1, {"email": "li@x"}, "yes", claim="One."), _task(2, 7, "no", claim="Two.")]
    [line] = _read(dump(tasks))
    assert line.row["claims"] == [
        {"id": "c1", "text": "One.", "spans": [[0, 4]]},
        {"id": "c2", "text": "Two.", "spans": [[5, 9]]},
    ]
    assert line.row["labels"][0] == {
        "rubric": "support",
        "annotator": "li@x",
        "label": "yes",
        "seconds": 2.5,
        "comment": "because",
        "claim": "c1",
    }
    assert [(one["annotator"], one["label"], one["claim"]) for one in line.row["labels"]] == [
        ("li@x", "yes", "c1"),
        ("7", "no", "c2"),
    ]


def test_label_studio_labels_of_whole_answers(dump: Any) -> None:
    [line] = _read(dump([_task(1, 7, "good")]))
    assert "claims" not in line.row
    assert "claim" not in line.row["labels"][0]


def test_label_studio_tasks_that_can_not_be_read(dump: Any) -> None:
    two = _task(1, 7, "x")
    two["annotations"][0]["result"][0]["value"]["choices"] = ["x", "y"]
    nobody = _task(1, None, "x")
    unit = {"id": 1, "data": {"unit": "a#c1"}, "annotations": []}
    lines = _read(dump([two, nobody, unit]))
    for line, says in zip(lines, ("2 choices", "completed_by", "judge labels import"), strict=True):
        assert says in str(line.problem)


def test_langfuse_messages_keep_their_reasoning_apart(dump: Any) -> None:
    said = {"role": "assistant", "content": "This.", "reasoning_content": "hm"}
    for output in (said, [said], {"messages": [{"role": "user", "content": "q"}, said]}, json.dumps(said)):
        [line] = _read(dump({"trace": {**TRACE, "output": output}, "observations": SEEN}))
        assert (line.row["answer"], line.row["reasoning_content"]) == ("This.", "hm")


OBSERVED = (
    "id,traceId,type,name,startTime,parentObservationId,input,output\n"
    'o2,t1,RETRIEVER,search,2,o1,q,"[""one"", ""two""]"\n'
    "o1,t1,SPAN,rag,1,,What?,This.\n"
)


def test_langfuse_observations_in_a_table(dump: Any) -> None:
    snake = OBSERVED.replace("traceId", "trace_id").replace("startTime", "start_time")
    snake = snake.replace("parentObservationId", "parent_observation_id")
    for name, text in (("o.csv", OBSERVED), ("s.csv", snake), ("o.tsv", OBSERVED.replace(",", "\t"))):
        path = dump(text.replace('""one""\t ', '""one"", '), name)
        assert open_source(path, name).shape == "langfuse"
        [line] = _read(path)
        assert (line.row["question"], line.row["answer"], line.row["answer_id"]) == ("What?", "This.", "t1")
        assert [one["text"] for one in line.row["passages"]] == ["one", "two"]


def test_langfuse_in_snake_case(dump: Any) -> None:
    names = {"traceId": "trace_id", "startTime": "start_time", "parentObservationId": "parent_observation_id"}
    child = {"start_time": "1", "parent_observation_id": "o1"}
    seen = [child | {names.get(key, key): value for key, value in one.items()} for one in SEEN]
    root = {"id": "o1", "trace_id": "t1", "start_time": "0", "input": "What?", "output": "This."}
    [line] = _read(dump([root, *seen]))
    assert (line.row["question"], line.row["answer"], line.row["model"]) == ("What?", "This.", "m")
    assert sorted(one["text"] for one in line.row["passages"]) == ["one", "two", "two"]
    [line] = _read(dump({"trace": TRACE, "observations": seen}))
    _langfuse(line)


@pytest.mark.parametrize(
    ("text", "maps"),
    [
        ("question,answer,traceId,type\nq,a,t,x\n", []),
        ("question,answer,trace_id,start_time\nq,a,t,1\n", []),
        ("input,output,traceId,type\nq,a,t,x\n", ["question=input", "answer=output"]),
    ],
)
def test_answers_that_note_their_trace_stay_a_table(dump: Any, text: str, maps: list[str]) -> None:
    [line] = _read(dump(text, "t.csv"), maps=maps)
    assert (line.row["question"], line.row["answer"]) == ("q", "a")


def test_label_studio_s_short_export_is_refused(dump: Any) -> None:
    row = {"id": 1, "question": "q", "answer": "a", "support": "yes", "annotation_id": 5, "annotator": 1}
    for path in (dump([row]), dump("id,question,answer,annotation_id,annotator\n1,q,a,5,1\n", "m.csv")):
        [line] = _read(path)
        assert "the task has no `data`" in str(line.problem)
        assert "JSON-MIN" in str(line.problem)
    [line] = _read(dump([row]), maps=["slices.support=support"])
    assert line.row["slices"] == {"support": "yes"}
