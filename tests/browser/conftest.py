"""Chromium for the browser tests."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import ADVICE, find_chromium

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where Chromium is; without it the tests fail, unless they are left out on purpose."""
    if os.environ.get("BROWSER") == "0":
        pytest.skip("BROWSER=0: THE REAL-BROWSER TESTS DID NOT RUN")
    path = find_chromium()
    if path is None:
        pytest.fail(ADVICE, pytrace=False)
    return path


@pytest.fixture
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser) -> Page:
    return browser.new_page(viewport={"width": 1280, "height": 860})
