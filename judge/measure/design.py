"""How the labelled units were drawn: weights, answers, strata, and the variance that follows.

Every estimator of this floor is a smooth function of weighted (Hajek) totals. Its linearised scores ``z_i``, one a
unit, carry its whole sampling error; `variance` turns them into a variance (statistics 2).
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judge.domain.errors import MeasureError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

PRIOR_ICC = 0.15
"""Likeness of claims within an answer that is assumed before the data say better (statistics 14.1)."""


@dataclass(frozen=True)
class Design:
    """One sample, as `design_of` checked it."""

    share: FloatArray
    """Weight of each unit over the total weight, shape (n,); adds up to 1."""
    cluster: IntArray | None
    """Answer of each unit, dense codes from 0; None: each unit stands alone."""
    stratum: IntArray
    """Stratum of each unit, dense codes from 0; all 0 without strata."""
    fraction: FloatArray
    """Sampling fraction of each stratum, shape (strata,); 0: no finite population correction."""
    crossed: bool
    """Whether some answer has units in several strata."""
    unit: IntArray | None = None
    """Unit of each row, dense codes from 0, where some unit has several rows (several people labelled it)."""
    by_unit: "Design | None" = None
    """The same draw with a row a unit: what was drawn are units, however many people labelled them."""

    @property
    def n(self) -> int:
        """Units."""
        return len(self.share) if self.by_unit is None else self.by_unit.n

    @property
    def clusters(self) -> int | None:
        """Answers; None without them."""
        return None if self.cluster is None else _top(self.cluster)

    @property
    def strata(self) -> int:
        """Strata; 1 without any."""
        return len(self.fraction)

    @property
    def n_effective(self) -> float:
        """Kish's effective number, (sum w)^2 / sum w^2."""
        if self.by_unit is not None:
            return self.by_unit.n_effective
        return float(1 / np.sum(self.share**2)) if self.unequal else float(self.n)

    @property
    def unequal(self) -> bool:
        """Whether the weights of the rows differ."""
        return len(self.share) > 0 and bool(self.share.max() > self.share.min() * (1 + 1e-9))

    @property
    def prior_effect(self) -> float:
        """The design effect to assume before the data say better: ``n / n_eff * (1 + .15 (m_w - 1))``.

        ``m_w = sum m_c^2 / sum m_c`` over answers of m_c units (statistics 14.1, D0).
        """
        if self.by_unit is not None:
            return self.by_unit.prior_effect
        kish = self.n / self.n_effective
        if self.cluster is None:
            return kish
        sizes = np.bincount(self.cluster)
        return kish * (1 + PRIOR_ICC * (float(np.sum(sizes**2)) / self.n - 1))


class Variance(NamedTuple):
    """A variance with its degrees of freedom."""

    value: float
    """The variance."""
    design_df: int
    """Sampled units less strata: what survey packages print."""
    df: float
    """What the t quantile uses: less than `design_df` when answers are of very unequal size."""


def design_of(
    n: int,
    *,
    weight: npt.ArrayLike | None = None,
    cluster: npt.ArrayLike | None = None,
    stratum: npt.ArrayLike | None = None,
    fraction: npt.ArrayLike | None = None,
    unit: npt.ArrayLike | None = None,
) -> Design:
    """Check and gather what is known of a draw.

    Args:
        n: rows; a row a unit, unless ``unit`` says that several are of one.
        weight: 1 / inclusion probability of each, shape (n,), finite and above 0; None: all equal.
        cluster: integer code of each unit's answer, shape (n,), 0 or more.
        stratum: integer code of the stratum that each unit was drawn in, shape (n,), 0 or more.
        fraction: share of its stratum's sampled units (of its answers where ``cluster`` is given) that was drawn: a
            number or shape (n,), constant inside a stratum. Leave it out for figures about the process that makes
            answers, and when claims are drawn but answers are the clusters.

        unit: integer code of each row's unit, shape (n,), where several people labelled a unit; its rows share its
            weight, its answer and its stratum. Numbers of units, effective numbers and variances then count units.

    Raises:
        MeasureError: wrong shape, weight not finite or not above 0, negative or broken codes, fraction outside 0-1
            or changing inside a stratum.
    """
    groups = np.zeros(n, dtype=np.int64) if stratum is None else _dense(_codes(stratum, n, "stratum"))
    answers = None if cluster is None else _dense(_codes(cluster, n, "cluster"))
    whole = Design(
        share=_shares(n, weight),
        cluster=answers,
        stratum=groups,
        fraction=_fractions(n, fraction, groups),
        crossed=answers is not None and stratum is not None and _crosses(answers, groups),
    )
    units = None if unit is None else _dense(_codes(unit, n, "unit"))
    if units is None or _top(units) == n:
        return whole
    return replace(whole, unit=units, by_unit=_by_unit(whole, units))


