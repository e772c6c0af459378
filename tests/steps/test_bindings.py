"""Rubric names in a file: what they bind to, and what is made for them."""

import pytest

from judge.domain.claims import UnitKind
from judge.domain.errors import InputError
from judge.domain.rubrics import Rubric, ScaleLabel
from judge.steps.answers import parse_record
from judge.steps.bindings import NO_LABEL, Used, Words, bind_names, collect_names

CLAIM, ANSWER = UnitKind.CLAIM, UnitKind.ANSWER


def _rubric(name: str, *labels: str, version: int = 1, unit: UnitKind = CLAIM, **more: object) -> Rubric:
    scale = tuple(ScaleLabel(name=label, meaning={"en": label}) for label in labels)
    return Rubric.model_validate(
        {"name": name, "version": version, "unit": unit, "question": {"en": "?"}, "scale": scale, **more}
    )


SUPPORT = _rubric("support", "supported", "contradicted", passing=("supported",))


def _found(*judged: tuple[str, str, str | None]) -> dict[Used, Words]:
    """Names as a file's rows give them: (rubric, ``claim`` or ``answer``, label)."""
    found: dict[Used, Words] = {}
    for i, (name, unit, label) in enumerate(judged):
        target = {"claim": "c1"} if unit == "claim" else {}
        row = {
            "question": "q",
            "answer": "a",
            "claims": [{"id": "c1", "text": "a"}],
            "verdicts": [{**target, "rubric": name, "judge": "j", "label": label}],
        }
        collect_names(found, parse_record(row, f"f:{i}"), f"f:{i}")
    return found


def _bind(found: dict[Used, Words], **more: object) -> dict[Used, Rubric]:
    given: dict[str, object] = {"stored": {}, "shipped": {"support": SUPPORT}, "files": {}, "passing": (), **more}
    return bind_names(found, "数据", **given)  # type: ignore[arg-type]


def test_a_name_binds_only_if_unit_and_every_label_fit() -> None:
    fits = _found(("support", "claim", "Supported."), ("support", "claim", "contradicted"))
    assert _bind(fits) == {("support", CLAIM): SUPPORT}
    off = _found(("support", "claim", "supported"), ("support", "claim", "partial"))
    made = _bind(off)["support", CLAIM]
    assert (made.name, made.version, made.labels, made.passing) == (
        "数据/support/claim",
        1,
        ("supported", "partial"),
        ("supported",),
    )
    assert made.question == {"en": "support (imported)", "zh": "support（导入）"}
    other_unit = _found(("support", "answer", "supported"))
    assert _bind(other_unit)["support", ANSWER].name == "数据/support/answer"


def test_both_units_of_one_name_bind_apart() -> None:
    bound = _bind(_found(("support", "claim", "supported"), ("support", "answer", "no")))
    assert {used: rubric.name for used, rubric in bound.items()} == {
        ("support", CLAIM): "support",
        ("support", ANSWER): "数据/support/answer",
    }


def test_the_newest_stored_version_has_preference() -> None:
    newer = _rubric("support", "yes", "no", version=2)
    stored = {"support": [SUPPORT, newer]}
    assert _bind(_found(("support", "claim", "yes")), stored=stored)["support", CLAIM] == newer
    assert (
        _bind(_found(("support", "claim", "supported")), stored=stored)["support", CLAIM].name == "数据/support/claim"
    )


def test_titles_fit_and_synonyms_do_not() -> None:
    """A file with supported / not_supported has a scale of its own, though a reply's `not_supported` can be read."""
    yes = ScaleLabel(name="supported", meaning={"en": "x"}, title={"zh": "有依据"})
    no = ScaleLabel(name="not_enough_info", meaning={"en": "y"}, synonyms=("not_supported",))
    rubric = Rubric(name="support", version=1, unit=CLAIM, question={"en": "?"}, scale=(yes, no))
    assert _bind(_found(("support", "claim", "有依据")), shipped={"support": rubric})["support", CLAIM] == rubric
    own = _bind(_found(("support", "claim", "not_supported")), shipped={"support": rubric})["support", CLAIM]
    assert (own.name, own.labels) == ("数据/support/claim", ("not_supported",))


def test_numbers_are_ordered_and_other_labels_keep_their_first_order() -> None:
    numbers = _bind(_found(*(("r", "answer", label) for label in ("10", "-2", "9", "0.5"))))["r", ANSWER]
    assert (numbers.labels, numbers.ordered) == (("-2", "0.5", "9", "10"), True)
    words = _bind(_found(*(("r", "answer", label) for label in ("b", "nan", "B ", "a"))))["r", ANSWER]
    assert (words.labels, words.ordered) == (("b", "nan", "a"), False)


def test_a_made_rubric_is_used_again_and_gets_a_version_for_new_labels() -> None:
    first = _bind(_found(("r", "answer", "1"), ("r", "answer", "2")))["r", ANSWER]
    stored = {first.name: [first]}
    assert _bind(_found(("r", "answer", "2")), stored=stored)["r", ANSWER] == first
    more = _bind(_found(("r", "answer", "3")), stored=stored)["r", ANSWER]
    assert (more.name, more.version, more.labels) == (first.name, 2, ("3",))
    passed = _bind(_found(("r", "answer", "2")), stored=stored, passing=("2",))["r", ANSWER]
    assert (passed.version, passed.passing) == (2, ("2",))


def test_passing_labels_come_from_the_option_first() -> None:
    found = _found(("support", "answer", "supported"), ("support", "answer", "mixed"), ("other", "answer", "x"))
    bound = _bind(found, passing=("Mixed",))
    assert bound["support", ANSWER].passing == ("mixed",)
    assert bound["other", ANSWER].passing == ()
    with pytest.raises(InputError, match="--passing: 'yes' is no label"):
        _bind(found, passing=("yes",))


def test_only_scores_make_a_rubric_that_says_so() -> None:
    assert _bind(_found(("r", "answer", None)))["r", ANSWER].labels == (NO_LABEL,)
    assert _bind(_found(("support", "claim", None)))["support", CLAIM] == SUPPORT


def test_a_rubric_file_must_fit() -> None:
    own = _rubric("mine", "yes", "no")
    found = _found(("support", "claim", "yes"), ("support", "answer", "other"))
    bound = _bind(found, files={"support": own})
    assert bound["support", CLAIM] == own
    assert bound["support", ANSWER].name == "数据/support/answer"
    with pytest.raises(
        InputError, match=r"--rubric support: the file has the label 'maybe', expected one of .* yes, no"
    ):
        _bind(_found(("support", "claim", "maybe")), files={"support": own})
    with pytest.raises(InputError, match="asks about a claim, the file uses it for answer"):
        _bind(_found(("support", "answer", "yes")), files={"support": own})
    with pytest.raises(InputError, match="the file uses support"):
        _bind(_found(("support", "claim", "yes")), files={"suport": own})


def test_two_names_never_share_a_rubric() -> None:
    own = _rubric("mine", "yes")
    with pytest.raises(InputError, match="'a' and 'b' both bind to mine@1"):
        _bind(_found(("a", "claim", "yes"), ("b", "claim", "yes")), files={"a": own, "b": own})


def test_free_text_is_no_scale() -> None:
    with pytest.raises(InputError, match="more than 200 different labels"):
        _found(*(("r", "answer", f"because {i}") for i in range(300)))
