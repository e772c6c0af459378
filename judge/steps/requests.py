"""What a Model is sent: Subjects from answers and claims, Prompts from Subjects."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pydantic import JsonValue

from judge.domain.answers import Answer
from judge.domain.base import Span
from judge.domain.claims import Claim, UnitKind
from judge.domain.errors import UsageError
from judge.domain.judging import Message, Per, Prompt, Reply, Rung, Subject, Unscored
from judge.domain.rubrics import Language, Rubric, Texts
from judge.steps.fences import fence_code, sendable
from judge.steps.wordings import WORDINGS, Wording

TEMPLATE = "judge-1"
"""Version of all that stands in ``compose`` and ``wordings``; it enters the Judge's identity."""

CONTEXT = 160
"""Characters of the answer shown on either side of a claim."""
REPLY_SHOWN = 4000
"""Characters of an unusable reply shown back in the repair turn."""
CAPS = ("max_tokens", "max_completion_tokens")

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_OTHER_WORDS = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u058f]+|[\u3040-\u30ff\uac00-\ud7af]")


def language_of(setting: Literal["auto", "en", "zh"], answer: Answer) -> Language:
    """The prompt's language: as set, else Chinese where at least half of the words of question and answer are Chinese.

    A Chinese character counts as a word, like a word of Latin, Greek or Cyrillic letters, a kana or a hangul syllable.
    """
    if setting != "auto":
        return setting
    text = f"{answer.query.text}\n{answer.text or ''}"
    han, other = len(_HAN.findall(text)), len(_OTHER_WORDS.findall(text))
    return "zh" if han and han >= other else "en"


def subjects(
    answer: Answer, claims: Sequence[Claim], rubric: Rubric, per: Per, language: Language
) -> tuple[Subject, ...]:
    """What has to be asked about one answer.

    The checkable claims are c1..cn in the order given. ``per`` claim: one Subject a claim, which keeps its number.
    ``per`` answer: one Subject with all claims; claims bound to passages of their own are asked with those passages
    only, so each group with the same passages is a Subject. A rubric about answers gives one Subject without claims.

    Args:
        answer: with its query and passages.
        claims: of one claim set, in answer order; those that are not checkable are left out.
        rubric: its unit must be claim or answer.
        per: one call per claim, or per answer.
        language: of the prompts.

    Raises:
        UsageError: the rubric asks about citations or passages.
    """
    if rubric.unit is UnitKind.ANSWER:
        return (Subject(answer=answer, rubric=rubric, language=language),)
    if rubric.unit is not UnitKind.CLAIM:
        raise UsageError(f"rubric {rubric.name!r} asks about a {rubric.unit}; claims and answers can be judged")
    numbered = [
        claim.model_copy(update={"key": f"c{number}"})
        for number, claim in enumerate((claim for claim in claims if claim.checkable), start=1)
    ]
    groups = [[claim] for claim in numbered] if per == "claim" else _by_passages(numbered, rubric)
    return tuple(
        Subject(answer=_bound(answer, group[0], rubric), claims=tuple(group), rubric=rubric, language=language)
        for group in groups
    )


def positions(subject: Subject) -> tuple[int, ...]:
    """Places of the Subject's claims among the checkable claims of its answer, from 0."""
    return tuple(int(claim.key[1:]) - 1 for claim in subject.claims)


def unanswerable(subject: Subject) -> Unscored | None:
    """Why nothing needs to be sent: the rubric shows passages and none with text is there."""
    if "passages" in subject.rubric.inputs and not _texts(subject.answer):
        return Unscored.NO_PASSAGES
    return None


