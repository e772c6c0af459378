import re

import pytest

from judge.report import agreement_markdown, to_markdown
from judge.report.markdown import escape
from tests.report.report_sample import AUTHOR, agreement, report, rubric
from tests.report.test_report_html import HOSTILE, hostile_report


def test_it_says_the_decision_the_figures_and_where_they_part():
    text = to_markdown(report(), "en")
    assert text.startswith("# Judge report: support-desk · qwen-plus\n")
    assert (
        "**Trusted. Of 100 claims it passes, people reject 6 (3–12); of 100 they reject, it catches 86 (76–93).**"
        in text
    )
    assert "| Cohen's kappa | 0.72 | 0.65–0.79 | 200 |  |" in text
    assert "not checked by people" in text
    assert "fewer than 30 labels" in text
    assert "**可信。" in to_markdown(report(), "zh")


@pytest.mark.parametrize("text", [to_markdown(report(), "en"), to_markdown(hostile_report(), "en")])
def test_all_rows_of_a_table_have_as_many_cells(text):
    width = 0
    for line in text.splitlines():
        if line.startswith("|"):
            cells = len(re.findall(r"(?<!\\)\|", line))
            assert cells == (width or cells)
            width = cells
        else:
            width = 0


def test_data_begins_no_markup():
    text = to_markdown(hostile_report(), "en")
    assert "<script" not in text
    assert "<img" not in text
    assert not re.search(r"(?<!\\)`", text)
    assert not re.search(r"(?<!\\)\[", text)
    assert "://" not in text
    assert len(text) < 100_000


def test_escape():
    assert escape("a|b`c`*d*_e_<f>&") == r"a\|b\`c\`\*d\*\_e\_&lt;f&gt;&amp;"
    assert escape("@ann #12 http://x www.x $y$") == (
        "@<!-- -->ann #<!-- -->12 http:<!-- -->//x www<!-- -->.x <span>$</span>y<span>$</span>"
    )
    assert "\n" not in escape(HOSTILE)


def test_an_agreement_alone():
    text = agreement_markdown(agreement(notes=(AUTHOR,)), "en")
    assert text.startswith("### support · qwen-plus · all\n")
    assert "| Cohen's kappa | 0.72 | 0.65–0.79 | 200 |  |" in text
    assert f"> {AUTHOR.text}" in text
    assert "| supported | 118 94 | 3 2 | 7 5 | 128 |" in text
    assert "标注者" in agreement_markdown(agreement(), "zh")


def test_the_same_report_gives_the_same_text():
    assert to_markdown(report(rubric(agreement())), "zh") == to_markdown(report(rubric(agreement())), "zh")
