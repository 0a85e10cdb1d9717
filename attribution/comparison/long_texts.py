"""Long texts: a summary, review or note counts by what the answer takes from it, sentence by sentence, in its words or in others.

All texts of a context are read together, because what tells one from another is what the others do not say.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from attribution.answer import Answer
from attribution.comparison.long_text_words import (
    Said,
    Statement,
    Telling,
    meet,
    own_words,
    sentence_of,
    statement_of,
    statements_of,
    weigh,
)
from attribution.comparison.matchers import match_unexplained
from attribution.concepts import GROUP_SIGN
from attribution.lexicon.words import CONTRACTED_BEFORE_NOT, NEGATIONS
from attribution.mentions.phrases import describe
from attribution.model import Evidence, FieldType, Span, new
from attribution.profile import PARAPHRASES, Profile
from attribution.text import fold_words

_FEWEST_WORDS, _ONE_OF = 2, 4
"""At least two words, in a long sentence one of four: two of thirty are in many an answer by chance."""
_LENGTH_POWER = 0.25
"""The growth of what a sentence needs with its length: a sentence of sixteen words needs twice what one word does."""

_LEAST_BEST = 0.7
"""A sentence of the answer whose best text is weaker than this share of the best of all is small talk, and settles nothing."""

_PLENTY = 3.0
"""The strength of a sentence's best text from which on any other text has to be as strong, not only related."""


class Bid(NamedTuple):
    """A statement that says what sentence number ``sentence`` of the answer does; ``met`` are the keys of both."""

    statement: Statement
    sentence: int
    strength: float
    met: Collection[str]


def bids_of(whole: Statement, met: Collection[str], said: Said, telling: Mapping[str, Telling]) -> list[Bid]:
    """The best statement of a text for each sentence of the answer."""
    statements = statements_of(whole)
    if len(statements) == 1:
        return _bids(whole, met, telling)
    best: dict[int, Bid] = {}
    for statement in statements:
        for bid in _bids(statement, meet(statement, said), telling):
            if bid.sentence not in best or bid.strength > best[bid.sentence].strength:
                best[bid.sentence] = bid
    return list(best.values())


def settle(bids: Sequence[Sequence[Bid]]) -> list[tuple[int, float, Bid]]:
    """The texts that bid, by their number, each with its best bid and how that stands against the others of the same sentence.

    Between equals nothing is lost.
    """
    best: dict[int, float] = {}
    for each in bids:
        for bid in each:
            best[bid.sentence] = max(best.get(bid.sentence, 0.0), bid.strength)
    least = _LEAST_BEST * max(best.values(), default=0.0)
    against = {sentence: _against(max(strength, least)) for sentence, strength in best.items()}
    return [
        (number, *max([(bid.strength / against[bid.sentence], bid) for bid in each], key=_strength))
        for number, each in enumerate(bids)
        if each
    ]


def _strength(settled: tuple[float, Bid]) -> tuple[float, int]:
    """The strength; of equals the earlier sentence of the answer goes first."""
    return settled[0], -settled[1].sentence


def _against(best: float) -> float:
    return best**0.5 if best <= _PLENTY else float(best / _PLENTY**0.5)


def _bids(statement: Statement, met: Collection[str], telling: Mapping[str, Telling]) -> list[Bid]:
    length = (len(statement.content) + 0.5) ** _LENGTH_POWER
    strengths = _strengths(met, fewest_words(len(statement.content)), telling)
    return [new(Bid, (statement, sentence, strength / length, met)) for sentence, strength in strengths.items()]


