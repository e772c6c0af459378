"""What one browser session knows: who, which language, the item on the page, the last press."""

import os
import re
import secrets
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from annotator_ui.blocks import shown_order
from annotator_ui.words import LANGUAGES, Words
from judge.domain.errors import JudgeError
from judge.domain.review import Outcome
from judge.domain.rubrics import Language, Rubric
from judge.workflow.queueing import Press, Receipt, Task, answer, check_name, next_item, undo
from judge.workflow.stores import DEFAULT_URL, open_store

if TYPE_CHECKING:
    from judge.store.database import Store

IDLE_SECONDS = 600.0
"""Whoever took longer was away: the time is then unknown."""
READING_SECONDS = 0.6
"""Nobody has read a question sooner than this after it was shown, or after their last press."""


class View(NamedTuple):
    """One question of one item as this session shows it; its presses share the token."""

    item_id: int
    rubric_id: int
    token: bytes
    since: float
    """When it was shown, by ``now``."""


class Last(NamedTuple):
    """The last press that was stored."""

    queue: str
    rubric: Rubric
    outcome: Outcome
    label: str | None
    at: float


def store() -> "Store":
    """The database that the pages were started on."""
    return _opened(os.environ.get("JUDGE_DATABASE_URL", DEFAULT_URL))


@st.cache_resource(show_spinner=False)
def _opened(url: str) -> "Store":
    return open_store(url)


def words() -> Words:
    """The texts of the language chosen, which the address remembers."""
    if st.session_state.get("lang") not in LANGUAGES:
        st.session_state["lang"] = first_language(st.query_params.get("lang"), st.context.locale)
    return Words(st.session_state["lang"])


def first_language(asked: str | None, locale: str | None) -> Language:
    """The language that the address names, else the browser's, else English.

    Args:
        asked: from the address.
        locale: what the browser prefers, such as ``zh-CN``.
    """
    spoken = re.split("[-_]", locale or "")[0].lower()
    for wanted in (asked, spoken):
        for lang in LANGUAGES:
            if lang == wanted:
                return lang
    return "en"


def now() -> float:
    """Seconds of a clock that never goes back; a session may carry its own under ``clock``."""
    clock: Callable[[], float] = st.session_state.get("clock", time.monotonic)
    return clock()


def remember_language() -> None:
    """Put the language chosen into the address."""
    st.query_params["lang"] = st.session_state["lang"]


def person() -> str | None:
    """The annotator's name, which the address remembers; None before it is given."""
    try:
        return check_name(st.query_params.get("name", ""))
    except JudgeError:
        return None


def remember_person() -> None:
    """Put the name given into the address."""
    try:
        st.query_params["name"] = check_name(st.session_state["name"])
    except JudgeError as error:
        notify("failed", why=str(error))


def forget_person() -> None:
    """Ask for the name again."""
    st.query_params.pop("name", None)
    for key in ("reopened", "last", "notice"):
        st.session_state.pop(key, None)


def current(queue: str, name: str) -> Task | None:
    """The item to show: the one reopened, else the one held, else the next."""
    reopened: Task | None = st.session_state.get("reopened")
    if reopened is not None and (reopened.queue, reopened.annotator) == (queue, name):
        return reopened
    return next_item(store(), queue, name)


def view(task: Task, rubric_id: int) -> View:
    """This showing of a question; a new one once the question changes or is asked again."""
    seen: View | None = st.session_state.get("view")
    if seen is None or (seen.item_id, seen.rubric_id) != (task.item_id, rubric_id):
        seen = View(task.item_id, rubric_id, secrets.token_bytes(16), now())
        st.session_state["view"] = seen
    return seen


def comment_key(task: Task, rubric_id: int) -> str:
    """Key of the comment box of one question."""
    return f"comment-{task.item_id}-{rubric_id}"


def press(task: Task, shown: View, outcome: Outcome, label: str | None) -> None:
    """Store one press (a button's callback); what became of it is said on the page."""
    if _too_early(shown):
        # one more press on what is saved already needs no word
        if st.session_state.get("view") == shown:
            notify("early")
        return
    seconds = now() - shown.since
    given = Press(
        shown.rubric_id,
        outcome,
        label,
        shown.token,
        comment=(st.session_state.get(comment_key(task, shown.rubric_id)) or "").strip() or None,
        seconds=seconds if seconds < IDLE_SECONDS else None,
        details={"lang": st.session_state["lang"], "passages": shown_order(task)},
    )
    try:
        receipt = answer(store(), task, given)
    except JudgeError as error:
        notify("failed", why=str(error))
        return
    if receipt is Receipt.REPEATED:
        return
    if receipt is not Receipt.SAVED:
        st.session_state.pop("reopened", None)
        notify(receipt.value)
        return
    st.session_state.pop("notice", None)
    st.session_state.pop("view", None)
    st.session_state["last"] = Last(task.queue, task.rubrics[shown.rubric_id], outcome, label, time.time())
    _go_on(task, shown.rubric_id, outcome)


def _too_early(shown: View) -> bool:
    """Whether the question can't have been read: a key that is held down or hit in a row presses on what comes next."""
    at = now()
    pressed: float = st.session_state.get("pressed", shown.since)
    st.session_state["pressed"] = at
    return at - max(shown.since, pressed) < READING_SECONDS


def _go_on(task: Task, rubric_id: int, outcome: Outcome) -> None:
    """Keep a reopened item open until its last question is answered again."""
    reopened: Task | None = st.session_state.get("reopened")
    if reopened is None:
        return
    left = {other: rubric for other, rubric in task.rubrics.items() if other != rubric_id}
    st.session_state["reopened"] = task._replace(rubrics=left) if left and outcome is not Outcome.SKIP else None


def take_back(queue: str, name: str) -> None:
    """Reopen the last answer (a button's callback)."""
    try:
        task = undo(store(), queue, name)
    except JudgeError as error:
        notify("failed", why=str(error))
        return
    st.session_state.pop("last", None)
    st.session_state.pop("view", None)
    if task is None:
        notify("cant_undo")
        return
    st.session_state.pop("notice", None)
    st.session_state["reopened"] = task


def last(queue: str) -> Last | None:
    """The last press in this queue that can be undone here."""
    found: Last | None = st.session_state.get("last")
    return found if found is not None and found.queue == queue else None


def notify(key: str, **values: object) -> None:
    """Say something on the page until the next press."""
    st.session_state["notice"] = (key, values)


def notice(words: Words) -> str | None:
    """What is to be said."""
    found = st.session_state.get("notice")
    return words(found[0], **found[1]) if found else None
