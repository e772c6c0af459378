"""Encodings: declared, detected, refused; never mojibake."""

import codecs
from pathlib import Path

import pytest

from judge.domain.errors import InputError, UsageError
from judge.steps.formats.encodings import find_encoding, open_utf8

CHINESE = "问题,答案\n什么是熊猫,大熊猫\n"
KOREAN = "질문,답변\n판다는 무엇입니까,판다는 곰과의 동물입니다 그리고 대나무를 먹습니다\n"


def _file(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "f"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "declared", "found"),
    [
        (CHINESE.encode(), None, "utf-8"),
        (codecs.BOM_UTF8 + CHINESE.encode(), None, "utf-8"),
        (CHINESE.encode("gbk"), None, "gb18030"),
        (CHINESE.encode("gbk"), "GBK", "gb18030"),
        (CHINESE.encode("utf-16"), None, "utf-16"),
        (CHINESE.encode("utf-32"), None, "utf-32"),
        ('{"a": "x"}\n'.encode("utf-16-le"), None, "utf-16-le"),
        ('{"a": "x"}\n'.encode("utf-16-be"), None, "utf-16-be"),
        ("é,à\n".encode("cp1252"), "cp1252", "cp1252"),
        (KOREAN.encode("euc_kr"), "euc-kr", "euc_kr"),
        (CHINESE.replace("问题", "問題").encode("big5", "replace"), "big5", "big5"),
        (b"", None, "utf-8"),
    ],
)
def test_found_and_read_back(tmp_path: Path, content: bytes, declared: str | None, found: str) -> None:
    path = _file(tmp_path, content)
    assert find_encoding(path, "f", declared) == found
    with open_utf8(path, found) as file:
        assert file.read().decode() == content.decode("utf-8-sig" if found == "utf-8" else found)


@pytest.mark.parametrize(
    "content",
    [
        "Le café élégant, déjà vu\n".encode("cp1252"),
        "naïveté, Übermaß\n".encode("cp1252"),
        KOREAN.encode("euc_kr"),
        "これはパンダです。とても可愛い動物です。\n".encode("shift_jis"),
        "什麼是熊貓，大熊貓是一種動物，牠吃竹子\n".encode("big5"),
        CHINESE.encode() + b"\xff\xff",
    ],
)
def test_what_is_no_chinese_is_refused_and_not_guessed(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match=r"f:\d+: byte \d+ of the file \(0x..\) is not UTF-8.*--encoding NAME"):
        find_encoding(_file(tmp_path, content), "f")


def test_a_declared_encoding_is_checked_over_the_whole_file(tmp_path: Path) -> None:
    path = _file(tmp_path, b"ok\n" * 700_000 + CHINESE.encode("gbk"))
    with pytest.raises(InputError, match=r"f:700001: byte 2100001 of the file \(0xce\) is not UTF-8"):
        find_encoding(path, "f", "utf-8")
    assert find_encoding(path, "f") == "gb18030"


@pytest.mark.parametrize("name", ["rot13", "latin-99", "unicode_escape", "zip", "", "a\0b"])
def test_what_is_no_text_encoding(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="--encoding"):
        find_encoding(_file(tmp_path, b"x"), "f", name)


def test_characters_across_parts_stay_whole(tmp_path: Path) -> None:
    text = "a" + "熊" * 700_000
    path = _file(tmp_path, text.encode("gbk"))
    with open_utf8(path, "gb18030") as file:
        assert file.readline(10_000_000).decode() == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text",
    [
        "问题,答案\n什么是熊猫,大熊猫是一种动物\n",
        "问题,答案\n第一种动物是什么,一种大熊猫一一一\n",
        '{"问题": "一一一一一", "答案": "中国的首都是北京。🐼"}\n',
        "问题\t答案\n" + "一" * 3000,
    ],
)
def test_utf_16_without_a_mark_is_found_in_chinese(tmp_path: Path, text: str, encoding: str) -> None:
    path = _file(tmp_path, text.encode(encoding))
    assert find_encoding(path, "f") == encoding


@pytest.mark.parametrize(
    ("content", "place"),
    [(b"question,answer\nq,\0a\n", "f:2: byte 19"), ("问题,答案\n熊猫,\0\n".encode(), "f:2: byte 22")],
)
def test_zeros_in_utf_8_are_refused_unless_meant(tmp_path: Path, content: bytes, place: str) -> None:
    path = _file(tmp_path, content)
    with pytest.raises(InputError, match=f"{place} of the file is zero.*--encoding utf-16-le"):
        find_encoding(path, "f")
    assert find_encoding(path, "f", "utf-8") == "utf-8"
