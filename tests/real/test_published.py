"""Agreement of judges that ran elsewhere equals what was published or recomputed (oracles/agreement.json)."""

from pathlib import Path

import pytest

from tests.conftest import Cli
from tests.real.conftest import Native


def kappa(cli: Cli, *options: str) -> tuple[float, int]:
    """Kappa and n; the README's row for them must hold both and the interval."""
    [result] = cli("agree", *options, "--json").json["results"]
    found = result["kappa"]
    words = f"{found['value']:.3f} ({found['low']:.3f} to {found['high']:.3f}) | {found['n']} |"
    assert words in (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    return round(found["value"], 3), found["n"]


def test_wice_chunk_by_chunk_on_three_labels(cli: Cli, native: Native) -> None:
    native("wice_gpt")
    counts = cli("import", "wice_gpt.jsonl", "--dataset", "wice", "--json").json
    assert (counts["answers"], counts["claims"], counts["verdicts"], counts["labels"]) == (300, 300, 1200, 300)
    assert kappa(cli, "--judge", "gpt-4-0613") == (0.371, 300)
    assert kappa(cli, "--judge", "gpt-3.5-turbo-0613") == (0.152, 300)


def test_a_judge_that_only_scored_is_left_out(cli: Cli, native: Native) -> None:
    native("wice_gpt")
    cli("import", "wice_gpt.jsonl", "--dataset", "wice")
    ended = cli("agree", "--judge", "t5-3b-anli (max over chunks)")
    assert ended.code == 2
    assert "was labelled" in ended.err or "no rubric" in ended.err


def test_factool_by_topic(cli: Cli, native: Native) -> None:
    native("factool_zh")
    cli("import", "factool_zh.jsonl", "--dataset", "factool")
    assert kappa(cli) == (0.336, 156)
    assert kappa(cli, "--where", "category=法律,医学") == (0.642, 104)
    assert kappa(cli, "--where", "category!=法律,医学") == (-0.154, 52)


def test_mtrag_against_the_strict_majority(cli: Cli, native: Native) -> None:
    native("mtrag_human")
    cli("import", "mtrag_human.jsonl", "--dataset", "mtrag")
    assert kappa(cli, "--judge", "RL_F", "--human", "majority") == (0.353, 239)
    [result] = cli("agree", "--judge", "RL_F", "--human", "majority", "--json").json["results"]
    assert result["dropped"]["tie"] == 7


@pytest.mark.parametrize(
    ("name", "options", "unit", "answers"),
    [
        ("mtrag_human", ("--without", "fiqa"), "answer by roll-up", 201),
        ("factool_zh", (), "answer by roll-up", 164),
        ("wice_gpt", (), "claim", 300),
    ],
)
def test_the_journey_on_real_answers(
    cli: Cli, native: Native, name: str, options: tuple[str, ...], unit: str, answers: int
) -> None:
    native(name, *options)
    assert cli("import", f"{name}.jsonl", "--dataset", name, "--json").json["answers"] == answers
    rules = name != "wice_gpt"
    if rules:
        assert cli("split", name, "--json").json["coverage"] > 0.99
    ran = cli("run", name, "--model", "baseline", *(["--claims", "rules"] if rules else []), "--json").json
    assert ran["judged"] + sum(ran["unscored"].values()) == ran["asked"] > 0
    assert set(ran["unscored"]) <= {"no_passages"}
    [result] = cli("agree", f"{name}-baseline", "--json").json["results"]
    assert result["unit"] == unit
    found = result["kappa"]
    words = f"{found['value']:.3f} ({found['low']:.3f} to {found['high']:.3f}) | {found['n']} |"
    assert words in (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    for lang in ("en", "zh"):
        assert cli("report", f"{name}-baseline", "--html", f"{lang}.html", "--lang", lang).code == 0
