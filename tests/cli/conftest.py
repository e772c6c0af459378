"""Small datasets that the scripted server judges or splits."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Cli, Ended
from tests.records import record
from tests.servers.fixtures import Stub

Run = Callable[..., Ended]
OK = json.dumps({"rationale": "r", "quote": "Fact", "label": "supported", "confidence": 0.9})


@pytest.fixture
def run(cli: Cli, openai_stub: Stub, write: Callable[..., Path]) -> Run:
    """Runs the shipped support rubric on a dataset of 3 answers with 2 claims each, imported once."""
    write(*(record(number, 2) for number in (1, 2, 3)))
    assert cli("import", "answers.jsonl", "--dataset", "d").code == 0

    def judge(*options: object, model: str = "openai/stub") -> Ended:
        return cli("run", "--model", model, "--api-base", openai_stub.url, *options, "--json")

    return judge


Split = Callable[..., Ended]
TEXTS = {
    "en": "Hello! The X2 weighs 3 kg and it runs on gas.[1] I hope this helps!",
    "zh": "您好！X2 型号重３公斤，使用燃气。　希望对您有帮助！",
    "plain": "It rains in Lima.",
}


def said(*entries: tuple[str, str, list[str]]) -> str:
    """A reply: (kind, text, quotes) of each statement."""
    claims = [{"quotes": quotes, "kind": kind, "text": text} for kind, text, quotes in entries]
    return json.dumps({"claims": claims}, ensure_ascii=False)


EN = said(
    ("greeting", "Hello!", ["Hello!"]),
    ("claim", "The X2 weighs 3 kg.", ["The X2 weighs 3 kg"]),
    ("claim", "The X2 runs on gas.", ["it runs on  gas."]),
    ("hedge", "I hope this helps!", ["I hope this helps!"]),
)
ZH = said(
    ("greeting", "您好！", ["您好！"]),
    ("claim", "X2型号重3公斤。", ["X2型号重3公斤"]),
    ("claim", "X2型号使用燃气。", ["使用燃气。"]),
    ("hedge", "希望对您有帮助！", ["希望对您有帮助!"]),
)
RAIN = said(("claim", "It rains in Lima.", ["It rains in Lima."]))
WHEN = [
    {"match": "X2 weighs", "content": EN},
    {"match": "型号重", "content": ZH},
    {"match": "rains", "content": RAIN},
]
UNAUTHORISED = {"status": 401, "json": {"error": {"message": "Incorrect API key"}}}


@pytest.fixture
def data(cli: Cli, write: Callable[..., Path]) -> Cli:
    """An English answer with a citation and a history, a Chinese one, a plain one, an empty one, and none."""
    history = [{"role": "user", "text": "Tell me about the X2."}]
    first = {"answer_id": "en", "question": "How heavy is it?", "answer": TEXTS["en"], "history": history}
    cites = {"passages": [{"id": "p1", "text": "t"}], "citations": [{"start": 45, "end": 48, "passage": "p1"}]}
    rest = [("zh", "它有多重？", TEXTS["zh"]), ("plain", "q", TEXTS["plain"]), ("empty", "q", " "), ("none", "q", None)]
    write({**first, **cites}, *({"answer_id": key, "question": asked, "answer": text} for key, asked, text in rest))
    assert cli("import", "answers.jsonl", "--dataset", "d").code == 0
    return cli


@pytest.fixture
def split(data: Cli, openai_stub: Stub) -> Split:
    """Splits the dataset by the stub."""

    def play(*options: object, model: str = "openai/stub") -> Ended:
        return data("split", "--splitter", model, "--api-base", openai_stub.url, *options, "--json")

    return play
