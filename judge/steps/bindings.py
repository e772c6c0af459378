"""Rubrics for the rubric names in a file.

A name binds to the stored or shipped rubric of that name only if its unit and every label in the file fit it;
otherwise the rubric ``<dataset>/<name>/<unit>`` is made from the labels found.
"""

import math
from collections.abc import Mapping, MutableMapping, Sequence

from judge.domain.claims import UnitKind
from judge.domain.errors import InputError
from judge.domain.rubrics import Input, Rubric, ScaleLabel, fold_label
from judge.steps.answers import Record

Used = tuple[str, UnitKind]
"""A rubric name in a file, and the unit that it is used for."""
Words = dict[str, str]
"""Folded spelling -> spelling as first seen, in that order."""

MOST_LABELS = 200
"""More different labels under one name are free text, not a scale."""
NO_LABEL = "unlabelled"
"""The one label of a rubric of which the file has scores only."""
_INPUTS: dict[UnitKind, tuple[Input, ...]] = {
    UnitKind.CLAIM: ("passages", "question", "answer", "claim"),
    UnitKind.CITATION: ("passages", "question", "answer", "claim"),
    UnitKind.ANSWER: ("passages", "question", "answer"),
    UnitKind.PASSAGE: ("passages", "question"),
}


def collect_names(found: MutableMapping[Used, Words], record: Record, where: str) -> None:
    """Add a record's rubric names and labels to those found so far.

    Raises:
        InputError: a name has more than ``MOST_LABELS`` different labels.
    """
    judged = [(verdict.rubric, verdict.of.kind, verdict.label) for verdict in record.verdicts]
    labelled = [(label.rubric, label.of.kind, label.label) for label in record.labels]
    for name, kind, label in judged + labelled:
        words = found.setdefault((name, kind), {})
        if label is not None:
            words.setdefault(fold_label(label), label)
            if len(words) > MOST_LABELS:
                raise InputError(
                    where,
                    f"the rubric {name!r} has more than {MOST_LABELS} different labels",
                    "a scale of a few words",
                    "put free text into `comment` or `raw`",
                )


def bind_names(
    found: Mapping[Used, Words],
    dataset: str,
    stored: Mapping[str, Sequence[Rubric]],
    shipped: Mapping[str, Rubric],
    files: Mapping[str, Rubric],
    passing: Sequence[str],
) -> dict[Used, Rubric]:
    """The rubric of each name in a file.

    Args:
        found: names with their labels, as ``collect_names`` gathered them.
        dataset: name of the dataset, for rubrics that are made.
        stored: versions of each stored rubric by name, oldest first.
        shipped: rubrics that come with the program; a stored version of the name has preference.
        files: ``--rubric NAME=FILE``: the rubric that a name must bind to, for its unit.
        passing: ``--passing``: labels that pass in rubrics that are made.

    Raises:
        InputError: a rubric of ``files`` does not fit, two names bind to one rubric, or a label of ``passing`` is in
            none of the rubrics made.
    """
    _check_files(found, files)
    bound: dict[Used, Rubric] = {}
    made: list[Rubric] = []
    for (name, kind), words in found.items():
        base = stored[name][-1] if name in stored else shipped.get(name)
        own = files.get(name)
        if own is not None and own.unit is kind:
            _check_fit(name, own, words)
            bound[name, kind] = own
        elif base is not None and _fits(base, kind, words):
            bound[name, kind] = base
        else:
            full = f"{dataset}/{name}/{kind.value}"
            bound[name, kind] = _make(full, name, kind, words, base, passing, stored.get(full, ()))
            made.append(bound[name, kind])
    _check_once(bound)
    _check_passing(passing, made)
    return bound


def _fits(rubric: Rubric, kind: UnitKind, words: Words) -> bool:
    """Whether a scale is the file's own: by names and titles, for a synonym (not_supported) may be another scale's."""
    return rubric.unit is kind and all(fold_label(word) in rubric.own_words for word in words.values())


