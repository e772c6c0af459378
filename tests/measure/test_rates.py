import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.domain.errors import MeasureError
from judge.measure.intervals import wilson
from judge.measure.rates import mean, share


def test_a_plain_share_is_wilson_with_t():
    found = share([1] * 60 + [0] * 40)
    assert found.value == pytest.approx(0.6)
    assert (found.low, found.high) == pytest.approx(wilson(60, 100, df=99))
    assert (found.n, found.n_effective, found.status) == (100, 100.0, "ok")


def test_claims_of_an_answer_that_are_all_alike_count_once():
    # 20 answers of 5 identical claims, 14 fully supported: the interval is that of about 20 answers
    found = share(np.repeat([1] * 14 + [0] * 6, 5), cluster=np.repeat(np.arange(20), 5))
    assert (found.value, found.clusters) == (pytest.approx(0.7), 20)
    assert (found.low, found.high) == pytest.approx(wilson(14, 20, df=19), abs=0.02)


def test_the_design_effect_is_never_below_one():
    # each answer has exactly one failing claim in two: by answer there is no spread at all
    found = share(np.tile([1, 0], 50), cluster=np.repeat(np.arange(50), 2))
    assert (found.low, found.high) == pytest.approx(wilson(50, 100, df=49))


def test_nothing_failing_is_not_certainty():
    plain = share([1] * 40)
    assert (plain.value, plain.high) == (1.0, 1.0)
    assert plain.low == pytest.approx(wilson(40, 40, df=39)[0])
    assert share([1] * 40, cluster=np.repeat(np.arange(10), 4)).low < plain.low
    assert share([0] * 40, weight=np.arange(1, 41)).value == 0.0


def test_weights_by_hand():
    found = share([1, 1, 0, 0] * 10, weight=[3, 1, 1, 1] * 10)
    assert found.value == pytest.approx(4 / 6)
    assert found.n_effective == pytest.approx(60**2 / (10 * 12))


def test_a_whole_population_leaves_no_doubt():
    found = share([1, 0, 1, 1], fraction=1.0)
    assert (found.low, found.high) == pytest.approx((0.75, 0.75), abs=1e-4)


def test_a_mean_of_fractions_is_narrower_than_zeros_and_ones():
    rng = np.random.default_rng(5)
    values = 0.8 + 0.1 * rng.random(200)
    found = mean(values)
    assert found.value == pytest.approx(values.mean())
    binary = wilson(200 * values.mean(), 200, df=199)
    assert binary[0] < found.low < found.value < found.high < binary[1]


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_equal_values_keep_a_width(value):
    found = mean([value] * 30)
    assert found.value == value
    assert 0 <= found.low <= value <= found.high <= 1
    assert found.high - found.low > 0.05


def test_answers_of_one_query_hang_together():
    values = np.repeat([1.0, 0.5, 0.0, 1.0, 0.5, 1.0, 0.0, 1.0, 1.0, 0.5], 4)
    alone, together = mean(values), mean(values, cluster=np.repeat(np.arange(10), 4))
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


def test_nothing_and_a_single_one():
    assert (share([]).value, share([]).status) == (None, "empty")
    assert (mean([]).value, mean([]).status) == (None, "empty")
    one = mean([0.5])
    assert (one.value, one.low, one.status) == (0.5, None, "too_few_units")
    assert share([1, 0, 1], cluster=[3, 3, 3]).status == "too_few_units"


@pytest.mark.parametrize("values", [[0, 2], [0.5, 1], [np.nan, 1], [[1, 0]]])
def test_a_share_refuses_anything_but_zero_and_one(values):
    with pytest.raises(MeasureError):
        share(values)


@pytest.mark.parametrize("values", [[0, 1.01], [-0.1, 1], [np.nan, 1], [np.inf]])
def test_a_mean_refuses_values_outside(values):
    with pytest.raises(MeasureError):
        mean(values)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 50), st.integers(0, 8)), min_size=2, max_size=50))
def test_limits_surround_the_value_inside_zero_and_one(rows):
    values, weight, cluster = (np.array(column) for column in zip(*rows, strict=True))
    for found in (
        mean(values, weight=weight, cluster=cluster),
        mean(values),
        share(values > 0.5, weight=weight, cluster=cluster),
    ):
        if found.low is not None:
            assert 0 <= found.low <= found.value <= found.high <= 1


def test_fractions_of_many_answers_come_near_their_own_spread():
    values = np.tile([0.7, 0.75, 0.8, 0.85, 0.9], 2000)
    found = mean(values)
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * values.std() / 10_000**0.5, rel=0.05)


def test_coverage_of_a_high_clustered_share():
    rng = np.random.default_rng(7)
    hits = dict.fromkeys(("share", "mean"), 0)
    repetitions = 500
    for _ in range(repetitions):
        quality = rng.beta(0.95 * 5, 0.05 * 5, 60)
        claims = rng.random((60, 5)) < quality[:, None]
        raw = share(claims.ravel(), cluster=np.repeat(np.arange(60), 5))
        grounded = mean(claims.mean(axis=1))
        hits["share"] += raw.low <= 0.95 <= raw.high
        hits["mean"] += grounded.low <= 0.95 <= grounded.high
    assert hits["share"] / repetitions > 0.92
    assert hits["mean"] / repetitions > 0.92
