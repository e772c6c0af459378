"""What stands in a reply's text: JSON objects, or a label line, tag or bare label. No meaning is given to them here."""

import ast
import json
import re
import warnings
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

LITERAL_LIMIT = 20_000
"""Characters up to which single-quoted Python-style objects are read."""
LABEL_LIMIT = 200
"""A label is a word or a few; a longer line is no label."""
RATIONALE_SEARCHED = 20_000
"""Characters in which an explanation tag is looked for."""
SCAN_FACTOR = 8
"""Work allowed to look for objects inside other text, as a multiple of its length: never quadratic."""

_REASONING = re.compile(
    r"<(?P<end>/?)(?:seed:think|think(?:ing)?|thought|reasoning)(?:\s[^<>\n]{0,100})?>|"
    r"\[(?P<square>/?)(?-i:THINK)\]|◁(?P<kimi>/?)think▷",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|>[ \t]{0,5}(\w{1,20})[^<>]{0,50}(?:<\|constrain\|>[ \t\w]{0,20})?<\|message\|>")
_SPECIAL = re.compile(r"<\|(?:start|end|return|call|channel)\|>")
_FENCE = re.compile(r"(`{3,}|~{3,})[^`\n]*\n")
_START = re.compile(r'\{(?=\s{0,50}")|\[(?=\s{0,50}\{)')
_LINE = re.compile(
    r"^[ \t#*_-]{0,20}(?:final[ _]label|label|最终标签|标签)[ \t*_]{0,8}[:：][ \t]{0,20}(?P<line>[^\r\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_VERDICT_LINE = re.compile(
    r"^[ \t#*_-]{0,20}(?:(?:final|corrected|revised)[ _](?:label|answer|verdict)|最终(?:标签|答案|结论|判断))"
    r"[ \t*_]{0,8}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
"""A last word that is no anchored label, but takes back the object before it."""
_STRAY = re.compile(r"(?:['\"“”‘’]label\\?['\"“”‘’]|(?:\{|['\"\]\d],)\s{0,20}label)\s{0,20}[:：]", re.IGNORECASE)
"""The field of an object that could not be read."""
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

    Objects inside other words may be quotations. They are left out when the words say otherwise: when a broken object
    around them has a label of its own or breaks off inside one of them, or when a label follows them in words.
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
    if (found := _scanned(visible)) and not _only_quoted(visible, found):
        yield [value for _, _, value in found]


def read_spoken(text: str) -> Spoken | None:
    """A label in words: the last line ``label: X`` or tag ``<answer>X</answer>``; else a text that is only a label."""
    visible = unfenced(without_reasoning(text)).strip()
    marks = _marks(visible)
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
    text = _final_channel(text)
    kept: list[str] = []
    at, opened = 0, -1
    for tag in _REASONING.finditer(text):
        if not (tag["end"] or tag["square"] or tag["kimi"]):
            opened = tag.start() if opened < 0 else opened
        elif opened >= 0:
            kept.append(text[at:opened])
            at, opened = tag.end(), -1
        elif not only_pairs:
            kept, at = [], tag.end()
    kept.append(text[at:] if opened < 0 or only_pairs else text[at:opened])
    return "".join(kept)


def _final_channel(text: str) -> str:
    """Of a reply in channels (``<|channel|>final<|message|>``) the last final one; of others the text itself."""
    channels = list(_CHANNEL.finditer(text)) if "<|channel|>" in text else []
    if not channels:
        return text
    final = [channel for channel in channels if channel[1] == "final"]
    if not final:
        return ""
    rest = text[final[-1].end() :]
    end = _SPECIAL.search(rest)
    return rest[: end.start()] if end else rest


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


def object_at(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins at ``start`` and its end; None and ``start`` where there is none."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start


class _Found(NamedTuple):
    """A value inside other words, and where it stands."""

    start: int
    end: int
    value: Any


def _only_quoted(text: str, found: Sequence[_Found]) -> bool:
    last = found[-1].end
    after = text[last:]
    edges = [0, *(edge for one in found for edge in (one.start, one.end)), len(text)]
    between = "".join(text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2))
    return bool(_STRAY.search(between) or _marks(after) or _VERDICT_LINE.search(after))


def _marks(text: str) -> list[re.Match[str]]:
    return [*_LINE.finditer(text), *_TAG.finditer(text)]


def _scanned(text: str) -> list[_Found]:
    """JSON objects and lists inside other words, outermost ones, in the order of the text.

    None at all when one of them is where an object around it breaks off: quotation marks inside a string, unescaped.
    """
    found: list[_Found] = []
    broken: set[int] = set()
    work, limit, at = 0, SCAN_FACTOR * len(text) + 100_000, 0
    while work < limit and (start := _START.search(text, at)):
        low = start.start()
        try:
            value, at = _DECODER.raw_decode(text, low)
            found.append(_Found(low, at, value))
            work += at - low
        except json.JSONDecodeError as error:
            broken.add(error.pos)
            work += error.pos - low + error.pos // 64 + 1  # the error counts the lines before it
            at = start.end()
        except (ValueError, RecursionError):
            work += 10_000
            at = start.end()
    breaks = sorted(broken)
    inside = (bisect_left(breaks, one.start) < bisect_left(breaks, one.end) for one in found)
    return [] if any(inside) else found


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) < 20 else float(digits)


_DECODER = json.JSONDecoder(parse_int=_whole_number, strict=False)


def _word(text: str) -> str:
    return text.strip(_WRAPPING)[:LABEL_LIMIT]


def _rationale(before: str) -> str | None:
    match = _EXPLANATION.search(before[:RATIONALE_SEARCHED])
    return (match.group(2) if match else before).strip() or None
