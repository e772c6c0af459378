"""Lists inside a line: ``steps: 1. open 2. close``, ``流程：①提交②审核``, ``(1) ...; (2) ...``."""

import re

from judge.domain.base import Span
from judge.steps.blocks import CJK

_MARKER = re.compile(
    r"(?P<circle>[①-⑳])"
    r"|[(（](?P<bracket>\d{1,2})[)）]"
    r"|[(（](?P<han>[一二三四五六七八九十])[)）]"
    r"|(?<![A-Za-z\d.,$€¥￥])(?:(?P<comma>\d{1,2})、(?!\d)|(?P<half>\d{1,2})[)）]"
    rf"|(?P<dot>\d{{1,2}})[.．](?=[ \t\u3000*]|[{CJK}（“《]))"
)
_HAN = "一二三四五六七八九十"
_BEGINS_BEHIND = ":：,，、;；.。!！?？"
"""A list's first item stands behind one of these, or at the begin; else ``(1)`` and ``图①`` are names."""
_NAMES = "图第见式"
_FIRST = re.compile(r"[①1１一](?:(?<=①)|[.．、)）])")
"""Without a first item there is no list."""
_OF_LINE = re.compile(r"(?:(?P<circle>①)|[(（](?P<bracket>1)[)）]|[(（](?P<han>一)[)）]|(?P<comma>1)、)[ \t\u3000]*\Z")


def find_markers(text: str, start: int, end: int) -> list[Span]:
    """Markers of the items of lists that run inside a block, in order.

    A list counts from 1 in one style without a gap; one item alone is a list only behind a colon. When the marker of
    the block's own line was ``①``, ``（1）`` or ``1、``, the list inside goes on with 2.

    Args:
        text: an answer.
        start: where the block's text begins, behind its list marker.
        end: where it ends.
    """
    if not _FIRST.search(text, max(0, start - 8), end):
        return []
    lists = _begun(text, start)
    kept: list[Span] = []
    for found in _MARKER.finditer(text, start, end):
        style = found.lastgroup or ""
        before = text[max(start, found.start() - 4) : found.start()].rstrip()[-1:]
        value = _value(found[style])
        if value == 1 and (not before or before in _BEGINS_BEHIND):
            kept += _whole(text, lists.pop(style, []), start)
            lists[style] = [found.span()]
        elif value == len(lists.get(style, ())) + 1 and value > 1 and before not in _NAMES:
            lists[style].append(found.span())
    for items in lists.values():
        kept += _whole(text, items, start)
    return sorted(kept)


def _begun(text: str, start: int) -> dict[str, list[Span]]:
    found = _OF_LINE.search(text[max(0, start - 8) : start])
    return {found.lastgroup or "": [(start, start)]} if found else {}


def _whole(text: str, items: list[Span], start: int) -> list[Span]:
    """The items of a list, none where it is no list."""
    if len(items) > 1:
        return items
    introduced = (text[max(start, item[0] - 4) : item[0]].rstrip().endswith((":", "：")) for item in items)
    return items if any(introduced) else []


def _value(number: str) -> int:
    if "①" <= number <= "⑳":
        return ord(number) - ord("①") + 1
    return _HAN.index(number) + 1 if number in _HAN else int(number)
