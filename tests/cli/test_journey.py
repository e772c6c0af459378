"""The commands around a run, as their users type them: right ones and wrong ones."""

import csv
import io
import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.conftest import Cli
from tests.records import record

Write = Callable[..., Path]


@pytest.fixture
def judged(cli: Cli, write: Write) -> Cli:
    """A dataset of 12 answers with 3 claims each, judged by the baseline under both rubrics."""
    write(*(record(number, 3) for number in range(1, 13)))
    cli("import", "answers.jsonl", "--dataset", "d")
    cli("run", "--rubric", "support", "--rubric", "relevance", "--model", "baseline")
    return cli


def test_import_counts_and_the_same_file_again_adds_nothing(cli: Cli, write: Write) -> None:
    write(record(1, 2), record(2, 1))
    first = cli("import", "answers.jsonl", "--dataset", "d", "--json").json
    wanted = {"dataset": "d", "answers": 2, "passages": 2, "claims": 3, "verdicts": 0, "labels": 0, "rejected": 0}
    assert wanted.items() <= first.items()
    again = cli("import", "answers.jsonl", "--dataset", "d", "--json").json
    assert wanted.items() <= again.items()
    assert again["new"] is False
    assert [row["version"] for row in cli("datasets", "--json").json["datasets"]] == [1]
    write(record(1, 2))
    assert cli("import", "answers.jsonl", "--dataset", "d", "--json").json["version"] == 2


def test_bad_rows_are_listed_and_nothing_is_imported(cli: Cli, write: Write) -> None:
    path = write(record(1, 1), {**record(2, 1), "passages": "text"}, {**record(3, 1), "anwser": "x"}, record(4, 1))
    ended = cli("import", path.name, "--dataset", "d")
    assert ended.code == 1
    assert "answers.jsonl:2: `passages`" in ended.err
    assert "expected a list" in ended.err
    assert "answers.jsonl:3: unknown key `anwser`; did you mean `answer`?" in ended.err
    assert not (path.parent / "judge.db").exists()
    found = cli("import", path.name, "--dataset", "d", "--skip-bad", "--json")
    assert (found.json["answers"], found.json["rejected"]) == (2, 2)
    assert "answers.jsonl:2" in found.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "holds no records"),
        (b"\xff\xfe{\x00", "UTF-8"),
        (b"question,answer\n1,2\n", "a table by its first bytes"),
        (b'{"question": "q"', "answers.jsonl:1"),
    ],
)
def test_wrong_files(cli: Cli, tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "answers.jsonl").write_bytes(content)
    ended = cli("import", "answers.jsonl", "--dataset", "d")
    assert ended.code == 1
    assert words in ended.err
    assert "Traceback" not in ended.err


def test_a_missing_file_and_a_folder(cli: Cli, tmp_path: Path) -> None:
    for name in ("nothing.jsonl", str(tmp_path)):
        ended = cli("import", name, "--dataset", "d")
        assert ended.code == 1
        assert name in ended.err


@pytest.mark.parametrize("command", [["split"], ["runs"], ["agree"], ["report"], ["sample"], ["show", "a#c1"]])
def test_without_a_database_commands_say_how_to_make_one(cli: Cli, tmp_path: Path, command: list[str]) -> None:
    ended = cli(*command)
    assert ended.code == 2
    assert "judge import" in ended.err
    assert list(tmp_path.iterdir()) == [], "and leave none behind"


def test_a_file_that_is_no_database(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "judge.db").write_text("hello, this is not a database at all, only words " * 100)
    ended = cli("runs")
    assert ended.code == 1
    assert "database" in ended.err
    assert "Traceback" not in ended.err


def test_split_again_adds_nothing(cli: Cli, write: Write) -> None:
    write({"answer_id": "a1", "question": "退货？", "answer": "可以退货。费用为百分之十五。你好！"})
    cli("import", "answers.jsonl", "--dataset", "d")
    first = cli("split", "--json").json
    assert {"claims": 2, "not_checkable": 1, "no_claims": 0, "coverage": 1.0}.items() <= first.items()
    assert cli("split", "d", "--json").json["claims"] == 2


