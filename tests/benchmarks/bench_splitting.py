"""The rule splitter: how fast, and where it cuts otherwise than ``sentencex`` (PyPI; optional).

    make bench                                                       # or, this file alone:
    .venv/bin/python -m pytest tests/benchmarks/bench_splitting.py -p no:xdist -s -o python_files='bench_*.py'

A boundary is the last letter or digit of a sentence, so that closing marks count on neither side. The end of the text
is no boundary. ``sentencex`` finds sentences, no claims: the numbers compare where texts are cut, nothing else.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from judge.steps.claims import count_words, split_answer
from judge.steps.sentences import find_sentences

MADE = Path(__file__).parents[1] / "steps" / "splits.yaml"
DATA = {"en": ("ragtruth_qa", "mtrag_human"), "zh": ("factool_zh",)}
ANSWERS = 150
"""Of each language."""
SHOWN = 20
AROUND = 30
Cut = Callable[[str, str], set[int]]


class Counts(NamedTuple):
    """Boundaries of two sides."""

    both: int
    only_first: int
    only_second: int

    @property
    def agreement(self) -> float:
        """F1 of one side against the other; the same both ways."""
        return 2 * self.both / max(2 * self.both + self.only_first + self.only_second, 1)


def boundaries(text: str, ends: Iterable[int]) -> set[int]:
    """Where the last letter or digit before each end stands; without the text's own."""
    found = {max((i for i in range(end) if text[i].isalnum()), default=-1) for end in ends if end}
    return found - {-1, max((i for i in range(len(text)) if text[i].isalnum()), default=-1)}


def ours(text: str, language: str) -> set[int]:
    """Ends of our sentences."""
    return boundaries(text, (item.end for item in find_sentences(text).items))


@pytest.fixture(scope="module")
def theirs() -> Cut:
    """Ends of the sentences of ``sentencex``."""
    sentencex = pytest.importorskip("sentencex", reason="sentencex is not installed")

    def cut(text: str, language: str) -> set[int]:
        ends, at = [], 0
        for piece in sentencex.segment(language, text):
            at = text.index(piece, at) + len(piece)
            ends.append(at)
        return boundaries(text, ends)

    return cut


def made() -> list[tuple[str, str, set[int]]]:
    """Hand-made texts with their language and the boundaries expected; those with tables have claims of pieces."""
    found = []
    for row in yaml.safe_load(MADE.read_text("utf-8")):
        wanted = [*row["claims"], *(text for texts in row.get("rest", {}).values() for text in texts)]
        if all(claim in row["text"] for claim in wanted):
            ends = boundaries(row["text"], (row["text"].index(claim) + len(claim) for claim in wanted))
            found.append((row["text"], row["lang"], ends))
    return found


def answers(shared: Path, language: str) -> list[str]:
    """The first answers of the language's files, the same number of each file."""
    kept: list[str] = []
    for name in DATA[language]:
        lines = (shared / "data" / f"{name}.jsonl").read_text("utf-8").splitlines()
        texts = [row["answer"] for row in map(json.loads, lines) if row["answer"]]
        kept += texts[: ANSWERS // len(DATA[language])]
    return kept


def count(pairs: Iterable[tuple[set[int], set[int]]]) -> Counts:
    """Boundaries in both, in the first only, in the second only."""
    kept = list(pairs)
    return Counts(*(sum(len(which(a, b)) for a, b in kept) for which in (set.__and__, set.__sub__, _second)))


def _second(first: set[int], second: set[int]) -> set[int]:
    return second - first


def show(title: str, counts: Counts) -> None:
    """One line of the table."""
    print(f"{title:<44}{counts.agreement:>8.3f}{counts.both:>8}{counts.only_first:>8}{counts.only_second:>8}")


HEAD = f"\n{'boundaries':<44}{'F1':>8}{'both':>8}{'1st':>8}{'2nd':>8}"


def test_on_texts_made_by_hand(theirs: Cut) -> None:
    print(HEAD)
    for language in ("en", "zh"):
        texts = [(text, wanted) for text, lang, wanted in made() if lang == language]
        for name, cut in (("ours", ours), ("sentencex", theirs)):
            exact = sum(cut(text, language) == wanted for text, wanted in texts)
            title = f"{language}, {len(texts)} texts: {name} / expected ({exact} exact)"
            show(title, count((cut(text, language), wanted) for text, wanted in texts))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_on_answers(shared: Path, theirs: Cut, language: str) -> None:
    texts = answers(shared, language)
    cuts = [(text, ours(text, language), theirs(text, language)) for text in texts]
    print(HEAD)
    show(f"{language}, {len(texts)} answers: ours / sentencex", count((a, b) for _, a, b in cuts))
    for name, which in (("only ours", set.__sub__), ("only sentencex", _second)):
        places = [(text, at) for text, a, b in cuts for at in sorted(which(a, b))]
        step = max(len(places) // SHOWN, 1)
        print(f"{name}: {len(places)}, every {step}th")
        for text, at in places[::step][:SHOWN]:
            left, right = text[max(0, at - AROUND) : at + 1], text[at + 1 : at + AROUND]
            print(f"    {left!r} | {right!r}")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_report(shared: Path, language: str) -> None:
    texts = answers(shared, language)
    splits = [split_answer(text) for text in texts]
    claims = [claim for split in splits for claim in split.claims]
    checkable = sum(claim.checkable for claim in claims)
    reasons = Counter(claim.not_checkable.value for claim in claims if claim.not_checkable)
    covered, length = (sum(getattr(split, name) for split in splits) for name in ("covered", "length"))
    per_100 = 100 * checkable / sum(map(count_words, texts))
    print(
        f"\n{language}, {len(texts)} answers: {checkable} claims, {per_100:.1f} per 100 words; "
        f"coverage {covered / length:.1%}"
    )
    print(f"    not checkable: {', '.join(f'{name} {n}' for name, n in reasons.most_common())}")
    print(f"    answers without a claim: {sum(not any(c.checkable for c in split.claims) for split in splits)}")


def test_speed(shared: Path) -> None:
    texts = [text for language in DATA for text in answers(shared, language)]
    print(f"\n{'CPU seconds':<44}{'per s':>10}")
    for name, run in (
        ("sentences", lambda text: find_sentences(text).items),
        ("claims", lambda text: split_answer(text).claims),
    ):
        start = time.process_time()
        done = sum(len(run(text)) for text in texts * 3)
        print(f"{name:<44}{done / (time.process_time() - start):>10,.0f}")
