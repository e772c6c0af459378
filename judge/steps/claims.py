"""Claims of an answer by rules: each sentence, list item or table row is one, unless it states nothing to check.

Layout (list markers, hashes, pipes, rules) is neither counted in ``Split.length`` nor covered.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from judge.domain.answers import Citation
from judge.domain.base import Span
from judge.domain.claims import Claim, NotCheckable, Split
from judge.steps.blocks import CJK, WHITE, Kind, Sentence, trim
from judge.steps.sentences import CLOSERS, find_sentences
from judge.steps.unchecked import HAN, LIMIT, SOURCES, SOURCES_BEGIN, is_source, plain, reason_by_words

SPLITTER = "rules-2"
"""Identity of this splitter; another rule needs another name."""
CHARACTERS_PER_WORD = 1.5
"""Chinese words have 1.4 to 1.7 characters, by the corpus and by what counts as a word."""
_WORDS = re.compile(rf"[{CJK}]|[^\W_{CJK}]+(?:['’.,\-][^\W_{CJK}]+)*")
_BY_MARKUP = {
    Kind.HEADING: NotCheckable.HEADING,
    Kind.HEADER: NotCheckable.HEADING,
    Kind.CODE: NotCheckable.CODE,
    Kind.ROW: None,
}


class _Group(NamedTuple):
    words: str
    reason: NotCheckable | None
    places: list[int]
    """Indices of the sentences."""


def split_answer(text: str, citations: Sequence[Citation] = ()) -> Split:
    """Split an answer into claims.

    Checkable ones are c1..cn in answer order, the others s1..sm among them. ``claim.text`` is the answer's text at
    its span. A sentence that comes again under the same heading is one claim with several spans, each with this text:
    it is judged once. A table row under a header is a claim whose spans are its cells, each behind its column's
    title; its text is these pieces joined by a space.

    Args:
        text: the answer.
        citations: its citation markers; a claim gets the passages of those inside it or directly behind its stop.

    Returns:
        The claims, and how much of the text they cover.
    """
    found = find_sentences(text, [citation.span for citation in citations])
    cited = _cited(found.items, citations)
    claims: list[Claim] = []
    counts = {"c": 0, "s": 0}
    for words, reason, places in _groups(text, found.items):
        letter = "s" if reason else "c"
        counts[letter] += 1
        spans = tuple(span for i in places for span in found.items[i].pieces or [found.items[i][:2]])
        keys = tuple(dict.fromkeys(key for i in places for key in cited.get(i, ())))
        key = f"{letter}{counts[letter]}"
        claims.append(Claim(key=key, text=words, spans=spans, citations=keys, not_checkable=reason))
    return cover(text, claims, found.layout)


def cover(text: str, claims: Sequence[Claim], layout: Sequence[Span] = ()) -> Split:
    """How much of an answer's text the spans of its claims cover, whoever made them.

    Args:
        text: the answer.
        claims: claims with spans in it; spans may overlap.
        layout: spans that count neither as text nor as covered.

    Returns:
        A Split; ``length`` and ``covered`` count characters that are no white space.
    """
    taken = _merged([*layout, *(span for claim in claims for span in claim.spans)])
    edges = [0, *(edge for span in taken for edge in span), len(text)]
    gaps = (trim(text, edges[i], edges[i + 1]) for i in range(0, len(edges), 2))
    uncovered = tuple(gap for gap in gaps if gap[0] < gap[1])
    length = _visible(text) - sum(_visible(text[start:end]) for start, end in layout)
    missing = sum(_visible(text[start:end]) for start, end in uncovered)
    return Split(claims=tuple(claims), uncovered=uncovered, length=length, covered=length - missing)


def count_words(text: str) -> float:
    """Words: those of alphabets and numbers as they are, Han and Kana by 1.5 characters a word."""
    found = _WORDS.findall(text)
    characters = sum(HAN.match(word) is not None for word in found)
    return len(found) - characters + characters / CHARACTERS_PER_WORD


def _visible(text: str) -> int:
    return len("".join(text.split()))


def _merged(spans: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _groups(text: str, items: Sequence[Sentence]) -> list[_Group]:
    """Sentences by their words, with the indices where they stand; a heading starts afresh."""
    groups: list[_Group] = []
    seen: dict[str, list[int]] = {}
    sources = False
    for i, item in enumerate(items):
        words = text[item.start : item.end]
        if item.pieces:
            groups.append(_Group(" ".join(text[start:end] for start, end in item.pieces), None, [i]))
            continue
        if words in seen:
            seen[words].append(i)
            continue
        reason = why_not_checkable(words, item.kind)
        sources = SOURCES_BEGIN.match(plain(words)) is not None if reason else sources and is_source(words)
        if sources and not reason:
            groups.append(_Group(words, NotCheckable.META, [i]))
            continue
        if reason in (NotCheckable.HEADING, NotCheckable.META):
            seen = {}
            groups.append(_Group(words, reason, [i]))
            continue
        seen[words] = [i]
        groups.append(_Group(words, reason, seen[words]))
    return groups


def _cited(items: Sequence[Sentence], citations: Sequence[Citation]) -> dict[int, list[str]]:
    """Keys of cited passages by the index of the sentence that holds the marker."""
    starts = [item.start for item in items]
    cited: dict[int, list[str]] = {}
    for citation in sorted(citations, key=lambda each: each.span):
        at = bisect_right(starts, citation.span[0]) - 1
        if at >= 0 and citation.span[0] < items[at].end and citation.passage not in cited.setdefault(at, []):
            cited[at].append(citation.passage)
    return cited


def why_not_checkable(sentence: str, kind: Kind = Kind.TEXT) -> NotCheckable | None:
    """Why a sentence states nothing that could be checked, or None for a claim.

    Args:
        sentence: its words, markup and citations among them.
        kind: what it is by its markup.
    """
    if kind is not Kind.TEXT:
        return _BY_MARKUP[kind]
    core = plain(sentence[-LIMIT:])
    if not core or SOURCES.match(core):
        return NotCheckable.META
    if core.rstrip(CLOSERS + WHITE).endswith(("?", "？")):
        return NotCheckable.QUESTION
    return None if len(sentence) > LIMIT else reason_by_words(core) or _label(core)


def _label(core: str) -> NotCheckable | None:
    """A few words before a colon are a title."""
    if not core.endswith((":", "：")):
        return None
    short = len(core) <= 9 if HAN.search(core) else len(core.split()) <= 3
    return NotCheckable.HEADING if short else None
