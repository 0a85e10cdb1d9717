"""Labels of a profile leave the site."""

from __future__ import annotations

import zlib
from datetime import datetime

from django.db import transaction

from reviewers.accounts.announcements import user_actor
from reviewers.accounts.models import Membership
from reviewers.calibration.combinations import scope_of
from reviewers.calibration.importing.choosing import imports_of
from reviewers.calibration.label_sets import heading
from reviewers.calibration.models import CalibrationProfile
from reviewers.calibration.shadowing import record_of
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event


def document_of(profile: CalibrationProfile) -> bytes:
    """The lines that give the same profile wherever they are fitted."""
    parent = profile.parent.name if profile.parent else None
    told, digest = record_of(profile), "sha256:" + bytes(profile.labels.digest).hex()
    first = heading(
        scope_of(profile.combination),
        parent,
        digest,
        imports_of(told),
        audit=(told.get("audit") or {}).get("digest"),
        calibrator=record_of(profile.parent)["calibrator"] if told["kind"] == "transfer" and profile.parent else None,
    )
    return first + b"\n" + zlib.decompress(bytes(profile.labels.document)) + b"\n"


@transaction.atomic
def export(*, profile: CalibrationProfile, by: Membership, now: datetime) -> bytes:
    """The same, written down as taken by somebody."""
    details = {"profile": profile.name, "labels": profile.labels.label_count}
    record(Event(Action.LABELS_EXPORTED, profile.organisation_id, user_actor(by.user_id), now, "profile", profile.id, details))
    return document_of(profile)
