"""Which attribution an item shows: a newer one only while nobody has begun it, for what was labelled stays what it was."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django.db.models import Exists, OuterRef

from reviewers.review.models import Label, Lease, QueueItem, State
from reviewers.snapshots.models import CitationSearch


def show_instead(attributions: Mapping[UUID, UUID]) -> int:
    """Show these attributions of these items, where they are to do, in no plan, without a label, a lease or a search; returns how many."""
    begun = [Exists(Label.objects.filter(snapshot=OuterRef("pk"))), Exists(Lease.objects.filter(item=OuterRef("pk")))]
    searched = Exists(CitationSearch.objects.filter(attribution=OuterRef("attribution")))
    untouched = QueueItem.objects.filter(~begun[0], ~begun[1], ~searched, pk__in=list(attributions), state=State.TO_DO, plan=None)
    items = list(untouched.select_for_update(of=("self",)).only("pk").order_by("pk"))
    for item in items:
        item.attribution_id = attributions[item.pk]
    return QueueItem.objects.bulk_update(items, ["attribution"])
