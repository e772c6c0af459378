"""A Report as JSON for machines: the nouns' own keys, numbers as numbers."""

import json
import math
import re
from typing import Any

from judge.domain.results import Report
from judge.report.decisions import COVERAGE_GOAL, GOAL, decision

_LONE = re.compile("[\ud800-\udfff]")


def to_json(report: Report) -> str:
    """The Report by its own keys, indented, in its own order, ending with a line break.

    Added are ``goal`` (``kappa``, ``coverage``), ``coverage.share`` of each rubric, and its ``decision``: ``state``
    (trusted | not_trusted | inconclusive | unchecked), ``sentence`` (English) and ``more_labels``. A figure that is
    missing or not finite is null, its ``status`` says why; a lone surrogate stays as its escape, so that the text can
    always be encoded as UTF-8.
    """
    value = report.model_dump(mode="json")
    value["goal"] = {"kappa": GOAL, "coverage": COVERAGE_GOAL}
    for entry, rubric in zip(value["rubrics"], report.rubrics, strict=True):
        made = decision(rubric, "en")
        entry["coverage"]["share"] = rubric.coverage.share
        entry["decision"] = {"state": made.state, "sentence": made.sentence, "more_labels": made.more_labels}
    text = json.dumps(_finite(value), ensure_ascii=False, indent=2, allow_nan=False)
    return _LONE.sub(lambda found: f"\\u{ord(found.group()):04x}", text) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
