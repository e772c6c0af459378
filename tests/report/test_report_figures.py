import math

import pytest

from judge.report.figures import Scale, clean, figure, kappa_scale, number, percent, span
from tests.report.report_sample import estimate


def test_numbers_have_fixed_digits_and_a_true_minus():
    assert number(0.7249, "kappa") == "0.72"
    assert number(-0.154, "kappa") == "−0.15"
    assert number(-0.001, "kappa") == "0.00"
    assert number(0.831, "percent") == "83"
    assert number(0.831, "percent_fine") == "83.1"


def test_a_share_that_is_not_whole_never_reads_as_whole():
    assert percent(1.0) == "100.0%"
    assert percent(0.99999) == ">99.9%"
    assert percent(0.00001) == "<0.1%"
    assert percent(0.0) == "0.0%"
    assert percent(None) == "–"


def test_a_dash_never_meets_a_minus():
    assert span((0.65, 0.79), "kappa", "en") == "0.65–0.79"
    assert span((-0.154, 0.02), "kappa", "en") == "−0.15 to 0.02"
    assert span((-0.154, 0.02), "kappa", "zh") == "−0.15 至 0.02"


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_a_missing_figure_is_a_dash_with_its_reason_never_zero(value):
    shown = figure("k", estimate(value, n=12, status="undefined_single_class"), "kappa", Scale(), "en")
    assert (shown.value, shown.unit, shown.plot) == ("–", "", None)
    assert shown.note
    assert "0" not in shown.note


def test_a_figure_without_an_interval_says_so():
    shown = figure("k", estimate(0.5, status="too_few_units", n=1), "percent", Scale(), "en")
    assert (shown.value, shown.unit, shown.range) == ("50", "%", "")
    assert shown.note == "one unit or answer is too few"
    assert shown.plot.left is None
    assert figure("k", estimate(0.5), "percent", Scale(), "en").note == "no interval"


def test_dot_range_and_goal_stand_where_the_numbers_say():
    plot = figure("k", estimate(0.7, 0.6, 0.8), "kappa", Scale(goal=0.6), "en").plot
    assert (plot.dot, plot.left, plot.width, plot.goal, plot.zero) == ("70.00", "60.00", "20.00", "60.00", None)
    assert plot.text == "0.70, interval 0.60–0.80; goal 0.60"


def test_a_negative_limit_lengthens_the_line_and_marks_zero():
    scale = kappa_scale((estimate(0.31, -0.12, 0.61), estimate(None)), 0.6)
    assert scale.low == pytest.approx(-0.2)
    plot = figure("k", estimate(0.31, -0.12, 0.61), "kappa", scale, "en").plot
    assert plot.zero == f"{100 * 0.2 / 1.2:.2f}"
    assert kappa_scale((estimate(-5.0, -9.0, -1.0),), 0.6).low == -1.0


def test_few_begins_below_thirty():
    assert figure("k", estimate(0.5, n=29), "kappa", Scale(), "en").few
    assert not figure("k", estimate(0.5, n=30), "kappa", Scale(), "en").few


def test_clean_cuts_folds_and_disarms():
    assert clean("a\n\tb   c") == "a b c"
    assert clean("x" * 200_000, 50) == "x" * 49 + "…"
    assert len(clean("word " * 50_000, 50)) <= 50
    assert clean("ab\u202ecd\u2066\x00\ud800") == "ab\ufffdcd\ufffd\ufffd\ufffd"
    assert clean("مرحبا\u200f 你好") == "مرحبا 你好"
    assert clean("👩\u200d🔬") == "👩\u200d🔬"
