"""Days of the week and numbers as other languages write them out, by folded words; they are matched without grammar."""

from __future__ import annotations

import re

_WEEKS = (
    "lunes martes miercoles jueves viernes sabado domingo",
    "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "montags dienstags mittwochs donnerstags freitags sonnabend sonntags",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "segunda-feira terca-feira quarta-feira quinta-feira sexta-feira sabado domingo",
    "lunedi martedi mercoledi giovedi venerdi sabato domenica",
    "понедельник вторник среду четверг пятницу субботу воскресенье",
    "الاثنين الثلاثاء الاربعاء الخميس الجمعة السبت الاحد",
    "星期一 星期二 星期三 星期四 星期五 星期六 星期日",
    "周一 周二 周三 周四 周五 周六 周日",
)
DAYS = {name: day for names in _WEEKS for day, name in enumerate(names.split())}
DAYS |= {"sabados": 5, "domingos": 6, "星期天": 6}
WEEKDAY = re.compile(rf"(?<![^\W_])(?:{'|'.join(sorted(DAYS, key=len, reverse=True))})(?!\w)|(?:星期|周)[一二三四五六日天]")

_COUNTED = {
    "de": "zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
    "fr": "deux trois quatre cinq six sept huit neuf dix onze douze",
    "pt": "dois tres quatro cinco seis sete oito nove dez onze doze",
    "it": "due tre quattro cinque sei sette otto nove dieci undici dodici",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "ru": "два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
    "ar": "اثنين ثلاثة اربعة خمسة ستة سبعة ثمانية تسعة عشرة",
}
_TENS = {
    15: "quince quinze quindici funfzehn",
    20: "veinte vingt vinte venti zwanzig",
    30: "treinta trente trinta trenta dreißig dreissig",
    40: "cuarenta quarante quarenta quaranta vierzig",
    45: "funfundvierzig",
    50: "cincuenta cinquante cinquenta cinquanta funfzig",
    60: "sesenta soixante sessenta sessanta sechzig",
    90: "noventa novanta neunzig",
    100: "cien cent cem cento hundert",
}
NUMBERS = {word: number for said in _COUNTED.values() for number, word in enumerate(said.split(), start=2)}
NUMBERS |= {word: number for number, said in _TENS.items() for word in said.split()}
NUMBERS |= {
    "trece": 13,
    "catorce": 14,
    "duas": 2,
    "две": 2,
    "ثلاث": 3,
    "اربع": 4,
    "خمس": 5,
    "ست": 6,
    "سبع": 7,
    "ثماني": 8,
    "تسع": 9,
    "عشر": 10,
}
_AMBIGUOUS = frozenset({"sei", "neuf", "acht", "cent", "ست"})
"""Numbers that are other words as well: they count with a unit only."""
_DUALS = {"اسبوعين": ("weeks", 2), "اسبوعان": ("weeks", 2), "يومين": ("days", 2), "شهرين": ("months", 2), "ساعتين": ("hours", 2)}
_ONCE = {"einmal": 1, "zweimal": 2, "dreimal": 3, "viermal": 4, "funfmal": 5, "مرتين": 2, "مرتان": 2}
"""Words for so many times."""
PLAIN = {word: number for word, number in NUMBERS.items() if word not in _AMBIGUOUS} | _ONCE
UNITS = (
    (("min", "分钟", "دقي", "دقا", "phut"), "time", 1),
    (("hor", "stund", "heur", "小时", "ساع", "час", "ore", "ora"), "time", 60),
    (("dia", "tag", "jour", "天", "ايام", "يوم", "дн", "giorn", "ngay"), "time", 1_440),
    (("seman", "woch", "semain", "周", "星期", "个星期", "اسبوع", "اسابيع", "недел", "settiman", "tuan"), "time", 10_080),
    (("mes", "monat", "mois", "个月", "شهر", "اشهر", "شهور", "месяц", "thang"), "months", 1),
    (("ano", "jahr", "ans", "年", "سن", "عام", "год", "лет", "anni", "nam"), "months", 12),
)
"""The beginnings of words for units of time, each with what it is so many of."""
UNIT_WORDS = (
    r"minutos?|minuten|minutes?|minuti|min|分钟|دقيقة|دقائق|минут\w*|phut|horas?|stunden?|heures?|ore|小时|ساعات?|ساعة|час\w*|dias?|tagen?|tage"
    r"|jours?|giorni|天|ايام|يوما?|дн\w+|ngay|semanas?|wochen?|semaines?|settimane|周|个?星期|اسبوعا?|اسابيع|недел\w+|tuan|meses|mes|monaten?"
    r"|monate|mois|mesi|个月|شهرا?|اشهر|شهور|месяц\w*|thang|anos?|jahren?|jahre|ans|anni|年|سنة|سنوات|عاما?|лет|года?|nam"
)
NUMBER = re.compile(rf"(?<!\w)({'|'.join(sorted(NUMBERS, key=len, reverse=True))})(?:\s({UNIT_WORDS}))?(?!\w)")
TIMES = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(_ONCE, key=len, reverse=True))})(?!\w)")
DUAL = re.compile(rf"(?<!\w)(?:{'|'.join(_DUALS)})(?!\w)")
DUALS = {"weeks": ("time", 10_080), "days": ("time", 1_440), "hours": ("time", 60), "months": ("months", 1)}

_DIGITS = {sign: number for number, sign in enumerate("一二三四五六七八九", start=1)} | {"两": 2}
HAN = r"[一二两三四五六七八九十]{1,3}"
HAN_NUMBER = re.compile(rf"(?<![一二两三四五六七八九十百千万第期周月])({HAN})(分钟|小时|天|周|个?星期|个月|年|次|位|名|个|小時)")


def dual(word: str) -> tuple[int, str, int]:
    """Return how many of which unit a word in the dual says, with the unit's size."""
    unit, count = _DUALS[word]
    return (count, *DUALS[unit])


def han_number(signs: str) -> int:
    """Return the number below a hundred that Chinese signs write, or 0."""
    tens, ten, ones = signs.partition("十")
    if not ten:
        return _DIGITS.get(signs, 0)
    if len(tens) > 1 or len(ones) > 1 or "十" in ones:
        return 0
    return 10 * _DIGITS.get(tens, 1) + _DIGITS.get(ones, 0)
