"""The words by which an answer replies with yes or no: "Yes, they do", "No, unfortunately not", "It doesn't"."""

from __future__ import annotations

from typing import NamedTuple

from attribution.dialogue.elision import read_elision
from attribution.dialogue.utterance import Utterance
from attribution.word_classes import words

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
