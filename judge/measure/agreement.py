"""Cohen's kappa and its company, for two ratings of the same units under any sampling design."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from judge.domain.errors import MeasureError
from judge.domain.estimates import Caution, Estimate
from judge.measure import cautions, rates
from judge.measure.design import Design, FloatArray, IntArray, Variance, design_of, variance
from judge.measure.intervals import Limits, log_limits

Weights = Literal["none", "linear", "quadratic"] | FloatArray
"""Agreement weights: a scheme, or a matrix of shape (q, q) with 1 on its diagonal."""

_NOTHING = 1e-12
"""Chance agreement closer to 1 than this leaves no kappa; a score smaller than this is rounding."""


class Confusion(NamedTuple):
    """The joint table, judge rows x human columns, shape (q, q)."""

    counts: IntArray
    """Rows: units, or labels where several people labelled a unit."""
    shares: FloatArray
    """Hajek shares of the population; they add up to 1 (all 0 without units)."""


class Fit(NamedTuple):
    """Kappa with its linearised variance."""

    value: float
    """(po - pe) / (1 - pe)."""
    se: float
    """Square root of the variance."""
    variance: Variance
    """The variance with its degrees of freedom."""


class LabelFigures(NamedTuple):
    """Agreement on one label."""

    judge_n: int
    """Units that the judge gave it."""
    human_n: int
    """Units that people gave it."""
    agreement: float | None
    """Specific agreement 2 P_gg / (r_g + c_g), weighted; None when neither gave it."""
    precision: Estimate
    """Of those the judge gave it, the share that people gave it."""
    recall: Estimate
    """Of those people gave it, the share that the judge gave it."""


def kappa(  # noqa: PLR0913 - a draw is described by four arrays, a scale by three words
    judge: npt.ArrayLike,
    human: npt.ArrayLike,
    q: int,
    *,
    weight: npt.ArrayLike | None = None,
    cluster: npt.ArrayLike | None = None,
    stratum: npt.ArrayLike | None = None,
    fraction: npt.ArrayLike | None = None,
    unit: npt.ArrayLike | None = None,
    weights: Weights = "none",
    level: float = 0.95,
    population: str = "",
    names: Sequence[str] = (),
) -> Estimate:
    """Cohen's kappa: ``k = (po - pe) / (1 - pe)``, po = sum W P, pe = r' W c, P the weighted joint table.

    The interval is Student's t on g = -log(1 - k), from the linearised variance of the design (statistics 2, 3).

    Edge cases, told by ``status``:

    * ``empty``: no units.
    * ``undefined_single_class``: both sides gave one and the same label, so pe = 1; value None.
    * ``too_few_units``: one unit or one answer; value without limits.
    * ``too_few_effective``: unequal weights with Kish's n under 30; value without limits.
    * ``degenerate_se``: no spread (kappa = 1, or one side constant). The limits are the least and greatest kappa that
      one more unit could give, that unit weighing 1 / (n_eff / (1 + .15 (m_w - 1)) + 1); no 95% is claimed.

    Args:
        judge: codes 0..q-1 of the judge's labels, shape (n,). Missing ones (-1) must have been dropped.
        human: codes of people's labels, shape (n,).
        q: labels on the scale (of the rubric, not of those that happen to occur).
        weight: 1 / inclusion probability.
        cluster: integer code of each unit's answer.
        stratum: integer code of the stratum that it was drawn in.
        fraction: sampling fraction, see `judge.measure.design.design_of`.
        unit: code of the unit, where several people labelled one: n and variance count units, not labels.
        weights: agreement weights, see `weight_matrix`.
        level: nominal coverage.
        population: what the figure speaks about.
        names: of the labels, for the warnings.

    Raises:
        MeasureError: codes outside 0..q-1, or what `design_of` and `weight_matrix` refuse.
    """
    cells = _cells(judge, human, q)
    design = design_of(len(cells), weight=weight, cluster=cluster, stratum=stratum, fraction=fraction, unit=unit)
    method = f"Cohen's kappa{_scheme(weights)}, {rates.weighing(design)}"
    blank = rates.blank(design, level=level, population=population, method=method)
    return _kappa(cells, weight_matrix(q, weights), design, blank, names)


def observed(  # noqa: PLR0913 - as kappa
    judge: npt.ArrayLike,
    human: npt.ArrayLike,
    q: int,
    *,
    weight: npt.ArrayLike | None = None,
    cluster: npt.ArrayLike | None = None,
    stratum: npt.ArrayLike | None = None,
    fraction: npt.ArrayLike | None = None,
    unit: npt.ArrayLike | None = None,
    weights: Weights = "none",
    level: float = 0.95,
    population: str = "",
) -> Estimate:
    """Observed agreement po = sum W P, with the limits of `judge.measure.rates.bounded`.

    Arguments and errors as in `kappa`.
    """
    matrix = weight_matrix(q, weights)
    cells = _cells(judge, human, q)
    design = design_of(len(cells), weight=weight, cluster=cluster, stratum=stratum, fraction=fraction, unit=unit)
    floor = 1.0 if isinstance(weights, str) and weights == "none" else 0.0
    name = f"observed agreement{_scheme(weights)}"
    found = rates.bounded(matrix.ravel()[cells], design, level=level, population=population, floor=floor, name=name)
    return found.model_copy(update={"warnings": cautions.indicative(design)}) if design.n else found


def fit_kappa(
    judge: npt.ArrayLike, human: npt.ArrayLike, q: int, design: Design, *, weights: Weights = "none"
) -> Fit | None:
    """Kappa with the linearised variance of section 2; None when kappa is undefined (pe = 1).

    Score of a unit in cell (j, h), with S_jh = (W c)_j + (r' W)_h:
    ``u = [(W_jh - po) - (1 - k) (S_jh - 2 pe)] / (1 - pe)``, z = w u / sum w. Equals R ``survey::svykappa``.

    Args:
        judge: codes 0..q-1, shape (n,).
        human: codes 0..q-1, shape (n,).
        q: labels on the scale.
        design: how the units were drawn; at least one unit.
        weights: agreement weights.
    """
    cells = _cells(judge, human, q)
    return _fit(cells, _tabulate(cells, q, design).shares, weight_matrix(q, weights), design)


def confusion(judge: npt.ArrayLike, human: npt.ArrayLike, q: int, *, weight: npt.ArrayLike | None = None) -> Confusion:
    """The joint table of two ratings, as counts and as weighted shares.

    Raises:
        MeasureError: codes outside 0..q-1, or a bad weight.
    """
    cells = _cells(judge, human, q)
    return _tabulate(cells, q, design_of(len(cells), weight=weight))


def per_label(
    judge: npt.ArrayLike,
    human: npt.ArrayLike,
    q: int,
    *,
    weight: npt.ArrayLike | None = None,
    cluster: npt.ArrayLike | None = None,
    unit: npt.ArrayLike | None = None,
    level: float = 0.95,
    population: str = "",
) -> tuple[LabelFigures, ...]:
    """Specific agreement, precision and recall of each label of the scale.

    Precision and recall are `judge.measure.rates.share` within the units concerned. A label with fewer than 5 judge
    or human labels keeps its values and gets no limits (status ``sparse``).

    Arguments and errors as in `kappa`.
    """
    _, table = confusion(judge, human, q, weight=weight)
    said, meant = np.asarray(judge), np.asarray(human)
    heads = units_of_codes(judge, human, q, unit)
    rare = set(cautions.sparse(heads))
    drawn = tuple(None if part is None else np.asarray(part) for part in (weight, cluster, unit))
    figures = []
    for code in range(q):
        given = (said == code, meant == code)
        shares = [_within(given[1 - side], given[side], drawn, level=level, population=population) for side in (0, 1)]
        if code in rare:
            shares = [_without_limits(share) for share in shares]
        both = float(table[code].sum() + table[:, code].sum())
        agreement = 2 * float(table[code, code]) / both if both else None
        figures.append(LabelFigures(int(heads[0, code]), int(heads[1, code]), agreement, shares[0], shares[1]))
    return tuple(figures)


def units_of_codes(judge: npt.ArrayLike, human: npt.ArrayLike, q: int, unit: npt.ArrayLike | None = None) -> IntArray:
    """Units that got each label, from the judge (row 0) and from people (row 1), shape (2, q)."""
    sides = (_codes(judge, q, "judge"), _codes(human, q, "human"))
    if unit is None:
        return np.array([np.bincount(side, minlength=q) for side in sides])
    rows = np.asarray(unit)
    return np.array([np.bincount(np.unique(np.stack([rows, side]), axis=1)[1], minlength=q) for side in sides])


def weight_matrix(q: int, weights: Weights = "none") -> FloatArray:
    """Agreement weights W, shape (q, q).

    ``none``: 1 on the diagonal; ``linear``: 1 - |i - j| / (q - 1); ``quadratic``: 1 - (i - j)^2 / (q - 1)^2. A matrix
    is taken as it is (of disagreements D, give 1 - D / max D).

    Raises:
        MeasureError: q below 1, an unknown scheme, or a matrix of another shape, not finite, or outside 0-1.
    """
    if q < 1:
        raise MeasureError(f"a scale needs at least one label, found {q}")
    if not isinstance(weights, str):
        matrix = np.asarray(weights, dtype=np.float64)
        if matrix.shape != (q, q) or not np.all((matrix >= 0) & (matrix <= 1)):
            raise MeasureError(f"agreement weights must be {q} x {q} numbers from 0 to 1")
        return matrix
    if weights == "none":
        return np.eye(q)
    if weights not in ("linear", "quadratic"):
        raise MeasureError(f"agreement weights are '{weights}', expected none, linear or quadratic")
    steps = np.abs(np.subtract.outer(np.arange(q), np.arange(q))) / max(q - 1, 1)
    return np.asarray(1 - (steps if weights == "linear" else steps**2))


def kappa_of(table: FloatArray, matrix: FloatArray) -> float | None:
    """Kappa of a joint table of counts or shares under agreement weights; None when undefined."""
    shares = table / table.sum()
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    by_chance = float(rows @ matrix @ columns)
    if 1 - by_chance <= _NOTHING:
        return None
    return (float(np.sum(matrix * shares)) - by_chance) / (1 - by_chance)


def kappa_max(table: FloatArray) -> float | None:
    """The greatest unweighted kappa that the margins allow, (sum min(r, c) - pe) / (1 - pe); None when undefined."""
    shares = table / table.sum()
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    by_chance = float(rows @ columns)
    if 1 - by_chance <= _NOTHING:
        return None
    return (float(np.minimum(rows, columns).sum()) - by_chance) / (1 - by_chance)


def fce_se(counts: IntArray, matrix: FloatArray) -> float | None:
    """Standard error of kappa for a plain table of independent units (Fleiss, Cohen and Everitt 1969).

    ``Var = {sum P (W - S (1 - k))^2 - (k - pe (1 - k))^2} / (n (1 - pe)^2)``, S_jh = (W c)_j + (r' W)_h. None when
    kappa is undefined. Kept for comparison with published tables: labels of claims are never independent.

    Args:
        counts: judge x human, shape (q, q).
        matrix: agreement weights, shape (q, q).
    """
    n = counts.sum()
    shares = counts / n
    value = kappa_of(shares, matrix)
    if value is None:
        return None
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    by_chance = float(rows @ matrix @ columns)
    expected = np.add.outer(matrix @ columns, rows @ matrix)
    first = float(np.sum(shares * (matrix - expected * (1 - value)) ** 2))
    spread = first - (value - by_chance * (1 - value)) ** 2
    return float(np.sqrt(max(spread, 0.0) / n) / (1 - by_chance))


def _cells(judge: npt.ArrayLike, human: npt.ArrayLike, q: int) -> IntArray:
    sides = [_codes(judge, q, "judge"), _codes(human, q, "human")]
    if len(sides[0]) != len(sides[1]):
        raise MeasureError(f"{len(sides[0])} judge labels but {len(sides[1])} human labels")
    return np.asarray(sides[0] * q + sides[1])


def _codes(codes: npt.ArrayLike, q: int, who: str) -> IntArray:
    values = np.asarray(codes)
    if values.ndim != 1:
        raise MeasureError(f"{who} codes have shape {values.shape}, expected one dimension")
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    if not np.issubdtype(values.dtype, np.integer):
        raise MeasureError(f"{who} codes are {values.dtype}, expected integers")
    if values.min() < 0 or values.max() >= q:
        raise MeasureError(
            f"{who} codes must lie in 0..{q - 1}, found {values.min()}..{values.max()}; drop missing ones"
        )
    return values.astype(np.int64, copy=False)


def _tabulate(cells: IntArray, q: int, design: Design) -> Confusion:
    counts = np.bincount(cells, minlength=q * q).astype(np.int64)
    if design.unequal:
        shares = np.bincount(cells, weights=design.share, minlength=q * q).astype(np.float64)
    else:
        shares = counts / max(len(cells), 1)  # adding up n equal shares would carry their rounding
    return Confusion(counts.reshape(q, q), shares.reshape(q, q))


def _fit(cells: IntArray, table: FloatArray, matrix: FloatArray, design: Design) -> Fit | None:
    value = kappa_of(table, matrix)
    if value is None:
        return None
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    agreed, by_chance = float(np.sum(matrix * table)), float(rows @ matrix @ columns)
    expected = np.add.outer(matrix @ columns, rows @ matrix)
    scores = ((matrix - agreed) - (1 - value) * (expected - 2 * by_chance)) / (1 - by_chance)
    scores[np.abs(scores) < _NOTHING] = 0.0
    found = variance(design.share * scores.ravel()[cells], design)
    return Fit(value, float(np.sqrt(found.value)), found)


def _kappa(cells: IntArray, matrix: FloatArray, design: Design, blank: Estimate, names: Sequence[str]) -> Estimate:
    if design.n == 0:
        return blank
    q = len(matrix)
    _, table = _tabulate(cells, q, design)
    notes = cautions.indicative(design)
    fit = _fit(cells, table, matrix, design)
    if fit is None:
        return blank.model_copy(update={"status": "undefined_single_class", "warnings": notes})
    heads = units_of_codes(cells // q, cells % q, q, design.unit)
    notes += cautions.about_table(heads, table, fit.value, float(np.trace(table)), names)
    status, limits, how, more = _interval(fit, table, matrix, design, blank.level)
    low, high = limits or (None, None)
    found = {"value": fit.value, "low": low, "high": high, "status": status}
    return blank.model_copy(update={**found, "method": f"{blank.method}; {how}", "warnings": (*notes, *more)})


def _interval(
    fit: Fit, table: FloatArray, matrix: FloatArray, design: Design, level: float
) -> tuple[str, Limits | None, str, tuple[Caution, ...]]:
    if fit.variance.df < 1:
        return "too_few_units", None, "no interval from one unit or answer", ()
    if (design.by_unit or design).unequal and design.n_effective < cautions.FEW:
        return "too_few_effective", None, "no interval", (cautions.few_effective(design),)
    if fit.se < _NOTHING or fit.value >= 1:
        limits = _one_more(fit.value, table, matrix, design)
        return "degenerate_se", limits, "bound by one more unit", (cautions.degenerate(disagreed=fit.value < 1),)
    limits = log_limits(fit.value, fit.se, fit.variance.df, level)
    how = f"linearised variance, t({fit.variance.df:.4g}) on -log(1-k)"
    return "ok", limits, how, cautions.about_interval(table, design, *limits)


def _one_more(value: float, table: FloatArray, matrix: FloatArray, design: Design) -> Limits:
    """Least and greatest kappa after one more unit in any cell."""
    worth = design.n / design.prior_effect
    reached = [value]
    for cell in np.ndindex(table.shape):
        more = table * worth
        more[cell] += 1
        reached.append(_defined(kappa_of(more, matrix), value))
    return max(-1.0, min(reached)), min(1.0, max(reached))


def _defined(found: float | None, instead: float) -> float:
    return instead if found is None else found


def _within(
    passing: npt.NDArray[np.bool_],
    among: npt.NDArray[np.bool_],
    drawn: tuple[npt.NDArray[np.generic] | None, ...],
    *,
    level: float,
    population: str,
) -> Estimate:
    weight, cluster, unit = (None if part is None else part[among] for part in drawn)
    return rates.share(passing[among], weight=weight, cluster=cluster, unit=unit, level=level, population=population)


def _without_limits(share: Estimate) -> Estimate:
    return share if share.value is None else share.model_copy(update={"low": None, "high": None, "status": "sparse"})


def _scheme(weights: Weights) -> str:
    if not isinstance(weights, str):
        return " (own weights)"
    return "" if weights == "none" else f" ({weights} weights)"
