"""Several people's labels of one unit: what was drawn are units, so n, gates and variances count units."""

import numpy as np
import pytest

from judge.measure.agreement import kappa, observed, per_label, units_of_codes
from judge.measure.rates import share

RNG = np.random.default_rng(5)
JUDGE = RNG.integers(0, 2, 60)
HUMAN = np.where(RNG.random(60) < 0.8, JUDGE, 1 - JUDGE)
ANSWER = np.arange(60) // 2
WEIGHT = np.where(np.arange(60) % 3, 1.0, 2.0)
THRICE = np.repeat(np.arange(60), 3)


def test_three_equal_labels_of_each_unit_say_no_more_than_one() -> None:
    one = {"weight": WEIGHT, "cluster": ANSWER}
    three = {"weight": WEIGHT[THRICE] / 3, "cluster": ANSWER[THRICE], "unit": THRICE}
    for figure in (kappa, observed):
        single = figure(JUDGE, HUMAN, 2, **one)
        triple = figure(JUDGE[THRICE], HUMAN[THRICE], 2, **three)
        for name in ("value", "low", "high", "n", "n_effective", "clusters", "status"):
            assert getattr(triple, name) == pytest.approx(getattr(single, name)), name
    alone, thrice = per_label(JUDGE, HUMAN, 2, **one)[0], per_label(JUDGE[THRICE], HUMAN[THRICE], 2, **three)[0]
    assert (thrice.judge_n, thrice.precision.low) == pytest.approx((alone.judge_n, alone.precision.low))
    single = share(HUMAN, **one)
    triple = share(HUMAN[THRICE], **three)
    assert (triple.low, triple.high, triple.n) == pytest.approx((single.low, single.high, single.n))


def test_labels_do_not_open_the_gate_of_effective_units() -> None:
    few = np.arange(16)
    weight = np.where(few % 2, 1.0, 9.0)
    rows = np.repeat(few, 3)
    found = kappa(JUDGE[rows], HUMAN[rows], 2, weight=weight[rows] / 3, cluster=few[rows], unit=rows)
    assert found.status == "too_few_effective"
    assert found.n == 16


def test_rare_labels_are_counted_in_units() -> None:
    judge = np.array([1, 1, 1, 1, 1, 1, *[0] * 40])
    human = np.array([1, 1, 0, 1, 1, 1, *[0] * 40])
    unit = np.array([0, 0, 0, 1, 1, 1, *range(2, 42)])
    assert units_of_codes(judge, human, 2, unit).tolist() == [[40, 2], [41, 2]]
    rare = per_label(judge, human, 2, cluster=unit, unit=unit)[1]
    assert (rare.judge_n, rare.human_n, rare.precision.status, rare.precision.low) == (2, 2, "sparse", None)
