"""The name of a field as it tells how the values are written and how people speak of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from attribution.lexicon.words import FREQUENCIES, MEASURES
from attribution.schema.spelling import spelt_out
from attribution.schema.terms import Stems, covers, root_of, shipped_terms, telling
from attribution.text import stem, words, words_of

Item = int | str | tuple[str, ...]
"""Something to find near a value: the number of a label in the lexicon, the stem of a word, or several stems that follow each other."""

ADDRESS: Item = "you"
"""Stands for every word for the user, as a name of what is the user's own."""
USERS = words("client patient member user")
PARTIES = words("""
    family mother father parent parents sibling siblings sister brother spouse partner husband wife child children son daughter baby
    grandmother grandfather aunt uncle cousin friend caregiver
""")
"""Others of whom "your" is said: "your partner's score" is not yours."""
_CAMEL_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_GLUED = re.compile(r"([a-z]{2,})(\d{1,2})")
WORDS_OF_TYPE = frozenset(
    map(
        stem,
        words("""
    date time score level value amount number num count total name id type status on at is has in of the
    to a per for and or my your their current known label display overall average preferred preference range iso text info
    details available us usd pct percent
"""),
    )
)
"""Words that say what kind of value it is, and so tell no field from another."""
_LOW = frozenset(
    map(stem, words("min minimum from start starts begin begins open opens opening low lowest systolic sistolica earliest effective since"))
)
_HIGH = frozenset(
    map(
        stem,
        words("""
    max maximum until end ends close closes closing high highest diastolic diastolica latest limit deadline through thru
    expiration expires termination
"""),
    )
)
_FIRST_DAY, _LAST_DAY = (
    frozenset(map(stem, words("pickup departure checkin outbound"))) | {("pick", "up"), ("check", "in")},
    frozenset(map(stem, words("dropoff return checkout discharge inbound"))) | {("drop", "off"), ("check", "out")},
)
"""Words, or pairs of them, for the first and the last day of a stay, a loan or a trip."""
_ENDS = _LOW | _HIGH - frozenset(map(stem, ("systolic", "diastolic")))
BOUNDS = _LOW | _HIGH
"""Stems of words for either end of a range."""
_OF_ANY = frozenset(map(stem, words("date time day start end starts ends begins hour total flag result interpretation")))
"""Names that alone say of nothing what it is: the object around them does."""
_SECOND = words("diastolic diastolica")
"""Words of names for the second figure of a blood pressure."""
_PREPOSITIONS = words("in out per with without before after off")
_MONEY = frozenset(
    map(
        stem,
        words("""
    cost price fee fees copay copayment deductible rent fare premium salary budget balance payment
    pension subsidy penalty retail
    deposit charge charges coinsurance pay paid owe quote estimate saving discount refund income invoice
    reimbursement wage tuition spent expense subtotal rate sliding usd dollars bill owed due allowance
    spend pocket amount
"""),
    )
)
_MOST_PAID = words("maximum max limit cap benefit benefits remaining left used")
_PAID_BY = words("annual yearly daily monthly weekly lifetime benefit benefits coverage dental maximum eur usd")
_COUNTS = words("visits sessions hours reviews count rating score days weeks months minutes years times number percent")
_OF_THE_BODY = words("heart pulse resp respiratory respiration breathing metabolic filtration flow infusion drip ml")
"""Words of names whose rates are no prices."""
_COUNTED = words("""
    visits sessions refills members participants children falls admissions hospitalizations episodes appointments drinks cigarettes
    pregnancies siblings attempts seizures surgeries relapses units trips rides tablets pills doses absences cavities slots openings
    results reviews classes meetings medications allergies
""")
"""Words of names whose numbers count things."""
_LIMITS = words("limit max maximum allowed cap approved authorized covered")
"""Words of names whose value is the most that there may be."""
_PLAIN = words(
    "number code count percent pct days weeks months years hours minutes visits sessions id installments units age score rating stars"
)
"""Words of names whose numbers are no amounts of money, wherever they stand."""
_LENGTHS = words("length duration minutes hours days weeks months years score rating")
UNITS = {
    word: MEASURES[word]
    for word in words("""
    minutes minute mins min hours hour hrs days day weeks week months month years year miles mile mi km kilometers cm centimeters
    mm millimeters meters ft feet ml milliliters liters litres kg lb lbs pounds mg
""")
}
_A_TIME = {"hr": "hour", "hour": "hour", "h": "hour", "day": "day", "min": "minute"}
_PLURAL_TIMES = words("minutes mins hours hrs days weeks months years")
_SHARES = words("percent percentage pct coinsurance saturation spo2 a1c hba1c hematocrit")
"""Words of names whose values are shares, with a sign behind them or without."""
_SCORES = words("score confidence fit match probability share likelihood similarity")