def test_a_sample_is_drawn_once_and_topped_up(judged: Cli) -> None:
    first = judged("sample", "--size", 10, "--json").json
    assert (first["queue"], first["items"], first["rubrics"]) == ("d-baseline-support", 10, ["support", "relevance"])
    assert judged("sample", "--size", 10, "--json").json["new"] == 0
    more = judged("sample", "--size", 15, "--json").json
    assert (more["items"], more["new"]) == (15, 5)
    assert judged("sample", "--size", 5, "--json").json["items"] == 15, "nothing is taken away"
    other = judged("sample", "--size", 5, "--seed", 8, "--name", "second", "--json").json
    assert (other["queue"], other["items"]) == ("second", 5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--size", "0"], "--size is 0"),
        (["--design", "whim"], "--design is 'whim'"),
        (["--rubric", "truth"], "no rubric 'truth'"),
        (["nothing"], "there is no run 'nothing'"),
    ],
)
def test_wrong_samples(judged: Cli, options: list[str], words: str) -> None:
    ended = judged("sample", *options)
    assert ended.code == 2
    assert words in ended.err


def filled(sheet: bytes, label: Callable[[dict[str, str]], str], who: str) -> str:
    rows = list(csv.DictReader(io.StringIO(sheet.decode("utf-8-sig"), newline="")))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows({**row, "label": label(row), "annotator": who} for row in rows)
    return out.getvalue()


def test_labels_go_out_come_back_in_gbk_and_agree(judged: Cli, tmp_path: Path) -> None:
    judged("sample", "--rubric", "support", "--size", 36, "--design", "random")
    assert judged("labels", "export", "--out", "sheet.csv").code == 0
    text = filled((tmp_path / "sheet.csv").read_bytes(), lambda row: "有依据", "王芳")
    (tmp_path / "back.csv").write_bytes(text.encode("gbk"))
    first = judged("labels", "import", "back.csv", "--json").json
    assert (first["labels"], first["new"], first["annotators"]) == (36, 36, ["王芳"])
    assert judged("labels", "import", "back.csv", "--json").json["new"] == 0
    [result] = judged("agree", "--json").json["results"]
    assert (result["rubric"], result["kappa"]["n"], result["annotators"]) == ("support", 36, ["王芳"])
    assert sum(map(sum, result["table"])) == 36
    # a change supersedes: still one label a unit
    changed = filled((tmp_path / "sheet.csv").read_bytes(), lambda row: "contradicted", "王芳")
    (tmp_path / "back.csv").write_text(changed, "utf-8")
    assert judged("labels", "import", "back.csv", "--json").json["new"] == 36
    assert judged("agree", "--json").json["results"][0]["kappa"]["n"] == 36


def test_bad_labels_are_listed_and_nothing_is_imported(judged: Cli, tmp_path: Path) -> None:
    judged("sample", "--rubric", "support", "--size", 5)
    judged("labels", "export", "--out", "sheet.csv")
    words = iter(["supported", "maybe", "skip", "", "supported"])
    text = filled((tmp_path / "sheet.csv").read_bytes(), lambda row: next(words), "li")
    (tmp_path / "back.csv").write_text(text, "utf-8")
    ended = judged("labels", "import", "back.csv")
    assert ended.code == 1
    assert "back.csv: row 3: `label` is 'maybe', expected one of supported, contradicted, not_enough_info" in ended.err
    assert judged("agree").code == 2


def test_two_rows_that_disagree_are_refused(judged: Cli, tmp_path: Path) -> None:
    judged("sample", "--rubric", "support", "--size", 2)
    judged("labels", "export", "--out", "sheet.csv")
    text = filled((tmp_path / "sheet.csv").read_bytes(), lambda row: "supported", "li")
    head, first, *rest = text.splitlines()
    (tmp_path / "back.csv").write_text(
        "\n".join([head, first, *rest, first.replace("supported", "contradicted", 1)]), "utf-8"
    )
    ended = judged("labels", "import", "back.csv")
    assert ended.code == 1
    assert "row 4: says otherwise than row 2" in ended.err


def test_agree_without_labels_says_how_to_get_some(judged: Cli) -> None:
    ended = judged("agree")
    assert ended.code == 2
    assert "judge sample d-baseline" in ended.err


