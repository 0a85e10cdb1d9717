"""The words around a figure that make it one end of a range, a bound, an approximation, or the number of a list."""

from __future__ import annotations

import re
from itertools import pairwise, product

from attribution.answer import Answer
from attribution.lexicon.words import NOT_COUNTED, UNITS_OF_MEASURE
from attribution.mentions.days_and_hours import HOURS, halves
from attribution.mentions.mention import Mention, MentionKind
from attribution.text import words

_LOOSE = words("about around roughly approximately nearly almost over under least most above below than within until up some approx beyond")
_BOUND: dict[tuple[str, ...], str] = {
    **dict.fromkeys((("more", "than"), ("at", "least"), ("upwards", "of")), "above"),
    **dict.fromkeys((("less", "than"), ("fewer", "than"), ("at", "most")), "below"),
}
_BOUND_BY_ONE = {**dict.fromkeys(("over", "above", "beyond"), "above"), **dict.fromkeys(("under", "below", "within"), "below")}
"""Words right before a figure by which what is told is more or less than it."""
_ROUGHLY = words("about around roughly approximately nearly almost approx")
NEAR = "near"
"""The bound of a figure that what is told is near to."""
_BOUND_TURNED = {"above": "below", "below": "above"}
_DENYING = words("no not never t")
_OF_MEASURE = words("mmol meq miu ng pg bpm mmhg units points breaths beats degrees")
"""Words behind a number that say how something is measured, and count nothing."""
_WEIGHTS = frozenset({"pounds", "grams", "ounces"})
_WEIGHT_CHANGES = words("lose loses lost losing gain gains gained gaining lift lifts lifting carry")
"""Before a weight, what it is a part of or what is lifted: it is not what somebody weighs."""
_SET_BY_BOUNDS = (MentionKind.DATE, MentionKind.TIME)
_BOUNDS = words("before after since")
_TRAVEL = words("by away drive walk ride from")
_NUMBERING = words("press dial option page step part question item step section chapter box line table figure room")
"""Behind these a number is a name, and no amount."""
_NUMBERED = re.compile(r"(?:^|[.:!?]\s)(\d{1,2})[.)]\s[A-Z]", re.ASCII | re.MULTILINE)
_LONGEST_ANNOUNCEMENT = 3
_ENDS: dict[tuple[str, ...], str] = {
    **dict.fromkeys(product(("starts", "starting", "start", "begins", "beginning", "begin"), ("at", "from", "with")), "low"),
    **dict.fromkeys((("low", "as"), ("little", "as"), ("minimum", "of")), "low"),
    **dict.fromkeys((("high", "as"), ("much", "as"), ("maximum", "of"), ("out", "at")), "high"),
}
"""Words before a figure by which it is one end of a range."""


def mark_ends(found: list[Mention], answer: Answer) -> None:
    """Two figures of one kind with "to" or a dash between are the ends of a range; a bare one takes kind and unit of the other."""
    for low, high in pairwise(found):
        if not 0 <= high.first - low.last <= 1:
            continue
        between = answer.text[low.span[1] : high.span[0]].strip(" \u00a0")
        if between.lower() not in ("to", "-", "–", "—", "through", "until", "till", "and"):
            continue
        if between == "and" and (low.first == 0 or answer.words[low.first - 1] != "between"):
            continue
        _share_kind(low, high)
        if low.kind is high.kind:
            low.end, high.end = "low", "high"
            low.other_end, high.other_end = high, low


def _share_kind(low: Mention, high: Mention) -> None:
    """Give a bare end of a range the kind of the other, and an hour of two readings the one that the other end leaves."""
    for bare, other in ((low, high), (high, low)):
        if bare.kind is MentionKind.NUMBER and not bare.unit and other.kind in (MentionKind.MONEY, MentionKind.PERCENT):
            bare.kind = other.kind
    if low.kind is MentionKind.NUMBER and high.kind is MentionKind.TIME and not low.unit and low.values[0] in HOURS:
        low.kind, low.values = MentionKind.TIME, halves(int(low.values[0]), "")
    if low.kind is high.kind is MentionKind.TIME and len(high.values) == 1 < len(low.values):
        low.values = (max((each for each in low.values if each <= high.values[0]), default=low.values[0]),)
    if low.kind is high.kind is MentionKind.TIME and len(low.values) == 1 < len(high.values):
        high.values = (min((each for each in high.values if each > low.values[0]), default=high.values[0]),)


