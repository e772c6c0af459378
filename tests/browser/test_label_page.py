"""The label page in a real browser: `judge ui` in a process of its own, pressed by keys."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from playwright.sync_api import Browser, Page, Request, expect

from judge.store.database import Store
from judge.store.tables import labels
from judge.workflow.stores import open_store
from tests.annotator_ui.made import make_queue, plain_record

pytestmark = pytest.mark.browser
STARTING_SECONDS = 60
Record = Callable[[int], dict[str, Any]]


BEFORE = "Our staff look at every single order with the greatest care before it leaves the house, as you may know. " * 4


def long_record(number: int) -> dict[str, Any]:
    """An answer whose claim comes late."""
    record = plain_record(number)
    claim = f"Part {number} costs {number + 3} euros including the packing."
    record["answer"] = f"{BEFORE}{claim} {BEFORE}"
    record["claims"] = [{"id": "c1", "text": claim, "spans": [[len(BEFORE), len(BEFORE) + len(claim)]]}]
    return record


@pytest.fixture
def record() -> Record:
    """Makes the answers of the queue."""
    return long_record


@pytest.fixture
def store(tmp_path: Path, record: Record) -> Iterator[Store]:
    opened = open_store(str(tmp_path / "judge.db"))
    make_queue(opened, tmp_path, [record(i) for i in range(3)])
    yield opened
    opened.close()


@pytest.fixture
def address(chromium: str, store: Store, tmp_path: Path) -> Iterator[str]:
    """Address of `judge ui` on the store."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "judge", "ui", "--db", str(tmp_path / "judge.db"), "--port", str(port)]
    with (tmp_path / "ui.log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        _wait(f"http://127.0.0.1:{port}/_stcore/health", server, tmp_path / "ui.log")
        yield f"http://127.0.0.1:{port}"
    finally:
        # its own session: the command and the page server that it started
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=20)


def _wait(url: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + STARTING_SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"`judge ui` did not come up:\n{log.read_text()}", pytrace=False)


def test_five_presses_in_a_row_and_a_key_held_down_make_one_label(page: Page, address: str, store: Store) -> None:
    page.goto(f"{address}/?name=Li")
    expect(page.locator(".j-ask")).to_contain_text("1/2", timeout=20_000)
    page.wait_for_timeout(1000)
    for _ in range(5):
        page.keyboard.press("1")
        page.wait_for_timeout(100)
    expect(page.locator(".j-ask")).to_contain_text("2/2")
    page.wait_for_timeout(1000)
    assert _kept(store) == ["supported"]

    # held down it begins to repeat after up to two seconds, which no time of reading can tell from a press
    for wait in (2000, 150, 150, 700, 700, 40, 40):
        page.keyboard.down("1")
        page.wait_for_timeout(wait)
    page.keyboard.up("1")
    page.wait_for_timeout(500)
    assert _kept(store) == ["supported", "relevant"]


LINES = "所有订单均需两人核对，核对之后由主管签字批准，并至少提前三天通知仓库备货，节假日顺延。"


def chinese_record(number: int) -> dict[str, Any]:
    """The same in Chinese."""
    claim = "滤芯建议每半年更换一次。"
    record = {**plain_record(number), "question": "滤芯多久更换一次？" * 6, "answer": f"{LINES * 4}{claim}{LINES}"}
    start = len(LINES) * 4
    return {**record, "claims": [{"id": "c1", "text": claim, "spans": [[start, start + len(claim)]]}]}


@pytest.mark.parametrize("record", [long_record, chinese_record])
def test_a_chinese_browser_gets_chinese_and_a_telephone_shows_the_claim_in_its_answer(
    browser: Browser, address: str
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844}, locale="zh-CN")
    page.goto(f"{address}/?name=Li")
    expect(page.locator(".j-ask")).to_contain_text("能否支持这条陈述", timeout=20_000)
    place, box = page.locator("mark.j-place").first.bounding_box(), page.locator(".j-context").bounding_box()
    assert place
    assert box
    assert box["y"] <= place["y"]
    assert place["y"] + place["height"] <= box["y"] + box["height"]


def _kept(store: Store) -> list[str]:
    with store.read() as connection:
        return list(connection.execute(sa.select(labels.c.label).order_by(labels.c.id)).scalars())


def test_one_claim_is_labelled_by_the_key_1(page: Page, address: str, store: Store) -> None:
    outside: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith((address, address.replace("http", "ws"), "data:", "blob:")):
            outside.append(request.url)

    page.on("request", note)
    page.goto(address)
    page.get_by_label("Your name").fill("Li")
    page.keyboard.press("Enter")
    expect(page.locator(".j-ask")).to_contain_text("1/2", timeout=20_000)
    expect(page.get_by_role("button", name="Supported The passages")).to_be_visible()

    # in the comment a key is a letter
    page.get_by_label("Comment").fill("")
    page.get_by_label("Comment").press_sequentially("12s0z")
    expect(page.locator(".j-ask")).to_contain_text("1/2")
    page.get_by_label("Comment").blur()
    page.wait_for_timeout(500)

    page.keyboard.press("1")
    expect(page.locator(".j-saved")).to_contain_text("Saved")
    expect(page.locator(".j-ask")).to_contain_text("2/2")
    with store.read() as connection:
        kept = connection.execute(sa.select(labels.c.label, labels.c.comment, labels.c.source)).all()
    assert [tuple(row) for row in kept] == [("supported", "12s0z", "ui")]
    assert outside == []
