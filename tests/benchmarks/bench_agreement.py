"""Clustered kappa with its interval on a million labels, beside counting the table alone.

Run by ``make bench``.
"""

import time
from collections.abc import Callable

import numpy as np

from judge.measure.agreement import kappa

LABELS, ANSWERS = 1_000_000, 170_000
MOST_SECONDS = 0.5
"""House number: clustered kappa of a million labels from integer codes."""


def least(action: Callable[[], object]) -> float:
    """Least CPU seconds of three times."""
    spent = []
    for _ in range(3):
        start = time.process_time()
        action()
        spent.append(time.process_time() - start)
    return min(spent)


def test_a_million_clustered_labels() -> None:
    rng = np.random.default_rng(1)
    judge = rng.integers(0, 3, LABELS)
    human = np.where(rng.random(LABELS) < 0.7, judge, rng.integers(0, 3, LABELS))
    cluster, weight = rng.integers(0, ANSWERS, LABELS), rng.random(LABELS) + 0.5
    table = least(lambda: np.bincount(judge * 3 + human, weights=weight, minlength=9))
    plain = least(lambda: kappa(judge, human, 3, cluster=cluster))
    drawn = least(lambda: kappa(judge, human, 3, cluster=cluster, weight=weight, stratum=judge))
    print(f"\ntable alone {table:.3f} s, clustered {plain:.3f} s, weighted, stratified and clustered {drawn:.3f} s")
    assert drawn < MOST_SECONDS
