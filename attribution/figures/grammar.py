"""How figures are written in digits."""

from __future__ import annotations

import re

from attribution.lexicon.words import AMOUNT_LETTERS, AMOUNT_WORDS, BEFORE_A_TIME, CURRENCY_WORDS, MONTHS

_NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,18})(?:\.\d{1,12})?"
_NOT_CUT = r"(?!\w|\.\d|,\d{3}(?!\d))"
"""Behind a number: nothing that shows it to be the beginning of a longer one."""
_SCALE = rf"(?:(?:{'|'.join(AMOUNT_LETTERS)}|[\s-]?(?:{'|'.join(AMOUNT_WORDS)}))(?!\w))"
AMOUNT = rf"{_NUMBER}{_SCALE}?"
"""A number and what multiplies it."""
_THOUSANDS = rf"(?:k|[\s-]?(?:{'|'.join(AMOUNT_WORDS)}))(?!\w)"
_CURRENCY = rf"(?:{'|'.join(CURRENCY_WORDS)})\b"
_MONTH = rf"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:,?\s{1,2}(?:19|20)\d\d(?![\w:]))?"
_MERIDIEM = r"(?:\s?[ap]\.?m\b|\s(?:in\sthe\s(?:morning|afternoon|evening)|at\snight)\b)"

_ANNOUNCED = "(?:" + "|".join(rf"(?<=\s{word}\s)" for word in sorted(BEFORE_A_TIME)) + ")"

FIGURE = re.compile(
    r"(?<![\w.,/:])(?:"
    rf"(?P<day_month>{_DAY}(?:st|nd|rd|th)?(?:\s{{1,2}}of)?\s{{1,2}}{_MONTH}\b(?!\.?\s\d{{1,2}}(?:st|nd|rd|th)){_YEAR}|{_DAY}-{_MONTH}\b(?:-(?:19|20)\d\d(?!\w))?)"
    r"|(?P<iso>(?:19|20)\d\d-\d\d-\d\d(?!\d)|(?:19|20)\d\d/\d\d/\d\d(?![\w/]))"
    r"|(?P<slashes>\d{1,2}/\d{1,2}(?:/(?:\d{4}|\d\d))?(?![\w/])|\d{1,2}-\d{1,2}-(?:19|20)\d\d(?![\w-]))"
    r"|(?P<dots>\d{1,2}\.\d{1,2}\.(?:(?:19|20)\d\d)(?!\w|\.\d)|\d\d\.\d\d\.\d\d(?!\w|\.\d))"
    rf"|(?P<clock>\d{{1,2}}:\d\d(?!\d)(?::\d\d)?{_MERIDIEM}?)"
    r"|(?P<hour>\d{1,2}(?:\.[0-5]\d)?\s?[ap]\.?m\b|\d{1,2}\s?o['’]?clock(?:\s(?:in\sthe\s(?:morning|afternoon|evening)|at\snight)\b)?)"
    rf"|(?P<part>{_ANNOUNCED}\d{{1,2}}\s(?:in\sthe\s(?:morning|afternoon|evening)|at\snight)\b)"
    r"|(?P<phone>\+\d{1,3}(?:[ .-]?\(?\d{1,5}\)?){2,5}(?!\w)|(?:\(\d{3}\)\s?|\d{3}[ .-])\d{3}[ .-]\d{4}(?!\d))"
    rf"|(?P<span>(?:[$€£]\s?)?{_NUMBER}(?:\s?[-–—]\s?|\sto\s|\sand\s)[$€£]?{_NUMBER}{_THOUSANDS}(?:\s{_CURRENCY})?)"
    rf"|(?P<money>[$€£]\s?{AMOUNT}{_NOT_CUT}|{AMOUNT}(?=\s?{_CURRENCY}))"
    rf"|(?P<cents>{_NUMBER}(?=\s?(?:¢|cents?\b)))"
    rf"|(?P<percent>{_NUMBER}(?=\s?%|\s(?:percent|per\scent)\b))"
    r"|(?P<ordinal>\d{1,3}(?:st|nd|rd|th)\b)"
    rf"|(?P<scaled>{_NUMBER}{_THOUSANDS})"
    rf"|(?P<number>(?<![a-z]-){_NUMBER}{_NOT_CUT})"
    ")",
    re.ASCII,
)
LONE_NUMBER = re.compile(
    rf"(?<![\w.,/:$€£+(])(?<![$€£]\s)(?<![a-z]-){_NUMBER}(?![\w%:/$€£¢–—-]|[.,]\d|\s[\d(%$€£¢–—-])(?:\s{{1,2}}([a-z]+))?", re.ASCII
)
"""A number that no sign makes anything else, and the word behind it, which may."""

MEANINGFUL_WORDS = {
    *(*MONTHS, "am", "pm", "a", "p", "o", "of", "percent", "per", "to", "and", "in", "at", "cent", "cents", *AMOUNT_WORDS, *CURRENCY_WORDS)
}
MONTH_ENDINGS = {month[-3:] for month in MONTHS} | {"the"}
MONTH_BEFORE = re.compile(rf"\b{_MONTH}\.?\s{{1,2}}(?:the\s)?\Z")
DAY_AFTER_MONTH = re.compile(rf"{_DAY}(?:st|nd|rd|th)?(?![\w:]){_YEAR}", re.ASCII)
LONGEST_MONTH = len("september. the ") + 1
PARTS = re.compile(r"[a-z]+|[0-9]+")
RANGE_ENDS = re.compile(rf"(?P<low>{_NUMBER})(?P<between>\s?[-–—]\s?|\sto\s|\sand\s)[$€£]?(?P<high>{_NUMBER})(?P<scale>{_THOUSANDS})")

_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s)?"
_CLOCK = r"\d{1,2}(?::\d\d(?::\d\d)?)?(?:\s?[ap]\.?m\.?)?"
WRITTEN_DATE = re.compile(
    rf"{_WEEKDAY}(?:the\s)?(?:{_MONTH}\.?\s{_DAY}(?:st|nd|rd|th)?{_YEAR}|{_DAY}(?:st|nd|rd|th)?(?:\sof)?[\s-]{_MONTH}(?:[,-]?\s?(?:19|20)\d\d)?"
    rf"|\d{{1,2}}([/.-])\d{{1,2}}\1(?:\d{{4}}|\d\d)|\d{{4}}/\d\d/\d\d)(?:,?\s(?:at\s)?{_CLOCK})?",
    re.ASCII | re.IGNORECASE,
)
"""A value that is a date, otherwise than as year, month and day."""
WRITTEN_TIME = re.compile(rf"(?=[^\n]*(?::\d|\d\s?[ap]\.?m))({_CLOCK})(?:\s?(?:[-–—]|to|until)\s?({_CLOCK}))?", re.ASCII | re.IGNORECASE)
"""A value that is a time, or from when to when."""
