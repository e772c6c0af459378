"""Draws keep what was drawn, their probabilities are exact, and rare verdicts get their labels."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.steps.samples import UNSCORED, allocate, draw, permanent_number

SIZES = {"supported": 900, "contradicted": 100}
FRAME = [(i, f"a{i}#c1", "supported" if i < 900 else "contradicted") for i in range(1000)]


def test_permanent_number_depends_on_seed_and_key_alone() -> None:
    # fixed for ever: another value would move every sample ever drawn
    assert permanent_number(7, "a1#c1") == pytest.approx(0.9601707280801449, abs=1e-15)
    assert permanent_number(7, "a1#c1") != permanent_number(8, "a1#c1")
    assert permanent_number(7, "答案#c1") == permanent_number(7, "答案#c1")
    assert permanent_number(7, "a1#c1") != permanent_number(7, "a1#c1", "order")


def test_a_top_up_keeps_all_earlier_items() -> None:
    first = draw(FRAME, SIZES, {"supported": 20, "contradicted": 10}, 7)
    more = draw(reversed(FRAME), SIZES, {"supported": 35, "contradicted": 12}, 7)
    assert set(first.units) <= set(more.units)
    assert more.strata == {"supported": (900, 35), "contradicted": (100, 12)}


def test_the_lowest_numbers_are_drawn() -> None:
    drawn = {unit.unit_id for unit in draw(FRAME, SIZES, {"supported": 20}, 7).units}
    by_number = sorted(range(900), key=lambda i: permanent_number(7, f"a{i}#c1"))
    assert drawn == set(by_number[:20])


def test_no_more_are_drawn_than_there_are() -> None:
    assert draw(FRAME, SIZES, {"contradicted": 500}, 7).strata == {"supported": (900, 0), "contradicted": (100, 100)}


def test_every_unit_is_as_likely_as_its_neighbour() -> None:
    frame = [(i, f"k{i}", "all") for i in range(20)]
    hits: Counter[int] = Counter()
    for seed in range(2000):
        hits.update(unit.unit_id for unit in draw(frame, {"all": 20}, {"all": 5}, seed).units)
    # 2000 draws of 5 of 20: mean 500, s.d. 19.4; 5 s.d. for the largest of 20
    assert all(abs(n - 500) < 97 for n in hits.values())


def test_failing_verdicts_get_27_percent_when_rare_and_their_share_when_not() -> None:
    rare = allocate({"supported": 900, "contradicted": 60, "not_enough_info": 40}, 200, {"supported"})
    assert rare == {"supported": 145, "contradicted": 33, "not_enough_info": 22}
    common = allocate({"supported": 400, "contradicted": 600}, 100, {"supported"})
    assert common == {"supported": 40, "contradicted": 60}


def test_each_verdict_gets_at_least_five_or_all() -> None:
    got = allocate({"supported": 990, "contradicted": 3, "not_enough_info": 300, UNSCORED: 8}, 100, {"supported"})
    assert got["contradicted"] == 3
    assert got[UNSCORED] == 5
    assert sum(got.values()) == 100


@given(
    st.dictionaries(
        st.sampled_from(["supported", "contradicted", "not_enough_info", UNSCORED]), st.integers(0, 500), min_size=1
    ),
    st.integers(1, 800),
)
def test_allocation_adds_up_within_the_frame(sizes: dict[str, int], size: int) -> None:
    got = allocate(sizes, size, {"supported"})
    assert sum(got.values()) == min(size, sum(sizes.values()))
    assert all(0 <= got[name] <= sizes[name] for name in sizes)
