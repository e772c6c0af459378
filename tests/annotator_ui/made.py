"""Makes a small database with a queue to label, by the journey's own steps."""

import json
from pathlib import Path
from typing import Any

from judge.store.database import Store
from judge.store.review import find_sample
from judge.store.tables import queues
from judge.workflow.imports import import_file
from judge.workflow.models import open_model
from judge.workflow.rubrics import load_rubric
from judge.workflow.runs import Plan, judge_dataset
from judge.workflow.sampling import draw_sample

QUEUE = "pilot"
RUBRICS = ("support", "relevance")


def plain_record(number: int) -> dict[str, Any]:
    """An answer with one claim."""
    text = f"Part {number} costs {number + 3} euros."
    return {
        "answer_id": f"a{number}",
        "question": f"What does part {number} cost?",
        "answer": text,
        "passages": [{"id": f"p{number}", "text": f"Price list: part {number}, {number + 3} euros, tax included."}],
        "claims": [{"id": "c1", "text": text, "spans": [[0, len(text)]]}],
    }


def make_queue(
    store: Store,
    folder: Path,
    records: list[dict[str, Any]],
    *,
    rubrics: tuple[str, ...] = RUBRICS,
    seats: int = 1,
    lease: float = 1800.0,
) -> str:
    """Import, judge by the baseline, and draw every claim into one queue; its name."""
    file = folder / "answers.jsonl"
    file.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")
    import_file(store, file, dataset="made", shipped={})
    loaded = [load_rubric(name) for name in rubrics]
    run = judge_dataset(store, "made", loaded, open_model("baseline"), name="baseline", plan=Plan())
    draw_sample(store, run.run, rubrics=rubrics, size=1000, design="random", seed=7, name=QUEUE)
    with store.write() as connection:
        sample = find_sample(connection, QUEUE)
        found = queues.update().where(queues.c.sample_id == sample.id)
        connection.execute(found.values(seats=seats, lease_seconds=lease))
    return QUEUE
