"""What an event commits to of an alarm: names are free text, so they are not told."""

from __future__ import annotations

from attribution import canonical_bytes
from reviewers.ledger.commitments import Part
from reviewers.quality.models import Alarm


def names_of(alarm: Alarm) -> list[Part]:
    """The model and the prompt version."""
    return [("of", canonical_bytes([alarm.model, alarm.prompt_version]))]
