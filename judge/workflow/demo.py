"""Demo: the whole journey on answers that come with judge, with the embedded baseline judge."""

from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

import orjson

from judge.domain.results import Report
from judge.domain.review import Outcome
from judge.store.database import Store
from judge.store.review import find_sample
from judge.workflow.agreement import AUTHOR
from judge.workflow.files import write_whole
from judge.workflow.imports import import_file
from judge.workflow.labelling import Given, give_labels, queue_items, rubrics_asked
from judge.workflow.models import open_model
from judge.workflow.reporting import Kind, Language, make_report, rendered
from judge.workflow.rubrics import load_rubric
from judge.workflow.runs import Plan, judge_dataset
from judge.workflow.sampling import draw_sample
from judge.workflow.splitting import split_dataset

DATASET, RUBRICS, SIZE, SEED = "demo", ("support", "relevance"), 100, 7


class DemoSummary(NamedTuple):
    """What the demo did."""

    report: Report
    labels: int
    files: dict[Kind, Path]


def run_demo(store: Store, folder: Path, lang: Language) -> DemoSummary:
    """Import, split, judge, sample, label (by construction), and write the report; again it adds nothing."""
    with as_file(files("judge.demo") / "answers.jsonl") as path:
        import_file(store, str(path), dataset=DATASET, shipped={name: load_rubric(name) for name in RUBRICS})
    split_dataset(store, DATASET)
    rubrics = [load_rubric(name) for name in RUBRICS]
    run = judge_dataset(store, DATASET, rubrics, open_model("baseline"), name="baseline", plan=Plan())
    sample = draw_sample(store, run.run, rubrics=RUBRICS, size=SIZE, design="verdict", seed=SEED)
    labels = _label(store, sample.queue)
    report = make_report(store, run.run)
    written: dict[Kind, Path] = {
        "html": folder / "report.html",
        "json": folder / "report.json",
        "md": folder / "report.md",
    }
    for kind, path in written.items():
        write_whole(path, rendered(report, kind, lang).encode())
    return DemoSummary(report, labels, written)


def _label(store: Store, queue: str) -> int:
    """Give the drawn claims the labels that they were written to have."""
    text = (files("judge.demo") / "labels.jsonl").read_text("utf-8")
    known = {(row["answer_id"], row["text"]): row for row in map(orjson.loads, text.splitlines())}
    with store.write(durable=True) as connection:
        sample = find_sample(connection, queue)
        rubrics = rubrics_asked(connection, sample)
        given = []
        for item in queue_items(connection, sample):
            row = known[item.answer.key, item.claim.text if item.claim else ""]
            given += [
                Given(item.unit_id, rubric_id, AUTHOR, Outcome.LABEL, row[rubric.name])
                for rubric_id, rubric in rubrics.items()
            ]
        return give_labels(connection, given, source="demo")
