"""Yields pairs: a judge's verdict and people's label of the same unit, with the weight of its draw."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judge.domain.review import HumanRule, Outcome

Ints = npt.NDArray[np.int64]
Map = Callable[[str | None], str | None]
"""Turns a stored label into one of the scale that is compared."""


class Draw(NamedTuple):
    """What a figure needs to know of one sampled unit."""

    unit_id: int
    answer_id: int
    stratum_id: int | None
    probability: float | None


class Said(NamedTuple):
    """What one person said of one unit."""

    unit_id: int
    who: str
    outcome: Outcome
    label: str | None
    adjudication: bool


class Pairs(NamedTuple):
    """Rows of verdict and label, as integer codes of the scale, all of the same length n."""

    judge: Ints
    human: Ints
    weight: npt.NDArray[np.float64]
    cluster: Ints
    stratum: Ints | None
    units: Ints
    dropped: dict[str, int]
    unlabelled: tuple[int | None, ...] = ()
    """Strata that were drawn from, but in which nobody has labelled a unit: the figures leave them out."""


def pair(
    drawn: Sequence[Draw],
    verdicts: Mapping[int, str | None],
    said: Sequence[Said],
    scale: Sequence[str],
    rule: HumanRule,
    silent: Collection[int] = (),
) -> Pairs:
    """Pair the verdicts with people's labels.

    A unit's weight is 1 / its inclusion probability, times (drawn / labelled) of its stratum, so that units without a
    usable label are made up for by those of their stratum; several labels of a unit share its weight (rule ``each``).
    Units of unknown probability, off the scale, without verdict or without usable label are dropped and counted.

    Args:
        drawn: the Sample.
        verdicts: label on the scale by unit id; None or absent: no verdict.
        said: current labels, mapped to the scale.
        scale: the labels, in order.
        rule: how several people's labels of a unit count.
        silent: units that claim nothing, so that no verdict could be asked for (an answer without claims).
    """
    codes = {label: code for code, label in enumerate(scale)}
    by_unit: dict[int, list[Said]] = {}
    for one in said:
        by_unit.setdefault(one.unit_id, []).append(one)
    dropped: Counter[str] = Counter()
    chosen = {draw.unit_id: _people(by_unit.get(draw.unit_id, ()), codes, rule, dropped) for draw in drawn}
    factor = _respondents(drawn, chosen)
    rows: list[tuple[int, int, float, int, int, int]] = []
    for draw in drawn:
        people = chosen[draw.unit_id]
        verdict = verdicts.get(draw.unit_id)
        reason = _unusable(draw, people, verdict, codes)
        reason = "no_claims" if reason == "no_verdict" and draw.unit_id in silent else reason
        if reason:
            dropped[reason] += 1
        if reason is not None or verdict is None or draw.probability is None:
            continue
        weight = factor[draw.stratum_id] / draw.probability / len(people)
        stratum = -1 if draw.stratum_id is None else draw.stratum_id
        rows += [(codes[verdict], code, weight, draw.answer_id, stratum, draw.unit_id) for code in people]
    unlabelled = tuple(stratum for stratum, share in factor.items() if not share)
    return _arrays(rows, {name: n for name, n in sorted(dropped.items()) if n})._replace(unlabelled=unlabelled)


def _arrays(rows: Sequence[tuple[int, int, float, int, int, int]], dropped: dict[str, int]) -> Pairs:
    judge, human, weight, cluster, stratum, units = zip(*rows, strict=True) if rows else ((),) * 6
    strata = _dense(stratum)
    return Pairs(
        judge=np.array(judge, dtype=np.int64),
        human=np.array(human, dtype=np.int64),
        weight=np.array(weight, dtype=np.float64),
        cluster=_dense(cluster),
        stratum=strata if len(set(stratum)) > 1 else None,
        units=np.array(units, dtype=np.int64),
        dropped=dropped,
    )


def _dense(values: Sequence[int]) -> Ints:
    return np.unique(np.array(values, dtype=np.int64), return_inverse=True)[1].astype(np.int64)


def _respondents(drawn: Sequence[Draw], chosen: Mapping[int, Sequence[int]]) -> dict[int | None, float]:
    """Drawn / labelled by stratum, 0 where nobody labelled: non-response is made up for inside a stratum."""
    asked = Counter(draw.stratum_id for draw in drawn)
    answered = Counter(draw.stratum_id for draw in drawn if chosen[draw.unit_id])
    return {stratum: n / answered[stratum] if answered[stratum] else 0.0 for stratum, n in asked.items()}


def _unusable(draw: Draw, people: Sequence[int], verdict: str | None, codes: Mapping[str, int]) -> str | None:
    """Why a unit does not count; empty when its people's reason is counted already."""
    if not people:
        return ""
    if draw.probability is None:
        return "unknown_probability"
    if verdict is None:
        return "no_verdict"
    return None if verdict in codes else "verdict_off_scale"


def _people(said: Sequence[Said], codes: Mapping[str, int], rule: HumanRule, dropped: Counter[str]) -> list[int]:
    """Codes of the labels that count for one unit; what does not count is counted in ``dropped``."""
    if not said:
        dropped["not_labelled"] += 1
        return []
    missing = Counter(one.outcome.value for one in said if one.outcome is not Outcome.LABEL)
    usable = [codes[one.label] for one in said if one.label and one.label in codes and not one.adjudication]
    settled = [codes[one.label] for one in said if one.label and one.label in codes and one.adjudication]
    if rule == "adjudicated":
        usable = settled[-1:] or (usable[:1] if len(set(usable)) == 1 else [])
        if not usable:
            dropped["not_adjudicated"] += 1
        return usable
    if not usable:
        dropped[missing.most_common(1)[0][0] if missing else "label_off_scale"] += 1
        return []
    if rule == "majority":
        code, votes = Counter(usable).most_common(1)[0]
        if votes * 2 <= len(usable):
            dropped["tie"] += 1
            return []
        return [code]
    return usable
