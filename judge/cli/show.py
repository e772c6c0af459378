"""``judge show``: everything behind a verdict."""

from typing import TYPE_CHECKING, Annotated

import typer

from judge.cli.common import DATABASE, Db, Json, number, opened, print_json, visible

if TYPE_CHECKING:
    from judge.domain.base import Span
    from judge.domain.judging import Quote
    from judge.workflow.showing import Judged, Shown


def show(
    unit: Annotated[str, typer.Argument(metavar="ID", help="Unit id, or its key such as ANSWER#c1.")],
    dataset: Annotated[
        str | None, typer.Option(metavar="NAME", help="Where the key stands in several datasets.")
    ] = None,
    as_json: Json = False,
    db: Db = DATABASE,
) -> None:
    """Print what led to a verdict: claim, passages with the quote marked, prompt, raw reply, rubric, cost, labels."""
    from judge.workflow.showing import as_json as values
    from judge.workflow.showing import show as find

    with opened(db) as store:
        found = find(store, unit, dataset)
    if as_json:
        print_json(values(found))
        return
    _print(found)


def _print(found: "Shown") -> None:
    answer = found.answer
    what = f"id {found.unit.id}, {found.unit.kind.value}" if found.unit else "a claim that is not judged"
    _part("UNIT", f"{found.key}   ({what}, dataset {found.dataset})")
    _part("QUESTION", answer.query.text)
    spans = found.claim.spans if found.claim else ()
    if found.claim_set is not None and found.claim_set.source == "reference":
        _part("REFERENCE", marked(answer.query.reference or "", spans))
        spans = ()
    _part("ANSWER", marked(answer.text or "", spans), f"system {answer.system}")
    if found.claim is not None:
        _part("CLAIM", found.claim.text, _about(found))
    quotes = [quote for one in found.judged for quote in one.verdict.quotes]
    for one in answer.passages:
        key = one.passage.key
        held = [quote.span for quote in quotes if quote.passage == key and quote.span]
        source = ", ".join(part for part in (one.passage.document, one.passage.page) if part)
        _part(f"PASSAGE {one.rank}", marked(one.passage.text or "(no text kept)", held), f"{key} {source}".strip())
    for judged in found.judged:
        _verdict(judged)
    for rubric, label in found.labels:
        _part(
            "LABEL", f"{label.label or label.outcome.value}  {label.comment or ''}", f"{rubric.name}, by {label.user}"
        )


def _about(found: "Shown") -> str:
    """Whose claim it is, and why it is not judged."""
    claim, of = found.claim, found.claim_set
    lost = f"not in the {of.source if of else 'answer'}" if claim and claim.not_in_answer else ""
    reason = claim.not_checkable.value if claim and claim.not_checkable else ""
    return ", ".join(filter(None, (f"claim set {of.name}" if of else "", reason, lost)))


def _verdict(one: "Judged") -> None:
    verdict = one.verdict
    said = verdict.label or f"unscored: {verdict.unscored.value if verdict.unscored else 'no verdict'}"
    sure = "" if verdict.confidence is None else f"   confidence {verdict.confidence:.2f} ({verdict.confidence_source})"
    flags = f"   [{', '.join(verdict.flags)}]" if verdict.flags else ""
    rubric = f"{one.rubric.name} v{one.rubric.version} {one.rubric.hash.hex()[:8]}"
    _part(
        "VERDICT", f"{said}{sure}{flags}", f"{rubric}, judge {one.judge.name} {one.judge.hash.hex()[:8]}, run {one.run}"
    )
    if verdict.rationale:
        _part("RATIONALE", verdict.rationale)
    for quote in verdict.quotes:
        _part("QUOTE", quote.text, _place(quote))
    if verdict.raw:
        _part("AS GIVEN", verdict.raw)
    if one.sent is None:
        return
    for role, text in one.sent.request["messages"]:
        _part("PROMPT", text, role)
    for attempt in one.sent.attempts:
        reply = attempt.reply
        if reply is None:
            _part("ATTEMPT", attempt.error or "", attempt.kind.value)
            _part("RAW", attempt.raw.decode("utf-8", "replace"))
            continue
        used = reply.usage
        cost = "cost unknown" if reply.cost is None else f"cost {reply.cost:.6f} {reply.currency or ''}".strip()
        facts = f"served as {reply.served_model or 'unknown'}, {used.input} + {used.output} tokens, {cost}"
        _part("ATTEMPT", f"{facts}, {number(reply.latency_ms, 0)} ms", attempt.kind.value)
        _part("RAW", (reply.raw or reply.text.encode()).decode("utf-8", "replace"))


def _place(quote: "Quote") -> str:
    return f"in {quote.passage}" if quote.passage else "not found in the passages"


def _part(name: str, text: str, note: str = "") -> None:
    typer.echo(visible(f"{name}{'  (' + note + ')' if note else ''}"))
    for line in visible(text).split("\n"):
        typer.echo(f"    {line}")


def marked(text: str, spans: "list[Span] | tuple[Span, ...]") -> str:
    """Text with its spans between double brackets; spans that overlap are marked as one."""
    out, place = [], 0
    for start, end in _joined(spans):
        out += [text[place:start], "[[", text[start:end], "]]"]
        place = end
    return "".join([*out, text[place:]])


def _joined(spans: "list[Span] | tuple[Span, ...]") -> "list[tuple[int, int]]":
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
