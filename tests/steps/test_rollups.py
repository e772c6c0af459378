"""An answer without a scored claim has no figure; a failed judgement is never a number."""

from judge.steps.rollups import FAIL, PASS, on_passing, roll_up

PASSING = {"supported"}


def test_groundedness_counts_scored_claims_only() -> None:
    rolled = roll_up([(1, "supported"), (1, None), (1, "contradicted"), (2, "supported"), (3, None)], PASSING)
    assert rolled[1].groundedness == 0.5
    assert (rolled[1].scored, rolled[1].asked) == (2, 3)
    assert rolled[2].label == PASS
    assert rolled[1].label == FAIL
    assert rolled[3].groundedness is None
    assert rolled[3].label is None


def test_not_enough_info_is_a_label_and_does_not_pass() -> None:
    """Case O15: c1 supported, c2 not_enough_info, c3 supported is 2 of 3, never NaN."""
    assert roll_up([(1, "supported"), (1, "not_enough_info"), (1, "supported")], PASSING)[1].groundedness == 2 / 3


def test_pass_and_fail() -> None:
    assert [on_passing(label, PASSING) for label in ("supported", "contradicted", None)] == [PASS, FAIL, None]
