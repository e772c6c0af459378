"""Label: one claim, its passages, one question at a time, one key each."""

import time

import streamlit as st

from annotator_ui import session
from annotator_ui.blocks import context_block, passages_block, question_block, rules_block, subject_block
from annotator_ui.marks import escape, plain
from annotator_ui.words import LANGUAGES, Words
from judge.domain.errors import JudgeError
from judge.domain.review import Outcome
from judge.domain.rubrics import Rubric
from judge.workflow.queueing import Task, my_queues, progress

CANT_TELL_KEY, SKIP_KEY, UNDO_KEY = "0", "s", "z"
MOST_KEYS = 9


def show() -> None:
    """The whole page."""
    words = session.words()
    name = session.person()
    try:
        queues = my_queues(session.store())
        with st.container(key="head", horizontal=True, vertical_alignment="center"):
            st.html('<span class="j-brand">judge</span>', width="content")
            queue = _queue(queues, words)
            _progress(queue, name, words)
            _who(name, words)
        if name is None:
            _ask_name(words)
        elif queue is None:
            st.info(words("no_queue"))
        else:
            _item(queue, name, words)
    except JudgeError as error:
        st.error(plain(words("failed", why=str(error))))


def _queue(queues: list[str], words: Words) -> str | None:
    if len(queues) < 2:
        return queues[0] if queues else None
    asked = st.query_params.get("queue")
    chosen = st.selectbox(
        words("queue"),
        queues,
        index=queues.index(asked) if asked in queues else 0,
        key="queue",
        label_visibility="collapsed",
        width=260,
    )
    st.query_params["queue"] = chosen
    return chosen


def _progress(queue: str | None, name: str | None, words: Words) -> None:
    parts = [] if queue is None else [escape(queue)]
    if queue is not None and name is not None:
        mine, left = progress(session.store(), queue, name)
        parts += [f"<b>{words('mine', n=mine)}</b>", words("left", n=left)]
    st.html(f'<div class="j-progress" role="status">{" · ".join(parts) or "&nbsp;"}</div>')


def _who(name: str | None, words: Words) -> None:
    if name is not None:
        st.button(plain(name), key="who", type="tertiary", help=words("not_you"), on_click=session.forget_person)
    st.segmented_control(
        words("language"),
        list(LANGUAGES),
        format_func=lambda lang: LANGUAGES[lang],
        key="lang",
        required=True,
        on_change=session.remember_language,
        label_visibility="collapsed",
    )


def _ask_name(words: Words) -> None:
    with st.form("who-form", width=420):
        st.text_input(words("who"), key="name", max_chars=80)
        st.caption(words("who_why"))
        st.form_submit_button(words("start"), type="primary", on_click=session.remember_person)
    _notice(words)


def _item(queue: str, name: str, words: Words) -> None:
    task = session.current(queue, name)
    if task is None:
        st.html(f'<div class="j-done"><h3>{words("done")}</h3><p>{words("done_why")}</p></div>')
        _after(queue, name, words)
        return
    rubric_id, rubric = next(iter(task.rubrics.items()))
    st.html(context_block(task, words))
    left, right = st.columns([11, 10], gap="medium")
    with left:
        with st.container(border=True, key="claim"):
            st.html(subject_block(task, words))
            _question(task, rubric_id, rubric, words)
        if rubric_id in task.earlier:
            earlier = task.earlier[rubric_id]
            what = title(rubric, earlier.outcome, earlier.label, words)
            st.html(f'<div class="j-saved" role="status">{escape(words("again", what=what))}</div>')
        _after(queue, name, words)
        rules = rules_block(rubric, words)
        if rules:
            st.html(rules)
    with right:
        passages = passages_block(task, rubric, words)
        if passages:
            st.html(passages)


def _question(task: Task, rubric_id: int, rubric: Rubric, words: Words) -> None:
    shown = session.view(task, rubric_id)
    st.html(question_block(rubric, task.asked - len(task.rubrics) + 1, task.asked, words))
    with st.container(key="scale", gap="xxsmall"):
        for number, label in enumerate(rubric.scale, 1):
            st.button(
                f"**{plain(words.of(label.title, label.name))}** {plain(words.of(label.meaning))}",
                key=f"label-{task.item_id}-{rubric_id}-{number}",
                shortcut=str(number) if number <= MOST_KEYS else None,
                width="stretch",
                wrap=True,
                on_click=session.press,
                args=(task, shown, Outcome.LABEL, label.name),
            )
    others = ((Outcome.CANT_TELL, "cant_tell", CANT_TELL_KEY), (Outcome.SKIP, "skip", SKIP_KEY))
    with st.container(key="others", horizontal=True, gap="small"):
        for outcome, text, key in others:
            st.button(
                words(text),
                key=f"{outcome.value}-{task.item_id}-{rubric_id}",
                shortcut=key,
                on_click=session.press,
                args=(task, shown, outcome, None),
            )
    st.text_area(words("comment"), key=session.comment_key(task, rubric_id), height=68, max_chars=5000)


def _after(queue: str, name: str, words: Words) -> None:
    """What became of the last press, and the way back."""
    last = session.last(queue)
    with st.container(key="after", horizontal=True, vertical_alignment="center"):
        if last is not None:
            saved = words("saved", time=time.strftime("%H:%M:%S", time.localtime(last.at)))
            st.html(f'<div class="j-saved" role="status">{saved} ✓</div>', width="content")
            what = title(last.rubric, last.outcome, last.label, words)
            st.button(
                plain(words("undo", what=what)),
                key="undo",
                type="tertiary",
                shortcut=UNDO_KEY,
                on_click=session.take_back,
                args=(queue, name),
            )
    _notice(words)


def _notice(words: Words) -> None:
    text = session.notice(words)
    if text:
        st.error(plain(text))


def title(rubric: Rubric, outcome: Outcome, label: str | None, words: Words) -> str:
    """What a person said, in their language."""
    if outcome is not Outcome.LABEL:
        return words("cant_tell" if outcome is Outcome.CANT_TELL else "skipped")
    titles = {one.name: words.of(one.title, one.name) for one in rubric.scale}
    return titles.get(label or "", label or "")


show()
