"""The first question of a command: which structured-output rung an endpoint takes."""

import threading
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from judge.domain.errors import FatalError, UnsupportedError
from judge.domain.judging import Model, Rung
from judge.engines.conversation import Conversation, Question
from judge.engines.local import ask_once
from judge.engines.pace import SharedPause
from judge.store.calls import usable_replies
from judge.store.database import Store

T = TypeVar("T")


class Climbed(NamedTuple, Generic[T]):
    """The rung that an endpoint takes."""

    rung: Rung
    question: Question[T]
    """The question in the form of this rung."""
    said: Conversation[T] | None
    """What was sent and came back; None: the store knows the answer from before, nothing was sent."""

    @property
    def answered(self) -> bool:
        """Whether anything came back at all; else the rung is still a guess."""
        return self.said is None or self.said.usable or any(attempt.reply for attempt in self.said.attempts)


def climb(
    store: Store, model: Model, tries: Sequence[tuple[Rung, Question[T]]], retries: int, stop: threading.Event
) -> Climbed[T] | None:
    """Ask one question rung by rung until the endpoint takes it; a rung that the store knows is not asked again.

    Args:
        store: whose replies are the cache.
        model: the endpoint.
        tries: the question in the form of each rung, best first.
        retries: repeats of a failed request.
        stop: set from outside to end it.

    Returns:
        The rung and what was sent; None when it was stopped.

    Raises:
        FatalError: the endpoint takes none of the rungs, or no request at all.
    """
    with store.read() as connection:
        known = usable_replies(connection, [question.request.hash for _, question in tries])
    for rung, question in tries:
        if question.request.hash in known:
            return Climbed(rung, question, None)
    refused = "nothing was sent"
    for rung, question in tries:
        said = ask_once(model, question, SharedPause(), retries, stop)
        if said is None:
            return None
        if said.broken is None:
            return Climbed(rung, question, said)
        if not isinstance(said.broken, UnsupportedError):
            raise said.broken
        refused = str(said.broken)
    names = ", ".join(rung for rung, _ in tries)
    raise FatalError(f"the endpoint takes none of {names}: {refused}", kind="unsupported")
