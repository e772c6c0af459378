"""The warnings that travel with an agreement figure; wordings and limits of statistics 1, 3 and 14.6."""

from collections.abc import Sequence

import numpy as np

from judge.domain.estimates import Caution
from judge.measure.design import Design, FloatArray, IntArray

SPARSE_BELOW = 5
"""Labels of a class on either side under which it gets no interval of its own."""
FEW = 30
"""Labels, answers or effective labels under which a figure is only indicative."""


def indicative(design: Design) -> tuple[Caution, ...]:
    """Fewer than 30 labels or answers."""
    n, answers = design.n, design.clusters
    if n >= FEW and (answers is None or answers >= FEW):
        return ()
    where = "" if answers is None else f" in {answers} answers"
    text = f"Indicative: only {n} labels{where}. The interval allows for this but is wide."
    return (Caution(code="indicative", text=text, values={"n": n, "m": answers}),)


def few_effective(design: Design) -> Caution:
    """Weights so unequal that fewer than 30 labels' worth remains: no interval is shown."""
    n = round(design.n_effective, 1)
    text = f"The weights leave {design.n} labels worth only {n:g}: no interval below {FEW}. Label more, or draw evenly."
    return Caution(code="few_effective", text=text, values={"n": design.n, "n_effective": n})


def degenerate(disagreed: bool) -> Caution:
    """No spread was seen, so no interval can be estimated; the limits are a bound."""
    seen = "The labels show no spread that kappa could have" if disagreed else "No disagreement was seen"
    text = f"{seen}: no standard error. The limits show what one more label could do; they are no 95% interval."
    return Caution(code="degenerate", text=text, values={"disagreed": disagreed})


def about_table(
    heads: IntArray, table: FloatArray, kappa: float, po: float, names: Sequence[str]
) -> tuple[Caution, ...]:
    """What the table itself makes one say: one label only, rare labels, one label dominating.

    Args:
        heads: units by label, of the judge and of people, shape (2, q).
        table: the weighted shares, shape (q, q).
        kappa: the estimate.
        po: plain observed agreement.
        names: of the labels; empty: their codes.
    """
    found = [*_single(heads, names), *_sparse(heads, names)]
    judge, human = table.sum(axis=1), table.sum(axis=0)
    top = float(max(judge.max(), human.max()))
    lopsided = len(table) == 2 and abs(table[0, 0] - table[1, 1]) > 0.7
    if top > 0.85 or lopsided or (kappa < 0.6 and po > 0.85):
        text = (
            f"One label dominates (up to {top:.0%} on one side). Kappa falls and swings when a class is rare, "
            f"even at {po:.0%} agreement: read it beside the table."
        )
        found.append(Caution(code="prevalence_warning", text=text, values={"top": top, "po": po, "kappa": kappa}))
    return tuple(found)


def about_interval(table: FloatArray, design: Design, low: float, high: float) -> tuple[Caution, ...]:
    """What the interval can't promise (statistics 14.6).

    Args:
        table: weighted shares, shape (q, q).
        design: how the labels were drawn.
        low: lower limit of kappa.
        high: upper limit of kappa.
    """
    q, n = len(table), design.n
    found = []
    if q >= 3 and n < (200 if design.strata > 1 else 400):
        text = f"Indicative: with {q} classes and {n} labels the 95% interval may cover as little as 86%."
        found.append(Caution(code="few_for_classes", text=text, values={"q": q, "n": n}))
    if n < 200 or _rarest(table) < 0.15:
        text = "The judge's overall verdict counts are unknown; this interval is unreliable when one class is rare."
        found.append(Caution(code="no_frame", text=text, values={"n": n, "rarest": _rarest(table)}))
    if (high - low) / 2 > 0.20:
        text = (
            f"Agreement is too uncertain to rank the judge (kappa {low:.2f} to {high:.2f}). "
            "Label more claims from the rarer verdict."
        )
        found.append(Caution(code="uncertain", text=text, values={"lo": low, "hi": high}))
    return tuple(found)


def sparse(heads: IntArray) -> list[int]:
    """Codes of the classes that the judge or people gave to fewer than 5 units; ``heads`` has shape (2, q)."""
    least = heads.min(axis=0)
    return [int(code) for code in np.flatnonzero(least < SPARSE_BELOW)]


def _single(heads: IntArray, names: Sequence[str]) -> list[Caution]:
    found = []
    for who, said, totals in (
        ("judge", "The judge", heads[0]),
        ("human", "People", heads[1]),
    ):
        if np.count_nonzero(totals) == 1:
            label = _name(int(totals.argmax()), names)
            text = f"{said} used one label only ('{label}'): a kappa of 0 then says nothing about skill."
            found.append(Caution(code="one_label", text=text, values={"who": who, "label": label}))
    return found


def _sparse(heads: IntArray, names: Sequence[str]) -> list[Caution]:
    labels = [_name(code, names) for code in sparse(heads)]
    if not labels:
        return []
    text = (
        f"Fewer than {SPARSE_BELOW} judge or human labels of: {', '.join(labels)}. "
        "In the table label by label no interval is shown for them."
    )
    return [Caution(code="sparse", text=text, values={"labels": labels})]


def _rarest(table: FloatArray) -> float:
    margins = np.concatenate([table.sum(axis=1), table.sum(axis=0)])
    used = np.tile(table.sum(axis=1) + table.sum(axis=0) > 0, 2)
    return float(margins[used].min())


def _name(code: int, names: Sequence[str]) -> str:
    return names[code] if names else str(code)
