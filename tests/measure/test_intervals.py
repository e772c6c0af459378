import math

import pytest

from judge.domain.errors import MeasureError
from judge.measure.intervals import log_limits, quantile, wilson


def test_wilson_by_hand():
    # 8 of 20 at 95%: z^2 = 3.841459; (8 + 1.920729 +- 1.959964 sqrt(4.8 + .960365)) / 23.841459
    low, high = wilson(8, 20)
    assert (low, high) == pytest.approx((0.218806, 0.613419), abs=1e-6)


@pytest.mark.parametrize(("k", "n"), [(8, 20), (85, 90), (0, 7), (7, 7), (3.2, 11.5)])
def test_wilson_equals_statsmodels(k, n):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    assert wilson(k, n) == pytest.approx(proportion.proportion_confint(k, n, method="wilson"), abs=1e-12)


def test_wilson_keeps_the_ends_exact_and_stays_inside():
    assert wilson(0, 5)[0] == 0.0
    assert wilson(5, 5)[1] == 1.0
    low, high = wilson(2.5, 3.1, df=1)
    assert 0 <= low < 2.5 / 3.1 < high <= 1


def test_t_is_wider_than_the_normal_and_meets_it():
    assert quantile(0.95) == pytest.approx(1.959963985)
    assert quantile(0.95, 14) == pytest.approx(2.144786688)
    assert quantile(0.95, 1e9) == pytest.approx(quantile(0.95))


def test_log_limits_by_hand():
    # g = -log .4; se_g = .05 / .4 = .125; t(14) = 2.144787, so the limits are 1 - .4 exp(+-.268098)
    low, high = log_limits(0.6, 0.05, 14)
    assert low == pytest.approx(1 - 0.4 * math.exp(0.26809834))
    assert high == pytest.approx(1 - 0.4 * math.exp(-0.26809834))


def test_log_limits_never_leave_the_range():
    low, high = log_limits(-0.9, 50.0, 1)
    assert -1 <= low <= -0.9 <= high <= 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: wilson(3, 2),
        lambda: wilson(0, 0),
        lambda: wilson(math.nan, 3),
        lambda: quantile(1.0),
        lambda: quantile(0.95, 0),
        lambda: log_limits(1.0, 0.1, 5),
    ],
)
def test_refusals(call):
    with pytest.raises(MeasureError):
        call()
