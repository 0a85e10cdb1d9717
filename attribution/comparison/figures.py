"""A figure's value against the record's: equal, different, or not to be compared."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Any

from attribution.mentions.bounds import NEAR
from attribution.mentions.figures import TIMES_OVER
from attribution.mentions.measures import FREE, PART
from attribution.mentions.mention import Mention, MentionKind
from attribution.mentions.rates import MINUTES
from attribution.model import Word
from attribution.schema.target import Target
from attribution.text import words

_HOUR, _MINUTES_OF_A_YEAR = 60, 518_400
_LONGEST_VISIT = 1_000
_PHONE = 7
_MICROGRAMS = {"mcg": 1, "mg": 1_000, "g": 1_000_000}
DOSES = frozenset({*_MICROGRAMS, "ml", "units"})
_DISPENSED = words("quantity qty count supply refills tablets pills capsules times doses")
"""Words of names whose numbers count what is handed out: "5 mg" is no number of tablets."""
_LEAST_CODE = 1_000
_SHARES = words("fraction match chance probability likelihood coverage")
"""Words of names whose numbers are shares: of other numbers a percentage says how they changed, or what part of them is meant."""
_WEIGHTS = ("pounds", "grams")
_SORTS = (
    frozenset({"miles", "feet", "millimeters"}),
    frozenset({"pounds", "ounces", "grams", "milligrams"}),
    frozenset({"milliliters", "teaspoons", "tablespoons", "ounces"}),
)
"""Units that measure the same, and are not converted."""
_LEAST_ALIKE = Fraction(7, 10)
"""How near two amounts are of which one is told roughly."""
_INTERVALS = words("every interval")
"""Words of names whose times are those that pass between: ``every_hours``."""
_MONTH_OF_WEEKS = Fraction(9, 10)
_MEASURED = frozenset({"number", "money", "percent", "duration"})
"""Kinds of value that can be more or less than another."""


class Relation(Word):
    """How what is said stands to what is recorded."""

    EQUAL = "equal"
    DIFFERENT = "different"
    OPEN = "open"


_FITS: dict[str, dict[MentionKind, float]] = {
    "number": {MentionKind.NUMBER: 1.0, MentionKind.RATIO: 1.0, MentionKind.PERCENT: 0.6, MentionKind.RATE: 1.0},
    "dose": {MentionKind.NUMBER: 0.6},
    "money": {MentionKind.MONEY: 1.0, MentionKind.NUMBER: 0.6},
    "percent": {MentionKind.PERCENT: 1.0, MentionKind.NUMBER: 0.6, MentionKind.RATIO: 0.5},
    "duration": {MentionKind.DURATION: 1.0, MentionKind.NUMBER: 0.6, MentionKind.RATE: 1.0},
    "rate": {MentionKind.RATE: 1.0},
    "date": {MentionKind.DATE: 1.0, MentionKind.TIME: 1.0, MentionKind.WEEKDAY: 0.7},
    "time": {MentionKind.TIME: 1.0},
    "weekday": {MentionKind.WEEKDAY: 1.0},
    "pair": {MentionKind.RATIO: 1.0},
    "code": {MentionKind.CODE: 1.0, MentionKind.NUMBER: 0.6},
}


def fit(mention: Mention, target: Target) -> float:
    """Return how well a mention's kind and unit go with a field: 1, less where only a label can tell, 0 where they do not."""
    base = _FITS.get(target.kind, {}).get(mention.kind, 0.0)
    if not base or (mention.kind is MentionKind.PERCENT and target.kind == "number" and _SHARES.isdisjoint(target.name.words)):
        return _fit_across(mention, target)
    if target.kind == "duration" and mention.kind is MentionKind.DURATION:
        return _fit_measures(mention, target)
    if (mention.kind is MentionKind.RATE and not recurs(target)) or (mention.unit == TIMES_OVER and target.period):
        return 0.0
    if mention.kind is MentionKind.NUMBER:
        return _fit_number(mention, target, base)
    if target.kind == "date" and mention.kind is MentionKind.TIME:
        return 1.0 if target.times and (mention.unit != "hour" or mention.follows is not None) else 0.0
    return 0.0 if mention.kind is MentionKind.RATIO and not _is_its_half(mention, target) else base


def _is_its_half(mention: Mention, target: Target) -> bool:
    """Return True if a figure of two is the one of them that a field holds: the second of a total, else the first or both."""
    is_whole = mention.second is not None
    is_second = target.kind != "pair" and target.name.is_second and not (is_whole and mention.values[0] in target.values)
    return is_whole != is_second


def _fit_number(mention: Mention, target: Target, base: float) -> float:
    """A plain number by its unit and by what it counts."""
    if target.kind == "code":
        if mention.last - mention.first > 1 or mention.values[0] < _LEAST_CODE:
            return 0.0
        return 1.0 if len(str(mention.values[0])) == len(target.values[0]) else base
    if target.kind == "dose":
        return 1.0 if mention.unit in DOSES else base
    if (mention.unit, target.unit) == ("ml", "milliliters") or (mention.unit, target.kind) == (TIMES_OVER, "number"):
        return 1.0
    if mention.unit:
        is_other = target.kind != "number" or (mention.unit in DOSES and not _DISPENSED.isdisjoint(target.name.words))
        return 0.0 if is_other else 0.5 * base
    return 0.0 if mention.counted and target.kind in ("percent", "money") else base


