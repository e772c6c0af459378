"""The split that a model's reply says: its claims, each with where it comes from in the text, or why there is none."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from judge.domain.answers import Citation
from judge.domain.base import Span
from judge.domain.claims import Claim, NotCheckable, Split
from judge.domain.judging import Reply, Unscored
from judge.steps.claims import cover, split_answer
from judge.steps.replies import read_objects
from judge.steps.sentences import find_sentences
from judge.steps.split_places import locate
from judge.steps.split_prompts import CLAIM, KINDS
from judge.steps.verdicts import CUT, FILTERED

READER = "split-reader-1"
"""Version of all that stands here and in ``split_places``; it enters the splitter's identity."""
MOST_QUOTES = 20
"""Pieces of one statement that are looked up."""
Entry = dict[str, Any]


class SplitReading(NamedTuple):
    """What one reply says."""

    split: Split | None
    problem: Unscored | None
    """Why there is none, for a repair turn or a larger cap."""


class _Stated(NamedTuple):
    kind: str
    text: str
    quotes: tuple[str, ...]


def read_split(reply: Reply, text: str, citations: Sequence[Citation] = ()) -> SplitReading:
    """Read one reply.

    A reply that was cut off is not read at all, even when its prefix parses. JSON is taken as it stands first, then
    without fence and reasoning; of several objects the last one of the right shape wins. An entry without a kind is a
    claim; one of an unknown kind, or without words, makes the whole reply unusable. A reply without any entry is
    ``missing_from_reply`` where the text has words.

    Args:
        reply: what came back.
        text: what was split.
        citations: its citation markers.
    """
    if (whole := _whole_failure(reply)) is not None:
        return SplitReading(None, whole)
    entries = _entries(reply.text)
    stated = [_stated(entry) for entry in entries or ()]
    if entries is None or not all(one.text for one in stated):
        return SplitReading(None, Unscored.UNPARSEABLE)
    if not entries and any(char.isalnum() for char in text):
        return SplitReading(None, Unscored.MISSING_FROM_REPLY)
    if any(one.kind not in KINDS for one in stated):
        return SplitReading(None, Unscored.OFF_SCALE)
    return SplitReading(_split(stated, text, citations), None)


def empty_split(text: str) -> Split:
    """The split of a text in which a model found nothing to list."""
    return cover(text, (), find_sentences(text).layout)


def _whole_failure(reply: Reply) -> Unscored | None:
    finish = (reply.finish_reason or "").casefold()
    if finish in FILTERED or (reply.refusal or "").strip():
        return Unscored.REFUSED
    return Unscored.TRUNCATED if finish in CUT else None


def _entries(reply: str) -> list[Entry] | None:
    """The entries of the last object of the right shape; None when there is no such object."""
    for values in read_objects(reply):
        for value in reversed(values):
            listed = value.get("claims") if isinstance(value, dict) else value
            if isinstance(listed, list) and all(isinstance(one, dict) and "text" in one for one in listed):
                return listed
    return None


def _stated(entry: Entry) -> _Stated:
    kind, text = entry.get("kind"), entry.get("text")
    given = [entry.get("quotes"), entry.get("quote")]
    listed = [piece for one in given for piece in (one if isinstance(one, list) else [one])]
    quotes = dict.fromkeys(piece for piece in listed if isinstance(piece, str) and piece.strip())
    words = text.strip() if isinstance(text, str) else ""
    word = CLAIM if kind is None else kind.strip().casefold() if isinstance(kind, str) else ""
    return _Stated(word, words or (" ".join(quotes) if word != CLAIM else ""), tuple(quotes)[:MOST_QUOTES])


def _split(stated: Sequence[_Stated], text: str, citations: Sequence[Citation]) -> Split:
    sentences = find_sentences(text, [citation.span for citation in citations])
    places = locate(text, [one.quotes for one in stated], sentences.items)
    spans: dict[tuple[str, str], list[Span]] = {}
    for one, own in zip(stated, places, strict=True):
        spans.setdefault((one.kind, one.text), []).extend(own)
    cited = [claim for claim in split_answer(text, citations).claims if claim.citations] if citations else []
    claims: list[Claim] = []
    counts: dict[str, int] = {}
    for (kind, words), found in spans.items():
        reason = None if kind == CLAIM else NotCheckable(kind)
        letter = "s" if reason else "c" if found else "x"
        counts[letter] = counts.get(letter, 0) + 1
        claims.append(
            Claim(
                key=f"{letter}{counts[letter]}",
                text=words,
                spans=tuple(sorted(set(found))),
                citations=_cited(found, cited),
                not_checkable=reason,
                not_in_answer=not found,
            )
        )
    return cover(text, claims, sentences.layout)


def _cited(spans: Sequence[Span], cited: Sequence[Claim]) -> tuple[str, ...]:
    """Keys of the passages cited in the sentences that the spans touch."""
    keys = (
        key
        for claim in cited
        if any(start < high and low < end for start, end in spans for low, high in claim.spans)
        for key in claim.citations
    )
    return tuple(dict.fromkeys(keys))
