"""The report in a real browser, on a telephone."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from judge.report import to_html
from tests.report.report_sample import agreement, report, rubric

pytestmark = pytest.mark.browser
GAP = 8
"""Pixels between two texts on a line."""


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_on_a_telephone_no_name_meets_a_number(browser: Browser, tmp_path: Path, lang: str) -> None:
    names = ("sensetime", "a-very-long-system-name-of-somebody-v2.1", "某某公司检索增强问答系统第二版")
    slices = tuple(agreement(-0.5, 0.41, -0.08, 34, where={"system": name}) for name in names)
    (tmp_path / "report.html").write_text(to_html(report(rubric(agreement(), slices=slices)), lang), "utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto((tmp_path / "report.html").as_uri())
    rows = page.locator("figure tbody tr").all()
    assert len(rows) == 4
    for row in rows:
        texts = "e => { const r = document.createRange(); r.selectNodeContents(e); return r.getBoundingClientRect() }"
        cells = [row.locator(part).evaluate(texts) for part in ("th", "td:nth-child(3)", "td:nth-child(4)")]
        for i, one in enumerate(cells):
            assert one["right"] <= 390
            for other in cells[i + 1 :]:
                beside = one["right"] + GAP <= other["left"] or other["right"] + GAP <= one["left"]
                assert beside or one["bottom"] <= other["top"] + 1 or other["bottom"] <= one["top"] + 1
    assert page.evaluate("document.documentElement.scrollWidth") == 390
