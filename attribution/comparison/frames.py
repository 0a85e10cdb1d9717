"""Values that a sentence says of the field's thing outright: "the referral was sent as urgent", "you live with your parents"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from attribution.comparison.turn import Turn
from attribution.lexicon import load_lexicon
from attribution.mentions.mention import Mention, MentionKind
from attribution.model import Span
from attribution.schema.names import WORDS_OF_TYPE
from attribution.schema.target import Target
from attribution.schema.terms import shipped_terms
from attribution.text import spaced, stems, words, words_of

# The subject of a sentence: nobody if it tells of what is usual, may be or is to be done, else that of the sentence before it.

_EFFECTS = words("raises raise causes cause increases increase worsens worsen harms affects affect reduces lowers")
"""Behind what somebody does, what it does to anybody: "smoking raises the risk"."""
_USUAL = words("usually often typically generally sometimes normally commonly anyone everyone everybody many most some")
_WHO = words("with who whose taking have")
_OF_SOMEBODY = words("you your yours he his him she her hers they their them client patient resident child")
_GOING_ON = words("it its this that they these he she")
_POSSIBLE = words("can could may might would should must will cannot able unable")
_TO_DO = words("""
    keep call take use avoid ask bring tell let try make wear come check please do don give put stop start see go read watch contact follow
    have get eat drink rest hold apply schedule book consider remember
""")


def is_general(place: int, turn: Turn) -> bool:
    """Return True if a sentence around a word tells what is usual, and of nobody: "a safety plan is usually completed in intake"."""
    behind = turn.answer.words[place + 1 : place + 3]
    if not _EFFECTS.isdisjoint(behind[:1]) or behind in (["goes", "up"], ["goes", "down"]):
        return True
    said = _sentence(place, turn)
    is_usual = not _USUAL.isdisjoint(said) or any(one in ("people", "patients") and other in _WHO for one, other in pairwise(said))
    return is_usual and _OF_SOMEBODY.isdisjoint(said)


def is_only_possible(place: int, turn: Turn) -> bool:
    """Return True if a sentence up to a word tells what may be or what somebody is to do: "she can refer you to a dermatologist"."""
    places = turn.answer.places_around(place, turn.answer.sentence_at(turn.answer.starts[place]))
    before = turn.answer.words[places.start : place]
    return not _POSSIBLE.isdisjoint(before) or (bool(before) and before[0] in _TO_DO)


def told_with(place: int, turn: Turn) -> Span:
    """Return the sentence around a word, with the one before it if it begins with a pronoun: "It is offered as individual therapy"."""
    start, end = turn.answer.sentence_at(turn.answer.starts[place])
    first = turn.answer.places_around(place, (start, end)).start
    return (turn.answer.sentence_at(start - 1)[0] if start and turn.answer.words[first] in _GOING_ON else start), end


def _sentence(place: int, turn: Turn) -> list[str]:
    places = turn.answer.places_around(place, turn.answer.sentence_at(turn.answer.starts[place]))
    return turn.answer.words[places.start : places.stop]


_VERBS = words("""
    is are was were s re be been being has have had remains remained remain stays stayed came comes went goes got turned looks seems
    sent set marked flagged listed graded rated filed submitted recorded entered put classified coded labeled labelled noted given
    scored placed ordered booked scheduled made drawn collected taken measured found needs shows showed reads means
    es son fue fueron era está están estaba sigue siguen quedó salió resultó
""")
_BETWEEN = _VERBS | words("""
    a an the your his her their its our as at to out back in on down through for by with of still currently now only just also usually every
    each within range about always already since recently actually mostly mainly probably and so so per today presently this
    el la los las un una su sus de en con por muy ahora hoy ya todavía aún actualmente
