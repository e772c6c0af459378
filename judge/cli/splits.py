"""``judge split``: answers to claims, by rules or by a model."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from judge.cli.common import DATABASE, Db, Json, number, opened, print_json, print_pairs, say

if TYPE_CHECKING:
    from judge.domain.claims import Source
    from judge.workflow.splitting import SplitSummary

INTERRUPTED = 130
SHOWN = 10
"""Answers that differ, shown by ``--compare`` unless another number is given."""


def split(
    dataset: Annotated[
        str | None, typer.Argument(metavar="[DATASET]", help="Name or id; the only one by default.")
    ] = None,
    splitter: Annotated[
        str,
        typer.Option(metavar="NAME", help="rules (no model), openai/NAME, deepseek/NAME, ... or any litellm name."),
    ] = "rules",
    of: Annotated[
        str, typer.Option("--of", metavar="answer|reference", help="Split answers, or the reference answers.")
    ] = "answer",
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of the claim set.", show_default="the splitter's"),
    ] = None,
    api_base: Annotated[
        str | None, typer.Option(metavar="URL", help="An endpoint that speaks OpenAI's protocol.")
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=JSON", help="Parameter of the requests, such as temperature=0 or max_tokens=4000."),
    ] = None,
    header: Annotated[list[str] | None, typer.Option(metavar="K=V", help="Header of the requests.")] = None,
    timeout: Annotated[float, typer.Option(metavar="S", help="Seconds that one request may take.", min=0.1)] = 120.0,
    concurrency: Annotated[int, typer.Option(metavar="N", help="Requests in flight.", min=1)] = 16,
    retries: Annotated[int, typer.Option(metavar="N", help="Repeats of a failed request.", min=0)] = 3,
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", help="Only the first N answers; with --compare the first N that differ."),
    ] = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option("--compare", metavar="A B", help="Split nothing; show two claim sets side by side."),
    ] = None,
    as_json: Json = False,
    db: Db = DATABASE,
) -> None:
    """Split answers into claims, each with its place in the answer. Running it again goes on where it stopped."""
    from judge.cli.options import pairs, parameters
    from judge.cli.progress import counting, judging
    from judge.domain.errors import UsageError
    from judge.workflow.splitting import RULES, split_dataset

    if limit is not None and limit < 1:
        raise UsageError(f"--limit is {limit}, expected 1 or more")
    if compare is not None:
        from judge.cli.splits_compared import show_compared

        show_compared(dataset, compare, limit=limit or SHOWN, as_json=as_json, db=db)
        return
    source = _source(of)
    if splitter == RULES:
        _refuse_model_words(api_base=api_base, param=param, header=header)
        with opened(db) as store, counting("answers") as progress:
            found = split_dataset(store, dataset, name=name, source=source, limit=limit, progress=progress)
        _finish(found, as_json, by_model=False)
        return
    from judge.workflow.model_splitting import SplitPlan, split_by_model
    from judge.workflow.models import open_model

    plan = SplitPlan(name, source, parameters(param or ()), limit, concurrency, retries)
    with opened(db) as store:
        model = open_model(splitter, api_base=api_base, headers=pairs("--header", header or ()), timeout=timeout)
        with judging() as report:
            found = split_by_model(store, dataset, model, plan=plan, report=report)
    _finish(found, as_json, by_model=True)


def _source(of: str) -> "Source":
    from judge.domain.errors import UsageError

    if of == "answer":
        return "answer"
    if of == "reference":
        return "reference"
    raise UsageError(f"--of is {of!r}, expected answer or reference")


def _refuse_model_words(**given: object) -> None:
    """Options that only a model understands must not be passed over in silence."""
    from judge.domain.errors import UsageError

    for name, value in given.items():
        if value:
            raise UsageError(
                f"--{name.replace('_', '-')} is for a model, and the splitter is rules; say --splitter MODEL"
            )


def _finish(found: "SplitSummary", as_json: bool, *, by_model: bool) -> None:
    if as_json:
        print_json({**found._asdict(), "error": str(found.error) if found.error else None})
    else:
        _print(found, by_model)
    if found.error is not None:
        raise found.error
    if found.state == "stopped":
        say("Stopped. What came back is kept; the same command goes on.")
        raise typer.Exit(INTERRUPTED)
    if as_json:
        return
    if found.failed:
        say("The same command asks again for the answers that could not be split.")
    if found.source == "answer":
        say(f"Next: judge run {found.dataset} --rubric support --model baseline")


def _print(found: "SplitSummary", by_model: bool) -> None:
    whose = "the answers'" if found.source == "answer" else "the references'"
    rows = [
        ("dataset", found.dataset),
        ("claim set", found.claim_set),
        ("claims", f"{found.claims:,}"),
        ("claims per 100 words", number(found.claims_per_100_words, 1)),
        ("not checkable", f"{found.not_checkable:,}{_reasons(found.not_checkable_by_reason)}"),
        (f"{found.source}s without a claim", f"{found.no_claims:,}"),
        ("coverage", "-" if found.coverage is None else f"{found.coverage:.1%} of {whose} text"),
        ("uncovered", f"{found.uncovered:,} characters"),
    ]
    print_pairs([*rows, *(_of_model(found) if by_model else ())])


def _of_model(found: "SplitSummary") -> list[tuple[str, str]]:
    cost = "unknown" if found.cost is None else f"{found.cost:.4f} {found.currency or ''}".strip()
    return [
        (f"not in the {found.source}", f"{found.not_in_answer:,}, kept and not judged"),
        ("failed", ", ".join(f"{reason} {n:,}" for reason, n in found.failed.items()) or "0"),
        ("calls", f"{found.calls:,} new, {found.cached:,} from the store"),
        ("tokens", "unknown" if found.tokens is None else f"{found.tokens:,}"),
        ("cost", cost),
        ("time", f"{found.wall_s:.1f} s"),
        ("state", found.state),
    ]


def _reasons(counts: Mapping[str, int]) -> str:
    listed = ", ".join(f"{reason} {count:,}" for reason, count in counts.items())
    return f" ({listed})" if listed else ""
