"""Small answers, claims and requests for the tests of prompts and replies."""

import json

from judge.domain.answers import Answer, Passage, Query, Retrieved, Turn
from judge.domain.claims import Claim, UnitKind
from judge.domain.judging import Prompt, Reply, Request, Subject, Usage
from judge.domain.rubrics import Rubric, ScaleLabel
from judge.steps.verdicts import read_reply
from judge.workflow.rubrics import load_rubric

FLAT = '{"rationale": "r", "quote": "", "label": "not_enough_info", "confidence": 0.8}'
SUPPORT = load_rubric("support")
RELEVANCE = load_rubric("relevance")


def answer(
    text="The store opens at 9 am. It is closed on Mondays. Dogs are welcome.", passages=("Open from 9 am.",), **kw
):
    found = tuple(
        Retrieved(rank=n, passage=Passage(key=f"p{n}", text=passage)) for n, passage in enumerate(passages, start=1)
    )
    query = Query(key="q", text=kw.pop("question", "When does the store open?"), history=kw.pop("history", ()))
    return Answer(key="a", query=query, text=text, passages=found, **kw)


def claims(*texts, **kw):
    return tuple(Claim(key=f"file-{n}", text=text, **kw) for n, text in enumerate(texts))


def turn(role, text):
    return Turn(role=role, text=text)


def request(n=1, rubric=SUPPORT, passages=("Open from 9 am.",)):
    """A request for claims c1..cn with units 11, 12, ...; n = 0 asks about the answer."""
    asked = tuple(Claim(key=f"c{i + 1}", text=f"claim {i + 1}") for i in range(n))
    subject = Subject(answer=answer(passages=passages), claims=asked, rubric=rubric, language="en")
    prompt = Prompt(messages=(), subject=subject)
    units = tuple(11 + i for i in range(max(1, n)))
    return Request(prompt=prompt, provider="openai", base_url="", model="m", unit_ids=units)


def scale(*labels, unit=UnitKind.CLAIM, synonyms=None, **kw):
    spoken = synonyms or {}
    return Rubric(
        name="test",
        version=1,
        unit=unit,
        question={"en": "?"},
        scale=tuple(ScaleLabel(name=x, meaning={"en": x}, synonyms=tuple(spoken.get(x, ()))) for x in labels),
        **kw,
    )


def reply(text, **kw):
    return Reply(text=text, usage=kw.pop("usage", Usage()), **kw)


def read(text, n=1, rubric=SUPPORT, passages=("Open from 9 am.",), **kw):
    return read_reply(reply(text, **kw), request(n, rubric, passages))


def one(text, **kw):
    return read(text, **kw).verdicts[0]


def batch(*pairs):
    return json.dumps({"verdicts": [{"claim_id": key, "label": label} for key, label in pairs]})


def labels(reading):
    return [verdict.label or str(verdict.unscored) for verdict in reading.verdicts]
