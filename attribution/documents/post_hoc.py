"""Citations found after the fact, for answers that cite nothing: the search by words, and the result of any search.

A way of searching is a function of the clean text of an answer, its sources in their order, the user's question and the unit that is cited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

from attribution.budget import MOST_CHECKED, Budget, cost_of_figures, part_read
from attribution.documents.checks import Checker
from attribution.documents.codec import decode_reference, encode_reference, plain, without_empty
from attribution.documents.figures_and_names import Known, find_missing, know, names_or_counts
from attribution.documents.references import Grammar, QuotePolicy, Reference, ReferenceStatus, SearchUnit, Target
from attribution.documents.sources import CitableSource
from attribution.documents.support import Support, judge_support_in
from attribution.documents.validity import DocumentAttribution
from attribution.documents.wording import Wording, sentences_of, trimmed, weight
from attribution.lexicon.words import FUNCTION_WORDS
from attribution.model import Span, Word
from attribution.text import fold_words, lower, stem
from attribution.version import ENGINE_VERSION

# Sentences of an answer as the clauses that can be cited apart.

FEWEST_WORDS = 3
"""A clause with fewer content words says too little to be found anywhere."""

_BORDER = re.compile(r";\s+(?:(?:and|but)\s+)?|(?:,|\s[–—-]|—)\s+(?:and|but)\s+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_CONDITION_WORDS = """
    although because except if provided providing since though unless until when whenever where whereas whether while
"""
_FRONT_WORDS = """
    above according after among as at before below besides between by despite during for from given in like of on per to under with within
    without
"""
_REFERRING_WORDS = """
    both each either he her hers him his it its itself neither none one other others she such that their theirs them themselves then there
    these they this those which who whose
"""
_VERB_WORDS = """
    am are is was were be been has have had do does did can cannot could may might must shall should will would
    accept accepts allow allows become becomes begin begins cause causes charge charges close closes come comes contain contains cost costs
    cover covers decrease decreases depend depends end ends get gets give gives go goes help helps include includes increase increases keep
    keeps last lasts lead leads lower lowers make makes mean means need needs offer offers open opens pay pays provide provides raise raises
    range ranges reduce reduces remain remains require requires run runs see sees show shows start starts stay stays take takes treat treats
    use uses vary varies work works
