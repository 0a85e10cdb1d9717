"""How a medicine is to be taken, where the record writes it as one text: "1 tab BID with food"."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from fractions import Fraction
from functools import lru_cache

from attribution.assertion import AssertionKind
from attribution.comparison.figures import Relation, compare
from attribution.comparison.turn import Turn
from attribution.mentions.mention import Mention, MentionKind
from attribution.model import Span
from attribution.schema.target import Target
from attribution.schema.terms import shipped_terms
from attribution.text import words, words_of

_FORMS = {
    **dict.fromkeys(("tab", "tabs", "tablet", "tablets"), "tablet"),
    **dict.fromkeys(("cap", "caps", "capsule", "capsules"), "capsule"),
    **dict.fromkeys(("pill", "pills"), "pill"),
    **dict.fromkeys(("puff", "puffs", "inhalation", "inhalations"), "puff"),
    **dict.fromkeys(("drop", "drops", "gtt", "gtts"), "drop"),
    **dict.fromkeys(("spray", "sprays"), "spray"),
    **dict.fromkeys(("patch", "patches"), "patch"),
    **dict.fromkeys(("unit", "units"), "unit"),
    **dict.fromkeys(("teaspoon", "teaspoons", "tsp"), "teaspoon"),
}
_ABBREVIATED = {
    "OD": ("right", "eye"),
    "OS": ("left", "eye"),
    "OU": ("both", "eye"),
    "AD": ("right", "ear"),
    "AS": ("left", "ear"),
    "AU": ("both", "ear"),
}
_SIDE_WORDS = {"right": "right", "left": "left", "both": "both", "each": "both", "either": "both"}
_SIDE = re.compile(r"\b(right|left|both|each|either)\s(eyes?|ears?|nostrils?)\b", re.ASCII | re.IGNORECASE)
_SIDED = words("eye eyes ear ears nostril nostrils")
_TAKING = (
    words("put puts place")
    | frozenset(_FORMS)
    | words("take takes taken taking give given apply inhale inject use dose doses mg ml swallow instill")
)
_MOST_ONES = 20
HOW_OFTEN = "dosing_frequency"
"""The class of values that say how often a medicine is taken."""
_DAILY = "once daily"
_ONCE_A_DAY = {_DAILY, "every morning", "every evening", "at bedtime"}
_ANY_TIME = {"as needed", "one time"}
_AMOUNT = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d)?)\s?([a-z]+)", re.ASCII)


class Directions:
    """The directions that an answer states of a field: how often, and how many at a time."""

    def __init__(self, target: Target, turn: Turn) -> None:
        self.agreeing: list[Span] = []
        self.against: list[Span] = []
        for entry, steps in target.steps.items():
            for mention in turn.values.of_class.get(entry, ()):
                if mention.values[0] in steps and _is_told(mention, target, turn):
                    self.agreeing.append(mention.span)
                elif _exclude_each_other(mention, steps) and _is_told(mention, target, turn):
                    self.against.append(mention.span)
        self._compare_sides(target, turn)
        self.is_whole = False
        amount = _amount_of(str(target.field.value))
        for mention in turn.reading.figures if amount is not None else ():
            if amount is None or mention.kind is not MentionKind.NUMBER or mention.unit:
                continue
            bond = turn.owner.get(id(mention))
            if bond is not None and bond.target is not target and compare(mention, bond.target) is Relation.EQUAL:
                continue
            if _form_behind(mention, turn) == amount[1] and _is_told(mention, target, turn):
                is_equal = mention.values[0] == amount[0]
                self.is_whole = is_equal and bool(self.agreeing)
                (self.agreeing if is_equal else self.against).append(mention.span)
        if amount is not None and amount[0] > 1 and turn.answer.places.get("one"):
            self.against += [span for span in _ones(amount[1], turn) if not self.is_whole]

    def _compare_sides(self, target: Target, turn: Turn) -> None:
        """Compare the eye or ear that the record names, as "OD" or in words, with those of the answer: both is not one."""
        recorded = _sides_of(str(target.field.value))
        if not recorded or turn.answer.places.keys().isdisjoint(_SIDED):
            return
        for match in _SIDE.finditer(turn.answer.text):
            said = (_SIDE_WORDS[match[1].lower()], match[2].lower().rstrip("s"))
            place = turn.answer.place_at(match.start())
            if turn.is_affirmed(match.span()) and not turn.reading.is_stray(place, place + 2, target):
                (self.agreeing if said in recorded else self.against).append(match.span())


@lru_cache(maxsize=4_096)
def _sides_of(text: str) -> frozenset[tuple[str, str]]:
    """Return the sides of eyes and ears in a text: abbreviations are read as they are written, in capitals."""
    found = {_ABBREVIATED[word] for word in re.findall(r"[A-Za-z]+", text) if word in _ABBREVIATED}
    found |= {(_SIDE_WORDS[match[1].lower()], match[2].lower().rstrip("s")) for match in _SIDE.finditer(text)}
    return frozenset(found)


def _exclude_each_other(mention: Mention, steps: set[int]) -> bool:
    """Return True if two times of taking something are not one: "every morning" may be once a day, and "as needed" anything."""
    values = shipped_terms().classes[int(mention.unit)].values
    said, recorded = values[int(str(mention.values[0]))], {values[step] for step in steps}
    if said in _ANY_TIME or recorded & _ANY_TIME:
        return False
    return not _are_once_a_day(said, recorded)


def _are_once_a_day(said: str, recorded: AbstractSet[str]) -> bool:
    return said in _ONCE_A_DAY and bool(recorded & _ONCE_A_DAY) and _DAILY in {said, *recorded}


def is_time_of_day(mention: Mention, target: Target) -> bool:
    """Return True if one of what is said and what is recorded is the time of day of the other: "every morning" beside "once daily"."""
    its_class = shipped_terms().classes[int(mention.unit)]
    if its_class.name != HOW_OFTEN:
        return False
    recorded = {its_class.values[step] for step in target.steps.get(mention.unit, ())}
    return _are_once_a_day(its_class.values[int(str(mention.values[0]))], recorded)


@lru_cache(maxsize=4_096)
def _amount_of(text: str) -> tuple[Fraction, str] | None:
    """Return how many at a time, and of what: two capsules."""
    for match in _AMOUNT.finditer(text.lower()):
        if match[2] in _FORMS:
            return Fraction(match[1]), _FORMS[match[2]]
    return None


def _ones(form: str, turn: Turn) -> list[Span]:
    """Return where one of a form is told to be taken: "one puff every six hours"; a number word that is read as no figure."""
    known = {mention.first for mention in turn.reading.figures}
    said = turn.answer.words
    places = [
        place
        for place in turn.answer.places["one"][:_MOST_ONES]
        if place not in known and _FORMS.get("".join(said[place + 1 : place + 2])) == form
    ]
    return [span for span in (turn.answer.span(place, 2) for place in places) if turn.is_affirmed(span)]


def _form_behind(mention: Mention, turn: Turn) -> str:
    behind = turn.answer.words[mention.last] if mention.last < len(turn.answer.words) else ""
    return _FORMS.get(behind, "")


def _is_told(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if a sentence tells to take something, and says it of this one."""
    if turn.assertion(mention.span).kind is not AssertionKind.AFFIRMED or turn.reading.is_stray(mention.first, mention.last, target):
        return False
    return tells_to_take(mention, turn)


def tells_to_take(mention: Mention, turn: Turn) -> bool:
    """Return True if the sentence of a mention tells to take something."""
    around = turn.answer.places_around(mention.first, turn.answer.sentence_at(mention.span[0]))
    return not _TAKING.isdisjoint([turn.answer.words[place] for place in around])


def are_directions(target: Target) -> bool:
    """Return True if a field's text says how often something is taken, among other things."""
    return target.is_directions and len(words_of(str(target.field.value))) > 1
