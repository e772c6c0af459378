"""``judge split``: what it reports, and two claim sets side by side."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Cli

ROWS = (
    {
        "answer_id": "a1",
        "question": "q",
        "answer": "您好！保修期为两年。它很轻。",
        "claims": [{"id": "x", "text": "它很轻。"}],
    },
    {
        "answer_id": "a2",
        "question": "q",
        "answer": "It is big. Is it old? I hope this helps!",
        "claims": [
            {"id": "y", "text": "It is big.", "spans": [[0, 10]]},
            {"id": "n", "text": "Is it old?", "spans": [[11, 21]], "checkable": False},
            {"id": "h", "text": "I hope this helps!", "spans": [[22, 40]], "checkable": False},
        ],
    },
    {"answer_id": "a3", "question": "q", "answer": "It is\x1b[2J red."},
)


@pytest.fixture
def both(cli: Cli, write: Callable[..., Path]) -> Cli:
    """A dataset with a claim set of its file and one by rules."""
    write(*ROWS)
    assert cli("import", "answers.jsonl", "--dataset", "d").code == 0
    assert cli("split").code == 0
    return cli


def test_split_says_what_it_left_out_and_how_fine_it_cuts(both: Cli) -> None:
    found = both("split", "--json").json
    assert found["not_checkable_by_reason"] == {"greeting": 1, "hedge": 1, "question": 1}
    assert (found["claims"], found["not_checkable"], found["uncovered"], found["coverage"]) == (4, 3, 0, 1.0)
    words = 11 / 1.5 + 10 + 4
    assert found["claims_per_100_words"] == pytest.approx(100 * 4 / words)
    printed = both("split").out
    assert "3 (greeting 1, hedge 1, question 1)" in printed
    assert "claims per 100 words" in printed
    assert "0 characters" in printed


def test_two_claim_sets_side_by_side(both: Cli) -> None:
    found = both("split", "--compare", "file", "rules", "--json").json
    assert (found["answers"], found["differing"]) == (2, 1), "a3 has no claims in the file"
    assert found["a"] == {
        **{"claim_set": "file", "splitter": "file", "answers": 2},
        **{"claims": 2, "not_checkable": 2, "only": 1},
    }
    assert (found["b"]["answers"], found["b"]["claims"], found["b"]["not_checkable"], found["b"]["only"]) == (
        3,
        3,
        3,
        3,
    )
    first, second = found["compared"]
    assert (first["answer"], first["only_a"], first["only_b"]) == ("a1", ["x"], ["s1", "c1", "c2"])
    assert (first["spans_only_a"], first["spans_only_b"]) == ([], [[0, 3], [3, 10], [10, 14]])
    assert [claim["text"] for claim in first["b"]] == ["您好！", "保修期为两年。", "它很轻。"]
    assert (second["only_a"], second["only_b"]) == ([], [])


def test_the_table_shows_the_first_differences(both: Cli) -> None:
    printed = both("split", "d", "--compare", "rules", "file", "--limit", "1").out
    assert "2, of which 1 differ" in printed
    assert "c1 保修期为两年。" in printed
    assert "s1 您好！ [greeting]" in printed
    assert "It is big." not in printed, "answers that are split alike are not listed"


def test_a_second_split_under_another_name(both: Cli) -> None:
    assert both("split", "--name", "again", "--json").json["claim_set"] == "again"
    found = both("split", "--compare", "rules", "again")
    assert "3, of which 0 differ" in found.out


def test_text_that_steers_a_terminal_is_made_visible(both: Cli, write: Callable[..., Path]) -> None:
    write({**ROWS[2], "claims": [{"id": "\x1b[1m", "text": "\x1b[2J"}]}, name="evil.jsonl")
    assert both("import", "evil.jsonl", "--dataset", "evil").code == 0
    both("split", "evil")
    assert "\x1b" not in both("split", "evil", "--compare", "file", "rules").out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--compare", "rules", "llm"], "d@1 has no claim set 'llm'; it has 'file', 'rules'"),
        (["--compare", "rules", "file", "--limit", "0"], "--limit is 0, expected 1 or more"),
        (["--name", "file"], "choose another name"),
    ],
)
def test_wrong_words(both: Cli, options: list[str], words: str) -> None:
    ended = both("split", *options)
    assert ended.code == 2
    assert words in ended.err