def _make(
    full: str,
    name: str,
    kind: UnitKind,
    words: Words,
    base: Rubric | None,
    passing: Sequence[str],
    versions: Sequence[Rubric],
) -> Rubric:
    """The newest version if it serves, else the next one."""
    labels = _ordered(list(words.values()))
    pass_words = _passing(labels, base, passing)
    newest = versions[-1] if versions else None
    if newest is not None and _fits(newest, kind, words) and set(pass_words) <= set(newest.passing):
        named = {label for label in newest.labels if fold_label(label) in map(fold_label, passing)}
        if not named or named == set(newest.passing):
            return newest
    return Rubric(
        name=full,
        version=newest.version + 1 if newest else 1,
        unit=kind,
        question={"en": f"{name} (imported)", "zh": f"{name}（导入）"},
        inputs=_INPUTS[kind],
        scale=tuple(map(_scale_label, labels)) or (_no_label(),),
        ordered=len(labels) > 1 and all(_number(label) is not None for label in labels),
        passing=tuple(pass_words),
    )


def _scale_label(label: str) -> ScaleLabel:
    return ScaleLabel(
        name=label, meaning={"en": f"{label}, as the imported file uses it", "zh": f"{label}（沿用导入文件）"}
    )


def _no_label() -> ScaleLabel:
    words = "No label stands in the imported file, only scores or reasons."
    return ScaleLabel(name=NO_LABEL, meaning={"en": words, "zh": "导入文件中没有标签，只有分数或原因。"})


def _ordered(labels: list[str]) -> list[str]:
    """By number if all are numbers, else as first seen."""
    numbers = {label: number for label in labels if (number := _number(label)) is not None}
    return sorted(labels, key=lambda label: numbers[label]) if len(numbers) == len(labels) else labels


def _number(label: str) -> float | None:
    try:
        value = float(label)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _passing(labels: Sequence[str], base: Rubric | None, passing: Sequence[str]) -> list[str]:
    """Labels that pass: those named on the command line, else those that pass in the rubric of the same base name."""
    asked = {fold_label(label) for label in passing}
    named = [label for label in labels if fold_label(label) in asked]
    if named or base is None:
        return named
    return [label for label in labels if base.read_label(label) in base.passing]


def _check_files(found: Mapping[Used, Words], files: Mapping[str, Rubric]) -> None:
    for name, rubric in files.items():
        kinds = [kind for used, kind in found if used == name]
        if rubric.unit not in kinds:
            seen = f"the file uses it for {', '.join(kinds)}" if kinds else f"the file uses {_names(found)}"
            raise InputError(f"--rubric {name}", f"the rubric {rubric.name!r} asks about a {rubric.unit.value}, {seen}")


def _names(found: Mapping[Used, Words]) -> str:
    return ", ".join(dict.fromkeys(name for name, _ in found)) or "no rubric name"


def _check_fit(name: str, rubric: Rubric, words: Words) -> None:
    off = [word for word in words.values() if rubric.read_label(word) is None]
    if off:
        raise InputError(
            f"--rubric {name}",
            f"the file has the label {off[0]!r}",
            f"one of the rubric's: {', '.join(rubric.labels)}",
            "add it to the rubric as a label or synonym",
        )


def _check_once(bound: Mapping[Used, Rubric]) -> None:
    owner: dict[tuple[str, int], str] = {}
    for (name, _), rubric in bound.items():
        first = owner.setdefault((rubric.name, rubric.version), name)
        if first != name:
            raise InputError(
                "rubric names",
                f"{first!r} and {name!r} both bind to {rubric.name}@{rubric.version}",
                "one name a rubric",
            )


def _check_passing(passing: Sequence[str], made: Sequence[Rubric]) -> None:
    known = {fold_label(label) for rubric in made for label in rubric.labels}
    off = [label for label in passing if fold_label(label) not in known]
    if off:
        names = "; ".join(f"{rubric.name}: {', '.join(rubric.labels)}" for rubric in made)
        raise InputError(
            "--passing", f"{off[0]!r} is no label of a rubric that this import makes ({names or 'it makes none'})"
        )
