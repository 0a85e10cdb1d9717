"""Where a quote and its source differ: what is only a slip of the pen, and what of the rest is the gravest."""

from __future__ import annotations

import re

from attribution.documents.alignment import Alignment, Difference
from attribution.documents.quote_check import QuoteRule
from attribution.documents.transcript import Transcript
from attribution.documents.variants import is_same_word
from attribution.lexicon.words import NEGATIONS, NUMBER_WORDS

DENIALS = NEGATIONS | frozenset(("didnt", "doesnt", "wasnt", "werent", "hasnt", "havent", "hadnt", "couldnt", "shouldnt", "wouldnt"))
"""Words that deny, as a transcript has them."""

_BY_GRAVITY = (QuoteRule.ALTERED_FIGURE, QuoteRule.ALTERED_NEGATION, QuoteRule.ALTERED_NAME, QuoteRule.ALTERED_WORD)


def is_slip(difference: Difference, quote: Transcript, passage: Transcript) -> bool:
    """Return True if both sides have one word, spelt otherwise."""
    if difference.quoted < 0 or difference.source < 0:
        return False
    return is_same_word(quote.tokens[difference.quoted], passage.tokens[difference.source])


def gravest_change(nearest: Alignment, quote: Transcript, passage: Transcript) -> tuple[QuoteRule, str] | None:
    """The rule by which a quote is refused for what differs, and that in words; nothing where all are slips."""
    changes = [each for each in nearest.differences if not is_slip(each, quote, passage)]
    if not changes:
        return None
    worst = min(changes, key=lambda each: _BY_GRAVITY.index(_rule_of(each, quote, passage)))
    return _rule_of(worst, quote, passage), _told(worst, quote, passage, "quote")


def _rule_of(difference: Difference, quote: Transcript, passage: Transcript) -> QuoteRule:
    sides = [(text, place) for text, place in ((quote, difference.quoted), (passage, difference.source)) if place >= 0]
    tokens = [text.tokens[place] for text, place in sides]
    if any(not token.isalpha() or token in NUMBER_WORDS for token in tokens):
        return QuoteRule.ALTERED_FIGURE
    if any(token in DENIALS for token in tokens):
        return QuoteRule.ALTERED_NEGATION
    if all(text.written(place)[:1].isupper() and not text.begins_sentence(place) for text, place in sides):
        return QuoteRule.ALTERED_NAME
    return QuoteRule.ALTERED_WORD


_TELLING = re.compile(rf"n['’]t\b|\d+|\b(?:{'|'.join(sorted({*DENIALS, *NUMBER_WORDS}))})\b")


def telling_words(text: str) -> frozenset[str]:
    """Return the denials and figures of a text: where two texts have the same, they cannot contradict each other."""
    return frozenset(_TELLING.findall(text.lower()))


def contradiction(nearest: Alignment, claim: Transcript, passage: Transcript) -> str:
    """Return how a claim that is nearly word for word in a passage says something else there; nothing where it does not.

    That is so where one side denies once more than the other (twice is no denial, and one may write "does not" where the other
    has "doesn't"), or where both have a figure in the same place, but another one.
    """
    denials: list[Difference] = []
    for each in nearest.differences:
        ours = claim.tokens[each.quoted] if each.quoted >= 0 else ""
        theirs = passage.tokens[each.source] if each.source >= 0 else ""
        if _is_figure(ours) and _is_figure(theirs):
            return _told(each, claim, passage, "claim")
        if (ours in DENIALS) is not (theirs in DENIALS):
            denials.append(each)
    return _told(denials[0], claim, passage, "claim") if len(denials) % 2 else ""


def _is_figure(token: str) -> bool:
    return token[:1].isdigit() or token in NUMBER_WORDS


def _told(difference: Difference, quote: Transcript, passage: Transcript, what: str) -> str:
    if difference.source < 0:
        return f"the source does not have ‘{quote.written(difference.quoted)}’ there"
    if difference.quoted < 0:
        return f"the {what} leaves out ‘{passage.written(difference.source)}’"
    return f"the source has ‘{passage.written(difference.source)}’ where the {what} has ‘{quote.written(difference.quoted)}’"
