"""Numbers as values with units, however they are written: 3,500 = 3500 = 3.5k = 三千五百; 30% = 百分之三十 = 三成.

Dates become year, month and day; versions and clock times stay text. Texts are expected folded (`overlap.fold`).
"""

import math
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple


def words(listed: str) -> list[str]:
    """The words of a list that is written with blanks."""
    return listed.split()


class Number(NamedTuple):
    """A value with the unit that stands behind it; versions and clock times are kept as text."""

    value: float | str
    unit: str


_DIGITS = {**dict(zip("零一二三四五六七八九", range(10), strict=True)), "〇": 0, "两": 2, "兩": 2}
_PLACES = {"十": 10, "百": 100, "千": 1000}
_TIMES = {
    "k": 1e3, "m": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9,
    "trillion": 1e12, "百": 1e2, "千": 1e3, "万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8,
}  # fmt: skip
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {
    **{word: float(i) for i, word in enumerate(_ONES.split())},
    **{word: 10.0 * i for i, word in enumerate(_TENS.split(), 2)},
}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
NUMBER_WORDS = frozenset([*_WORDS, *_SCALES]) - {"one"}
"""English words that are numbers; a lone "one" is none."""
_MONTHS = {name: float(i) for i, name in enumerate(words("jan feb mar apr may jun jul aug sep oct nov dec"), 1)}
_UNITS = {
    unit: name
    for name, units in {
        "%": "% percent pct 个百分点",
        "age": "岁",
        "day": "day days 天 日",
        "dollar": "dollar dollars usd 美元",
        "euro": "euro euros eur 欧元",
        "hour": "hour hours hr hrs h 小时 钟头",
        "kg": "kg kilogram kilograms 公斤 千克",
        "km": "km kilometer kilometers kilometre kilometres 公里 千米",
        "meter": "meter meters metre metres 米",
        "mile": "mile miles mi 英里",
        "minute": "minute minutes min mins 分钟 分",
        "month": "month months 月 个月",
        "person": "person people persons 人",
        "second": "second seconds sec secs 秒",
        "week": "week weeks wk 周 星期 礼拜",
        "year": "year years yr yrs 年 周年",
        "yuan": "yuan rmb cny 元 块",
    }.items()
    for unit in units.split()
}
_NO_UNIT = frozenset(
    words(
        "a an and are as at but by for from has have in is of on or than that the they this to was were which who with "
        "it its if so then when until"
    )
)
_UNIT = (
    r"(?:\s?-?\s?(?:多|余)?(?P<unit>%|[a-z]{1,20}|个?(?:小时|分钟|星期|工作日|百分点|月)|公里|千米|公斤|千克|美元|欧元|日元|韩元|"
    r"英里|平方米|[个名位]?[年月日天周元块次种项人张件倍岁成层条米升克页秒]|[个名位家台辆架艘所届场只]))?"
)
_NUMERAL = "零〇一二两兩三四五六七八九十百千万萬亿億"
_WORD = "|".join([*_WORDS, *_SCALES])
_START = rf"(?=[\d$€£¥百{_NUMERAL}]|(?<![a-z])[jfmasond])"
_PATTERN = (
    r"(?:(?P<iso>(?<![\d.-])(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:[12]\d|3[01]|0?[1-9])(?![\d.-]))|"
    r"(?P<month>\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?)(?=\s\d)|"
    r"(?P<version>(?<![\d.])\d+(?:\.\d+){2,9}|\d{1,2}:\d{2})|"
    r"(?P<percent>百分之)?(?P<money>[$€£¥]\s?)?(?:"
    r"(?<![a-z\d])(?P<digits>\d+(?:,\d{3})*(?:\.\d+)?)(?:(?:st|nd|rd|th)(?![a-z]))?|"
    rf"(?P<han>(?<=百分之)[{_NUMERAL}]{{1,12}}(?:点[{_NUMERAL}]{{1,12}})?|"
    rf"[{_NUMERAL}]{{1,12}}点[{_NUMERAL}]{{1,12}}(?=[倍成元米亿]|个百分点|公[里斤])|"
    rf"[{_NUMERAL}]{{2,12}}|"
    rf"[{_NUMERAL}](?=个?[年月天周元块倍岁成]|小时|分钟|个?(?:工作日|星期)))|"
    r"(?P<word>WORDS))"
    r"(?P<times>\s?(?:(?:k|mn|bn|[mb]|thousand|million|billion|trillion)(?![a-z])|[百千万萬亿億]{1,2}))?" + _UNIT + ")"
)
_NUMBER = re.compile(_PATTERN.replace("WORDS", rf"\b(?:{_WORD})(?:[\s-](?:and\s)?(?:{_WORD}))*\b"))
_SIGNS = re.compile(_START + _PATTERN.replace("WORDS", "(?!)"))
"""The same without English number words: three times as fast."""
_SPELT = re.compile(rf"\b(?:{_WORD})\b")
_LIKELY = re.compile(rf"[\d{_NUMERAL}]")
_MONEY = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yuan"}


