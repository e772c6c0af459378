"""Two splits of one answer side by side: by place, never by wording."""

from judge.domain.claims import Claim, NotCheckable
from judge.steps.splits_compared import compare_splits

A = (
    Claim(key="s1", text="Hi!", spans=((0, 3),), not_checkable=NotCheckable.GREETING),
    Claim(key="c1", text="It is red.", spans=((4, 14),)),
    Claim(key="c2", text="It is big and old.", spans=((15, 33),)),
)


def test_equal_splits_differ_in_nothing() -> None:
    found = compare_splits("a1", A, A)
    assert (found.only_a, found.only_b, found.spans_only_a, found.spans_only_b, found.differs) == (
        (),
        (),
        (),
        (),
        False,
    )


def test_a_rewritten_claim_at_the_same_place_is_the_same() -> None:
    other = (A[0], A[1].model_copy(update={"text": "The car is red."}), A[2])
    assert not compare_splits("a1", A, other).differs


def test_a_claim_cut_in_two_is_in_each_set_alone() -> None:
    halves = (
        Claim(key="c2", text="It is big", spans=((15, 24),)),
        Claim(key="c3", text="It is old.", spans=((15, 20), (29, 33))),
    )
    found = compare_splits("a1", A, (A[0], A[1], *halves))
    assert (found.only_a, found.only_b) == ((A[2],), halves)
    assert (found.spans_only_a, found.spans_only_b) == (((15, 33),), ((15, 20), (15, 24), (29, 33)))


def test_two_claims_at_one_place_are_more_than_one() -> None:
    found = compare_splits("a1", A, (*A, A[2].model_copy(update={"key": "c3", "text": "It is old."})))
    assert (found.only_a, found.only_b, found.differs) == ((), (), True)


def test_checkable_in_one_set_only_is_a_difference() -> None:
    found = compare_splits("a1", A[:1], (Claim(key="c1", text="Hi!", spans=((0, 3),)),))
    assert [claim.key for claim in (*found.only_a, *found.only_b)] == ["s1", "c1"]
    assert (found.spans_only_a, found.spans_only_b) == ((), ())


def test_claims_without_a_place_are_compared_by_text() -> None:
    a, b = Claim(key="x", text="It is red."), Claim(key="c1", text="It is red.")
    assert not compare_splits("a1", (a,), (b,)).differs
    assert compare_splits("a1", (a,), (b.model_copy(update={"text": "It is blue."}),)).differs
