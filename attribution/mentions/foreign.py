"""Figures as other languages write them: days with their months, clock times, amounts and durations. They are matched without grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from attribution.answer import Answer
from attribution.mentions.figures import MOST_MENTIONS
from attribution.mentions.foreign_words import (
    DAYS,
    DUAL,
    HAN,
    HAN_NUMBER,
    NUMBER,
    NUMBERS,
    PLAIN,
    TIMES,
    UNIT_WORDS,
    UNITS,
    WEEKDAY,
    dual,
    han_number,
)
from attribution.mentions.mention import Mention, MentionKind
from attribution.model import Span
from attribution.text import fold

_MONTHS = {
    name: number
    for names in (
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "januar februar marz april mai juni juli august september oktober november dezember",
        "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
        "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "januari februari maart april mei juni juli augustus september oktober november december",
        "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
        "يناير فبراير مارس ابريل مايو يونيو يوليو اغسطس سبتمبر اكتوبر نوفمبر ديسمبر",
        "كانون_الثاني شباط اذار نيسان ايار حزيران تموز اب ايلول تشرين_الاول تشرين_الثاني كانون_الاول",
    )
    for number, name in enumerate(names.replace("_", "\0").split(), start=1)
}
_MONTHS = {name.replace("\0", " "): number for name, number in _MONTHS.items()}
_NAMES = "|".join(sorted(map(re.escape, _MONTHS), key=len, reverse=True))
_DATE = re.compile(rf"(?<!\d)(\d{{1,2}})[.ºo]?\s(?:de\s)?({_NAMES})(?:\s(?:de\s)?((?:19|20)\d\d))?(?!\w)")
_VIETNAMESE_DATE = re.compile(r"(?<!\d)(\d{1,2})\s?(?:thang\s)(\d{1,2})(?!\d)")
_CJK_DATE = re.compile(r"(?:((?:19|20)\d\d)\s?[年년])?\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日号일]")
_CLOCK = re.compile(
    rf"(上午|下午|晚上|早上)?\s?(?<![\d.,])(?:(\d{{1,2}})(?:\s?[:h]\s?(\d\d)|[.](\d\d)\suhr|\s(?:uhr|gio)(?:\s(\d\d))?|\s?h(?!\w)|\s?点(半)?)|({HAN})点(半)?)(?!\d)"
)
_ARABIC_HOUR = re.compile(r"الساعة (\d{1,2})(?![\d:])")
_LATE_IN_ARABIC = re.compile(r"\s?(?:مساء|بعد الظهر|ظهرا)")
_SPANISH_HOUR = re.compile(
    rf"(?<!\w)(?:a|as) (?:las? )?(\d{{1,2}}|{'|'.join(PLAIN)}|una?)(?:[:.](\d\d)| (?:y|e) (media|meia|cuarto))?"
    r"(?:\s(?:de|por|da)(?: la)? (manana|tarde|noche|manha|noite))?(?!\w)"
)
_MINUTES = {"media": 30, "meia": 30, "cuarto": 15}
_MONEY = re.compile(
    r"(?:(?:r\$|us\$)\s?)(\d[\d.,]{0,23})(?!\d)|(?<![\d.,])(\d[\d.,]{0,23})\s?(?:dolares|dolar|euros?|pesos|reais|real|dollars?|dollari"
    r"|eur|usd|€|دولار\w*|美元|元|块|đo la|долл\w+)"
)
_MEASURE = re.compile(rf"(?<![\d.,])(\d{{1,4}})\s?({UNIT_WORDS})")
_PERCENT = re.compile(r"(?<![\d.,])(\d{1,3}(?:[.,]\d{1,12})?)\s?%")
_NUMBER = re.compile(r"(?<![\d.,/:-])(\d{1,6})(?![.,/:%-]*\d)")
_LATE = ("下午", "晚上", "tarde", "noche", "noite", "مساء")


def find_foreign(answer: Answer) -> list[Mention]:
    """The first figures written as in Spanish, German or Chinese, and plain numbers that are joined to letters."""
    text = _plain(answer.text)
    found: list[Mention] = []
    taken: list[Span] = []
    for read in (_dates, _clocks, _amounts, _measures, _percents, _numbers, _written_out):
        for kind, values, span, unit in read(text):
            if not any(start < span[1] and span[0] < end for start, end in taken[-200:]):
                taken.append(span)
                first = answer.place_at(span[0])
                found.append(Mention(kind, values, first, max(first + 1, answer.place_at(span[1] - 1) + 1), span, unit))
                if len(found) >= MOST_MENTIONS:
                    return found
    return found


def _plain(text: str) -> str:
    """Lower case without accents, as long as the text."""
    if text.isascii():
        return text.lower()
    return "".join(_plain_character(character) for character in text)


def _plain_character(character: str) -> str:
    if not character.isalpha():
        return character
    folded = fold(character)
    return folded if folded.isalpha() else character


Read = Iterator[tuple[MentionKind, tuple[Any, ...], Span, str]]


def _dates(text: str) -> Read:
    for match in _DATE.finditer(text):
        yield MentionKind.DATE, ((int(match[3] or 0), _MONTHS[match[2]], int(match[1])),), match.span(), ""
    for match in _VIETNAMESE_DATE.finditer(text):
        yield MentionKind.DATE, ((0, int(match[2]), int(match[1])),), match.span(), ""
    for match in _CJK_DATE.finditer(text):
        yield MentionKind.DATE, ((int(match[1] or 0), int(match[2]), int(match[3])),), match.span(), ""


def _clocks(text: str) -> Read:
    for match in _SPANISH_HOUR.finditer(text):
        hour = int(match[1]) if match[1].isdigit() else PLAIN.get(match[1], 1)
        if match[1].isdigit() or match[3] or match[4]:
            yield MentionKind.TIME, _times(hour, int(match[2] or _MINUTES.get(match[3] or "", 0)), match[4] or ""), match.span(), ""
    for match in _ARABIC_HOUR.finditer(text):
        part = "مساء" if _LATE_IN_ARABIC.match(text, match.end()) else ""
        yield MentionKind.TIME, _times(int(match[1]), 0, part), match.span(), ""
    for match in _CLOCK.finditer(text):
        hour = int(match[2]) if match[2] else han_number(match[7])
        minute = 30 if match[6] or match[8] else int(match[3] or match[4] or match[5] or 0)
        late = _LATE_IN_ARABIC.match(text, match.end())
        yield MentionKind.TIME, _times(hour, minute, match[1] or ("مساء" if late else "")), match.span(), ""


def _times(hour: int, minute: int, part: str) -> tuple[int, ...]:
    first = hour * 60 + minute
    if part in _LATE:
        return (first + 720 if hour < 12 else first,)
    return (first,) if part or hour > 12 else (first, first + 720)


def _amounts(text: str) -> Read:
    for match in _MONEY.finditer(text):
        if (amount := _number(match[1] or match[2])) is not None:
            yield MentionKind.MONEY, (amount,), match.span(), ""


def _number(written: str) -> Fraction | None:
    """A number with either comma or point for its fraction: three digits behind one make thousands."""
    plain = re.sub(r"[.,](?=\d{3}(?!\d))", "", written.rstrip(".,")).replace(",", ".")
    return Fraction(plain) if plain.count(".") < 2 and plain else None


def _measures(text: str) -> Read:
    for match in _MEASURE.finditer(text):
        for beginnings, dimension, factor in UNITS:
            if match[2].startswith(beginnings):
                yield MentionKind.DURATION, (Fraction(match[1]) * factor,), match.span(), dimension
                break


def _percents(text: str) -> Read:
    for match in _PERCENT.finditer(text):
        yield MentionKind.PERCENT, (Fraction(match[1].replace(",", ".")),), match.span(), ""


def _numbers(text: str) -> Read:
    for match in _NUMBER.finditer(text):
        yield MentionKind.NUMBER, (Fraction(match[1]),), match.span(), ""


def _written_out(text: str) -> Read:
    """Days of the week, and numbers written out with their unit, so many times or alone."""
    for match in WEEKDAY.finditer(text):
        day = DAYS.get(match[0])
        if day is not None:
            yield MentionKind.WEEKDAY, (day,), match.span(), ""
    for match in DUAL.finditer(text):
        count, dimension, factor = dual(match[0])
        yield MentionKind.DURATION, (Fraction(count * factor),), match.span(), dimension
    for match in TIMES.finditer(text):
        yield MentionKind.NUMBER, (Fraction(PLAIN[match[0]]),), match.span(), ""
    for match in NUMBER.finditer(text):
        yield from _number_of(match[1], NUMBERS[match[1]], match[2] or "", match.span())
    for match in HAN_NUMBER.finditer(text):
        if number := han_number(match[1]):
            yield from _number_of("", number, match[2], match.span())


def _number_of(word: str, number: int, unit: str, span: Span) -> Read:
    """A number with its unit of time, or alone where its word is no other."""
    for beginnings, dimension, factor in UNITS:
        if unit and unit.startswith(beginnings):
            yield MentionKind.DURATION, (Fraction(number) * factor,), span, dimension
            return
    if word in PLAIN or not word:
        yield MentionKind.NUMBER, (Fraction(number),), span, ""
