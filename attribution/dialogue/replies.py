"""The words by which an answer replies with yes or no: "Yes, they do", "No, unfortunately not", "It doesn't"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attribution.text import words

# An utterance: words with the places where sentences and clauses begin.

AUXILIARIES = {
    **dict.fromkeys(words("is are was were isn aren wasn weren s re be am m"), "be"),
    **dict.fromkeys(words("do does did don doesn didn dont doesnt have has haven hasn ve"), "do"),
    **dict.fromkeys(words("can could may might couldn cannot cant"), "can"),
    **dict.fromkeys(words("will would won wouldn ll wont should"), "will"),
}
"""Auxiliary verbs by their family: "they do" replies to "do they have", "they have" as well."""

_JOINING = ("and", "but")


class Utterance(NamedTuple):
    """Folded words in their order; ``clause_starts`` and ``sentence_starts`` are places among them."""

    words: Sequence[str]
    clause_starts: frozenset[int]
    sentence_starts: frozenset[int]

    @property
    def beginnings(self) -> list[int]:
        """Return the places where a statement may begin: at sentences, at clauses, behind "and" and "but"."""
        joined = {place + 1 for place, word in enumerate(self.words[:-1]) if word in _JOINING}
        return sorted(joined | self.clause_starts | ({0} if self.words else set()))

    def word(self, place: int) -> str:
        """The word at a place; empty behind the last."""
        return self.words[place] if place < len(self.words) else ""

    def follows(self, place: int, phrase: Sequence[str]) -> bool:
        """Return True if these words stand at a place."""
        return list(self.words[place : place + len(phrase)]) == list(phrase)

    def ends_clause(self, place: int) -> bool:
        """Return True if a clause ends before a place."""
        return place >= len(self.words) or place in self.clause_starts

    def ends_sentence(self, place: int) -> bool:
        """Return True if a sentence ends before a place."""
        return place >= len(self.words) or place in self.sentence_starts


# Sentences that leave out what was asked: "they do", "it sure does", "it's not", "they don't offer that".

_WHO = words("it they he she there you we this these those that")
_ADVERBS = words("sure certainly definitely indeed actually unfortunately sadly absolutely currently really also surely most")
_NOT = words("not t")
_DENYING = words("cannot cant dont doesnt wont isnt arent")
_BEHIND = words("""
    and but so sorry unfortunately sadly either as too here there at currently right yet indeed because though although anymore any no
    however also
""")
"""Words that may follow an elision without adding to what it says."""

_TAIL = words("unfortunately sadly indeed sorry no either currently yet")
_REFERRING = words("that those these this such it them one ones any so")
_KINDS = words("""
    any of sort sorts kind kinds type types such the thing things service services option options feature features amenity amenities
    facility facilities treatment treatments procedure procedures work stuff
