"""Answers that a profile other than the shipped one has attributed, with confidences that were made up."""

from __future__ import annotations

import json
from typing import Any

from attribution import DEFAULT_PROFILE, canonical_bytes, read_profile
from reviewers.accounts.models import Organisation
from reviewers.review.models import QueueItem
from reviewers.snapshots.ingest.freeze import freeze
from reviewers.snapshots.ingest.records import read_record
from reviewers.snapshots.models import Profile
from reviewers.snapshots.versions.in_use import FreezingTerms
from reviewers.web.statements import insert
from tests.factories import NOW, make_record


def measured_as(shares: dict[str, float], cutoff: float | None = None) -> dict[str, Any]:
    """The calibration of a profile: of some rules, how often they were right, and from where on rows are relied on."""
    counts = {"right": 90, "labels": 100, "prior": 0.9, "worth": 8.0}
    nodes = [{"path": [rule], "confidence": share, "low": share / 2, "high": 1.0, **counts} for rule, share in shares.items()]
    return {"calibrator": {"nodes": nodes}} | ({} if cutoff is None else {"thresholds": {"confidence": cutoff}})


def freeze_under(organisation: Organisation, record: dict[str, Any], **changes: Any) -> QueueItem:
    """An answer under a profile that differs from the shipped one in this."""
    profile = read_profile({**DEFAULT_PROFILE.data, **changes})
    frozen = freeze(read_record(json.dumps(make_record(**record)).encode()), NOW, FreezingTerms(organisation, profile))
    Profile.objects.get_or_create(id=profile.id, defaults={"document": canonical_bytes(profile.data)})
    insert([frozen.snapshot, *frozen.attributions])
    return QueueItem.objects.get(pk=frozen.snapshot.id)
