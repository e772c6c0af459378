"""Where in the passages a claim's words stand: what the baseline judge reads.

English words are folded, stop words left out, endings cut off; Han runs become bigrams; numbers are read as values
(`judge.llm.numbers`). All of it is lexical: a paraphrase looks like a stranger.
"""

import heapq
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from judge.llm.numbers import NUMBER_WORDS, read_numbers, words

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_STOP_SIGN = re.compile(r"[。！？；!?\n]+[”’」』\"]?|\.(?=\s)")
_PIECE = 600
"""A passage without stops is cut into pieces of this many characters."""
_LONG = 5000
"""Characters from which a passage is long."""
_TRIED = 8
"""Sentences around which windows are tried."""
_TOO_COMMON = 200
"""Sentences that hold a term from which it no longer says where to look."""
_MARKER = re.compile(r"^\d{1,2}(?:[.)]\s+|、)|\[\^?\d{1,3}(?:[,-]\s?\d{1,3}){0,9}\]|【\d{1,3}】")
"""List numbers and citation markers are no numbers of the text."""
_FRAME = re.compile(
    r"(?:based on|according to) (?:the )?(?:given |provided |above |retrieved )?(?:passages?|context|information)"
    r"(?: \d{1,2}(?:(?:,| and|, and) \d{1,2})*)?(?: provided| given)?,?|"
    r"\bpassages? \d{1,2}(?:(?:,| and|, and) (?:passage )?\d{1,2})*"
    r"(?: also)?(?: states?| mentions?| says?| notes?| indicates?| explains?| suggests?)?(?: that)?|"
    r"^(?:根据|基于)(?:所?提供的|上述|以上|给定的)?(?:资料|信息|文档|内容)(?:\d{1,2})?[,，]"
)
"""How an answer speaks of its passages; no words of the claim itself."""
_TOKEN = re.compile(rf"[{HAN}]+|[^\W\d_{HAN}][^\W_{HAN}]*(?:'[a-z]+)?")
_ASCII_TOKEN = re.compile(r"[a-z][a-z\d]*(?:'[a-z]+)?")
_STOP = frozenset(
    words(
        "a an the this that these those and or but if then than so as of at by for with about into to from in on off "
        "over is are was were be been being am do does did doing have has had having can could will would shall should "
        "may might must it its it's they their them he his him she her we us our you your i me my who whom which what "
        "when where why how there here also such some any each all both more most other own same just only very too s "
        "t not no nor never per via within up out"
    )
)
_SILENT = _STOP | NUMBER_WORDS
_FUNCTION = (
    "的了是在和与及或也都就而并且被把将对于为其这那之以所等则着过会可能要需应该由从向到至上下中内外时后前不没无未非个"
    "與並將對於為這過會應該從時後沒無個"
)
_HAN_SPLIT = re.compile(rf"[{_FUNCTION}]+")
_ENDINGS = ("ingly", "edly", "ings", "ing", "ies", "ied", "ed", "es", "ly", "s")


class Sentence(NamedTuple):
    """A sentence of a passage, or a claim."""

    text: str
    """Verbatim, trimmed."""
    folded: str
    """Width and case folded, without markers."""
    terms: tuple[str, ...]
    """Stems, Han bigrams and ``#value`` marks of numbers, in order."""


class Source(NamedTuple):
    """A passage, read once."""

    sentences: tuple[Sentence, ...]
    holds: tuple[frozenset[str], ...]
    """Terms of each sentence."""
    postings: Mapping[str, tuple[int, ...]]
    """Sentences that hold a term."""
    pairs: frozenset[tuple[str, str]]
    """Neighbouring terms."""
    beginnings: frozenset[str]
    """First five letters of its words."""


class Match(NamedTuple):
    """A claim beside the window of 1 to 3 neighbouring sentences that holds most of it."""

    weights: Mapping[str, float]
    """Of each term of the claim: log(1 + sentences / those that hold it)."""
    window: tuple[Sentence, ...]
    """Empty where no term of the claim stands in any passage."""
    near: frozenset[str]
    """The claim's terms in the window."""
    anywhere: frozenset[str]
    """The claim's terms in any passage."""
    alike: frozenset[str]
    """Terms in no passage whose first five letters are there."""
    pairs: float
    """Share of the claim's neighbouring terms that are neighbours in some passage, 0 to 1."""
    quote: str
    """The sentence of the window most like the claim, verbatim."""


def fold(text: str) -> str:
    """Width and case folded, without list numbers and citation markers."""
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return _MARKER.sub("", plain)


def read_claim(text: str) -> Sentence:
    """A claim as a Sentence, without phrases such as "based on the given passages"."""
    return _sentence(text, _FRAME.sub(" ", fold(text)).strip())


