"""One matcher for each field type, in one registry; long texts are read when all other fields have been matched."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from attribution.answer import Answer
from attribution.assertion.yes_no import match_boolean
from attribution.errors import InputError
from attribution.figures import MOST_PLACES
from attribution.mentions.date_values import match_date, match_time
from attribution.mentions.measures import match_duration
from attribution.mentions.names import match_name
from attribution.mentions.number_values import match_money, match_numeric
from attribution.mentions.phrases import Matcher, phrase_of
from attribution.mentions.text_values import match_enum, match_field_value, match_identifier
from attribution.model import Evidence, Field, FieldType, Span, new
from attribution.profile import Profile
from attribution.remembering import remembered
from attribution.schema.context import NotJSONError, type_of_element
from attribution.text import fold_words, words_of

_FEWEST_WORDS = 2
_MOST_LISTED = 8


def match_summary(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The value's content words, wherever they are in the answer."""
    return match_unexplained(value, fold_words(value), frozenset(), answer, profile)


def read_later(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """Nothing: the long texts of a context are read together."""
    return None


def match_unexplained(text: str, folded: Sequence[str], explained: Collection[str], answer: Answer, profile: Profile) -> Evidence | None:
    """The content words of a text, of its words ``folded``.

    Those ``explained``, which the answer says only as values of other fields, tell nothing.
    """
    stop = profile.vocabulary.stop
    wanted = {word for word in folded if len(word) > 3 and word not in stop and word not in explained}
    if len(wanted) == 1:
        return None if explained else _as_written(text, wanted, answer, profile)
    places = answer.places
    found = [word for word in wanted if word in places]
    if len(found) < _FEWEST_WORDS or len(found) < profile.thresholds.summary_share * len(wanted):
        return None
    counted: list[int] = []
    for word in found:
        counted += places[word][:MOST_PLACES]
    counted = sorted(counted)[:MOST_PLACES]
    return share_evidence(FieldType.SUMMARY, sorted(found, key=lambda word: places[word][0]), wanted, answer.spans(counted, 1), profile)


def _as_written(text: str, wanted: set[str], answer: Answer, profile: Profile) -> Evidence | None:
    """One content word is said of too many things: the whole text has to be there."""
    words = words_of(text)
    places = answer.find(words)
    return share_evidence(FieldType.SUMMARY, wanted, wanted, answer.spans(places, len(words)), profile) if places else None


def share_evidence(
    method: FieldType, found: Collection[str], wanted: Collection[str], spans: tuple[Span, ...], profile: Profile
) -> Evidence:
    """Evidence whose score is the share of words found, capped; ``found`` in the order of the answer."""
    share = len(found) / len(wanted)
    listed = ", ".join(islice(found, _MOST_LISTED)) + (" …" if len(found) > _MOST_LISTED else "")
    trace = f"{len(found)} of {len(wanted)} content words stand in the answer ({share:.0%}): {listed}"
    return Evidence(method, "content_words", round(min(profile.thresholds.summary_cap, share), 4), spans, trace)


def content_words(folded: Sequence[str], stop: frozenset[str]) -> set[str]:
    """The different words of four letters or digits or more that are not stop words."""
    return {word for word in folded if len(word) > 3 and word not in stop}


_FEWEST_ASKED = 2


def match_questions(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
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
    if count < max(_FEWEST_ASKED, profile.thresholds.summary_share * len(wanted)):
        return _asked_as_written(proposal, wanted, answer, profile) if len(wanted) == 1 else None
    question = answer.questions[number]
    found = dict.fromkeys(answer.words[place] for place in answer.places_in(question) if answer.words[place] in wanted)
    return share_evidence(FieldType.QUESTION, found, wanted, (_trimmed(question, answer),), profile)


def _asked_as_written(proposal: str, wanted: set[str], answer: Answer, profile: Profile) -> Evidence | None:
    """One content word is asked about in too many ways: the whole proposal has to be in a question."""
    words = words_of(proposal)
    asked = [answer.sentence_at(answer.starts[place + len(words) - 1]) for place in answer.find(words)]
    spans = tuple(dict.fromkeys(_trimmed(sentence, answer) for sentence in asked if answer.is_question(sentence)))
    return share_evidence(FieldType.QUESTION, wanted, wanted, spans, profile) if spans else None


def _trimmed(sentence: Span, answer: Answer) -> Span:
    text = answer.as_written(sentence)
    start = sentence[0] + len(text) - len(text.lstrip())
    return (start, start + len(text.strip()))


Probe = tuple[Matcher | None, str | None, str | None]
"""The matcher for an element, and for a phrase the two stems without which it is out at once."""


def list_matcher(matchers: dict[FieldType, Matcher]) -> Matcher:
    """A matcher that asks ``matchers`` about each element."""

    def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
        elements = value if isinstance(value, list) else [value]
        limit, stems = profile.thresholds.summary_length, answer.stems
        probe = probe_up_to(limit)
        found: list[Evidence] = []
        for element in elements:
            matcher, first_stem, last_stem = probe(element) if type(element) is str else other(element, field, limit)
            if matcher is None or answer.is_spent or not (first_stem is None or (first_stem in stems and last_stem in stems)):
                continue
            evidence = matcher(element, field, answer, profile)
            if evidence and evidence.score:
                found.append(evidence)
        return combine(found, len(elements)) if found else None

    @lru_cache(maxsize=4)
    def probe_up_to(summary_length: int) -> Callable[[str], Probe]:
        @remembered
        def probe(text: str) -> Probe:
            kind = type_of_element(text, summary_length)
            if kind is not FieldType.FIELD_VALUE:
                return matchers.get(kind), None, None
            phrase = phrase_of(text)
            return (matchers[kind], None, None) if phrase.variants else (matchers[kind], phrase.first_stem, phrase.last_stem)

        return probe

    def other(element: Any, field: Field, summary_length: int) -> Probe:
        try:
            return matchers.get(type_of_element(element, summary_length)), None, None
        except NotJSONError as error:
            raise InputError(f"{field.section}.{field.path}", str(error)) from None

    return match


def combine(found: list[Evidence], elements: int) -> Evidence:
    """The evidence of a list from that of the elements found."""
    best = max(found, key=lambda evidence: evidence.score) if len(found) > 1 else found[0]
    spans = best.spans if len(found) == 1 else tuple(sorted({span for evidence in found for span in evidence.spans}))
    trace = f"{len(found)} of {elements} elements: {best.trace}"
    return new(Evidence, (FieldType.LIST, best.rule, best.score, spans, trace, best.uncapped_score, elements, len(found)))


_SCALARS: dict[FieldType, Matcher] = {
    FieldType.ENUM: match_enum,
    FieldType.NUMERIC: match_numeric,
    FieldType.SUMMARY: match_summary,
    FieldType.QUESTION: match_questions,
    FieldType.BOOLEAN: match_boolean,
    FieldType.DATE: match_date,
    FieldType.TIME: match_time,
    FieldType.MONEY: match_money,
    FieldType.DURATION: match_duration,
    FieldType.NAME: match_name,
    FieldType.IDENTIFIER: match_identifier,
    FieldType.FIELD_VALUE: match_field_value,
}

MATCHERS: dict[FieldType, Matcher] = {**_SCALARS, FieldType.LIST: list_matcher(_SCALARS), FieldType.SUMMARY: read_later}