"""
_CONDITIONS = frozenset(_CONDITION_WORDS.split())
_FRONTED = frozenset(_FRONT_WORDS.split())
"""Words that begin a phrase in front of a sentence, which holds for all of it: for children under twelve, …"""
_REFERRING = frozenset(_REFERRING_WORDS.split())
"""Words in place of a subject that stands before."""
_VERBS = frozenset(_VERB_WORDS.split())
_DETERMINERS = frozenset(["a", "an", "the", "my", "your", "our", "every", "all", "some", "any", "no"])


def clauses_of(answer: str) -> list[tuple[Span, ...]]:
    """Return the clauses of each sentence of an answer, without fenced code. Together they are the sentence, but for what joins them."""
    return [_divided(answer, span) for span in sentences_of(answer)]


def _divided(answer: str, sentence: Span) -> tuple[Span, ...]:
    start = sentence[0]
    text = answer[slice(*sentence)]
    borders = [match.span() for match in _BORDER.finditer(text)]
    words = [lower(word) for word in _WORD.findall(text)] if borders else []
    if not words or words[0] in _FRONTED or not _CONDITIONS.isdisjoint(words):
        return (sentence,)
    last = (len(text), len(text))
    ends = [border for border, after in pairwise([*borders, last]) if _stands_alone(text[border[1] : after[0]])]
    pieces = [trimmed(text, before[1], after[0]) for before, after in pairwise([(0, 0), *ends, last])]
    if any(len(Wording(text[first:end]).places) < FEWEST_WORDS for first, end in pieces):
        return (sentence,)
    return tuple([(start + first, start + end) for first, end in pieces])


def _stands_alone(clause: str) -> bool:
    words = [lower(word) for word in _WORD.findall(clause)]
    if not words or words[0] in _REFERRING or words[0] in _VERBS or words[0] in _FRONTED:
        return False
    subject = 2 if words[0] in _DETERMINERS else 1
    return not _VERBS.isdisjoint(words[subject:])


MOST_SOURCES = 3
"""The most passages a sentence is given."""
LEAST_SHARE = 0.5
"""A passage must have so much of a sentence, by weight of its content words."""
_MOST_JUDGED = 3
"""The most passages that are looked at closely: those with the most of a sentence."""
_BESIDE_BEST = 0.75
"""A passage with less than this of what the best one has is not looked at beside it."""
_MOST_HOLDERS = 256
"""The most passages considered for a sentence, by its rarest words first, which keeps the search linear."""
_PER_SENTENCE = 60
"""Steps that the shortest one takes."""


@dataclass(frozen=True, slots=True)
class FoundReference:
    """A sentence or clause of the answer and a passage that has it.

    ``span`` is that of the sentence or clause, in code points of the answer; ``passage`` counts from 0; ``window`` is the span of the best
    sentences in that passage. ``probability`` is raw, between 0 and 1.
    """

    span: Span
    passage: int
    window: Span | None
    probability: float
    trace: str


def find_references(
    answer: str, passages: Sequence[str], question: str = "", unit: SearchUnit = SearchUnit.SENTENCE
) -> tuple[FoundReference, ...]:
    """The references of an answer, sentence by sentence or clause by clause, the most probable first within each.

    Nothing for an answer of code alone, nor where there are no passages. A passage that lacks a figure or name of the sentence is
    no source of it, however like the rest may be. Nothing is found for the sentences and passages of a turn that has more of them than
    is read. Clauses of a sentence that are all in the same passages are cited as the sentence.
    """
    asked = Wording(part_read(question))
    answer = part_read(answer)
    shelf = _Shelf(answer, passages)
    if unit is SearchUnit.SENTENCE:
        return tuple([each for span in sentences_of(answer) for each in _references_at(span, answer, shelf, asked)])
    return tuple([each for clauses in clauses_of(answer) for each in _by_clause(clauses, answer, shelf, asked)])


def _by_clause(clauses: Sequence[Span], answer: str, shelf: _Shelf, asked: Wording) -> list[FoundReference]:
    found = [_references_at(span, answer, shelf, asked) for span in clauses]
    if len(clauses) > 1 and len({frozenset(each.passage for each in references) for references in found}) == 1:
        return _references_at((clauses[0][0], clauses[-1][1]), answer, shelf, asked) or [*chain(*found)]
    return [*chain(*found)]


def _references_at(span: Span, answer: str, shelf: _Shelf, asked: Wording) -> list[FoundReference]:
    said = Wording(answer[span[0] : span[1]])
    if len(said.places) < FEWEST_WORDS or not shelf.budget.take(_PER_SENTENCE + 4 * len(said.text)):
        return []
    return _references_of(said, span, shelf, asked)


def _references_of(sentence: Wording, span: Span, shelf: _Shelf, asked: Wording) -> list[FoundReference]:
    judged: list[tuple[float, int, Support]] = []
    is_checkable = names_or_counts(sentence.text)
    for number in shelf.nearest(sentence):
        if not shelf.affords(number):
            continue
        support = judge_support_in(sentence, [shelf.wording(number)], asked, only_what_is_seen=True)
        if support.is_supported and not (is_checkable and find_missing(sentence.text, shelf.known(number))):
            judged.append((-support.probability, number, support))
    best = sorted(judged, key=lambda each: each[:2])[:MOST_SOURCES]
    return [FoundReference(span, number, support.window, support.probability, support.trace) for _, number, support in best]


class _Shelf:
    """The passages of an answer: which have which of its words, found in one walk over all; a passage is prepared when looked at."""

    def __init__(self, answer: str, passages: Sequence[str]) -> None:
        self._passages = passages
        self.budget = Budget(MOST_CHECKED)
        self._wordings: dict[int, Wording] = {}
        self._known: dict[int, Known] = {}
        stems = {stem(word) for word in fold_words(answer) if word not in FUNCTION_WORDS}
        words = [fold_words(passage) for passage in passages]
        forms = {word: form for word in set().union(*words) if (form := stem(word)) in stems}
        wanted = set(forms.keys() - FUNCTION_WORDS)
        self._holders: dict[str, list[int]] = {form: [] for form in stems}
        for number, each in enumerate(words):
            for form in {forms[word] for word in wanted.intersection(each)}:
                self._holders[form].append(number)

    def nearest(self, sentence: Wording) -> list[int]:
        """The passages with the most of a sentence, if it is enough. Words that are in too many passages choose none of them."""
        weights = {each: weight(word) for each, word in zip(sentence.stems, sentence.words, strict=True)}
        held: dict[int, float] = {}
        looked_at = counted = 0
        total = 0.0
        for each in sorted(weights, key=lambda each: len(self._holders.get(each, ()))):
            holders = self._holders.get(each, [])
            looked_at += len(holders)
            if counted and looked_at > _MOST_HOLDERS:
                break
            counted += bool(holders)
            total += weights[each]
            for number in holders[:_MOST_HOLDERS]:
                held[number] = held.get(number, 0.0) + weights[each]
        best = sorted(held, key=lambda number: (-held[number], number))[:_MOST_JUDGED]
        least = max(LEAST_SHARE * total, _BESIDE_BEST * held[best[0]]) if best else 0.0
        return [number for number in best if held[number] >= least]

    def affords(self, number: int) -> bool:
        """Return True if a passage is read already, or there are steps left to read it."""
        text = self._passages[number]
        return number in self._wordings or self.budget.take(len(text) // 2 + cost_of_figures(text))

    def wording(self, number: int) -> Wording:
        """A passage as claims are compared with it."""
        if number not in self._wordings:
            self._wordings[number] = Wording(self._passages[number])
        return self._wordings[number]

    def known(self, number: int) -> Known:
        """The figures and names of a passage."""
        if number not in self._known:
            self._known[number] = know(self._passages[number])
        return self._known[number]


class SearchMethod(Word):
    """How citations are looked for. Stored: a word here is never given another meaning."""

    WORDS = "words"
    MODEL = "model"


class RefusalReason(Word):
    """Why a citation that a search proposed is none."""

    CLAIM_NOT_IN_ANSWER = "claim_not_in_answer"
    SOURCE_OUT_OF_RANGE = "source_out_of_range"
    TWICE = "twice"
    NOT_READABLE = "not_readable"
    CLAIM_EMPTY = "claim_empty"
    CONFIDENCE_OUT_OF_RANGE = "confidence_out_of_range"
    TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True)
class RefusedCitation:
    """A citation that was proposed and refused. ``claim`` is as it was proposed, ``passage`` counts from 0 where it was a number."""

    claim: str
    passage: int | None
    reason: RefusalReason


@dataclass(frozen=True, slots=True)
class FoundCitations:
    """Citations that a search found, in the order of the answer, and refused. ``model`` names the one that was asked, if one was.

    ``shortened`` says what of answer and sources it was not shown; empty where it saw all. ``unit`` is what was asked to be cited.
    """

    method: SearchMethod
    found: tuple[FoundReference, ...]
    refused: tuple[RefusedCitation, ...] = ()
    model: str = ""
    shortened: str = ""
    unit: SearchUnit = SearchUnit.SENTENCE


class SearchFailed(Exception):  # noqa: N818 — what happened, not whose error it is
    """A search came to no result. ``reason`` holds no protected text; ``may_pass`` says whether another attempt may do better.

    ``wait`` is in how many seconds from now the service asks to be asked again; ``model`` names the model, if one was asked.
    """

    def __init__(self, reason: str, *, may_pass: bool, wait: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.may_pass = may_pass
        self.wait = wait
        self.model = ""


class NoUsableReply(SearchFailed):
    """The endpoint replied, and nothing can be done with it: refused, withheld, or unreadable more than once."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, may_pass=False)


