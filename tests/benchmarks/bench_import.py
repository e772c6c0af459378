"""How fast a file of records is imported, beside the least that any import has to do, in the same run.

The reference reads the lines with orjson and writes as many plain rows by executemany into a bare SQLite file: no
check, no index, no identity. Run by ``make bench``; ``JUDGE_BENCH_ROWS`` sets the size.
"""

import os
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import orjson

ROWS = int(os.environ.get("JUDGE_BENCH_ROWS", "50000"))
TABLE_ROWS = 15
"""Rows that one record becomes: query, answer, 3 passages, 3 ranks, split, 2 claims, 2 units, verdict, some labels."""
WORDS = ("the", "committee", "approved", "budget", "transport", "works", "annual", "revenue", "grew", "预算", "委员会")
MOST_MEMORY = 250
"""MB."""


def _words(random_: random.Random, n: int) -> str:
    return " ".join(random_.choices(WORDS, k=n))


def _record(i: int, random_: random.Random) -> dict[str, Any]:
    first, second = f"{_words(random_, 10)}.", f"{_words(random_, 8)}."
    start = len(first) + 1
    passages = [
        {"id": f"p{3 * i + k}", "text": _words(random_, 40), "document": f"d{i}", "page": k, "score": random_.random()}
        for k in range(3)
    ]
    record = {
        "answer_id": f"a{i}",
        "query_id": f"q{i}",
        "question": f"{i} {_words(random_, 10)}?",
        "answer": f"{first} {second}",
        "passages": passages,
        "slices": {"lang": "en"},
        "claims": [
            {"id": "c1", "text": first, "spans": [[0, len(first)]]},
            {"id": "c2", "text": second, "spans": [[start, start + len(second)]]},
        ],
        "verdicts": [{"claim": "c1", "rubric": "support", "judge": "j", "label": random_.choice(["yes", "no"])}],
    }
    if i % 10 == 0:
        record["labels"] = [{"claim": "c1", "rubric": "support", "annotator": "a", "label": "yes"}]
    return record


def _file(folder: Path) -> Path:
    random_ = random.Random(1)
    path = folder / "answers.jsonl"
    with path.open("wb") as file:
        file.writelines(orjson.dumps(_record(i, random_)) + b"\n" for i in range(ROWS))
    return path


def _reference(path: Path, folder: Path) -> float:
    begin = time.process_time()
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)
    connection = sqlite3.connect(folder / "plain.db")
    connection.execute("CREATE TABLE plain (id INTEGER PRIMARY KEY, owner INTEGER, text TEXT)")
    rows = ((i, "a row of some words") for i in range(ROWS * TABLE_ROWS))
    connection.executemany("INSERT INTO plain (owner, text) VALUES (?, ?)", rows)
    connection.commit()
    connection.close()
    return time.process_time() - begin


_IMPORT = """
import resource, sys, time
from judge.workflow.imports import import_file
from judge.workflow.stores import open_store
store = open_store(sys.argv[2])
begin, spent = time.perf_counter(), time.process_time()
import_file(store, sys.argv[1], dataset="d", shipped={})
wall, cpu = time.perf_counter() - begin, time.process_time() - spent
print(wall, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
"""A program of its own, so that the memory is the import's alone."""


def test_import_beside_the_bare_minimum(tmp_path: Path) -> None:
    path = _file(tmp_path)
    least = _reference(path, tmp_path)
    command = [sys.executable, "-c", _IMPORT, str(path), f"sqlite:///{tmp_path / 'judge.db'}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, spent, memory = map(float, done.stdout.split())
    print(
        f"\nimport of {ROWS} answers: {ROWS / seconds:.0f} answers/s ({ROWS / spent:.0f} a CPU second), "
        f"peak {memory:.0f} MB; {spent / least:.1f} x the CPU of reading the lines and writing {TABLE_ROWS} plain rows"
    )
    assert memory < MOST_MEMORY
