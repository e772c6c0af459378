"""What the baseline judge measures of a claim beside its passages; one plain number a feature.

Each was kept for what it does on labels that it was not fitted on; `docs/baseline.md` has the figures, and names what
was tried and dropped.
"""

import math
import re
from functools import lru_cache
from typing import NamedTuple

from judge.llm.numbers import Number, read_numbers
from judge.llm.overlap import HAN, Match, Sentence, find, fold, read_claim, stem

FEATURES = (
    "recall",  # share of the claim's terms in the closest window, rare ones weighing more
    "pairs",  # share of its neighbouring terms that are neighbours in a passage
    "longest_gap",  # log(1 + most of its terms in a row that stand neither in a passage nor in the question)
    "number_missing",  # 1 where the window lacks one of its numbers
    "number_other",  # 1 where the window has another number of the same unit in its place
    "name_missing",  # log(1 + its names that stand in no passage)
    "position",  # where it stands in the answer, 0 (start) to 1
    "absence",  # 1 where it speaks of what the passages lack
)
"""Names of the numbers in `Evidence.values`, in their order."""
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]+")
_LATIN = re.compile(r"[a-z]{2,}")
_HAN = re.compile(rf"[{HAN}]")
_ABSENCE = re.compile(
    r"\b(?:unable|impossible|difficult|cannot|can't|not possible|could not|couldn't) (?:for me )?(?:to )?"
    r"(?:answer|provide|determine|give|say|find)\b|"
    r"\b(?:do|does|did|is|are)(?: not|n't) (?:\w+ )?(?:contain|provide|mention|specif|state|give|include|address|"
    r"discuss|offer|clear)|\b(?:no|without) (?:\w+ )?(?:information|mention|details?|answer|context)\b|"
    r"\bnot (?:\w+ )?(?:mentioned|provided|specified|stated|clear)\b|"
    rf"无法(?:回答|确定|得知|提供|判断)|(?:没有|未)[{HAN}]{{0,4}}(?:提到|提及|说明|提供)"
)
"""Phrases that say what the passages lack; no passage holds such words, and people mostly agree with them."""


class Evidence(NamedTuple):
    """A claim's features and what explains them."""

    values: tuple[float, ...]
    """In the order of `FEATURES`."""
    match: Match
    """Where its words stand."""
    other_number: str
    """A number of the claim in whose place the window has another one; empty if none."""
    missing_number: str
    """A number of the claim that the window does not hold; empty if none."""


def is_chinese(text: str) -> bool:
    """Whether Han characters outnumber Latin words."""
    return not text.isascii() and len(_HAN.findall(text)) > len(_LATIN.findall(text.lower()))


def measure(text: str, passages: tuple[str, ...], question: str, position: float) -> Evidence:
    """Features of one claim.

    Args:
        text: the claim.
        passages: what it may rest on.
        question: its words are no evidence, but no new word either.
        position: where the claim stands in its answer, 0 (start) to 1.
    """
    claim = read_claim(text)
    match = find(claim, passages)
    total = math.fsum(match.weights.values()) or 1.0
    there = [number for sentence in match.window for number in read_numbers(sentence.folded)]
    other, missing = _numbers(read_numbers(claim.folded), there)
    values = (
        math.fsum(match.weights[term] for term in match.near) / total,
        match.pairs,
        math.log1p(_longest_gap(claim, match.anywhere | match.alike | known_terms(question))),
        float(bool(missing)),
        float(bool(other)),
        math.log1p(_missing_names(text, claim, match)),
        position,
        float(_ABSENCE.search(claim.folded) is not None),
    )
    return Evidence(values, match, other, missing)


@lru_cache(maxsize=512)
def known_terms(text: str) -> frozenset[str]:
    """Terms of a question, which many claims share."""
    return frozenset(read_claim(text).terms)


def _longest_gap(claim: Sentence, known: frozenset[str]) -> int:
    """Most terms in a row that are not known."""
    run = longest = 0
    for term in claim.terms:
        run = 0 if term in known else run + 1
        longest = max(longest, run)
    return longest


def _numbers(claimed: tuple[Number, ...], there: list[Number]) -> tuple[str, str]:
    """The first number of the claim that the window contests, and the first that it lacks."""
    values = {number.value for number in there}
    mine = {number.value for number in claimed}
    missing = [number for number in claimed if number.value not in values]
    free = {number.unit for number in there if number.value not in mine}
    contested = [number for number in missing if number.unit in free]
    return (_shown(contested[0]) if contested else "", _shown(missing[0]) if missing else "")


def _shown(number: Number) -> str:
    return number.value if isinstance(number.value, str) else f"{number.value:.15g}"


def _missing_names(text: str, claim: Sentence, match: Match) -> int:
    """Names in no passage: capitalised words inside an English sentence, Latin words inside a Chinese one."""
    names = _LATIN.findall(claim.folded) if is_chinese(text) else [fold(name) for name in _NAME.findall(text)]
    there = match.anywhere | match.alike
    return sum(1 for name in map(stem, names) if name in match.weights and name not in there)
