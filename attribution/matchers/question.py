"""Proposed questions: their content words in the questions that the answer asks."""

from __future__ import annotations

from typing import Any

from attribution.answer import Answer
from attribution.matchers.summary import content_words, share_evidence
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.text import words_of

_FEWEST_WORDS = 2


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The best of the proposed questions against each question of the answer."""
    if not answer.questions:
        return None
    proposals = value if isinstance(value, list) else [value]
    best: Evidence | None = None
    asked = 0
    for proposal in proposals:
        evidence = _best_question(proposal, answer, profile) if isinstance(proposal, str) else None
        asked += evidence is not None
        if evidence and (best is None or evidence.score > best.score):
            best = evidence
    if best is None or len(proposals) == 1:
        return best
    trace = f"{best.trace}; {asked} of {len(proposals)} proposed questions"
    return Evidence(best.method, best.rule, best.score, best.spans, trace, elements=len(proposals), elements_found=asked)


def _best_question(proposal: str, answer: Answer, profile: Profile) -> Evidence | None:
    wanted = content_words(words_of(proposal), profile.vocabulary.question_stop)
    shared: dict[int, int] = {}
    for word in wanted & answer.question_words.keys():
        for number in answer.question_words[word]:
            shared[number] = shared.get(number, 0) + 1
    if not shared:
        return None
    number, count = max(shared.items(), key=lambda each: (each[1], -each[0]))
    if count < max(_FEWEST_WORDS, profile.thresholds.summary_share * len(wanted)):
        return _as_written(proposal, wanted, answer, profile) if len(wanted) == 1 else None
    question = answer.questions[number]
    found = dict.fromkeys(answer.words[place] for place in answer.places_in(question) if answer.words[place] in wanted)
    return share_evidence(FieldType.QUESTION, found, wanted, (_trimmed(question, answer),), profile)


def _as_written(proposal: str, wanted: set[str], answer: Answer, profile: Profile) -> Evidence | None:
    """One content word is asked about in too many ways: the whole proposal has to stand in a question."""
    words = words_of(proposal)
    asked = [answer.sentence_at(answer.starts[place + len(words) - 1]) for place in answer.find(words)]
    spans = tuple(dict.fromkeys(_trimmed(sentence, answer) for sentence in asked if answer.is_question(sentence)))
    return share_evidence(FieldType.QUESTION, wanted, wanted, spans, profile) if spans else None


def _trimmed(sentence: Span, answer: Answer) -> Span:
    text = answer.as_written(sentence)
    start = sentence[0] + len(text) - len(text.lstrip())
    return (start, start + len(text.strip()))
