"""A yes-or-no statement turned round: a negation taken out of the clause that states it, or put into it."""

from __future__ import annotations

import re

_CLAUSE = re.compile(r"(?:(?! and | but )[^,.;!?])+(?: and | but )?[,.;!?]*\s*")
_WORD = re.compile(r"[a-z]+")
_SHORTEST = 2
_SAYS_LITTLE = frozenset(
    {"has", "have", "does", "are", "offers", "offer", "allows", "allowed", "serves", "service", "services", "the", "accepts"}
)

_TAKEN_OUT = (
    (re.compile(r"\b(?:non[- ]?|un)(?=refundable|furnished|available)", re.IGNORECASE), ""),
    (re.compile(r"\b(is|are|was|were|does|do|has|have|can|could|did)n['’]?t\b", re.IGNORECASE), r"\1"),
    (re.compile(r"\bcan ?not\b", re.IGNORECASE), "can"),
    (re.compile(r"\bwon['’]t\b", re.IGNORECASE), "will"),
    (re.compile(r"\b(not|never) (?!only\b)", re.IGNORECASE), ""),
    (re.compile(r"^(\s*)no\b(?=\s*[,.;!])", re.IGNORECASE), r"\1Yes"),
    (re.compile(r"\bno (?=\w)", re.IGNORECASE), ""),
)
_PUT_IN = (
    (re.compile(r"\b(is|are|was|were|can|will|would|does|do)\b(?! not)", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\b(it|they|he|she|that|this)['’](s|re)\b", re.IGNORECASE), r"\1 is not"),
    (re.compile(r"\b(has|have|with)\b (?:an? |the )?", re.IGNORECASE), r"\1 no "),
    (re.compile(r"\b(offer|provide|serve|allow|accept|include|feature|perform|permit|welcome)s?\b(?! by)", re.IGNORECASE), r"does not \1"),
)
_YES = re.compile(r"^(\s*)(?:yes|yeah|yep|sure|certainly)\b", re.IGNORECASE)


def turned_round(answer: str, leaf: str) -> str | None:
    """The answer with the clause about a field turned round; nothing where no clause names it and none begins with yes or no."""
    clauses = _CLAUSE.findall(answer)
    names = {_root(word) for word in _WORD.findall(leaf.lower()) if len(word) > _SHORTEST and word not in _SAYS_LITTLE}
    about = next((number for number, each in enumerate(clauses) if names & {_root(word) for word in _WORD.findall(each.lower())}), None)
    if about is None:
        return None
    turned = _turned(clauses[about])
    if turned is None:
        return None
    before = [_reply_turned(each) for each in clauses[:about]]
    return "".join([*before, turned, *clauses[about + 1 :]])


def _root(word: str) -> str:
    return word[:5]


def _reply_turned(clause: str) -> str:
    """A yes or no before the clause turns with it."""
    if _YES.match(clause):
        return _YES.sub(r"\1No", clause)
    pattern, replacement = _TAKEN_OUT[5]
    return pattern.sub(replacement, clause)


def _turned(clause: str) -> str | None:
    for pattern, replacement in _TAKEN_OUT:
        if pattern.search(clause):
            return pattern.sub(replacement, clause, count=1)
    for pattern, replacement in _PUT_IN:
        if pattern.search(clause):
            return pattern.sub(replacement, _YES.sub(r"\1No", clause), count=1)
    return None
