"""Blocks of an answer: headings, table rows and code as they are, running text still to be cut into sentences.

Layout (list markers, quote signs, heading hashes, table pipes, rules, emphasis around all of a line) is in no block.
"""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from judge.domain.base import Span

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Kana and Han, for character classes."""
WHITE = " \t\u00a0\u3000"
_NUMBERED = (
    rf"\d{{1,3}}[.．](?=[ \t\u3000*]|[{CJK}（“《])|\d{{1,3}}[)）、](?!\d)|[(（]\d{{1,3}}[)）]|"
    r"[一二三四五六七八九十]{1,3}、|[(（][一二三四五六七八九十]{1,3}[)）]|[①-⑳❶-❿]"
)
INLINE_MARKER = re.compile(rf"(?:{_NUMBERED})[ \t\u3000]*")
_BULLET = "[•·◦▪▫●○■□◆◇★☆▶►❖※➢➤✓✔–—]"
_LINE_MARKER = re.compile(
    rf"(?:(?:{_NUMBERED}|\[[ xX]\](?=[ \t])|{_BULLET}(?!\d)|"
    rf"[-*+](?=[ \t\u3000]|[{CJK}“「『《（])|[A-Za-z][)）](?=[ \t\u3000]))"
    r"[ \t\u3000]*)+"
)
_PREFIX = re.compile(r"[ \t\u3000]*(?:>[ \t\u3000]*)*")
_HEADING = re.compile(r"#{1,6}(?=[ \t\u3000]|[^#\s\d])[ \t\u3000]*")
WORD = re.compile(r"[^\W_]")
NAMED_SOURCE = (
    r"[(（](?i:passages?|sources?|documents?|docs?|ref(?:erence)?s?|资料|文档|来源|参考|段落|文献|出处)"
    r"(?![A-Za-z])[^()（）\n]{1,60}[)）]"
)
"""A citation in words: ``(Passage 2)``, ``（来源：手册）``."""
_CELL = re.compile(r"(?:[^|\\\n]+|\\.?)+")
_TITLE = 80
"""A longer header cell is no title; it is not said again with each row."""
_TEXT_FENCES = {"text", "txt", "md", "markdown", "plaintext"}


class Kind(StrEnum):
    """What a span of an answer is, by its markup."""

    TEXT = "text"
    HEADING = "heading"
    HEADER = "header"
    ROW = "row"
    CODE = "code"


class Sentence(NamedTuple):
    """One sentence, heading, table row or code block."""

    start: int
    end: int
    kind: Kind
    pieces: tuple[Span, ...] = ()
    """Of a row under a header: each filled cell behind its column's title; the titles stand before ``start``."""


class _Line(NamedTuple):
    start: int
    end: int
    body: int
    """Where the text begins after quote signs and list marker."""
    listed: bool


def find_blocks(text: str) -> Iterator[Sentence]:
    """Headings, rows and code as they are; running text as blocks still to be cut."""
    lines = _lines(text)
    at, prose = 0, ""
    while at < len(lines):
        line = lines[at]
        fence = _fence(text, line)
        if fence and text[line.body : line.end].strip("`~ ").casefold() in _TEXT_FENCES:
            at += 1  # a fence around prose is layout; its closing fence is looked at below
            prose = fence
        elif fence and fence == prose and not text[line.body : line.end].strip("`~ "):
            at, prose = at + 1, ""
        elif fence:
            last = _fence_end(text, lines, at, fence)
            yield Sentence(line.body, max(lines[last].end, line.body), Kind.CODE)
            at = last + 1
        elif not WORD.search(text, line.body, max(line.body, line.end)):
            at += 1
        elif rows := _table(text, lines, at):
            yield from rows
            at += len(rows) if len(rows) == 1 else _table_end(text, lines, at) - at
        else:
            last = at if _heading(text, lines, at) else _paragraph_end(text, lines, at)
            yield _block(text, lines, at, last)
            at = last + 1


def _lines(text: str) -> list[_Line]:
    lines, start = [], 0
    for raw in text.splitlines(keepends=True):
        end = start + len(raw.rstrip())
        prefix = _PREFIX.match(text, start, max(start, end))
        body = prefix.end() if prefix else start
        marker = _LINE_MARKER.match(text, body, max(body, end))
        listed = marker is not None and bool(WORD.search(text, marker.end(), max(marker.end(), end)))
        lines.append(_Line(start, end, marker.end() if marker and listed else body, listed))
        start += len(raw)
    return lines


def _block(text: str, lines: Sequence[_Line], at: int, last: int) -> Sentence:
    if not _heading(text, lines, at):
        return Sentence(lines[at].body, lines[last].end, Kind.TEXT)
    hashes = _HEADING.match(text, lines[at].body)
    start = hashes.end() if hashes else lines[at].body
    return Sentence(*bare(text, start, lines[at].end), Kind.HEADING)


def _fence(text: str, line: _Line) -> str:
    for sign in ("```", "~~~"):
        if text.startswith(sign, line.body, max(line.body, line.end)):
            return sign if sign[0] not in text[line.body : line.end].lstrip(sign[0]) else ""
    return ""


