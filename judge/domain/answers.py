"""What was asked, what was retrieved, what was answered."""

from typing import Any

from pydantic import Field

from judge.domain.base import Noun, Span


class Turn(Noun):
    """One turn of the conversation before a question."""

    role: str
    """Who spoke: user, assistant, ..."""
    text: str
    """What was said."""


class Query(Noun):
    """A question with what belongs to it."""

    key: str
    """Stable id, given by the file or made from the content."""
    text: str
    """The question."""
    history: tuple[Turn, ...] = ()
    """The conversation before it."""
    reference: str | None = None
    """A reference answer."""
    evidence_sets: tuple[tuple[str, ...], ...] = ()
    """Alternative complete sets of gold evidence, as passage ids; one set is enough."""
    grades: dict[str, int] = Field(default_factory=dict)
    """Graded relevance judgements by passage id."""


class Passage(Noun):
    """One retrieved text; stored once by content hash."""

    key: str
    """Chunk id in its corpus."""
    text: str | None
    """The text; None where a licence forbids to keep it."""
    document: str | None = None
    """Document that it comes from."""
    page: str | None = None
    """Page in the document."""
    object: str | None = None
    """Table, row, cell or other object in the page."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    """Anything else about it."""


class Retrieved(Noun):
    """A Passage at its place in one Answer's ranking."""

    passage: Passage
    """What was retrieved."""
    rank: int
    """Place in the list, from 1."""
    score: float | None = None
    """The retriever's score; it orders one list and is no relevance."""


class Citation(Noun):
    """A marker in the answer and the passage that it points to."""

    span: Span
    """Where the marker stands in the answer."""
    passage: str
    """Key of the cited passage."""


class Answer(Noun):
    """One system's answer to one Query."""

    key: str
    """Stable id, given by the file or made from the content."""
    query: Query
    """What was asked."""
    text: str | None
    """What the system wrote; empty: state ``no_claims``; None: no answer was kept."""
    passages: tuple[Retrieved, ...] = ()
    """What was given to the generator, in rank order."""
    citations: tuple[Citation, ...] = ()
    """Markers in the answer."""
    system: str = "default"
    """Name of the configuration that answered."""
    config: dict[str, Any] = Field(default_factory=dict)
    """What the system's name stands for."""
    model: str | None = None
    """Model that generated the answer."""
    model_family: str | None = None
    """Its family, for self-preference warnings."""
    rankings: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Whole rankings by stage, as passage ids."""
    slices: dict[str, str] = Field(default_factory=dict)
    """Groups to report by, such as ``{"lang": "zh"}``."""
    latency_ms: float | None = None
    """How long the system took."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    """Anything else, reasoning traces among it; no judge or annotator sees it."""


class Dataset(Noun):
    """Answers imported together; a changed re-import is a new version."""

    id: int
    """Row id; a name or an id names it everywhere."""
    name: str
    """Given at import."""
    version: int
    """1, 2, ... under one name."""
    hash: bytes
    """Identity of the content."""
    corpus_version: str | None = None
    """Version of the indexed corpus."""
    top_k: int | None = None
    """Production's k."""
    answers: int = 0
    """How many answers it holds."""
