"""Numbers are read as values with units, whichever way they are written."""

import pytest

from judge.llm.numbers import han_number, read_numbers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3,500 euros", [(3500.0, "euro")]),
        ("3500", [(3500.0, "")]),
        ("3.5k users", [(3500.0, "user")]),
        ("three thousand five hundred euros", [(3500.0, "euro")]),
        ("三千五百元", [(3500.0, "yuan")]),
        ("3500块", [(3500.0, "yuan")]),
        ("1.2万人", [(12000.0, "person")]),
        ("12,000 people", [(12000.0, "person")]),
        ("1.5万亿元", [(1.5e12, "yuan")]),
        ("兩億", [(2e8, "")]),
        ("$1.2m", [(1_200_000.0, "dollar")]),
        ("64.7万美元", [(647_000.0, "dollar")]),
        ("a wall 5 m long", [(5.0, "meter")]),
        ("5 km", [(5.0, "km")]),
        ("5公里", [(5.0, "km")]),
        ("30 percent", [(30.0, "%")]),
        ("30%", [(30.0, "%")]),
        ("百分之三十", [(30.0, "%")]),
        ("三成", [(30.0, "%")]),
        ("百分之一点五", [(1.5, "%")]),
        ("3个百分点", [(3.0, "%")]),
        ("march 5, 2024", [(3.0, "month"), (5.0, "day"), (2024.0, "year")]),
        ("2024年3月5日", [(2024.0, "year"), (3.0, "month"), (5.0, "day")]),
        ("2024-03-05", [(2024.0, "year"), (3.0, "month"), (5.0, "day")]),
        ("二〇二四年", [(2024.0, "year")]),
        ("two months", [(2.0, "month")]),
        ("两个月", [(2.0, "month")]),
        ("a 30-day trial", [(30.0, "day")]),
        ("the 21st century", [(21.0, "century")]),
        ("一点五倍", [(1.5, "倍")]),
        ("twenty-five of them", [(25.0, "")]),
        ("version 3.11.2 at 18:30", [("3.11.2", "text"), ("18:30", "text")]),
        ("一个人千万不要", []),
        ("one of them", []),
        ("no number", []),
        ("", []),
    ],
)
def test_values_and_units(text: str, expected: list[tuple[float | str, str]]) -> None:
    assert [tuple(number) for number in read_numbers(text)] == expected


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("十五", 15),
        ("二十", 20),
        ("一百零五", 105),
        ("三千五百", 3500),
        ("三万二千", 32000),
        ("二〇二四", 2024),
        ("两亿", 200_000_000),
        ("一点五", 1.5),
        ("千万", None),
        ("一一", None),
    ],
)
def test_han_numerals(numeral: str, value: float | None) -> None:
    assert han_number(numeral) == value


def test_a_long_run_of_digits_or_numerals_is_read_in_time() -> None:
    for sign in ("9", "9,", "9.", "九", "one ", "百分之", "1:", "2024-"):
        read_numbers(sign * 20_000)
