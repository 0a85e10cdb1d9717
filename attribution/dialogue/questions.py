"""The yes-or-no questions at the end of a user's message, and the replies to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from attribution.dialogue.replies import AUXILIARIES, Reply, Utterance, find_replies
from attribution.text import clause_ends, fold, split_words, stem
from attribution.text import words as _words

# The yes-or-no questions at the end of what a user wrote: asked outright, or as "I'd like to know whether".

MOST_READ = 400
"""How many characters of a user's text are read, from its end: what an answer replies to was asked last."""


_INTERROGATIVE = _words("what which when where who whom whose how why")
_FILLERS = _words("""
    yes yeah ok okay great thanks thank perfect good fine sounds sure also and but so well hi hello please oh alright cool awesome or then
    now that too lastly finally first second by the way
""")
_ASKED_OF_THE_ASSISTANT = _words("can could will would")
_CONTRACTED = _words("s re ve m ll")
_SERVICES = _words("tell check find book give make confirm help show get look schedule reserve let search please repeat recommend suggest")
_INQUIRING = _words("know tell check see find ask wonder wondering sure confirm let curious verify")
_REFERRING = _words("that those these such any one them it")
_SPLIT = re.compile(r"\b(?:and|also|plus)\b")


class Question(NamedTuple):
    """A yes-or-no question: its words and their stems, in which sentence it stands, and the family of its auxiliary verb."""

    words: tuple[str, ...]
    stems: tuple[str, ...]
    sentence: int
    family: str


def read_questions(text: str) -> list[Question]:
    """The questions, in their order."""
    found: list[Question] = []
    before: Sequence[str] = ()
    for number, sentence in enumerate(_sentences(tail(text))):
        asked = list(_questions_in(sentence, number))
        found += [_joined(before, question) if _refers(question) else question for question in asked]
        before = split_words(fold(sentence))
    return found


def tail(text: str) -> str:
    """The end of a text, from the beginning of a sentence on where it is cut."""
    if len(text) <= MOST_READ:
        return text
    end = text[-MOST_READ:]
    return re.split(r"[.!?\n]", end, maxsplit=1)[-1]


def _sentences(text: str) -> Iterator[str]:
    edges = [0, *(end for end in clause_ends(text) if text[end - 1] in ".!?\n"), len(text)]
    return (text[start:end].strip() for start, end in pairwise(edges))


def _questions_in(sentence: str, number: int) -> Iterator[Question]:
    """The questions of a sentence; a part without a verb of its own belongs to the question before it."""
    asked: list[Question] = []
    is_asking = sentence.endswith("?")
    knows = not _INQUIRING.isdisjoint(split_words(fold(sentence)))
    for part in _parts(sentence):
        words = _without_fillers(split_words(fold(part)))
        question = _question(words, number, is_asking=is_asking, is_inquiry=knows)
        if question and asked and not question.family:
            asked[-1] = _joined(asked[-1].words, question)._replace(family=asked[-1].family)
        elif question:
            asked.append(question)
    return iter(asked)


def _parts(sentence: str) -> Iterator[str]:
    edges = [0, *(end for end in clause_ends(sentence) if end < len(sentence)), len(sentence)]
    for start, end in pairwise(edges):
        yield from _SPLIT.split(sentence[start:end].lower())


def _without_fillers(words: Sequence[str]) -> Sequence[str]:
    first = next((place for place, word in enumerate(words) if word not in _FILLERS), len(words))
    return words[first:]


def _question(words: Sequence[str], number: int, *, is_asking: bool, is_inquiry: bool) -> Question | None:
    """The question of one part of a sentence."""
    if not words:
        return None
    if "whether" in words or (is_inquiry and "if" in words):
        asked = words[words.index("whether" if "whether" in words else "if") + 1 :]
        return _made(asked, number, next((AUXILIARIES[word] for word in asked if word in AUXILIARIES), ""))
    if words[:2] in (["how", "about"], ["what", "about"]):
        return _made(words[2:], number, "")
    if words[0] in AUXILIARIES and words[0] not in _CONTRACTED:
        return None if _is_request(words) else _made(words[1:], number, AUXILIARIES[words[0]])
    return _made(words, number, "") if is_asking and words[0] not in _INTERROGATIVE and len(words) > 1 else None


def _made(words: Sequence[str], number: int, family: str) -> Question:
    return Question(tuple(words), tuple(map(stem, words)), number, family)


def _joined(words: Sequence[str], question: Question) -> Question:
    """A question with words before it."""
    return _made([*words, *question.words], question.sentence, question.family)


def _is_request(words: Sequence[str]) -> bool:
    """Return True if the assistant is asked to do something: "could you book it"."""
    return words[0] in _ASKED_OF_THE_ASSISTANT and words[1:2] == ["you"] and not _SERVICES.isdisjoint(words[2:4])


def _refers(question: Question) -> bool:
    """Return True if a question ends with a word for what was named before it: "do they offer that?"."""
    return bool(question.stems) and question.stems[-1] in _REFERRING


# Match each reply with the question that it answers.


class Exchange(NamedTuple):
    """A question and the reply to it."""

    question: Question
    reply: Reply


def exchanges(asked: str, said: Utterance) -> list[Exchange]:
    """The questions of a user's text that are replied to. As many replies as questions are paired with them in order."""
    questions = read_questions(asked)
    replies = find_replies(said) if questions else []
    whole = [reply for reply in replies if reply.is_whole]
    if not whole and len(questions) > 1:
        return []
    found: list[Exchange] = []
    for number, reply in enumerate(whole or replies[:1]):
        answered = [questions[number]] if len(whole) == len(questions) else _answered(reply, questions)
        found += [Exchange(question, reply) for question in (questions if reply.is_of_all else answered)]
    return found


def _answered(reply: Reply, questions: Sequence[Question]) -> list[Question]:
    """The last question whose verb the reply repeats; without a verb all questions of the last sentence."""
    if reply.family:
        same = [question for question in questions if question.family == reply.family]
        return (same or list(questions))[-1:]
    return [question for question in questions if question.sentence == questions[-1].sentence]
