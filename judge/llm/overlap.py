"""Word and character overlap of a claim with passages: what the baseline judge sees.

English words are folded, stop words left out, endings cut off; Han runs become bigrams; numbers are read as values
(3,500 = 3500 = 3.5k = 三千五百) with the unit behind them. All of it is lexical: a paraphrase looks like a stranger.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple


def words(listed: str) -> list[str]:
    """The words of a list that is written with blanks."""
    return listed.split()


HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_SENTENCE = re.compile(r"[^。！？；!?\n]+?(?:[。！？；!?\n]+|\.(?=\s)|$)|[。！？；!?\n]+", re.DOTALL)
_PIECE = 600
"""A passage without stops is cut into pieces of this many characters."""
_CLAUSE = re.compile(r"[,，;；:：]| but | and | while | whereas |但|而且|并且|且")
_MARKER = re.compile(r"^\d{1,2}(?:[.)]\s+|、)|\[\^?\d{1,3}(?:[,-]\s?\d{1,3}){0,9}\]|【\d{1,3}】")
"""List numbers and citation markers are no numbers of the text."""
_TOKEN = re.compile(rf"[{HAN}]+|[^\W\d_{HAN}][^\W_{HAN}]*(?:'[a-z]+)?")
_STOP = frozenset(
    words(
        "a an the this that these those and or but if then than so as of at by for with about into to from in on off "
        "over is are was were be been being am do does did doing have has had having can could will would shall should "
        "may might must it its they their them he his him she her we us our you your i me my who whom which what when "
        "where why how there here also such some any each all both more most other own same just only very too s t "
        "not no nor never according per via within up out"
    )
)
_FUNCTION = (
    "的了是在和与及或也都就而并且被把将对于为其这那之以所等则着过会可能要需应该由从向到至上下中内外时后前不没无未非个"
)
_HAN_SPLIT = re.compile(rf"[{_FUNCTION}]+")
_ENDINGS = ("ingly", "edly", "ings", "ing", "ies", "ied", "ed", "es", "ly", "s")
_FRIENDS = re.compile(
    "不仅|不但|不过|不同|不断|不少|不久|不管|不论|不锈钢|不良|不适|无论|无线|非常|除非|是非|未来|未成年|没错|没关系|"
    r"\bno (?:later|longer|more|less|fewer) than\b|\bnot (?:only|just)\b"
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|cannot|without|neither|nor|unable|prohibited|forbidden)\b|n't\b"
    "|[不没无非未勿莫]|禁止|严禁|拒绝|除外"
)
_DIGITS = {**dict(zip("零一二三四五六七八九", range(10), strict=True)), "〇": 0, "两": 2}
_PLACES = {"十": 10, "百": 100, "千": 1000}
_MULTIPLIERS = {
    "k": 1e3, "thousand": 1e3, "million": 1e6, "mn": 1e6, "billion": 1e9, "bn": 1e9,
    "百": 1e2, "千": 1e3, "万": 1e4, "亿": 1e8,
}  # fmt: skip
_WORDS = {
    word: float(value)
    for word, value in zip(
        words(
            "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety"
        ),
        (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 30, 40, 50, 60, 90),
        strict=True,
    )
}
_MONTHS = {name: float(i) for i, name in enumerate(words("jan feb mar apr may jun jul aug sep oct nov dec"), 1)}
_UNITS = {
    "percent": "%", "％": "%", "天": "day", "日": "day", "年": "year", "月": "month", "周": "week", "星期": "week",
    "小时": "hour", "分钟": "minute", "元": "yuan", "块": "yuan", "分": "minute",
}  # fmt: skip
_UNIT = (
    r"\s?-?\s?(?:个|名|位|多)?\s?"
    r"(%|％|[a-z]{1,20}|小时|分钟|星期|公里|工作日|[年月日天周元块次种项人张件倍岁层条米升克页])?"
)
_NUMERAL = "零〇一二两三四五六七八九十百千万亿"
_NUMBER = re.compile(
    r"(?P<percent>百分之)?(?:(?P<month>\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?)(?=\s\d)|"
    r"(?P<version>(?<![\d.])\d+(?:\.\d+){2,9}|\d{1,2}:\d{2})|"
    r"(?P<money>[$€£¥]\s?)?(?<![a-z\d])(?P<digits>\d+(?:,\d{3})*(?:\.\d+)?)\s?"
    r"(?P<times>(?:k|thousand|million|billion|mn|bn)\b|[百千万亿])?|"
    rf"(?P<han>[{_NUMERAL}]{{2,12}}|[{_NUMERAL}](?=个?[年月天周元块倍岁]|小时|分钟|个?(?:工作日|星期))|"
    rf"(?<=百分之)[{_NUMERAL}])|"
    rf"\b(?P<word>{'|'.join(_WORDS)})\b)" + _UNIT
)


class Number(NamedTuple):
    """A value with the unit that stands behind it; versions and clock times are kept as text."""

    value: float | str
    unit: str


class Clause(NamedTuple):
    """A part of a sentence and whether it denies something."""

    terms: frozenset[str]
    denies: bool


class Sentence(NamedTuple):
    """A sentence of a passage, or a claim."""

    text: str
    passage: int
    terms: frozenset[str]
    numbers: tuple[Number, ...]
    clauses: tuple[Clause, ...]
    denies: bool


class Evidence(NamedTuple):
    """How a claim compares with the passage window that is most like it."""

    recall: float
    """Weighted share of the claim's terms and numbers in the window, 0 to 1."""
    other_number: str
    """A number of the claim in whose place the window has another one; empty if none."""
    missing_number: str
    """A number of the claim that the window does not hold; empty if none."""
    denied: bool
    """Whether one of them denies what the other states."""
    quote: str
    """The sentence of the window most like the claim, verbatim; empty without passages."""


