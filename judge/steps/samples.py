"""Yields Samples: permanent random numbers, strata, and how many are drawn from each."""

import hashlib
import heapq
from collections.abc import Collection, Iterable, Mapping
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


def draw(frame: Iterable[tuple[int, str, str]], sizes: Mapping[str, int], wanted: Mapping[str, int], seed: int) -> Draw:
    """Take from each stratum the units with the lowest permanent numbers, in one pass over the frame.

    Args:
        frame: (unit id, unit key, stratum) of every unit; memory holds the drawn ones only.
        sizes: units of each stratum, N.
        wanted: how many of each stratum, n; a top-up wants no fewer than were drawn before, and so keeps them all.
        seed: of the permanent numbers.
    """
    counts = {name: min(size, wanted.get(name, 0)) for name, size in sizes.items()}
    lowest: dict[str, list[tuple[float, str, int]]] = {name: [] for name in sizes}
    for unit_id, key, name in frame:
        heap, n = lowest[name], counts[name]
        number = -permanent_number(seed, key)  # a heap keeps its least on top: here the highest number drawn so far
        if len(heap) < n:
            heapq.heappush(heap, (number, key, unit_id))
        elif n and number > heap[0][0]:
            heapq.heapreplace(heap, (number, key, unit_id))
    units = [
        Drawn(unit_id, name, permanent_number(seed, key, "order"))
        for name, heap in lowest.items()
        for _, key, unit_id in sorted(heap, reverse=True)
    ]
    return Draw({name: (sizes[name], counts[name]) for name in sizes}, tuple(units))


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
