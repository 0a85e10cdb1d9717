"""What may be done with an alarm, by anybody."""

from __future__ import annotations

from reviewers.quality.models import Acknowledgement, Alarm
from reviewers.review.policies import Refused


def check_may_acknowledge(alarm: Alarm) -> None:
    """Raise where somebody has seen to it already."""
    if Acknowledgement.objects.filter(alarm=alarm).exists():
        raise Refused("Somebody has acknowledged this alarm already.")
