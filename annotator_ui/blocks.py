"""The label page's texts as HTML: all that comes from data is escaped, nothing is fetched from outside."""

from collections.abc import Sequence

from annotator_ui.marks import Evidence, compare, escape, excerpt, marked, near, window
from annotator_ui.words import Words
from judge.domain.answers import Passage
from judge.domain.claims import UnitKind
from judge.domain.rubrics import Rubric
from judge.workflow.queueing import Task

ANSWER_SHOWN = 700
PASSAGE_SHOWN = 1200
OPEN_PASSAGES = 3


def context_block(task: Task, words: Words) -> str:
    """Question with its folded history, and the answer with the claim's place marked."""
    query = task.answer.query
    turns = "".join(f'<p dir="auto"><b>{escape(turn.role)}</b> {escape(turn.text)}</p>' for turn in query.history)
    history = f"<details><summary>{words('history')} ({len(query.history)})</summary>{turns}</details>" if turns else ""
    parts = [_row(words("question"), f'<div dir="auto" class="j-text">{escape(query.text)}</div>{history}')]
    if task.kind in (UnitKind.CLAIM, UnitKind.CITATION):
        parts.append(_row(words("answer"), _answer(task, words)))
    return f'<div class="j-context">{"".join(parts)}</div>'


def subject_block(task: Task, words: Words) -> str:
    """What is judged: the claim, else the answer or the passage."""
    if task.claim is not None:
        name, text = words("claim"), escape(task.claim.text)
    elif task.kind is UnitKind.PASSAGE:
        name, text = words("passage"), _text_of(task.passages, words)
    else:
        name, text = words("answer"), escape(task.answer.text or "") or _note(words("no_answer"))
    return f'<div class="j-name">{name}</div><div dir="auto" class="j-claim j-text">{text}</div>'


def question_block(rubric: Rubric, place: int, asked: int, words: Words) -> str:
    """The rubric's question, and which of how many it is."""
    count = f'<span class="j-count">{place}/{asked}</span>' if asked > 1 else ""
    return f'<div class="j-ask">{escape(words.of(rubric.question))}{count}</div>'


def rules_block(rubric: Rubric, words: Words) -> str:
    """The rubric's rules, folded; empty where it has none."""
    rules = words.of(rubric.rules)
    if not rules:
        return ""
    name = escape(f"{rubric.name} v{rubric.version}")
    text = escape(rules.strip())
    summary = f"<summary>{words('rules')} · {name}</summary>"
    return f'<details class="j-rules">{summary}<div class="j-text">{text}</div></details>'


def passages_block(task: Task, rubric: Rubric, words: Words) -> str:
    """The passages, those with most words of the claim first, the rest folded."""
    name = words("cited" if task.kind is UnitKind.CITATION else "passages")
    head = f'<div class="j-name">{name}</div>'
    if task.kind is UnitKind.PASSAGE:
        return ""
    if "passages" not in rubric.inputs:
        return head + _note(words("not_evidence"))
    if not task.passages:
        return head + _note(words("no_passages"))
    return head + "".join(_passage(passage, shared, i, words) for i, (passage, shared) in enumerate(_ranked(task)))


def shown_order(task: Task) -> list[str]:
    """Keys of the passages as ``passages_block`` orders them."""
    return [passage.key for passage, _ in _ranked(task)]


def _ranked(task: Task) -> list[tuple[Passage, Evidence]]:
    said = task.claim.text if task.claim else task.answer.text or ""
    found = [(passage, compare(passage.text or "", said)) for passage in task.passages]
    return sorted(found, key=lambda one: -one[1].overlap)


def _answer(task: Task, words: Words) -> str:
    text = task.answer.text
    if text is None:
        return _note(words("no_answer"))
    spans = task.claim.spans if task.claim else ()
    part = near(text, spans, ANSWER_SHOWN)
    short = f'<div dir="auto" class="j-text">{excerpt(text, spans, part, "j-place")}</div>'
    if part != (0, len(text)):
        short += _fold(words("whole", n=len(text)), marked(text, spans, "j-place"))
    return short + ("" if spans else _note(words("not_found")))


def _passage(passage: Passage, shared: Evidence, place: int, words: Words) -> str:
    is_open = place == 0 or (place < OPEN_PASSAGES and shared.overlap > 0)
    note = words("nothing_common") if not shared.spans else words("best") if place == 0 else ""
    page = words("page", page=passage.page) if passage.page else ""
    title = " · ".join(part for part in (passage.document or passage.key, page, passage.object) if part)
    head = f'<summary><bdi>{escape(title)}</bdi><span class="j-count">{note}</span></summary>'
    body = head + _passage_text(passage, shared, words)
    return f'<details class="j-passage"{" open" if is_open else ""}>{body}</details>'


def _passage_text(passage: Passage, shared: Evidence, words: Words) -> str:
    if passage.text is None:
        return _note(words("no_text"))
    part = window(len(passage.text), shared.spans, PASSAGE_SHOWN)
    text = f'<div dir="auto" class="j-text">{excerpt(passage.text, shared.spans, part, "j-shared")}</div>'
    if len(passage.text) > PASSAGE_SHOWN:
        text += _fold(words("whole", n=len(passage.text)), marked(passage.text, shared.spans, "j-shared"))
    return text


def _text_of(passages: Sequence[Passage], words: Words) -> str:
    texts = [escape(passage.text) for passage in passages if passage.text is not None]
    return "\n".join(texts) or _note(words("no_text"))


def _row(name: str, content: str) -> str:
    return f'<div class="j-row"><div class="j-name">{name}</div><div class="j-cell">{content}</div></div>'


def _fold(summary: str, content: str) -> str:
    return (
        f'<details class="j-whole"><summary>{summary}</summary><div dir="auto" class="j-text">{content}</div></details>'
    )


def _note(text: str) -> str:
    return f'<div class="j-note">{text}</div>'
