"""Quotes are verified in the passages, whole words and numbers, and keep their place."""

import json

import pytest

from judge.domain.judging import Unscored
from tests.steps.asking import RELEVANCE, one

U = Unscored


PASSAGES = (
    "第一段：无关。",
    "营业时间：上午９点至\n下午6点。 The  “late”\u00a0shop\nis closed on Mon\u00addays.",
    "Nothing here.",
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("营业时间：上午９点", "营业时间：上午９点"),
        ("营业时间:上午9点至下午6点", "营业时间：上午９点至\n下午6点"),
        ('The "late" shop is closed on Mondays.', "The  “late”\u00a0shop\nis closed on Mon\u00addays."),
        ("“上午9点至”", "上午９点至"),
    ],
)
def test_quotes_are_found_in_the_original_passage(quote, found):
    verdict = one(json.dumps({"label": "supported", "quote": quote}), passages=PASSAGES)
    (kept,) = verdict.quotes
    assert kept.passage == "p2"
    assert PASSAGES[1][slice(*kept.span)] == found
    assert verdict.flags == ()


def test_several_quotes_and_ellipses_are_found_piece_by_piece():
    listed = one(json.dumps({"label": "supported", "quote": ["营业时间", "Nothing here."]}), passages=PASSAGES)
    assert [quote.passage for quote in listed.quotes] == ["p2", "p3"]
    pieces = one(json.dumps({"label": "supported", "quote": "营业时间 ... is closed"}), passages=PASSAGES)
    assert [quote.passage for quote in pieces.quotes] == ["p2", "p2"]
    assert (listed.flags, pieces.flags) == ((), ())


@pytest.mark.parametrize(
    ("quote", "passage"),
    [
        ("legal in Texas", "It is illegal in Texas."),
        ("effective", "The drug is ineffective."),
        ("5 mg", "Take 15 mg."),
        ("5 mg", "Take 0.5 mg."),
        ("5 mg", "Take １５ mg."),
        ("costs 5", "It costs 5.50."),
        ("5 °C", "Keep at -5 °C."),
        ("5毫克", "服用15毫克。"),
        ("no", "I know."),
        ("We can", "We can't open."),
        ("legal", "It is il\u00adlegal."),
        ("is now here approved", "It is nowhere approved."),
        ("it isnowhere", "it is now here"),
        ("cafe", "a café"),
        ("cafe", "a cafe\u0301"),
        ("か", "が"),
        ("か", "か\u3099"),
        ("가", "각"),
        ("1", "½ cup"),
    ],
)
def test_a_quote_is_whole_words_numbers_and_letters(quote, passage):
    (kept,) = one(json.dumps({"label": "supported", "quote": quote}), passages=(passage,)).quotes
    assert (kept.passage, kept.span) == (None, None)


@pytest.mark.parametrize(
    ("quote", "passage", "found"),
    [
        ("legal in Texas", "illegal in Texas, legal in Texas", "legal in Texas"),
        ("5 mg", "15 mg or 5  mg", "5  mg"),
        ("支持", "我们不支持它", "支持"),
        ("café", "a cafe\u0301 here", "cafe\u0301"),
        ("营业时间: 9点", "营业时间：9点起", "营业时间：9点"),
        ("12時", "１２時です", "１２時"),
        ("ospedale", "dell'ospedale", "ospedale"),
        ("seven", "'seven'", "seven"),
        ("fine print", "ﬁne print", "ﬁne print"),
        ("서울", "서울은 크다", "서울"),
    ],
)
def test_a_quote_is_searched_on_until_it_is_whole(quote, passage, found):
    (kept,) = one(json.dumps({"label": "supported", "quote": quote}), passages=(passage,)).quotes
    assert passage[slice(*kept.span)] == found


def test_quotes_that_are_not_there_keep_the_label_and_are_flagged():
    verdict = one(json.dumps({"label": "supported", "quote": "open all night"}), passages=PASSAGES)
    assert (verdict.label, verdict.flags) == ("supported", ("quote_not_found",))
    assert verdict.quotes[0].passage is None
    for empty in ("", " ", None, [], "…", 5):
        assert one(json.dumps({"label": "contradicted", "quote": empty})).flags == ("quote_missing",)
    assert one('{"label": "not_enough_info", "quote": ""}').flags == ()
    assert one('{"label": "relevant", "quote": ""}', rubric=RELEVANCE).flags == ()
