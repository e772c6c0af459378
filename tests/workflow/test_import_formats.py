"""Other formats through the whole import: real exports, whole journeys, what is left behind."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge.store.database import open_database
from judge.store.datasets import list_datasets
from judge.workflow.imports import import_file
from tests.conftest import Cli

MTRAG = """
question: input[-1].text
history: input[:-1]
answer: predictions[0].text
reference: targets[0].text
passages: contexts
answer_id: task_id
slices.domain: collection
"""
ROOT = 'parse(record_attributes)."ai.observability.record_root.'
SKIP = "--skip-bad"


def _maps(*pairs: str) -> tuple[str, ...]:
    return tuple(word for pair in pairs for word in ("--map", pair))


IMPORTED: dict[str, tuple[tuple[str, ...], tuple[int, int, int, int, int]]] = {
    "deepeval/goldens.csv": ((*_maps("passages=split(retrieval_context, '|')"), SKIP), (14, 14, 0, 0, 0)),
    "deepeval/goldens.json": ((), (4, 7, 0, 0, 0)),
    "deepeval/test_run_sample.json": (
        _maps("rows=testCases", "question=input", "answer=actualOutput", "passages=trace.retrieverSpans[].output[]"),
        (1, 3, 0, 0, 0),
    ),
    "langfuse/google-vertex-tools-langchain-2025-09-19.json": ((), (1, 0, 0, 0, 0)),
    "langfuse/langgraph-2025-08-22.json": ((), (1, 0, 0, 0, 0)),
    "langfuse/llamaindex-2025-06-05.json": ((), (1, 0, 0, 0, 0)),
    "langfuse/openai-assistants-2024-05-29.json": ((), (1, 0, 0, 0, 0)),
    "langfuse/pydantic-ai-tools-2025-12-04.json": ((), (1, 0, 0, 0, 0)),
    "mtrag/responses-10.jsonl": (("--map", "@mtrag.yaml"), (10, 22, 0, 0, 0)),
    "ragas/annotated_data.json": ((SKIP,), (19, 0, 0, 19, 19)),
    "ragas/edited_chain_runs.json": ((), (18, 0, 0, 18, 18)),
    "ragas/sample_annotated_summary.json": ((), (19, 0, 0, 19, 19)),
    "ragas/hf_doc_qa_eval.csv": (_maps("answer=`null`"), (66, 0, 0, 0, 0)),
    "ragchecker/checking_inputs.json": ((), (2, 7, 0, 0, 0)),
    "ragchecker/checking_outputs.json": ((), (2, 7, 0, 0, 0)),
    "refchecker/example_in.json": (_maps("passages=reference", "reference="), (3, 3, 0, 0, 0)),
    "trulens/customapp_record.json": (
        _maps("rows=[@]", "question=main_input", "answer=main_output"),
        (1, 0, 0, 0, 0),
    ),
    "trulens/otel_tru_llama_smoke.csv": (
        (*_maps(f'question={ROOT}input"', f'answer={ROOT}output"'), SKIP),
        (1, 0, 0, 0, 0),
    ),
}
REFUSED = {
    "deepeval/convo_goldens.json": "nothing is taken for `question`",
    "mtrag/taskb_input.jsonl": "`question` is a list of 1, expected a text",
    "open-rag-eval/csv_results.csv": "the table has one passage a row, expected one answer a row",
    "ragas/hf_doc_qa_eval.csv": "no column is taken for `answer`",
    "trulens/eval_root_span.json": "nothing is taken for `question`",
    "trulens/eval_span_1.json": "nothing is taken for `question`",
    "trulens/eval_span_2.json": "nothing is taken for `question`",
    "trulens/generation_span.json": "nothing is taken for `question`",
    "trulens/record_root_span.json": "nothing is taken for `question`",
    "trulens/retrieval_span.json": "nothing is taken for `question`",
    "trulens/template_record_root_span.json": "the file is no JSON",
    "trulens/otel_tru_llama_smoke.csv": "no column is taken for `question`",
}


@pytest.mark.parametrize("name", sorted(IMPORTED))
def test_real_exports_are_imported(cli: Cli, shared: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "mtrag.yaml").write_text(MTRAG, "utf-8")
    options, counts = IMPORTED[name]
    found = cli("import", shared / "data" / "importers" / name, "--dataset", "d", "--json", *options).json
    assert tuple(found[key] for key in ("answers", "passages", "claims", "verdicts", "labels")) == counts


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_real_exports_are_refused_with_the_reason(cli: Cli, shared: Path, tmp_path: Path, name: str) -> None:
    ended = cli("import", shared / "data" / "importers" / name, "--dataset", "d")
    assert ended.code == 1
    assert REFUSED[name] in ended.err
    assert not (tmp_path / "judge.db").exists()


def test_every_real_export_has_its_expectation(shared: Path) -> None:
    folder = shared / "data" / "importers"
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert there == IMPORTED.keys() | REFUSED.keys()


def test_the_map_in_the_documentation_is_the_one_that_is_tested() -> None:
    text = (Path(__file__).parents[2] / "docs" / "import.md").read_text("utf-8")
    assert MTRAG.strip() in text


def test_a_real_run_with_its_judgements(cli: Cli, shared: Path) -> None:
    folder = shared / "data" / "retrieval" / "trec_eval"
    run, judged = folder / "results.test", folder / "qrels.test"
    found = cli("import", run, "--format", "trec", "--qrels", judged, "--dataset", "d", "--json").json
    lines = [line.split() for line in run.read_text("utf-8").splitlines()]
    assert found["answers"] == len({line[0] for line in lines})
    first = cli("import", run, "--format", "trec", "--qrels", judged, "--dry-run", "--limit", "1", "--json").json
    [row] = first["first"]
    own = sorted(((float(line[4]), line[2]) for line in lines if line[0] == row["query_id"]), reverse=True)
    assert [(one["score"], one["id"]) for one in row["passages"]] == own
    assert all(isinstance(grade, int) for grade in row["grades"].values())


LANGFUSE = {
    "trace": {"id": "t1", "input": '"Where is Lima?"', "output": '"Lima is the capital of Peru."'},
    "observations": [
        {
            "traceId": "t1",
            "type": "SPAN",
            "name": "retrieve",
            "input": "Lima",
            "output": ["Lima is the capital of Peru."],
        }
    ],
}
GBK = "问题,答案,上下文\n大熊猫吃什么？,大熊猫主要吃竹子。,\"['大熊猫主要吃竹子，每天吃十二公斤。']\"\n".encode("gbk")
ZH = {"问题": "大熊猫吃什么？", "回答": "大熊猫主要吃竹子。", "上下文": ["大熊猫主要吃竹子，每天吃十二公斤。"]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("langfuse.json", json.dumps(LANGFUSE).encode()),
        ("表格.csv", GBK),
        ("回答.jsonl", json.dumps(ZH, ensure_ascii=False).encode()),
    ],
)
def test_an_export_gets_to_a_report_with_two_commands(cli: Cli, tmp_path: Path, name: str, content: bytes) -> None:
    """Import, then split: with run and report as in any journey; no option about the file is needed."""
    (tmp_path / name).write_bytes(content)
    assert cli("import", name, "--dataset", "mine").code == 0
    assert cli("split").code == 0
    assert cli("run", "--model", "baseline", "--rubric", "support").code == 0
    assert cli("report", "--json", "-").json["answers"] == 1


def test_a_dry_run_shows_rows_as_they_will_be_stored_and_stores_nothing(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_bytes(GBK)
    found = cli("import", "f.csv", "--dry-run", "--json").json
    assert (found["format"], found["encoding"], found["rows"], found["rejected"]) == ("csv", "gb18030", 1, 0)
    assert found["taken"] == {"answer": "答案", "passages": "上下文", "question": "问题"}
    [row] = found["first"]
    assert row["question"] == "大熊猫吃什么？"
    assert row["answer_id"].startswith("a-")
    plain = cli("import", "f.csv", "--dry-run")
    assert "Read as csv, GB18030." in plain.err
    assert "大熊猫主要吃竹子。" in plain.out
    assert list(tmp_path.iterdir()) == [tmp_path / "f.csv"]
    assert cli("import", "f.csv", "--dataset", "d").code == 0
    assert cli("split").code == 0
    stored = cli("show", f"{row['answer_id']}#c1", "--json").json
    assert row["answer"] in json.dumps(stored, ensure_ascii=False)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--top-k", "-3"), "--top-k is -3, expected 1 or more"),
        (("--bad-limit", "-1"), "--bad-limit is -1, expected 0 or more"),
        (("--db", "sqlite://"), "a database in memory"),
        (("--format", "xml"), "--format is 'xml'"),
        (("--encoding", "latin-99"), "--encoding 'latin-99' is none"),
        (("--map", "x"), "no '='"),
        (("--rubric", "x"), "no '='"),
        (("--dry-run", "--limit", "-1"), "--limit is -1"),
    ],
)
def test_options_that_are_off_are_told(
    cli: Cli, write: Callable[..., Path], tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    write({"question": "q", "answer": "a"})
    ended = cli("import", "answers.jsonl", "--dataset", "d", *options)
    assert (ended.code, says in ended.err) == (2, True), ended.err
    assert not (tmp_path / "judge.db").exists()


@pytest.mark.parametrize(
    ("row", "options"),
    [
        ({"question": "", "answer": "a"}, ()),
        ({"question": "q"}, ()),
        ({"question": "q", "answer": "a"}, ("--passing", "nothing")),
        ({"question": "q", "answer": "a"}, ("--rubric", "x=support")),
    ],
)
def test_a_failed_import_leaves_no_database(
    cli: Cli, write: Callable[..., Path], tmp_path: Path, row: dict[str, Any], options: tuple[str, ...]
) -> None:
    write(row)
    assert cli("import", "answers.jsonl", "--dataset", "d", *options).code == 1
    assert not (tmp_path / "judge.db").exists()


def test_null_passages_are_none_and_an_empty_question_is_told(cli: Cli, write: Callable[..., Path]) -> None:
    write({"question": "q", "answer": "a", "passages": None})
    assert cli("import", "answers.jsonl", "--dataset", "d", "--json").json["answers"] == 1
    write({"question": "", "answer": "a"})
    assert (
        "`question` is an empty string, expected at least one character"
        in cli("import", "answers.jsonl", "--dataset", "d").err
    )


def test_texts_of_all_kinds_come_through_a_table(cli: Cli, tmp_path: Path) -> None:
    texts = ["👩‍👩‍👧‍👦 ok", "e\u0301 n\u0303", "a\u200bb\u200d", "\u202eעברית\u202c", "a\u2028b\u0085c", '"q", x', "é"]
    lines = [f'q{i},"{text.replace(chr(34), chr(34) * 2)}"' for i, text in enumerate(texts)]
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        (tmp_path / "f.csv").write_bytes(("question,answer\r\n" + "\r\n".join(lines)).encode(encoding))
        found = cli("import", "f.csv", "--dry-run", "--limit", "99", "--json").json
        assert [row["answer"] for row in found["first"]] == texts, encoding


def test_an_interrupted_import_of_a_table_leaves_nothing_half_imported(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("question,answer\n" + "".join(f"q{i},a\n" for i in range(1_200)), "utf-8")
    store = open_database(f"sqlite:///{tmp_path / 'judge.db'}")
    told: list[int] = []

    def stop(done: int) -> None:
        told.append(done)
        if told[-2:] == [500, 1000]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_file(store, path, dataset="d", shipped={}, progress=stop)
    with store.read() as connection:
        assert list_datasets(connection) == []
    assert import_file(store, path, dataset="d", shipped={}).answers == 1_200
    store.close()


def test_a_large_table_in_two_readings(cli: Cli, tmp_path: Path) -> None:
    lines = "".join(f'q{i},answer {i},"[""passage {i % 50}""]"\n' for i in range(2_500))
    (tmp_path / "f.csv").write_text("question,answer,contexts\n" + lines, "utf-8")
    found = cli("import", "f.csv", "--dataset", "d", "--json").json
    assert (found["answers"], found["passages"], found["rejected"]) == (2_500, 50, 0)
    assert cli("import", "f.csv", "--dataset", "d", "--json").json["new"] is False
