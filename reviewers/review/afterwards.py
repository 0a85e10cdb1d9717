"""What was found of citations after the answer came, as its page shows it: apart from the model's own in words and in shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from attribution import DocumentAttribution
from reviewers.review.left_out import words_of_left_out
from reviewers.review.words import Badge
from reviewers.snapshots.search_state import PENDING, SearchState

_SOONEST, _LATEST = 2, 30
_SHARE_OF_AGE = 4
"""The page asks again after a quarter of the time that the search has waited, from every 2 seconds to every 30."""

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
class SearchLine:
    """How a search stands, in words. ``wait`` is after how many seconds a page asks again."""

    state: str
    badge: Badge
    words: str
    is_pending: bool
    has_failed: bool
    wait: int


def with_found(documents: DocumentAttribution, search: SearchState | None) -> DocumentAttribution:
    """What is said of an answer's documents with the citations that were found afterwards behind the model's own."""
    if search is None or search.record is None:
        return documents
    return replace(documents, references=(*documents.references, *search.record.references))


def words_of_found(search: SearchState | None) -> Mapping[int, str]:
    """What a page says of each citation that was found afterwards: how, and with what score."""
    if search is None or search.record is None:
        return {}
    how = _how(search)
    return {ordinal: f"found afterwards {how}, score {score:.2f}" for ordinal, score in search.record.probabilities.items()}


def search_line(search: SearchState | None, now: datetime) -> SearchLine | None:
    """How a search stands; nothing where none was asked for."""
    if search is None:
        return None
    age = (now - search.asked_at).total_seconds()
    return SearchLine(
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
    return _ended(search, len({each.span for each in search.record.references}), words_of_left_out(search.record))


def _ended(search: SearchState, places: int, more: str) -> str:
    if not places:
        return f"Sources were looked for {_how(search)}; none of them says what the answer says.{more}"
    found = "one place of the answer" if places == 1 else f"{places} places of the answer"
    return f"Sources of {found} were found {_how(search)}. The answer itself does not cite them; they change nothing above.{more}"


def _how(search: SearchState) -> str:
    return f"by the model {search.model}" if search.model else _HOW[search.method]
