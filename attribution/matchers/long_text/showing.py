"""What is shown of a statement that the answer draws on: the words that counted, where they stand, and how rare they are."""

from __future__ import annotations

from bisect import bisect_right

from attribution.answer import Answer
from attribution.matchers.base import describe
from attribution.matchers.long_text.contest import Bid
from attribution.matchers.long_text.said import Place, Said
from attribution.matchers.long_text.weighing import Weights
from attribution.model import Evidence, FieldType, Span
from attribution.profile import PARAPHRASES, Profile

_MOST_SHOWN = 6
_LONGEST_QUOTED = 90


def find_evidence(strength: float, bid: Bid, said: Said, weights: Weights, answer: Answer, profile: Profile) -> Evidence | None:
    """The evidence of a statement, by a rule for its strength; nothing where it is too weak."""
    limits = profile.thresholds
    floors = (limits.close_paraphrase, limits.paraphrase, limits.loose_paraphrase, limits.same_topic)
    rule = next((rule for rule, floor in zip(PARAPHRASES, floors, strict=True) if strength >= floor), "")
    return _evidence(bid, rule, said, weights, answer, profile) if rule else None


def _evidence(bid: Bid, rule: str, said: Said, weights: Weights, answer: Answer, profile: Profile) -> Evidence:
    places = {key: _places(key, bid.sentence, said, answer) for key in bid.met}
    spans = sorted({answer.span(*place) for each in places.values() for place in each})
    keys = sorted(bid.met, key=lambda key: (-weights.of(key), places[key]))[:_MOST_SHOWN]
    shown = [_word(key, bid.met[key], answer.span(*places[key][0]), weights, answer) for key in keys]
    more = " …" if len(bid.met) > len(keys) else ""
    trace = f"{', '.join(shown)}{more}: as in “{_quoted(bid.statement.text)}”"
    return Evidence(FieldType.SUMMARY, rule, profile.score(FieldType.SUMMARY, rule), _apart(spans), trace)


def _word(key: str, in_text: str, span: Span, weights: Weights, answer: Answer) -> str:
    stands_for = f" for ‘{in_text}’" if key.startswith("~") else ""
    count = weights.count(key)
    rarity = "in no other text" if count == 1 else f"in {count} texts"
    asked = "asked about, " if weights.is_asked(key) else ""
    return f"{describe(answer, span)}{stands_for} ({asked}{rarity})"


def _quoted(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTED else text[:_LONGEST_QUOTED].rpartition(" ")[0] + " …"


def _places(key: str, sentence: int, said: Said, answer: Answer) -> list[Place]:
    ends, starts = answer.sentence_ends, answer.starts
    return [place for place in said.places(key) if bisect_right(ends, starts[place[0]]) == sentence]


def _apart(spans: list[Span]) -> tuple[Span, ...]:
    """The spans that lie in no other one."""
    kept: list[Span] = []
    for start, end in spans:
        if kept and start < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return tuple(kept)
