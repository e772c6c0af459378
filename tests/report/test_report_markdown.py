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


def test_what_names_a_version_or_a_mailbox_reads_as_it_stands():
    assert escape("demo@1 · li@example.com") == "demo@1 · li@example.com"
    assert escape("问答@ann .@ann (@ann)") == "问答@<!-- -->ann .@<!-- -->ann (@<!-- -->ann)"
    text = to_markdown(report(dataset="demo@1", warnings=()), "en")
    assert "dataset: demo, version 1 · 40 answers" in text
    assert "<!--" not in text
    assert "问答，第 12 版" in to_markdown(report(dataset="问答@12"), "zh")


def test_a_second_number_of_a_cell_stands_in_brackets_and_the_legend_says_what_it_is():
    text = agreement_markdown(agreement(), "en")
    assert "In each cell the count and its share of the row, weighted to all units." in text
    assert "below" not in text
    assert "| supported | 128 | 129 | 92.1 | 93.7 (88.1–96.8) | 92.8 (87.2–96.1) |" in text


def test_other_agreements_stand_in_lines():
    rolled = agreement(0.31, 0.68, 0.52, 38, unit="answer by roll-up", compared="passing")
    lost = agreement(None, None, None, 0, unit="answer", status="empty")
    text = to_markdown(report(rubric(agreement(), others=(rolled, lost))), "en")
    assert "### Against labels of another kind" in text
    assert (
        "- support · answers, by the verdicts on their claims · pass / fail only: "
        "n 38, kappa 0.52 (0.31–0.68), coverage 97.1%"
    ) in text
    assert "- support · answer by answer: n 0, kappa – (no labels), coverage 97.1%" in text
    assert "整个回答，由其各条陈述的判定得出" in to_markdown(report(rubric(agreement(), others=(rolled,))), "zh")
    assert "another kind" not in to_markdown(report(rubric(agreement())), "en")


def test_an_agreement_alone():
    text = agreement_markdown(agreement(notes=(AUTHOR,)), "en")
    assert text.startswith("### support · qwen-plus · all\n")
    assert "| Cohen's kappa | 0.72 | 0.65–0.79 | 200 |  |" in text
    assert f"> {AUTHOR.text}" in text
    assert "| supported | 118 (94%) | 3 (2%) | 7 (5%) | 128 |" in text
    assert "标注者" in agreement_markdown(agreement(), "zh")


def test_the_same_report_gives_the_same_text():
    assert to_markdown(report(rubric(agreement())), "zh") == to_markdown(report(rubric(agreement())), "zh")
