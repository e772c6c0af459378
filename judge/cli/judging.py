"""``judge run``: units x rubrics -> verdicts."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judge.cli.common import DATABASE, Db, Json, opened, print_json, print_pairs, say, visible

if TYPE_CHECKING:
    from judge.workflow.runs import RunSummary

INTERRUPTED = 130


def run(
    dataset: Annotated[
        str | None, typer.Argument(metavar="[DATASET]", help="Name or id; the only one by default.")
    ] = None,
    rubric: Annotated[
        list[str] | None,
        typer.Option(
            "--rubric",
            metavar="NAME|FILE",
            help="Question to ask; give it several times for several.",
            show_default="support",
        ),
    ] = None,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="baseline, openai/NAME, deepseek/NAME, ... or any litellm name.")
    ] = "",
    api_base: Annotated[
        str | None, typer.Option(metavar="URL", help="An endpoint that speaks OpenAI's protocol.")
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=JSON",
            help="Parameter of the requests, such as temperature=0 or extra_body.enable_thinking=false.",
        ),
    ] = None,
    header: Annotated[list[str] | None, typer.Option(metavar="K=V", help="Header of the requests.")] = None,
    timeout: Annotated[float, typer.Option(metavar="S", help="Seconds that one request may take.", min=0.1)] = 120.0,
    per: Annotated[str, typer.Option(metavar="claim|answer", help="One call a claim, or one an answer.")] = "claim",
    concurrency: Annotated[int, typer.Option(metavar="N", help="Requests in flight.", min=1)] = 16,
    limit: Annotated[int | None, typer.Option(metavar="N", help="Only the first N answers.", min=1)] = None,
    retries: Annotated[int, typer.Option(metavar="N", help="Repeats of a failed request.", min=0)] = 3,
    retry: Annotated[
        list[str] | None,
        typer.Option(metavar="REASON", help="Ask again for units unscored for this reason; `unscored` for all."),
    ] = None,
    claims: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which claim set, where there are several.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Write the HTML report of the run as well.")
    ] = None,
    lang: Annotated[str, typer.Option(metavar="en|zh", help="Language of that report.")] = "en",
    as_json: Json = False,
    db: Db = DATABASE,
) -> None:
    """Judge every claim that has no verdict yet. Running it again goes on where it stopped."""
    from judge.cli.options import pairs, parameters
    from judge.cli.progress import judging
    from judge.domain.errors import UsageError
    from judge.domain.judging import Unscored
    from judge.workflow.files import write_whole
    from judge.workflow.listing import named_rubric
    from judge.workflow.models import open_model
    from judge.workflow.reporting import make_report, rendered
    from judge.workflow.runs import Plan, judge_dataset
    from judge.workflow.splitting import ensure_claims

    if not model:
        raise UsageError("no model is named; say --model NAME (`--model baseline` needs no key)")
    if lang not in ("en", "zh"):
        raise UsageError(f"--lang is {lang!r}, expected en or zh")
    if per not in ("claim", "answer"):
        raise UsageError(f"--per is {per!r}, expected claim or answer")
    again = frozenset(reason.value for reason in Unscored) if "unscored" in (retry or ()) else frozenset(retry or ())
    if other := again - {reason.value for reason in Unscored}:
        raise UsageError(f"--retry {sorted(other)[0]!r} is no reason; expected unscored, {', '.join(Unscored)}")
    plan = Plan(
        parameters=parameters(param or ()),
        per="answer" if per == "answer" else "claim",
        claims=claims,
        limit=limit,
        concurrency=concurrency,
        retries=retries,
        retry=again,
    )
    with opened(db) as store:
        rubrics = [named_rubric(store, name) for name in rubric or ["support"]]
        if claims is None and (made := ensure_claims(store, dataset, rubrics)):
            say(f"Split by rules first: {made.claims:,} claims (`judge split` shows more)")
        endpoint = open_model(model, api_base=api_base, headers=pairs("--header", header or ()), timeout=timeout)
        with judging() as progress:
            found = judge_dataset(store, dataset, rubrics, endpoint, name=model, plan=plan, report=progress)
        if report is not None:
            write_whole(
                report, rendered(make_report(store, found.run), "html", "zh" if lang == "zh" else "en").encode()
            )
            say(f"Wrote {report}")
    _finish(found, as_json, f"{model}{f' ({endpoint.base_url})' if endpoint.base_url else ''}")


ADVICE = {
    "auth": "check the key in its environment variable",
    "quota": "the account is empty or its limit is reached; the same command goes on when it is not",
    "unknown_model": "check the name after the prefix, and --api-base",
    "no_answer": "check that the endpoint is up, then run the same command again",
    "bad_request": "check --param; the endpoint says what it does not take",
}


def _finish(found: "RunSummary", as_json: bool, where: str) -> None:
    from judge.domain.errors import JudgeError

    values = {key: value for key, value in found._asdict().items() if key != "error"}
    if as_json:
        print_json({**values, "error": str(found.error) if found.error else None})
    else:
        _print(found)
    if found.error is not None:
        advice = ADVICE.get(getattr(found.error, "kind", ""), "")
        text = f"the run stopped at {where}: {found.error}"
        raise JudgeError(f"{text}; {advice}" if advice else text) from found.error
    if found.stopped:
        say("Stopped. What came back is kept; the same command goes on.")
        raise typer.Exit(INTERRUPTED)


def _print(found: "RunSummary") -> None:
    cost = "unknown" if found.cost is None else f"{found.cost:.4f} {found.currency or ''}".strip()
    rows = [
        ("run", found.run),
        ("asked", f"{found.asked:,}"),
        ("judged", f"{found.judged:,}"),
        ("unscored", ", ".join(f"{reason} {n:,}" for reason, n in found.unscored.items()) or "0"),
        ("calls", f"{found.calls:,} new, {found.cached:,} from the store"),
        ("tokens", "unknown" if found.tokens is None else f"{found.tokens:,}"),
        ("cost", cost),
        ("time", f"{found.wall_s:.1f} s"),
        ("state", found.state),
    ]
    rows += [
        (name, ", ".join(f"{label} {n:,}" for label, n in counts.items())) for name, counts in found.rubrics.items()
    ]
    print_pairs(rows)
    for text, n in found.failures:
        say(f"{n:,} failed: {visible(text)}")
    if found.unscored.get("provider_error"):
        say("Ask again for the failed ones: the same command with --retry provider_error")
    if found.stopped:
        return
    if found.state == "stopped":
        say("The run goes further than this --limit; the same command without it goes on.")
    if found.labelled:
        say(f"Next: judge agree {found.run}")
    elif found.judged:
        say(f"Not checked by people. Next: judge sample {found.run}")
