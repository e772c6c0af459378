"""A Report as one self-contained HTML page: no script, no outside request, the same bytes for the same Report."""

from functools import partial
from itertools import count

from jinja2 import Environment, PackageLoader, StrictUndefined

from judge.domain.results import Report
from judge.domain.rubrics import Language
from judge.report.views import report_view
from judge.report.words import say


def to_html(report: Report, lang: Language = "en") -> str:
    """The page; everything in it that comes from data is escaped, isolated in direction, and cut."""
    ids = count(1)
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            page=report_view(report, lang),
            lang="zh-Hans" if lang == "zh" else "en",
            t=partial(say, lang),
            next_id=lambda: f"f{next(ids)}",
        )
    )


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("judge.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
