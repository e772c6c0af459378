"""Verdicts and labels that come along with an answer's record, and whether they fit it."""

from collections.abc import Sequence
from typing import NamedTuple

from judge.domain.answers import Answer
from judge.domain.claims import UnitKind, unit_key
from judge.domain.errors import InputError
from judge.domain.judging import Unscored
from judge.domain.rubrics import fold_label
from judge.steps.records import kind_of
from judge.steps.rows import AnswerRow, LabelRow, VerdictRow

_REASONS = {reason.value: reason for reason in Unscored}


class Address(NamedTuple):
    """Which unit of an answer a verdict or label is of."""

    kind: UnitKind
    claim: str | None = None
    passage: str | None = None

    def key(self, answer: Answer) -> str:
        """The unit's key."""
        owner = answer.query.key if self.kind is UnitKind.PASSAGE else answer.key
        return unit_key(self.kind, owner, self.claim, self.passage)


class GivenVerdict(NamedTuple):
    """A judgement made elsewhere."""

    of: Address
    rubric: str
    judge: str
    label: str | None
    unscored: Unscored | None
    confidence: float | None
    score: float | None
    raw: str | None


class GivenLabel(NamedTuple):
    """A person's label given elsewhere."""

    of: Address
    rubric: str
    annotator: str
    label: str
    probability: float | None
    seconds: float | None
    comment: str | None


class Known(NamedTuple):
    """The ids that a record may refer to."""

    passages: set[str]
    claims: set[str]
    unchecked: set[str]
    """Of the claims those with ``checkable``: false."""


def keys_of(names: list[str], field: str, where: str) -> set[str]:
    """The ids as a set. InputError: one stands there twice."""
    known = set(names)
    if len(known) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InputError(where, f"`{field}` has the id {twice!r} twice", "each id once", "remove or rename one")
    return known


def check_known(key: str, known: set[str], name: str, field: str, where: str) -> None:
    """InputError: ``key``, which stands at ``name``, is no id of the record's ``field``."""
    if key not in known:
        raise InputError(
            where, f"`{name}` is {kind_of(key)}", f"the id of one of this record's `{field}`", f"add it to `{field}`"
        )


def _address(row: VerdictRow | LabelRow) -> Address:
    claim, passage = row.get("claim"), row.get("passage")
    if claim is None:
        return Address(UnitKind.ANSWER if passage is None else UnitKind.PASSAGE, None, passage)
    return Address(UnitKind.CLAIM if passage is None else UnitKind.CITATION, claim, passage)


def _check_address(of: Address, name: str, known: Known, where: str) -> None:
    if of.passage is not None:
        check_known(of.passage, known.passages, f"{name}.passage", "passages", where)
    if of.claim is None:
        return
    check_known(of.claim, known.claims, f"{name}.claim", "claims", where)
    if of.claim in known.unchecked:
        raise InputError(
            where,
            f"`{name}` is of the claim {of.claim!r}, which has `checkable`: false",
            "a checkable claim",
            "drop one of the two",
        )


def given_verdict(row: VerdictRow) -> GivenVerdict:
    """A judgement, unchecked; without a label and a reason that is one, ``not_given`` is the reason."""
    label = row.get("label")
    reason = None if label is not None else _REASONS.get(row.get("unscored") or "", Unscored.NOT_GIVEN)
    return GivenVerdict(
        _address(row),
        row["rubric"],
        row["judge"],
        label,
        reason,
        _float(row.get("confidence")),
        _float(row.get("score")),
        row.get("raw"),
    )


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


def check_verdicts(given: AnswerRow, found: Sequence[GivenVerdict], known: Known, where: str) -> None:
    """InputError: a verdict of something unknown or not checkable, without outcome, or given twice."""
    for i, (row, verdict) in enumerate(zip(given.get("verdicts", ()), found, strict=True)):
        _check_address(verdict.of, f"verdicts[{i}]", known, where)
        _check_outcome(row, f"verdicts[{i}]", where)
    _check_once([(v.of, v.rubric, v.judge) for v in found], "verdicts", "judge", where)


def _check_outcome(row: VerdictRow, name: str, where: str) -> None:
    label, reason = row.get("label"), row.get("unscored")
    if label is not None:
        if reason is not None:
            raise InputError(where, f"`{name}` has a `label` and `unscored`", "one of them", "drop one")
        _check_label(label, name, where)
    elif reason is None:
        if "label" not in row:
            raise InputError(where, f"`{name}.label` is missing", "a label, or null with the reason in `unscored`")
    elif reason not in _REASONS:
        raise InputError(where, f"`{name}.unscored` is {kind_of(reason)}", "one of " + ", ".join(Unscored))


def given_label(row: LabelRow) -> GivenLabel:
    """A person's label, unchecked."""
    return GivenLabel(
        _address(row),
        row["rubric"],
        row["annotator"],
        row["label"],
        _float(row.get("probability")),
        _float(row.get("seconds")),
        row.get("comment"),
    )


def check_labels(found: Sequence[GivenLabel], known: Known, where: str) -> None:
    """InputError: a label of something unknown or not checkable, of no word, given twice, or of two probabilities."""
    for i, label in enumerate(found):
        _check_address(label.of, f"labels[{i}]", known, where)
        _check_label(label.label, f"labels[{i}]", where)
    _check_once([(label.of, label.rubric, label.annotator) for label in found], "labels", "annotator", where)
    _check_probability(found, where)


def _check_label(label: str, name: str, where: str) -> None:
    if not fold_label(label):
        raise InputError(where, f"`{name}.label` is {kind_of(label)}", "a word of the scale")


def _check_once(keys: list[tuple[Address, str, str]], field: str, who: str, where: str) -> None:
    if len(set(keys)) == len(keys):
        return
    of, rubric, name = next(key for i, key in enumerate(keys) if key in keys[:i])
    unit = " ".join(part for part in (of.kind.value, of.claim, of.passage) if part)
    raise InputError(
        where, f"`{field}` has {rubric!r} of {unit} by {name!r} twice", f"one a unit, rubric and {who}", "remove one"
    )


def _check_probability(labels: Sequence[GivenLabel], where: str) -> None:
    seen: dict[Address, float | None] = {}
    for label in labels:
        first = seen.setdefault(label.of, label.probability)
        if first != label.probability:
            raise InputError(
                where,
                f"`labels` give one unit the probabilities {first} and {label.probability}",
                "one for each unit, the same on all its labels",
            )
