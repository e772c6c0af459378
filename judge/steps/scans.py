"""What a first reading of a file finds: every problem, the rubric names, and the plan of the second reading."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, cast

from judge.domain.errors import InputError
from judge.steps.answers import Record, checked_record, parse_record
from judge.steps.bindings import Used, Words, collect_names
from judge.steps.records import Line
from judge.steps.repeats import Plan, Repeats
from judge.steps.rows import AnswerRow

EVERY = 1000
"""Rows between two words of progress."""
Tell = Callable[[int], None]


class Placed(NamedTuple):
    """A good record at its place in the plan."""

    place: int
    record: Record


class Scan(NamedTuple):
    """What a file holds."""

    plan: Plan
    names: dict[Used, Words]
    """Labels by rubric name and unit."""
    judges: dict[str, list[Used]]
    """Rubric names by judge."""
    labelled: list[Used]
    """Rubric names that people answered."""
    claims: bool
    """Whether any record has claims of its own."""
    corpus_version: str | None
    top_k: int | None
    reasoning: int
    """Rows whose reasoning trace was moved to the metadata."""
    nul: int
    """Rows in which U+FFFD stands for U+0000."""
    rejected: int
    """Bad rows."""
    problems: tuple[InputError, ...]
    """The first of them."""

    @property
    def good(self) -> int:
        """Rows to import."""
        return int((~self.plan.bad).sum())


def scan_file(
    lines: Iterable[Line], where: str, *, corpus_version: str | None, top_k: int | None, most: int, tell: Tell
) -> Scan:
    """Read a file once and check all of it.

    Args:
        lines: its native records, one by one.
        where: its name in messages.
        corpus_version: given as an option; None: the rows say it, all the same.
        top_k: likewise.
        most: how many problems to word.
        tell: told how many rows were read.

    Raises:
        InputError: the file as a whole can't be read.
    """
    scanner = _Scanner(where, corpus_version, top_k, most)
    done = 0
    for done, line in enumerate(lines, 1):
        scanner.take(line)
        if done % EVERY == 0:
            tell(done)
    tell(done)
    return scanner.result()


def read_planned(source: Iterable[Line], where: str, plan: Plan) -> Iterator[Placed]:
    """Read the good rows of a file that was scanned, and check nothing but that they are the same.

    Raises:
        InputError: the file is another one than before.
    """
    lines = iter(source)
    # the arrays are walked, not made lists: a million Python integers are 32 MB
    for place, (number, check, bad) in enumerate(zip(plan.lines, plan.checks, plan.bad, strict=True)):
        line = next((line for line in lines if line.number == number and line.problem is None), None)
        if line is None or line.check != check:
            raise InputError(f"{where}:{number}", "the file changed while it was read", advice="import it again")
        if not bad:
            yield Placed(place, checked_record(cast(AnswerRow, line.row)))


class _Scanner:
    def __init__(self, where: str, corpus_version: str | None, top_k: int | None, most: int) -> None:
        self.where, self.most = where, most
        self.repeats = Repeats(where)
        self.names: dict[Used, Words] = {}
        self.judges: dict[str, dict[Used, None]] = {}
        self.labelled: dict[Used, None] = {}
        self.once: dict[str, tuple[Any, str]] = {
            key: (value, "the option")
            for key, value in (("corpus_version", corpus_version), ("top_k", top_k))
            if value is not None
        }
        self.claims, self.reasoning, self.nul, self.unreadable = False, 0, 0, 0
        self.problems: list[InputError] = []

    def take(self, line: Line) -> None:
        """Take in one row, good or bad."""
        try:
            if line.problem is not None:
                raise line.problem
            record = parse_record(line.row, f"{self.where}:{line.number}")
            self._check_once("corpus_version", record.corpus_version, line.number)
            self._check_once("top_k", record.top_k, line.number)
            collect_names(self.names, record, f"{self.where}:{line.number}")
            self.repeats.add(line, record)
        except InputError as error:
            self.unreadable += 1
            if len(self.problems) < self.most:
                self.problems.append(error)
            return
        self._count(line, record)

    def _count(self, line: Line, record: Record) -> None:
        for verdict in record.verdicts:
            self.judges.setdefault(verdict.judge, {})[verdict.rubric, verdict.of.kind] = None
        for label in record.labels:
            self.labelled[label.rubric, label.of.kind] = None
        self.claims = self.claims or record.has_claims
        self.reasoning += record.reasoning
        self.nul += line.nul

    def _check_once(self, key: str, value: Any, line: int) -> None:
        if value is None:
            return
        first, source = self.once.setdefault(key, (value, f"line {line}"))
        if value != first:
            raise InputError(
                f"{self.where}:{line}", f"`{key}` is {value!r}", f"{first!r} as in {source}", "one for a whole file"
            )

    def result(self) -> Scan:
        """All that was found."""
        plan = self.repeats.plan(self.most)
        problems = sorted([*self.problems, *plan.problems], key=lambda error: int(error.where.rpartition(":")[2]))
        return Scan(
            plan=plan,
            names=self.names,
            judges={judge: list(used) for judge, used in self.judges.items()},
            labelled=list(self.labelled),
            claims=self.claims,
            corpus_version=self.once.get("corpus_version", (None, ""))[0],
            top_k=self.once.get("top_k", (None, ""))[0],
            reasoning=self.reasoning,
            nul=self.nul,
            rejected=self.unreadable + int(plan.bad.sum()),
            problems=tuple(problems[: self.most]),
        )
