"""Where the pieces that a splitter quotes stand in the text that it split."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from judge.domain.answers import Passage, Retrieved
from judge.domain.base import Span
from judge.steps.blocks import Sentence
from judge.steps.quotes import find_quotes

MOST_PLACES = 50
"""Places of one quote that are looked at."""
_EMPHASIS = re.compile(r"[*_`~]+")
_MARKER = re.compile(r"\[[^\[\]\n]{1,80}\]|【[^【】\n]{1,80}】|［[^［］\n]{1,80}］|[¹²³⁴-⁹⁰]+")
"""A citation behind a sentence; its digits are no words."""

Places = tuple[Span, ...]
"""A quote's place: one span, or several where it has an ellipsis."""


def locate(text: str, quotes: Sequence[Sequence[str]], sentences: Sequence[Sentence]) -> list[tuple[Span, ...]]:
    """The spans of each claim, by its quotes, in the order of the text; none for a claim none of whose quotes is found.

    Quotes are looked up as a judge's are (width and white space folded, whole words), and where that fails without
    emphasis marks. A quote that is all of one claim alone stands at each of its places; others stand at their first
    place at or behind where the claim before begins, or else at their first. A span that leaves nothing of its sentence
    but marks and citations is the whole sentence.

    Args:
        text: what was split.
        quotes: of each claim, in the order of the text.
        sentences: of the text, by rules.
    """
    uses = Counter(quote for own in quotes for quote in own)
    known = {quote: _places(quote, text) for quote in uses}
    starts = [sentence.start for sentence in sentences]
    found: list[tuple[Span, ...]] = []
    at = 0
    for own in quotes:
        spans: list[Span] = []
        begins = at
        for quote in own:
            places = known[quote]
            near = next((place for place in places if place[0][0] >= begins), places[0] if places else ())
            spans += near
            if len(own) == 1 and uses[quote] == 1:
                spans += [span for place in places for span in place]
            begins = near[0][0] if near else begins
            at = near[0][0] if near and quote == own[0] else at
        found.append(tuple(sorted({_whole(span, text, sentences, starts) for span in spans})))
    return found


def _places(quote: str, text: str) -> list[Places]:
    """Where a quote stands, first place first."""
    first = _found(quote, text, 0) or _unmarked(quote, text)
    if len(first) != 1:
        return [first] if first else []
    places: list[Places] = [first]
    words = text[slice(*first[0])]
    while len(places) < MOST_PLACES:
        at = places[-1][0][1]
        if text.find(words, at) < 0 or not (place := _found(words, text, at)):
            break
        places.append(place)
    return places


def _found(quote: str, text: str, at: int) -> Places:
    """The place of a quote behind ``at``, which is where words end; empty where any piece of it is missing."""
    source = Retrieved(passage=Passage(key="", text=text[at:]), rank=1)
    spans = [one.span for one in find_quotes([quote], [source])]
    whole = [(at + span[0], at + span[1]) for span in spans if span is not None]
    return tuple(whole) if len(whole) == len(spans) else ()


def _unmarked(quote: str, text: str) -> Places:
    """The place of a quote in the text without emphasis marks, which models leave out."""
    kept = [index for index, char in enumerate(text) if char not in "*_`~"]
    if len(kept) == len(text):
        return ()
    bare = "".join(text[index] for index in kept)
    return tuple((kept[start], kept[end - 1] + 1) for start, end in _found(_EMPHASIS.sub("", quote), bare, 0))


def _whole(span: Span, text: str, sentences: Sequence[Sentence], starts: Sequence[int]) -> Span:
    start, end = span
    first, last = (bisect_right(starts, edge) - 1 for edge in (start, end - 1))
    if first >= 0 and not _says(text[sentences[first].start : start]):
        start = min(start, sentences[first].start)
    if last >= 0 and not _says(text[end : sentences[last].end]):
        end = max(end, sentences[last].end)
    return start, end


def _says(text: str) -> bool:
    return any(char.isalnum() for char in _MARKER.sub("", text))