def mark_loose(found: list[Mention], answer: Answer) -> None:
    """Mark figures that state no exact value: bounds, approximations, steps and pages; and say which are followed by what they count."""
    words = answer.words
    for mention in found:
        if mention.unit == "th":
            mention.is_loose = True
            continue
        if mention.first and words[mention.first - 1] in _NUMBERING:
            mention.is_loose = True
            continue
        behind = words[mention.last : mention.last + 2]
        if (
            (mention.kind in _SET_BY_BOUNDS and mention.first and words[mention.first - 1] in _BOUNDS)
            or (mention.kind is MentionKind.DURATION and mention.unit == "time" and behind and behind[0] in _TRAVEL)
            or (mention.kind is MentionKind.NUMBER and len(behind) == 2 and behind[0] == "in" and behind[1].isdigit())
        ):
            mention.is_loose = True
        if mention.is_loose:
            continue
        before = words[max(0, mention.first - _LONGEST_ANNOUNCEMENT) : mention.first]
        if not mention.end:
            mention.end = _ENDS.get(tuple(before[-2:]), "")
        mention.bound = _bound_of(before)
        mention.is_loose = bool(mention.bound) or _is_led_loosely(before[-2:]) or words[mention.last : mention.last + 2] == ["or", "so"]
        if mention.unit in _WEIGHTS and not _WEIGHT_CHANGES.isdisjoint(before):
            mention.is_loose = True
        if words[mention.last : mention.last + 2] in (["or", "more"], ["or", "less"], ["or", "higher"], ["or", "above"], ["or", "older"]):
            mention.is_loose = True
        mention.counted = mention.kind is MentionKind.NUMBER and not mention.unit and _counts(mention, answer)


def mark_numbering(found: list[Mention], answer: Answer) -> None:
    """Take no amounts from the numbers of a list that is written in one line: "1. Write down your goals. 2. Bring a list"."""
    places = [match.span(1) for match in _NUMBERED.finditer(answer.text)]
    if len(places) > 1 and answer.as_written(places[0]) == "1" and answer.as_written(places[1]) == "2":
        for mention in found:
            mention.is_loose = mention.is_loose or mention.span in places


def _bound_of(before: list[str]) -> str:
    """Return where the words before a figure put what is told: "above" for "more than" and "no less than"."""
    pair = tuple(before[-2:])
    last = before[-1] if before else ""
    bound = _BOUND.get(pair) or _BOUND_BY_ONE.get(last, "")
    if last in _ROUGHLY:
        return NEAR
    ahead = before[:1] if pair in _BOUND else before[-2:-1]
    if not bound or ahead == ["by"]:
        return ""
    return bound if _DENYING.isdisjoint(ahead) else _BOUND_TURNED[bound]


def _is_led_loosely(before: list[str]) -> bool:
    """Return True if the words before a figure make a bound or an approximation of it: "up to", but not "a follow-up is"."""
    return not _LOOSE.isdisjoint(before) and ("up" not in before or before == ["up", "to"] or not (_LOOSE - {"up"}).isdisjoint(before))


def _counts(mention: Mention, answer: Answer) -> bool:
    """Return True if a word directly behind a number may be what it counts."""
    place = mention.last
    if place >= len(answer.words) or answer.text[mention.span[1] : answer.starts[place]].strip(" -"):
        return False
    word = answer.words[place]
    return word.isalpha() and len(word) > 2 and word not in NOT_COUNTED and word not in _OF_MEASURE and word not in UNITS_OF_MEASURE