def compose(subject: Subject, rung: Rung, parameters: Mapping[str, JsonValue]) -> Prompt:
    """The Prompt of a Subject: rubric, passages, history, question, answer, and the claim last.

    Everything before the claim is the same for all claims of one answer and rubric, so that a provider's prefix cache
    hits. Only inputs that the rubric names are shown. Equal subjects give equal bytes: no clock, no random number, no
    database id.

    Args:
        subject: what is asked.
        rung: how the JSON form is asked for.
        parameters: sampling parameters, sent as they are.
    """
    words = WORDINGS[subject.language]
    user = sendable(_material(subject, words))
    return Prompt(
        messages=(
            Message(role="system", content=sendable(_instructions(subject, rung, words))),
            Message(role="user", content=user),
        ),
        json_schema=_schema(subject) if rung == "json_schema" else None,
        rung=rung,
        parameters=dict(parameters),
        subject=subject,
    )


def repair(prompt: Prompt, reply: Reply, problem: Unscored, language: Language) -> Prompt:
    """One more turn: the unusable reply, then what was wrong with it and what is expected."""
    words = WORDINGS[language]
    labels = ", ".join(prompt.subject.rubric.labels) if prompt.subject else ""
    text = words.repair.format(
        problem=words.problems.get(problem, words.problems["unparseable"]),
        expected=words.expected.format(labels=labels) if labels else "",
    )
    shown = sendable(reply.text.strip()[:REPLY_SHOWN]) or words.empty
    turns = (Message(role="assistant", content=shown), Message(role="user", content=text))
    return prompt.model_copy(update={"messages": prompt.messages + turns})


def larger_cap(prompt: Prompt) -> Prompt | None:
    """The same Prompt with its reply cap doubled; None where no cap was set, for then there is nothing to raise."""
    raised = {
        name: value * 2
        for name in CAPS
        if isinstance(value := prompt.parameters.get(name), int) and not isinstance(value, bool) and value > 0
    }
    return prompt.model_copy(update={"parameters": {**prompt.parameters, **raised}}) if raised else None