""")
"""Words that may stand between a thing and the statement about it."""
_FILLING = words(
    "on every each a an the your his her their its my still currently now only just also usually both mostly mainly already always either"
) | words("mg mcg ml of")
_IT = ("it", "they")
_DONE = "ed"
"""Ends of a verb that tells by itself what became of a thing: "your coverage lapsed"."""
_MOST_BETWEEN, _MOST_FILLING = 6, 3
_NAMED = 0.25
"""The least weight of a label that names a field: as much as its section's name has."""
_ADDRESSED, _THIRD, _THINGS = words("you"), words("he she they"), words("it they this that them these you")
_AUXILIARY = _FILLING | words("will would can could should may must ll ve re d s is are was were be been has have had do does did")
_ANOTHER = words("other others another most some many different similar")
"""Before a label: another thing is spoken of."""
_MERELY_POSSIBLE = words("could may might")
_JOINING = words("and but")
_STARTING = words("and or but please also just then so to")
"""Before a verb at the start of a clause: "Please take it at bedtime"."""
_OF_PROVIDERS = stems("""
    provider therapist clinician doctor dentist counselor counsellor psychiatrist psychologist nurse physician specialist candidate
    practice clinic agency facility caregiver coach dietitian genome surgeon staff
""") | words("aide aides")
"""An aide is one who helps, and an aid, which has the same stem, is a thing."""
_OF_CLIENTS = stems("client patient member user intake preference request person student resident child elder demographic profile")
_MOST_ABOUT, _LONGEST_PATH = 100, 200
_STATES = words("status state decision determination outcome stage phase disposition")
_COPULAS = words("is are was were s been being be got gets came comes remains has have had now currently")
_DETERMINERS = words("the your this that his her their our its my a an and but so also then unfortunately currently")
_OF_IT = words("for from of on in with at by dated number no")
"""Behind a thing, what says which it is."""
_BROKEN = words("if when whether unless once because that which who while until after before")
_OF_COVERAGE = stems("eligibility coverage insurance membership enrollment benefits")
"""Words for what somebody is insured by, which sections are named by in turn."""
_LONGEST_SUBJECT = 4
_ASIDE = frozenset('—–()"“”:;|\n.!?')


_TRAILING, _LONGEST_TRAIL = "trailing", 4
"""Stands for the subject of words that follow a value: "a taxi will pick you up"."""


class Frame(NamedTuple):
    """Words before a value, and of whom they say it."""

    words: tuple[str, ...]
    subject: str


class Frames(NamedTuple):
    """The frames of a class, the longest first: by their first word, by their last one, and those that follow a value."""

    by_first: Mapping[str, Sequence[Frame]]
    by_last: Mapping[str, Sequence[Frame]]
    trailing: Sequence[Frame]


@cache
def _frames() -> Mapping[str, Frames]:
    """The frames by the name of the class whose values they lead to."""
    found: dict[str, list[Frame]] = {}
    for entry in load_lexicon().frames:
        for lead in entry.leads:
            for name in entry.classes:
                found.setdefault(name, []).append(Frame(words_of(lead), _TRAILING if lead.startswith("…") else entry.subject))
    return {name: _arranged(sorted(frames, key=lambda frame: -len(frame.words))) for name, frames in found.items()}


def _arranged(frames: Sequence[Frame]) -> Frames:
    by_first: dict[str, list[Frame]] = {}
    by_last: dict[str, list[Frame]] = {}
    for frame in frames:
        if frame.subject != _TRAILING:
            by_first.setdefault(frame.words[0], []).append(frame)
            by_last.setdefault(frame.words[-1], []).append(frame)
    return Frames(by_first, by_last, [frame for frame in frames if frame.subject == _TRAILING])


_STEPS = 4
"""The time of looking at what leads to a value, in steps."""


