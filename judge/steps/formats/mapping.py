"""Which column or key each native key is taken from: ``--map`` expressions, else the names that are usual."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import jmespath
import orjson
import yaml
from jmespath.exceptions import JMESPathError
from jmespath.functions import Functions, signature

from judge.domain.errors import InputError, UsageError
from judge.steps.formats.encodings import find_encoding, open_utf8
from judge.steps.formats.notes import Notes
from judge.steps.formats.values import KEYS, OBJECTS, fit, parsed, tidy
from judge.steps.records import Line

ROWS = "rows"
"""The key of a map that says where the rows are in a file that is one JSON object."""
ALIASES: dict[str, tuple[str, ...]] = {
    "question": (
        *("query", "user_input", "input", "prompt", "user_query"),
        *("问题", "提问", "問題", "用户问题", "用户提问"),
    ),
    "answer": (
        *("response", "output", "actual_output", "generated_answer", "prediction", "completion", "result"),
        *("答案", "回答", "回复", "模型回答", "模型回复"),
    ),
    "passages": (
        *("contexts", "retrieved_contexts", "retrieval_context", "retrieved_context", "documents", "docs", "chunks"),
        *("source_documents", "context", "上下文", "检索结果", "检索内容", "段落", "参考资料", "参考内容"),
    ),
    "reference": (
        *("ground_truth", "ground_truths", "gt_answer", "expected_output", "expected_answer", "reference_answer"),
        *("golden_answer", "参考答案", "标准答案"),
    ),
    "answer_id": ("response_id", "task_id", "trace_id", "id", "回答编号"),
    "query_id": ("question_id", "qid", "问题编号"),
    "history": ("chat_history", "conversation", "对话历史"),
    "system": ("系统",),
    "model": ("model_name", "generator", "模型"),
    "latency_ms": ("latency",),
}
"""Other names of native keys in files of others; the first one that a row has is taken."""


_MOST_MAP = 1_000_000
"""Bytes of a file of maps."""
_NEAR = 0.75
"""Likeness from which a column's name is taken for a slip."""


class _Own(Functions):  # type: ignore[misc]
    """What JMESPath lacks for tables of others."""

    @signature({"types": ["string", "null"]}, {"types": ["string"]})  # type: ignore[untyped-decorator]
    def _func_split(self, text: str | None, by: str) -> list[str] | None:
        return None if text is None else [part for part in text.split(by) if part] if by else [text]

    @signature({"types": ["string", "null"]})  # type: ignore[untyped-decorator]
    def _func_parse(self, text: str | None) -> Any:
        return None if text is None else parsed(text)


_OPTIONS = jmespath.Options(custom_functions=_Own())


class Expression:
    """A JMESPath expression, compiled once; one that is a column's very name means that column."""

    def __init__(self, text: str, option: str) -> None:
        self.text = text
        self._parsed = None
        self._error = ""
        try:
            self._parsed = jmespath.compile(text)
            self.fields = frozenset(_fields(self._parsed.parsed))
        except RecursionError:
            raise UsageError(f"{option}: the expression is nested too deeply") from None
        except JMESPathError as error:
            if not text.isprintable() or any(mark in text for mark in "[]{}()|&`'\"@."):
                raise UsageError(f"{option}: {text!r} is no JMESPath expression ({_first_line(error)})") from None
            self.fields = frozenset({text})  # a column's name that is none, such as one with spaces or in Chinese

    def of(self, row: Any, where: str) -> Any:
        """What it finds in a row; None where there is nothing. InputError: a function of it fails on the row."""
        if isinstance(row, dict) and self.text in row:
            return row[self.text]
        if self._parsed is None:
            return None
        try:
            return self._parsed.search(row, _OPTIONS)
        except RecursionError:
            raise InputError(where, f"{self.text[:80]!r} can't be applied (nested too deeply)") from None
        except JMESPathError as error:
            raise InputError(where, f"{self.text!r} can't be applied ({_first_line(error)})") from None


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:200]


def _fields(node: dict[str, Any]) -> Iterator[str]:
    if node.get("type") == "field":
        yield str(node["value"])
    for child in node.get("children", ()):
        if isinstance(child, dict):
            yield from _fields(child)


