"""Each kind of file as the same stream of native rows."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from judge.domain.errors import InputError, UsageError
from judge.steps.formats import arrays, delimited
from judge.steps.formats.mapping import read_maps
from judge.steps.formats.notes import Notes
from judge.steps.formats.reading import open_source, rows_of
from judge.steps.formats.values import passage_id
from judge.steps.records import Line


def _read(path: Path, notes: Notes | None = None, **more: Any) -> list[Line]:
    maps = read_maps(more.pop("maps", []))
    return list(rows_of(open_source(path, path.name, maps=maps, **more), notes))


@pytest.fixture
def file(tmp_path: Path) -> Any:
    def make(content: str | bytes, name: str) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


ROWS = [
    {"question": "q1", "answer": "a1", "contexts": ["Lima.", "熊猫"], "extra": 1},
    {"question": "q2", "answer": None, "contexts": None, "extra": None},
]


def test_one_content_in_five_kinds_of_file_is_one_stream(file: Any, tmp_path: Path) -> None:
    cells = "question,answer,contexts,extra\nq1,a1,\"['Lima.', '熊猫']\",1\nq2,,,\n"
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "r.parquet")
    paths = [
        file(cells, "r.csv"),
        file(cells.replace(",", "\t").replace("'\t ", "', "), "r.tsv"),
        file(cells.replace(",", ";").replace("';", "',"), "semicolon.csv"),
        file(json.dumps(ROWS, indent=1), "r.json"),
        file("".join(json.dumps(row) + "\n" for row in ROWS).replace("question", "query"), "r.jsonl"),
        tmp_path / "r.parquet",
    ]
    for path in paths:
        notes = Notes()
        rows = [line.row for line in _read(path, notes)]
        assert rows == [
            {
                "question": "q1",
                "answer": "a1",
                "passages": [{"id": passage_id(text), "text": text} for text in ("Lima.", "熊猫")],
            },
            {"question": "q2", "answer": None},
        ], path.name
        assert (dict(notes.unmapped), notes.nulls["answer"], notes.nulls["passages"]) == ({"extra": 2}, 1, 1), path.name
        assert notes.taken["passages"] == "contexts"


def test_maps_reach_into_nested_rows(file: Any, tmp_path: Path) -> None:
    row = {
        "input": {"query": "q"},
        "out": ["x", "a"],
        "observations": [{"name": "retrieve", "output": ["p", "r"]}, {"name": "llm", "output": ["no"]}],
        "lang": "zh",
        "问 题": "列",
    }
    path = file(json.dumps(row) + "\n", "r.jsonl")
    saved = tmp_path / "m.yaml"
    saved.write_text("question: input.query\nanswer: out[-1]\nsystem: '问 题'\n", "utf-8")
    passages = "passages=observations[?name=='retrieve'].output[]"
    [line] = _read(path, maps=[f"@{saved}", passages, "slices.lang=lang", "metadata.n=length(out)"])
    assert line.row == {
        "question": "q",
        "answer": "a",
        "system": "列",
        "passages": [{"id": passage_id(text), "text": text} for text in ("p", "r")],
        "slices": {"lang": "zh"},
        "metadata": {"n": 2},
    }


def test_own_functions_split_and_parse(file: Any) -> None:
    path = file("q,a,docs,raw\nq1,a1,x|y,\"{'k': ['v']}\"\n", "r.csv")
    [line] = _read(path, maps=["question=q", "answer=a", "passages=split(docs, '|')", "metadata.k=parse(raw).k[0]"])
    assert [one["text"] for one in line.row["passages"]] == ["x", "y"]
    assert line.row["metadata"] == {"k": "v"}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["question"], "no '='"),
        (["anwser=x"], "did you mean answer"),
        (["question=a[?"], "no JMESPath expression"),
        (["@none.yaml"], "can't be read as YAML"),
        (["answer.x=y"], "no key of a record"),
        (["slices.=x"], "no key of a record"),
        (["answer=" + "[" * 20_000], "no JMESPath expression|nested too deeply"),
        (["answer=" + "!" * 20_000 + "a"], "nested too deeply"),
        (["@/dev/zero"], "no regular file"),
        (["@."], "no regular file"),
    ],
)
def test_maps_that_are_none(given: list[str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        read_maps(given)


def test_a_function_that_fails_on_a_row_is_its_problem(file: Any) -> None:
    path = file('[{"q": "x", "a": [1]}, {"q": "x", "a": "ok"}]', "r.json")
    bad, good = _read(path, maps=["question=q", "answer=split(a, ',')[0]"])
    assert "r.json:1: \"split(a, ',')[0]\" can't be applied" in str(bad.problem)
    assert good.row["answer"] == "ok"


@pytest.mark.parametrize("part", [1, 7, 64, 1 << 20])
def test_a_list_is_cut_at_its_commas_whatever_the_parts(file: Any, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "CHUNK", part)
    rows = [
        {"question": 'a,]}[{"\\', "answer": '\u2028 \\" 熊猫 \U0001f43c', "metadata": {"x": [[], {}, "]"]}},
        {"question": "b", "answer": ""},
    ]
    found = _read(file(json.dumps(rows, ensure_ascii=False), "r.json"))
    assert [line.row for line in found] == rows
    assert [line.number for line in found] == [1, 2]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[{"question": "q", "answer": "a"}', "cut off in element 1"),
        ('[{"question": "q", "answer": "a', "cut off in element 1"),
        ('[{"question": "q", "answer": "a"}]\n{"x": 1}', "more follows the end"),
        ("[]", "the list is empty"),
        ("", "holds no records"),
        ("7", "no JSON by its first bytes"),
    ],
)
def test_lists_that_are_broken(file: Any, text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        _read(file(text, "r.json"))


def test_a_bad_element_is_a_problem_of_its_own_and_nan_is_null(file: Any) -> None:
    notes = Notes()
    good = '{"question": "q", "answer": "a", "metadata": {"x": NaN}}'
    text = f'[{good}, 7, {{"question": tru}}, {{"question": "r", "answer": 1}}]'
    lines = _read(file(text, "r.json"), notes)
    assert lines[0].row["metadata"] == {"x": None}
    assert [bool(line.problem) for line in lines] == [False, True, True, False]
    assert notes.said["NaN or infinity read as null"] == 1


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        ('{\n  "question": "q"\n}\n', "r.jsonl", "over several lines.*--format json"),
        ('[{"question": "q"}]', "r.jsonl", "one JSON list.*--format json"),
        ("question,answer\nq,a\n", "r.jsonl", "a table by its first bytes.*--format csv"),
        ("question\tanswer\nq\ta\n", "r.jsonl", "a table by its first bytes.*--format tsv"),
        ('{"question": "q"}\n{"question": "r"}\n', "r.csv", "JSON by its first bytes.*--format jsonl"),
        (b"PK\x03\x04", "r.xlsx", "a spreadsheet.*save the sheet as CSV"),
        (b"x", "r.gz", "compressed"),
        (b"\0" * 100, "r.jsonl", "binary"),
        ("", "r.csv", "the table is empty"),
        ("question,answer\n", "r.csv", "no rows below its header"),
        ("a,b,a\n1,2,3\n", "r.csv", "two columns are named 'a'"),
        ('question,answer\nq,a\nr,"open\ns,b\n', "r.csv", r"r\.csv:3: the row can't be read.*not closed"),
        ('question,answer\nq,"a "b" c"\n', "r.csv", r"r\.csv:2: the row can't be read.*not doubled"),
        (b"nothing", "r.parquet", "can't be read as Parquet"),
    ],
)
def test_files_of_another_kind_are_named(file: Any, content: str | bytes, name: str, says: str) -> None:
    path = file(content, name)
    with pytest.raises(InputError, match=says):
        _read(path)


def test_json_lines_that_end_in_json_are_lines(file: Any) -> None:
    path = file('{"question": "q", "answer": "a"}\n{"question": "r", "answer": "b"}\n', "r.json")
    assert [line.number for line in _read(path)] == [1, 2]


def test_rows_inside_an_object(file: Any) -> None:
    inside = {"meta": 1, "results": [{"query": "q", "response": "a"}]}
    assert _read(file(json.dumps(inside), "r.json"))[0].row == {"question": "q", "answer": "a"}
    deeper = {"x": {"y": [{"query": "q", "response": "b"}]}, "results": [{"z": 1}]}
    assert _read(file(json.dumps(deeper), "r.json"), maps=["rows=x.y"])[0].row["answer"] == "b"
    with pytest.raises(InputError, match=r"--map rows=x\.z finds null"):
        _read(file(json.dumps(deeper), "r.json"), maps=["rows=x.z"])


def test_a_table_is_read_lazily_and_holds_no_more_than_a_row(tmp_path: Path) -> None:
    path = tmp_path / "big.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("question,answer\n")
        file.writelines(f"q{i},{'长' * 200}\n" for i in range(20_000))
    counted = _Counted(path)
    rows = delimited._rows(cast(TextIO, counted), open_source(path, "big.csv"))
    for asked in range(1, 101):
        next(rows)
        assert counted.lines <= asked + 2
    assert sum(1 for _ in rows_of(open_source(path, "big.csv"))) == 20_000


class _Counted:
    """A text file that counts the lines asked of it."""

    def __init__(self, path: Path) -> None:
        self.lines = 0
        self._lines: Iterator[str] = iter(path.read_text("utf-8").splitlines(keepends=True))

    def readline(self, most: int) -> str:
        self.lines += 1
        return next(self._lines, "")


def test_a_line_above_the_limit_is_refused(file: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judge.steps.records.MOST_BYTES", 1000)
    monkeypatch.setattr("judge.steps.formats.delimited.MOST_BYTES", 1000)
    with pytest.raises(InputError, match=r"r\.jsonl:2: the line is longer than"):
        _read(file('{"question": "q", "answer": "a"}\n' + "x" * 2000, "r.jsonl"))
    with pytest.raises(InputError, match=r"r\.csv:2: the line is longer than"):
        _read(file("question,answer\nq," + "x" * 2000 + "\n", "r.csv"))


def test_files_of_maps(file: Any) -> None:
    assert read_maps([f"@{file('question: 用户的话'.encode('gbk'), 'gbk.yaml')}"]) == {"question": "用户的话"}
    with pytest.raises(UsageError, match="'answer' stands there twice"):
        read_maps(["@" + str(file("answer: a\nanswer: b", "twice.yaml"))])
    with pytest.raises(UsageError, match="at most 1 MB"):
        read_maps([f"@{file('#' * 1_000_001, 'big.yaml')}"])
    with pytest.raises(UsageError, match="can't be read as YAML"):
        read_maps([f"@{file('[' * 20_000, 'deep.yaml')}"])


def test_rows_are_found_by_the_same_expressions_as_keys(file: Any) -> None:
    path = file(json.dumps({"text": '[{"question": "q", "answer": "a"}]'}), "r.json")
    [line] = _read(path, maps=["rows=parse(text)"])
    assert (line.row["question"], line.row["answer"]) == ("q", "a")
    with pytest.raises(InputError, match=r"r\.json: 'nope\(text\)' can't be applied"):
        _read(path, maps=["rows=nope(text)"])
    with pytest.raises(InputError, match=r"--map rows=的 finds null"):
        _read(file('[{"a": 1}]', "l.json"), maps=["rows=的"])


def test_quotes_that_hold_nothing_together_in_a_table_with_tabs(file: Any) -> None:
    notes = Notes()
    path = file('question\tanswer\n"Hi" means what?\ta\n"open\tb\n', "r.tsv")
    lines = _read(path, notes)
    assert [line.row["question"] for line in lines] == ['"Hi" means what?', '"open']
    assert list(notes.said) == ["quotes are read as characters of their cells, not as what holds a cell together"]
    [line] = _read(file('question\tanswer\n"a\tb"\t"c\nd"\n', "quoted.tsv"))
    assert (line.row["question"], line.row["answer"]) == ("a\tb", "c\nd")
    with pytest.raises(InputError, match="is a quote in it not closed"):
        _read(file('question\tanswer\n"a\nb"\tc\n"open\td\n', "broken.tsv"))


@pytest.mark.parametrize(
    "header", ["用户问题,模型回答,参考内容", "用户提问,模型回复,检索内容", "提问,回复,上下文", "问题,答案,检索结果"]
)
def test_chinese_headers(file: Any, header: str) -> None:
    [line] = _read(file(f"{header}\nq,a,c\n", "r.csv"))
    assert (line.row["question"], line.row["answer"]) == ("q", "a")
    assert [one["text"] for one in line.row["passages"]] == ["c"]


def test_a_chinese_column_that_holds_a_usual_name_is_the_hint(file: Any) -> None:
    with pytest.raises(InputError, match=r"is '客户的问题描述' meant\? say --map 'question=客户的问题描述'"):
        _read(file("客户的问题描述,答案\nq,a\n", "r.csv"))


def test_reasoning_of_foreign_rows(file: Any) -> None:
    row = {"query": "q", "response": "a", "reasoning_content": "hm", "thought": "so"}
    [line] = _read(file(json.dumps(row) + "\n", "r.jsonl"))
    assert line.row["reasoning_content"] == "hm"
    [line] = _read(file(json.dumps([row]), "r.json"), maps=["reasoning_content=thought"])
    assert line.row["reasoning_content"] == "so"