def is_said_of_it(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if nothing but a verb stands between a field's thing, or its subject, and a value; False where too few steps are left."""
    if not turn.answer.affords(_STEPS):
        return False
    if target.entity and turn.reading.focus.at(mention.first, mention.last) != target.entity:
        return False
    return _follows_label(mention, target, turn) or _follows_lead(mention, target, turn) or _is_predicate_of_it(mention, target, turn)


def _follows_label(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if the name of a field or of its section leads to a value over verbs only: "your coverage has lapsed"."""
    said, place = turn.answer.words, mention.first
    first = max(0, place - _MOST_BETWEEN)
    ends = _ends_of_labels(target, turn, first, place)
    while place >= first:
        if place in ends and (place == mention.first or not _VERBS.isdisjoint(said[place : mention.first])):
            if not _ANOTHER.isdisjoint(said[max(0, place - _MOST_FILLING) : place]):
                return False
            is_joined = place < mention.first or mention.last - mention.first > 1 or said[place].endswith(_DONE)
            return is_joined and _is_unbroken(place - 1, mention.first, turn)
        place = _before_day(place, turn) - 1
        if place > 0 and said[place] in _IT and not _VERBS.isdisjoint(said[place + 1 : mention.first]):
            return _is_named_before(place, target, turn)
        if place < 0 or not (said[place] in _BETWEEN or _is_shown_word(place, turn) or _is_joined_value(place, turn)):
            return False
    return False


def _is_named_before(place: int, target: Target, turn: Turn) -> bool:
    """Return True if a pronoun goes on about what a sentence has named: "a moderate form of asthma, and it's poorly controlled"."""
    start = turn.answer.places_around(place, turn.answer.sentence_at(turn.answer.starts[place])).start
    return bool(_ends_of_labels(target, turn, start + 1, place))


def _before_day(place: int, turn: Turn) -> int:
    """Return where a day begins that ends right before a word, as in "drawn on May 3 came back normal", else the word's own place."""
    days = (
        [each.first for each in turn.mentions_at(place - 1, place) if each.kind is MentionKind.DATE and each.last == place] if place else []
    )
    return min(days, default=place)


def _is_predicate_of_it(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if a field's thing is the subject of the clause that a state ends: "Claim 84410 for your visit on May 2 was paid"."""
    if target.kind == "list" or _STATES.isdisjoint(target.name.words):
        return False
    said, place = turn.answer.words, mention.first
    if place and said[place] not in _AUXILIARY and _COPULAS.isdisjoint(said[max(0, place - _MOST_FILLING) : place]):
        return False
    start = place
    while start and start not in turn.answer.clause_starts:
        start -= 1
    while start < place and said[start] in _DETERMINERS:
        start += 1
    ends = [end for end in _ends_of_labels(target, turn, start + 1, min(place, start + _LONGEST_SUBJECT)) if end < place]
    if not ends or not _is_unbroken(start, place, turn) or not _BROKEN.isdisjoint(said[start:place]):
        return False
    behind = said[max(ends)]
    return behind in _OF_IT or behind in _AUXILIARY or any(map(str.isdigit, "".join(said[max(ends) : max(ends) + 2])))


def _ends_of_labels(target: Target, turn: Turn, first: int, last: int) -> set[int]:
    found = set()
    for item, weight in target.labels.items():
        if weight >= _NAMED and item not in WORDS_OF_TYPE:
            found |= {end for _, end in turn.reading.labels.places.get(item, ()) if first <= end <= last}
    about, said = _about(target), turn.answer.stem_words
    return found | {end for end in range(max(1, first), last + 1) if said[end - 1] in about and said[end - 1] not in WORDS_OF_TYPE}


def _follows_lead(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if words that lead to a value of the class stand before it or begin it, behind the one whom the field is about."""
    said, place = turn.answer.words, mention.first
    is_day = mention.kind is MentionKind.WEEKDAY
    frames = _frames().get("weekday" if is_day else shipped_terms().classes[int(mention.unit)].name)
    if frames is None:
        return False
    if _has_lead(frames, mention, target, turn):
        return True
    is_of_client = False
    for _ in range(_MOST_FILLING + 1):
        for lead, subject in frames.by_last.get(said[place - 1], ()) if place else ():
            start = place - len(lead)
            if start < 0 or tuple(said[start:place]) != lead or (is_of_client and subject != "client"):
                continue
            if _is_subject(start, subject, target, turn):
                return _MERELY_POSSIBLE.isdisjoint(said[max(0, start - 1) : start]) and _is_unbroken(start, mention.first, turn)
        place -= 1
        if place > 0 and _is_a_value(place, turn):
            is_of_client = True
        elif place <= 0 or not (said[place] in _FILLING or said[place].isdecimal()):
            return False
    return False


def _has_lead(frames: Frames, mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if words that lead to a value begin it, or stand behind it."""
    said, place = turn.answer.words, mention.first
    behind = said[mention.last : mention.last + _LONGEST_TRAIL]
    if any(tuple(behind[: len(lead)]) == lead for lead, _ in frames.trailing):
        return True
    return any(
        len(lead) < mention.last - place and tuple(said[place : place + len(lead)]) == lead and _is_subject(place, subject, target, turn)
        for lead, subject in frames.by_first.get(said[place], ())
    )


def _is_shown_word(place: int, turn: Turn) -> bool:
    """Return True if a word, and no figure, shows another field: "the pain in your lower back is"."""
    return turn.answer.words[place].isalpha() and turn.is_known(turn.answer.span(place))


def _is_joined_value(place: int, turn: Turn) -> bool:
    """Return True if a word is another value of which one more is said: "is mild and well controlled"."""
    return turn.answer.words[place + 1] in _JOINING and _is_a_value(place, turn)


def _is_a_value(place: int, turn: Turn) -> bool:
    """Return True if a word is a value of another field's class: "the bronze PPO"."""
    return any(each.kind is MentionKind.VALUE for each in turn.mentions_at(place, place + 1))


def _is_subject(start: int, subject: str, target: Target, turn: Turn) -> bool:
    """Return True if what stands before a lead is the one whom a field is about."""
    if subject == "none":
        return True
    if subject == "record":
        return turn.shows_section(told_with(start, turn), target)
    said = turn.answer.words
    if subject == "start":
        return _begins_sentence(start - 1 if said[start - 1 : start] == ["please"] else start, turn)
    before = start - 1
    while before >= 0 and said[before] in _AUXILIARY:
        before -= 1
    is_start = _begins_sentence(start, turn) or said[start - 1] in _STARTING
    word = said[before] if before >= 0 else ""
    if subject == "thing":
        return is_start or word in _THINGS or _is_label(before, target, turn)
    if word in _JOINING and _is_unbroken(_start_of_sentence(before, turn), before, turn):
        before = _start_of_sentence(before, turn)
        word = said[before]
    about = _about(target)
    if subject == "client":
        is_client = word in _ADDRESSED or (word in _THIRD and not _speaks_of_providers(turn)) or turn.is_its_name(before, target)
        return is_client and _OF_PROVIDERS.isdisjoint(about)
    return _OF_CLIENTS.isdisjoint(about) and (word in _THIRD or _is_label(before, target, turn) or turn.is_its_name(before, target))


def _start_of_sentence(place: int, turn: Turn) -> int:
    """Return the first word of a sentence, whose subject a verb behind "and" has too."""
    sentence = turn.reading.line.sentence
    while place and sentence[place - 1] == sentence[place]:
        place -= 1
    return place


def _begins_sentence(place: int, turn: Turn) -> bool:
    return place == 0 or turn.reading.line.sentence[place - 1] != turn.reading.line.sentence[place]


def _is_label(place: int, target: Target, turn: Turn) -> bool:
    is_another = not _ANOTHER.isdisjoint(turn.answer.words[max(0, place - 1) : max(0, place)])
    return place >= 0 and not is_another and bool(_ends_of_labels(target, turn, place + 1, place + 1))


def _about(target: Target) -> frozenset[str]:
    return _stems_of_path(target.field.section, target.field.path)


@lru_cache(maxsize=4_096)
def _stems_of_path(section: str, path: str) -> frozenset[str]:
    text = spaced(f"{section} {path}"[:_LONGEST_PATH])
    found = stems(text) | words(text)
    return found | _OF_COVERAGE if not _OF_COVERAGE.isdisjoint(found) else found


def speaks_of_provider(target: Target) -> bool:
    """Return True if a field is about one who gives care."""
    return not _OF_PROVIDERS.isdisjoint(_about(target))


def _speaks_of_providers(turn: Turn) -> bool:
    """Return True if a field of the context is about a provider, of whom "she" may speak."""
    return any(speaks_of_provider(target) for target in turn.reading.targets[:_MOST_ABOUT])


def _is_unbroken(first: int, last: int, turn: Turn) -> bool:
    """Return True if words are in one clause, without a sign that sets one of them apart."""
    answer = turn.answer
    between = answer.text[answer.word_end(first) : answer.starts[last]] if first < last else ""
    return _ASIDE.isdisjoint(between) or between.strip(" *") == ":"