class Index:
    """Sentences of some passages with their terms' rarity; read only once made."""

    def __init__(self, passages: Sequence[str]) -> None:
        self.sentences = [each for i, text in enumerate(passages) for each in read_sentences(text, i)]
        self.postings: dict[str, list[int]] = {}
        for i, sentence in enumerate(self.sentences):
            for term in sentence.terms:
                self.postings.setdefault(term, []).append(i)

    def weight(self, term: str) -> float:
        """log(1 + N / df), with df = 1 for a term that no sentence holds."""
        return math.log(1 + len(self.sentences) / len(self.postings.get(term, "1")))


@lru_cache(maxsize=256)
def index_passages(passages: tuple[str, ...]) -> Index:
    """The index of these passages; the claims of one answer share it."""
    return Index(passages)


@lru_cache(maxsize=2048)
def read_sentences(text: str, passage: int = 0) -> tuple[Sentence, ...]:
    """Sentences of a text, each trimmed and verbatim."""
    found = []
    for match in _SENTENCE.finditer(text):
        for at in range(match.start(), match.end(), _PIECE):
            piece = text[at : min(match.end(), at + _PIECE)].strip()
            if piece:
                found.append(read_sentence(piece, passage))
    return tuple(found)


def read_sentence(text: str, passage: int = 0) -> Sentence:
    """Terms, numbers and clauses of one sentence."""
    folded = _MARKER.sub("", unicodedata.normalize("NFKC", text).casefold().replace("’", "'"))
    numbers = tuple(read_numbers(folded))
    marks = {f"#{number.value}" for number in numbers}
    clauses = tuple(Clause(frozenset(read_terms(part)), denies(part)) for part in _CLAUSE.split(folded) if part.strip())
    return Sentence(text, passage, frozenset(read_terms(folded)) | marks, numbers, clauses, denies(folded))


def read_terms(folded: str) -> Iterator[str]:
    """Stems of words and bigrams of Han runs, stop words and numerals left out."""
    for token in _TOKEN.findall(folded):
        if token[0] < "\u3400":
            if token not in _STOP and token not in _WORDS:
                yield stem(token)
            continue
        for run in _HAN_SPLIT.split(token):
            yield from (run[i : i + 2] for i in range(len(run) - 1)) if len(run) > 1 else run


def stem(word: str) -> str:
    """The word without a common English ending."""
    word = word.partition("'")[0]
    for ending in _ENDINGS:
        if len(word) > len(ending) + 2 and word.endswith(ending):
            return word[: -len(ending)].rstrip("e") + ("y" if ending in ("ies", "ied") else "")
    return word.rstrip("e") if len(word) > 3 else word


def denies(folded: str) -> bool:
    """Whether an odd number of negations stands in it."""
    return len(_NEGATION.findall(_FRIENDS.sub("", folded))) % 2 == 1


def read_numbers(folded: str) -> Iterator[Number]:
    """Numbers of a folded text, as values with units."""
    month = False
    for match in _NUMBER.finditer(folded):
        value = _value(match)
        unit = match[match.lastindex or 0] if match.lastindex == match.re.groups else ""
        if value is None:
            continue
        if match["month"]:
            yield Number(value, "month")
        elif match["version"]:
            yield Number(value, "text")
        elif match["percent"]:
            yield Number(value, "%")
        else:
            yield Number(value, "day" if month else _unit(value, unit, match["money"]))
        month = bool(match["month"])


def _value(match: re.Match[str]) -> float | str | None:
    if match["month"]:
        return _MONTHS[match["month"][:3]]
    if match["version"]:
        return match["version"]
    if match["digits"]:
        return float(match["digits"].replace(",", "")) * _MULTIPLIERS.get(match["times"] or "", 1.0)
    if match["word"]:
        return _WORDS[match["word"]]
    return han_number(match["han"])


