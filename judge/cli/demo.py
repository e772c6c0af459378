"""``judge demo``: the whole journey in one go."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judge.cli.common import Json, interval, opened, print_json, print_pairs, say

if TYPE_CHECKING:
    from judge.domain.results import Report, RubricReport
    from judge.workflow.demo import DemoSummary


def demo(
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where report and database go; a temporary folder by default.")
    ] = None,
    lang: Annotated[str, typer.Option(metavar="en|zh", help="Language of the report.")] = "en",
    db: Annotated[
        str | None, typer.Option("--db", metavar="URL", help="Database to use; one in the folder by default.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run the journey on 40 sample answers with the embedded baseline judge. No key, no network."""
    import tempfile

    from judge.domain.errors import UsageError
    from judge.workflow.demo import run_demo
    from judge.workflow.stores import shown_url

    if lang not in ("en", "zh"):
        raise UsageError(f"--lang is {lang!r}, expected en or zh")
    folder = out or Path(tempfile.mkdtemp(prefix="judge-demo-"))
    folder.mkdir(parents=True, exist_ok=True)
    with opened(db or str(folder / "judge.db"), new=True) as store:
        found = run_demo(store, folder, "zh" if lang == "zh" else "en")
    if as_json:
        print_json(_values(found))
        return
    _print(found.report)
    typer.echo(f"\nReport    {found.files['html']}")
    at = f" --db {shown_url(db) if db else folder / 'judge.db'}"
    say(
        "\nThe labels are by construction (annotator `author`): they show how the judge does on these texts, "
        "not what people would say.\nNext, on your own file:\n"
        "  judge import FILE.jsonl --dataset mine\n  judge split\n"
        "  judge run --rubric support --model openai/NAME   (or --model baseline)\n"
        "  judge sample && judge ui\n  judge report --html report.html\n"
        f"Look behind a verdict: judge show UNIT{at}"
    )


def _values(found: "DemoSummary") -> dict[str, Any]:
    report = found.report
    return {
        "dataset": report.dataset,
        "run": report.run,
        "queue": report.sample,
        "answers": report.answers,
        "claims": report.claims,
        "labels": found.labels,
        "files": {kind: str(path) for kind, path in found.files.items()},
        "rubrics": [part.model_dump(mode="json") for part in report.rubrics],
    }


def _print(report: "Report") -> None:
    coverage = "-" if report.split_coverage is None else f"{report.split_coverage:.1%}"
    rows = [
        ("answers", f"{report.answers} ({', '.join(report.systems)})"),
        ("claims", f"{report.claims}, {report.not_checkable} sentences not checkable, coverage {coverage}"),
        ("no claims", f"{report.no_claims} answers; their groundedness is null"),
    ]
    for part in report.rubrics:
        rows += _rubric_rows(part)
    print_pairs(rows)


def _rubric_rows(part: "RubricReport") -> list[tuple[str, str]]:
    shares = {one.name: one for one in part.shares if not one.group}
    raw = shares.get("groundedness") or shares.get("passing")
    rows = [("", ""), (part.rubric, f"judged by {part.judge}, {part.coverage.judged} of {part.coverage.asked}")]
    if raw is not None:
        name = "raw groundedness" if raw.name == "groundedness" else "raw passing share"
        rows.append((f"  {name}", interval(raw.raw.value, raw.raw.low, raw.raw.high)))
    if part.agreement is not None:
        kappa = part.agreement.kappa
        rows.append(("  kappa", f"{interval(kappa.value, kappa.low, kappa.high)}, {kappa.n} labels"))
    weak = part.weak[:2]
    if weak:
        words = [f"{one.where} ({one.disagreements} of {one.n} differ)" for one in weak]
        rows.append(("  weakest", "; ".join(words)))
    return rows
