import numpy as np
import pytest

from judge.domain.errors import MeasureError
from judge.measure.design import design_of, variance


def test_a_plain_sample_gives_the_textbook_variance_of_a_mean():
    values = np.array([1.0, 0, 0, 1, 1, 0, 1, 1])
    design = design_of(8)
    found = variance(design.share * (values - values.mean()), design)
    assert found.value == pytest.approx(values.var(ddof=1) / 8)
    assert (found.design_df, found.df) == (7, 7)


def test_strata_by_hand():
    # two strata of 2 and 3, weights 10 and 20, fractions .1 and .05; Hajek mean of y
    y, w, h = np.array([1.0, 0, 1, 1, 0]), np.array([10.0, 10, 20, 20, 20]), np.array([0, 0, 1, 1, 1])
    f = np.where(h == 0, 0.1, 0.05)
    mean = 50 / 80
    z = w * (y - mean) / 80
    expected = 0.9 * 2 / 1 * ((z[:2] - z[:2].mean()) ** 2).sum() + 0.95 * 3 / 2 * ((z[2:] - z[2:].mean()) ** 2).sum()
    assert variance(z, design_of(5, weight=w, stratum=h, fraction=f)).value == pytest.approx(expected)


def test_a_lonely_unit_is_centred_at_the_grand_mean():
    z, h = np.array([0.5, -0.2, 0.1, -0.4]), np.array([0, 1, 1, 1])
    rest = z[1:]
    expected = (0.5 - z.mean()) ** 2 + 3 / 2 * ((rest - rest.mean()) ** 2).sum()
    found = variance(z, design_of(4, stratum=h))
    assert found.value == pytest.approx(expected)
    assert found.design_df == 2


def test_answers_inside_their_strata_are_the_sampled_units():
    z = np.array([1.0, 2, -1, 0, -2, 3])
    found = variance(z, design_of(6, cluster=[5, 5, 9, 9, 7, 8], stratum=[0, 0, 0, 0, 1, 1]))
    assert found.value == pytest.approx(2 * 2 * 2**2 + 2 * 2 * 2.5**2)
    assert found.design_df == 2


def test_answers_across_strata_add_up_over_them():
    # two verdict strata, each answer has one claim in each, and both err together
    rng = np.random.default_rng(3)
    common = rng.normal(size=200)
    z, answers, strata = np.tile(common, 2), np.tile(np.arange(200), 2), np.repeat([0, 1], 200)
    apart = variance(z, design_of(400, stratum=strata)).value
    together = variance(z, design_of(400, cluster=answers, stratum=strata)).value
    assert together == pytest.approx(2 * apart, rel=1e-9)


def test_one_claim_an_answer_makes_no_difference():
    rng = np.random.default_rng(4)
    z, strata = rng.normal(size=60), np.repeat([0, 1, 2], 20)
    answers = np.arange(60)
    alone = variance(z, design_of(60, stratum=strata))
    assert variance(z, design_of(60, cluster=answers, stratum=strata)) == alone
    answers[59] = 0  # a single answer across two strata changes the rule, hardly the value
    assert variance(z, design_of(60, cluster=answers, stratum=strata)).value == pytest.approx(alone.value, rel=0.2)


def test_very_unequal_answers_lower_the_degrees_of_freedom():
    even = design_of(40, cluster=np.repeat(np.arange(10), 4))
    assert variance(np.arange(40.0), even).df == 9
    sizes = np.repeat(np.arange(10), [22, 2, 2, 2, 2, 2, 2, 2, 2, 2])
    found = variance(np.arange(40.0), design_of(40, cluster=sizes))
    assert found.design_df == 9
    squares = np.array([22, *[2] * 9]) ** 2
    assert found.df == pytest.approx(max(1, squares.sum() ** 2 / (squares**2).sum() - 1))


def test_kish_and_the_prior_effect_by_hand():
    design = design_of(4, weight=[1, 1, 1, 3], cluster=[0, 0, 0, 1])
    assert design.n_effective == pytest.approx(36 / 12)
    assert design.prior_effect == pytest.approx(4 / 3 * (1 + 0.15 * (10 / 4 - 1)))
    assert design.clusters == 2


def test_codes_need_not_be_dense_and_weights_may_be_huge():
    z = np.array([1.0, -1, 2, -2])
    wide = design_of(4, cluster=[10**15, 10**15, 3, 4], weight=[1e308] * 4)
    assert variance(z, wide) == variance(z, design_of(4, cluster=[2, 2, 0, 1]))


@pytest.mark.parametrize(
    "bad",
    [
        {"weight": [1, 2]},
        {"weight": [1, -1, 1]},
        {"weight": [1, 0, 1]},
        {"weight": [1, np.inf, 1]},
        {"weight": [1, np.nan, 1]},
        {"cluster": [0, -1, 2]},
        {"cluster": [0.5, 1.0, 2.0]},
        {"stratum": [0, 1]},
        {"fraction": 1.5},
        {"fraction": [0.1, 0.2, 0.1]},
        {"fraction": [0.1, 0.2]},
        {"fraction": float("nan")},
    ],
)
def test_refusals(bad):
    with pytest.raises(MeasureError):
        design_of(3, **bad)
