"""Figures as other languages write them: days with their months, clock times, amounts and durations. They are matched without grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from attribution.answer import Answer
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
        "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    )
    for number, name in enumerate(names.split(), start=1)
}
_NAMES = "|".join(sorted(map(re.escape, _MONTHS), key=len, reverse=True))
_DATE = re.compile(rf"(?<!\d)(\d{{1,2}})[.ºo]?\s(?:de\s)?({_NAMES})(?:\s(?:de\s)?((?:19|20)\d\d))?")
_CJK_DATE = re.compile(r"(?:((?:19|20)\d\d)\s?年)?\s?(\d{1,2})\s?月\s?(\d{1,2})\s?[日号]")
_CLOCK = re.compile(r"(上午|下午|晚上|早上)?\s?(?<![\d.,])(\d{1,2})(?:\s?[:h]\s?(\d\d)|\s(?:uhr)(?:\s(\d\d))?|\s?点)(?!\d)")
_SPANISH_HOUR = re.compile(r"\ba la?s? (\d{1,2})(?:[:.](\d\d))?(?:\s(?:de|por) la (manana|tarde|noche))?")
_MONEY = re.compile(
    r"(?:(?:r\$|us\$)\s?)(\d[\d.,]*)|(?<![\d.,])(\d[\d.,]*)\s?(?:dolares|dolar|euros?|pesos|reais|real|dollars?|eur|usd|€|دولار\w*|美元|元|块)"
)
_MEASURE = re.compile(
    r"(?<![\d.,])(\d{1,4})\s?(minutos?|minuten|minutes?|min|分钟|دقيقة|دقائق|horas?|stunden?|heures?|小时|ساعات?|dias?|tagen?|tage|jours?|天"
    r"|semanas?|wochen?|semaines?|周|meses|mes|monaten?|monate|mois|个月|anos?|jahren?|jahre|ans|年)"
)
_PERCENT = re.compile(r"(?<![\d.,])(\d{1,3}(?:[.,]\d+)?)\s?%")
_NUMBER = re.compile(r"(?<![\d.,/:-])(\d{1,6})(?![\d.,/:%-]*\d)")
_UNITS = (
    (("min", "分钟", "دقي", "دقا"), "time", 1),
    (("hor", "stund", "heur", "小时", "ساع"), "time", 60),
    (("dia", "tag", "jour", "天"), "time", 1_440),
    (("seman", "woch", "semain", "周"), "time", 10_080),
    (("mes", "monat", "mois", "个月"), "months", 1),
    (("ano", "jahr", "ans", "年"), "months", 12),
)
_SPANISH_WEEK = ("lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo")
_SPANISH_SMALL = ("dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce", "trece", "catorce", "quince")
_SPANISH_DAYS = {name: number for number, name in enumerate(_SPANISH_WEEK)}
_SPANISH_DAYS |= {"sabados": 5, "domingos": 6}
_SPANISH_DAY = re.compile(rf"\b(?:{'|'.join(sorted(_SPANISH_DAYS, key=len, reverse=True))})\b")
_SPANISH_NUMBERS = dict(zip(_SPANISH_SMALL, range(2, 16), strict=True))
_SPANISH_NUMBERS |= {"veinte": 20, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "noventa": 90, "cien": 100}
_SPANISH_NUMBER = re.compile(
    rf"\b({'|'.join(sorted(_SPANISH_NUMBERS, key=len, reverse=True))})\b(?:\s(minutos|horas|dias|semanas|meses|anos)\b)?"
)
"""Numbers written out. "Un" and "una" are articles."""
_LATE = ("下午", "晚上", "tarde", "noche")


def find_foreign(answer: Answer) -> list[Mention]:
    """The figures written as in Spanish, German or Chinese, and plain numbers that are joined to letters."""
    text = _plain(answer.text)
    found: list[Mention] = []
    taken: list[Span] = []
    for read in (_dates, _clocks, _amounts, _measures, _percents, _numbers, *((_spanish_words,) if answer.language == "es" else ())):
        for kind, values, span, unit in read(text):
            if not any(start < span[1] and span[0] < end for start, end in taken[-200:]):
                taken.append(span)
                first = answer.place_at(span[0])
                found.append(Mention(kind, values, first, max(first + 1, answer.place_at(span[1] - 1) + 1), span, unit))
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
    for match in _CJK_DATE.finditer(text):
        yield MentionKind.DATE, ((int(match[1] or 0), int(match[2]), int(match[3])),), match.span(), ""


def _clocks(text: str) -> Read:
    for match in _SPANISH_HOUR.finditer(text):
        yield MentionKind.TIME, _times(int(match[1]), int(match[2] or 0), match[3] or ""), match.span(), ""
    for match in _CLOCK.finditer(text):
        yield MentionKind.TIME, _times(int(match[2]), int(match[3] or match[4] or 0), match[1] or ""), match.span(), ""


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
        for beginnings, dimension, factor in _UNITS:
            if match[2].startswith(beginnings):
                yield MentionKind.DURATION, (Fraction(match[1]) * factor,), match.span(), dimension
                break


def _percents(text: str) -> Read:
    for match in _PERCENT.finditer(text):
        yield MentionKind.PERCENT, (Fraction(match[1].replace(",", ".")),), match.span(), ""


def _numbers(text: str) -> Read:
    for match in _NUMBER.finditer(text):
        yield MentionKind.NUMBER, (Fraction(match[1]),), match.span(), ""


def _spanish_words(text: str) -> Read:
    """Days of the week, and numbers written out with their unit or alone."""
    for match in _SPANISH_DAY.finditer(text):
        yield MentionKind.WEEKDAY, (_SPANISH_DAYS[match[0]],), match.span(), ""
    for match in _SPANISH_NUMBER.finditer(text):
        number = Fraction(_SPANISH_NUMBERS[match[1]])
        unit = next(((dimension, factor) for begins, dimension, factor in _UNITS if match[2] and match[2].startswith(begins)), None)
        if unit:
            yield MentionKind.DURATION, (number * unit[1],), match.span(), unit[0]
        else:
            yield MentionKind.NUMBER, (number,), match.span(), ""
