"""The search for citations after an answer came: its status in words, and repeating it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.shortcuts import get_object_or_404

from attribution import RefusalReason, SearchRecord, SearchUnit
from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Membership
from reviewers.review.models import QueueItem
from reviewers.review.policies import check_can_search_again, check_may_know_search
from reviewers.review.queries import load_item
from reviewers.review.wording import Badge
from reviewers.snapshots.queries import PENDING, SearchState, newest_search, read_search
from reviewers.snapshots.work_requests import request_search_again

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
    PENDING: Badge("Looking for sources", "unsure", "heuristic"),
    "found": Badge("Found afterwards", "accent", "heuristic"),
    "nothing": Badge("Nothing found", "quiet", "none"),
    "failed": Badge("Search failed", "bad", "cross"),
    "skipped": Badge("Not searched", "quiet", "none"),
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
    how = f"by the model {search.model}" if search.model else _HOW[search.method]
    return f"{how}, clause by clause" if search.record and search.record.unit is SearchUnit.CLAUSE else how


# Repeating it.


@transaction.atomic
def repeat_citation_search(*, item_id: UUID, by: Membership, now: datetime) -> None:
    """Repeat a failed citation search, with the method that the organisation uses now."""
    item = load_item(by, item_id, lock=True)
    check_may_know_search(item)
    search = check_can_search_again(item.search, by.organisation)
    request_search_again(
        attribution=item.row.attribution,
        number=search.number + 1,
        method=by.organisation.citation_search,
        by=user_actor(by.user_id),
        at=now,
    )


def find_search(member: Membership, item_id: UUID) -> SearchState | None:
    """Return the newest citation search of an item, or None. Raises 404 if the item does not belong to the member's organisation."""
    rows = QueueItem.objects.filter(organisation=member.organisation_id).annotate(searched=newest_search("attribution_id"))
    return read_search(get_object_or_404(rows.values_list("searched", flat=True), pk=item_id))
