import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.domain.errors import MeasureError
from judge.measure.agreement import (
    confusion,
    fce_se,
    fit_kappa,
    kappa,
    kappa_max,
    kappa_of,
    observed,
    per_label,
    weight_matrix,
)
from judge.measure.design import design_of
from judge.measure.intervals import log_limits
from tests.measure.published import ABSTRACTORS, COHEN, COHEN_1968, EPIDEMIOLOGY, SCHOOLS_CLUSTERED, SCHOOLS_STRATIFIED


def codes(table):
    """A table of counts as two arrays of codes."""
    counts = np.array(table)
    rows, columns = np.indices(counts.shape)
    return np.repeat(rows.ravel(), counts.ravel()), np.repeat(columns.ravel(), counts.ravel()), len(counts)


@pytest.mark.parametrize(
    ("table", "weights", "value", "se", "tolerance"), [c[1:6] for c in COHEN], ids=[c[0] for c in COHEN]
)
def test_published_tables(table, weights, value, se, tolerance):
    found = kappa(*codes(table), weights=weights)
    assert found.value == pytest.approx(value, abs=tolerance)
    assert found.n == np.sum(table)
    if se is not None:
        assert fce_se(np.array(table), weight_matrix(len(table), weights)) == pytest.approx(se, abs=tolerance)
    fit = fit_kappa(*codes(table), design_of(found.n), weights=weights)
    exact = fce_se(np.array(table), weight_matrix(len(table), weights))
    assert fit.se == pytest.approx(exact * np.sqrt(found.n / (found.n - 1)), rel=1e-9, abs=1e-9)


def test_own_disagreement_weights():
    table, disagreement, value = COHEN_1968
    matrix = 1 - np.array(disagreement) / 6
    assert kappa(*codes(table), weights=matrix).value == pytest.approx(value, abs=1e-7)


@pytest.mark.parametrize(("table", "value", "most"), [EPIDEMIOLOGY, ABSTRACTORS])
def test_kappa_max(table, value, most):
    counts = np.array(table, dtype=float)
    assert kappa_of(counts, np.eye(len(counts))) == pytest.approx(value, abs=1e-6)
    assert kappa_max(counts) == pytest.approx(most, abs=1e-6)


def test_stratified_sample_equals_r_survey():
    parts = [codes(table) for *_, table in SCHOOLS_STRATIFIED]
    sizes = [len(part[0]) for part in parts]
    judge, human = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    weight, fraction = (np.repeat([part[i] for part in SCHOOLS_STRATIFIED], sizes) for i in (0, 1))
    stratum = np.repeat(np.arange(3), sizes)
    fit = fit_kappa(judge, human, 2, design_of(len(judge), weight=weight, stratum=stratum, fraction=fraction))
    assert fit.value == pytest.approx(0.4829869271, abs=1e-6)
    assert fit.se == pytest.approx(0.0641878167, abs=1e-6)
    found = kappa(judge, human, 2, weight=weight, stratum=stratum, fraction=fraction)
    assert (found.low, found.high) == pytest.approx(log_limits(fit.value, fit.se, 197))


@pytest.mark.parametrize(("fraction", "se"), [(None, 0.0402584142), (0.019815059445178335, 0.0398575571)])
def test_clustered_sample_equals_r_survey(fraction, se):
    judge, human, cluster = [], [], []
    for district, no_no, no_yes, yes_yes in SCHOOLS_CLUSTERED:
        judge += [0] * (no_no + no_yes) + [1] * yes_yes
        human += [0] * no_no + [1] * (no_yes + yes_yes)
        cluster += [district] * (no_no + no_yes + yes_yes)
    fit = fit_kappa(judge, human, 2, design_of(len(judge), cluster=cluster, fraction=fraction))
    assert (fit.value, fit.se) == pytest.approx((0.5532145764, se), abs=1e-6)
    assert fit.variance.design_df == 14
    assert kappa(judge, human, 2, cluster=cluster, fraction=fraction).clusters == 15


