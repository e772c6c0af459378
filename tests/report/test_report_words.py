import re
from pathlib import Path

import pytest

from judge.domain.estimates import Caution
from judge.domain.judging import RunState, Unscored
from judge.report.words import CHINESE_CAUTIONS, TEXTS, caution_text, known, placeholders, say

FOLDER = Path(__file__).parents[2] / "judge" / "report"
FAMILIES = ("label", "reason", "status", "unit", "counter", "share", "why", "state", "human", "compared", "kind")


@pytest.mark.parametrize("key", TEXTS)
def test_both_languages_say_the_same_key_with_the_same_placeholders(key):
    english, chinese = TEXTS[key]
    assert placeholders(english) == placeholders(chinese)
    assert bool(english) == bool(chinese) or key.startswith("counter_")
    assert not re.search("[\u4e00-\u9fff]", english)


def test_every_text_is_used():
    source = "".join(
        p.read_text("utf-8") for p in FOLDER.rglob("*") if p.suffix in (".py", ".j2") and "words" not in p.name
    )
    unused = [
        key
        for key in TEXTS
        if not re.search(rf"[\"']{key}[\"']", source)
        and key.split("_")[0] not in FAMILIES
        and not key.endswith("_hint")
    ]
    assert unused == []


def test_each_reason_and_state_of_the_nouns_has_its_words():
    assert [r for r in Unscored if f"reason_{r.value}" not in TEXTS] == []
    assert [s for s in RunState if s is not RunState.COMPLETE and f"state_{s.value}" not in TEXTS] == []


def test_say_fills_and_refuses_unknown_keys():
    assert say("zh", "made_with", version="judge 1") == "由 judge 1 生成"
    with pytest.raises(KeyError):
        say("en", "no such key")
    assert known("en", "status", "brand_new_reason") == "brand new reason"


def test_a_caution_is_worded_by_its_code_and_falls_back_to_its_english():
    sparse = Caution(code="sparse", text="Few of: a, b.", values={"labels": ["a", "b"]})
    assert caution_text(sparse, "en") == "Few of: a, b."
    assert caution_text(sparse, "zh").startswith("以下标签的评判或人工标签少于 5 个：a、b。")
    shipped = Caution(code="sparse", text="Few.", values={"labels": ["pass", "fail", "ours"]})
    assert "：通过、不通过、ours。" in caution_text(shipped, "zh")
    strata = Caution(code="stratum_unlabelled", text="x", values={"strata": ["not_enough_info"], "units": 31})
    assert "资料不足的 31 个单元" in caution_text(strata, "zh")
    assert caution_text(Caution(code="sparse", text="Few."), "zh") == "Few."
    assert caution_text(Caution(code="never_heard_of", text="Mind this."), "zh") == "Mind this."
    hostile = Caution(code="sparse", text="x", values={"labels": "{0.__class__}"})
    assert "{0.__class__}" in caution_text(hostile, "zh")


def test_chinese_cautions_can_be_filled_with_what_measure_gives():
    values = {"n": 20, "m": None, "n_effective": 12.5, "disagreed": True, "top": 0.9, "po": 0.95, "kappa": 0.4, "q": 3}
    values |= {"lo": 0.1, "hi": 0.9, "who": "judge", "label": "a", "labels": ["a"], "judge": "j", "family": "f"}
    values |= {"dataset": "d", "newest": 2, "judged": 1, "strata": ["a"], "units": 5, "people": "support@1"}
    values |= {"of": 30, "share": 0.25}
    for code in CHINESE_CAUTIONS:
        text = caution_text(Caution(code=code, text="fallback", values=values), "zh")
        assert text != "fallback"
        assert "{" not in text