def read_maps(given: Sequence[str]) -> dict[str, str]:
    """``--map`` options, ``KEY=EXPRESSION`` or ``@FILE`` (YAML, key: expression), as one; a later one counts.

    Raises:
        UsageError: a form, a file or a key that is none.
    """
    found: dict[str, str] = {}
    for one in given:
        if one.startswith("@"):
            found |= _map_file(Path(one[1:]))
            continue
        key, sep, text = one.partition("=")
        if not sep:
            raise UsageError(f"--map {one!r} has no '='; expected KEY=EXPRESSION or @FILE")
        found[key.strip()] = text.strip()
    for key, text in found.items():
        _check_key(key)
        if text:
            Expression(text, f"--map {key}")
    return found


def _map_file(path: Path) -> dict[str, str]:
    try:
        text = _map_text(path)
        found, keys = yaml.safe_load(text), _keys(text)
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise UsageError(f"--map @{path}: the file can't be read as YAML ({_first_line(error)})") from None
    twice = next((key for place, key in enumerate(keys) if key in keys[:place]), None)
    if twice is not None:
        raise UsageError(f"--map @{path}: the key {twice!r} stands there twice; remove one")
    if not isinstance(found, dict) or not all(isinstance(part, str) for pair in found.items() for part in pair):
        raise UsageError(f"--map @{path}: expected lines of `key: expression`, both texts; quote the expression")
    return found


def _map_text(path: Path) -> str:
    """ValueError: it is no file of a map's size. A device or pipe might never end."""
    if path.exists() and not (path.is_file() and path.stat().st_size <= _MOST_MAP):
        raise ValueError("it is no regular file of at most 1 MB")
    with open_utf8(path, find_encoding(path, str(path))) as file:
        return file.read().decode()


def _keys(text: str) -> list[str]:
    """The keys as they stand there; a loaded dict has lost those that come twice."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    return [str(key.value) for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []


def _check_key(key: str) -> None:
    head, dot, rest = key.partition(".")
    if key == ROWS or (head in KEYS and not dot) or (head in OBJECTS and rest):
        return
    close = difflib.get_close_matches(head, KEYS, n=1)
    advice = f"did you mean {close[0]}?" if close else f"known: {', '.join(sorted(KEYS))}, slices.NAME, metadata.NAME"
    raise UsageError(f"--map {key}: no key of a record; {advice}")


def folded(name: str) -> str:
    """A column's name as it is compared: case, spaces and hyphens do not matter."""
    return "_".join(name.strip().lower().replace("-", " ").split())