def _unit(value: float | str, unit: str, money: str | None) -> str:
    if money:
        return "yuan" if money.startswith("¥") else "money"
    if not unit and isinstance(value, float) and value.is_integer() and 1900 <= value < 2100:
        return "year"
    return _UNITS.get(unit) or ("" if unit in _STOP else stem(unit))


def han_number(numeral: str) -> float | None:
    """三千五百 -> 3500, 二〇二四 -> 2024; None where it is no number (千万, 一一)."""
    if all(sign in _DIGITS for sign in numeral):
        return float("".join(str(_DIGITS[sign]) for sign in numeral)) if numeral != "一一" else None
    if numeral[0] in "百千万亿":
        return None
    total, section, digit = 0.0, 0.0, 0.0
    for sign in numeral:
        if sign in _DIGITS:
            digit = float(_DIGITS[sign])
        elif sign in _PLACES:
            section, digit = section + (digit or 1.0) * _PLACES[sign], 0.0
        else:
            total, section, digit = (total + section + digit) * _MULTIPLIERS[sign], 0.0, 0.0
    return total + section + digit


def compare(claim: Sentence, index: Index) -> Evidence:
    """Evidence for a claim from the window of 1 to 3 neighbouring sentences that holds most of it."""
    weights = {term: index.weight(term) for term in claim.terms}
    total = sum(weights.values())
    held: dict[int, float] = {}
    for term, weight in weights.items():
        for i in index.postings.get(term, ()):
            held[i] = held.get(i, 0.0) + weight
    if not held or not total:
        return Evidence(0.0, "", "", denied=False, quote="")
    first, last = _best_window(claim, index, weights, held)
    window = index.sentences[first : last + 1]
    recall = _sum_held(window, weights) / total
    best = max(range(first, last + 1), key=lambda i: (held.get(i, 0.0), -i))
    other, missing = _numbers(claim, window)
    return Evidence(recall, other, missing, _denied(claim, window, weights), index.sentences[best].text)


def _best_window(
    claim: Sentence, index: Index, weights: Mapping[str, float], held: Mapping[int, float]
) -> tuple[int, int]:
    """The window with the largest held weight; a longer one must gain 5 % of all for each sentence more."""
    cost = 0.05 * sum(weights.values())
    best, score = (0, 0), -1.0
    for first in sorted(held, key=lambda i: (-held[i], i))[:12]:
        for low, high in ((first, first), (first - 1, first), (first, first + 1), (first - 1, first + 1)):
            if low < 0 or high >= len(index.sentences):
                continue
            window = index.sentences[low : high + 1]
            if window[0].passage != window[-1].passage:
                continue
            gained = _sum_held(window, weights) - cost * (high - low)
            if gained > score + 1e-12:
                best, score = (low, high), gained
    return best


def _sum_held(window: Sequence[Sentence], weights: Mapping[str, float]) -> float:
    if len(window) == 1:
        return sum(weight for term, weight in weights.items() if term in window[0].terms)
    return sum(weight for term, weight in weights.items() if any(term in sentence.terms for sentence in window))


def _numbers(claim: Sentence, window: Iterable[Sentence]) -> tuple[str, str]:
    """The first number of the claim that the window contests, and the first that it lacks."""
    there = [number for sentence in window for number in sentence.numbers]
    values = {number.value for number in there}
    claimed = {number.value for number in claim.numbers}
    missing = [number for number in claim.numbers if number.value not in values]
    free = {number.unit for number in there if number.value not in claimed}
    contested = [number for number in missing if number.unit in free]
    return (_shown(contested[0]) if contested else "", _shown(missing[0]) if missing else "")


def _shown(number: Number) -> str:
    return number.value if isinstance(number.value, str) else f"{number.value:g}"


def _denied(claim: Sentence, window: Sequence[Sentence], weights: Mapping[str, float]) -> bool:
    """Whether a clause of the claim meets one of the same words and the opposite polarity.

    Both sentences must differ in polarity as well: a negation that only moved to another clause denies nothing.
    """
    clauses = [(clause, sentence.denies) for sentence in window for clause in sentence.clauses]
    for mine in claim.clauses:
        whole = sum(weights.get(term, 0.0) for term in mine.terms)
        if not whole or not clauses:
            continue
        shares = [sum(weights.get(term, 0.0) for term in mine.terms & yours.terms) / whole for yours, _ in clauses]
        best = max(shares)
        rivals = [rival for share, rival in zip(shares, clauses, strict=True) if share >= best - 1e-9]
        if best >= 0.6 and all(yours.denies != mine.denies and all_ != claim.denies for yours, all_ in rivals):
            return True
    return False