SearchWay = Callable[[str, Sequence[CitableSource], str, SearchUnit], FoundCitations]
"""The signature of every way: answer, sources, question, unit."""


def search_by_words(answer: str, sources: Sequence[CitableSource], question: str, unit: SearchUnit = SearchUnit.SENTENCE) -> FoundCitations:
    """Search by the words that a sentence or clause and a source share; needs no model."""
    return FoundCitations(SearchMethod.WORDS, find_references(answer, [each.content for each in sources], question, unit), unit=unit)


def is_code_only(answer: str) -> bool:
    """Return True if an answer has no sentence outside fenced code: there is nothing to look for."""
    return not any(any(letter.isalnum() for letter in answer[start:end]) for start, end in sentences_of(answer))


SCHEMA_VERSION = 1
_SOURCE_NAMES = ("tool", "uri", "title", "domain", "snippet", "page")


@dataclass(frozen=True, slots=True)
class SearchRecord:
    """A stored search read again. ``probabilities`` are raw, by the ordinals of the references, which go on behind the model's own.

    ``reasons`` are those of what was refused, ``shortened`` says what of answer and sources was not looked at, ``unit`` what was cited.
    """

    method: SearchMethod
    model: str
    references: tuple[Reference, ...]
    probabilities: Mapping[int, float]
    refused: int
    reasons: tuple[RefusalReason, ...] = ()
    shortened: str = ""
    unit: SearchUnit = SearchUnit.SENTENCE


