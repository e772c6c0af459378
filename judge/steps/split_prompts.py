"""What a model is sent to split an answer, and under which identity it splits."""

from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue

from judge.domain.answers import Answer, Citation
from judge.domain.base import content_hash
from judge.domain.claims import Source
from judge.domain.judging import Message, Prompt, Reply, Rung, Unscored
from judge.domain.rubrics import Language
from judge.steps.fences import fence_code, sendable
from judge.steps.requests import REPLY_SHOWN, language_of
from judge.steps.split_wordings import SPLIT_WORDINGS, SplitWording

TEMPLATE = "split-1"
"""Version of all that stands here and in ``split_wordings``; it enters the splitter's identity."""
CLAIM = "claim"
"""The kind of a statement of fact; the other kinds are the reasons of ``NotCheckable`` that a model may give."""
KINDS = (CLAIM, *(kind.value for kind in SPLIT_WORDINGS["en"].kinds))
SPEAKERS = ("user", "assistant", "system")


class Splitter(NamedTuple):
    """A model as a splitter; its identity is everything that can change what it says."""

    provider: str
    base_url: str
    model: str
    parameters: Mapping[str, JsonValue]
    rung: Rung
    reader: str
    """Version of the reply reader."""

    @property
    def identity(self) -> str:
        """Model, template version, and a hash of all."""
        return f"{self.model} {TEMPLATE} {content_hash([*self, TEMPLATE]).hex()}"


class Splittable(NamedTuple):
    """One text to split, with what its words lean on."""

    answer_id: int
    answer: Answer
    """With its question and history."""
    source: Source
    text: str
    """The answer's own text, or the reference of its question."""
    language: Language
    """Of the prompt."""

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Markers in the text; a reference has none."""
        return self.answer.citations if self.source == "answer" else ()


def splittable(answer_id: int, answer: Answer, source: Source) -> Splittable:
    """What is to be split of an answer; its language is that of the question and of the text itself."""
    text = (answer.text if source == "answer" else answer.query.reference) or ""
    return Splittable(answer_id, answer, source, text, language_of("auto", answer.model_copy(update={"text": text})))


def compose_split(asked: Splittable, rung: Rung, parameters: Mapping[str, JsonValue]) -> Prompt:
    """The Prompt that asks to split a text: instructions, history, question, and the text last.

    Equal texts give equal bytes: no clock, no random number, no database id.

    Args:
        asked: what is split.
        rung: how the JSON form is asked for.
        parameters: sampling parameters, sent as they are.
    """
    words = SPLIT_WORDINGS[asked.language]
    return Prompt(
        messages=(
            Message(role="system", content=_instructions(words)),
            Message(role="user", content=sendable(_material(asked, words))),
        ),
        json_schema=_schema() if rung == "json_schema" else None,
        rung=rung,
        parameters=dict(parameters),
    )


def repair_split(prompt: Prompt, reply: Reply, problem: Unscored, language: Language) -> Prompt:
    """One more turn: the unusable reply, then what was wrong with it."""
    words = SPLIT_WORDINGS[language]
    said = words.repair.format(problem=words.problems.get(problem, words.problems["unparseable"]))
    shown = sendable(reply.text.strip()[:REPLY_SHOWN]) or words.empty
    turns = (Message(role="assistant", content=shown), Message(role="user", content=said))
    return prompt.model_copy(update={"messages": prompt.messages + turns})


def _instructions(words: SplitWording) -> str:
    kinds = "\n".join(f"  - {kind.value}: {meaning}" for kind, meaning in words.kinds.items())
    form = words.form.format(kinds=", ".join(KINDS))
    rules = words.rules.format(kinds=f"  - {CLAIM}: {words.claim}\n{kinds}")
    return "\n\n".join([words.role, rules, words.fences, form])


def _material(asked: Splittable, words: SplitWording) -> str:
    query = asked.answer.query
    blocks = [
        *(("turn", f' role="{turn.role}"' if turn.role in SPEAKERS else "", turn.text) for turn in query.history),
        ("question", "", query.text),
        ("answer", "", asked.text),
    ]
    code = fence_code([text for _, _, text in blocks])
    fenced = [f"<{name}-{code}{head}>\n{text or words.empty}\n</{name}-{code}>" for name, head, text in blocks]
    ask = words.ask if asked.source == "answer" else words.ask_reference
    return "\n\n".join([words.code.format(code=code), *fenced, ask])


def _schema() -> dict[str, JsonValue]:
    """Strict JSON schema of the reply: the source before the kind, the kind before the wording."""
    text: JsonValue = {"type": "string"}
    quotes: JsonValue = {"type": "array", "items": text}
    entry = _object({"quotes": quotes, "kind": {"type": "string", "enum": list(KINDS)}, "text": text})
    return _object({"claims": {"type": "array", "items": entry}})


def _object(fields: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
