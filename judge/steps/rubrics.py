"""Rubrics from YAML text and back, and what tells two of them apart."""

import difflib
from collections.abc import Hashable
from typing import Any

import yaml
from pydantic import ValidationError

from judge.domain.claims import UnitKind
from judge.domain.errors import InputError
from judge.domain.rubrics import Rubric, ScaleLabel

MAX_BYTES = 256 * 1024
"""A rubric is a page of text; anything near this size is another file."""


class _Words(yaml.SafeLoader):
    """Safe YAML in which every value is text, so that a label ``yes`` stays a word; no aliases, no key twice."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - the base class declares it so

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("an alias (*name) stands where the words themselves should be written out")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [key.value for key, _ in node.value]
        twice = sorted({key for key in keys if isinstance(key, str) and keys.count(key) > 1})
        if twice:
            raise yaml.YAMLError(f"the key {twice[0]!r} stands twice in one place")
        return super().construct_mapping(node, deep)


def parse_rubric(text: str, where: str) -> Rubric:
    """Read one rubric.

    Args:
        text: YAML, at most ``MAX_BYTES``.
        where: file name for messages.

    Raises:
        InputError: names the field, what was found, what was expected, and the nearest known key.
    """
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise InputError(where, "the file is too large for a rubric", f"at most {MAX_BYTES // 1024} KB")
    try:
        data = yaml.load(text, Loader=_Words)  # noqa: S506 - _Words is a SafeLoader
    except (yaml.YAMLError, RecursionError) as error:
        advice = "texts that hold : ? # { or [ are put into quotes"
        raise InputError(where, f"not readable as YAML: {_one_line(error)}", advice=advice) from None
    if not isinstance(data, dict):
        raise InputError(where, f"the file holds {_kind(data)}", "keys such as name, version, unit, question, scale")
    try:
        rubric = Rubric.model_validate(data)
    except ValidationError as error:
        raise _explained(error, where) from None
    _check_judgeable(rubric, where)
    return rubric


def rubric_text(rubric: Rubric) -> str:
    """The canonical YAML text of a rubric; ``parse_rubric`` reads it back to an equal rubric."""
    data = rubric.model_dump(mode="json")
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)


def difference(old: Rubric, new: Rubric) -> str:
    """What tells two rubrics apart: lines of ``old`` with ``-``, lines of ``new`` with ``+``; empty for equal ones."""
    lines = difflib.unified_diff(rubric_text(old).splitlines(), rubric_text(new).splitlines(), n=0, lineterm="")
    return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


def _check_judgeable(rubric: Rubric, where: str) -> None:
    if rubric.unit is UnitKind.CLAIM and "claim" not in rubric.inputs:
        raise InputError(where, f"`unit` is claim, but `inputs` is {list(rubric.inputs)}", "`claim` among the inputs")
    if rubric.unit is UnitKind.ANSWER and "answer" not in rubric.inputs:
        raise InputError(where, f"`unit` is answer, but `inputs` is {list(rubric.inputs)}", "`answer` among the inputs")
    if rubric.needs_quote and "passages" not in rubric.inputs:
        raise InputError(where, "`needs_quote` asks for quotes", "`passages` among the inputs to quote from")
    for field, texts in (("question", rubric.question), *((f"meaning of {s.name}", s.meaning) for s in rubric.scale)):
        if not texts.get("en", "").strip():
            raise InputError(where, f"`{field}` has no English text", "a text under `en`, and best one under `zh`")


def _explained(error: ValidationError, where: str) -> InputError:
    first = error.errors(include_url=False)[0]
    path = ".".join(str(part) for part in first["loc"] if part != "[key]")
    name = f"`{path}`" if path else "the rubric"
    if first["type"] == "extra_forbidden":
        return InputError(where, f"unknown key {name}", advice=_nearest(first["loc"]))
    if first["type"] == "missing":
        return InputError(where, f"{name} is missing", advice="add it, or remove its parent")
    if first["type"] == "value_error":
        return InputError(where, str(first["ctx"]["error"]))
    advice = "write it by language: {en: ..., zh: ...}" if first["type"] == "dict_type" else ""
    return InputError(where, f"{name} is {_kind(first['input'])}", _expected(first["msg"]), advice)


def _nearest(loc: tuple[int | str, ...]) -> str:
    known = list((ScaleLabel if "scale" in loc[:-1] else Rubric).model_fields)
    close = difflib.get_close_matches(str(loc[-1]), known, n=1)
    return f"did you mean `{close[0]}`?" if close else f"known keys: {', '.join(known)}"


def _expected(message: str) -> str:
    text = message.removeprefix("Input should be ")
    return text[:1].lower() + text[1:]


def _kind(value: Any) -> str:
    if value is None or value == "":
        return "empty"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return f"the text {str(value)[:60]!r}"


def _one_line(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"line {error.problem_mark.line + 1}: {' '.join(str(error.problem).split())[:200]}"
    return " ".join(str(error).split())[:200]