@lru_cache(maxsize=512)
def read_sentences(text: str) -> tuple[Sentence, ...]:
    """Sentences of a text, each trimmed and verbatim."""
    return tuple(_sentence(piece, fold(piece)) for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    start = 0
    for end in [*(match.end() for match in _STOP_SIGN.finditer(text)), len(text)]:
        for at in range(start, end, _PIECE):
            piece = text[at : min(end, at + _PIECE)].strip()
            if piece:
                yield piece
        start = end


def _sentence(text: str, folded: str) -> Sentence:
    marks = [f"#{number.value}" for number in read_numbers(folded)]
    return Sentence(text, folded, (*read_terms(folded), *marks))


def read_terms(folded: str) -> list[str]:
    """Stems of words and bigrams of Han runs, stop words and numerals left out."""
    if folded.isascii():
        return [stem(token) for token in _ASCII_TOKEN.findall(folded) if token not in _SILENT]
    terms = []
    for token in _TOKEN.findall(folded):
        if token[0] < "\u3400":
            if token not in _SILENT:
                terms.append(stem(token))
            continue
        for run in _HAN_SPLIT.split(token):
            terms += [run[i : i + 2] for i in range(len(run) - 1)] if len(run) > 1 else run
    return terms


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """The word without a common English ending."""
    word = word.partition("'")[0]
    for ending in _ENDINGS:
        if len(word) > len(ending) + 2 and word.endswith(ending):
            return word[: -len(ending)].rstrip("e") + ("y" if ending in ("ies", "ied") else "")
    return word.rstrip("e") if len(word) > 3 else word


def read_source(text: str) -> Source:
    """A passage's sentences and where its terms stand; kept for the next claims of the same answer."""
    return _long_source(text) if len(text) > _LONG else _short_source(text)


def _read_source(text: str) -> Source:
    sentences = tuple(_sentence(piece, fold(piece)) for piece in _pieces(text))
    holds = tuple(frozenset(sentence.terms) for sentence in sentences)
    postings: dict[str, list[int]] = {}
    for i, terms in enumerate(holds):
        for term in terms:
            postings.setdefault(term, []).append(i)
    return Source(
        sentences,
        holds,
        {term: tuple(places) for term, places in postings.items()},
        frozenset[tuple[str, str]]().union(*(pairwise(sentence.terms) for sentence in sentences)),
        frozenset(term[:5] for term in postings if len(term) >= 5),
    )


# two bounds, so that a corpus of whole books does not fill the memory
_short_source = lru_cache(maxsize=512)(_read_source)
_long_source = lru_cache(maxsize=32)(_read_source)


def find(claim: Sentence, passages: Sequence[str]) -> Match:
    """The window of the passages that holds most of the claim's weight."""
    sources = [read_source(text) for text in passages]
    counts = {
        term: sum(len(source.postings.get(term, ())) for source in sources) for term in dict.fromkeys(claim.terms)
    }
    total = sum(len(source.sentences) for source in sources)
    weights = {term: math.log(1 + total / (count or 1)) for term, count in counts.items()}
    anywhere = frozenset(term for term, count in counts.items() if count)
    begin = {term for term in weights if len(term) >= 5 and term not in anywhere}
    alike = frozenset(term for term in begin if any(term[:5] in source.beginnings for source in sources))
    pairs = _share_of_pairs(claim, sources)
    if not anywhere:
        return Match(weights, (), frozenset(), anywhere, alike, pairs, "")
    source, first, last = _best_window(weights, sources, counts)
    held = [sources[source].holds[i] & anywhere for i in range(first, last + 1)]
    window = sources[source].sentences[first : last + 1]
    best = max(range(len(window)), key=lambda i: (_sum(held[i], weights), -i))
    return Match(weights, window, frozenset[str]().union(*held), anywhere, alike, pairs, window[best].text)


def _share_of_pairs(claim: Sentence, sources: Sequence[Source]) -> float:
    pairs = [pair for pair in pairwise(claim.terms) if pair[1][0] != "#"]
    return sum(any(pair in source.pairs for source in sources) for pair in pairs) / (len(pairs) or 1)


def _best_window(
    weights: Mapping[str, float], sources: Sequence[Source], counts: Mapping[str, int]
) -> tuple[int, int, int]:
    """The window with the largest held weight; a longer one must gain 5 % of all for each sentence more."""
    cost = 0.05 * sum(weights.values())
    terms = frozenset(weights)
    best, score = (0, 0, 0), -1.0
    for s, i in _candidates(weights, sources, counts):
        holds = sources[s].holds
        for first, last in ((i, i), (i - 1, i), (i, i + 1), (i - 1, i + 1)):
            if first < 0 or last >= len(holds):
                continue
            held = terms & frozenset[str]().union(*holds[first : last + 1])
            gained = _sum(held, weights) - cost * (last - first)
            if gained > score + 1e-12:
                best, score = (s, first, last), gained
    return best


def _candidates(
    weights: Mapping[str, float], sources: Sequence[Source], counts: Mapping[str, int]
) -> list[tuple[int, int]]:
    """The sentences with the largest held weight, by terms rare enough to tell sentences of a huge page apart."""
    least = min(count for count in counts.values() if count)
    telling = [term for term, count in counts.items() if 0 < count <= max(_TOO_COMMON, least)]
    found: list[tuple[float, int, int]] = []
    for s, source in enumerate(sources):
        sums: dict[int, float] = {}
        for term in telling:
            weight = weights[term]
            for i in source.postings.get(term, ()):
                sums[i] = sums.get(i, 0.0) + weight
        found += [(-held, s, i) for i, held in sums.items()]
    return [(s, i) for _, s, i in heapq.nsmallest(_TRIED, found)]


def _sum(terms: frozenset[str], weights: Mapping[str, float]) -> float:
    return sum([weights[term] for term in sorted(terms)])
