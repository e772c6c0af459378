import pytest

from judge.domain.results import Coverage
from judge.report.decisions import caught, decision, more_labels, rejected_of_passed
from tests.report.report_sample import AUTHOR, LABELS, agreement, estimate, rubric


@pytest.mark.parametrize(
    ("value", "low", "high", "state"),
    [
        (0.72, 0.60, 0.79, "trusted"),
        (0.72, 0.599, 0.79, "inconclusive"),
        (0.50, 0.40, 0.60, "inconclusive"),
        (0.50, 0.40, 0.599, "not_trusted"),
        (None, None, None, "inconclusive"),
        (0.9, None, None, "inconclusive"),
    ],
)
def test_the_limits_decide_not_the_point(value, low, high, state):
    assert decision(rubric(agreement(low, high, value)), "en").state == state


def test_without_labels_it_is_unchecked_in_words():
    for found in (None, agreement(None, None, None, n=0, status="empty")):
        made = decision(rubric(found), "en")
        assert made.state == "unchecked"
        assert made.sentence.startswith("Not checked by people.")
    assert decision(rubric(None), "zh").headline == "未经人工核对。"


def test_the_goal_can_be_moved():
    assert decision(rubric(agreement(0.65, 0.79)), "en", goal=0.7).state == "inconclusive"
    assert decision(rubric(agreement(0.65, 0.79)), "en", goal=0.8).state == "not_trusted"


def test_poor_coverage_can_not_be_trusted():
    thin = Coverage(asked=100, judged=94, unscored={"refused": 6})
    made = decision(rubric(agreement(), coverage=thin), "en")
    assert made.state == "inconclusive"
    assert "only 94.0% of the units asked have a usable verdict; 95% are needed" in made.why
    whole = Coverage(asked=100, judged=95, unscored={"refused": 5})
    assert decision(rubric(agreement(), coverage=whole), "en").state == "trusted"


def test_labels_by_construction_refute_but_never_vouch():
    good = decision(rubric(agreement(notes=(AUTHOR,))), "en")
    assert good.state == "inconclusive"
    assert "no person has checked this judge" in good.why
    assert "the reference labels reject 6" in good.headline
    assert decision(rubric(agreement(0.1, 0.3, 0.2, notes=(AUTHOR,))), "en").state == "not_trusted"
    split = decision(rubric(agreement(0.55, 0.8, 0.7, notes=(AUTHOR,))), "en")
    assert split.why.endswith("Labels by people are needed to settle it.")
    assert split.more_labels is None


def test_perfect_agreement_on_few_labels_is_not_yet_trust():
    few = decision(rubric(agreement(0.93, 1.0, 1.0, n=40, status="degenerate_se")), "en")
    assert (few.state, few.more_labels) == ("inconclusive", 60)
    assert "either side" not in few.why
    many = decision(rubric(agreement(0.98, 1.0, 1.0, n=150, status="degenerate_se")), "en")
    assert many.state == "trusted"


def test_the_sentence_in_words():
    made = decision(
        rubric(agreement(rejected_of_passed=estimate(0.07, 0.04, 0.11), caught=estimate(0.81, 0.70, 0.89))), "en"
    )
    assert made.headline == (
        "Trusted. Of 100 claims it passes, people reject 7 (4–11); of 100 they reject, it catches 81 (70–89)."
    )
    assert made.why == "Agreement with people reaches the goal: kappa 0.72 (0.65–0.79), goal 0.60."
    chinese = decision(rubric(agreement(rejected_of_passed=estimate(0.07, 0.04, 0.11))), "zh")
    assert "每 100 条陈述中，人工否定 7 条（4–11）" in chinese.headline
    rolled = decision(rubric(agreement(unit="answer by roll-up")), "en")
    assert "Of 100 answers it passes" in rolled.headline