""")
_OFFERING = words("something one available possible included offered part")
_MOST_ADVERBS = 3


class Elision(NamedTuple):
    """An elliptical reply: where it ends, if it affirms, and the family of its auxiliary verb."""

    stop: int
    is_yes: bool
    family: str


def read_elision(place: int, said: Utterance) -> Elision | None:
    """The elision that begins at a place."""
    if said.word(place) not in _WHO:
        return None
    verb = _behind_adverbs(place + 1, said)
    family = AUXILIARIES.get(said.word(verb), "")
    if not family:
        return _referring(verb, said, is_yes=True, family="")
    is_denied, behind = _denial(verb, said)
    if _is_end(behind, said):
        is_contracted = said.word(verb) in {"s", "re", "ll", "ve"} and not is_denied
        return None if is_contracted else Elision(_with_tail(behind, said), not is_denied, family)
    if said.word(place) == "that":
        return _something(behind, said, is_yes=not is_denied)
    return _referring(behind, said, is_yes=not is_denied, family=family)


def _behind_adverbs(place: int, said: Utterance) -> int:
    for _ in range(_MOST_ADVERBS):
        if said.word(place) not in _ADVERBS or said.ends_clause(place):
            break
        place += 1
    return place


def _denial(verb: int, said: Utterance) -> tuple[bool, int]:
    """Return if an auxiliary verb is denied, and the place behind it and adverbs."""
    if said.word(verb) in _DENYING:
        return True, _behind_adverbs(verb + 1, said)
    behind = _behind_adverbs(verb + 1, said)
    is_denied = said.word(behind) in _NOT and not said.ends_clause(behind)
    return is_denied, _behind_adverbs(behind + 1, said) if is_denied else behind


def _is_end(place: int, said: Utterance) -> bool:
    return said.ends_clause(place) or said.word(place) in _BEHIND


def _with_tail(place: int, said: Utterance) -> int:
    """Behind words such as "unfortunately" that end the clause, or stand alone behind a comma."""
    while said.word(place) in _TAIL and said.ends_clause(place + 1) and place not in said.sentence_starts:
        place += 1
    return place


def _referring(verb: int, said: Utterance, *, is_yes: bool, family: str) -> Elision | None:
    """``they don't offer that service``: a verb, then a word for what was asked."""
    place = verb + 1
    if said.ends_clause(verb) or said.ends_clause(place):
        return None
    refers = False
    while not said.ends_clause(place) and (said.word(place) in _REFERRING or said.word(place) in _KINDS):
        refers = refers or said.word(place) in _REFERRING
        place += 1
    return Elision(_with_tail(place, said), is_yes, family) if refers and _is_end(place, said) else None


def _something(place: int, said: Utterance, *, is_yes: bool) -> Elision | None:
    """``that's not something they offer``."""
    words = said.words[place : place + 3]
    if _OFFERING.isdisjoint(words) and "option" not in words:
        return None
    while not said.ends_clause(place):
        place += 1
    return Elision(place, is_yes, "")


# The words by which an answer replies with yes or no: "Yes, they do", "No, unfortunately not", "It doesn't".

_MOST_REPLIES = 16

_YES = words("yes yeah yep yup")
_NO = words("no nope nah")
_SURELY = words("sure certainly absolutely definitely indeed correct")
_LEAD = words("well and but oh ok okay so great alright actually however then also unfortunately sadly regrettably sorry")
_LEAD_PHRASES = (("i", "m", "sorry"), ("i", "m", "afraid"), ("i", "am", "sorry"), ("i", "am", "afraid"), ("i", "checked", "and"))
_MOST_LEADS = 4
_BEHIND_NO = words("it they he she there you sorry unfortunately sadly not i that")
_BEHIND_NOT = words("currently yet really anymore at right that on for in during before until according this")
_OF_THE_SPEAKER = words("i we your my our let")
_ALL = words("them those these")
_HOLDING = words("has have is are offers offer does do")
_OPINIONS = {
    ("i", "believe", "so"): True,
    ("i", "think", "so"): True,
    ("i", "don", "t", "think", "so"): False,
    ("i", "don", "t", "believe", "so"): False,
    ("i", "do", "not", "think", "so"): False,
    ("i", "do", "not", "believe", "so"): False,
    ("i", "wouldn", "t", "say", "so"): False,
    ("i", "would", "not", "say", "so"): False,
    ("that", "s", "right"): True,
    ("that", "is", "right"): True,
    ("that", "s", "correct"): True,
    ("that", "is", "correct"): True,
}


class Reply(NamedTuple):
    """A reply: its first word, the word behind it, yes or no, and the family of the verb that it repeats.

    ``is_whole``: it says no more than that, so that it is surely a reply. ``is_of_all``: it answers several questions at once.
    """

    place: int
    stop: int
    is_yes: bool
    family: str = ""
    is_whole: bool = True
    is_of_all: bool = False


