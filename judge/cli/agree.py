"""``judge agree``: how far the judge can be trusted."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judge.cli.common import DATABASE, Db, Json, interval, number, opened, print_json, print_pairs, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judge.domain.results import Agreement
    from judge.workflow.agreement import Where


def agree(
    run: Annotated[str | None, typer.Argument(metavar="[RUN]", help="Name or id; the only one by default.")] = None,
    judge: Annotated[
        str | None, typer.Option(metavar="NAME|COL", help="Only this judge; with --table, its column.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="SLICE=VALUE,...", help="Only answers of these slice values; != for all others."),
    ] = None,
    human: Annotated[
        str,
        typer.Option(
            metavar="each|majority|adjudicated|COL",
            help="How several people count; with --table, the column of people's labels.",
        ),
    ] = "each",
    queue: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose labels, where there are several queues.")
    ] = None,
    merge: Annotated[
        list[str] | None, typer.Option(metavar="A,B=C", help="Take labels A and B as C on both sides.")
    ] = None,
    table: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Compare two columns of a file instead of a run.")
    ] = None,
    weight: Annotated[str | None, typer.Option(metavar="COL", help="With --table: 1 / inclusion probability.")] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="COL", help="With --table: the answer that a row belongs to.")
    ] = None,
    stratum: Annotated[
        str | None, typer.Option(metavar="COL", help="With --table: the stratum that a row was drawn in.")
    ] = None,
    weights: Annotated[
        str, typer.Option(metavar="none|linear|quadratic", help="With --table: agreement weights.")
    ] = "none",
    labels: Annotated[str | None, typer.Option(metavar="A,B,C", help="With --table: the scale in order.")] = None,
    at_least: Annotated[
        str | None, typer.Option(metavar="LABEL", help="With --table: lowest label that means yes.")
    ] = None,
    as_json: Json = False,
    db: Db = DATABASE,
) -> None:
    """Cohen's kappa of judge and people, weighted by the draw and clustered by answer, with all that belongs to it."""
    from judge.domain.errors import UsageError

    if table is not None:
        for option, value in {"RUN": run, "--where": where, "--queue": queue, "--merge": merge}.items():
            if value:
                raise UsageError(f"{option} does not go with --table, which needs no database")
        found = _of_table(table, judge, human, weight, cluster, stratum, weights, labels, at_least)
        print_json(as_values(found)) if as_json else print_agreement(found)
        return
    only = {"--weight": weight, "--cluster": cluster, "--stratum": stratum, "--labels": labels, "--at-least": at_least}
    for option, value in only.items():
        if value is not None:
            raise UsageError(f"{option} goes with --table FILE")
    if human not in ("each", "majority", "adjudicated"):
        raise UsageError(f"--human is {human!r}, expected each, majority or adjudicated")
    results = _of_run(db, run, judge, where, human, queue, merge)
    if as_json:
        print_json({"results": [as_values(one) for one in results]})
        return
    for place, one in enumerate(results):
        if place:
            typer.echo()
        print_agreement(one)


def _of_table(
    path: Path,
    judge: str | None,
    human: str,
    weight: str | None,
    cluster: str | None,
    stratum: str | None,
    weights: str,
    labels: str | None,
    at_least: str | None,
) -> "Agreement":
    from judge.domain.errors import UsageError
    from judge.workflow.agree_table import agree_table

    if judge is None or human == "each":
        raise UsageError("--table needs both columns: --judge COL --human COL")
    if weights not in ("none", "linear", "quadratic"):
        raise UsageError(f"--weights is {weights!r}, expected none, linear or quadratic")
    scale = [label.strip() for label in labels.split(",")] if labels else None
    kind: Any = weights
    return agree_table(
        path,
        judge=judge,
        human=human,
        weight=weight,
        cluster=cluster,
        stratum=stratum,
        weights=kind,
        labels=scale,
        at_least=at_least,
    )


def _of_run(
    db: str,
    run: str | None,
    judge: str | None,
    where: "Sequence[str] | None",
    human: str,
    queue: str | None,
    merge: "Sequence[str] | None",
) -> "list[Agreement]":
    from judge.domain.errors import UsageError
    from judge.workflow.agreement import Settings
    from judge.workflow.agreement import agree as agree_run

    names = {}
    for rule in merge or ():
        olds, sep, name = rule.partition("=")
        if not sep or not name.strip():
            raise UsageError(f"--merge {rule!r}, expected a,b=c")
        names.update({old.strip(): name.strip() for old in olds.split(",")})
    kind: Any = human
    slices = tuple(_where(text) for text in where or ())
    if len({one.name for one in slices}) < len(slices):
        raise UsageError("--where names a slice twice; give its values in one: SLICE=VALUE,VALUE")
    with opened(db) as store:
        return agree_run(store, run, Settings(judge, slices, kind, queue, names))


def _where(text: str) -> "Where":
    from judge.domain.errors import UsageError
    from judge.workflow.agreement import Where

    name, sep, values = text.partition("=")
    if not sep or not name.strip("! ") or not values:
        raise UsageError(f"--where {text!r}, expected SLICE=VALUE,... or SLICE!=VALUE,...")
    return Where(name.strip("! "), tuple(value.strip() for value in values.split(",")), name.endswith("!"))


def as_values(one: "Agreement") -> dict[str, Any]:
    """The documented JSON keys of one agreement."""
    values = one.model_dump(mode="json", exclude={"observed", "coverage"})
    return {
        **values,
        "observed": one.observed.value,
        "observed_estimate": one.observed.model_dump(mode="json"),
        "coverage": one.coverage.share,
        "asked": one.coverage.asked,
        "judged": one.coverage.judged,
        "unscored": one.coverage.unscored,
    }


def print_agreement(one: "Agreement") -> None:
    """One agreement for people."""
    kappa, seen = one.kappa, one.observed
    cut = "".join(f", {name} {value}" for name, value in one.where.items())
    typer.echo(f"{one.rubric}: {one.judge} beside people ({one.unit}{cut})")
    of = f"{kappa.n:,} labels" + (f" in {kappa.clusters:,} answers" if kappa.clusters else "")
    effective = "" if kappa.n_effective is None else f", effective {kappa.n_effective:.0f}"
    rows = [
        ("kappa", interval(kappa.value, kappa.low, kappa.high) + ("" if kappa.status == "ok" else f"  {kappa.status}")),
        ("observed", interval(seen.value, seen.low, seen.high)),
        ("n", of + effective),
        ("coverage", f"{number(one.coverage.share)} ({one.coverage.judged:,} of {one.coverage.asked:,} judged)"),
    ]
    if one.rejected_of_passed is not None:
        found = one.rejected_of_passed
        rows.append(("rejected of passed", interval(found.value, found.low, found.high)))
    if one.caught is not None:
        rows.append(("caught of rejected", interval(one.caught.value, one.caught.low, one.caught.high)))
    if one.dropped:
        rows.append(("left out", ", ".join(f"{reason} {n:,}" for reason, n in one.dropped.items())))
    if one.queue:
        rows.append(("labels", f"{one.queue} ({one.design}), by {_people(one.annotators)}, {one.human}"))
    print_pairs(rows)
    head = ["judge \\ people", *one.labels]
    body = [[label, *(f"{n:,}" for n in line)] for label, line in zip(one.labels, one.table, strict=True)]
    print_table(head, body, frozenset(range(1, len(head))))
    for caution in (*one.notes, *kappa.warnings):
        typer.echo(f"- {caution.text}")


def _people(names: "Sequence[str]", most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
