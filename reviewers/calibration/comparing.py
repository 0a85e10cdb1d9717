"""Compares a profile with what is active on stored answers, and keeps what came out."""

from __future__ import annotations

import zlib
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from attribution import canonical_bytes
from reviewers.accounts.announcements import SYSTEM
from reviewers.calibration.models import CalibrationProfile, Comparison
from reviewers.calibration.shadowing import Shadow, shadow, table_of
from reviewers.calibration.telling import tell
from reviewers.calibration.undertaking_models import Undertaken, Undertaking
from reviewers.ledger.events import Action


def compare_profile(*, profile_id: UUID, organisation_id: UUID, now: datetime, undertaking_id: UUID | None = None) -> Comparison:
    """Compare a profile with the active one, or with scores, on stored answers; what the worker does.

    Answers are read a few hundred at a time, each time telling how far it is; what came out is written at the end, and at once.
    """
    profile = get_object_or_404(profiles_of(organisation_id), pk=profile_id)
    active = profile.combination.active
    asked = Undertaking.objects.filter(pk__in=[undertaking_id] if undertaking_id else [])
    found = shadow(profile.combination, table_of(active), table_of(profile), told=lambda done, total: asked.update(done=done, total=total))
    with transaction.atomic():
        asked.update(finished_at=now)
        return _keep(profile, active, found, now)


def newest_undertaking(profile: CalibrationProfile) -> Undertaking | None:
    """The last time that a comparison was asked for."""
    return Undertaking.objects.filter(profile=profile, kind=Undertaken.COMPARE).order_by("-id").first()


def _keep(profile: CalibrationProfile, active: CalibrationProfile | None, found: Shadow, now: datetime) -> Comparison:
    comparison: Comparison = Comparison.objects.create(
        organisation_id=profile.organisation_id,
        profile=profile,
        against=active,
        message_count=found.report.messages,
        changed_count=found.report.changed_messages,
        document=zlib.compress(canonical_bytes(found.report.document())),
        changes=zlib.compress(canonical_bytes(_changes(found))),
        compared_at=now,
    )
    details = {"against": active.name if active else None, "messages": comparison.message_count, "changed": comparison.changed_count}
    tell(Action.PROFILE_COMPARED, profile, SYSTEM, now, details, [comparison])
    return comparison


def newest_comparison(profile: CalibrationProfile) -> Comparison | None:
    """The last time that it was compared."""
    return Comparison.objects.filter(profile=profile).select_related("against").defer("changes").order_by("-id").first()


def profiles_of(organisation_id: UUID) -> QuerySet[CalibrationProfile]:
    """The profiles of an organisation, each with what says its state, and without what is large but its own record."""
    joined = ("combination__active", "parent", "labels", "proposed_by", "decision__decided_by", "retirement__retired_by", "recomputation")
    profiles = CalibrationProfile.objects.filter(organisation=organisation_id).select_related(*joined, "retirement__replaced_by")
    return profiles.defer("labels__document", "parent__document", "combination__active__document", "retirement__replaced_by__document")


def _changes(found: Shadow) -> list[list[Any]]:
    return [[each.row.message, *each.row.path, each.before, each.after] for each in found.changes]