def test_fewer_than_five_labels_carry_a_point_and_no_claim():
    four = estimate(0.5, 0.08, 0.92, n=4)
    made = decision(rubric(agreement(rejected_of_passed=four)), "en")
    assert "people reject 50 (too few: 4 labels); of 100 they reject, it catches 86 (76–93)" in made.headline
    assert "人工否定 50 条（太少：4 个标签）" in decision(rubric(agreement(rejected_of_passed=four)), "zh").headline
    five = decision(rubric(agreement(rejected_of_passed=estimate(0.5, 0.08, 0.92, n=5))), "en")
    assert "people reject 50 (8–92)" in five.headline
    little = decision(rubric(agreement(-0.9, 0.5, 0.2, n=4)), "en")
    assert little.state == "inconclusive"
    assert little.why == "Kappa is 0.20, but without an interval (too few: 4 labels)."


def test_an_undefined_kappa_gives_its_reason():
    made = decision(rubric(agreement(None, None, None, status="undefined_single_class")), "en")
    assert made.why == "Kappa can't be given: judge and labels know one class only."


def test_about_n_more_labels():
    # value .70, lower limit .55: half-width .15 must become .10, so n grows 2.25-fold: 200 -> 450
    assert more_labels(estimate(0.70, 0.55, 0.80, n=200), 0.6) == 250
    # value .50, upper limit .65: the same on the other side
    assert more_labels(estimate(0.50, 0.30, 0.65, n=200), 0.6) == 250
    assert more_labels(estimate(0.61, 0.50, 0.70), 0.6) is None
    assert more_labels(estimate(0.80, 0.70, 0.90), 0.6) is None
    assert more_labels(estimate(None), 0.6) is None
    assert more_labels(estimate(0.64, 0.1, 0.9, n=1234), 0.6) == 230_000


def test_more_labels_are_asked_only_while_units_are_left():
    plenty = Coverage(asked=5000, judged=5000)
    wide = agreement(0.55, 0.80, 0.70, coverage=plenty)
    assert "About 250 more labels would settle it" in decision(rubric(wide, coverage=plenty), "en").why
    assert "大约再标注 250 个" in decision(rubric(wide, coverage=plenty), "zh").why
    assert "The units left to label would not settle it" in decision(rubric(agreement(0.55, 0.80, 0.70)), "en").why
    near = decision(rubric(agreement(0.5, 0.7, 0.61)), "en")
    assert "hardly settle it" in near.why
    assert near.more_labels is None


def test_rejected_of_passed_is_taken_as_given_or_from_the_only_passing_label():
    found = rejected_of_passed(agreement(), ("supported",))
    assert found.value == pytest.approx(1 - 0.937)
    assert (found.low, found.high) == pytest.approx((1 - 0.968, 1 - 0.881))
    given = estimate(0.5, 0.4, 0.6)
    assert rejected_of_passed(agreement(rejected_of_passed=given), ("supported",)) is given


def test_points_off_the_weighted_table_have_no_interval():
    bare = agreement(per_label=(), caught=None)
    bad, seen = rejected_of_passed(bare, ("supported",)), caught(bare, ("supported",))
    assert bad.value == pytest.approx((0.011 + 0.032) / (0.643 + 0.011 + 0.032))
    # people reject: columns 2 and 3; the judge rejects too: rows 2 and 3 of them
    assert seen.value == pytest.approx(
        (0.079 + 0.016 + 0.013 + 0.156) / (0.079 + 0.016 + 0.013 + 0.156 + 0.011 + 0.032)
    )
    assert (bad.n, seen.n) == (128, 71)
    assert bad.low is None
    assert "people reject 6; of 100" in decision(rubric(bare), "en").headline


def test_no_passing_label_no_claim_about_passing():
    assert rejected_of_passed(agreement(per_label=(), caught=None), ()) is None
    assert caught(agreement(caught=None), LABELS) is None
    assert decision(rubric(agreement(caught=None), passing=()), "en").headline == "Trusted."


def test_pass_and_fail_met_from_two_scales():
    two = agreement(
        compared="passing",
        labels=("pass", "fail"),
        table=((50, 5), (10, 35)),
        weighted_table=((0.5, 0.05), (0.1, 0.35)),
        per_label=(),
        caught=None,
    )
    assert rejected_of_passed(two, ("supported",)).value == pytest.approx(0.05 / 0.55)
    assert caught(two, ("supported",)).value == pytest.approx(0.35 / 0.40)
