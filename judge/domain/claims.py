"""What answers say, cut into single statements, and the units that are judged."""

from enum import StrEnum

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

    @property
    def checkable(self) -> bool:
        """Whether it is judged."""
        return self.not_checkable is None


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
