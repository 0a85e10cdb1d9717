"""Clauses that say what a kind of thing does, and not that anybody has it: "A voucher pays part of your rent"."""

from __future__ import annotations

from attribution.answer import Answer
from attribution.schema.registry import Subject
from attribution.text import words

_ANY = words("a an any")
_OFTEN = words("also often usually sometimes typically generally only just program programs")
_DOING = words("can may might could help pay cover bring add give let make mean reduce provide")
_HOLDS = words("is was has does applies comes starts begins works runs remains stays exists includes expires ends resumes continues this s")
"""Words behind a thing that say that it is there, or that it holds."""
_LONGEST_THING, _SHORTEST_VERB = 2, 3


def tells_of_its_kind(first: int, last: int, subject: Subject, answer: Answer) -> bool:
    """Return True if words begin a clause as its subject and a verb follows that only says what such a thing does.

    Words behind ``last`` that name the subject as well are part of it.
    """
    said, start = answer.words, first
    name = {form for topic in subject.topics for form in topic.forms}
    while start and start not in answer.clause_starts and first - start <= _LONGEST_THING:
        start -= 1
    if first - start > _LONGEST_THING or (start < first and said[start] not in _ANY):
        return False
    while last < len(said) and (said[last] in _OFTEN or answer.stem_words[last] in name):
        last += 1
    if last + 1 >= len(said) or last in answer.clause_starts:
        return False
    return said[last] in _DOING or _is_habit(said[last])


def _is_habit(word: str) -> bool:
    return len(word) > _SHORTEST_VERB and word.endswith("s") and not word.endswith("ss") and word not in _HOLDS
