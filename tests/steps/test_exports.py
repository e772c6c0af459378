"""Sheets open safely in a spreadsheet and come back as they were, in UTF-8 and GBK."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.domain.errors import InputError
from judge.domain.review import Outcome
from judge.steps.exports import COLUMNS, from_sheet, neutral, outcome_of, restored, to_sheet


def sheet(**cells: str) -> bytes:
    return to_sheet([{**dict.fromkeys(COLUMNS, ""), **cells}])


def test_a_sheet_has_a_byte_order_mark_and_comes_back() -> None:
    data = sheet(unit="答案-1#c1", rubric="support", label="支持", annotator="李", comment="很好，\n第二行")
    assert data.startswith(b"\xef\xbb\xbf")
    [row] = from_sheet(data, "labels.csv")
    assert row[1:] == ("答案-1#c1", "support", "支持", "李", "很好，\n第二行")


def test_gbk_is_read_back() -> None:
    data = sheet(unit="答案-1#c1", rubric="support", label="有依据").decode("utf-8-sig").encode("gbk")
    assert from_sheet(data, "labels.csv")[0].label == "有依据"


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        "+cmd|' /C calc'!A0",
        "-2",
        "@SUM(A1)",
        "\t=1",
        "  =1",
        "'quoted",
        "\n=1",
        "\u3000=1",
        "\u00a0-1",
        "\u200b=1",
        "＝1+1",
        "＋1",
        "－1",
        "＠a",
        " \r\n\t@a",
    ],
)
def test_cells_that_a_spreadsheet_would_run_are_neutral(cell: str) -> None:
    assert neutral(cell).startswith("'")
    assert restored(neutral(cell)) == cell
    text = sheet(claim=cell).decode("utf-8-sig")
    read = next(iter(csv.DictReader(io.StringIO(text, newline=""))))["claim"]
    assert read == neutral(cell)


@given(st.text())
def test_neutral_cells_keep_their_text(cell: str) -> None:
    assert restored(neutral(cell)) == cell


def test_empty_labels_are_left_for_later() -> None:
    assert from_sheet(sheet(unit="a#c1", rubric="support"), "x.csv") == []


def test_words_for_missing_data() -> None:
    assert [outcome_of(word) for word in ("Skip", "无法判断", "can't tell", "supported")] == [
        Outcome.SKIP,
        Outcome.CANT_TELL,
        Outcome.CANT_TELL,
        Outcome.LABEL,
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"a,b\n1,2\n", "no column 'unit'"),
        (b"\xff\xff\xff", "neither UTF-8, UTF-16 nor GB18030"),
        (b"unit,rubric,label\na#c1,support,yes,extra\n", "x.csv: row 2: 4 cells, more than the head has columns"),
        (b"unit,rubric,label\n,support,yes\n", "x.csv: row 2: `unit`: empty"),
        (b'unit,rubric,label\n"a,support,yes\n', "no CSV"),
    ],
)
def test_wrong_sheets_say_where_and_what(data: bytes, words: str) -> None:
    with pytest.raises(InputError) as error:
        from_sheet(data, "x.csv")
    assert words in str(error.value)


def test_sheets_as_spreadsheets_save_them() -> None:
    rows = [["LABEL", "Unit", "rubric", "extra"], ["有依据", "答#c1", "support", "x"], ["", "答#c2", "support", ""]]
    for mark, encoding in ((";", "utf-8"), ("\t", "utf-16"), (",", "gbk")):
        text = "\r\n".join(mark.join(cells) for cells in rows)
        [row] = from_sheet(text.encode(encoding), "x.csv")
        assert (row.number, row.unit, row.label) == (2, "答#c1", "有依据")


def test_cells_with_line_breaks_do_not_shift_the_row_numbers() -> None:
    data = to_sheet(
        [
            {**dict.fromkeys(COLUMNS, ""), "unit": f"a#c{n}", "rubric": "r", "label": "y", "answer": "1\n2\n3"}
            for n in (1, 2)
        ]
    )
    assert [row.number for row in from_sheet(data, "x.csv")] == [2, 3]


def test_a_cell_of_200_kb_comes_back() -> None:
    assert from_sheet(sheet(unit="a#c1", rubric="r", label="y", comment="字" * 200_000), "x.csv")[0].comment[-1] == "字"


def test_a_workbook_is_named() -> None:
    with pytest.raises(InputError, match="workbook"):
        from_sheet(b"PK\x03\x04rest", "x.xlsx")
