"""Another value of the same kind in the form in which the answer writes the first one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from benchmarks.altered.kinds import Kind

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_IN_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_DAY = re.compile(r"(?<!\d)(0?[1-9]|[12]\d|3[01])(st|nd|rd|th)?(?!\d)(?!.*(?<!\d)\d{1,2}(st|nd|rd|th)(?!\d))", re.IGNORECASE)
_LAST_OF_ISO = re.compile(r"(?<=\d{4}-\d\d-)\d\d")
_HOUR = re.compile(r"(?<![\d:])\d{1,2}(?!\d)")
_AMOUNT = re.compile(r"\d[\d,]*(?:\.\d+)?")


def choices_for(seed: str) -> Random:
    """Return the generator that chooses: the same values in each run."""
    return Random(seed)  # noqa: S311  # nothing is secret here


def written_otherwise(kind: Kind, written: str, pool: Sequence[str], random: Random) -> str | None:
    """``written`` with another value; nothing where its form is not known."""
    other = _WRITERS[kind](written, pool, random)
    return other if other and other.casefold() != written.casefold() else None


def other_of(pool: Sequence[str], written: str, random: Random) -> str | None:
    """Another value of a pool."""
    known = " ".join(written.casefold().split())
    others = [each for each in pool if each.casefold() not in known and known not in each.casefold()]
    return random.choice(others) if others else None


def _date(written: str, _: Sequence[str], random: Random) -> str | None:
    if _LAST_OF_ISO.search(written):
        return _LAST_OF_ISO.sub(lambda day: f"{_other_number(int(day[0]), range(1, 29), random):02}", written)
    if _DAY.search(written):
        return _DAY.sub(lambda day: _day_like(day[1], day[2], random), written, count=1)
    return _swapped(written, _WEEKDAYS, random)


def _day_like(day: str, ending: str | None, random: Random) -> str:
    other = _other_number(int(day), range(1, 29), random)
    return f"{other}{_ordinal_ending(other) if ending else ''}"


def _ordinal_ending(number: int) -> str:
    return "th" if number in range(10, 20) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _time(written: str, _: Sequence[str], random: Random) -> str | None:
    hour = _HOUR.search(written)
    if hour is None:
        return _swapped(written, _IN_WORDS, random)
    hours = range(13, 24) if int(hour[0]) > len(_IN_WORDS) else range(1, 13)
    other = _other_number(int(hour[0]), hours, random)
    return f"{written[: hour.start()]}{other:0{len(hour[0])}}{written[hour.end() :]}"


def _number(written: str, pool: Sequence[str], random: Random) -> str | None:
    if written.isalpha():
        return _swapped(written, _IN_WORDS[:6], random)
    others = [each for each in pool if each.rstrip("0").rstrip(".") != written.rstrip("0").rstrip(".")]
    return random.choice(others) if others else None


def _money(written: str, _: Sequence[str], random: Random) -> str | None:
    amount = _AMOUNT.search(written)
    if amount is None:
        return None
    value = int(float(amount[0].replace(",", "")))
    other = _other_number(value, range(max(2, value * 3 // 4), value * 3 // 2 + 3), random)
    shown = f"{other:,}" if "," in amount[0] else str(other)
    return written[: amount.start()] + shown + written[amount.end() :]


def _code(written: str, _: Sequence[str], random: Random) -> str | None:
    digits = [place for place, each in enumerate(written) if each.isdigit()][-4:]
    changed = set(random.sample(digits, min(2, len(digits))))
    return "".join(str((int(each) + random.randint(1, 8)) % 10) if place in changed else each for place, each in enumerate(written))


def _text(written: str, pool: Sequence[str], random: Random) -> str | None:
    other = other_of(pool, written, random)
    if other is None:
        return None
    return other.lower() if written.islower() else other.title() if other.islower() else other


def _swapped(written: str, words: Sequence[str], random: Random) -> str | None:
    """With the first word that is one of ``words`` replaced by another one of them."""
    known = {each.lower(): each for each in words}
    found = next((each for each in re.finditer(r"[A-Za-z]+", written) if each[0].lower() in known), None)
    if found is None:
        return None
    other = random.choice([each for each in words if each.lower() != found[0].lower()])
    other = other if found[0][0].isupper() else other.lower()
    return written[: found.start()] + other + written[found.end() :]


def _other_number(number: int, numbers: range, random: Random) -> int:
    return random.choice([each for each in numbers if each != number])


_WRITERS: dict[Kind, Callable[[str, Sequence[str], Random], str | None]] = {
    Kind.NUMBER: _number,
    Kind.MONEY: _money,
    Kind.DATE: _date,
    Kind.TIME: _time,
    Kind.ENUM: _text,
    Kind.NAME: _text,
    Kind.ADDRESS: _text,
    Kind.CODE: _code,
}