def fewest_words(length: int) -> int:
    """Return how many words of a sentence the answer must share, where the user asked about none of them."""
    return max(_FEWEST_WORDS, length // _ONE_OF)


def _strengths(met: Collection[str], fewest: int, telling: Mapping[str, Telling]) -> dict[int, float]:
    """Return what the keys weigh in each sentence of the answer where they are enough."""
    counted = count(met, telling)
    return {number: sum([each.weight for each in said.values()]) for number, said in counted.items() if _is_enough(said.values(), fewest)}


def _is_enough(said: Collection[Telling], fewest: int) -> bool:
    """One word fewer is enough if the user asked about one of them; words that only judge are no reason."""
    reasons = [each for each in said if not each.is_evaluating]
    return len(reasons) >= fewest or (len(reasons) == fewest - 1 and any(each.is_asked for each in reasons))


def count(met: Collection[str], telling: Mapping[str, Telling]) -> dict[int, dict[int, Telling]]:
    """By sentence of the answer and by place: what is said there. Each word counts once, for the most that it tells."""
    counted = [telling[key] for key in met if key in telling]
    known = {group for each in counted for group in each.known_by}
    sentences: dict[int, dict[int, Telling]] = {}
    for each in sorted(counted):
        if each.key not in known:
            for sentence, place in each.places:
                sentences.setdefault(sentence, {})[place] = each
    return sentences


AGREEMENT, DISAGREEMENT = 1.0, 0.85
"""The share of a statement's strength that is left. Not much is lost: a denial may be of something else in the sentence."""


def agreement(one: Sequence[str], other: Sequence[str]) -> float:
    """Return how far two sentences, as folded words, agree: both deny something, or neither does."""
    return AGREEMENT if _denies(one) == _denies(other) else DISAGREEMENT


def _denies(words: Sequence[str]) -> bool:
    is_contracted = any(word == "t" and before in CONTRACTED_BEFORE_NOT for before, word in pairwise(words))
    return is_contracted or not NEGATIONS.isdisjoint(words)


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


LONG_TYPES = frozenset({FieldType.SUMMARY, FieldType.FIELD_VALUE, FieldType.LIST})
SENTENCE_SIGNS = (".", "!", "?")
"""Signs that end a sentence: a short text that ends with one is read as a long one."""

_EXPLAINS_NOTHING = (FieldType.BOOLEAN, FieldType.QUESTION)

_SHARE_LOOKED_AT = 0.4
"""With fewer of a text's telling words in the answer, short and repeated ones counted, enough of its longer ones cannot be there."""

_MANY_WORDS = 5
"""A text with so many of its own words in the answer explains them: no other text is what these are drawn from."""


def long_elements(value: object, summary_length: int) -> list[str]:
    """The elements of a list that are long texts."""
    elements = value if isinstance(value, list) else []
    return [each for each in elements if type(each) is str and (len(each) > summary_length or each.endswith(SENTENCE_SIGNS))]


def explained_words(found: Sequence[Evidence], answer: Answer) -> set[str]:
    """The words by which the answer states the values of fields that have been found."""
    stating = [evidence.spans for evidence in found if evidence.method not in _EXPLAINS_NOTHING]
    return {word for spans in stating for start, end in spans for word in answer.folded[start:end].split()}


def find_long_texts(texts: Sequence[str], explained: set[str], answer: Answer, profile: Profile) -> list[Evidence | None]:
    """For each text what the answer takes from it, or nothing. The words ``explained`` state the values of other fields."""
    words = own_words(answer, explained)
    wholes = list(map(statement_of, texts))
    shared = [len(words.intersection(whole.words)) for whole in wholes]
    restated = [
        match_unexplained(whole.text, whole.words, explained, answer, profile) if count and count >= _SHARE_LOOKED_AT * whole.told else None
        for whole, count in zip(wholes, shared, strict=True)
    ]
    explaining = [whole.words for whole, its in zip(wholes, restated, strict=True) if its and len(its.spans) >= _MANY_WORDS]
    if explaining:
        words = words.difference(*explaining)
        shared = [len(words.intersection(whole.words)) for whole in wholes]
    if not answer.asked and not any(map(_may_be_drawn_on, wholes, shared)):
        return restated
    paraphrased = _paraphrased(wholes, Said(answer, words, profile.vocabulary.synonyms), profile)
    return [own or other for own, other in zip(restated, paraphrased, strict=True)]


def _may_be_drawn_on(whole: Statement, shared: int) -> bool:
    """Return True if a sentence of a text may share enough words, all but one of them as they are."""
    return shared > 0 and shared >= fewest_words(_usual_length(whole)) - 1


def _usual_length(whole: Statement) -> int:
    """Return how many words a sentence of a text has that tell what it is about, if all have about as many."""
    return whole.told // (1 + whole.text.count(". "))


def _paraphrased(wholes: Sequence[Statement], said: Said, profile: Profile) -> list[Evidence | None]:
    """Return what the answer draws on in other words."""
    found: list[Evidence | None] = [None] * len(wholes)
    met = [meet(whole, said) for whole in wholes]
    open_to = [_is_candidate(whole, keys, said) for whole, keys in zip(wholes, met, strict=True)]
    wanted: set[str] = set().union(*[keys for keys, is_open in zip(met, open_to, strict=True) if is_open])
    telling = weigh(met, wanted, said, profile.vocabulary)
    bids = [bids_of(whole, keys, said, telling) if is_open else [] for whole, keys, is_open in zip(wholes, met, open_to, strict=True)]
    for number, strength, bid in settle(bids):
        found[number] = find_evidence(strength, bid, said, telling, profile)
    return found


def _is_candidate(whole: Statement, met: Collection[str], said: Said) -> bool:
    """Return True if a text may share enough with a sentence of the answer. A question states nothing: nothing can be drawn from it."""
    needed = fewest_words(_usual_length(whole)) - (0 if said.asked.isdisjoint(met) else 1)
    return len(met) >= needed and not whole.text.rstrip().endswith("?")
