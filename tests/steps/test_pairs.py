"""Pairs of verdict and label: weights, several people, and everything that does not count."""

import numpy as np
import pytest

from judge.domain.review import Outcome
from judge.steps.pairs import Draw, Said, pair

SCALE = ("yes", "no")


def said(unit: int, who: str, label: str | None, *, outcome: Outcome = Outcome.LABEL, settles: bool = False) -> Said:
    return Said(unit, who, outcome, label, settles)


def test_weights_are_inverse_probabilities_shared_among_people() -> None:
    drawn = [Draw(1, 10, 1, 0.5), Draw(2, 10, 2, 0.1)]
    pairs = pair(
        drawn, {1: "yes", 2: "no"}, [said(1, "a", "yes"), said(1, "b", "no"), said(2, "a", "no")], SCALE, "each"
    )
    assert pairs.weight.tolist() == [1.0, 1.0, 10.0]
    assert pairs.judge.tolist() == [0, 0, 1]
    assert pairs.human.tolist() == [0, 1, 1]
    assert pairs.cluster.tolist() == [0, 0, 0]
    assert pairs.stratum is not None
    assert pairs.stratum.tolist() == [0, 0, 1]


def test_units_without_usable_label_are_made_up_for_inside_their_stratum() -> None:
    drawn = [Draw(unit, unit, 1, 0.5) for unit in (1, 2, 3, 4)]
    labels = [said(1, "a", "yes"), said(2, "a", "no"), said(3, "a", None, outcome=Outcome.CANT_TELL)]
    pairs = pair(drawn, dict.fromkeys((1, 2, 3, 4), "yes"), labels, SCALE, "each")
    assert pairs.weight.tolist() == [4.0, 4.0]  # 2 units stand for the 8 of the frame
    assert pairs.dropped == {"cant_tell": 1, "not_labelled": 1}


def test_units_without_verdict_or_off_the_scale_are_counted_not_scored() -> None:
    drawn = [Draw(unit, unit, None, 1.0) for unit in (1, 2, 3, 4)] + [Draw(5, 5, None, None)]
    labels = [said(unit, "a", "yes") for unit in (1, 2, 3, 5)] + [said(4, "a", "maybe")]
    pairs = pair(drawn, {1: "yes", 2: None, 3: "10", 4: "yes", 5: "yes"}, labels, SCALE, "each")
    assert pairs.units.tolist() == [1]
    assert pairs.dropped == {
        "label_off_scale": 1,
        "no_verdict": 1,
        "unknown_probability": 1,
        "verdict_off_scale": 1,
    }


def test_majority_drops_ties_and_counts_them() -> None:
    drawn = [Draw(unit, unit, None, 1.0) for unit in (1, 2, 3)]
    labels = [said(1, who, label) for who, label in zip("abc", ("yes", "no", "no"), strict=True)]
    labels += [said(2, "a", "yes"), said(2, "b", "no"), said(3, "a", "yes")]
    pairs = pair(drawn, dict.fromkeys((1, 2, 3), "yes"), labels, SCALE, "majority")
    assert pairs.units.tolist() == [1, 3]
    assert pairs.human.tolist() == [1, 0]
    assert pairs.dropped == {"tie": 1}


def test_an_adjudication_settles_and_never_counts_as_a_raw_label() -> None:
    drawn = [Draw(unit, unit, None, 1.0) for unit in (1, 2, 3)]
    labels = [said(1, "a", "yes"), said(1, "b", "no"), said(1, "chief", "no", settles=True)]
    labels += [said(2, "a", "yes"), said(2, "b", "yes"), said(3, "a", "yes"), said(3, "b", "no")]
    verdicts = dict.fromkeys((1, 2, 3), "yes")
    settled = pair(drawn, verdicts, labels, SCALE, "adjudicated")
    assert dict(zip(settled.units.tolist(), settled.human.tolist(), strict=True)) == {1: 1, 2: 0}
    assert settled.dropped == {"not_adjudicated": 1}
    raw = pair(drawn, verdicts, labels, SCALE, "each")
    assert len(raw.human) == 6
    assert raw.weight.sum() == pytest.approx(3.0)


def test_nothing_labelled_gives_empty_arrays() -> None:
    pairs = pair([Draw(1, 1, None, 1.0)], {1: "yes"}, [], SCALE, "each")
    assert pairs.judge.dtype == np.int64
    assert len(pairs.judge) == 0
    assert pairs.dropped == {"not_labelled": 1}