def _by_unit(whole: Design, units: IntArray) -> Design:
    first = np.zeros(_top(units), dtype=np.int64)
    first[units[::-1]] = np.arange(len(units))[::-1]
    return replace(
        whole,
        share=np.bincount(units, weights=whole.share).astype(np.float64, copy=False),
        cluster=None if whole.cluster is None else whole.cluster[first],
        stratum=whole.stratum[first],
    )


def variance(scores: FloatArray, design: Design) -> Variance:
    """Variance of an estimator from its linearised scores.

    ``Var = sum_h (1 - f_h) m_h / (m_h - 1) sum_c (z_hc - zbar_h)^2`` over the totals ``z_hc`` of the sampled units
    (the answers where the design has clusters, else the units) inside strata h; df = sum (m_h - 1). Equals R
    ``survey``. A stratum with one sampled unit is centred at the grand mean, with factor 1 (R's "adjust").

    Where answers cut across strata (claims drawn inside verdict strata, several verdicts in an answer), a formula
    that takes an answer apart by stratum forgets that its claims err together. There the scores are centred inside
    their strata and then added up by answer: ``Var = sum_c (sum_{i in c} z_i - zbar_h(i))^2``, each score times
    ``sqrt(n_h / (n_h - 1))``, or ``sqrt(m / (m - 1))`` with m answers where that is more (statistics 14.1 and 14.3,
    V_S). It speaks of the process that makes answers, so it takes no finite population correction; with one claim
    an answer it equals the stratified formula. df = min(n - strata, answers - 1).

    Where answers are of very unequal weight s, so that (sum s^2)^2 / sum s^4 is under half their number, the t
    quantile uses that less 1 (statistics 3).

    Args:
        scores: linearised scores z, shape (n,).
        design: the draw.

    Returns:
        The variance; its ``df`` is 0 when nothing can be estimated (a single sampled unit).
    """
    if design.by_unit is not None and design.unit is not None:
        totals = np.bincount(design.unit, weights=scores).astype(np.float64, copy=False)
        return variance(totals, design.by_unit)
    if design.cluster is not None and design.crossed:
        return _crossed(scores, design, design.cluster)
    totals, strata = _totals(scores, design)
    deviations, sizes = _centred(totals, strata, design.strata)
    squares = np.bincount(strata, weights=deviations**2, minlength=design.strata)
    value = float(np.sum((1 - design.fraction) * _bessel(sizes) * squares))
    design_df = max(len(totals) - design.strata, 0)
    return Variance(value, design_df, _limited(design_df, design))


def _totals(scores: FloatArray, design: Design) -> tuple[FloatArray, IntArray]:
    if design.cluster is None:
        return scores, design.stratum
    totals = np.bincount(design.cluster, weights=scores).astype(np.float64, copy=False)
    strata = np.zeros(len(totals), dtype=np.int64)
    strata[design.cluster] = design.stratum
    return totals, strata