def test_weights_undo_a_draw_by_verdict():
    # 1000 verdicts, 900 S and 100 U; 50 of each reviewed; people agree on 48 and on 25
    judge = np.repeat([0, 1], 50)
    human = np.array([0] * 48 + [1] * 2 + [1] * 25 + [0] * 25)
    weight = np.repeat([18.0, 2.0], 50)
    assert kappa(judge, human, 2).value == pytest.approx(0.46)
    found = kappa(judge, human, 2, weight=weight, stratum=judge)
    assert found.value == pytest.approx(0.4905, abs=5e-5)
    assert found.n_effective == pytest.approx(1000**2 / (50 * 18**2 + 50 * 2**2))
    assert observed(judge, human, 2, weight=weight, stratum=judge).value == pytest.approx(0.914)


def test_order_of_an_ordinal_scale_is_given_not_alphabetical():
    place = {"low": 0, "medium": 1, "high": 2}
    one = [place[w] for w in ["high", "high", "medium", "low", "low", "medium", "high", "low"]]
    two = [place[w] for w in ["high", "medium", "medium", "low", "medium", "high", "high", "low"]]
    assert kappa(one, two, 3, weights="quadratic").value == pytest.approx(0.7273, abs=5e-5)
    assert kappa(one, two, 3).value == pytest.approx(0.4419, abs=5e-5)


@pytest.mark.parametrize("q", [1, 2, 3])
def test_one_common_label_is_undefined_not_one_and_not_zero(q):
    found = kappa([0] * 5, [0] * 5, q, cluster=[0, 0, 1, 2, 3])
    assert (found.value, found.low, found.high, found.status) == (None, None, None, "undefined_single_class")
    assert found.n == 5
    agreed = observed([0] * 5, [0] * 5, q)
    assert (agreed.value, agreed.high, agreed.status) == (1.0, 1.0, "ok")
    assert 0.3 < agreed.low < 0.5


def test_perfect_agreement_claims_no_certainty():
    found = kappa([0] * 20 + [1] * 10, [0] * 20 + [1] * 10, 2)
    assert (found.value, found.high, found.status) == (1.0, 1.0, "degenerate_se")
    one_more = np.array([[20.0, 1], [0, 10]]), np.array([[20.0, 0], [1, 10]])
    assert found.low == pytest.approx(min(kappa_of(table, np.eye(2)) for table in one_more))
    assert "degenerate" in {note.code for note in found.warnings}
    clustered = kappa([0] * 20 + [1] * 10, [0] * 20 + [1] * 10, 2, cluster=np.repeat(np.arange(6), 5))
    assert clustered.low < found.low


def test_a_constant_judge_has_kappa_zero_and_says_why():
    found = kappa([0] * 6, [0, 0, 0, 1, 1, 1], 2)
    assert (found.value, found.status) == (0.0, "degenerate_se")
    assert found.low < 0 < found.high
    note = next(note for note in found.warnings if note.code == "one_label")
    assert note.values["who"] == "judge"


def test_too_little_to_estimate_from():
    assert (kappa([], [], 2).value, kappa([], [], 2).status) == (None, "empty")
    assert observed([], [], 2).status == "empty"
    alone = kappa([0], [1], 2)
    assert (alone.value, alone.low, alone.status) == (0.0, None, "too_few_units")
    assert kappa([0], [0], 2).status == "undefined_single_class"
    one_answer = kappa([0, 1, 0, 1], [0, 1, 1, 1], 2, cluster=[4, 4, 4, 4])
    assert (one_answer.low, one_answer.status) == (None, "too_few_units")
    assert one_answer.value == pytest.approx(0.5)


def test_steep_weights_refuse_the_interval_not_the_figure():
    judge = np.tile([0, 1, 0, 1], 15)
    human = np.tile([0, 1, 1, 1], 15)
    weight = np.where(np.arange(60) < 5, 100.0, 1.0)
    found = kappa(judge, human, 2, weight=weight)
    assert found.value is not None
    assert (found.low, found.high, found.status) == (None, None, "too_few_effective")
    assert "few_effective" in {note.code for note in found.warnings}


def test_limits_stay_inside_and_the_method_is_named():
    found = kappa(*codes([[8, 1], [0, 2]]))
    assert found.value == pytest.approx(0.7442, abs=5e-5)
    assert -1 <= found.low < found.value < found.high <= 1
    assert "-log(1-k)" in found.method
    assert "t(10)" in found.method


