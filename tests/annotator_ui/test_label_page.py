"""The label page on a real database, pressed by its buttons."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import streamlit as st
from streamlit.testing.v1 import AppTest

import annotator_ui
from annotator_ui.session import first_language
from judge.store.database import Store
from judge.store.tables import labels, queues
from judge.workflow.queueing import next_item
from judge.workflow.stores import open_store
from tests.annotator_ui.made import QUEUE, make_queue, plain_record

APP = Path(annotator_ui.__file__).with_name("streamlit_app.py")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    url = f"sqlite:///{tmp_path / 'judge.db'}"
    monkeypatch.setenv("JUDGE_DATABASE_URL", url)
    opened = open_store(url)
    yield opened
    opened.close()
    st.cache_resource.clear()


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def open_page(name: str | None = "Li", lang: str | None = "en") -> AppTest:
    page = AppTest.from_file(str(APP), default_timeout=20)
    page.session_state["clock"] = Clock()
    if lang:
        page.query_params["lang"] = lang
    if name:
        page.query_params["name"] = name
    return quiet(page.run())


def quiet(page: AppTest) -> AppTest:
    assert [one.value for one in page.exception] == []
    return page


def click(page: AppTest, pattern: str, *, after: float = 5.0) -> AppTest:
    """Press the one button of that key, so many seconds later."""
    page.session_state["clock"].at += after
    found = [button for button in page.button if re.fullmatch(pattern, button.key or "")]
    assert len(found) == 1, [button.key for button in page.button]
    return quiet(found[0].click().run())


def said(page: AppTest) -> str:
    return "\n".join(one.proto.body for one in page.get("html") if not one.proto.unsafe_allow_javascript)


def claim(page: AppTest) -> str:
    found = re.search(r'j-claim j-text">(.*?)</div>', said(page), re.DOTALL)
    return found[1] if found else ""


def kept(store: Store) -> list[Any]:
    with store.read() as connection:
        return list(connection.execute(sa.select(labels).order_by(labels.c.id)).all())


def test_a_person_gives_a_name_and_labels_two_claims(store: Store, tmp_path: Path) -> None:
    make_queue(store, tmp_path, [plain_record(i) for i in range(3)])
    page = open_page(name=None)
    page.text_input(key="name").set_value("  Li  Na ")
    page = quiet(page.button[0].click().run())
    assert page.query_params["name"] == "Li Na"
    first = claim(page)
    assert "<b>0 mine</b> · 3 left" in said(page)
    assert "Do the passages, on their own, support the claim?" in said(page)
    page.text_area[0].set_value("as the list says")
    click(page, r"label-\d+-\d+-1")
    assert claim(page) == first
    assert "Does the claim help to answer the question?" in said(page)
    assert "Saved" in said(page)
    click(page, r"label-\d+-\d+-2")
    assert claim(page) != first
    click(page, r"cant_tell-.*")
    click(page, r"label-\d+-\d+-1")
    assert "<b>2 mine</b> · 1 left" in said(page)
    rows = kept(store)
    assert [(row.outcome, row.label) for row in rows] == [
        ("label", "supported"),
        ("label", "irrelevant"),
        ("cant_tell", None),
        ("label", "relevant"),
    ]
    assert [row.comment for row in rows] == ["as the list says", None, None, None]
    assert {row.source for row in rows} == {"ui"}
    assert all(0 <= row.seconds < 60 for row in rows)


def test_what_nobody_can_have_read_is_not_labelled(store: Store, tmp_path: Path) -> None:
    make_queue(store, tmp_path, [plain_record(i) for i in range(3)])
    page = open_page()
    first = claim(page)
    for _ in range(5):
        click(page, r"label-\d+-\d+-1", after=0.04)
    assert kept(store) == []
    assert "too quick" in page.error[0].value
    assert claim(page) == first
    click(page, r"label-\d+-\d+-1", after=0.61)
    assert [row.label for row in kept(store)] == ["supported"]
    assert not page.error
    for pattern in (r"label-\d+-\d+-1", r"cant_tell-.*", r"skip-.*"):
        click(page, pattern, after=0.59)
    assert len(kept(store)) == 1
    assert claim(page) == first
    click(page, r"label-\d+-\d+-1", after=0.6 + 1e-6)
    assert [row.label for row in kept(store)] == ["supported", "relevant"]
    assert claim(page) != first


def test_a_key_held_down_never_labels_what_comes_next(store: Store, tmp_path: Path) -> None:
    make_queue(store, tmp_path, [plain_record(i) for i in range(2)])
    page = open_page()
    click(page, r"label-\d+-\d+-1")
    for _ in range(20):
        click(page, r"label-\d+-\d+-1", after=0.25)
    assert len(kept(store)) == 1


@pytest.mark.parametrize(
    ("asked", "locale", "lang"),
    [
        (None, "zh-CN", "zh"),
        (None, "zh_Hans", "zh"),
        (None, "de-DE", "en"),
        (None, None, "en"),
        ("en", "zh-CN", "en"),
        ("zh", "en-GB", "zh"),
        ("<b>", "zh", "zh"),
    ],
)
def test_the_language_chosen_else_the_browsers_else_english(asked: str | None, locale: str | None, lang: str) -> None:
    assert first_language(asked, locale) == lang


def test_skip_goes_to_the_next_claim_and_undo_brings_it_back(store: Store, tmp_path: Path) -> None:
    make_queue(store, tmp_path, [plain_record(i) for i in range(2)])
    page = open_page()
    first = claim(page)
    click(page, r"skip-.*")
    assert claim(page) != first
    click(page, "undo")
    assert claim(page) == first
    assert "You are changing your answer “Skip”." in said(page)
    click(page, r"label-\d+-\d+-2")
    click(page, r"label-\d+-\d+-1")
    assert claim(page) != first
    assert [(row.outcome, row.label) for row in kept(store)] == [
        ("skip", None),
        ("skip", None),
        ("label", "contradicted"),
        ("label", "relevant"),
    ]


def test_undo_of_a_label_supersedes_it(store: Store, tmp_path: Path) -> None:
    make_queue(store, tmp_path, [plain_record(1)], rubrics=("support",))
    page = open_page()
    click(page, r"label-\d+-\d+-1")
    assert "Nothing left for you." in said(page)
    click(page, "undo")
    click(page, r"label-\d+-\d+-3")
    rows = kept(store)
    assert [row.label for row in rows] == ["supported", "not_enough_info"]
    assert rows[1].supersedes_id == rows[0].id
    assert "Nothing left for you." in said(page)


def test_chinese(store: Store, tmp_path: Path) -> None:
    make_queue(store, tmp_path, [plain_record(1)])
    page = open_page(lang="zh")
    assert "仅凭所给资料，能否支持这条陈述？" in said(page)
    assert any(button.label.startswith("**有依据**") for button in page.button)
    click(page, r"label-\d+-\d+-1")
    assert "已保存" in said(page)
    switch = page.get("button_group")[0]
    quiet(switch.set_value("en").run())
    assert page.query_params["lang"] == "en"
    assert "Does the claim help" in said(page)


def test_an_item_that_someone_else_took_is_not_overwritten(store: Store, tmp_path: Path) -> None:
    make_queue(store, tmp_path, [plain_record(1)], lease=0.0)
    page = open_page()
    with store.write() as connection:
        connection.execute(queues.update().values(lease_seconds=1800.0))
    assert next_item(store, QUEUE, "Anna") is not None
    click(page, r"label-\d+-\d+-1")
    assert "someone else has it" in page.error[0].value
    assert kept(store) == []


def test_a_second_tab_is_told(store: Store, tmp_path: Path) -> None:
    make_queue(store, tmp_path, [plain_record(1)])
    one, two = open_page(), open_page()
    click(one, r"label-\d+-\d+-1")
    click(two, r"label-\d+-\d+-2")
    assert "another tab" in two.error[0].value
    assert [row.label for row in kept(store)] == ["supported"]
    assert "Does the claim help" in said(two)


HOSTILE = "<script>alert(1)</script> <img src=x onerror=alert(1)> **b** ![i](https://example.org/i.png) $x$ \u202eRTL"


def test_hostile_text_is_text(store: Store, tmp_path: Path) -> None:
    record = {
        "answer_id": "a1",
        "question": HOSTILE,
        "history": [{"role": HOSTILE, "text": HOSTILE}],
        "answer": HOSTILE,
        "passages": [
            {"id": "p1", "text": HOSTILE, "document": HOSTILE, "page": HOSTILE, "object": HOSTILE},
            {"id": "p2", "text": f"{HOSTILE} " * 60},
            {"id": "p3", "text": None},
        ],
        "claims": [{"id": "c1", "text": HOSTILE, "spans": [[0, len(HOSTILE)]]}],
    }
    make_queue(store, tmp_path, [record])
    page = open_page(name="<b>**Li**</b>")
    shown = said(page)
    assert shown.count("&lt;script&gt;") >= 8
    assert "<script" not in shown
    assert "<img" not in shown
    assert "\u202e" not in shown
    assert page.button(key="who").label == r"\<b\>\*\*Li\*\*\<\/b\>"
    assert len(page.markdown) == 0
    scripts = [one.proto.body for one in page.get("html") if one.proto.unsafe_allow_javascript]
    assert scripts == [APP.with_name("keys.html").read_text("utf-8")]
    click(page, r"label-\d+-\d+-1")
    assert [row.label for row in kept(store)] == ["supported"]


def test_what_is_missing_is_said(store: Store, tmp_path: Path) -> None:
    record = {"answer_id": "a", "question": "q", "answer": "Some words.", "passages": []}
    record["claims"] = [{"id": "c1", "text": "Other words.", "spans": []}]
    make_queue(store, tmp_path, [record])
    shown = said(open_page())
    assert "There are no passages." in shown
    assert "does not stand word for word" in shown


def test_an_empty_database_says_what_to_do(store: Store) -> None:
    assert store.url
    assert "judge sample" in open_page().info[0].value
