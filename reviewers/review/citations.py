"""The citations of an answer as they are labelled: each reference on each of its sources, named in terms of the frozen record."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from attribution import DocumentAttribution, Reference, ReferenceCheck, ReferenceStatus, Span
from reviewers.snapshots.display import storable

_AFTERWARDS = (ReferenceStatus.FOUND, ReferenceStatus.REPAIRED)
_DUE = (ReferenceStatus.RESOLVED, ReferenceStatus.PARTIAL)


class CitationKey(NamedTuple):
    """What labels of a citation are stored under: the fields of ``CitationLabel`` that say which one it is."""

    source: str
    is_own: bool
    start: int | None
    end: int | None
    repeat: int


@dataclass(frozen=True, slots=True)
class Citation:
    """A reference on one of its sources. ``number`` counts the citations of an answer from 0, in its order."""

    number: int
    key: CitationKey
    source: str
    reference: Reference

    @property
    def is_due(self) -> bool:
        """Whether a review needs a verdict on it: the model itself cites this source in its answer, not only in a list at its end."""
        return self.reference.status in _DUE

    @property
    def is_sound(self) -> bool:
        """Whether it was checked, and nothing wrong was found."""
        check = self.reference.check
        return check is not None and not failures_of(check)


def citations_of(documents: DocumentAttribution) -> list[Citation]:
    """All citations, the model's own and those attached or found afterwards alike."""
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
    """What a check found wrong, in codes."""
    failures = [f"{each.kind.value}_not_found" for each in check.missing]
    if check.quote is not None and not check.quote.is_verified:
        failures.append("quote_not_verified")
    if check.quote_span is not None and not check.quote_span.is_verified:
        failures.append("span_differs")
    if check.support is not None and not check.support.is_supported:
        failures.append("not_supported")
    return list(dict.fromkeys(failures))


class _Before:
    """Finds places of the clean text in the text as it was before citations were taken out of it."""

    def __init__(self, removed: Sequence[Span]) -> None:
        self._taken = [0]
        for start, end in removed:
            self._taken.append(self._taken[-1] + end - start)
        self._places = [start - taken for (start, _), taken in zip(removed, self._taken, strict=False)]

    def span(self, span: Span) -> Span:
        """The same words: what was taken out at their edges is none of them."""
        return self._place(span[0]), self._place(span[1] - 1) + 1

    def _place(self, position: int) -> int:
        return position + self._taken[bisect_right(self._places, position)]
