"""Lines of a file to records, hostile files among them."""

import json
from pathlib import Path

import pytest

from judge.domain.errors import InputError
from judge.steps.records import read_records


def _file(tmp_path: Path, content: bytes, name: str = "a.jsonl") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def _rows(path: Path) -> list[dict[str, object]]:
    return [line.row for line in read_records(path) if line.problem is None]


def test_bom_crlf_blank_lines_and_a_last_line_without_end(tmp_path: Path) -> None:
    path = _file(tmp_path, b'\xef\xbb\xbf{"a":"\xe9\x97\xae"}\r\n\r\n  \n{"a":"2"}')
    assert [(line.number, line.row) for line in read_records(path)] == [(1, {"a": "问"}), (4, {"a": "2"})]


def test_other_line_separators_inside_texts_end_no_line(tmp_path: Path) -> None:
    texts = ["a\u2028b\u2029c", "x\u0085y\x0bz\x0c"]
    content = "".join(json.dumps({"a": text}, ensure_ascii=False) + "\n" for text in texts)
    assert [row["a"] for row in _rows(_file(tmp_path, content.encode()))] == texts


def test_a_line_of_50_megabytes(tmp_path: Path) -> None:
    text = "长" * (50_000_000 // 3)
    rows = _rows(_file(tmp_path, json.dumps({"a": text}, ensure_ascii=False).encode() + b'\n{"a":"next"}\n'))
    assert [len(str(row["a"])) for row in rows] == [len(text), 4]


@pytest.mark.parametrize("content", [b"", b"\n \r\n", b"\xef\xbb\xbf\n"])
def test_a_file_without_records_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match="holds no records"):
        list(read_records(_file(tmp_path, content)))


def test_missing_folder_and_other_formats_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        list(read_records(tmp_path / "none.jsonl"))
    with pytest.raises(InputError, match="is a folder"):
        list(read_records(tmp_path))
    with pytest.raises(InputError, match=r"a table by its ending, expected JSON Lines"):
        list(read_records(_file(tmp_path, b"id,answer\n1,hi\n", "a.csv")))


def test_gbk_is_refused_with_the_byte_and_a_hint(tmp_path: Path) -> None:
    content = b'{"a": 1}\n' + '{"a": "大熊猫"}\n'.encode("gbk")
    with pytest.raises(InputError) as caught:
        list(read_records(_file(tmp_path, content)))
    place = content.index("大".encode("gbk")) + 1
    assert f":2: byte {place} of the file (0xb4) is not UTF-8" in str(caught.value)
    assert "GBK" in str(caught.value)


def test_utf16_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="UTF-16, expected UTF-8"):
        list(read_records(_file(tmp_path, '{"a": 1}'.encode("utf-16"))))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b'{"a": NaN}', "no JSON at character 7"),
        (b'{"a": 1e999}', "infinity"),
        (b'{"a": "\\ud83d broken"}', "surrogate"),
        (b'{"a": 1} {"a": 2}', "no JSON at character 10"),
        (b'["a"]', "the record is a list of 1, expected a JSON object"),
        (b"[" * 5000 + b"]" * 5000, "depth"),
        (b'"text"', "the record is a string 'text'"),
    ],
)
def test_a_bad_line_is_a_problem_of_its_own(tmp_path: Path, text: bytes, says: str) -> None:
    lines = list(read_records(_file(tmp_path, b'{"a": 1}\n' + text + b'\n{"a": 3}\n')))
    assert [line.number for line in lines if line.problem is None] == [1, 3]
    problem = lines[1].problem
    assert problem is not None
    assert says in str(problem)
    assert problem.where.endswith("a.jsonl:2")


def test_nul_becomes_a_replacement_character_of_the_same_length(tmp_path: Path) -> None:
    lines = list(read_records(_file(tmp_path, b'{"a": ["x\\u0000y"]}\n{"a": "\\\\u0000"}\n')))
    assert [(line.row, line.nul) for line in lines] == [({"a": ["x\ufffdy"]}, True), ({"a": "\\u0000"}, False)]