_LATELY = words("last past previous prior preceding recent")
"""Words of names that begin a span of time in which something is counted: the last six months of ``falls_last_6_months``."""

_NEGATIVE = words("""
    unavailable avoid avoided avoids excluded excludes exclusions exclusion declined declines refused
    refuses denied denies absent stopped discontinued not no without never missing intolerances
    closed closure closures off holidays holiday
    contraindicated contraindications unwanted dislikes restrictions ruled negative negatives tolerates
    tolerated former past previous prior
""")
"""Words of a name by which its values are what is not so: their denial is no contradiction."""

_FORMER = words("former past previous prior")
"""Words of ``_NEGATIVE`` for what once was so: only what never was is denied."""

_WHOLE = {"min": stem("minimum"), "max": stem("maximum")}
_PAST = words("baseline before previous prior past former initial intake first last before old earlier original start starting")
"""Words of a name by which its value is what something was before."""
CHANGE = words("change changed changes delta difference improvement reduction increase decrease gain loss drop trend")
"""Words of names whose numbers are by how much something has changed."""
_STATES = words("range goal target effective helpful beneficial date current file")
"""Words that end the names of fields that ask how a thing stands to what it should be."""
_OF_TYPE, _OF_SPAN = 0.15, 0.25


_SLIGHT = _ENDS | frozenset(map(stem, _PLURAL_TIMES))
"""Stems of words that tell little beside others of a name: which end of a range it is, and the unit of its number."""


class Name(NamedTuple):
    """A field's own name, read.

    ``labels`` are what names it in an answer, with how much each says; ``parts`` what replaces a label of several words, said
    apart. ``unit`` is what a bare number measures, with its size.
    ``is_count``: its value counts things; ``is_plain_number``: it is no amount of money; ``is_limit``: it is the most that may be.
    ``is_negative``: its values are what is denied; ``is_former``: only because they are what once was. ``is_past``: its value is an
    earlier one. ``end`` is "low" or "high" for one end of a range. ``yes_no`` is the number of its wording in the lexicon, ``yes_no_of``
    the stems of the name that are no part of it.
    """

    words: tuple[str, ...]
    stems: Stems
    labels: tuple[tuple[Item, float], ...]
    parts: tuple[tuple[Item, tuple[Item, ...]], ...]
    is_generic: bool
    is_money: bool
    is_share: bool
    may_be_share: bool
    is_age: bool
    is_weight: bool
    is_second: bool
    unit: tuple[str, int] | None
    end: str
    yes_no: int | None
    yes_no_of: frozenset[str]
    is_count: bool
    is_plain_number: bool
    is_limit: bool
    is_negative: bool
    is_former: bool
    is_past: bool


