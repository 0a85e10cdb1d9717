"""A lead has citations looked for once more where that failed."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.shortcuts import get_object_or_404

from reviewers.accounts.announcements import user_actor
from reviewers.accounts.models import Membership
from reviewers.review.item_loading import load_item
from reviewers.review.models import QueueItem
from reviewers.review.policies import check_can_search_again
from reviewers.snapshots.asking import ask_again
from reviewers.snapshots.search_state import SearchState, newest_search, read_search


@transaction.atomic
def search_again(*, item_id: UUID, by: Membership, now: datetime) -> None:
    """Ask once more, in the way that the organisation's switch says now."""
    item = load_item(by, item_id, lock=True)
    search = check_can_search_again(item.search, by.organisation)
    ask_again(
        attribution=item.row.attribution,
        number=search.number + 1,
        method=by.organisation.citation_search,
        by=user_actor(by.user_id),
        at=now,
    )


def find_search(member: Membership, item_id: UUID) -> SearchState | None:
    """How the newest search of an item stands, without a word of the item; 404 where the item is not of the member's organisation."""
    rows = QueueItem.objects.filter(organisation=member.organisation_id).annotate(searched=newest_search("attribution_id"))
    return read_search(get_object_or_404(rows.values_list("searched", flat=True), pk=item_id))
