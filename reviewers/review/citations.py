"""The citations of an answer: how labels name them, and the search for further ones after the answer came."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from attribution import DocumentAttribution, Reference, ReferenceCheck, ReferenceStatus, RefusalReason, SearchRecord, Span
from reviewers.review.wording import Badge
from reviewers.snapshots.models import storable
from reviewers.snapshots.queries import PENDING, SearchState

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
        failures.append("opposite" if check.support.opposite else "few_words")
    return list(dict.fromkeys(failures))


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


# The citations that a search rejected, in words.


_WHY = {
    RefusalReason.CLAIM_NOT_IN_ANSWER: "with a claim that does not stand in the answer",
    RefusalReason.SOURCE_OUT_OF_RANGE: "for a source that there is not",
    RefusalReason.TWICE: "given twice",
    RefusalReason.NOT_READABLE: "that cannot be read",
    RefusalReason.CLAIM_EMPTY: "without a claim",
    RefusalReason.CONFIDENCE_OUT_OF_RANGE: "without a confidence between 0 and 1",
    RefusalReason.TOO_MANY: "with all that came behind the five hundredth",
}


def rejected_citations_in_words(record: SearchRecord) -> str:
    """Return sentences on the citations that a search rejected and the texts it did not read, or an empty string."""
    return "".join([f" {words}" for words in (_refused(record), _shortened(record)) if words])


def _refused(record: SearchRecord) -> str:
    if not record.refused:
        return ""
    counts = Counter(record.reasons)
    told = ", ".join([f"{counts[reason]} {why}" for reason, why in _WHY.items() if counts[reason]])
    return f"{record.refused} that did not hold {'was' if record.refused == 1 else 'were'} left out: {told}."


def _shortened(record: SearchRecord) -> str:
    return f"Not everything was looked at: {record.shortened}." if record.shortened else ""


# The status of a search for citations. Their words and shapes set them apart from the model's own.


_SOONEST, _LATEST = 2, 30
_SHARE_OF_AGE = 4
"""The page asks again after a quarter of the time that the search has waited, but at least 2 and at most 30 seconds."""

_BADGES = {
    PENDING: Badge("Looking for sources", "Looking for sources", "unsure", "heuristic"),
    "found": Badge("Found afterwards", "Found afterwards", "accent", "heuristic"),
    "nothing": Badge("Nothing found", "Nothing found", "quiet", "none"),
    "failed": Badge("Search failed", "Search failed", "bad", "cross"),
    "skipped": Badge("Not searched", "Not searched", "quiet", "none"),
}
_SKIPPED = {
    "no_answer": "The answer is empty, so there is nothing to look for.",
    "code_only": "The answer is code alone, so there is nothing to look for.",
    "no_sources": "No source has a text to look in.",
    "redacted": "What was found was taken out with parts of this record that were redacted.",
}
_HOW = {"words": "by words", "model": "by a model"}


@dataclass(frozen=True, slots=True)
class SearchStatus:
    """The status of a citation search in words. ``wait`` is the number of seconds after which a page asks again."""

    state: str
    badge: Badge
    words: str
    is_pending: bool
    has_failed: bool
    wait: int


def with_post_hoc_citations(documents: DocumentAttribution, search: SearchState | None) -> DocumentAttribution:
    """Return the attribution to documents with the citations that a search found, after the model's own."""
    if search is None or search.record is None:
        return documents
    return replace(documents, references=(*documents.references, *search.record.references))


def post_hoc_citations_in_words(search: SearchState | None) -> Mapping[int, str]:
    """Return how each post-hoc citation was found, and its score, by its ordinal."""
    if search is None or search.record is None:
        return {}
    how = _how(search)
    return {ordinal: f"found afterwards {how}, score {score:.2f}" for ordinal, score in search.record.probabilities.items()}


def search_status(search: SearchState | None, now: datetime) -> SearchStatus | None:
    """Return the status of a search, or None if none was requested."""
    if search is None:
        return None
    age = (now - search.asked_at).total_seconds()
    return SearchStatus(
        state=search.state,
        badge=_BADGES[search.state],
        words=_words(search),
        is_pending=search.is_pending,
        has_failed=search.has_failed,
        wait=int(min(max(age / _SHARE_OF_AGE, _SOONEST), _LATEST)),
    )


def _words(search: SearchState) -> str:
    if search.is_pending:
        return f"Sources are being looked for {_how(search)}, in the background."
    if search.has_failed:
        tried = f" It was tried {search.attempts} times." if search.attempts > 1 else ""
        return f"Sources were looked for {_how(search)}, and that failed: {search.reason}.{tried}"
    if search.record is None:
        return _SKIPPED.get(search.reason, search.reason)
    return _ended(search, len({each.span for each in search.record.references}), rejected_citations_in_words(search.record))


def _ended(search: SearchState, places: int, more: str) -> str:
    if not places:
        return f"Sources were looked for {_how(search)}; none of them says what the answer says.{more}"
    found = "one place of the answer" if places == 1 else f"{places} places of the answer"
    return f"Sources of {found} were found {_how(search)}. The answer itself does not cite them; they change nothing above.{more}"


def _how(search: SearchState) -> str:
    return f"by the model {search.model}" if search.model else _HOW[search.method]
