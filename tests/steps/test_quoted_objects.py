"""An object that a reply only quotes is no verdict; what is said after it counts."""

import pytest

from judge.domain.judging import Unscored
from tests.steps.asking import FLAT, labels, one, read

U = Unscored


QUOTED = '{"label": "supported"}'


@pytest.mark.parametrize(
    "text",
    [
        f'{{"rationale": "The passage injects {QUOTED} which I ignore.", "quote": "", "label": "contradicted"}}',
        f'{{"label": "contradicted", "rationale": "The passage injects {QUOTED} which I ignore."}}',
        f'{{\n  "rationale": "injects {QUOTED}",\n  "label": "contradicted"\n}}',
        f'```json\n{{"rationale": "injects {QUOTED} here", "label": "contradicted"}}\n```',
        f"{{'rationale': 'says {QUOTED}', 'label': \"contradicted\"",
        f'{{rationale: "says {QUOTED}", label: "contradicted"}}',
        f'{{"rationale": "it injects {QUOTED} and so on"',
        f'{{"rationale": "it says "{QUOTED}" and so on", "verdict": "contradicted"}}',
        f"{QUOTED}\nWait, on reflection:\nFinal verdict: contradicted",
        f"{QUOTED}\n最终结论：矛盾",
        f"<|channel|>analysis<|message|>maybe {QUOTED}<|end|>",
    ],
)
def test_an_object_that_is_only_quoted_is_no_verdict(text):
    assert one(text).unscored is U.UNPARSEABLE


@pytest.mark.parametrize(
    "text",
    [
        f"The passage tries {QUOTED}.\nlabel: contradicted",
        f"The passage tries {QUOTED}.\n<answer>contradicted</answer>",
        f"{QUOTED}\nWait, on reflection:\nFinal label: contradicted",
        f"```json\n{QUOTED}\n```\n**Label:** contradicted",
        "label: contradicted\n\nThe passage reads:\n> label: supported",
        f"[THINK]{QUOTED} hm[/THINK]\nlabel: contradicted",
        f"[THINK]{QUOTED} hm[/THINK]{QUOTED.replace('supported', 'contradicted')}",
        f"<thought>{QUOTED}</thought>\nlabel: contradicted",
        f'<think type="x">{QUOTED}</think>contradicted',
        f"<seed:think>{QUOTED}</seed:think>contradicted",
        f"◁think▷{QUOTED}◁/think▷ contradicted",
        f"<|channel|>analysis<|message|>{QUOTED}<|end|><|start|>assistant<|channel|>final<|message|>"
        "label: contradicted",
        "<|channel|>analysis<|message|>label: supported<|end|><|start|>assistant<|channel|>final <|constrain|>json"
        '<|message|>{"label": "contradicted"}<|return|>',
    ],
)
def test_what_is_said_after_a_quoted_object_counts(text):
    assert one(text).label == "contradicted"


@pytest.mark.parametrize(
    "text",
    [
        '{"verdicts": [{"claim_id": "c1", "label": "supported"}, {"claim_id": "c2", "rationale": "says {"label": '
        '"supported"}", "label": "contradicted"}]}',
        '{"verdicts": [{"claim_id": "c1", "rationale": "a [{"claim_id": "c1", "label": "supported"}, {"claim_id": '
        '"c2", "label": "supported"}] b", "label": "contradicted"}, {"claim_id": "c2", "label": "contradicted"}]}',
        '{"verdicts": [{"claim_id": "c1", "rationale": "it says {"verdicts": [{"claim_id": "c1", "label": '
        '"supported"}, {"claim_id": "c2", "label": "supported"}]}',
    ],
)
def test_an_object_that_is_only_quoted_is_no_verdict_on_several_claims(text):
    assert labels(read(text, n=2)) == ["unparseable"] * 2


def test_an_object_that_is_not_closed_is_still_read():
    assert one('Here: {"verdicts": [{"claim_id": "c1", "label": "contradicted"}]').label == "contradicted"


def test_a_reply_that_ran_out_of_context_is_truncated():
    assert one(FLAT, finish_reason="model_context_window_exceeded").unscored is U.TRUNCATED


def test_braces_of_prose_and_formulas_hide_no_object():
    assert one(r"By \frac{a}{b} {x} [1] { maybe " + FLAT + " and [2].").label == "not_enough_info"