def _crossed(scores: FloatArray, design: Design, cluster: IntArray) -> Variance:
    deviations, sizes = _centred(scores, design.stratum, design.strata)
    answers = _top(cluster)
    factor = np.maximum(_bessel(sizes), answers / (answers - 1) if answers > 1 else 1.0)
    totals = np.bincount(cluster, weights=deviations * np.sqrt(factor)[design.stratum])
    design_df = max(min(design.n - design.strata, answers - 1), 0)
    return Variance(float(np.sum(totals**2)), design_df, _limited(design_df, design))


def _centred(values: FloatArray, strata: IntArray, count: int) -> tuple[FloatArray, IntArray]:
    sizes = np.bincount(strata, minlength=count)
    means = np.bincount(strata, weights=values, minlength=count) / np.maximum(sizes, 1)
    means[sizes == 1] = values.mean() if count > 1 else means[sizes == 1]
    return values - means[strata], sizes


def _bessel(sizes: IntArray) -> FloatArray:
    return np.where(sizes > 1, sizes / np.maximum(sizes - 1, 1), 1.0)


def _limited(design_df: int, design: Design) -> float:
    if design.cluster is None or design_df < 1:
        return float(design_df)
    squares = np.bincount(design.cluster, weights=design.share) ** 2
    effective = float(np.sum(squares) ** 2 / np.sum(squares**2))
    if effective >= len(squares) / 2:
        return float(design_df)
    return max(1.0, min(float(design_df), effective - 1))


def _shares(n: int, weight: npt.ArrayLike | None) -> FloatArray:
    if weight is None:
        return np.full(n, 1 / n if n else 0.0)
    values = np.asarray(weight, dtype=np.float64)
    if values.shape != (n,):
        raise MeasureError(f"weights have shape {values.shape}, expected ({n},)")
    if n == 0:
        return values
    if not (np.all(np.isfinite(values)) and values.min() > 0):
        raise MeasureError("every weight must be a finite number above 0")
    scaled = values / values.max()  # first, so that no sum overflows
    shares: FloatArray = scaled / scaled.sum()
    return shares


def _codes(codes: npt.ArrayLike, n: int, name: str) -> IntArray:
    values = np.asarray(codes)
    if values.shape != (n,):
        raise MeasureError(f"{name} codes have shape {values.shape}, expected ({n},)")
    if n and not np.issubdtype(values.dtype, np.integer):
        raise MeasureError(f"{name} codes are {values.dtype}, expected integers")
    if n and values.min() < 0:
        raise MeasureError(f"{name} codes must be 0 or more, found {values.min()}")
    return values.astype(np.int64, copy=False)


def _dense(codes: IntArray) -> IntArray:
    if not len(codes):
        return codes
    if codes.max() > 4 * len(codes) + 1000:  # counting would need too much memory; sorting does not
        return np.unique(codes, return_inverse=True)[1].astype(np.int64, copy=False)
    present = np.bincount(codes) > 0
    return codes if present.all() else (np.cumsum(present) - 1)[codes]


def _top(codes: IntArray) -> int:
    return int(codes.max()) + 1 if len(codes) else 0


def _crosses(cluster: IntArray, stratum: IntArray) -> bool:
    last = np.zeros(_top(cluster), dtype=np.int64)
    last[cluster] = stratum
    return bool(np.any(last[cluster] != stratum))


def _fractions(n: int, fraction: npt.ArrayLike | None, stratum: IntArray) -> FloatArray:
    strata = max(_top(stratum), 1)
    if fraction is None:
        return np.zeros(strata)
    values = np.asarray(fraction, dtype=np.float64)
    values = np.full(n, values) if values.ndim == 0 else values
    if values.shape != (n,):
        raise MeasureError(f"fractions have shape {values.shape}, expected ({n},)")
    if not np.all((values >= 0) & (values <= 1)):
        raise MeasureError("every sampling fraction must lie between 0 and 1")
    means = np.bincount(stratum, weights=values, minlength=strata) / np.maximum(
        np.bincount(stratum, minlength=strata), 1
    )
    if not np.allclose(values, means[stratum], rtol=1e-9, atol=1e-12):
        raise MeasureError("the sampling fraction must be the same for all units of a stratum")
    return means