def test_warnings_of_the_kappa_paradox():
    judge, human, _ = codes([[96, 2], [2, 0]])
    found = kappa(judge, human, 2, names=("S", "U"))
    assert found.value == pytest.approx(-0.0204, abs=5e-5)
    texts = {note.code: note.text for note in found.warnings}
    assert set(texts) == {"prevalence_warning", "sparse", "no_frame"}
    assert texts["no_frame"] == (
        "The judge's overall verdict counts are unknown; this interval is unreliable when one class is rare."
    )
    assert texts["sparse"] == (
        "Fewer than 5 judge or human labels of: U. In the table label by label no interval is shown for them."
    )


def test_warnings_of_small_samples_have_the_stated_words():
    judge, human, _ = codes([[6, 3, 3], [3, 6, 3], [3, 3, 6]])
    found = kappa(judge, human, 3, cluster=np.arange(36) // 3)
    texts = {note.code: note.text for note in found.warnings}
    assert texts["indicative"] == (
        "Indicative: only 36 labels in 12 answers. The interval allows for this but is wide."
    )
    assert texts["few_for_classes"] == (
        "Indicative: with 3 classes and 36 labels the 95% interval may cover as little as 86%."
    )
    assert texts["uncertain"].startswith("Agreement is too uncertain to rank the judge (kappa ")


def test_a_large_balanced_sample_has_no_warning():
    judge, human, _ = codes([[140, 40], [40, 140]])
    assert kappa(judge, human, 2).warnings == ()


def test_figures_of_each_label_by_hand():
    judge, human, _ = codes([[18, 2, 0], [6, 14, 0], [0, 1, 3]])
    first, second, third = per_label(judge, human, 3)
    assert (first.judge_n, first.human_n) == (20, 24)
    assert first.agreement == pytest.approx(36 / 44)
    assert (first.precision.value, first.recall.value) == pytest.approx((0.9, 0.75))
    assert second.precision.low < 0.7 < second.precision.high
    assert (third.precision.value, third.precision.low, third.precision.status) == (0.75, None, "sparse")


def test_a_label_nobody_gave():
    figures = per_label([0, 1] * 5, [0, 1] * 5, 3)
    assert figures[2].agreement is None
    assert figures[2].precision.status == "empty"


@pytest.mark.parametrize(
    "bad",
    [
        ([0, -1], [0, 1], 2),
        ([0, 2], [0, 1], 2),
        ([0, 1], [0], 2),
        ([0.0, 1.0], [0, 1], 2),
        ([[0, 1]], [[0, 1]], 2),
        ([0, 1], [0, 1], 0),
    ],
)
def test_refused_codes(bad):
    with pytest.raises(MeasureError):
        kappa(*bad)


def test_refused_weights():
    with pytest.raises(MeasureError):
        kappa([0, 1], [0, 1], 2, weight=[1, -2])
    with pytest.raises(MeasureError):
        kappa([0, 1], [0, 1], 2, weights="cubic")
    with pytest.raises(MeasureError):
        weight_matrix(2, np.array([[1, 2], [0, 1]]))


SAMPLES = st.integers(2, 4).flatmap(
    lambda q: st.tuples(
        st.just(q),
        st.lists(
            st.tuples(st.integers(0, q - 1), st.integers(0, q - 1), st.integers(1, 9), st.integers(0, 5)),
            min_size=2,
            max_size=60,
        ),
        st.sampled_from(["none", "linear", "quadratic"]),
    )
)


def same(one, two):
    assert one.status == two.status
    for field in ("value", "low", "high"):
        a, b = getattr(one, field), getattr(two, field)
        assert (a is None) == (b is None)
        assert a is None or a == pytest.approx(b, abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(SAMPLES, st.randoms(use_true_random=False))
def test_rows_may_come_in_any_order_and_limits_surround_the_value(sample, random):
    q, rows, weights = sample
    judge, human, weight, cluster = (list(column) for column in zip(*rows, strict=True))
    found = kappa(judge, human, q, weight=weight, cluster=cluster, weights=weights)
    if found.low is not None:
        assert -1 <= found.low <= found.value <= found.high <= 1
    random.shuffle(rows)
    judge, human, weight, cluster = (list(column) for column in zip(*rows, strict=True))
    same(found, kappa(judge, human, q, weight=weight, cluster=cluster, weights=weights))


@settings(max_examples=100, deadline=None)
@given(SAMPLES, st.randoms(use_true_random=False))
def test_names_of_labels_and_answers_do_not_matter(sample, random):
    q, rows, _ = sample
    judge, human, _, cluster = (np.array(column) for column in zip(*rows, strict=True))
    order, answers = list(range(q)), list(range(6))
    random.shuffle(order)
    random.shuffle(answers)
    renamed = kappa(np.array(order)[judge], np.array(order)[human], q, cluster=np.array(answers)[cluster] + 7)
    same(kappa(judge, human, q, cluster=cluster), renamed)
    same(kappa(judge, human, q, cluster=cluster), kappa(human, judge, q, cluster=cluster))


@settings(max_examples=100, deadline=None)
@given(SAMPLES)
def test_a_weight_of_two_is_two_rows_and_equal_weights_are_none(sample):
    q, rows, weights = sample
    judge, human, weight, cluster = (np.array(column) for column in zip(*rows, strict=True))
    weighted = kappa(judge, human, q, weight=weight, weights=weights)
    repeated = kappa(np.repeat(judge, weight), np.repeat(human, weight), q, weights=weights)
    assert weighted.value == (None if repeated.value is None else pytest.approx(repeated.value, abs=1e-9))
    plain = kappa(judge, human, q, cluster=cluster, weights=weights)
    same(plain, kappa(judge, human, q, cluster=cluster, weight=np.full(len(judge), 3.7), weights=weights))


@settings(max_examples=60, deadline=None)
@given(SAMPLES)
def test_the_table_adds_up(sample):
    q, rows, _ = sample
    judge, human, weight, _ = (np.array(column) for column in zip(*rows, strict=True))
    counts, shares = confusion(judge, human, q, weight=weight)
    assert counts.sum() == len(rows)
    assert shares.sum() == pytest.approx(1)
    assert observed(judge, human, q, weight=weight).value == pytest.approx(np.trace(shares), abs=1e-9)


def simulated(rng, answers):
    """Answers of 2-10 claims; truth .8 with ICC .17, judge's errors .12 with ICC .21; 1 = supported."""
    sizes = rng.integers(2, 11, answers)
    cluster = np.repeat(np.arange(answers), sizes)

    def alike(mean, icc):
        strength = 1 / icc - 1
        return rng.beta(mean * strength, (1 - mean) * strength, answers)[cluster]

    human = (rng.random(len(cluster)) < alike(0.8, 0.17)).astype(np.int64)
    wrong = rng.random(len(cluster)) < alike(0.12, 0.21)
    return np.where(wrong, 1 - human, human), human, cluster


def test_the_clustered_interval_covers_and_the_independent_one_does_not():
    rng = np.random.default_rng(20)
    chance = 0.8 * 0.728 + 0.2 * 0.272  # the judge says 1 at .8 * .88 + .2 * .12 = .728
    truth = (0.88 - chance) / (1 - chance)
    hits = {"clustered": 0, "independent": 0}
    repetitions = 800
    for _ in range(repetitions):
        judge, human, cluster = simulated(rng, 100)
        for name, drawn in (("clustered", {"cluster": cluster}), ("independent", {})):
            found = kappa(judge, human, 2, **drawn)
            hits[name] += found.low <= truth <= found.high
    assert 0.92 <= hits["clustered"] / repetitions <= 0.97
    assert hits["independent"] / repetitions < 0.88


def test_drawing_by_verdict_stays_unbiased_and_covers_with_answers_across_strata():
    rng = np.random.default_rng(21)
    values, hits, repetitions = [], 0, 300
    chance = 0.8 * 0.728 + 0.2 * 0.272
    truth = (0.88 - chance) / (1 - chance)
    for _ in range(repetitions):
        judge, human, cluster = simulated(rng, 150)
        drawn = np.concatenate([rng.permutation(np.flatnonzero(judge == verdict))[:120] for verdict in (0, 1)])
        weight = (np.bincount(judge) / np.bincount(judge[drawn]))[judge[drawn]]
        found = kappa(judge[drawn], human[drawn], 2, weight=weight, cluster=cluster[drawn], stratum=judge[drawn])
        values.append(found.value)
        hits += found.low <= truth <= found.high
    assert np.mean(values) == pytest.approx(truth, abs=0.015)
    assert 0.90 <= hits / repetitions <= 0.99