def _by_passages(claims: Iterable[Claim], rubric: Rubric) -> list[list[Claim]]:
    groups: dict[tuple[str, ...] | None, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(claim.passages if "passages" in rubric.inputs else None, []).append(claim)
    return list(groups.values())


def _bound(answer: Answer, claim: Claim, rubric: Rubric) -> Answer:
    if claim.passages is None or "passages" not in rubric.inputs:
        return answer
    kept = tuple(item for item in answer.passages if item.passage.key in claim.passages)
    return answer.model_copy(update={"passages": kept})


def _texts(answer: Answer) -> list[tuple[str, str]]:
    """Text and document of the passages that have a text, in rank order."""
    return [
        (item.passage.text, item.passage.document or "")
        for item in answer.passages
        if item.passage.text and not item.passage.text.isspace()
    ]


def _in(texts: Texts, language: Language) -> str:
    return (texts.get(language) or texts.get("en") or "").strip()


def _instructions(subject: Subject, rung: Rung, words: Wording) -> str:
    rubric, language = subject.rubric, subject.language
    meanings = "\n".join(f"- {label.name}: {_in(label.meaning, language)}" for label in rubric.scale)
    parts = [words.role, words.question.format(question=_in(rubric.question, language))]
    if rules := _in(rubric.rules, language):
        parts.append(words.rules.format(rules=rules))
    parts += [words.scale.format(labels=meanings), words.fences, _form(subject, words)]
    if rung == "text" and len(subject.claims) < 2:
        parts.append(words.fallback)
    return "\n\n".join(parts)


def _form(subject: Subject, words: Wording) -> str:
    rubric, many = subject.rubric, len(subject.claims) > 1
    lines = [words.reply_many if many else words.reply_one]
    if many:
        lines.append(words.claim_id)
    lines.append(words.rationale)
    if rubric.needs_quote:
        lines.append(words.quote.format(labels=", ".join(rubric.needs_quote)))
    lines += [words.label.format(labels=", ".join(rubric.labels)), words.confidence, words.shape]
    return "\n".join(lines)


def _schema(subject: Subject) -> dict[str, JsonValue]:
    """Strict JSON schema of the reply: reasons before the label, the enum is the scale."""
    many = len(subject.claims) > 1
    fields: dict[str, JsonValue] = {}
    if many:
        fields["claim_id"] = {"type": "string", "enum": [claim.key for claim in subject.claims]}
    fields["rationale"] = {"type": "string"}
    if subject.rubric.needs_quote:
        fields["quote"] = {"type": "string"}
    fields["label"] = {"type": "string", "enum": list(subject.rubric.labels)}
    fields["confidence"] = {"type": "number"}
    return _object({"verdicts": {"type": "array", "items": _object(fields)}} if many else fields)


def _object(fields: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _material(subject: Subject, words: Wording) -> str:
    """The user's message: fenced passages, history, question, answer, then what is to be judged."""
    blocks = _shared_blocks(subject, words)
    asked = "\n".join(claim.text for claim in subject.claims)
    code = fence_code([f"{name}\x1f{head}\x1f{text}" for name, head, text in blocks], asked)
    lines = [words.code.format(code=code)]
    for name, head, text in blocks:
        lines.append(f"<{name}-{code}{head}>\n{text or words.empty}\n</{name}-{code}>")
    lines += _asked(subject, code, words)
    return "\n\n".join(lines)


def _shared_blocks(subject: Subject, words: Wording) -> list[tuple[str, str, str]]:
    """(name, attributes, text) of what the rubric shows besides the claim."""
    answer, inputs = subject.answer, subject.rubric.inputs
    blocks: list[tuple[str, str, str]] = []
    if "passages" in inputs:
        for number, (text, document) in enumerate(_texts(answer), start=1):
            source = " ".join(document.split())[:200]
            head = f"{words.document.format(document=source)}\n\n" if source else ""
            blocks.append(("passage", f' n="{number}"', head + text))
    if "history" in inputs:
        for turn in answer.query.history:
            role = turn.role if turn.role in ("user", "assistant", "system") else words.turn
            blocks.append(("turn", f' role="{role}"', turn.text))
    if "question" in inputs:
        blocks.append(("question", "", answer.query.text))
    if "reference" in inputs:
        blocks.append(("reference", "", answer.query.reference or ""))
    if "answer" in inputs:
        blocks.append(("answer", "", answer.text or ""))
    return blocks


def _asked(subject: Subject, code: str, words: Wording) -> list[str]:
    if not subject.claims:
        return [words.ask_answer]
    claims = "\n".join(f'<claim-{code} id="{c.key}">\n{c.text}\n</claim-{code}>' for c in subject.claims)
    if len(subject.claims) > 1:
        return [words.ask_claims, claims]
    marked = _marked(subject, code) if "answer" in subject.rubric.inputs else ""
    place = [words.context, f"<place-{code}>\n{marked}\n</place-{code}>"] if marked else []
    return [*place, words.ask_claim, claims]


def _marked(subject: Subject, code: str) -> str:
    """The surroundings of the claim in the answer, its spans tagged; empty where no span is known."""
    text, claim = subject.answer.text or "", subject.claims[0]
    spans = [(start, end) for start, end in sorted(claim.spans) if 0 <= start < end <= len(text)]
    pieces: list[str] = []
    for low, high in _windows(spans, len(text)):
        piece, at = "", low
        for start, end in spans:
            if start >= at and end <= high:
                piece += f"{text[at:start]}<this-{code}>{text[start:end]}</this-{code}>"
                at = end
        pieces.append(("…" if low else "") + piece + text[at:high] + ("…" if high < len(text) else ""))
    return "\n".join(pieces)


def _windows(spans: Iterable[Span], length: int) -> list[Span]:
    windows: list[Span] = []
    for start, end in spans:
        low, high = max(0, start - CONTEXT), min(length, end + CONTEXT)
        if windows and low <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(high, windows[-1][1]))
        else:
            windows.append((low, high))
    return windows