class Mapper:
    """Makes native rows out of foreign ones."""

    def __init__(self, maps: Mapping[str, str]) -> None:
        self._given = {key: Expression(text, f"--map {key}") for key, text in maps.items() if text and key != ROWS}
        self._left = {key for key, text in maps.items() if not text}
        self._names: dict[tuple[str, ...], dict[str, str]] = {}

    def by_name(self, columns: Iterable[str]) -> dict[str, str]:
        """The column of each native key that no expression gives, by its usual names."""
        known: dict[str, str] = {}
        for column in columns:
            known.setdefault(folded(column), column)
        found = {}
        for key in sorted(KEYS - self._left - set(self._given)):
            own = next((known[name] for name in (key, *ALIASES.get(key, ())) if name in known), None)
            if own is not None:
                found[key] = own
        return found

    @property
    def given(self) -> frozenset[str]:
        """The keys that ``--map`` gives or leaves out."""
        return frozenset(self._given) | frozenset(self._left)

    def expressed(self, row: dict[str, Any], where: str, notes: Notes | None) -> dict[str, Any]:
        """What the expressions alone find in a row. InputError: a value doesn't fit its key."""
        found: dict[str, Any] = {}
        for key, expression in self._given.items():
            _place(found, key, expression.of(row, where), where)
        if notes is not None:
            self._note(row, {}, found, notes)
        return {key: value for key, value in found.items() if value is not None}

    def missing(self, columns: Sequence[str]) -> str | None:
        """Which of ``question`` and ``answer`` nothing is taken for."""
        names = self.by_name(columns)
        return next((key for key in ("question", "answer") if key not in self._given and key not in names), None)

    def check_columns(self, columns: Sequence[str], where: str) -> None:
        """InputError: a table has no column for ``question`` or ``answer``, or two of one name."""
        twice = next((name for place, name in enumerate(columns) if name and name in columns[:place]), None)
        if twice is not None:
            raise InputError(where, f"two columns are named {twice!r}", "each name once", "rename one")
        if {"passage", "passage_id"} <= set(map(folded, columns)) and "passages" not in self.given:
            found, expected = "the table has one passage a row", "one answer a row, its passages in one cell"
            raise InputError(where, found, expected, "put them together, or --map passages=passage for the one")
        key = self.missing(columns)
        if key is not None:
            listed = ", ".join(repr(name) for name in columns[:20])
            raise InputError(
                where, f"no column is taken for `{key}`", "", f"columns: {listed}; {self.hint(key, columns)}"
            )

    def hint(self, key: str, columns: Sequence[str]) -> str:
        """What to do where nothing is taken for a key, with the nearest column that nothing else takes."""
        used = set(self.by_name(columns).values())
        names = {folded(column): column for column in columns if column not in used}
        wanted = (key, *ALIASES.get(key, ()))
        close = [near for want in wanted for near in difflib.get_close_matches(want, names, n=1, cutoff=_NEAR)]
        # two or three characters are too short for likeness; a longer Chinese name holds the usual one whole
        close += [name for want in wanted if not want.isascii() for name in names if want in name]
        if close:
            return f"is {names[close[0]]!r} meant? say --map '{key}={names[close[0]]}'"
        absent = ", or --map 'answer=`null`' where none was kept" if key == "answer" else ""
        return f"say which with --map {key}=NAME{absent}"

    def row(self, row: dict[str, Any], where: str, notes: Notes | None) -> dict[str, Any]:
        """The native row. InputError: a value doesn't fit its key, or there is nothing for question or answer."""
        columns = tuple(row)
        names = self._names.get(columns)
        if names is None:
            names = self.by_name(columns)
            if len(self._names) < 1000:
                self._names[columns] = names
        found: dict[str, Any] = {}
        for key, expression in self._given.items():
            _place(found, key, expression.of(row, where), where)
        for key, column in names.items():
            _place(found, key, row[column], where)
        if notes is not None:
            self._note(row, names, found, notes)
        self._check_found(row, names, found, where)
        return {key: value for key, value in found.items() if value is not None or key in ("question", "answer")}

    def _note(self, row: dict[str, Any], names: dict[str, str], found: dict[str, Any], notes: Notes) -> None:
        used = set(names.values())
        for expression in self._given.values():
            used |= {expression.text} if expression.text in row else expression.fields
        for column in row:
            if column not in used:
                notes.leave(column)
        notes.taken |= {key: expression.text for key, expression in self._given.items()} | names
        for key in (*self._given, *names):
            head, _, rest = key.partition(".")
            value = found.get(head)
            if rest and isinstance(value, dict):
                value = value.get(rest)
            if value is None:
                notes.nulls[key] += 1

    def _check_found(self, row: dict[str, Any], names: dict[str, str], found: dict[str, Any], where: str) -> None:
        for key in ("question", "answer"):
            if key not in self._given and key not in names:
                raise InputError(where, f"nothing is taken for `{key}`", "", self.hint(key, list(row)))
        if not found.get("question"):
            source = names.get("question") or self._given["question"].text
            empty = "an empty text" if found.get("question") == "" else "empty"
            raise InputError(where, f"`question`, from {source!r}, is {empty}", "at least one character")


def _place(found: dict[str, Any], key: str, value: Any, where: str) -> None:
    head, _, rest = key.partition(".")
    if not rest:
        value = fit(key, value, where)
        found[key] = {**value, **found[key]} if isinstance(value, dict) and isinstance(found.get(key), dict) else value
    elif value is not None:
        inside = found.get(head)
        found[head] = {**(inside if isinstance(inside, dict) else {}), rest: value}


def mapped(lines: Iterable[Line], mapper: Mapper, where: str, notes: Notes | None) -> Iterator[Line]:
    """Foreign rows as native ones; what does not fit is its line's problem."""
    for line in lines:
        if line.problem is not None:
            yield line
            continue
        at = f"{where}:{line.number}"
        try:
            yield native_line(line.number, mapper.row(line.row, at, notes), at, notes)
        except InputError as error:
            yield Line(line.number, {}, error)


def native_line(number: int, row: dict[str, Any], at: str, notes: Notes | None) -> Line:
    """A native row as a line with its checksum. InputError: it can't be kept as JSON."""
    try:
        clean, nul, nan = tidy(row)
        check = crc32(orjson.dumps(clean))
    except (orjson.JSONEncodeError, RecursionError) as error:
        raise InputError(at, f"the record can't be kept ({error})", advice="mend or leave out that value") from None
    if nan and notes is not None:
        notes.said["NaN or infinity read as null"] += 1
    return Line(number, clean, nul=nul, check=check)
