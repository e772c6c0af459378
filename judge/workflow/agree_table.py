"""``judge agree --table``: agreement of two columns of a file, without any database."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from judge.domain.errors import InputError
from judge.domain.estimates import Caution
from judge.domain.results import Agreement, Coverage
from judge.steps.figures import Figures, figures
from judge.steps.tables import Columns, Pairs, Scale, pairs_of, read_rows, scale_of
from judge.steps.texts import decode

Scheme = Literal["none", "linear", "quadratic"]
"""Agreement weights by name."""


def agree_table(
    path: str | Path,
    *,
    judge: str,
    human: str,
    weight: str | None = None,
    cluster: str | None = None,
    stratum: str | None = None,
    weights: Scheme = "none",
    labels: Sequence[str] | None = None,
    at_least: str | None = None,
) -> Agreement:
    """Agreement of a judge's column with people's, row by row.

    An empty cell is a missing label; every other text, ``NA`` and ``None`` among them, is a label as it stands.
    The ``rubric`` of the result is the file's name, its ``judge`` the column.

    Args:
        path: CSV or TSV file with a header; UTF-8, UTF-16 with byte order mark, or GB18030.
        judge: column of the judge's labels.
        human: column of people's labels.
        weight: column of 1 / inclusion probability; each row counts once without it.
        cluster: column that names the answer of a row; rows are taken as independent without it.
        stratum: column that names the stratum that a row was drawn in.
        weights: agreement weights of kappa and observed agreement.
        labels: the scale in order; rows with other labels are dropped and counted. None: the labels found.
        at_least: lowest label that means yes; kappa is then of yes / no.

    Raises:
        InputError: the file, a column, a row or a weight is wrong.
        UsageError: the scale's order is needed and unknown, or ``at_least`` is not on it.
    """
    name = Path(path).name
    columns = Columns(judge, human, weight, cluster, stratum)
    rows = read_rows(decode(_bytes(Path(path)), name), name, columns)
    scale = scale_of(rows, name, labels=labels, at_least=at_least, ordered=weights != "none")
    pairs = pairs_of(rows, scale, name, columns)
    return Agreement(
        rubric=name,
        judge_rubric="",
        judge=judge,
        unit="row",
        labels=scale.labels,
        coverage=_coverage(pairs),
        dropped=pairs.dropped,
        design="file",
        annotators=(human,),
        notes=_notes(pairs, scale, labels, weights, at_least),
        **_figures(pairs, scale, weights)._asdict(),
    )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(str(path), f"can't be read ({error.strerror})", "a CSV or TSV file") from error


def _figures(pairs: Pairs, scale: Scale, weights: Scheme) -> Figures:
    return figures(
        pairs.judge,
        pairs.human,
        scale.labels,
        weight=pairs.weight,
        cluster=pairs.cluster,
        stratum=pairs.stratum,
        weights=weights,
        population=_population(pairs),
    )


def _coverage(pairs: Pairs) -> Coverage:
    return Coverage(asked=pairs.asked, judged=pairs.asked - sum(pairs.unscored.values()), unscored=pairs.unscored)


def _population(pairs: Pairs) -> str:
    rows = "rows" if pairs.cluster is None else "answers and their rows"
    if pairs.weight is None:
        return f"{rows} like those of the file, each counted once (no inclusion probabilities given)"
    return f"the {rows} that the file's weights stand for"


def _notes(
    pairs: Pairs, scale: Scale, labels: Sequence[str] | None, weights: str, at_least: str | None
) -> tuple[Caution, ...]:
    notes = []
    if at_least is not None:
        text = f"The scale is split: yes = at least {at_least}, no = less."
        notes.append(Caution(code="at_least", text=text, values={"label": at_least}))
    elif labels is None and weights != "none":
        text = f"The scale is taken from the labels found ({', '.join(scale.labels)}); if it has more, give --labels."
        notes.append(Caution(code="scale_as_found", text=text, values={"labels": list(scale.labels)}))
    if pairs.cluster is None:
        text = "Rows are taken as independent. If several belong to one answer, name its column with --cluster."
        notes.append(Caution(code="no_cluster", text=text))
    return tuple(notes)
