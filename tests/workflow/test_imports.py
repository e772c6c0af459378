"""Import: all of it or nothing, once, with what the file brings along."""

import gc
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from judge.domain.claims import UnitKind
from judge.domain.errors import InputError, UsageError
from judge.domain.rubrics import Rubric, ScaleLabel
from judge.store import tables
from judge.store.answers import answer_ids, load_answers
from judge.store.claims import list_claim_sets, load_claims, split_totals
from judge.store.database import Store, open_database
from judge.store.datasets import list_datasets
from judge.store.review import current_labels, drawn_units, list_samples, rubrics_of
from judge.store.rubrics import list_rubrics, load_rubric
from judge.store.runs import judges_of, list_runs
from judge.store.units import load_units
from judge.store.verdicts import verdict_labels
from judge.workflow.imports import ImportSummary, import_file

Write = Callable[..., Path]
SUPPORT = Rubric(
    name="support",
    version=1,
    unit=UnitKind.CLAIM,
    question={"en": "?"},
    scale=(
        ScaleLabel(name="supported", meaning={"en": "yes"}, title={"zh": "支持"}),
        ScaleLabel(name="not_supported", meaning={"en": "no"}),
    ),
    passing=("supported",),
)
PASSAGE = {"id": "p1", "text": "猫睡十五个小时。"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_database(f"sqlite:///{tmp_path / 'judge.db'}")
    yield opened
    opened.close()


def _row(key: str, **more: Any) -> dict[str, Any]:
    return {"answer_id": key, "question": "猫？", "answer": "Cats sleep. 猫睡。", "passages": [PASSAGE], **more}


def _judged(key: str, **more: Any) -> dict[str, Any]:
    claims = [
        {"id": "c1", "text": "Cats sleep.", "spans": [[0, 11]]},
        {"id": "c2", "text": "猫睡。", "spans": [[12, 15]]},
    ]
    verdicts = [
        {"claim": "c1", "rubric": "support", "judge": "gpt", "label": "支持", "raw": "支持。", "confidence": 0.9}
    ]
    labels = [{"claim": "c1", "rubric": "support", "annotator": "李", "label": "supported", "seconds": 2}]
    return _row(key, **{"claims": claims, "verdicts": verdicts, "labels": labels, **more})


def _import(store: Store, path: Path, **more: Any) -> ImportSummary:
    return import_file(store, path, **{"dataset": "d", "shipped": {"support": SUPPORT}, **more})


def _rows_in(store: Store) -> dict[str, int]:
    with store.read() as connection:
        count = sa.select(sa.func.count())
        return {
            table.name: connection.execute(count.select_from(table)).scalar_one()
            for table in tables.metadata.sorted_tables
        }


def test_everything_in_a_file_is_kept(store: Store, write: Write) -> None:
    done: list[int] = []
    summary = _import(store, write(_judged("a1"), _row("a2")), corpus_version="v1", top_k=3, progress=done.append)
    assert summary[:8] == ("d", 1, 1, 2, 1, 2, 1, 1)
    assert (summary.rejected, summary.new, done[-1]) == (0, True, 2)
    with store.read() as connection:
        dataset = list_datasets(connection)[0]
        assert (dataset.answers, dataset.corpus_version, dataset.top_k) == (2, "v1", 3)
        ids = answer_ids(connection, dataset.id)
        assert [answer.key for answer in load_answers(connection, ids).values()] == ["a1", "a2"]
        claim_set = list_claim_sets(connection, dataset.id)[0]
        assert (claim_set.name, claim_set.splitter) == ("file", "file")
        claims = load_claims(connection, claim_set.id, ids)
        assert [claim.key for _, claim in claims[ids[0]]] == ["c1", "c2"]
        run = list_runs(connection)[0]
        assert (run.name, run.state.value, run.claim_set_id, run.settings) == (
            "d-gpt",
            "complete",
            claim_set.id,
            {"source": "file"},
        )
        judge = judges_of(connection, run.id)[0]
        assert (judge.judge.provider, judge.judge.model, judge.judge.rubric) == ("file", "gpt", SUPPORT.hash.hex())
        unit_id = claims[ids[0]][0][0]
        assert verdict_labels(connection, judge.id) == {unit_id: "supported"}
        sample = list_samples(connection)[0]
        assert (sample.name, sample.design, sample.claim_set_id) == ("d-file", "file", claim_set.id)
        assert [load_rubric(connection, one) for one in rubrics_of(connection, sample.id)] == [SUPPORT]
        assert [(draw.unit_id, draw.probability) for draw in drawn_units(connection, sample.id)] == [(unit_id, 1.0)]
        label = current_labels(connection, [unit_id])[0]
        assert (label.user, label.label, label.seconds) == ("李", "supported", 2.0)


def test_the_same_content_adds_nothing_and_changed_content_is_a_version(store: Store, write: Write) -> None:
    path = write(_judged("a1"), _row("a2"))
    first = _import(store, path)
    before = _rows_in(store)
    reordered = write(dict(reversed(_judged("a1").items())), _row("a2"), name="again.jsonl")
    assert _import(store, reordered) == first._replace(new=False)
    assert _rows_in(store) == before
    changed = _import(store, write(_judged("a1"), _row("a2", answer="Cats bark.")))
    assert (changed.version, changed.new, changed.answers) == (2, True, 2)
    assert _rows_in(store)["passages"] == before["passages"]
    with store.read() as connection:
        assert [run.name for run in list_runs(connection)] == ["d-gpt", "d-gpt-2"]
        assert [sample.name for sample in list_samples(connection)] == ["d-file", "d-file-2"]
    assert _import(store, path, dataset="other").new


def test_bad_rows_are_listed_and_nothing_is_imported(store: Store, write: Write) -> None:
    bad: list[Any] = [{"question": "q"}, {**_row("x"), "anwser": 1}, [1], *({"answer": i} for i in range(5))]
    path = write(_row("a1"), *bad, _row("a2"))
    before = _rows_in(store)
    with pytest.raises(InputError) as caught:
        _import(store, path, bad_limit=3)
    lines = str(caught.value).splitlines()
    assert lines[0].endswith("8 of 10 rows are bad, nothing was imported; mend them or use --skip-bad:")
    assert [line.strip().startswith(f"{path}:{n}: ") for n, line in enumerate(lines[1:4], 2)] == [True] * 3
    assert lines[4].strip() == "and 5 more"
    assert _rows_in(store) == before
    summary = _import(store, path, skip_bad=True, bad_limit=2)
    assert (summary.answers, summary.rejected, len(summary.problems)) == (2, 8, 2)


def test_a_file_without_a_good_row_is_refused_even_then(store: Store, write: Write) -> None:
    with pytest.raises(InputError, match="1 of 1 rows is bad"):
        _import(store, write({"question": "q"}), skip_bad=True)


def test_repeats_name_the_earlier_line(store: Store, write: Write) -> None:
    rows = [
        _row("a1", query_id="q"),
        _row("a2", query_id="q", question="other?"),
        _row("a1", query_id="q2"),
        _row("a3", query_id="q", reference="r"),
        _row("a4", query_id="q", reference="s"),
        _row("a5", query_id="q", history=[{"role": "user", "text": "hi"}]),
        {"question": "q", "answer": "a"},
        {"question": "q", "answer": "a", "metadata": {"x": 1}},
    ]
    path = write(*rows)
    with pytest.raises(InputError) as caught:
        _import(store, path)
    listed = str(caught.value).replace(str(path), "f").splitlines()[1:]
    assert [line.strip() for line in listed] == [
        "f:2: another `question` or `history` of the same `query_id` than line 1, expected one query under one id",
        "f:3: `answer_id` stands in line 1 already, expected each answer once",
        "f:5: another `reference` of the same `query_id` than line 4, expected one query under one id",
        "f:6: another `question` or `history` of the same `query_id` than line 1, expected one query under one id",
        "f:8: the same question, answer, system and passages as line 7; remove it or give `answer_id`",
    ]
    summary = _import(store, path, skip_bad=True)
    assert (summary.answers, summary.rejected) == (3, 5)
    with store.read() as connection:
        found = load_answers(connection, answer_ids(connection, summary.id))
    assert [answer.query.reference for answer in found.values()] == ["r", "r", None]


def test_one_corpus_version_a_file(store: Store, write: Write) -> None:
    path = write(_row("a1", corpus_version="v1"), _row("a2"), _row("a3", corpus_version="v2"))
    with pytest.raises(InputError, match=r":3: `corpus_version` is 'v2', expected 'v1' as in line 1"):
        _import(store, path)
    with pytest.raises(InputError, match=r":1: `corpus_version` is 'v1', expected 'v9' as in the option"):
        _import(store, path, corpus_version="v9")
    assert _import(store, path, skip_bad=True).answers == 2


def test_a_passage_judged_beside_two_answers_of_a_query_is_one_unit(store: Store, write: Write) -> None:
    verdict = {"passage": "p1", "rubric": "rel", "judge": "j", "label": "1"}
    label = {"passage": "p1", "rubric": "rel", "annotator": "a", "label": "1", "probability": 0.25}
    same = [_row(key, query_id="q", verdicts=[verdict], labels=[label]) for key in ("a1", "a2")]
    summary = _import(store, write(*same))
    assert (summary.verdicts, summary.labels) == (1, 1)
    with store.read() as connection:
        draws = drawn_units(connection, list_samples(connection)[0].id)
        assert [draw.probability for draw in draws] == [0.25]
        assert [unit.key for unit in load_units(connection, [draw.unit_id for draw in draws]).values()] == ["q@p1"]
        assert list_samples(connection)[0].claim_set_id is None
    other = _row("a3", query_id="q", labels=[{**label, "label": "2"}])
    with pytest.raises(
        InputError, match=r":3: `verdicts` or `labels` say of a passage of this query something else than"
    ):
        _import(store, write(*same, other))


def test_values_nested_too_deeply_are_bad_rows(store: Store, tmp_path: Path) -> None:
    deep = ["[" * 300 + "]" * 300, "[" * 1010 + '"\\u0000"' + "]" * 1010]
    path = tmp_path / "deep.jsonl"
    path.write_text("".join(f'{{"question": "q", "answer": "a", "metadata": {{"x": {value}}}}}\n' for value in deep))
    with pytest.raises(InputError, match=r"2 of 2 rows are bad[^:]*:\n.*:1: .*less deeply\n.*:2: .*less deeply"):
        _import(store, path)


def test_reasoning_and_nul_are_counted(store: Store, write: Write) -> None:
    summary = _import(store, write(_row("a1", answer="<think>x</think>Yes."), _row("a2", answer="a\0b")))
    assert (summary.reasoning_moved, summary.nul_replaced) == (1, 1)


def test_a_file_of_many_parts_keeps_its_order(store: Store, write: Write) -> None:
    rows = [_judged(f"a{i}", question=f"q{i % 700}", verdicts=[], labels=[]) for i in range(1100)]
    summary = _import(store, write(*rows))
    assert (summary.answers, summary.claims, _rows_in(store)["queries"]) == (1100, 2200, 700)
    with store.read() as connection:
        ids = answer_ids(connection, summary.id, limit=2000)
        found = load_answers(connection, ids)
    assert [(answer.key, answer.query.text) for answer in found.values()] == [
        (f"a{i}", f"q{i % 700}") for i in range(1100)
    ]


def test_an_interrupted_import_leaves_nothing(store: Store, write: Write) -> None:
    path = write(*(_judged(f"a{i}") for i in range(700)))
    before, told = _rows_in(store), []

    def stop(done: int) -> None:
        told.append(done)
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _import(store, path, progress=stop)
    assert told == [700, 500]
    assert _rows_in(store) == before
    assert _import(store, path).new


@pytest.mark.parametrize("change", ["other", "shorter"])
def test_a_file_that_changes_while_it_is_read_is_refused(store: Store, write: Write, change: str) -> None:
    rows = [_judged(f"a{i}") for i in range(3)]
    path, before = write(*rows), _rows_in(store)
    told: list[int] = []

    def meddle(done: int) -> None:
        if not told:
            write(*(rows[:2] if change == "shorter" else [*rows[:2], {"question": "q", "answer": 3}]))
        told.append(done)

    with pytest.raises(InputError, match=r":3: the file changed while it was read; import it again"):
        _import(store, path, progress=meddle)
    assert _rows_in(store) == before


def test_the_cycle_collector_is_as_it_was_afterwards(store: Store, write: Write) -> None:
    assert gc.isenabled()
    with pytest.raises(InputError):
        _import(store, write({"question": "q"}))
    assert gc.isenabled()
    gc.disable()
    try:
        _import(store, write(_row("a1")))
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_rubric_options(store: Store, write: Write) -> None:
    rows = write(_judged("a1", labels=[{"rubric": "q", "annotator": "a", "label": "3"}]))
    own = SUPPORT.model_copy(update={"name": "own"})
    summary = _import(store, rows, rubric_files={"support": own}, passing=["3"])
    assert summary.new
    with store.read() as connection:
        found = {one.name: one.rubric for one in list_rubrics(connection)}
    assert set(found) == {"own", "d/q/answer"}
    assert found["d/q/answer"].passing == ("3",)
    assert not _import(store, rows, rubric_files={"support": own}, passing=["3"]).new
    assert _import(store, rows, rubric_files={"support": own}).version == 2
    with pytest.raises(InputError, match="--passing"):
        _import(store, rows, passing=["7"])


@pytest.mark.parametrize("name", ["", "7", "a/b", "a@1", "a b", "-x", "٣", "..\\x"])
def test_names_that_name_no_dataset(store: Store, write: Write, name: str) -> None:
    with pytest.raises(UsageError, match="can't name a dataset"):
        _import(store, write(_row("a1")), dataset=name)


def test_names_of_any_script(store: Store, write: Write) -> None:
    assert _import(store, write(_row("a1")), dataset="产品-问答_v1.2").dataset == "产品-问答_v1.2"


def test_standard_input(tmp_path: Path) -> None:
    code = (
        "from judge.store.database import open_database\n"
        "from judge.workflow.imports import import_file\n"
        f"store = open_database({f'sqlite:///{tmp_path}/j.db'!r})\n"
        "try:\n"
        "    print(import_file(store, '-', dataset='d', shipped={}).answers)\n"
        "except Exception as error:\n"
        "    print(error)\n"
    )

    def run(text: str) -> str:
        done = subprocess.run(  # the only way to give a program a real standard input
            [sys.executable, "-c", code], input=text.encode(), capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    assert run(json.dumps(_row("a1")) + "\n") == "1"
    assert run("") == "standard input: the file holds no records, expected one JSON object a line"


@pytest.mark.parametrize(
    ("name", "options", "counts"),
    [
        ("mtrag_human", ("--without", "fiqa"), (201, 141, 0, 603, 2369)),
        ("wice_gpt", (), (300, 3552, 300, 1200, 300)),
        ("factool_zh", (), (164, 4902, 883, 1047, 156)),
        ("uhgeval_zh", (), (1812, 900, 1812, 5436, 1812)),
        ("llmjudge_relevance", ("--limit", "3"), (3, 354, 0, 3540, 354)),
        ("factcheck_bench", (), (94, 3290, 678, 0, 631)),
    ],
)
def test_real_files(
    store: Store, tmp_path: Path, shared: Path, name: str, options: tuple[str, ...], counts: tuple[int, ...]
) -> None:
    path = tmp_path / f"{name}.jsonl"
    with path.open("wb") as file:
        tool: list[str | Path] = [
            sys.executable,
            shared / "tools" / "to_native.py",
            shared / "data" / f"{name}.jsonl",
            *options,
        ]
        subprocess.run(tool, stdout=file, check=True)
    summary = _import(store, path, dataset=name)
    assert summary[3:8] == counts
    assert not _import(store, path, dataset=name).new
    with store.read() as connection:
        rubrics = {one.name: one.rubric for one in list_rubrics(connection)}
        runs = list_runs(connection)
        assert (
            len({run.name for run in runs})
            == len(runs)
            == {"wice_gpt": 4, "llmjudge_relevance": 10}.get(name, len(runs))
        )
        if counts[2]:
            assert split_totals(connection, list_claim_sets(connection, summary.id)[0].id).claims == counts[2]
    if name == "llmjudge_relevance":
        assert rubrics["llmjudge_relevance/relevance/passage"].labels == ("0", "1", "2", "3", "5", "10")
    if name == "factool_zh":
        assert rubrics["factool_zh/support/answer"].passing == ("supported",)
        assert rubrics["support"] == SUPPORT
