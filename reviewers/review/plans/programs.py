"""What programs may not be told of items under blind review: keys pass from hand to hand."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from reviewers.review.models import QueueItem
from reviewers.review.plans.visibility import PROGRAM, hides_engine_from
from reviewers.snapshots.withholding import withhold

REASON = "under blind review: given again once all reviews are in"


def kept_back(snapshot_ids: Collection[UUID]) -> set[UUID]:
    """Return those of some items whose attribution is hidden from programs now."""
    return set(QueueItem.objects.filter(hides_engine_from(PROGRAM), pk__in=snapshot_ids).values_list("pk", flat=True))


withhold(REASON, kept_back)
