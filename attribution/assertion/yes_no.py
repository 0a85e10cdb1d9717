"""Yes-or-no fields by what their name is about: stated, denied, or replied to when the user asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from attribution.answer import Answer
from attribution.assertion.statements import Mention, find_mentions, scope_of, states
from attribution.assertion.words import FORWARD_DENIALS, NEEDING, REQUIRING
from attribution.assertion.yes_no_polarity import polarity_of
from attribution.dialogue import Exchange
from attribution.mentions.phrases import describe
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.schema.registry import Subject, Topic, Wording
from attribution.schema.truth import truth_of
from attribution.text import words

# Clauses that say what a kind of thing does, and not that anybody has it: "A voucher pays part of your rent".

_ANY = words("a an any")
_OFTEN = words("also often usually sometimes typically generally only just program programs")
_DOING = words("can may might could help pay cover bring add give let make mean reduce provide")
_JOINING = words("as because since when and but")
_DONE_ABOUT = words("tested screened checked treated diagnosed caused managed inherited measured common rare contagious")
_RUNNING_IN = (["runs", "in"], ["run", "in"])
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
    start += start < first and said[start] in _JOINING
    if first - start > _LONGEST_THING or (start < first and said[start] not in _ANY and answer.stem_words[start] not in name):
        return False
    while last < len(said) and (said[last] in _OFTEN or answer.stem_words[last] in name):
        last += 1
    if last + 1 >= len(said) or last in answer.clause_starts:
        return False
    if start < first and last + 2 < len(said) and not _is_telling(last, answer):
        last += 1
    return _is_telling(last, answer)


def _is_telling(place: int, answer: Answer) -> bool:
    """Return True if a verb says what a kind of thing does, or what is done about it: "glaucoma is tested for with a puff of air"."""
    said = answer.words
    if said[place] in ("is", "are"):
        behind = place + 1
        while behind < len(said) and said[behind] in _OFTEN:
            behind += 1
        return behind < len(said) and said[behind] in _DONE_ABOUT
    return said[place] in _DOING or _is_habit(said[place]) or said[place : place + 2] in _RUNNING_IN


def _is_habit(word: str) -> bool:
    return len(word) > _SHORTEST_VERB and word.endswith("s") and not word.endswith("ss") and word not in _HOLDS


_NEEDED_WITHIN = 3
_NOT_ALONE = ("not", "t")
"""The last word of a clause that leaves out what it denies."""
_NOT = words("not t cannot never nothing nobody no")
_DENIED_BEFORE = 5
"""The most words from a denial to the "without" that it denies."""
_ANSWERED = re.compile(
    r"[^.!?:;|–—(\n]{0,60}(?:[:?|–—(-][\s*_|]{0,6}(?:(?P<yes>yes\b)|(?P<no>no\b(?!\s+\w)|(?:denied|denies|never|quit)\b(?=\s*(?:[.,;(\n|]|$|in\s\d|since\s|\d)))|(?P<open>unknown|unclear|n/?a\b|not\s(?:specified|stated|known)))"
    r"|[\s*_|:–—-]{1,6}(?:(?P<tick>[✅✓✔☑])|(?P<cross>[❌✗✘])))"
)
"""An answer directly behind a topic: "accepting new clients: no", "Does she take new clients? Yes, from May"."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of an answer on a yes-or-no field, and its place.

    ``negation`` is the word that denies, ``reply`` the yes or no of a topic that is answered at once, ``question`` the word by
    which the user's question names the field that is replied to. ``is_general``: it says only what such a thing does.
    """

    is_affirmed: bool
    span: Span
    negation: str = ""
    reply: str = ""
    question: str = ""
    is_general: bool = False


def statements_in(answer: Answer, subject: Subject) -> list[Statement]:
    """Return where the answer states or denies the subject."""
    return list(_statements(answer, subject)) if not answer.stems.keys().isdisjoint(subject.keys) else []


def _statements(answer: Answer, subject: Subject) -> Iterator[Statement]:
    for mention in find_mentions(subject, answer):
        span = answer.span(mention.place, mention.length)
        at_once = _ANSWERED.match(answer.lowered, span[1])
        statement = _answered(mention, span, at_once) if at_once else _said(mention, span, subject, answer)
        if statement:
            yield replace(statement, is_affirmed=not statement.is_affirmed) if subject.is_negated else statement


def _answered(mention: Mention, span: Span, found: re.Match[str]) -> Statement | None:
    kind = found.lastgroup or ""
    if kind == "open":
        return None
    is_yes = kind in {"yes", "tick"}
    return Statement(is_yes != (mention.is_denied or mention.is_opposite), span, reply=found[kind])


def _said(mention: Mention, span: Span, subject: Subject, answer: Answer) -> Statement | None:
    scope = scope_of(mention, answer)
    if not states(mention, scope, answer) or (not subject.stance.said and not mention.is_complete and _is_required(mention, scope, answer)):
        return None
    if _is_without_denied(mention, answer):
        return Statement(not (mention.is_denied or mention.is_opposite), span)
    polarity = polarity_of(mention, scope, subject, answer)
    if polarity is None or not (mention.is_complete or polarity.is_settled or _is_taken(mention, scope, subject, answer)):
        return None
    is_general = not polarity.denial and tells_of_its_kind(mention.place, mention.stop, subject, answer)
    return Statement(polarity.is_affirmed, span, polarity.denial, is_general=is_general)


def _is_without_denied(mention: Mention, answer: Answer) -> bool:
    words, start = answer.words, max(0, mention.place - _NEEDED_WITHIN)
    return "without" in words[start : mention.place] and is_denied_without(words.index("without", start), answer)


def is_denied_without(place: int, answer: Answer) -> bool:
    """Return True if nothing goes without something: "your plan won't pay without a referral". ``place`` is that of "without"."""
    start = answer.places_around(place, answer.sentence_at(answer.starts[place])).start
    before = answer.words[max(start, place - _DENIED_BEFORE) : place]
    return not (_NOT.isdisjoint(before) or "but" in before)


def _is_taken(mention: Mention, scope: range, subject: Subject, answer: Answer) -> bool:
    """Return True if the stance is spoken of that the subject needs: that pets are allowed, not only that there are some."""
    said = subject.stance.said
    around = [*range(_shared_from(mention, scope, answer), mention.place), *range(mention.stop, scope.stop)]
    return not said or any(answer.stem_words[place] in said for place in around)


def _shared_from(mention: Mention, scope: range, answer: Answer) -> int:
    """Return where begins what is said of a mention: "includes vision but not dental" says of both that they are included, or not.

    So does "vision is included; dental is not".
    """
    is_short = bool(scope) and answer.words[scope.stop - 1] in _NOT_ALONE
    if not is_short and answer.words[max(0, scope.start - 1) : scope.start + 1] != ["but", "not"]:
        return scope.start
    sentence = answer.places_around(mention.place, answer.sentence_at(answer.starts[mention.place]))
    return sentence.start


def _is_required(mention: Mention, scope: range, answer: Answer) -> bool:
    """Return True if a thing is only said to be needed, or not to be: "no car is required" says nothing of having one."""
    stems = answer.stem_words
    if not NEEDING.isdisjoint(stems[max(scope.start, mention.place - _NEEDED_WITHIN) : mention.place]):
        return True
    return any(stems[place] in REQUIRING for place in scope)


_DENIED_WITHIN = 2


def statements_replied(answer: Answer, subject: Subject) -> list[Statement]:
    """The replies to questions that name the subject. Their spans are the words of the reply."""
    if answer.asked_stems.isdisjoint(subject.keys):
        return []
    return [statement for exchange in answer.exchanges if (statement := _statement(exchange, answer, subject))]


def _statement(exchange: Exchange, answer: Answer, subject: Subject) -> Statement | None:
    question, reply = exchange
    named = _named(subject, question.stems)
    if named is None:
        return None
    place, is_denied = named
    span = answer.span(reply.place, reply.stop - reply.place)
    is_affirmed = (reply.is_yes != is_denied) != subject.is_negated
    return Statement(is_affirmed, span, reply=answer.as_written(span), question=question.words[place])


def _named(subject: Subject, stems: Sequence[str]) -> tuple[int, bool] | None:
    """Return where a question names the subject, and whether it asks for the opposite; nothing where it does not."""
    for place, word in enumerate(stems):
        for wording in subject.complete.get(word, ()):
            if _stands(wording, place, stems):
                return place, wording.is_opposite
    places = [_place_of(topic, stems) for topic in subject.topics]
    if not places or any(place is None for place in places):
        return None
    first = min(place for place in places if place is not None)
    is_denied = any(stems[first] in topic.denied for topic in subject.topics)
    return first, is_denied or not FORWARD_DENIALS.isdisjoint(stems[max(0, first - _DENIED_WITHIN) : first])


def _place_of(topic: Topic, stems: Sequence[str]) -> int | None:
    for place, word in enumerate(stems):
        if word in topic.forms or any(_stands(wording, place, stems) for wording in topic.phrases.get(word, ())):
            return place
    return None


def _stands(wording: Wording, place: int, stems: Sequence[str]) -> bool:
    start = place - wording.offset
    return start >= 0 and list(stems[start : start + len(wording.stems)]) == wording.stems


def match_boolean(_: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """A statement of the field's subject with the field's own polarity."""
    value = truth_of(field)
    agreeing = [each for each in statements_of(field, answer, profile) if each.is_affirmed is value]
    if not agreeing:
        return None
    first = agreeing[0]
    rule = _rule(first, is_true=value)
    spans = tuple(dict.fromkeys(each.span for each in agreeing))
    return Evidence(FieldType.BOOLEAN, rule, profile.score(FieldType.BOOLEAN, rule), spans, describe(answer, first.span) + _because(first))


def statements_of(field: Field, answer: Answer, profile: Profile) -> Sequence[Statement]:
    """Return where the answer states or denies what the field is about, replies to the user's question behind what it says itself.

    Read once for each name of a field: the same name may be in several sections, and is asked for again by contradictions.
    """
    known = answer.said_of.get(field.leaf)
    if known is None:
        known = answer.said_of[field.leaf] = _read(profile.registry.leaf_name(field.leaf).subject, answer)
    return known


def _read(subject: Subject, answer: Answer) -> Sequence[Statement]:
    found = statements_in(answer, subject)
    return found + statements_replied(answer, subject) if answer.asked else found


def is_spoken_of(subject: Subject, answer: Answer) -> bool:
    """Return True if any word of the answer, or of the user's question before it, may speak of a subject."""
    return not answer.stems.keys().isdisjoint(subject.keys) or bool(answer.asked and not answer.asked_stems.isdisjoint(subject.keys))


def _rule(statement: Statement, *, is_true: bool) -> str:
    if statement.question:
        return "replied"
    if statement.reply:
        return "answered"
    return "stated" if is_true else "denied"


def _because(statement: Statement) -> str:
    if statement.question:
        return f", in reply to the user's question, which names ‘{statement.question}’"
    if statement.reply:
        return f", answered ‘{statement.reply}’"
    return f", denied by ‘{statement.negation}’" if statement.negation else ""
