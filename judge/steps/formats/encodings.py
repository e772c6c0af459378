"""The encoding of a text file: declared or detected over the whole of it, and its bytes as UTF-8."""

import codecs
import io
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from judge.domain.errors import InputError, UsageError

CHUNK = 1 << 20
"""Bytes read at once."""
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_SAME = {"gbk": "gb18030", "gb2312": "gb18030", "cp936": "gb18030", "utf-8-sig": "utf-8", "ascii": "utf-8"}
"""Encodings that another one holds whole."""
KNOWN = (
    *("utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030", "big5", "big5hkscs", "cp950", "shift_jis"),
    *("cp932", "euc_jp", "euc_kr", "cp949", "iso8859-1", "iso8859-15", "cp1250", "cp1251", "cp1252", "koi8-r"),
)
"""Names that may be declared, as Python spells them; further spellings of the same are fine."""
_COMMON = 0.9
"""Least share of characters of the common set for a text to be taken for Chinese."""
_HANGUL = 0.97
_HANGUL_LEADS = range(0xB0, 0xC9)
_LEAST = 20
_HOLDING = '\n\r\t ,;|"{}[]:'
"""What stands between the values of JSON and tables."""


def find_encoding(path: Path, where: str, declared: str | None = None) -> str:
    """The encoding of a text file, checked over the whole of it, a part at a time.

    Without ``declared``: a byte order mark says it, else UTF-16 shows by its zero bytes, else UTF-8 if all of it is,
    else GB 18030 if all of it is and nearly all characters are common Chinese ones. Nothing is ever read as Latin-1
    unless it is declared, for every file can be.

    Raises:
        UsageError: ``declared`` names no text encoding.
        InputError: the file isn't in the declared encoding, or in none that can be told.
    """
    with path.open("rb") as file:
        head = file.read(4096)
    encoding = _declared(declared) if declared is not None else _by_mark(head) or _by_zeros(head)
    if encoding is not None:
        _check(path, where, encoding)
        return encoding
    bad = _first_bad(path, "utf-8")
    if bad is None:
        _refuse_zeros(path, where)
        return "utf-8"
    if _first_bad(path, "gb18030") is None and _looks_chinese(path):
        return "gb18030"
    raise _not_in(where, "utf-8", bad)


def open_utf8(path: Path, encoding: str) -> BinaryIO:
    """The file's bytes as UTF-8, whatever encoding it is in; a byte order mark is left out."""
    file = path.open("rb")
    if encoding == "utf-8":
        if file.read(3) != codecs.BOM_UTF8:
            file.seek(0)
        return file
    return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, _Recoded(file, encoding)), CHUNK))


class _Recoded(io.RawIOBase):
    """A text file in some encoding, read as UTF-8."""

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._rest = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        while not self._rest and not self._ended:
            chunk = self._file.read(CHUNK)
            self._ended = not chunk
            self._rest = self._decoder.decode(chunk, self._ended).encode()
        part = self._rest[: len(buffer)]
        self._rest = self._rest[len(part) :]
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        self._file.close()
        super().close()


def _declared(name: str) -> str:
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        found = ""
    found = _SAME.get(found, found)
    if found not in KNOWN:
        raise UsageError(f"--encoding {name!r} is none; expected one of gbk, {', '.join(KNOWN)}")
    return found


def _by_mark(head: bytes) -> str | None:
    return next((encoding for mark, encoding in _BOMS if head.startswith(mark)), None)


def _by_zeros(head: bytes) -> str | None:
    """UTF-16 without a mark: what holds JSON and tables together is ASCII, so some bytes on one side are zero.

    The other side has zeros of its own once the text is Chinese (U+4E00). So it is decoded both ways, and what makes
    text with more line ends, quotes and braces is taken. Few zeros in what is UTF-8 otherwise are no UTF-16.
    """
    zeros = max(head[0::2].count(0), head[1::2].count(0))
    if not zeros or (zeros <= len(head) / 8 and _decoded(head, "utf-8") is not None):
        return None
    signs = {encoding: _signs(_decoded(head, encoding)) for encoding in ("utf-16-le", "utf-16-be")}
    best = max(signs, key=lambda encoding: signs[encoding])
    return best if signs[best] else None


def _decoded(head: bytes, encoding: str) -> str | None:
    try:
        return codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return None


def _signs(text: str | None) -> int:
    """How many marks hold the text together; 0 for what is no text."""
    strange = sum(char not in "\t\n\r" and unicodedata.category(char) in ("Cc", "Cn") for char in text or "")
    if not text or strange > len(text) / 100:
        return 0
    return sum(map(text.count, _HOLDING))


def _refuse_zeros(path: Path, where: str) -> None:
    """InputError: zero bytes, which UTF-8 allows and no text has."""
    done, lines = 0, 1
    for chunk, _ in _chunks(path):
        place = chunk.find(0)
        if place >= 0:
            raise InputError(
                f"{where}:{lines + chunk.count(10, 0, place)}",
                f"byte {done + place + 1} of the file is zero",
                "text without U+0000",
                "if it is UTF-16 without a byte order mark, say --encoding utf-16-le or utf-16-be; "
                "if the zeros are meant, --encoding utf-8",
            )
        done += len(chunk)
        lines += chunk.count(10)


def _check(path: Path, where: str, encoding: str) -> None:
    bad = _first_bad(path, encoding)
    if bad is not None:
        raise _not_in(where, encoding, bad)


def _first_bad(path: Path, encoding: str) -> tuple[int, int, int] | None:
    """Line, place in the file and value of the first byte that is not in the encoding."""
    decoder, done, lines = codecs.getincrementaldecoder(encoding)(), 0, 1
    for chunk, last in _chunks(path):
        pending = len(decoder.getstate()[0])
        try:
            text = decoder.decode(chunk, last)
        except UnicodeDecodeError as error:
            before = error.object[: error.start]
            return lines + before.count(b"\n"), done - pending + error.start + 1, error.object[error.start]
        except UnicodeError:  # UTF-32 and UTF-16 without a byte order mark at their start
            return lines, done + 1, chunk[0] if chunk else 0
        lines += text.count("\n")
        done += len(chunk)
    return None


def _chunks(path: Path) -> Iterator[tuple[bytes, bool]]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk, False
    yield b"", True


def _looks_chinese(path: Path) -> bool:
    """Whether what GB 18030 makes of the bytes is common Chinese, and not Korean or Western text that also decodes."""
    decoder, seen, common, hangul = codecs.getincrementaldecoder("gb18030")(), 0, 0, 0
    for chunk, last in _chunks(path):
        text = "".join(char for char in decoder.decode(chunk, last) if char > "\x7f")
        simple = text.encode("gb2312", "ignore")
        seen += len(text)
        common += len(simple) // 2
        hangul += sum(lead in _HANGUL_LEADS for lead in simple[::2])
    korean = seen >= _LEAST and hangul > _HANGUL * seen
    return common >= _COMMON * seen and not korean


def _not_in(where: str, encoding: str, bad: tuple[int, int, int]) -> InputError:
    line, place, value = bad
    return InputError(
        f"{where}:{line}",
        f"byte {place} of the file (0x{value:02x}) is not {encoding.upper()}",
        encoding.upper(),
        "it may be GBK or another encoding: say --encoding NAME, or save the file as UTF-8",
    )
