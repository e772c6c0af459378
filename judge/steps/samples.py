"""Yields Samples: permanent random numbers, strata, and how many are drawn from each."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

ALL, UNSCORED = "all", "unscored"
FAILING_SHARE = 0.275
"""Share of a by-verdict sample that goes to verdicts that do not pass (statistics: 25-30 %, never half)."""
LEAST_PER_STRATUM = 5
"""Fewer labels of a verdict than this suppress its figures."""


class Drawn(NamedTuple):
    """One drawn unit."""

    unit_id: int
    stratum: str
    place: float


class Draw(NamedTuple):
    """A design carried out: sizes (N, n) by stratum, and all drawn units."""

    strata: dict[str, tuple[int, int]]
    units: tuple[Drawn, ...]


def permanent_number(seed: int, key: str, purpose: str = "draw") -> float:
    """The number in [0, 1) that a unit keeps for ever under a seed, whatever database it stands in."""
    digest = hashlib.blake2b(f"{purpose}|{seed}|{key}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest) >> 11) / 2**53


def draw(
    frame: Mapping[str, Sequence[tuple[int, str]]], wanted: Mapping[str, int], seed: int, drawn: Mapping[str, int]
) -> Draw:
    """Take from each stratum the units with the lowest permanent numbers.

    Args:
        frame: (unit id, unit key) by stratum; every unit stands in one stratum.
        wanted: how many of each stratum.
        seed: of the permanent numbers.
        drawn: how many were drawn before; never fewer are drawn, so a top-up keeps all earlier items.
    """
    strata: dict[str, tuple[int, int]] = {}
    units: list[Drawn] = []
    for name, members in frame.items():
        n = min(len(members), max(wanted.get(name, 0), drawn.get(name, 0)))
        strata[name] = (len(members), n)
        lowest = sorted(members, key=lambda member: (permanent_number(seed, member[1]), member[1]))[:n]
        units += [Drawn(unit_id, name, permanent_number(seed, key, "order")) for unit_id, key in lowest]
    return Draw(strata, tuple(units))


def allocate(sizes: Mapping[str, int], size: int, passing: Collection[str]) -> dict[str, int]:
    """How many to draw from each verdict's stratum.

    Verdicts that do not pass get 27.5 % of the sample where they are rarer than that, else their share;
    inside a group the strata share by size; each gets at least 5 (or all it has), so that its figures can stand.
    The unscored get their share of the frame.
    """
    total = sum(sizes.values())
    size = min(size, total)
    if not total or not size:
        return dict.fromkeys(sizes, 0)
    unscored = sizes.get(UNSCORED, 0)
    failing = sum(n for name, n in sizes.items() if name != UNSCORED and name not in passing)
    scored = total - unscored
    to_unscored = size * unscored / total
    share = max(FAILING_SHARE, failing / scored) if 0 < failing < scored else failing / scored if scored else 0.0
    groups = {True: (size - to_unscored) * (1 - share), False: (size - to_unscored) * share}
    weights = {
        name: to_unscored
        if name == UNSCORED
        else groups[name in passing] * n / (scored - failing if name in passing else failing)
        for name, n in sizes.items()
        if n
    }
    return _whole(weights, sizes, size)


def _whole(weights: Mapping[str, float], sizes: Mapping[str, int], size: int) -> dict[str, int]:
    """Whole numbers that add up to ``size``, within each stratum's size and above its floor where that fits."""
    floors = {name: min(sizes[name], LEAST_PER_STRATUM) for name in weights}
    if sum(floors.values()) > size:
        floors = dict.fromkeys(weights, 0)
    counts = {name: min(sizes[name], max(floors[name], int(weights[name]))) for name in weights}
    while (gap := size - sum(counts.values())) != 0:
        step = 1 if gap > 0 else -1
        movable = [
            name for name in weights if (counts[name] < sizes[name] if step > 0 else counts[name] > floors[name])
        ]
        # the stratum that is furthest from its share moves by one
        moved = max(movable, key=lambda name: (step * (weights[name] - counts[name]), name))
        counts[moved] += step
    return {name: counts.get(name, 0) for name in sizes}