def _fit_across(mention: Mention, target: Target) -> float:
    if mention.kind is MentionKind.DURATION and target.kind == "number":
        is_weight = target.name.is_weight and mention.unit in _WEIGHTS
        is_age = target.name.is_age and (mention.unit == "months" or is_of_other_unit(mention, target))
        return 1.0 if is_weight or is_age else 0.0
    return 0.0


def _fit_measures(mention: Mention, target: Target) -> float:
    if _dimension(mention.unit) != _dimension(target.unit):
        return 1.0 if is_of_other_unit(mention, target) else 0.0
    if _dimension(target.unit) != "time" or (target.period and mention.period == target.period):
        return 1.0
    if target.count is not None and mention.count == target.count:
        return 1.0
    unit = target.name.unit
    if unit is not None and mention.count is not None and mention.values[0] == mention.count * unit[1]:
        return 1.0
    said, wanted = _minutes(mention.values[0], mention.unit), _minutes(target.values[0], target.unit)
    return 1.0 if (said >= _LONGEST_VISIT) == (wanted >= _LONGEST_VISIT) else 0.0


def is_of_other_unit(mention: Mention, target: Target) -> bool:
    """Return True if a quantity has the number of a field's value and another unit of the same sort: "4 km" for 4 miles."""
    if target.name.is_age:
        is_old = mention.unit in ("time", "months") and mention.count is not None and mention.count in target.values
        return is_old and compare(mention, target) is not Relation.EQUAL
    count = target.count if target.count is not None else target.values[0]
    one, other = _dimension(mention.unit), _dimension(target.unit)
    is_alike = one == other or any(one in sort and other in sort for sort in _SORTS)
    return is_alike and mention.count is not None and mention.count == count and compare(mention, target) is Relation.DIFFERENT


def _dimension(unit: str) -> str:
    return "time" if unit in ("time", "months") else unit


def _minutes(amount: Any, unit: str) -> Fraction:
    exact = Fraction(amount)
    return exact * 43_200 if unit == "months" else exact


def recurs(target: Target) -> bool:
    """Return True if a value says how often something is done: so many times in a period, or the time that passes between."""
    if target.kind == "rate":
        return True
    if target.kind == "duration":
        return target.unit == "time" and not _INTERVALS.isdisjoint(target.name.words)
    return target.kind == "number" and bool(target.period) and not target.name.is_limit


def compare(mention: Mention, target: Target) -> Relation:
    """Return what is said against what is recorded."""
    if mention.kind is MentionKind.RATE:
        return _compare_rate(mention, target)
    return _COMPARISONS.get(target.kind, _compare_amount)(mention, target)


def leaves_out(mention: Mention, target: Target) -> bool:
    """Return True if what is said to be more or less than a figure, or about it, cannot be the record's value: "over 15" beside 12."""
    if not mention.bound or target.kind not in _MEASURED or target.end or not fit(mention, target):
        return False
    is_open = target.kind in ("number", "money") and len(target.values) > 1
    if is_open or mention.period != target.period:
        return False
    said, recorded = Fraction(mention.values[0]), Fraction(target.values[0])
    if mention.kind is MentionKind.DURATION:
        is_plain = target.kind == "number"
        said = Fraction(_plain_number(mention)) if is_plain else _minutes(said, mention.unit)
        recorded = recorded if is_plain else _minutes(recorded, target.unit)
    if mention.bound == NEAR:
        return mention.other_end is None and not said * _LEAST_ALIKE <= recorded <= said / _LEAST_ALIKE
    return recorded < said if mention.bound == "above" else recorded > said


def _compare_time(mention: Mention, target: Target) -> Relation:
    return _compare_hour(mention, target.values)


def _compare_hour(mention: Mention, recorded: tuple[Any, ...]) -> Relation:
    """Compare two clock times. The afternoon is another than nine in the morning, and leaves open which hour of it is meant."""
    if not recorded:
        return Relation.OPEN
    if mention.unit != PART:
        return _any_equal(mention.values, recorded)
    low, high = mention.values
    return Relation.OPEN if any(low - _HOUR <= each < high + _HOUR for each in recorded) else Relation.DIFFERENT


def _compare_listed(mention: Mention, target: Target) -> Relation:
    return _any_equal(mention.values, target.values)


def _compare_pair(mention: Mention, target: Target) -> Relation:
    return Relation.EQUAL if (mention.values[0], mention.second) == target.values else Relation.DIFFERENT


def _any_equal(said: tuple[Any, ...], recorded: tuple[Any, ...]) -> Relation:
    return Relation.EQUAL if set(said) & set(recorded) else Relation.DIFFERENT


