"""Match each reply with the question that it answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attribution.dialogue.questions import Question, read_questions
from attribution.dialogue.replies import Reply, find_replies
from attribution.dialogue.utterance import Utterance


class Exchange(NamedTuple):
    """A question and the reply to it."""

    question: Question
    reply: Reply


def exchanges(asked: str, said: Utterance) -> list[Exchange]:
    """The questions of a user's text that are replied to. Replies as many as questions answer them in turn."""
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
