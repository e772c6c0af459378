"""The question of splitting: the claims of one text; and what a claim set still has to ask."""

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from judge.domain.claims import Source, Split
from judge.domain.judging import Prompt, Reply, Request, Unscored
from judge.engines.conversation import Heard
from judge.engines.local import Work
from judge.steps.split_prompts import Splittable, Splitter, compose_split, repair_split, splittable
from judge.steps.split_replies import empty_split, read_split
from judge.store.answers import load_answers
from judge.store.calls import usable_replies
from judge.store.claims import unsplit_answers
from judge.store.database import Store

PAGE = 200
"""Answers loaded at a time."""
EMPTY_TWICE = 2
"""So many replies that list nothing are taken at their word."""


class SplitResult(NamedTuple):
    """The split of one answer, or why there is none."""

    answer_id: int
    split: Split | None
    failed: Unscored | None = None


class SplitQuestion(NamedTuple):
    """A Request, read as the split of one text."""

    request: Request
    """What is sent."""
    asked: Splittable
    """What is split."""

    def hear(self, replies: Sequence[Reply]) -> Heard[SplitResult]:
        """The last reply that can be read; one that lists nothing counts when it is said again."""
        text, citations = self.asked.text, self.asked.citations
        readings = [read_split(reply, text, citations) for reply in replies]
        split = next((one.split for one in reversed(readings) if one.split is not None), None)
        if split is None and sum(one.problem is Unscored.MISSING_FROM_REPLY for one in readings) >= EMPTY_TWICE:
            split = empty_split(text)
        problem = None if split else readings[-1].problem
        # a refusal is asked again: nothing is stored for it that a later command could go by
        return Heard(SplitResult(self.asked.answer_id, split, problem), problem, usable=split is not None)

    def give_up(self, reason: Unscored, said: str | None) -> SplitResult:
        """No split, for this reason."""
        return SplitResult(self.asked.answer_id, None, reason)

    def repair(self, prompt: Prompt, reply: Reply, problem: Unscored) -> Prompt:
        """One more turn that shows what was wrong."""
        return repair_split(prompt, reply, problem, self.asked.language)

    def tally(self, result: SplitResult) -> tuple[int, int]:
        """One answer, and whether it could not be split."""
        return 1, int(result.split is None)


def split_question(splitter: Splitter, asked: Splittable) -> SplitQuestion:
    """The question that asks a splitter for the claims of a text."""
    prompt = compose_split(asked, splitter.rung, splitter.parameters)
    request = Request(prompt=prompt, provider=splitter.provider, base_url=splitter.base_url, model=splitter.model)
    return SplitQuestion(request, asked)


def unsplit_texts(
    store: Store, dataset_id: int, claim_set_id: int | None, source: Source, until: int | None
) -> Iterator[list[Splittable]]:
    """Every text that the claim set does not have, in file order, page by page.

    Args:
        store: the open database.
        dataset_id: whose answers.
        claim_set_id: whose splits; None: one that has nothing yet.
        source: what is split.
        until: row id of the last answer wanted; None: all.
    """
    after = 0
    while True:
        with store.read() as connection:
            page = unsplit_answers(connection, claim_set_id, dataset_id, after, PAGE, source=source, until=until)
            answers = load_answers(connection, [one.id for one in page])
        if not page:
            return
        after = page[-1].id
        yield [splittable(one.id, answers[one.id], source) for one in page]


def pending_splits(
    store: Store, splitter: Splitter, claim_set_id: int, pages: Iterable[list[Splittable]], skip: Container[int]
) -> Iterator[Work[SplitResult]]:
    """The work of splitting these texts; one without a word is known to hold nothing.

    Args:
        store: whose replies are the cache.
        splitter: whom to ask.
        claim_set_id: the owner of the splits.
        pages: the texts.
        skip: row ids of answers to leave out.
    """
    for page in pages:
        questions = [split_question(splitter, asked) for asked in page if asked.answer_id not in skip]
        with store.read() as connection:
            cached = usable_replies(connection, [question.request.hash for question in questions])
        for question in questions:
            asked = question.asked
            nothing = None if asked.text.strip() else SplitResult(asked.answer_id, empty_split(asked.text))
            yield Work(claim_set_id, question, known=nothing, cached=cached.get(question.request.hash))
