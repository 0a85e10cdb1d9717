"""What programs may not be told of items under blind review: keys pass from hand to hand."""

from __future__ import annotations

from uuid import UUID

from reviewers.review.models import QueueItem
from reviewers.review.plans.visibility import PROGRAM, hides_engine_from
from reviewers.snapshots.withholding import withhold

REASON = "under blind review: given again once all reviews are in"


def is_kept_back(snapshot_id: UUID) -> bool:
    """Whether an item's attribution is hidden from programs now."""
    return QueueItem.objects.filter(hides_engine_from(PROGRAM), pk=snapshot_id).exists()


withhold(REASON, is_kept_back)
