"""One narrow question with one scale."""

from functools import cached_property
from typing import Literal, Self

from pydantic import Field, model_validator

from judge.domain.base import Noun, content_hash
from judge.domain.claims import UnitKind

Language = Literal["en", "zh"]
Texts = dict[Language, str]
"""The same text by language; English is always there."""
Input = Literal["passages", "history", "question", "answer", "claim", "reference"]


class ScaleLabel(Noun):
    """One label of a scale, with its written meaning."""

    name: str
    """The word that is stored."""
    meaning: Texts
    """What it means, as judge and annotator read it."""
    title: Texts = Field(default_factory=dict)
    """What a button says; the name where absent."""
    synonyms: tuple[str, ...] = ()
    """Other spellings that a reply may use; matched whole, never by substring."""

    @property
    def words(self) -> tuple[str, ...]:
        """Its name and titles."""
        return (self.name, *self.title.values())


class Rubric(Noun):
    """ONE narrow question with ONE scale; its identity is the hash of its content."""

    name: str
    """Short name, such as ``support``."""
    version: int
    """Other words need another version."""
    unit: UnitKind
    """What is asked about."""
    question: Texts
    """The question to judge and annotator."""
    inputs: tuple[Input, ...] = ("passages", "question", "answer", "claim")
    """What the judge is shown, and so what may serve as evidence."""
    rules: Texts = Field(default_factory=dict)
    """Which inference is allowed, what counts and what does not."""
    scale: tuple[ScaleLabel, ...]
    """The labels; their order is the scale's order where ``ordered``."""
    ordered: bool = False
    """Whether the labels form an order."""
    passing: tuple[str, ...] = ()
    """Labels that pass; empty: not known, and only whole scales can be compared."""
    needs_quote: tuple[str, ...] = ()
    """Labels that must carry a verbatim quote from the passages."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = self.labels
        if len(names) < 1:
            raise ValueError("scale is empty; give at least two labels")
        spoken: dict[str, str] = {}
        for label in self.scale:
            for word in (*label.words, *label.synonyms):
                folded = fold_label(word)
                if spoken.setdefault(folded, label.name) != label.name:
                    raise ValueError(
                        f"{word!r} means both {spoken[folded]!r} and {label.name!r}; a word names one label"
                    )
        for field in ("passing", "needs_quote"):
            for name in getattr(self, field):
                if name not in names:
                    raise ValueError(f"{field} names {name!r}, which is no label of the scale ({', '.join(names)})")
        if "en" not in self.question:
            raise ValueError("question has no English text (en)")
        return self

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels' names in scale order."""
        return tuple(label.name for label in self.scale)

    @cached_property
    def hash(self) -> bytes:
        """Identity: 16 bytes over the whole content."""
        return content_hash(self)

    @cached_property
    def spellings(self) -> dict[str, str]:
        """Folded spelling -> label name, synonyms included."""
        return {fold_label(word): label.name for label in self.scale for word in (*label.words, *label.synonyms)}

    @cached_property
    def own_words(self) -> frozenset[str]:
        """Folded names and titles of the labels, without the synonyms."""
        return frozenset(fold_label(word) for label in self.scale for word in label.words)

    def read_label(self, word: str) -> str | None:
        """The label that ``word`` names after trimming and case folding, or None. Never by substring."""
        return self.spellings.get(fold_label(word))


def fold_label(word: str) -> str:
    """Trim white space and a final full stop, fold case, so that ``' SUPPORTED. '`` equals ``supported``."""
    return word.strip().rstrip(".。").strip().casefold()