def test_agree_of_a_table(cli: Cli, tmp_path: Path) -> None:
    rows = ["judge,human"] + ["yes,yes"] * 20 + ["yes,no"] * 5 + ["no,yes"] * 10 + ["no,no"] * 15
    (tmp_path / "t.csv").write_text("\n".join(rows), "utf-8")
    found = cli("agree", "--table", "t.csv", "--judge", "judge", "--human", "human", "--json").json
    assert found["kappa"]["value"] == pytest.approx(0.4)
    assert {"value", "low", "high", "level", "n", "n_effective", "method", "status", "warnings"} <= set(found["kappa"])
    assert (found["observed"], found["labels"], found["table"], found["coverage"]) == (
        pytest.approx(0.7),
        ["no", "yes"],
        [[15, 10], [5, 20]],
        1.0,
    )
    assert "kappa" in cli("agree", "--table", "t.csv", "--judge", "judge", "--human", "human").out


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--table", "t.csv", "--judge", "jugde", "--human", "human"], 1, "judge"),
        (["--table", "t.csv", "--judge", "judge"], 2, "--human COL"),
        (["--table", "no.csv", "--judge", "judge", "--human", "human"], 1, "no.csv"),
        (["--table", "t.csv", "--judge", "judge", "--human", "human", "--weights", "linear"], 2, "--labels"),
        (["--weight", "w"], 2, "--weight goes with --table"),
        (["--human", "all"], 2, "expected each, majority or adjudicated"),
        (["--where", "lang"], 2, "SLICE=VALUE"),
        (["--merge", "a"], 2, "a,b=c"),
    ],
)
def test_wrong_agree(cli: Cli, write: Write, tmp_path: Path, options: list[str], code: int, words: str) -> None:
    write(record(1, 1))
    cli("import", "answers.jsonl", "--dataset", "d")
    (tmp_path / "t.csv").write_text("judge,human\nyes,yes\nno,no\n", "utf-8")
    ended = cli("agree", *options)
    assert ended.code == code
    assert words in ended.err


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)


def test_a_report_of_an_unchecked_run_says_so_in_both_languages(judged: Cli, tmp_path: Path) -> None:
    assert judged("report", "--html", "r.html", "--json", "r.json", "--md", "r.md").code == 0
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "not checked by people" in page.lower()
    parser = Tags()
    parser.feed(page)
    assert "script" not in parser.tags
    assert json.loads((tmp_path / "r.json").read_text("utf-8"))["run"] == "d-baseline"
    judged("report", "--html", "zh.html", "--lang", "zh")
    assert "未经人工核对" in (tmp_path / "zh.html").read_text("utf-8")


def test_a_report_is_written_whole_or_not_at_all(judged: Cli, tmp_path: Path) -> None:
    ended = judged("report", "--html", "no/such/folder/r.html")
    assert ended.code == 1
    assert "no/such/folder" in ended.err
    assert not list(tmp_path.rglob("*.html*"))


def test_show_prints_everything_behind_a_verdict(judged: Cli) -> None:
    text = judged("show", "a1#c2").out
    for part in ("QUESTION", "[[Fact 1-2 holds.]]", "PASSAGE 1", "VERDICT", "support v1", "PROMPT", "RAW", "cost"):
        assert part in text
    found = judged("show", "a1#c2", "--json").json
    assert found["claim"]["text"] == "Fact 1-2 holds."
    assert {verdict["rubric"] for verdict in found["verdicts"]} == {"support", "relevance"}
    assert found["verdicts"][0]["attempts"][0]["raw"]
    assert judged("show", "a1#c99").code == 2


def test_lists(judged: Cli) -> None:
    assert [row["run"] for row in judged("runs", "--json").json["runs"]] == ["d-baseline", "d-baseline"]
    assert {row["rubric"] for row in judged("rubrics", "--json").json["rubrics"]} == {"support", "relevance"}
    for command in ("datasets", "runs", "rubrics"):
        assert judged(command).out


def test_other_words_under_a_used_rubric_version_are_refused_with_the_difference(judged: Cli, tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "rubrics" / "support.yaml").read_text("utf-8")
    (tmp_path / "support.yaml").write_text(text.replace("support the claim?", "back the claim?"), "utf-8")
    ended = judged("run", "--rubric", "support.yaml", "--model", "baseline")
    assert ended.code == 1
    assert "back the claim?" in ended.err
    assert "version" in ended.err


def test_the_demo_runs_the_journey_and_again_adds_nothing(cli: Cli, tmp_path: Path) -> None:
    first = cli("demo", "--out", "demo")
    assert first.code == 0
    for word in ("answers", "claims", "coverage", "raw groundedness", "kappa", "weakest", "report.html", "author"):
        assert word in first.out + first.err
    before = json.loads((tmp_path / "demo" / "report.json").read_text("utf-8"))
    assert cli("demo", "--out", "demo", "--lang", "zh").code == 0
    assert json.loads((tmp_path / "demo" / "report.json").read_text("utf-8")) == before
    assert 0.3 < before["rubrics"][0]["agreement"]["kappa"]["value"] < 0.8
    assert before["rubrics"][0]["agreement"]["annotators"] == ["author"]