def find_replies(said: Utterance) -> list[Reply]:
    """The replies of an answer, in their order: each begins a sentence, a clause, or what "and" joins to it."""
    found: list[Reply] = []
    end = 0
    for start in said.beginnings:
        place = _behind_lead(start, said)
        reply = _reply(place, said) if start >= end else None
        if reply:
            found.append(reply)
            end = reply.stop
            if len(found) == _MOST_REPLIES:
                break
    return found


def _behind_lead(place: int, said: Utterance) -> int:
    """Behind "well", "I'm sorry, but" and the like."""
    for _ in range(_MOST_LEADS):
        phrase = next((each for each in _LEAD_PHRASES if said.follows(place, each)), ())
        if not phrase and said.word(place) not in _LEAD:
            break
        place += len(phrase) or 1
    return place


def _reply(place: int, said: Utterance) -> Reply | None:
    word = said.word(place)
    if word in _YES:
        return _yes(place, said)
    if word in _NO:
        return _no(place, said)
    if word in _SURELY or said.follows(place, ("of", "course")):
        return _surely(place + 1 + (word == "of"), place, said)
    if word == "not":
        return Reply(place, place + 1, is_yes=False) if said.ends_clause(place + 1) or said.word(place + 1) in _BEHIND_NOT else None
    return _of_all(place, said) or _opinion(place, said) or _elliptical(place, place, said)


def _yes(place: int, said: Utterance) -> Reply | None:
    """``Yes``, with the elision behind it; not what goes on with the speaker, as "Yes, I have booked it"."""
    behind = place + 1
    if said.follows(behind, ("to", "both")) or said.follows(behind, ("both",)):
        return Reply(place, behind, is_yes=True, is_of_all=True)
    if reply := _elliptical(behind, place, said):
        return reply
    if said.ends_sentence(behind):
        return Reply(place, behind, is_yes=True)
    return None if said.word(behind) in _OF_THE_SPEAKER else Reply(place, behind, is_yes=True, is_whole=False)


def _no(place: int, said: Utterance) -> Reply | None:
    behind = place + 1
    if not (said.ends_clause(behind) or said.word(behind) in _BEHIND_NO):
        return None
    core = _behind_lead(behind, said) if not said.ends_sentence(behind) else behind
    if reply := _elliptical(core, place, said):
        return reply
    if said.word(core) == "not" and core not in said.sentence_starts:
        return Reply(place, core + 1, is_yes=False)
    if said.ends_sentence(core):
        return Reply(place, core, is_yes=False)
    return None if said.word(core) in _OF_THE_SPEAKER else Reply(place, behind, is_yes=False, is_whole=False)


def _surely(behind: int, place: int, said: Utterance) -> Reply | None:
    """``Sure`` is a reply with an elision behind it only; "absolutely" may stand alone."""
    reply = _elliptical(behind, place, said)
    is_alone = said.ends_sentence(behind) and said.word(place) != "sure"
    return reply or (Reply(place, behind, is_yes=True) if is_alone else None)


def _of_all(place: int, said: Utterance) -> Reply | None:
    """``both``, ``neither``, ``none of them``, with "it has" before them or without."""
    start = place
    if said.word(place) in {"it", "they", "he", "she"} and said.word(place + 1) in _HOLDING:
        place += 2
    word = said.word(place)
    if word not in {"both", "neither", "none", "all"}:
        return None
    stop = place + 3 if said.word(place + 1) == "of" and said.word(place + 2) in _ALL else place + 1
    is_bare = said.ends_clause(stop) and (word != "all" or stop > place + 1)
    return Reply(start, stop, is_yes=word in {"both", "all"}, is_of_all=True) if is_bare else None


def _opinion(place: int, said: Utterance) -> Reply | None:
    for phrase, is_yes in _OPINIONS.items():
        if said.follows(place, phrase):
            return Reply(place, place + len(phrase), is_yes)
    return None


def _elliptical(place: int, start: int, said: Utterance) -> Reply | None:
    if place in said.sentence_starts and place != start:
        return None
    found = read_elision(place, said)
    return Reply(start, found.stop, found.is_yes, found.family) if found else None
