"""Values of foreign files as the native format has them: lists out of texts, passages out of strings, strict types."""

import ast
import io
import math
import re
import tokenize
import warnings
from typing import Any

import orjson

from judge.domain.base import content_hash
from judge.domain.errors import InputError
from judge.steps.records import kind_of

MOST_LITERAL = 1_000_000
"""Characters of a Python literal that are parsed; JSON has no limit but the line's."""
TEXTS = frozenset(
    {"question", "answer", "reference", "answer_id", "query_id", "system", "corpus_version", "model", "model_family"}
) | {"reasoning_content"}
NUMBERS = frozenset({"top_k", "latency_ms"})
LISTS = frozenset({"history", "passages", "evidence_sets", "citations", "claims", "verdicts", "labels"})
OBJECTS = frozenset({"config", "grades", "rankings", "slices", "metadata"})
KEYS = TEXTS | NUMBERS | LISTS | OBJECTS
"""All keys of a native record."""
_ID = ("id", "passage_id", "doc_id", "document_id", "chunk_id", "docid", "pid", "id_")
_TEXT = ("text", "page_content", "content", "passage", "chunk", "body")
_KEPT = ("document", "page", "object", "score")
_BESIDE = re.compile(r"['\"]\s+['\"]")
_ROLES = {"human": "user", "ai": "assistant", "agent": "assistant", "bot": "assistant"}


def fit(key: str, value: Any, where: str) -> Any:
    """A value for a native key; None: there is none.

    Raises:
        InputError: nothing of the key's type can be read from it.
    """
    if value is None:
        return None
    if key in TEXTS:
        return text_of(value, key, where)
    if key in NUMBERS:
        return _number(value, key, where)
    if isinstance(value, str):
        value = None if not value.strip() and key != "passages" else parsed(value)
    if key == "passages":
        return passages_of(value, where)
    if key == "history":
        return history_of(value, where)
    if value is not None and not isinstance(value, dict if key in OBJECTS else list):
        expected = "an object" if key in OBJECTS else "a list"
        raise InputError(where, f"`{key}` is {kind_of(value)}", f"{expected}, or a text that holds one as JSON")
    return value


def parsed(text: str) -> Any:
    """The list or object that a text holds as JSON, else as a Python literal; the text itself if it holds none.

    Nothing is evaluated: ``ast.literal_eval`` knows constants only, and gets ``MOST_LITERAL`` characters at most.
    """
    start = text.lstrip()[:1]
    if not start or start not in "[{(":
        return text
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        pass  # what is no JSON may be a Python literal
    if len(text) > MOST_LITERAL:
        return text
    try:
        with warnings.catch_warnings(action="ignore", category=SyntaxWarning):  # "\d" in a text is no slip of ours
            value = _literal(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, tokenize.TokenError):
        return text
    return list(value) if isinstance(value, tuple) else value if isinstance(value, list | dict) else text


def _literal(text: str) -> Any:
    """A Python literal; ``['a' 'b']``, as numpy prints an array, is two texts, which Python would join."""
    if _BESIDE.search(text):
        tokens = [one for one in tokenize.generate_tokens(io.StringIO(text).readline) if one.string.strip()]
        strings = [one.string for one in tokens if one.type == tokenize.STRING]
        if {one.string for one in tokens if one.type != tokenize.STRING} <= {"[", "]", ","}:
            return [ast.literal_eval(one) for one in strings]
    return ast.literal_eval(text)


