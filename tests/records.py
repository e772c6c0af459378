"""Small records for tests of whole commands."""

from typing import Any


def record(number: int, claims: int) -> dict[str, Any]:
    texts = [f"Fact {number}-{claim} holds." for claim in range(1, claims + 1)]
    spans = [[start := 15 * place, start + len(text)] for place, text in enumerate(texts)]
    return {
        "answer_id": f"a{number}",
        "question": f"What holds in {number}?",
        "answer": "".join(text.ljust(15) for text in texts).rstrip(),
        "passages": [{"id": "p1", "text": " ".join(texts)}],
        "claims": [{"id": f"c{place + 1}", "text": text, "spans": [spans[place]]} for place, text in enumerate(texts)],
    }
