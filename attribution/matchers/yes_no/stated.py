"""What an answer itself states of a yes-or-no field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from attribution.answer import Answer
from attribution.matchers.yes_no.denial import polarity_of
from attribution.matchers.yes_no.mentions import Mention, find_mentions
from attribution.matchers.yes_no.scope import scope_of
from attribution.matchers.yes_no.standing import states
from attribution.matchers.yes_no.words import NEEDING, REQUIRING
from attribution.model import Span
from attribution.subjects import Subject

_NEEDED_WITHIN = 3
_ANSWERED = re.compile(
    r"[^.!?:;|–—(\n]{0,60}(?:[:?|–—(-][\s*_|]{0,6}(?:(?P<yes>yes\b)|(?P<no>no\b(?!\s+\w))|(?P<open>unknown|unclear|n/?a\b|not\s(?:specified|stated|known)))"
    r"|[\s*_|:–—-]{1,6}(?:(?P<tick>[✅✓✔☑])|(?P<cross>[❌✗✘])))"
)
"""What follows a topic that is answered at once: "accepting new clients: no", "Does she take new clients? Yes, from May"."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What an answer says of a yes-or-no field, and where.

    ``negation`` is the word that denies, ``reply`` the yes or no of a topic that is answered at once, ``question`` the word by
    which the user's question names the field that is replied to.
    """

    is_affirmed: bool
    span: Span
    negation: str = ""
    reply: str = ""
    question: str = ""


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
    polarity = polarity_of(mention, scope, subject, answer)
    if polarity is None or not (mention.is_complete or polarity.is_settled or _is_taken(mention, scope, subject, answer)):
        return None
    return Statement(polarity.is_affirmed, span, polarity.denial)


def _is_taken(mention: Mention, scope: range, subject: Subject, answer: Answer) -> bool:
    """Return True if the stance is spoken of that the subject needs: that pets are allowed, not only that there are some."""
    said = subject.stance.said
    around = [*range(_shared_from(mention, scope, answer), mention.place), *range(mention.stop, scope.stop)]
    return not said or any(answer.stem_words[place] in said for place in around)


def _shared_from(mention: Mention, scope: range, answer: Answer) -> int:
    """Return where begins what is said of a mention: "includes vision but not dental" says of both that they are included, or not."""
    if answer.words[max(0, scope.start - 1) : scope.start + 1] != ["but", "not"]:
        return scope.start
    sentence = answer.places_around(mention.place, answer.sentence_at(answer.starts[mention.place]))
    return sentence.start


def _is_required(mention: Mention, scope: range, answer: Answer) -> bool:
    """Return True if a thing is only said to be needed, or not to be: "no car is required" says nothing of having one."""
    stems = answer.stem_words
    if not NEEDING.isdisjoint(stems[max(scope.start, mention.place - _NEEDED_WITHIN) : mention.place]):
        return True
    return any(stems[place] in REQUIRING for place in scope)
