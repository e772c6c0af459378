import json
import math

from judge.domain.results import Report, RubricReport
from judge.report import to_json
from tests.report.report_sample import agreement, estimate, relevance, report, rubric, support


def test_the_keys_are_the_nouns_own_and_the_stated_few_more():
    found = json.loads(to_json(report()))
    assert list(found) == [*Report.model_fields, "goal"]
    assert list(found["rubrics"][0]) == [*RubricReport.model_fields, "decision"]
    assert found["goal"] == {"kappa": 0.6, "coverage": 0.95}
    assert list(found["rubrics"][0]["decision"]) == ["state", "sentence", "more_labels"]
    assert [one["decision"]["state"] for one in found["rubrics"]] == ["trusted", "unchecked"]


def test_numbers_are_numbers_and_the_missing_is_null():
    found = json.loads(to_json(report(support(), relevance())))
    kappa = found["rubrics"][0]["agreement"]["kappa"]
    assert (kappa["value"], kappa["low"], kappa["n"]) == (0.72, 0.65, 200)
    assert found["rubrics"][0]["slices"][3]["kappa"]["value"] is None
    assert found["rubrics"][0]["slices"][3]["kappa"]["status"] == "undefined_single_class"
    assert found["cost"] is None
    assert found["rubrics"][0]["coverage"]["share"] == 233 / 240
    assert found["rubrics"][1]["agreement"] is None


def test_not_finite_is_null_never_a_bare_nan():
    odd = agreement().model_copy(update={"kappa": estimate(math.nan, -math.inf, 1.0)})
    text = to_json(report(rubric(odd)))
    assert json.loads(text)["rubrics"][0]["agreement"]["kappa"]["value"] is None
    assert "NaN" not in text
    assert "Infinity" not in text


def test_any_text_can_be_written_as_utf8_and_comes_back():
    text = to_json(report(run='中文 \ud800 "quote" \u2028'))
    text.encode("utf-8")
    assert "客服问答" in text
    assert json.loads(text)["run"] == '中文 \ud800 "quote" \u2028'


def test_the_same_report_gives_the_same_text():
    assert to_json(report()) == to_json(report())
    assert to_json(report()).endswith("}\n")
