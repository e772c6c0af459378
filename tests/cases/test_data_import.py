"""Real faults of data import (class 4 of the case collection), through the command line."""

import codecs
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge.steps.formats.values import passage_id
from tests.conftest import Cli, Ended

Write = Callable[..., Path]
PANDA = "问题,答案\n什么是熊猫,大熊猫"


@pytest.fixture
def preview(cli: Cli, tmp_path: Path) -> Callable[..., Any]:
    """What an import of these bytes would store."""

    def play(content: bytes, name: str, *options: str) -> Any:
        (tmp_path / name).write_bytes(content)
        return cli("import", name, "--dry-run", "--limit", "999", "--json", *options).json

    return play


@pytest.fixture
def bring(cli: Cli, tmp_path: Path) -> Callable[..., Ended]:
    """Imports these bytes."""

    def play(content: bytes, name: str, *options: str) -> Ended:
        (tmp_path / name).write_bytes(content)
        return cli("import", name, "--dataset", "d", "--json", *options)

    return play


def _lines(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _row(key: str, answer: Any = "It is.", **more: Any) -> dict[str, Any]:
    return {"answer_id": key, "question": f"What is {key}?", "answer": answer, **more}


def test_d01_a_byte_order_mark_is_no_part_of_the_first_name(preview: Callable[..., Any]) -> None:
    table = preview(codecs.BOM_UTF8 + b"id,answer\n1,hi", "t.csv", "--map", "question=id")
    assert (table["rows"], table["taken"]["question"]) == (1, "id")
    assert [(row["question"], row["answer"]) for row in table["first"]] == [("1", "hi")]
    [row] = preview(codecs.BOM_UTF8 + _lines(_row("a")), "r.jsonl")["first"]
    assert row["answer_id"] == "a"


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_d02_utf_16_is_read_and_said(bring: Callable[..., Ended], mark: bytes) -> None:
    code = "utf-16-le" if mark == codecs.BOM_UTF16_LE else "utf-16-be"
    content = _lines(_row("a", "熊猫"), _row("b")).decode()
    ended = bring(mark + content.encode(code), "r.jsonl")
    assert (ended.json["answers"], ended.json["encoding"]) == (2, "utf-16")
    assert "UTF-16" in ended.err
    broken = bring(mark + content.encode(code) + b"\n", "half.jsonl")
    assert broken.code == 1
    assert "is not UTF-16" in broken.err


def test_d03_gbk_is_gbk_and_never_mojibake(preview: Callable[..., Any]) -> None:
    for options in ((), ("--encoding", "gbk"), ("--encoding", "GB18030")):
        found = preview(PANDA.encode("gbk"), "t.csv", *options)
        assert found["encoding"] == "gb18030"
        assert "Read as csv, GB18030." in found["remarks"]
        assert [(row["question"], row["answer"]) for row in found["first"]] == [("什么是熊猫", "大熊猫")]
        assert "ÎÊ" not in json.dumps(found, ensure_ascii=False)


def test_d05_a_list_in_a_cell_is_that_list(preview: Callable[..., Any]) -> None:
    cells = ['"[""doc one"", ""doc two, with comma""]"', "\"['a','b']\""]
    table = "question,answer,contexts\n" + "".join(f"q{i},a,{cell}\n" for i, cell in enumerate(cells))
    found = preview(table.encode(), "t.csv")
    texts = [[passage["text"] for passage in row["passages"]] for row in found["first"]]
    assert texts == [["doc one", "doc two, with comma"], ["a", "b"]]
    run = "question,answer,contexts\nq,a,\"[__import__('os').mkdir('ran')]\"\n"
    [row] = preview(run.encode(), "evil.csv")["first"]
    assert [passage["text"] for passage in row["passages"]] == ["[__import__('os').mkdir('ran')]"]
    assert not Path("ran").exists()


@pytest.mark.parametrize("kind", ["jsonl", "json", "csv"])
def test_d07_null_fields_are_reported_by_row_and_all_rows_are_accounted_for(
    bring: Callable[..., Ended], cli: Cli, kind: str
) -> None:
    rows: list[dict[str, Any]] = [
        {"question": "q1", "answer": "a", "contexts": None},
        {"question": "q2", "answer": None, "contexts": ["c"]},
        {"question": "", "answer": "a", "contexts": ["c"]},
    ]
    table = b"question,answer,contexts\nq1,a,\nq2,,c\n,a,c\n"
    content = {"jsonl": _lines(*rows).replace(b"answer", b"response"), "json": json.dumps(rows).encode(), "csv": table}
    refused = bring(content[kind], f"r.{kind}")
    line = 4 if kind == "csv" else 3
    assert refused.code == 1
    assert re.search(rf"r\.{kind}:{line}: `question`, from 'question', is (an )?empty", refused.err)
    found = cli("import", f"r.{kind}", "--dataset", "d", "--skip-bad", "--json").json
    assert (found["answers"], found["rejected"]) == (2, 1)


def test_d08_words_for_nothing_stay_words(preview: Callable[..., Any]) -> None:
    words = ["NA", "None", "null", "n/a"]
    table = "question,answer\n" + "".join(f"q{i},{word}\n" for i, word in enumerate([*words, ""]))
    found = preview(table.encode(), "t.csv")
    assert [row["answer"] for row in found["first"]] == [*words, None]
    assert found["nulls"] == {"answer": 1}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_d10_only_line_feeds_end_lines(preview: Callable[..., Any], end: str) -> None:
    texts = ["a\u2028b\u2029c", "x\u0085y"]
    lines = _lines(_row("a", texts[0]), _row("b", texts[1])).decode().replace("\n", end)
    found = preview(lines.encode(), "r.jsonl")
    assert [row["answer"] for row in found["first"]] == texts
    table = "question,answer" + end + "".join(f"q,{text}{end}" for text in texts)
    assert [row["answer"] for row in preview(table.encode(), "t.csv")["first"]] == texts


def test_d12_half_a_character_is_its_row_s_error(bring: Callable[..., Ended], cli: Cli) -> None:
    half = b'{"question": "q", "answer": "\\ud83d broken"}\n'
    ended = bring(half + _lines(_row("a")), "r.jsonl")
    assert ended.code == 1
    assert "r.jsonl:1: " in ended.err
    assert cli("import", "r.jsonl", "--dataset", "d", "--skip-bad", "--json").json["answers"] == 1
    other = bring(b"[" + half.strip().replace(b'"}', b'", "metadata": {"x": NaN}}') + b"]", "r.json")
    assert "r.json:1: " in other.err


def test_d13_an_id_twice_is_told_and_nothing_is_overwritten(bring: Callable[..., Ended], cli: Cli) -> None:
    rows = [_row("q1"), _row("q1"), _row("q2", "One."), _row("q2", "Another.")]
    ended = bring(_lines(*rows), "r.jsonl")
    assert ended.code == 1
    assert "r.jsonl:2: `answer_id` stands in line 1 already" in ended.err
    assert "r.jsonl:4: `answer_id` stands in line 3 already" in ended.err
    found = cli("import", "r.jsonl", "--dataset", "d", "--skip-bad", "--json").json
    assert (found["answers"], found["rejected"]) == (2, 2)
    first = cli("import", "r.jsonl", "--dry-run", "--json").json["first"]
    assert [row["answer"] for row in first] == ["It is.", "One."]
    table = bring(b"id,question,answer\nq1,q,a\nq1,q,a\nq2,q,b\nq2,q,c\n", "t.csv")
    assert "t.csv:3: `answer_id` stands in line 2 already" in table.err
    assert "t.csv:5: `answer_id` stands in line 4 already" in table.err


def test_d14_the_same_file_again_adds_nothing_and_a_change_is_a_version(bring: Callable[..., Ended], cli: Cli) -> None:
    passages = [{"id": "p1", "text": "Lima is the capital of Peru."}]
    rows = [_row(key, "Lima is the capital of Peru.", passages=passages) for key in ("a", "b")]
    assert bring(_lines(*rows), "r.jsonl").json["new"] is True
    cli("split", "d@1")
    before = cli("run", "d@1", "--model", "baseline", "--rubric", "support", "--json").json
    again = bring(_lines(*rows), "r.jsonl").json
    assert (again["new"], again["version"], again["answers"]) == (False, 1, 2)
    changed = bring(_lines(rows[0], {**rows[1], "answer": "Lima is small."}), "r.jsonl").json
    assert (changed["new"], changed["version"], changed["passages"]) == (True, 2, 1)
    after = cli("run", "d@1", "--model", "baseline", "--rubric", "support", "--json").json
    assert after["judged"] == before["judged"] == 2
    assert after["rubrics"] == before["rubrics"]


def test_d15_messages_name_the_row_the_column_and_the_nearest_name(bring: Callable[..., Ended], tmp_path: Path) -> None:
    rows = [_row(f"a{i}") for i in range(1, 1001)]
    del rows[616]["answer"]
    ended = bring(_lines(*rows), "r.jsonl")
    assert ended.code == 1
    assert "1 of 1000 rows is bad, nothing was imported" in ended.err
    assert "r.jsonl:617: `answer` is missing" in ended.err
    header = bring(b"question,Anwser\nq,a\n", "t.csv")
    assert "no column is taken for `answer`" in header.err
    assert "is 'Anwser' meant? say --map 'answer=Anwser'" in header.err
    assert not (tmp_path / "judge.db").exists()


def test_d16_rows_end_as_they_end(preview: Callable[..., Any]) -> None:
    table = b'question,answer\r\nq1,a1\nq2,a2\rq3,"line1\nline2"\r\nq4,"x\r\ny"\rq5,last'
    found = preview(table, "t.csv")
    assert [(row["question"], row["answer"]) for row in found["first"]] == [
        ("q1", "a1"),
        ("q2", "a2"),
        ("q3", "line1\nline2"),
        ("q4", "x\r\ny"),
        ("q5", "last"),
    ]


def test_d19_nan_is_no_json(bring: Callable[..., Ended], cli: Cli) -> None:
    scored = _row("a", verdicts=[{"rubric": "r", "judge": "j", "label": None, "score": None}])
    bad = b'{"question": "q", "answer": "a", "latency_ms": NaN}\n'
    ended = bring(_lines(scored) + bad, "r.jsonl")
    assert ended.code == 1
    assert "r.jsonl:2: no JSON at character" in ended.err
    assert cli("import", "r.jsonl", "--dataset", "d", "--skip-bad").code == 0
    cli("split")
    cli("run", "--model", "baseline", "--rubric", "support")

    def refuse(name: str) -> None:
        raise AssertionError(name)

    for words in (("report", "d-baseline", "--json", "-"), ("runs", "--json")):
        out = cli(*words)
        assert out.code == 0, out.err
        json.loads(out.out, parse_constant=refuse)


def test_d20_labels_that_went_out_come_back_the_same(cli: Cli, write: Write, tmp_path: Path) -> None:
    passages = [{"id": "p1", "text": "Lima is the capital of Peru. It has ten million inhabitants."}]
    texts = ("Lima is the capital of Peru. It is old.", "Lima has ten million inhabitants. 利马很大。")
    write(*(_row(f"a{i}", text, passages=passages) for i, text in enumerate(texts)))

    def journey(db: str) -> tuple[str, str]:
        at = ("--db", db)
        cli("import", "answers.jsonl", "--dataset", "d", *at)
        cli("split", *at)
        assert cli("run", "--model", "baseline", "--rubric", "support", *at).code == 0
        assert cli("sample", "--size", "3", "--seed", "1", *at).code == 0
        return at

    first, second = journey("one.db"), journey("two.db")
    cli("labels", "export", "--annotator", "李", "--out", "sheet.csv", *first)
    sheet = (tmp_path / "sheet.csv").read_bytes().decode("utf-8-sig")
    words = iter(["supported", "not_supported", "cant_tell"])
    filled = re.sub(r"(?m)^([^,\n]*,support,),", lambda row: f"{row[1]}{next(words)},", sheet)
    (tmp_path / "sheet.csv").write_text(filled, "utf-8-sig")
    assert cli("labels", "import", "sheet.csv", *first).code == 0
    cli("labels", "export", "--all", "--out", "all-1.csv", *first)
    brought = cli("labels", "import", "all-1.csv", "--json", *second).json
    assert (brought["labels"], brought["new"], brought["annotators"]) == (3, 3, ["李"])
    cli("labels", "export", "--all", "--out", "all-2.csv", *second)
    assert (tmp_path / "all-1.csv").read_bytes() == (tmp_path / "all-2.csv").read_bytes()
    assert cli("labels", "import", "all-2.csv", "--json", *second).json["new"] == 0


def test_d20_records_keep_their_ids_through_every_kind_of_file(preview: Callable[..., Any]) -> None:
    rows = [_row("a", "x", passages=[{"id": passage_id("t"), "text": "t"}], slices={"lang": "zh"}, query_id="q")]
    stored = preview(_lines(*rows), "r.jsonl")["first"]
    again = preview(_lines(*stored), "again.jsonl")["first"]
    listed = preview(json.dumps(stored).encode(), "r.json")["first"]
    cells = ['"' + json.dumps(stored[0][key]).replace('"', '""') + '"' for key in ("passages", "slices")]
    head = "answer_id,query_id,question,answer,passages,slices\n"
    table = head + ",".join([*(stored[0][key] for key in ("answer_id", "query_id", "question", "answer")), *cells])
    from_table = preview(table.encode(), "t.csv")["first"]
    assert stored == again == listed == from_table


def test_every_case_of_the_class_has_a_test(shared: Path) -> None:
    cases = [json.loads(line) for line in (shared / "cases" / "open.jsonl").read_text("utf-8").splitlines()]
    wanted = {case["id"] for case in cases if case["class"] == "4-data-import"}
    tested = {name.upper() for name in re.findall(r"def test_(d\d+)_", Path(__file__).read_text("utf-8"))}
    assert wanted - tested == set(), "cases without a test"


def test_a_huge_cell_is_cut_for_people_and_whole_in_json(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_bytes(_lines(_row("a", "熊" * 30_000, passages=[{"id": "p", "text": "x" * 501}])))
    shown = cli("import", "r.jsonl", "--dry-run").out
    assert "熊" * 500 + "… 30,000 in all" in shown
    assert "x" * 500 + "… 501 in all" in shown
    assert len(shown) < 3_000
    [row] = cli("import", "r.jsonl", "--dry-run", "--json").json["first"]
    assert row["answer"] == "熊" * 30_000


def test_reasoning_beside_the_answer_is_counted_and_shown_once(bring: Callable[..., Ended], cli: Cli) -> None:
    rows = [_row("a", reasoning_content="hm"), _row("b")]
    assert bring(_lines(*rows), "r.jsonl").json["reasoning_moved"] == 1
    [row, _] = cli("import", "r.jsonl", "--dry-run", "--json").json["first"]
    assert row["metadata"] == {"reasoning": "hm"}
    assert "reasoning_content" not in row
    assert bring(b"question,answer,reasoning_content\nq,a,hm\n", "t.csv").json["reasoning_moved"] == 1
