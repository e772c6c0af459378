"""A Report as short Markdown, safe to paste into a pull request."""

import re
from collections.abc import Iterator, Sequence

from judge.domain.results import Agreement, Report
from judge.domain.rubrics import Language
from judge.report import facts, tables
from judge.report.cards import agreement_cards, coverage_line
from judge.report.parts import Card, Cell, Facts, Table, slice_name
from judge.report.views import RubricView, agreement_cautions, report_view
from judge.report.words import say

EXAMPLES = 3
"""Examples in the short form."""
_MARKUP = re.compile(r"([\\`*_\[\]|~])")
_LINKS = re.compile(r"(?<![A-Za-z0-9_])@(?=\S)|#|:(?=//)|www(?=\.)", re.IGNORECASE)
"""``name@host`` stays readable: nobody is mentioned by it, and what it may become is that address."""


def to_markdown(report: Report, lang: Language = "en") -> str:
    """The report's short form: decisions, figures, tables, weak spots and identities, without charts."""
    page = report_view(report, lang)
    line = f"{escape(say(lang, 'dataset'))}: {escape(page.line)}"
    lines = [f"# {escape(page.title)}: {escape(page.run)}", "", line, "", *_quotes([page.state] if page.state else [])]
    for rubric in page.rubrics:
        lines += _rubric(rubric, lang)
    for fold in page.folds:
        lines += [f"## {escape(fold.title)}", "", *_facts(fold.facts)]
    return "\n".join([*lines, escape(page.made_with), ""])


def agreement_markdown(agreement: Agreement, lang: Language = "en") -> str:
    """One Agreement alone: its figures, confusion table, labels, and where the labels come from."""
    title = " · ".join((agreement.rubric, agreement.judge, slice_name(agreement, lang)))
    lines = [
        f"### {escape(title)}",
        "",
        *_cards(agreement_cards(agreement, (), lang), lang),
        escape(coverage_line(agreement.coverage, agreement.unit, lang)),
        "",
        *_quotes(agreement_cautions(agreement, lang)),
        *_table(tables.confusion(agreement, lang)),
        *_table(tables.per_label(agreement, lang)),
        *_facts(facts.agreement_facts(agreement, lang)),
    ]
    return "\n".join(lines)


def escape(text: str) -> str:
    """Text that stays text: no markup, table cell, HTML, mention, reference, link or formula begins in it."""
    html = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    plain = _MARKUP.sub(r"\\\1", html)
    linkless = _LINKS.sub(r"\g<0><!-- -->", plain)
    return linkless.replace("$", "<span>$</span>")


def _rubric(rubric: RubricView, lang: Language) -> Iterator[str]:
    yield from (f"## {escape(rubric.name)}", "", escape(rubric.question), "")
    yield from (f"**{escape(rubric.decision.headline)}** {escape(rubric.decision.why)}", "")
    yield from _quotes((*rubric.alarms, *rubric.cautions))
    yield from _cards(rubric.cards, lang)
    yield from (escape(rubric.coverage), "")
    for fold in rubric.folds:
        yield from (f"### {escape(fold.title)}", "")
        for table in fold.tables:
            yield from _table(table)
        for x in fold.examples[:EXAMPLES]:
            labels = f"{escape(x.judge)}; {escape(x.human)}"
            yield f"- {escape(x.unit)}: {escape(x.question)} / {escape(x.claim)} ({labels})"
        yield from ([""] if fold.examples else [])
        yield from _facts(fold.facts)


def _cards(cards: Sequence[Card], lang: Language) -> Iterator[str]:
    if not cards:
        return
    yield from _grid((say(lang, "figure"), say(lang, "value"), say(lang, "interval"), say(lang, "n"), ""), words={4})
    for card in cards:
        shown = card.figure
        notes = [shown.note, card.few, say(lang, "not_checked") if card.unchecked else ""]
        cells = (shown.title, shown.value + shown.unit, _range(card), str(shown.n), "; ".join(filter(None, notes)))
        yield _line(cells)
    yield ""


def _range(card: Card) -> str:
    return f"{card.figure.range}{card.figure.unit}" if card.figure.range else "–"


def _table(table: Table) -> Iterator[str]:
    yield from (escape(table.caption), "")
    yield from _grid(table.head, table.words)
    for row in table.rows:
        head = f"{row.head} ({row.few})" if row.few else row.head
        yield _line((head, *(_cell(cell) for cell in row.cells)))
    yield ""


def _cell(cell: Cell) -> str:
    if not cell.below:
        return cell.text
    return f"{cell.text} {cell.below}" if cell.below.startswith("(") else f"{cell.text} ({cell.below})"


def _grid(head: Sequence[str], words: set[int] | frozenset[int] = frozenset()) -> Iterator[str]:
    yield _line(head)
    yield "|" + "|".join(":--" if i == 0 or i in words else "--:" for i in range(len(head))) + "|"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escape(cell) for cell in cells) + " |"


def _quotes(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        yield from (f"> {escape(text)}", "")


def _facts(pairs: Facts) -> Iterator[str]:
    yield from (f"- {escape(term)}: {escape(value)}" for term, value in pairs)
    yield ""