@lru_cache(maxsize=8_192)
def name_of(leaf: str) -> Name:
    """The reading of a leaf's name."""
    words = _with_per(_spelt(words_of(_CAMEL_HUMP.sub(" ", leaf[:200]))))
    stems = _split(tuple(map(root_of, words)))
    stem_set = frozenset(stems)
    words, span = _without_span(words)
    unit = _unit_of(words, stem_set)
    labels = tuple(_labels(stems) if not span or stems in shipped_terms().labels else _labels_in_span(words, span))
    parts = tuple(_parts(stems))
    terms = shipped_terms()
    whole = terms.yes_no_in_any_order.get(telling(stems)) if stems not in terms.yes_no else None
    yes_no = [entry for _, entry in covers(stems, terms.yes_no) if entry is not None] if whole is None else [whole]
    prices = [part for part, entry in covers(stems, terms.labels) if len(part) > 1 and entry in terms.prices]
    return Name(
        words=words,
        stems=stems,
        labels=labels,
        parts=parts,
        is_generic=not any(weight >= 1 for _, weight in labels) or (len(stems) == 1 and stem_set <= _OF_ANY),
        is_money=(bool(prices or stem_set & _MONEY) or _is_of_benefits(words)) and not unit and (_COUNTS | _OF_THE_BODY).isdisjoint(words),
        is_share=not _SHARES.isdisjoint(words),
        may_be_share=not _SCORES.isdisjoint(words),
        is_age="age" in words,
        is_weight="weight" in words,
        is_second=not _SECOND.isdisjoint(words) or bool({"total", "max", "maximum", "limit", "allowed"} & set(words)),
        unit=unit,
        end=_end_of(stems),
        yes_no=yes_no[-1 if _tells_state(words) else 0] if yes_no else None,
        yes_no_of=_besides(stems, terms.yes_no) if whole is None and _tells_state(words) else frozenset(),
        is_count=not _COUNTED.isdisjoint(words) and _LENGTHS.isdisjoint(words) and not stem_set & _MONEY,
        is_plain_number=not _PLAIN.isdisjoint(words),
        is_limit=not _LIMITS.isdisjoint(words),
        is_negative=not _NEGATIVE.isdisjoint(words),
        is_former=not _FORMER.isdisjoint(words) and (_NEGATIVE - _FORMER).isdisjoint(words),
        is_past=not _PAST.isdisjoint(words),
    )


def _tells_state(words: tuple[str, ...]) -> bool:
    """Return True if a name ends with what is asked of the thing before it: ``ortho_covered``, ``inr_in_range``."""
    return words[-1:] != () and (words[-1].endswith("ed") or words[-1] in _STATES)


def _end_of(stems: Stems) -> str:
    """Return which end of a range a name is about, if any."""
    said = {*stems, *pairwise(stems)}
    if said & _LOW or said & _FIRST_DAY:
        return "low"
    return "high" if said & _HIGH or said & _LAST_DAY else ""


def _besides(stems: Stems, known: Mapping[Stems, int]) -> frozenset[str]:
    """Return the stems of a name that are no part of what the lexicon knows of it: "ortho" of ``ortho_covered``."""
    return frozenset([each for part, entry in covers(stems, known) if entry is None for each in part])