def text_of(value: Any, key: str, where: str) -> str:
    """A text; numbers and yes/no as JSON writes them."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return orjson.dumps(value).decode()
    if key == "reference" and isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    raise InputError(where, f"`{key}` is {kind_of(value)}", "a text", f"point into it, e.g. --map {key}=...[0].text")


def _number(value: Any, key: str, where: str) -> Any:
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            raise InputError(where, f"`{key}` is {kind_of(value)}", "a number") from None
    return int(value) if isinstance(value, float) and key == "top_k" and value.is_integer() else value


def passage_id(text: str) -> str:
    """The id of a passage that has none: made from its text, so that the same passage has it in every row."""
    return f"p-{content_hash(text).hex()[:12]}"


def passages_of(value: Any, where: str) -> list[dict[str, Any]]:
    """Native passages from a list of texts or of objects, or from one text.

    Raises:
        InputError: something else is among them.
    """
    if isinstance(value, str | dict):
        value = [value] if value else []
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(where, f"`passages` is {kind_of(value)}", "a list of texts or of objects with a `text`")
    found = [_passage(one, f"passages[{place}]", where) for place, one in enumerate(value)]
    seen: dict[str, int] = {}
    for passage in found:  # the same chunk retrieved twice keeps both places in the ranking
        seen[passage["id"]] = again = seen.get(passage["id"], 0) + 1
        if again > 1 and not passage.pop("_own", False):
            passage["id"] += f"-{again}"
        passage.pop("_own", None)
    return found


def _passage(value: Any, name: str, where: str) -> dict[str, Any]:
    if isinstance(value, str):
        return {"id": passage_id(value), "text": value}
    if not isinstance(value, dict):
        raise InputError(where, f"`{name}` is {kind_of(value)}", "a text or an object with a `text`")
    inner = value.get("node")
    value = {**value, **inner} if isinstance(inner, dict) else value  # LlamaIndex wraps a node and its score
    id_key = next((key for key in _ID if value.get(key) is not None), None)
    text_key = next((key for key in _TEXT if isinstance(value.get(key), str)), None)
    if id_key is None and text_key is None:
        keys = ", ".join(map(str, list(value)[:8]))
        raise InputError(where, f"`{name}` has the keys {keys}", f"a text under one of {', '.join(_TEXT)}")
    text = None if text_key is None else value[text_key]
    given = {"id": passage_id(text or "") if id_key is None else str(value[id_key]), "text": text}
    if id_key is not None:
        given["_own"] = True
    for key in _KEPT:
        if value.get(key) is not None:
            given[key] = value[key]
    used = {id_key, text_key, *_KEPT, "node", "metadata"}
    rest = {key: one for key, one in value.items() if key not in used}
    metadata = value.get("metadata")
    rest |= metadata if isinstance(metadata, dict) else {}
    if rest:
        given["metadata"] = rest
    return given


def history_of(value: Any, where: str) -> list[dict[str, str]]:
    """Native turns from messages of any usual kind: role / speaker / type, text / content.

    Raises:
        InputError: something else is among them.
    """
    if not isinstance(value, list | None):
        raise InputError(where, f"`history` is {kind_of(value)}", "a list of turns")
    turns = []
    for place, one in enumerate(value or ()):
        role, text = message_of(one)
        if role is None or text is None:
            raise InputError(where, f"`history[{place}]` is {kind_of(one)}", "an object with a role and a text")
        turns.append({"role": role, "text": text})
    return turns


def message_of(value: Any) -> tuple[str | None, str | None]:
    """Role and text of a chat message; None for what it does not have."""
    if not isinstance(value, dict):
        return None, None
    role = next((value[key] for key in ("role", "speaker", "type") if isinstance(value.get(key), str)), None)
    text = next((value[key] for key in ("text", "content", "parts") if value.get(key) is not None), None)
    if isinstance(text, list):
        parts = [part if isinstance(part, str) else message_of(part)[1] for part in text]
        text = "\n".join(part for part in parts if part) or None
    return (None if role is None else _ROLES.get(role.lower(), role)), text if isinstance(text, str) else None


def tidy(value: Any) -> tuple[Any, bool, bool]:
    """A value that every store can hold: U+FFFD for U+0000, null for NaN and infinities; which of the two it took."""
    nul = nan = False

    def walk(part: Any) -> Any:
        nonlocal nul, nan
        if isinstance(part, str):
            nul = nul or "\0" in part
            return part.replace("\0", "\ufffd") if "\0" in part else part
        if isinstance(part, float) and not math.isfinite(part):
            nan = True
            return None
        if isinstance(part, dict):
            return {walk(str(key)): walk(one) for key, one in part.items()}
        return [walk(one) for one in part] if isinstance(part, list | tuple) else part

    return walk(value), nul, nan
