"""That a profile is stored is remembered, and found out where it is not so any more."""

from __future__ import annotations

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from attribution import DEFAULT_PROFILE
from reviewers.snapshots.ingest.actions import ensure_profiles_once
from reviewers.snapshots.models import Profile, Snapshot
from tests.api.sending import post, program_of
from tests.factories import make_organisation, make_record
from tests.ledger.sealed import by_the_owner

pytestmark = pytest.mark.usefixtures("committed")


def asked_for_profiles(captured: CaptureQueriesContext) -> int:
    return sum('FROM "snapshots_profile"' in query["sql"] for query in captured)


def test_it_is_asked_for_once():
    program = program_of(make_organisation())
    for times in (1, 0, 0):
        with CaptureQueriesContext(connection) as captured:
            assert post(program, make_record()).status_code == 201
        assert asked_for_profiles(captured) == times
    assert Profile.objects.count() == 1


def test_where_it_is_gone_the_record_is_taken_all_the_same_and_the_profile_stored_again():
    """As after a backup from before was restored under a running site."""
    program = program_of(make_organisation())
    with transaction.atomic():
        ensure_profiles_once([DEFAULT_PROFILE])
    with by_the_owner("snapshots_profile") as cursor:
        cursor.execute("DELETE FROM snapshots_profile")
    assert not Profile.objects.exists()

    assert post(program, make_record()).status_code == 201
    assert Profile.objects.count() == Snapshot.objects.count() == 1
