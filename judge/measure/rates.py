"""Shares and means between 0 and 1, with limits that hold near the ends."""

import numpy as np
import numpy.typing as npt

from judge.domain.errors import MeasureError
from judge.domain.estimates import Estimate
from judge.measure.design import Design, FloatArray, design_of, variance
from judge.measure.intervals import wilson

PRIOR_EVENTS = 10
"""Number of rarer outcomes at which data and prior design effect weigh the same (statistics 14.1)."""


def share(
    passing: npt.ArrayLike,
    *,
    weight: npt.ArrayLike | None = None,
    cluster: npt.ArrayLike | None = None,
    stratum: npt.ArrayLike | None = None,
    fraction: npt.ArrayLike | None = None,
    unit: npt.ArrayLike | None = None,
    level: float = 0.95,
    population: str = "",
) -> Estimate:
    """A proportion: Hajek's weighted share, with Wilson limits on the number of units that the design is worth.

    The design effect is never taken below 1. See `bounded` for the formula.

    Args:
        passing: 0 or 1 (or bool) for each unit, shape (n,).
        weight: 1 / inclusion probability.
        cluster: integer code of each unit's answer.
        stratum: integer code of the stratum that it was drawn in.
        fraction: sampling fraction, see `judge.measure.design.design_of`.
        unit: code of the unit, where several rows are of one.
        level: nominal coverage.
        population: what the figure speaks about.

    Raises:
        MeasureError: a value other than 0 and 1, or what `design_of` refuses.
    """
    values = _values(passing)
    if not np.all((values == 0) | (values == 1)):
        raise MeasureError("a share needs values of 0 and 1")
    design = design_of(len(values), weight=weight, cluster=cluster, stratum=stratum, fraction=fraction, unit=unit)
    return bounded(values, design, level=level, population=population, floor=1.0, name="share")


def mean(
    values: npt.ArrayLike,
    *,
    weight: npt.ArrayLike | None = None,
    cluster: npt.ArrayLike | None = None,
    level: float = 0.95,
    population: str = "",
) -> Estimate:
    """A mean of values between 0 and 1, such as the groundedness of answers.

    The same limits as `share`, except that the design effect may fall below 1: values in between vary less than
    zeros and ones of the same mean. The limits stay inside [0, 1]; equal values (all 1, all .5) get the limits of as
    many zeros and ones with that mean, not a width of 0, for what was never seen is not known to be absent.

    Args:
        values: one for each answer, from 0 to 1, shape (n,).
        weight: 1 / inclusion probability.
        cluster: integer code of what the answers share (their query), where several do.
        level: nominal coverage.
        population: what the figure speaks about.

    Raises:
        MeasureError: a value outside 0-1 or not finite, or what `design_of` refuses.
    """
    numbers = _values(values)
    if not np.all((numbers >= 0) & (numbers <= 1)):
        raise MeasureError("a mean of this kind needs finite values from 0 to 1")
    design = design_of(len(numbers), weight=weight, cluster=cluster)
    return bounded(numbers, design, level=level, population=population, floor=0.0, name="mean")


def bounded(values: FloatArray, design: Design, *, level: float, population: str, floor: float, name: str) -> Estimate:
    """Mean of values in [0, 1] under any design, with Wilson limits on an effective number.

    p = sum w y / sum w; V from the linearised scores w (y - p) / sum w (`judge.measure.design.variance`);
    base = p (1 - p) / (n - 1), times 1 - f under a finite population correction. Seen design effect V / base.
    With e units off the most common value (for zeros and ones: the rarer outcomes) and lam = e / (e + 10), the design
    effect used is ``d = max(floor, V / base, lam V / base + (1 - lam) D0)``: where few or no departures were seen, V
    knows little and the prior D0 (Kish's and ICC .15) holds the interval open (statistics 14.1, without its verdict
    groups). Limits: Wilson at n / d, divided by 1 - f, with t of the design's degrees of freedom.

    Args:
        values: from 0 to 1, shape (n,).
        design: how they were drawn.
        level: nominal coverage.
        population: what the figure speaks about.
        floor: least design effect.
        name: first word of the method.

    Returns:
        Status ``empty`` without units; ``too_few_units`` (value, no limits) with a single unit or answer.
    """
    known = blank(design, level=level, population=population, method=name)
    if design.n == 0:
        return known
    value = _average(values, design)
    spread = variance(design.share * (values - value), design)
    if spread.df < 1:
        return known.model_copy(update={"value": value, "status": "too_few_units"})
    drawn = design.by_unit or design
    unseen = float(np.sum(drawn.share**2 * (1 - drawn.fraction)[drawn.stratum]) * design.n_effective)
    effect = max(floor, _effect(values, value, spread.value, unseen, design))
    n = design.n / max(unseen * effect, 1e-12)
    low, high = wilson(value * n, n, level, spread.df)
    method = f"{name}, {weighing(design)}; Wilson at n/d with d = {effect:.3g}, t({spread.df:.4g})"
    found = {"value": value, "low": min(low, value), "high": max(high, value)}
    return known.model_copy(update={**found, "status": "ok", "method": method})


def blank(design: Design, *, level: float, population: str, method: str) -> Estimate:
    """The Estimate of a draw before its figure is known: value None, status ``empty``."""
    return Estimate(
        value=None,
        level=level,
        n=design.n,
        n_effective=design.n_effective,
        clusters=design.clusters,
        method=method,
        population=population,
        status="empty",
    )


def weighing(design: Design) -> str:
    """The part of a method's name that tells weights, answers and strata."""
    words = ["weighted" if (design.by_unit or design).unequal else "unweighted"]
    if design.strata > 1:
        words.append("stratified")
    if design.cluster is not None:
        words.append("clustered, answers across strata" if design.crossed else "clustered")
    return " ".join(words)


def _average(values: FloatArray, design: Design) -> float:
    low, high = float(values.min()), float(values.max())
    average = float(design.share @ values) if design.unequal else float(values.mean())
    return min(max(average, low), high)  # a sum of weighted ones may miss 1 by rounding


def _effect(values: FloatArray, value: float, spread: float, unseen: float, design: Design) -> float:
    base = value * (1 - value) / (design.n - 1) * unseen
    if base <= 0:
        return design.prior_effect
    seen = spread / base
    rows = len(values)
    events = (rows - int(np.unique(values, return_counts=True)[1].max())) * design.n / rows
    trust = events / (events + PRIOR_EVENTS)
    return max(seen, trust * seen + (1 - trust) * design.prior_effect)


def _values(values: npt.ArrayLike) -> FloatArray:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1:
        raise MeasureError(f"values have shape {numbers.shape}, expected one dimension")
    return numbers
