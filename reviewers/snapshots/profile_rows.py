"""The data of profiles is stored before the first attribution that names them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from django.db import transaction

from attribution import Profile as EngineProfile
from reviewers.ledger.rows import Row, rows_of
from reviewers.snapshots.freezing import profile_document
from reviewers.snapshots.models import Profile

_stored: set[str] = set()
"""Profiles that were there when a transaction of this process ended well: they are never changed or taken away."""


def ensure_profiles_once(used: Iterable[EngineProfile]) -> list[Row]:
    """``ensure_profiles``, which asks for each profile once. In a transaction.

    Should one be gone after all, the database refuses the attributions as the transaction ends; see ``forget_profiles``.
    """
    asked = [profile for profile in used if profile.id not in _stored]
    if not asked:
        return []
    rows = ensure_profiles(asked)
    transaction.on_commit(partial(_stored.update, [profile.id for profile in asked]))
    return rows


def forget_profiles() -> bool:
    """Ask for each profile again; whether any was taken to be there."""
    were_known = bool(_stored)
    _stored.clear()
    return were_known


def ensure_profiles(used: Iterable[EngineProfile]) -> list[Row]:
    """Store those of the profiles that are not there; returns their rows."""
    by_id = {profile.id: profile for profile in used}
    there = set(Profile.objects.filter(pk__in=by_id).values_list("pk", flat=True))
    new = [Profile(id=each, document=profile_document(by_id[each])) for each in sorted(by_id.keys() - there)]
    if new:
        Profile.objects.bulk_create(new, ignore_conflicts=True)
    return rows_of(new)
