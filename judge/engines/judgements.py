"""The question of judging: verdicts of the units that one Request asks about."""

from collections.abc import Sequence
from typing import NamedTuple

from judge.domain.judging import Prompt, Reply, Request, Unscored, Verdict
from judge.engines.conversation import Heard
from judge.steps.requests import repair
from judge.steps.verdicts import Reading, read_reply, unscored_all

Verdicts = tuple[Verdict, ...]


class Judgement(NamedTuple):
    """A Request, read as verdicts."""

    request: Request
    """What is sent."""

    def hear(self, replies: Sequence[Reply]) -> Heard[Verdicts]:
        """A unit's first label stands, later replies fill what is missing."""
        reading = read_reply(replies[0], self.request)
        for reply in replies[1:]:
            later = read_reply(reply, self.request)
            merged = tuple(
                old if old.label is not None or new.label is None else new
                for old, new in zip(reading.verdicts, later.verdicts, strict=True)
            )
            problem = later.problem if any(verdict.label is None for verdict in merged) else None
            reading = Reading(merged, problem)
        # a reply that decided a unit, or refused to, is not asked for again
        usable = any(one.label is not None or one.unscored is Unscored.REFUSED for one in reading.verdicts)
        return Heard(reading.verdicts, reading.problem, usable)

    def give_up(self, reason: Unscored, said: str | None) -> Verdicts:
        """Every unit unscored for this reason."""
        return unscored_all(self.request, reason, said)

    def repair(self, prompt: Prompt, reply: Reply, problem: Unscored) -> Prompt:
        """One more turn that shows what was wrong."""
        subject = self.request.prompt.subject
        return repair(prompt, reply, problem, subject.language if subject else "en")

    def tally(self, result: Verdicts) -> tuple[int, int]:
        """Units, and those without a label."""
        return len(result), sum(verdict.label is None for verdict in result)