def to_references(found: Iterable[FoundReference], sources: Sequence[CitableSource], first: int) -> list[Reference]:
    """References to sources of the answer, with ordinals from ``first`` on, not yet checked."""
    return [
        Reference(
            ordinal=ordinal,
            grammar=Grammar.POST_HOC,
            status=ReferenceStatus.FOUND,
            text=sources[each.passage].id,
            targets=(Target(sources[each.passage].id, sources[each.passage].id),),
            position=each.span[1],
            span=each.span,
        )
        for ordinal, each in enumerate(found, start=first)
    ]


def encode_search(result: FoundCitations, documents: DocumentAttribution, question: str) -> dict[str, Any]:
    """A search as plain JSON values: what was found, checked against the sources' texts, the sources it points to, what was refused.

    Each source found for a claim is checked alone: it is said to state all of it, whatever other ones do.
    """
    references = to_references(result.found, documents.sources, len(documents.references))
    checker = Checker(documents.sources, documents.clean_text, question, QuotePolicy.OFF)
    checked = [checker.check([each])[0] for each in references]
    cited = {name for each in references for name in each.sources}
    return {
        "schema": SCHEMA_VERSION,
        "engine": ENGINE_VERSION,
        "method": result.method,
        "model": result.model,
        "sources": [_encode_source(source) for source in documents.sources if source.id in cited],
        "references": [
            encode_reference(reference) | {"probability": plain(found.probability)}
            for reference, found in zip(checked, result.found, strict=True)
        ],
        "refused": [_encode_refused(each) for each in result.refused],
    } | without_empty({"shortened": result.shortened, "unit": "" if result.unit is SearchUnit.SENTENCE else result.unit})


def decode_search(document: Mapping[str, Any]) -> SearchRecord:
    """The search that ``encode_search`` wrote."""
    references = tuple([decode_reference(each["index"], each) for each in document["references"]])
    return SearchRecord(
        method=SearchMethod(document["method"]),
        model=document["model"],
        references=references,
        probabilities={each["index"]: float(each["probability"]) for each in document["references"]},
        refused=len(document["refused"]),
        reasons=tuple([RefusalReason(each["reason"]) for each in document["refused"]]),
        shortened=document.get("shortened", ""),
        unit=SearchUnit(document.get("unit", SearchUnit.SENTENCE)),
    )


def _encode_source(source: CitableSource) -> dict[str, Any]:
    told = {name: getattr(source, name) for name in _SOURCE_NAMES}
    return without_empty({"id": source.id, "type": source.kind} | told)


def _encode_refused(refused: RefusedCitation) -> dict[str, Any]:
    return without_empty({"claim": refused.claim, "source": refused.passage, "reason": refused.reason})
