"""What the demonstration loads is possible: nothing happens before what it is about, and nothing happens twice."""

from __future__ import annotations

import pytest
from django.db.models import F
from django.utils import timezone

from reviewers.accounts.models import Membership, Organisation
from reviewers.review.demonstration_loading import load, load_generated
from reviewers.review.models import Label, QueueItem, Submission
from reviewers.snapshots.models import Snapshot
from tests.state import state_of_tables

HAND_WRITTEN = 57


@pytest.fixture
def loaded(db, tmp_path):
    """The moment it was loaded at."""
    now = timezone.now()
    load(folder=tmp_path, now=now)
    return now


def test_members_come_before_turns_turns_before_labels_and_labels_before_now(loaded):
    assert Snapshot.objects.count() == HAND_WRITTEN
    begun = Organisation.objects.get().created_at
    assert not Membership.objects.exclude(created_at=begun).exists()
    assert not Snapshot.objects.filter(frozen_at__lt=begun).exists()
    assert not Label.objects.filter(created_at__lte=F("snapshot__frozen_at")).exists()
    assert not Submission.objects.filter(submitted_at__lte=F("snapshot__frozen_at")).exists()
    assert not QueueItem.objects.filter(submitted_at__gt=loaded).exists()
    assert Submission.objects.exists()


def test_generated_turns_come_besides_and_once(loaded):
    load_generated(7, now=loaded)
    assert QueueItem.objects.count() == HAND_WRITTEN + 7
    before = state_of_tables()

    load_generated(7, now=timezone.now())
    assert state_of_tables() == before

    load_generated(9, now=timezone.now())
    assert QueueItem.objects.count() == HAND_WRITTEN + 9


def test_without_generated_turns_there_are_none(loaded):
    before = state_of_tables()

    load_generated(0, now=loaded)

    assert state_of_tables() == before
