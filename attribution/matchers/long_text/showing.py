"""What is shown of a statement that the answer draws on: the words that counted, where they stand, and how rare they are."""

from __future__ import annotations

from collections.abc import Mapping

from attribution.answer import Answer
from attribution.matchers.base import describe
from attribution.matchers.long_text.contest import Bid, count
from attribution.matchers.long_text.said import Said
from attribution.matchers.long_text.stance import AGREEMENT, agreement
from attribution.matchers.long_text.weighing import Telling, sentence_of
from attribution.model import Evidence, FieldType, Span
from attribution.profile import PARAPHRASES, Profile
from attribution.synonyms import GROUP_SIGN
from attribution.text import fold_words

_MOST_SHOWN = 6
_LONGEST_QUOTED = 90
_ONE_DENIES = "; one of the two sentences denies something, the other does not"


def find_evidence(strength: float, bid: Bid, said: Said, telling: Mapping[str, Telling], profile: Profile) -> Evidence | None:
    """The evidence of a statement, by a rule for its strength and how far it agrees; nothing where that is too weak."""
    limits = profile.thresholds
    if strength < limits.same_topic:
        return None
    agreed = agreement(fold_words(bid.statement.text), _sentence(bid, telling, said.answer))
    floors = (limits.close_paraphrase, limits.paraphrase, limits.loose_paraphrase, limits.same_topic)
    rule = next((rule for rule, floor in zip(PARAPHRASES, floors, strict=True) if strength * agreed >= floor), "")
    return _evidence(bid, rule, agreed, said, telling, profile) if rule else None


def _evidence(bid: Bid, rule: str, agreed: float, said: Said, telling: Mapping[str, Telling], profile: Profile) -> Evidence:
    answer = said.answer
    counted = sorted(count(bid.met, telling)[bid.sentence].values(), key=lambda each: (-each.weight, each.places))
    places = [[place for place in said.places(each.key) if sentence_of(place[0], answer) == bid.sentence] for each in counted]
    shown = [_word(each, answer.span(*its[0]), answer) for each, its in zip(counted, places, strict=True)]
    more = " …" if len(shown) > _MOST_SHOWN else ""
    remark = _ONE_DENIES if agreed < AGREEMENT else ""
    trace = f"{', '.join(shown[:_MOST_SHOWN])}{more}: as in “{_quoted(bid.statement.text)}”{remark}"
    spans = sorted({answer.span(*place) for its in places for place in its})
    return Evidence(FieldType.SUMMARY, rule, profile.score(FieldType.SUMMARY, rule), _apart(spans), trace)


def _sentence(bid: Bid, telling: Mapping[str, Telling], answer: Answer) -> list[str]:
    """The words of the answer's sentence."""
    place = next(iter(count(bid.met, telling)[bid.sentence]))
    return [answer.words[each] for each in answer.places_in(answer.sentence_at(answer.starts[place]))]


def _word(said: Telling, span: Span, answer: Answer) -> str:
    group = f"for ‘{said.key.removeprefix(GROUP_SIGN)}’, " if said.key.startswith(GROUP_SIGN) else ""
    rarity = "in no other text" if said.texts == 1 else f"in {said.texts} texts"
    return f"{describe(answer, span)} ({group}{'asked about, ' if said.is_asked else ''}{rarity})"


def _quoted(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _LONGEST_QUOTED else text[:_LONGEST_QUOTED].rpartition(" ")[0] + " …"


def _apart(spans: list[Span]) -> tuple[Span, ...]:
    """The spans that lie in no other one."""
    kept: list[Span] = []
    for start, end in spans:
        if kept and start < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return tuple(kept)
