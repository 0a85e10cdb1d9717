"""Yes-or-no fields by what their name is about: stated, denied, or replied to when the user asked. Negation is respected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attribution.answer import Answer
from attribution.matchers.base import describe
from attribution.matchers.yes_no.replied import statements_replied
from attribution.matchers.yes_no.stated import Statement, statements_in
from attribution.model import Evidence, Field, FieldType
from attribution.profile import Profile
from attribution.subjects import Subject

__all__ = ["Statement", "is_spoken_of", "match", "statements"]


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """A statement of the field's subject with the field's own polarity."""
    agreeing = [each for each in statements(field, answer, profile) if each.is_affirmed is value]
    if not agreeing:
        return None
    first = agreeing[0]
    rule = _rule(first, is_true=value)
    spans = tuple(dict.fromkeys(each.span for each in agreeing))
    return Evidence(FieldType.BOOLEAN, rule, profile.score(FieldType.BOOLEAN, rule), spans, describe(answer, first.span) + _because(first))


def statements(field: Field, answer: Answer, profile: Profile) -> Sequence[Statement]:
    """Return where the answer states or denies what the field is about, replies to the user's question behind what it says itself.

    Read once for each name of a field: the same name may stand in several sections, and is asked for again by contradictions.
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
