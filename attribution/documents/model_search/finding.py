"""Makes references of the citations that a model proposes. What does not hold is refused, and each refusal is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from attribution.documents.figures_and_names import find_missing_in, names_or_counts
from attribution.documents.known import Known, know
from attribution.documents.model_search.places import Places
from attribution.documents.model_search.question import ModelQuestion
from attribution.documents.model_search.reply import read_reply
from attribution.documents.post_hoc import FoundReference
from attribution.documents.searching import FoundCitations, RefusalReason, RefusedCitation, SearchMethod
from attribution.documents.source import CitableSource
from attribution.documents.support import judge_support_in
from attribution.documents.wording import Wording
from attribution.model import Span

MOST_CITATIONS = 500
"""So many of a reply are looked at; that there were more is kept as one refusal."""
_LONGEST_KEPT = 200
"""So much of a refused claim is kept."""
_LARGEST_KEPT = 100_000
"""A number of a source beyond this is kept as none."""
_MOST_NAMED = 3
CONFIDENCE_WORDS = {"full": 0.9, "partial": 0.5}
"""A source that has all of a claim, and one that has a part of it."""


class _Proposal(NamedTuple):
    claim: str
    number: int
    confidence: float


def find_in_reply(reply: bytes, question: ModelQuestion, asked: str = "", *, model: str = "") -> FoundCitations:
    """Return what a reply to a question comes to. ``asked`` is what the user had asked; raises ``MalformedReply``.

    A claim must stand in the answer word for word, but for spaces around it. Proposed again for the same source it is taken for the
    next place where it stands; where there is none it is a duplicate, and the higher confidence counts. A figure or name that the
    source lacks refuses nothing: the trace says so, as the check of the reference will.
    """
    proposed = read_reply(reply)
    refused: list[RefusedCitation] = []
    placed: dict[tuple[Span, int], float] = {}
    places = Places(question.answer)
    for each in proposed[:MOST_CITATIONS]:
        read = _read(each, question)
        if isinstance(read, RefusedCitation):
            refused.append(read)
            continue
        reason = _place(read, places, placed)
        if reason is not None:
            refused.append(_refuse(read.claim, read.number, reason))
    if len(proposed) > MOST_CITATIONS:
        refused.append(RefusedCitation("", None, RefusalReason.TOO_MANY))
    reader = _Reader(question, asked)
    found = [reader.reference(span, number, confidence) for (span, number), confidence in placed.items()]
    return FoundCitations(SearchMethod.MODEL, tuple(sorted(found, key=_order)), tuple(refused), model, question.shortened)


def _order(reference: FoundReference) -> tuple[Span, float, int]:
    return (reference.span, -reference.probability, reference.passage)


def _read(proposed: Any, question: ModelQuestion) -> _Proposal | RefusedCitation:
    """A citation as it must be, or why it is none; the first thing that is wrong counts."""
    if type(proposed) is not dict or type(proposed.get("claim")) is not str:
        return _refuse("", None, RefusalReason.NOT_READABLE)
    claim, number, confidence = proposed["claim"].strip(), proposed.get("sourceIndex"), proposed.get("confidence")
    if not claim:
        return _refuse("", number, RefusalReason.CLAIM_EMPTY)
    if type(number) is not int or number not in question.sources:
        return _refuse(claim, number, RefusalReason.SOURCE_OUT_OF_RANGE)
    confidence = CONFIDENCE_WORDS.get(confidence, confidence) if isinstance(confidence, str) else confidence
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        return _refuse(claim, number, RefusalReason.CONFIDENCE_OUT_OF_RANGE)
    return _Proposal(claim, number, float(confidence))


def _refuse(claim: str, number: Any, reason: RefusalReason) -> RefusedCitation:
    passage = number - 1 if type(number) is int and abs(number) <= _LARGEST_KEPT else None
    return RefusedCitation(claim[:_LONGEST_KEPT], passage, reason)


def _place(read: _Proposal, places: Places, placed: dict[tuple[Span, int], float]) -> RefusalReason | None:
    """Put a proposal at the first place of its claim that its source does not have yet; why not, if it cannot be."""
    spans = places.of(read.claim)
    if not spans:
        return RefusalReason.CLAIM_NOT_IN_ANSWER
    free = places.next_free(read.claim, read.number)
    if free is not None:
        placed[free, read.number] = read.confidence
        return None
    placed[spans[0], read.number] = max(placed[spans[0], read.number], read.confidence)
    return RefusalReason.TWICE


class _Reader:
    """Reads each cited source once for all its references."""

    def __init__(self, question: ModelQuestion, asked: str) -> None:
        self._question = question
        self._asked = Wording(asked)
        self._read: dict[int, tuple[Wording, Known]] = {}

    def reference(self, span: Span, number: int, confidence: float) -> FoundReference:
        """A reference with the sentences of the source that have most of the claim, and what the source lacks of it."""
        claim = self._question.answer[span[0] : span[1]]
        wording, known = self._source(number)
        support = judge_support_in(Wording(claim), [wording], self._asked)
        missing = find_missing_in(claim, known) if names_or_counts(claim) else ()
        traces = [f"the model says {confidence:.2f}", support.trace, *_named([each.trace for each in missing])]
        return FoundReference(span, number - 1, support.window, confidence, "; ".join(traces))

    def _source(self, number: int) -> tuple[Wording, Known]:
        if number not in self._read:
            source: CitableSource = self._question.sources[number]
            self._read[number] = Wording(source.content), know(f"{source.title}\n{source.content}")
        return self._read[number]


def _named(traces: Sequence[str]) -> list[str]:
    more = len(traces) - _MOST_NAMED
    return [*traces[:_MOST_NAMED], *([f"and {more} more"] if more > 0 else [])]
