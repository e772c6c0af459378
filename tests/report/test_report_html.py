import re
from html.parser import HTMLParser

import pytest

from judge.domain.estimates import Caution
from judge.domain.results import Coverage, Example, Share, Weakness
from judge.report import agreement_markdown, to_html
from tests.report.report_sample import AUTHOR, agreement, estimate, relevance, report, rubric, support

VOID = {"meta", "br", "line", "rect", "circle"}
HOSTILE = (
    "</title></style><script>alert(1)</script>\"'><img src=x onerror=alert(1)> {{ 7*7 }} ![x](http://evil) \u202e| `"
)


class Page(HTMLParser):
    """A strict reader: each tag closed in order, with all text and tags kept."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.words, self.attributes = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in VOID
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words)).replace("\u2060", "")


def hostile_report():
    long = HOSTILE * 2500  # more than 200,000 characters
    bad = agreement(
        where={HOSTILE: long},
        judge=HOSTILE,
        labels=(long, HOSTILE, "ok"),
        queue=HOSTILE,
        design=HOSTILE,
        annotators=(long,) * 50,
        dropped={long: 3},
        notes=(Caution(code="x", text=long),),
        status=HOSTILE,
    )
    return report(
        rubric(
            bad,
            rubric=long,
            rubric_id=HOSTILE,
            question={"en": long},
            passing=(HOSTILE,),
            counts={long: 1, HOSTILE: 2},
            coverage=Coverage(asked=3, judged=2, unscored={long: 1}),
            shares=(
                Share(name=long, group=HOSTILE, raw=estimate(0.5, 0.4, 0.6), coverage=Coverage(asked=0, judged=0)),
            ),
            slices=(bad,),
            weak=(Weakness(where=long, kappa=None, disagreements=1, n=2),),
            examples=(
                Example(unit=long, question=long, claim=long, judge_label=long, human_label=HOSTILE, rationale=long),
            ),
        ),
        run=long,
        dataset=long,
        systems=(long, HOSTILE),
        currency=HOSTILE,
        cost=1.0,
        made_with=long,
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_is_well_formed_and_ids_are_unique(lang):
    html = to_html(report(), lang)
    page = Page(html)
    assert html.startswith("<!doctype html>")
    assert ("html", "lang", {"en": "en", "zh": "zh-Hans"}[lang]) in page.attributes
    assert len(page.ids) == len(set(page.ids))
    for _, name, value in page.attributes:
        if name == "aria-labelledby":
            assert set(value.split()) <= set(page.ids)
    assert page.tags.count("svg") == page.tags.count("title") - 1 + html.count('class="plot axis"')
    assert page.tags.count("table") == page.tags.count("caption") + page.tags.count("figcaption")
    assert page.tags.count("h1") == 1


@pytest.mark.parametrize("make", [report, hostile_report])
def test_nothing_is_asked_of_the_outside(make):
    html = to_html(make(), "en")
    page = Page(html)
    assert {"script", "link", "img", "iframe", "object", "base", "form", "a"}.isdisjoint(page.tags)
    assert not [a for a in page.attributes if a[1] in ("src", "href", "srcset", "action") or a[1].startswith("on")]
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL).group(1)
    assert not re.search(r"url\(|@import|http|image-set", style)
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in html
    if make is report:
        assert not re.search(r"https?:|src=|url\(", html)


def test_hostile_text_is_only_text_and_is_cut():
    html = to_html(hostile_report(), "en")
    assert len(html) < 200_000
    assert "<script" not in html
    assert "onerror=alert(1)>" not in html
    assert "49" not in re.findall(r"\{\{ ?(.*?) ?\}\}", html)
    assert "{{ 7*7 }}" in html
    assert "\u202e" not in html
    html.encode("utf-8")


def test_the_same_report_gives_the_same_bytes():
    assert to_html(report(), "zh") == to_html(report(), "zh")


def test_the_decision_stands_first_and_is_followed_by_at_most_four_figures():
    html = to_html(report(), "en")
    first = html.index('class="decision"')
    assert first < html.index('class="cards') < html.index("<figure>") < html.index("<details>")
    for section in html.split('<section class="rubric"')[1:]:
        assert 1 <= section.count('<li class="card') <= 4


def test_each_figure_has_its_number_interval_and_n():
    cards = re.findall(r'<li class="card.*?</li>', to_html(report(), "en"), re.DOTALL)
    assert len(cards) == 5
    for card in cards:
        assert re.search(r'class="value">[\d–]', card)
        assert re.search(r"95% interval .*\d", card)
        assert re.search(r"n \d+", card)
        assert '<rect class="range"' in card
        assert '<circle class="dot"' in card
    assert 'class="goal" x1="60.00%"' in cards[0]
    text = Page(to_html(report(), "en")).text
    assert "233 of 240 claims asked have a verdict (97.1%). Without a verdict: reply unreadable 4, refused 3." in text


@pytest.mark.parametrize(("lang", "words"), [("en", "not checked by people"), ("zh", "未经人工核对")])
def test_figures_without_labels_say_so_wherever_they_stand(lang, words):
    html = to_html(report(relevance()), lang)
    card = re.search(r'<li class="card.*?</li>', html, re.DOTALL).group()
    assert words in card
    assert words in re.search(r"<figcaption>.*?</figcaption>", html, re.DOTALL).group()
    assert all(words in row for row in re.findall(r"<td class=\"words\">.*?</td>", html))
    by_author = to_html(report(rubric(agreement(notes=(AUTHOR,)))), lang)
    assert words in "".join(re.findall(r'<li class="card.*?</li>', by_author, re.DOTALL))
    checked = Share(name="passing", raw=estimate(0.9, 0.8, 0.95), coverage=Coverage(asked=9, judged=9), checked=True)
    page = to_html(report(rubric(agreement(), shares=(checked,))), lang)
    assert words not in "".join(re.findall(r'<li class="card.*?</li>', page, re.DOTALL))


def test_a_missing_figure_is_a_dash_with_its_reason():
    lost = agreement(None, None, None, n=40, status="undefined_single_class")
    html = to_html(report(rubric(lost)), "en")
    card = re.search(r'<li class="card.*?</li>', html, re.DOTALL).group()
    assert 'class="value">–</p>' in card
    assert "judge and labels know one class only" in card
    assert "<circle" not in card


def test_what_rests_on_few_labels_is_grey_and_says_so():
    html = to_html(report(support()), "en")
    row = re.search(r'<tr role="row" class="few">.*?</tr>', html, re.DOTALL).group()
    assert "医疗说明书" in row
    assert "fewer than 30 labels" in row
    cells = re.findall(r'<td class="few[^"]*"[^>]*>', html)
    assert cells
    assert not [cell for cell in cells if "--depth" in cell]
    small = to_html(report(rubric(agreement(n=29))), "zh")
    assert re.search(r'<li class="card few">.*?少于 30 个标签', small, re.DOTALL)


@pytest.mark.parametrize(("lang", "words"), [("en", "too few: 4 labels"), ("zh", "太少：4 个标签")])
def test_a_card_of_fewer_than_five_labels_shows_no_interval(lang, words):
    html = to_html(report(rubric(agreement(rejected_of_passed=estimate(0.5, 0.08, 0.92, n=4)))), lang)
    card = re.findall(r'<li class="card.*?</li>', html, re.DOTALL)[1]
    assert 'class="value">50<small>%' in card
    assert card.count(words) == 1
    assert "8–92" not in html
    assert 'class="range"' not in card


UNCERTAIN = Caution(
    code="uncertain",
    text="Agreement is too uncertain to rank the judge (kappa -0.02 to 0.55).",
    values={"lo": -0.02, "hi": 0.55},
)


@pytest.mark.parametrize(("high", "n", "told"), [(0.55, 80, False), (0.65, 80, True), (0.65, 4, False)])
def test_a_report_that_has_decided_does_not_say_that_it_can_not(high, n, told):
    wide = agreement(-0.02, high, 0.3, n, warnings=(UNCERTAIN,))
    for lang, words in (("en", "too uncertain to rank"), ("zh", "太不确定")):
        assert (words in to_html(report(rubric(wide)), lang)) is told
    assert "too uncertain" in agreement_markdown(wide, "en")


def test_other_agreements_are_folded():
    rolled = agreement(0.31, 0.68, 0.52, 38, unit="answer by roll-up")
    html = to_html(report(rubric(agreement(), others=(rolled,))), "en")
    fold = next(one for one in re.findall(r"<details>.*?</details>", html, re.DOTALL) if "another kind" in one)
    assert "answers, by the verdicts on their claims" in fold
    assert "n 38, kappa 0.52 (0.31–0.68), coverage 97.1%" in fold


def test_labels_left_out_are_told_by_reason():
    html = to_html(report(rubric(agreement(dropped={"no_claims": 3, "no_verdict": 2}))), "zh")
    assert "没有可核对陈述的回答" in html
    assert "没有判定" in html


def test_labels_partly_by_construction_stand_beside_the_decision():
    note = Caution(code="labels_partly_by_construction", text="3 of 9 labels ...", values={"n": 3, "of": 9})
    html = to_html(report(rubric(agreement(notes=(note,)))), "zh")
    between = html[html.index('class="decision"') : html.index('class="cards')]
    assert html.count("9 个标签中有 3 个是构造数据时给出的") == 1
    assert "9 个标签中有 3 个是构造数据时给出的" in between


def test_the_chart_shows_slices_with_an_interval_and_counts_the_others():
    figure = re.search(r"<figure>.*?</figure>", to_html(report(support()), "en"), re.DOTALL).group()
    assert "lang=zh" in figure
    assert "type!=travel" not in figure
    assert "Left to the table below: 1 more" in figure
    labels = to_html(report(rubric(agreement())), "en")
    assert "What people say of each verdict" in labels


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_labels_by_construction_are_told_beside_the_decision(lang):
    html = to_html(report(rubric(agreement(notes=(AUTHOR,)))), lang)
    between = html[html.index('class="decision"') : html.index('class="cards')]
    assert {"en": AUTHOR.text, "zh": "不是人工标注的"}[lang] in between
    assert html.count(AUTHOR.text) <= 1


def test_warnings_about_the_run_stand_at_each_decision_and_the_state_at_the_head():
    html = to_html(
        report(warnings=(Caution(code="stale", text="Stale: newer data."), Caution(code="run_state", text="?")))
    )
    assert html.count("Stale: newer data.") == 2
    assert ">?<" not in html
    assert "Some units of this run have no usable verdict" in html[: html.index("<main>")]


def test_identities_and_cost_are_all_there():
    text = Page(to_html(report(), "en")).text
    for word in ("e99a18c428cb38d5f260853678922e03", "9b74c9897bac770ffc029102a200c5de", "qwen-plus-2025-07-28"):
        assert word in text
    for word in ("5d41402abc4b2a76b9719d911017c592", "rules-1", "support-pilot, verdict, seed 7", "2025-09", "王芳"):
        assert word in text
    assert "money unknown" in text
    assert "money 0" not in text


def test_a_run_without_anything_still_makes_a_page():
    bare = report(rubric(None, counts={}, coverage=Coverage(asked=0, judged=0), shares=()), systems=(), claims=0)
    assert "Nothing was asked." in Page(to_html(bare, "en")).text
    nothing = report().model_copy(update={"rubrics": ()})
    assert "Nothing has been judged in this run." in Page(to_html(nothing, "en")).text
