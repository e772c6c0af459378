"""How many claims the baseline judges per second of one core: composing the verdict's JSON, passages read anew.

The bound holds for the demo's answers, each taken often with a number added to every passage, so that no passage is
known from before. The real files differ in how much there is to read for a claim, so that is printed beside each.
Run by ``make bench``.
"""

import json
import random
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from judge.domain.answers import Answer, Passage, Query, Retrieved
from judge.domain.claims import Claim
from judge.domain.judging import Subject
from judge.domain.rubrics import Rubric
from judge.llm import numbers, overlap
from judge.llm.baseline import judge_subject
from judge.steps.claims import split_answer
from judge.workflow.rubrics import load_rubric

LEAST = 2000
"""Claims per second on one core."""
WORDS = numbers.words(
    "committee approved budget transport annual revenue grew percent report delivery refunded customers"
)


def text(random_: random.Random, length: int) -> str:
    """Sentences of 12 words, most of them seldom."""
    found: list[str] = []
    while sum(map(len, found)) < length:
        words = [
            random_.choice(WORDS) if random_.random() < 0.3 else f"w{random_.randrange(20_000)}x" for _ in range(12)
        ]
        found.append(" ".join(words).capitalize() + ". ")
    return "".join(found)


def answer(passages: list[str], whole: str, question: str) -> Answer:
    retrieved = [Retrieved(passage=Passage(key=f"p{i}", text=each), rank=i) for i, each in enumerate(passages, 1)]
    return Answer(key="a", query=Query(key="q", text=question), text=whole, passages=tuple(retrieved))


def demo(language: str, times: int = 20) -> Iterator[tuple[Answer, list[Claim]]]:
    lines = (files("judge.demo") / "answers.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["slices"]["lang"] == language]
    for turn in range(times):
        for i, row in enumerate(rows):
            given = answer([f"{p['text']} {turn}.{i}" for p in row["passages"]], row["answer"], row["question"])
            yield given, [claim for claim in split_answer(row["answer"], ()).claims if claim.checkable]


def real(path: Path) -> Iterator[tuple[Answer, list[Claim]]]:
    for line in path.read_text("utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        texts = {each["id"]: each["text"] for each in row["contexts"]}
        for claim in row["claims"]:
            if claim["unit"] == "answer":
                continue
            chosen = [texts[key] for key in claim.get("context_ids") or texts]
            words = claim["text"] if claim["text"] != "(whole answer)" else row["answer"]
            yield answer(chosen, row["answer"] or "", row["question"] or ""), [Claim(key="c1", text=words)]


def speed(given: list[tuple[Answer, list[Claim]]], rubric: Rubric) -> float:
    """Claims per second, one claim a question as ``judge run`` asks by default."""
    subjects = [
        Subject(answer=each, claims=(claim,), rubric=rubric, language="en")
        for each, claims in given
        for claim in claims
    ]
    begin = time.process_time()
    for subject in subjects:
        json.dumps(judge_subject(subject), ensure_ascii=False)
    return len(subjects) / (time.process_time() - begin)


def characters(given: list[tuple[Answer, list[Claim]]]) -> float:
    """Different passage characters for each claim."""
    passages = {each.passage.text or "" for one, _ in given for each in one.passages}
    return sum(map(len, passages)) / sum(len(claims) for _, claims in given)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_speed_on_demo_answers(language: str) -> None:
    given = list(demo(language))
    found = speed(given, load_rubric("support"))
    print(f"\ndemo {language:17} {found:7.0f} claims/s, {characters(given):5.0f} new passage characters a claim")
    assert found >= LEAST


@pytest.mark.parametrize("name", ["ragtruth_qa", "uhgeval_zh", "factcheck_bench", "factool_zh", "wice_gpt"])
def test_speed_on_real_answers(name: str, shared: Path) -> None:
    given = list(real(shared / "data" / f"{name}.jsonl"))
    found = speed(given, load_rubric("support"))
    print(f"\n{name:22} {found:7.0f} claims/s, {characters(given):5.0f} new passage characters a claim")


def test_speed_on_a_huge_passage() -> None:
    """A page of a million characters: read once, then every claim as fast as in a small one."""
    random_ = random.Random(2)
    page = text(random_, 1_000_000)
    given = [(answer([page], "", ""), [Claim(key="c1", text=text(random_, 60))]) for _ in range(2000)]
    begin = time.process_time()
    overlap.read_source(page)
    read = time.process_time() - begin
    found = speed(given, load_rubric("support"))
    print(f"\n1 MB page              {found:7.0f} claims/s, {read:.2f} s to read it once")