@lru_cache(maxsize=8192)
def read_numbers(folded: str) -> tuple[Number, ...]:
    """Numbers of a folded text in their order, as values with units."""
    if _SPELT.search(folded):
        return tuple(_read(_NUMBER.finditer(folded)))
    return tuple(_read(_SIGNS.finditer(folded))) if _LIKELY.search(folded) else ()


def _read(matches: Iterable[re.Match[str]]) -> Iterator[Number]:
    month = False
    for match in matches:
        if match["iso"]:
            for part, unit in zip(re.split("[-/.]", match["iso"]), ("year", "month", "day"), strict=True):
                yield Number(float(part), unit)
            continue
        if match["month"]:
            yield Number(_MONTHS[match["month"][:3]], "month")
        elif match["version"]:
            yield Number(match["version"], "text")
        elif (value := _value(match)) is not None:
            yield _number(value, match, month)
        month = bool(match["month"])


def _value(match: re.Match[str]) -> float | None:
    times = (match["times"] or "").strip()
    if times in ("m", "b") and not match["money"]:  # 5 m are metres, $5m are millions
        times = ""
    scale = _TIMES[times] if times in _TIMES else math.prod(_TIMES[sign] for sign in times)
    if match["digits"]:
        return float(match["digits"].replace(",", "")) * scale
    if match["word"]:
        return None if match["word"] == "one" and scale == 1.0 else _words(match["word"]) * scale
    return han_number(match["han"])


def _number(value: float, match: re.Match[str], month: bool) -> Number:
    if match["unit"] == "成" and not match["percent"]:
        return Number(value * 10, "%")
    return Number(value, _unit(value, match, month))


def _unit(value: float, match: re.Match[str], month: bool) -> str:
    unit = match["unit"] or ""
    if match["percent"]:
        return "%"
    if match["money"]:
        return _MONEY[match["money"][0]]
    if match["times"] and match["times"].strip() == "m":
        return "meter"
    if month:
        return "day"
    if unit in ("", *_NO_UNIT) and value.is_integer() and 1500 <= value < 2100:
        return "year"
    return _named(unit)


def _named(unit: str) -> str:
    if unit in _UNITS:
        return _UNITS[unit]
    if unit in _NO_UNIT:
        return ""
    return _UNITS.get(unit.lstrip("个名位"), unit[:-1] if unit.endswith("s") and not unit.endswith("ss") else unit)


def _words(text: str) -> float:
    """Twenty-five -> 25, two hundred and six thousand -> 206000."""
    total, section = 0.0, 0.0
    for word in re.split(r"[\s-]", text):
        if word in _WORDS:
            section += _WORDS[word]
        elif word == "hundred":
            section = (section or 1.0) * 100
        elif word in _SCALES:
            total, section = total + (section or 1.0) * _SCALES[word], 0.0
    return total + section


def han_number(numeral: str) -> float | None:
    """三千五百 -> 3500, 二〇二四 -> 2024, 一点五 -> 1.5; None where it is no number (千万, 一一)."""
    whole, point, fraction = numeral.partition("点")
    if point:
        value = han_number(whole)
        read = all(sign in _DIGITS for sign in fraction)
        return (
            None if value is None or not read else float(f"{value:.0f}." + "".join(str(_DIGITS[s]) for s in fraction))
        )
    if all(sign in _DIGITS for sign in numeral):
        return float("".join(str(_DIGITS[sign]) for sign in numeral)) if numeral != "一一" else None
    if numeral[0] in "百千万萬亿億":
        return None
    total, section, digit = 0.0, 0.0, 0.0
    for sign in numeral:
        if sign in _DIGITS:
            digit = float(_DIGITS[sign])
        elif sign in _PLACES:
            section, digit = section + (digit or 1.0) * _PLACES[sign], 0.0
        else:
            total, section, digit = (total + section + digit) * _TIMES[sign], 0.0, 0.0
    return total + section + digit
