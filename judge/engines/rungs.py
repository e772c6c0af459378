"""The first question of a command: which structured-output rung an endpoint takes."""

import threading
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from judge.domain.errors import FatalError
from judge.domain.judging import Model, Rung
from judge.engines.conversation import Conversation, Question
from judge.engines.local import Done, ask_once
from judge.engines.pace import SharedPause
from judge.store.calls import usable_replies
from judge.store.database import Store

T = TypeVar("T")


class Asked(NamedTuple, Generic[T]):
    """One question as it was sent in the search."""

    question: Question[T]
    """The question in the form of one rung."""
    said: Conversation[T]
    """What was sent and came back."""


class Climbed(NamedTuple, Generic[T]):
    """How the search for a rung went with one question."""

    rung: Rung | None
    """The rung that the endpoint takes; None when it was stopped or broke."""
    asked: tuple[Asked[T], ...] = ()
    """All that was sent, refused forms among it; nothing when the store knows the answer from before."""
    broken: FatalError | None = None
    """Why no further request would be answered either."""

    @property
    def answered(self) -> bool:
        """Whether anything came back at all; else the rung is still a guess."""
        if not self.asked:
            return self.rung is not None
        said = self.asked[-1].said
        return said.usable or any(attempt.reply for attempt in said.attempts)


def climb(
    store: Store, model: Model, tries: Sequence[tuple[Rung, Question[T]]], retries: int, stop: threading.Event
) -> Climbed[T]:
    """Ask one question rung by rung until the endpoint takes it; a rung that the store knows is not asked again.

    Args:
        store: whose replies are the cache.
        model: the endpoint.
        tries: the question in the form of each rung, best first.
        retries: repeats of a failed request.
        stop: set from outside to end it.
    """
    with store.read() as connection:
        known = usable_replies(connection, [question.request.hash for _, question in tries])
    for rung, question in tries:
        if question.request.hash in known:
            return Climbed(rung)
    asked: list[Asked[T]] = []
    refused = "nothing was sent"
    for rung, question in tries:
        said = ask_once(model, question, SharedPause(), retries, stop)
        if said is None:
            return Climbed(None, tuple(asked))
        asked.append(Asked(question, said))
        if said.broken is None:
            return Climbed(rung, tuple(asked))
        if isinstance(said.broken, FatalError):
            return Climbed(None, tuple(asked), said.broken)
        refused = str(said.broken)
    names = ", ".join(rung for rung, _ in tries)
    error = FatalError(f"the endpoint takes none of {names}: {refused}", kind="unsupported")
    return Climbed(None, tuple(asked), error)


def settled(owner: int, asked: Sequence[Asked[T]]) -> list[Done[T]]:
    """What was sent, to be written: a form that was refused decides nothing, but it was sent."""
    return [
        Done(owner, question, None if said.broken else said.result, said.attempts, said.usable, asked=True)
        for question, said in asked
    ]
