"""Recorded replies of real models come back through a real HTTP server and are read as they were recorded."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import Cli
from tests.servers.fixtures import Stub

SCALE = """
name: recorded
version: 1
unit: claim
question: {{en: 'Is the claim supported?'}}
inputs: [passages, claim]
scale:
{scale}
passing: [supported]
"""
WICE = SCALE.format(
    scale="""  - {name: supported, meaning: {en: all of it}}
  - {name: partially_supported, meaning: {en: some of it}}
  - {name: not_supported, meaning: {en: none of it}}"""
)
UHGEVAL = SCALE.format(
    scale="""  - {name: supported, meaning: {en: it fits}, synonyms: [续写符合现实]}
  - {name: not_supported, meaning: {en: it does not}, synonyms: [续写不符合现实]}"""
)


def play(
    cli: Cli, stub: Stub, write: Callable[..., Path], folder: Path, rubric: str, replies: list[str]
) -> dict[int, tuple[str | None, str | None]]:
    """Judge one claim a reply; (label, unscored) by place, read back from the store."""
    (folder / "recorded.yaml").write_text(rubric, "utf-8")
    passages = [{"id": "p", "text": "Nothing."}]
    claim = "Reply number {} is wanted."
    write(
        *(
            {
                "answer_id": f"a{place}",
                "question": "?",
                "answer": claim.format(f"<{place}>"),
                "passages": passages,
                "claims": [{"id": "c1", "text": claim.format(f"<{place}>"), "spans": []}],
            }
            for place in range(len(replies))
        )
    )
    assert cli("import", "answers.jsonl", "--dataset", "d").code == 0
    stub.script(when=[{"match": claim.format(f"<{place}>"), "content": reply} for place, reply in enumerate(replies)])
    ended = cli("run", "--rubric", "recorded.yaml", "--model", "openai/stub", "--api-base", stub.url, "--json")
    assert ended.code == 0, ended.err
    return verdicts(folder / "judge.db")


def verdicts(path: Path) -> dict[int, tuple[str | None, str | None]]:
    import sqlite3

    query = """SELECT a.key, v.label, v.unscored FROM verdicts v JOIN units u ON u.id = v.unit_id
               JOIN answers a ON a.id = u.answer_id"""
    connection = sqlite3.connect(path)
    rows = connection.execute(query).fetchall()
    connection.close()
    return {int(key[1:]): (label, unscored) for key, label, unscored in rows}


def recorded(shared: Path, name: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (shared / "data" / f"{name}.jsonl").read_text("utf-8").splitlines()]
    return [said for row in rows for claim in row["claims"] for said in claim["judge_labels"] if said.get("raw")]


def test_all_600_replies_of_gpt_are_read_as_recorded(
    shared: Path, cli: Cli, openai_stub: Stub, write: Callable[..., Path], tmp_path: Path
) -> None:
    said = recorded(shared, "wice_gpt")
    assert len(said) == 600
    found = play(cli, openai_stub, write, tmp_path, WICE, [one["raw"] for one in said])
    assert [found[place][0] for place in range(600)] == [one["label"] for one in said]


def test_chinese_replies_are_read_or_left_unread_but_never_turned_around(
    shared: Path, cli: Cli, openai_stub: Stub, write: Callable[..., Path], tmp_path: Path
) -> None:
    said = recorded(shared, "uhgeval_zh")
    distinct = list(dict.fromkeys(one["raw"] for one in said))
    found = play(cli, openai_stub, write, tmp_path, UHGEVAL, distinct)
    label = {raw: found[place][0] for place, raw in enumerate(distinct)}
    assert Counter(label[one["raw"]] for one in said if label[one["raw"]]) == {"supported": 4163, "not_supported": 70}
    assert not [one for one in said if one["label"] == "not_supported" and label[one["raw"]] == "supported"]
