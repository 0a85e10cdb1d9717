"""What the labels of a combination have to hold before confidences are made of them: reviewers agree, and notice what is wrong."""

from __future__ import annotations

from reviewers.accounts.models import Membership
from reviewers.calibration.combinations import key_of
from reviewers.calibration.models import SeenCombination
from reviewers.review.agreement.page import GateLine, gates_on
from reviewers.review.models import QueueItem
from reviewers.review.plan_models import Phase


def reviewer_conditions(seen: SeenCombination, by: Membership) -> list[GateLine]:
    """How reviewers of its answers do as of now; of seeded rows only to whoever sees everybody's. In two statements."""
    names = {f"snapshot__{name}": value for name, value in key_of(seen)._asdict().items()}
    return gates_on(QueueItem.objects.filter(organisation=seen.organisation_id, **names).exclude(phase=Phase.INDEPENDENT), by)
