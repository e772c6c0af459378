"""Limits: Wilson's for shares, Student's t on the scale -log(1 - kappa).

Only `scipy.special` is imported; `scipy.stats` costs a second and gives nothing more here.
"""

import math

from scipy.special import ndtri, stdtrit

from judge.domain.errors import MeasureError

Limits = tuple[float, float]
"""Lower and upper limit."""

_NORMAL_FROM = 1e7
"""Degrees of freedom from which t and normal agree to all printed digits."""


def quantile(level: float, df: float | None = None) -> float:
    """The two-sided critical value.

    Args:
        level: nominal coverage, between 0 and 1.
        df: degrees of freedom of Student's t, above 0; None for the normal.

    Raises:
        MeasureError: level or df outside its range.
    """
    if not 0 < level < 1:
        raise MeasureError(f"level is {level}, expected a number between 0 and 1")
    if df is not None and not df > 0:
        raise MeasureError(f"degrees of freedom are {df}, expected more than 0")
    upper = (1 + level) / 2
    return float(ndtri(upper) if df is None or df > _NORMAL_FROM else stdtrit(df, upper))


def wilson(k: float, n: float, level: float = 0.95, df: float | None = None) -> Limits:
    """Wilson's score limits of a share (Wilson 1927).

    ``(k + t^2/2 +- t sqrt(k (n - k) / n + t^2/4)) / (n + t^2)``. ``n`` may be an effective number, so neither
    has to be whole; with ``df``, Student's t takes the normal's place (statistics 14.1). k = 0 gives a lower
    limit of exactly 0, k = n an upper one of exactly 1.

    Args:
        k: successes, from 0 to n.
        n: trials, above 0.
        level: nominal coverage.
        df: degrees of freedom; None for the normal.

    Raises:
        MeasureError: k or n outside its range.
    """
    if not (n > 0 and -1e-9 * n <= k <= n * (1 + 1e-9)):
        raise MeasureError(f"Wilson limits need 0 <= k <= n and n > 0, found k = {k}, n = {n}")
    k = min(max(k, 0.0), n)
    t2 = quantile(level, df) ** 2
    centre = k + t2 / 2
    arm = math.sqrt(t2) * math.sqrt(k * (n - k) / n + t2 / 4)
    low = 0.0 if k == 0 else max(0.0, (centre - arm) / (n + t2))
    high = 1.0 if k == n else min(1.0, (centre + arm) / (n + t2))
    return low, high


def log_limits(kappa: float, se: float, df: float, level: float = 0.95) -> Limits:
    """Limits of a kappa below 1: t on ``g = -log(1 - k)``, ``se_g = se / (1 - k)``, taken back (statistics 3).

    The upper limit stays below 1 by construction; the lower one is cut at -1.

    Args:
        kappa: the estimate, below 1.
        se: its standard error.
        df: degrees of freedom.
        level: nominal coverage.

    Raises:
        MeasureError: kappa of 1 or more, for which the scale has no place.
    """
    if not kappa < 1:
        raise MeasureError(f"the scale -log(1 - k) needs a kappa below 1, found {kappa}")
    rest = 1 - kappa
    reach = min(quantile(level, df) * se / rest, 700.0)  # exp of more overflows; the limits are -1 and 1 long before
    return min(kappa, max(-1.0, 1 - rest * math.exp(reach))), 1 - rest * math.exp(-reach)