def _compare_code(mention: Mention, target: Target) -> Relation:
    said, recorded = str(mention.values[0]), str(target.values[0])
    if said == recorded or (min(len(said), len(recorded)) >= _PHONE and (said.endswith(recorded) or recorded.endswith(said))):
        return Relation.EQUAL
    return Relation.DIFFERENT if abs(len(said) - len(recorded)) <= 1 or min(len(said), len(recorded)) >= _PHONE else Relation.OPEN


def _compare_day(mention: Mention, target: Target) -> Relation:
    if mention.kind is MentionKind.TIME:
        return _compare_hour(mention, target.times)
    if mention.kind is MentionKind.WEEKDAY:
        days = [date(*each).weekday() for each in target.values if _is_day(each)]
        return _any_equal(mention.values, tuple(days)) if days else Relation.OPEN
    pairs = [(said, day) for said in mention.values for day in target.values]
    equal = any(_same_day(said, day) for said, day in pairs)
    return Relation.EQUAL if equal else Relation.DIFFERENT


def _is_day(day: Any) -> bool:
    try:
        date(*day)
    except (TypeError, ValueError):
        return False
    return True


def _same_day(said: tuple[int, int, int], recorded: tuple[int, int, int]) -> bool:
    return all(not one or not other or one == other for one, other in zip(said, recorded, strict=True))


def _compare_dose(mention: Mention, target: Target) -> Relation:
    """Compare two doses. A number in another unit is another dose; 0.5 g is 500 mg."""
    said, recorded = Fraction(mention.values[0]), Fraction(target.values[0])
    if mention.unit in _MICROGRAMS and target.unit in _MICROGRAMS:
        said, recorded = said * _MICROGRAMS[mention.unit], recorded * _MICROGRAMS[target.unit]
    elif mention.unit and mention.unit != target.unit:
        return Relation.DIFFERENT
    return Relation.EQUAL if said == recorded else Relation.DIFFERENT


def _compare_duration(mention: Mention, target: Target) -> Relation:
    if mention.kind is not MentionKind.DURATION:
        equal = mention.values[0] == (target.values[0] if mention.unit == "ml" else target.values[-1])
    else:
        said, recorded = _minutes(mention.values[0], mention.unit), _minutes(target.values[0], target.unit)
        is_rough = mention.unit != target.unit and recorded * _MONTH_OF_WEEKS <= said <= recorded / _MONTH_OF_WEEKS
        equal = said == recorded or is_rough
    return Relation.EQUAL if equal else Relation.DIFFERENT


def _compare_rate(mention: Mention, target: Target) -> Relation:
    """Compare how often something is done. Four weeks and a month are not told apart."""
    said, recorded = mention.values[0], Fraction(target.values[0])
    if target.kind == "duration":
        recorded = 1 / recorded if recorded else recorded
    elif target.kind == "number":
        recorded /= MINUTES[target.period]
    if said == recorded:
        return Relation.EQUAL
    return Relation.OPEN if recorded * _MONTH_OF_WEEKS <= said <= recorded / _MONTH_OF_WEEKS else Relation.DIFFERENT


def _compare_money(mention: Mention, target: Target) -> Relation:
    """An amount by the week is another than the same by the month; of two different amounts one may be reckoned from the other."""
    said, recorded = mention.values[0], target.values
    if mention.unit and target.unit and mention.unit not in (target.unit, FREE):
        return Relation.DIFFERENT
    if mention.period and target.period and mention.period != target.period:
        return Relation.DIFFERENT if said in recorded else Relation.OPEN
    if len(recorded) > 1 and said not in recorded and not target.end:
        if mention.end:
            return Relation.DIFFERENT
        if min(recorded) <= said <= max(recorded):
            return Relation.OPEN
    return _compare_amount(mention, target)


def _compare_amount(mention: Mention, target: Target) -> Relation:
    said = _plain_number(mention)
    recorded = target.values
    if said in recorded:
        return Relation.EQUAL
    if mention.other_end is not None and mention.kind is mention.other_end.kind and not target.end:
        low, high = sorted((Fraction(said), Fraction(mention.other_end.values[0])))
        if any(low <= each <= high for each in recorded):
            return Relation.OPEN
    return Relation.DIFFERENT


def _plain_number(mention: Mention) -> Any:
    """Return the number that a mention has for a field without a unit: years for an age, what is written for a weight."""
    if mention.kind is not MentionKind.DURATION:
        return mention.values[0]
    if mention.unit in _WEIGHTS:
        return mention.count or Fraction(0)
    return _minutes(mention.values[0], mention.unit) / _MINUTES_OF_A_YEAR


_COMPARISONS: dict[str, Callable[[Mention, Target], Relation]] = {
    "date": _compare_day,
    "time": _compare_time,
    "weekday": _compare_listed,
    "code": _compare_code,
    "pair": _compare_pair,
    "dose": _compare_dose,
    "duration": _compare_duration,
    "money": _compare_money,
}
