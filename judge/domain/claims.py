"""What answers say, cut into single statements, and the units that are judged."""

from enum import StrEnum
from typing import Literal

from judge.domain.base import Noun, Span


class NotCheckable(StrEnum):
    """Why a sentence makes no factual claim."""

    GREETING = "greeting"
    QUESTION = "question"
    HEDGE = "hedge"
    REFUSAL = "refusal"
    HEADING = "heading"
    INSTRUCTION = "instruction"
    META = "meta"
    CODE = "code"
    GIVEN = "given"
    """Marked so in an imported file."""


class Claim(Noun):
    """One factual statement of an Answer."""

    key: str
    """c1..cn in answer order, or the file's own id."""
    text: str
    """The statement, verbatim for a rule splitter."""
    spans: tuple[Span, ...] = ()
    """Where it comes from in the answer."""
    passages: tuple[str, ...] | None = None
    """Keys of the only passages it is to be judged by; None: all of the answer."""
    citations: tuple[str, ...] = ()
    """Keys of the passages cited beside it."""
    not_checkable: NotCheckable | None = None
    """Why nothing can be checked; None for a claim."""
    not_in_answer: bool = False
    """Whether a splitter gave it whose source stands nowhere in the answer: kept and counted, never judged."""

    @property
    def checkable(self) -> bool:
        """Whether it is judged."""
        return self.not_checkable is None and not self.not_in_answer


class Split(Noun):
    """One answer's split: its claims, and the text that none of them covers."""

    claims: tuple[Claim, ...]
    """In answer order, not checkable sentences among them."""
    uncovered: tuple[Span, ...] = ()
    """Spans of the answer inside no claim and no not-checkable sentence."""
    length: int = 0
    """Characters of the answer that are no white space."""
    covered: int = 0
    """Those of them inside claims or not-checkable sentences."""


Source = Literal["answer", "reference"]
"""What is split: what a system wrote, or the reference answer of its question."""


class ClaimSet(Noun):
    """The claims of a Dataset as one splitter, or one file, made them."""

    id: int
    """Row id."""
    dataset_id: int
    """Whose answers were split."""
    name: str
    """``rules``, ``file``, or the splitter's own name."""
    splitter: str
    """Identity of the splitter: name and version; ``file`` when imported."""
    source: Source = "answer"
    """Whose text the claims and their spans are of; only claims of answers are judged by a run."""


class UnitKind(StrEnum):
    """What a Rubric asks about."""

    CLAIM = "claim"
    CITATION = "citation"
    ANSWER = "answer"
    PASSAGE = "passage"


class Unit(Noun):
    """What is judged and labelled."""

    id: int
    """Row id."""
    kind: UnitKind
    """claim, citation (claim x cited passage), answer, passage (query x passage)."""
    key: str
    """Its name that survives databases: answer key, claim key, passage key; sampling draws by it."""
    answer_id: int
    """Its answer: the cluster of all figures (for a passage, the answer of the query that it came with)."""
    claim_set_id: int | None = None
    """Which claim set it belongs to; None for answers and passages."""


KEY_ESCAPES = (("%", "%25"), ("#", "%23"), ("@", "%40"))
"""How the separators of a unit's key are written inside its parts; the first comes first."""


def unit_key(kind: UnitKind, owner: str, claim: str | None, passage: str | None) -> str:
    """``answer``, ``answer#claim``, ``answer#claim@passage`` or ``query@passage``.

    A ``#`` or ``@`` in all but the last part is written %23 or %40 (and % as %25), so that no two units share a key.

    Args:
        kind: what the unit is.
        owner: key of the answer, or of the query for a passage.
        claim: key of the claim.
        passage: key of the passage.
    """
    key = _escaped(owner)
    if kind in (UnitKind.CLAIM, UnitKind.CITATION):
        key += f"#{_escaped(claim or '')}"
    return f"{key}@{passage}" if kind in (UnitKind.CITATION, UnitKind.PASSAGE) else key


def _escaped(part: str) -> str:
    for letter, code in KEY_ESCAPES:
        part = part.replace(letter, code)
    return part
