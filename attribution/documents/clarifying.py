"""Answers that only ask back: there is nothing in them to cite."""

from __future__ import annotations

import re

from attribution.documents.post_hoc import sentences_of

_MOST_SENTENCES = 8
_LONGEST_OPENER = 25
_OPENER = re.compile(
    r"thanks?\b|thank you|hi\b|hello|sure\b|of course|certainly|okay|ok\b|great\b|good question|happy to|glad to|sorry|i understand"
    r"|i['’]?(?:d| would) (?:like|be (?:happy|glad))|i(?:['’]m| am) (?:sorry|happy|glad|not sure (?:which|what|who|when|how))"
    r"|i (?:can|want to|need|have) |to (?:help|answer|be sure|make sure|give|point|find)|before i |so that i |let me |just to "
    r"|one (?:quick |more )?question|a (?:few|quick)",
    re.IGNORECASE,
)
_ASKED = r"(?:tell me|let me know|share|clarify|describe|specify|say which|give me)\b"
_REQUEST = re.compile(rf"(?:and |or )?(?:please |could you (?:please )?|can you (?:please )?)?{_ASKED}", re.IGNORECASE)
_LEAD = re.compile(r"[\s\"“‘(*_>•–-]*(?:\d{1,2}[.)]\s+)?")
_STATES = re.compile(r"\d|\b(?:should|must|never|always|because|is|are|was|were|causes?|means?)\b", re.IGNORECASE)


def is_clarifying_question(answer: str) -> bool:
    """Return True if an answer asks the user for what it needs to know and says nothing else that could be cited."""
    if "?" not in answer and not _REQUEST.search(answer):
        return False
    sentences = [answer[start:end] for start, end in sentences_of(answer)]
    kinds = [_kind(sentence[_end_of_lead(sentence) :].rstrip('"”’)*_ ')) for sentence in sentences]
    return 0 < len(kinds) <= _MOST_SENTENCES and "statement" not in kinds and "question" in kinds


def _end_of_lead(sentence: str) -> int:
    found = _LEAD.match(sentence)
    return found.end() if found else 0


def _kind(sentence: str) -> str:
    if not any(letter.isalpha() for letter in sentence):
        return "opener"
    if sentence.endswith("?") or (_REQUEST.match(sentence) and not any(letter.isdigit() for letter in sentence)):
        return "question"
    is_short = len(sentence.split()) <= _LONGEST_OPENER
    return "opener" if is_short and _OPENER.match(sentence) and not _STATES.search(sentence[8:]) else "statement"
