"""The label page in a real browser: `judge ui` in a process of its own, pressed by keys."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from playwright.sync_api import Page, Request, expect, sync_playwright

from judge.store.database import Store
from judge.store.tables import labels
from judge.workflow.stores import open_store
from tests.annotator_ui.made import make_queue, plain_record
from tests.browser.chromium import ADVICE, find_chromium

pytestmark = pytest.mark.browser
STARTING_SECONDS = 60
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def chromium() -> str:
    """Where Chromium is; without it the tests fail, unless they are left out on purpose."""
    if os.environ.get("BROWSER") == "0":
        pytest.skip("BROWSER=0: THE REAL-BROWSER TESTS DID NOT RUN")
    path = find_chromium()
    if path is None:
        pytest.fail(ADVICE, pytrace=False)
    return path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(str(tmp_path / "judge.db"))
    make_queue(opened, tmp_path, [plain_record(i) for i in range(3)])
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


@pytest.fixture
def page(chromium: str) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser.new_page(viewport={"width": 1280, "height": 860})
        browser.close()


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
