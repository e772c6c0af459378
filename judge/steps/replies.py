"""What stands in a reply's text: JSON objects, or a label line, tag or bare label. No meaning is given to them here."""

import ast
import json
import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

LITERAL_LIMIT = 20_000
"""Characters up to which single-quoted Python-style objects are read."""
LABEL_LIMIT = 200
"""A label is a word or a few; a longer line is no label."""
RATIONALE_SEARCHED = 20_000
"""Characters in which an explanation tag is looked for."""
SCAN_FACTOR = 8
"""Work allowed to look for objects inside other text, as a multiple of its length: never quadratic."""

_REASONING = re.compile(r"<(?P<end>/?)(?:think|thinking|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"(`{3,}|~{3,})[^`\n]*\n")
_START = re.compile(r'\{(?=\s{0,50}")|\[(?=\s{0,50}\{)')
_LINE = re.compile(
    r"^[ \t>#*_-]{0,20}(?:final[ _]label|label|最终标签|标签)[ \t*_]{0,8}[:：][ \t]{0,20}(?P<line>[^\r\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_TAG = re.compile(r"<(answer|label)>(?P<tag>[^<]{0,400})</\1>", re.IGNORECASE)
_EXPLANATION = re.compile(r"<(explanation|reason|rationale)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_WRAPPING = " \t\r\n\"'`*_“”‘’「」『』"


class Spoken(NamedTuple):
    """A label given in words instead of JSON."""

    label: str
    """What stands in the label's place, trimmed of quotes and emphasis."""
    rationale: str | None
    """The words before it."""
    anchored: bool
    """Whether a line or tag says so; else the text may be only a label, or anything short."""


def read_objects(text: str) -> Iterator[list[Any]]:
    """The JSON values in a reply, stage by stage; the reader takes the first stage that holds one of the right shape.

    As it stands; without its fence; without reasoning blocks (also one that only ends: ``</think>``); then every
    object or list inside other words, in their order. Values of one stage come in the order of the text.
    """
    visible = without_reasoning(text)
    bare = without_reasoning(text, only_pairs=True)
    seen: set[str] = set()
    for stage in (text, unfenced(text), bare, unfenced(bare), visible, unfenced(visible)):
        stripped = stage.strip()
        if stripped[:1] in ("{", "[") and stripped not in seen:
            seen.add(stripped)
            if (value := _parsed(stripped)) is not None:
                yield [value]
    yield _scanned(visible)


def read_spoken(text: str) -> Spoken | None:
    """A label in words: the last line ``label: X`` or tag ``<answer>X</answer>``; else a text that is only a label."""
    visible = unfenced(without_reasoning(text)).strip()
    marks = [*_LINE.finditer(visible), *_TAG.finditer(visible)]
    if marks:
        last = max(marks, key=lambda mark: mark.start())
        return Spoken(_word(last.group(last.lastgroup or 0)), _rationale(visible[: last.start()]), True)
    if visible and len(visible) <= LABEL_LIMIT and "\n" not in visible:
        return Spoken(_word(visible), None, False)
    return None


def without_reasoning(text: str, only_pairs: bool = False) -> str:
    """The text without reasoning blocks: pairs, all up to a lone closing tag, all from a lone opening tag.

    Args:
        text: a reply.
        only_pairs: leave lone tags where they are; they may stand inside a JSON string.
    """
    kept: list[str] = []
    at, opened = 0, -1
    for tag in _REASONING.finditer(text) if "<" in text else ():
        if not tag["end"]:
            opened = tag.start() if opened < 0 else opened
        elif opened >= 0:
            kept.append(text[at:opened])
            at, opened = tag.end(), -1
        elif not only_pairs:
            kept, at = [], tag.end()
    kept.append(text[at:] if opened < 0 or only_pairs else text[at:opened])
    return "".join(kept)


def unfenced(text: str) -> str:
    """The text inside a fence that encloses all of it (its end may be missing), or the text itself."""
    stripped = text.strip()
    match = _FENCE.match(stripped)
    if match is None:
        return text
    inside = stripped[match.end() :]
    return inside.removesuffix(match[1]) if inside.endswith(match[1]) else inside


def _parsed(text: str) -> Any | None:
    """A whole text as JSON, else as a Python-style literal (single quotes); None when it is neither."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return _literal(text)


def _literal(text: str) -> Any | None:
    if len(text) > LITERAL_LIMIT or "'" not in text or text[-1] not in "}]":
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, dict | list) else None


def _scanned(text: str) -> list[Any]:
    """JSON objects and lists inside other words, outermost ones, in the order of the text."""
    found: list[Any] = []
    work, limit, at = 0, SCAN_FACTOR * len(text) + 100_000, 0
    while work < limit and (start := _START.search(text, at)):
        try:
            value, at = _DECODER.raw_decode(text, start.start())
            found.append(value)
            work += at - start.start()
        except json.JSONDecodeError as error:
            work += error.pos - start.start() + error.pos // 64 + 1  # the error counts the lines before it
            at = start.end()
        except (ValueError, RecursionError):
            work += 10_000
            at = start.end()
    return found


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) < 20 else float(digits)


_DECODER = json.JSONDecoder(parse_int=_whole_number, strict=False)


def _word(text: str) -> str:
    return text.strip(_WRAPPING)[:LABEL_LIMIT]


def _rationale(before: str) -> str | None:
    match = _EXPLANATION.search(before[:RATIONALE_SEARCHED])
    return (match.group(2) if match else before).strip() or None
