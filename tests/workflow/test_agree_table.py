import json

import pytest

from judge.domain.errors import InputError, UsageError
from judge.workflow.agree_table import agree_table


@pytest.fixture
def table(tmp_path):
    def write(text, name="labels.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return write


def test_all_132_cells_of_the_relevance_benchmark(shared):
    """33 judges against NIST grades 0-3; off-scale grades 5 and 10 stay labels of their own."""
    printed = json.loads((shared / "oracles" / "agreement.json").read_text())["llmjudge_relevance_all33.csv"]["values"]
    path = shared / "data" / "llmjudge_relevance_all33.csv"
    wrong, cells = [], 0
    for judge, values in printed.items():
        for at_least, value in zip((None, "1", "2", "3"), values, strict=True):
            found = agree_table(path, judge=judge, human="human", at_least=at_least, cluster="qid")
            cells += 1
            if found.kappa.value is None or round(found.kappa.value, 4) != value or found.kappa.n != 4423:
                wrong.append((judge, at_least, value, found.kappa.value))
    assert (cells, wrong) == (132, [])


def test_off_scale_grades_are_dropped_once_the_scale_is_given(shared):
    path = shared / "data" / "llmjudge_relevance_all33.csv"
    found = agree_table(path, judge="RMITIR-llama70B", human="human", labels=["0", "1", "2", "3"])
    assert found.dropped == {"off_scale": 2}
    assert found.coverage.unscored == {"off_scale": 2}
    assert agree_table(path, judge="RMITIR-llama70B", human="human").labels == ("0", "1", "2", "3", "5")


def test_a_small_table_by_hand(table):
    rows = ["S,S"] * 20 + ["S,U"] * 5 + ["U,S"] * 10 + ["U,U"] * 15
    found = agree_table(table("judge,human\n" + "\n".join([*rows, ",S", "S,", "S,"])), judge="judge", human="human")
    assert found.kappa.value == pytest.approx(0.4)
    assert found.observed.value == pytest.approx(0.7)
    assert found.table == ((20, 5), (10, 15))
    assert found.weighted_table == ((0.4, 0.1), (0.2, 0.3))
    assert found.labels == ("S", "U")
    assert (found.rubric, found.judge, found.design, found.unit) == ("labels.csv", "judge", "file", "row")
    assert (found.coverage.asked, found.coverage.judged, found.coverage.unscored) == (53, 52, {"not_given": 1})
    assert found.dropped == {"no_human_label": 2, "no_verdict": 1}
    assert {note.code for note in found.notes} == {"no_cluster"}
    assert json.loads(found.model_dump_json())["kappa"]["n"] == 50


def test_chinese_labels_in_a_chinese_windows_file(table):
    rows = ["模型,专家", *["支持,支持"] * 8, *["不支持,支持"] * 1, *["不支持,不支持"] * 6]
    path = table("\r\n".join(rows), encoding="gb18030")
    found = agree_table(path, judge="模型", human="专家", labels=["支持", "不支持"])
    assert found.labels == ("支持", "不支持")
    assert found.table == ((8, 0), (1, 6))


def test_weights_strata_and_answers_from_columns(table):
    lines = ["answer\tverdict\tpeople\tw\tdrawn"]
    for number, (judge, human, weight) in enumerate(
        [("S", "S", 18)] * 48 + [("S", "U", 18)] * 2 + [("U", "U", 2)] * 25 + [("U", "S", 2)] * 25
    ):
        lines.append(f"a{number % 60}\t{judge}\t{human}\t{weight}\t{judge}")
    found = agree_table(
        table("\n".join(lines), "labels.tsv"),
        judge="verdict",
        human="people",
        weight="w",
        cluster="answer",
        stratum="drawn",
    )
    assert found.kappa.value == pytest.approx(0.4905, abs=5e-5)
    assert found.observed.value == pytest.approx(0.914)
    assert found.kappa.clusters == 60
    assert "answers across strata" in found.kappa.method
    assert "weights stand for" in found.kappa.population
    assert found.notes == ()


def test_an_order_that_the_alphabet_gets_wrong(table):
    pairs = [
        "high,high",
        "high,medium",
        "medium,medium",
        "low,low",
        "low,medium",
        "medium,high",
        "high,high",
        "low,low",
    ]
    path = table("\n".join(["j,h", *pairs]))
    found = agree_table(path, judge="j", human="h", weights="quadratic", labels=["low", "medium", "high"])
    assert found.kappa.value == pytest.approx(0.7273, abs=5e-5)
    with pytest.raises(UsageError, match="--labels"):
        agree_table(path, judge="j", human="h", weights="quadratic")
    split = agree_table(path, judge="j", human="h", labels=["low", "medium", "high"], at_least="high")
    assert split.table == ((4, 1), (1, 2))
    assert split.labels == ("no", "yes")
    assert split.notes[0].code == "at_least"


def test_a_scale_taken_from_the_labels_found_is_said(table):
    found = agree_table(table("j,h\n1,1\n2,3\n3,3\n"), judge="j", human="h", weights="linear")
    assert [note.code for note in found.notes] == ["scale_as_found", "no_cluster"]


def test_one_label_on_both_sides_is_undefined(table):
    found = agree_table(table("j,h\n" + "S,S\n" * 5), judge="j", human="h", labels=["S", "U"])
    assert (found.kappa.value, found.kappa.status) == (None, "undefined_single_class")
    assert (found.observed.value, found.observed.n) == (1.0, 5)


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(InputError, match="can't be read"):
            agree_table(path, judge="j", human="h")


def test_a_bad_weight_is_named_by_line(table):
    path = table("j,h,w\na,a,1\na,b,-2\n")
    with pytest.raises(InputError, match=r"labels\.csv:3: the weight is '-2', expected a finite number above 0"):
        agree_table(path, judge="j", human="h", weight="w")


def test_a_misspelt_column_is_suggested(table):
    with pytest.raises(InputError, match="did you mean 'human_label'"):
        agree_table(table("judge,human_label\na,b\n"), judge="judge", human="human_lable")