def _spelt(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a name, spelt out where the lexicon knows more of them so."""
    spelt = spelt_out(words)
    if spelt == words or _unknown(words)[1] == 1:
        return words
    return spelt if _unknown(spelt) <= _unknown(words) else words


def _with_per(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a name with the "per" that goes without saying in ``rate_ml_hr``."""
    if len(words) > 1 and words[-1] in _A_TIME and words[-2] in UNITS:
        return (*words[:-1], "per", _A_TIME[words[-1]])
    return words


def _without_span(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of a name, and those of the span of time in which it counts: ``falls_last_6_months``, ``er_visits_past_year``."""
    for place, word in enumerate(words):
        number = place + 1
        end = number + (words[number : number + 1] != () and words[number].isdigit())
        is_span = place > 0 and word in _LATELY and end < len(words) and words[end] in UNITS
        if is_span and (end > number or not _COUNTED.isdisjoint(words[:place])):
            return words[:place] + words[end + 1 :], words[place : end + 1]
    return words, ()


def _labels_in_span(words: tuple[str, ...], span: tuple[str, ...]) -> list[tuple[Item, float]]:
    """Return what of a name is found near its values, for little what tells its span of time."""
    return _labels(_split(tuple(map(root_of, words)))) + [(root_of(word), _OF_SPAN) for word in span]


def _unknown(words: tuple[str, ...]) -> tuple[int, int]:
    """Return how many words of a name the lexicon does not know, and in how many parts it knows all of them."""
    terms, stems = shipped_terms(), tuple(map(root_of, words))
    if stems in terms.labels or stems in terms.yes_no:
        return 0, 1
    parts = list(covers(stems, terms.labels))
    return sum(entry is None for _, entry in parts), len(parts)


def _split(stems: Stems) -> Stems:
    """``phq9`` is written "PHQ-9"."""
    known = shipped_terms().labels
    whole = {each for each in stems if (each,) in known and (_glued(each)[0],) not in known}
    parts = [part for each in stems for part in ((each,) if each in whole else _glued(each))]
    return tuple(_WHOLE.get(part, part) if len(parts) > 1 else part for part in parts)


def _glued(word: str) -> Stems:
    found = _GLUED.fullmatch(word)
    return found.groups() if found else (word,)


def _is_of_benefits(words: tuple[str, ...]) -> bool:
    """Return True if a name is about the most that is paid: a daily maximum, an annual limit."""
    return not _MOST_PAID.isdisjoint(words) and not _PAID_BY.isdisjoint(words)


def _unit_of(words: tuple[str, ...], stems: frozenset[str]) -> tuple[str, int] | None:
    """The unit that a name tells; money by the hour is money."""
    if "pack" in words and "years" in words:
        return None
    measured = words[: words.index("per")] if "per" in words else words
    for word in reversed(measured):
        if word in UNITS and (word in _PLURAL_TIMES or UNITS[word][0] not in ("time", "months")):
            return UNITS[word] if word == measured[-1] or not stems & _MONEY else None
    return None


def _with_prepositions(stems: Stems) -> tuple[Stems, list[Stems]]:
    """A name without its pairs of a preposition and a word, and these: "out of network"."""
    rest: list[str] = []
    pairs: list[Stems] = []
    place = 0
    while place < len(stems):
        end = place + 1 + (stems[place : place + 2] == ("out", "of"))
        if stems[place] in _PREPOSITIONS and end < len(stems) and stems[end] not in WORDS_OF_TYPE and stems not in shipped_terms().labels:
            pairs.append(stems[place : end + 1])
            place = end + 1
        else:
            rest.append(stems[place])
            place += 1
    return tuple(rest), pairs


def _parts(stems: Stems) -> list[tuple[Item, tuple[Item, ...]]]:
    """For each label of several words its words, each by its own label if it has one."""
    terms = shipped_terms()
    found: list[tuple[Item, tuple[Item, ...]]] = []
    for part, entry in covers(stems, terms.labels):
        if entry is not None and len(part) > 1:
            words = [terms.labels.get((word,), word) for word in part if word not in WORDS_OF_TYPE and not word.isdigit()]
            if len(words) > 1 or (words and len(part) > 1):
                found.append((entry, tuple(words)))
    return found


def _labels(stems: Stems) -> list[tuple[Item, float]]:
    """Return what of a name is found near its values: the lexicon's labels, other words, and words of type for little."""
    found: list[tuple[Item, float]] = []
    terms = shipped_terms()
    stems, pairs = _with_prepositions(stems)
    found += [(pair, 1.0) for pair in pairs if pair[-1] not in FREQUENCIES.values()]
    for part, entry in covers(stems, terms.labels):
        if entry is not None:
            is_of_type = len(stems) > 1 and len(part) == 1 and part[0] in WORDS_OF_TYPE
            found.append((entry, _OF_TYPE if is_of_type else 1.0))
        elif part[0] in WORDS_OF_TYPE or part[0].isdigit() or (len(stems) > 1 and part[0] in _SLIGHT):
            found.append((part[0], _OF_TYPE))
        else:
            found.append((part[0], 1.0))
            found += [(-1 - group, 0.8) for group in terms.synonyms.get(part, ())[:2]]
    return found