def _fence_end(text: str, lines: Sequence[_Line], at: int, fence: str) -> int:
    for i in range(at + 1, len(lines)):
        body = text[lines[i].body : lines[i].end]
        if body.startswith(fence) and not body.strip(fence[0]):
            return i
    return len(lines) - 1


def _is_rule(text: str, line: _Line) -> bool:
    body = text[line.start : line.end]
    return "|" in body and "-" in body and not body.strip("|:- \t")


def _is_row(text: str, line: _Line) -> bool:
    return "|" in text[line.start : line.end] and not _is_rule(text, line)


def _table(text: str, lines: Sequence[_Line], at: int) -> list[Sentence]:
    """The rows of a table that begins at this line; empty when none does."""
    line = lines[at]
    ruled = at + 1 < len(lines) and _is_row(text, line) and _is_rule(text, lines[at + 1])
    framed = text.startswith("|", line.body) and text[line.body : line.end].endswith("|") and line.end - line.body > 2
    if not ruled and not framed:
        return []
    if not ruled:
        return [_row(text, line, Kind.ROW)]
    titles = _cells(text, line)
    below = (each for each in lines[at + 1 : _table_end(text, lines, at)] if _is_row(text, each))
    rows = [_row(text, line, Kind.HEADER), *(_titled(text, each, titles) for each in below)]
    return [row for row in rows if row.start < row.end]


def _table_end(text: str, lines: Sequence[_Line], at: int) -> int:
    end = at
    while end < len(lines) and "|" in text[lines[end].start : lines[end].end]:
        end += 1
    return end


def _row(text: str, line: _Line, kind: Kind) -> Sentence:
    body = text[line.start : line.end]
    start = line.start + len(body) - len(body.lstrip("|> \t\u3000"))
    end = max(start, line.start + len(body.rstrip("| \t\u3000")))
    return Sentence(start, end if WORD.search(text, start, end) else start, kind)


def _titled(text: str, line: _Line, titles: Sequence[Span]) -> Sentence:
    row = _row(text, line, Kind.ROW)
    pieces: list[Span] = []
    for i, cell in enumerate(_cells(text, line)):
        title = titles[i] if i < len(titles) else (0, 0)
        if cell[0] < cell[1]:
            pieces += [title, cell] if 0 < title[1] - title[0] <= _TITLE else [cell]
    return row._replace(pieces=tuple(pieces))


def _cells(text: str, line: _Line) -> list[Span]:
    """The cells of a table's line without emphasis around them; an empty one has an empty span."""
    start, end = line.body, max(line.body, line.end)
    start += text.startswith("|", start, end)
    end -= text.endswith("|", start, end) and not text.endswith("\\|", start, end)
    cells: list[Span] = []
    while start <= end:
        found = _CELL.match(text, start, end)
        stop = found.end() if found else start
        cells.append(bare(text, start, stop))
        start = stop + 1
    return cells


def _heading(text: str, lines: Sequence[_Line], at: int) -> bool:
    line = lines[at]
    if _HEADING.match(text, line.body):
        return True
    below = text[lines[at + 1].start : lines[at + 1].end] if at + 1 < len(lines) else ""
    if len(below) > 2 and not below.strip("="):
        return True
    body = text[line.body : line.end]
    bold = len(body) > 4 and body.rstrip(":：").endswith("**") and body.startswith("**") and body.count("**") == 2
    if not bold or body.strip("*").rstrip("*")[-1:] in ".。!！?？；":
        return False
    return not line.listed or body.strip("*")[-1:] in ":：" or _opens_list(lines, at)


def _opens_list(lines: Sequence[_Line], at: int) -> bool:
    """Whether the next line is a deeper list item, so that this one is its title."""
    if at + 1 >= len(lines) or lines[at + 1].start == lines[at + 1].end:
        return False
    return lines[at + 1].listed and lines[at + 1].body > lines[at + 1].start + lines[at].body - lines[at].start


def _paragraph_end(text: str, lines: Sequence[_Line], at: int) -> int:
    """Last line of a hard-wrapped sentence: a long line goes on in lower case, or a comma ends it."""
    last = at
    while last + 1 < len(lines):
        here, below = lines[last], lines[last + 1]
        if below.listed or below.start >= below.end or _fence(text, below) or _HEADING.match(text, below.body):
            break
        if text[below.body : below.body + 1] == "|" or _is_rule(text, below):
            break
        wrapped = (
            here.end - here.start >= 40 and text[below.body : below.body + 1].islower() and text[here.end - 1].isalnum()
        )
        if not wrapped and text[here.end - 1] not in ",，、":
            break
        last += 1
    return last


def trim(text: str, start: int, end: int) -> Span:
    """The span without white space at its ends; empty spans come back as (start, start)."""
    body = text[start:end]
    left = start + len(body) - len(body.lstrip())
    return (left, start + len(body.rstrip())) if left < end else (start, start)


def bare(text: str, start: int, end: int) -> Span:
    """The span without white space, and without emphasis that wraps all of it."""
    start, end = trim(text, start, end)
    for sign in ("**", "__", "*"):
        inner = text[start + len(sign) : end - len(sign)]
        wraps = text.startswith(sign, start) and text.endswith(sign, start, end) and end - start > 2 * len(sign)
        if wraps and sign[0] not in inner and WORD.search(inner):
            return trim(text, start + len(sign), end - len(sign))
    return start, end
