"""The citations of an answer, and the keys that labels and judgements of them are stored under."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from attribution import DocumentAttribution, Reference, ReferenceCheck, ReferenceStatus, Span
from reviewers.snapshots.models import storable
from reviewers.snapshots.queries import SearchState

_AFTERWARDS = (ReferenceStatus.FOUND, ReferenceStatus.REPAIRED)
_DUE = (ReferenceStatus.RESOLVED, ReferenceStatus.PARTIAL)


class CitationKey(NamedTuple):
    """The key that labels of a citation are stored under: the fields of ``CitationLabel`` that identify it."""

    source: str
    is_own: bool
    start: int | None
    end: int | None
    repeat: int


@dataclass(frozen=True, slots=True)
class Citation:
    """A reference to one of its sources. ``number`` counts the citations of an answer from 0, in its order."""

    number: int
    key: CitationKey
    source: str
    reference: Reference

    @property
    def is_due(self) -> bool:
        """True if a review needs a verdict on it.

        It does if the model itself cites the source in the answer, not only in a list at the end.
        """
        return self.reference.status in _DUE

    @property
    def is_sound(self) -> bool:
        """True if it was checked and nothing wrong was found."""
        check = self.reference.check
        return check is not None and not failures_of(check)


def citations_of(documents: DocumentAttribution) -> list[Citation]:
    """Return all citations: the model's own, attached ones and post-hoc ones."""
    before = _Before(documents.removed)
    met: Counter[tuple[Any, ...]] = Counter()
    citations: list[Citation] = []
    for reference in documents.references:
        is_own = reference.status not in _AFTERWARDS
        start, end = before.span(reference.span) if reference.span and reference.span[0] < reference.span[1] else (None, None)
        for source in reference.sources:
            name = (storable(source), is_own, start, end)
            citations.append(Citation(len(citations), CitationKey(*name, repeat=met[name]), source, reference))
            met[name] += 1
    return citations


def failures_of(check: ReferenceCheck) -> list[str]:
    """Return what a check found wrong, as codes."""
    failures = [f"{each.kind.value}_not_found" for each in check.missing]
    if check.quote is not None and not check.quote.is_verified:
        failures.append("quote_not_verified")
    if check.quote_span is not None and not check.quote_span.is_verified:
        failures.append("span_differs")
    if check.support is not None and not check.support.is_supported:
        failures.append("opposite" if check.support.opposite else "doubtful" if check.support.doubt else "few_words")
    return list(dict.fromkeys(failures))


def windows_of(reference: Reference, name: str) -> tuple[Span | None, Span | None]:
    """Return the places of support and quote in a source. A quote from one of several sources belongs to none of them in particular."""
    check = reference.check
    if check is None:
        return None, None
    support = check.support
    is_this = support is not None and check.passages[support.passage : support.passage + 1] == (name,)
    quote = check.quote.window if check.quote and len(reference.sources) == 1 else None
    return (support.window if support and is_this else None), quote


class _Before:
    """Maps places of the clean text to places of the text before citations were removed from it."""

    def __init__(self, removed: Sequence[Span]) -> None:
        self._taken = [0]
        for start, end in removed:
            self._taken.append(self._taken[-1] + end - start)
        self._places = [start - taken for (start, _), taken in zip(removed, self._taken, strict=False)]

    def span(self, span: Span) -> Span:
        """Return the place of the same words in the text before. Citations removed at their edges are not included."""
        return self._place(span[0]), self._place(span[1] - 1) + 1

    def _place(self, position: int) -> int:
        return position + self._taken[bisect_right(self._places, position)]


def with_post_hoc_citations(documents: DocumentAttribution, search: SearchState | None) -> DocumentAttribution:
    """Return the attribution to documents with the citations that a search found, after the model's own."""
    if search is None or search.record is None:
        return documents
    return replace(documents, references=(*documents.references, *search.record.references))
