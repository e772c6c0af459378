"""judge: an LLM judge is a measuring instrument; no figure of it without what people say of it.

The face, lazily imported: ``import judge`` costs nothing, ``judge.agree`` imports what it needs.
"""

from importlib import import_module
from typing import Any

_FACE = {
    "Plan": "judge.workflow.runs",
    "SplitPlan": "judge.workflow.model_splitting",
    "Settings": "judge.workflow.agreement",
    "Where": "judge.workflow.agreement",
    "agree": "judge.workflow.agreement",
    "agree_table": "judge.workflow.agree_table",
    "draw_sample": "judge.workflow.sampling",
    "export_labels": "judge.workflow.labelling",
    "import_file": "judge.workflow.imports",
    "import_labels": "judge.workflow.labelling",
    "judge_dataset": "judge.workflow.runs",
    "load_rubric": "judge.workflow.rubrics",
    "make_report": "judge.workflow.reporting",
    "open_model": "judge.workflow.models",
    "open_store": "judge.workflow.stores",
    "rendered": "judge.workflow.reporting",
    "show": "judge.workflow.showing",
    "split_by_model": "judge.workflow.model_splitting",
    "split_dataset": "judge.workflow.splitting",
}
__all__ = sorted(_FACE)  # noqa: PLE0605 - one list, kept in one place


def __getattr__(name: str) -> Any:
    if name not in _FACE:
        raise AttributeError(f"module 'judge' has no attribute {name!r}")
    return getattr(import_module(_FACE[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_FACE])
