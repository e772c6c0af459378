import pytest

from judge.domain.errors import InputError, UsageError
from judge.steps.rubrics import MAX_BYTES, difference, parse_rubric, rubric_text
from judge.workflow.rubrics import load_rubric, shipped_rubrics

GOOD = """
name: tone
version: 1
unit: answer
question: {en: "Is the tone polite?", zh: 语气是否礼貌？}
inputs: [question, answer]
scale:
  - {name: yes, meaning: {en: It is polite., zh: 礼貌。}, synonyms: [polite, 礼貌]}
  - {name: no, meaning: {en: It is not.}}
passing: [yes]
"""


def refused(text, match):
    with pytest.raises(InputError, match=match) as caught:
        parse_rubric(text, "tone.yaml")
    assert str(caught.value).startswith("tone.yaml: ")
    assert "\n" not in str(caught.value)


def test_yes_and_no_stay_words():
    rubric = parse_rubric(GOOD, "tone.yaml")
    assert (rubric.labels, rubric.passing) == (("yes", "no"), ("yes",))
    assert rubric.read_label("礼貌。") == "yes"


@pytest.mark.parametrize("name", sorted(shipped_rubrics()))
def test_canonical_text_reads_back_to_the_same_identity(name):
    rubric = load_rubric(name)
    assert parse_rubric(rubric_text(rubric), "x") == rubric
    assert parse_rubric(rubric_text(rubric), "x").hash == rubric.hash


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("version: 1", "versoin: 1", "`version`"),
        ("inputs:", "input:", "unknown key `input`; did you mean `inputs`"),
        ("synonyms:", "synonims:", "did you mean `synonyms`"),
        ("version: 1", "version: one", "`version` is the text 'one', expected a valid integer"),
        ("unit: answer", "unit: anwser", "`unit` is the text 'anwser'"),
        ('{en: "Is the tone polite?", zh: 语气是否礼貌？}', "Is it polite?", "by language"),
        ("passing: [yes]", "passing: [maybe]", "'maybe'"),
        ("synonyms: [polite, 礼貌]", "synonyms: [NO]", "means both"),
        ("name: tone", "name: tone\nname: other", "stands twice"),
        ("name: tone", "name: &a tone\nversion: *a", "alias"),
        ("inputs: [question, answer]", "inputs: [question]", "`answer` among the inputs"),
        ("passing: [yes]", "needs_quote: [yes]", "`passages` among the inputs"),
        ("{en: It is not.}", "{en: ' '}", "`meaning of no` has no English text"),
        ("name: tone", "name: [", "not readable as YAML"),
        ("name: tone", "name: !!python/object/apply:os.getcwd []", "not readable as YAML"),
    ],
)
def test_mistakes_are_named_with_what_was_expected(old, new, match):
    assert old in GOOD
    refused(GOOD.replace(old, new), match)


def test_other_files_are_refused():
    refused("", "holds empty")
    refused("- 1", "holds a list")
    refused("x" * (MAX_BYTES + 1), "too large")
    refused("a: " + "[" * 5000, "nested too deeply")


def test_difference_shows_only_the_changed_words():
    old = parse_rubric(GOOD, "x")
    new = parse_rubric(GOOD.replace("It is not.", "It is rude."), "x")
    assert difference(old, new) == "-    en: It is not.\n+    en: It is rude."
    assert difference(old, old) == ""


def test_rubrics_are_found_by_name_or_path(tmp_path):
    path = tmp_path / "tone.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert load_rubric(str(path)).name == "tone"
    assert {"support", "relevance"} <= set(shipped_rubrics())
    assert load_rubric("support").labels == ("supported", "contradicted", "not_enough_info")


def test_unknown_names_list_the_shipped_ones(tmp_path):
    for name in ("suport", str(tmp_path / "none.yaml"), str(tmp_path), "../secret"):
        with pytest.raises(UsageError, match=r"relevance, support"):
            load_rubric(name)


def test_a_rubric_in_another_encoding_is_refused(tmp_path):
    path = tmp_path / "gbk.yaml"
    path.write_bytes(GOOD.encode("gbk"))
    with pytest.raises(InputError, match="not UTF-8"):
        load_rubric(str(path))


@pytest.mark.parametrize("name", sorted(shipped_rubrics()))
def test_shipped_rubrics_speak_both_languages(name):
    rubric = load_rubric(name)
    for texts in (rubric.question, rubric.rules, *(x.meaning for x in rubric.scale), *(x.title for x in rubric.scale)):
        assert texts["en"].strip()
        assert texts["zh"].strip()
    assert rubric.passing
    for label in rubric.scale:
        assert any(word.isascii() for word in label.synonyms)
        assert any(not word.isascii() for word in label.synonyms)
