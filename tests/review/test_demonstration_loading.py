"""The demonstration loads a possible history: nothing happens before what it is about, and nothing happens twice."""

from __future__ import annotations

import pytest
from django.db.models import F
from django.utils import timezone

from reviewers.accounts.models import Membership, Organisation
from reviewers.demonstration.loader import load, load_generated
from reviewers.review.models import Label, QueueItem, Signature, Submission
from reviewers.review.receivers import hidden_from_programs
from reviewers.review.signing.queries import signatures_of
from reviewers.snapshots.models import CitationSearch, CitationSearchResult, Snapshot, SnapshotDocuments
from reviewers.web.tenancy import tenant
from tests.snapshots.searches import run_all
from tests.state import state_of_tables

HAND_WRITTEN = 75


@pytest.fixture(scope="module")
def moment(one_transaction, tmp_path_factory):
    """It was loaded at."""
    now = timezone.now()
    load(folder=tmp_path_factory.mktemp("demonstration"), now=now)
    return now


@pytest.fixture
def loaded(moment, undone):
    """Enter the organisation of the loaded demonstration."""
    tenant.enter(Organisation.objects.get().pk)
    return moment


def test_members_come_before_turns_turns_before_labels_and_labels_before_now(loaded):
    assert Snapshot.objects.count() == HAND_WRITTEN
    begun = Organisation.objects.get().created_at
    assert not Membership.objects.exclude(created_at=begun).exists()
    assert not Snapshot.objects.filter(frozen_at__lt=begun).exists()
    assert not Label.objects.filter(created_at__lte=F("snapshot__frozen_at")).exists()
    assert not Submission.objects.filter(submitted_at__lte=F("snapshot__frozen_at")).exists()
    assert not QueueItem.objects.filter(submitted_at__gt=loaded).exists()
    assert Submission.objects.exists()


def test_answers_that_cite_nothing_wait_for_the_worker_and_one_has_evidence_attached(loaded):
    organisation = Organisation.objects.get()
    assert (organisation.repairs_answers, organisation.citation_search) == (False, "words")
    repaired = SnapshotDocuments.objects.filter(repaired_count__gt=0).values_list("attribution__snapshot__external_id", "repaired_count")
    assert list(repaired) == [("demo-058", 3)]

    asked = dict(CitationSearch.objects.values_list("attribution__snapshot__external_id", "attribution__snapshot_id"))
    blind = hidden_from_programs(asked.values())
    run_all()

    results = CitationSearchResult.objects.values_list("search__attribution__snapshot__external_id", "outcome")
    expected = {
        **dict.fromkeys(("demo-059", "demo-060", "demo-064", "demo-074"), "found"),
        **dict.fromkeys(("demo-055", "demo-061"), "nothing"),
        **dict.fromkeys(("demo-062", "demo-063"), "skipped"),
    }
    too_late = [name for name, pk in asked.items() if pk in blind and expected[name] != "skipped"]
    assert dict(results) == expected | dict.fromkeys(too_late, "failed"), "what is found during a blind review is not shown"
    assert not CitationSearch.objects.filter(result=None).exists()


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


def test_some_reviews_are_signed_one_is_approved_as_well_and_one_has_changed_since(loaded):
    organisation = Organisation.objects.get()
    items = dict.fromkeys(Signature.objects.order_by("id").values_list("review__snapshot", flat=True))

    told = [[(row.meaning.value, row.standing.value) for row in signatures_of(organisation.pk, item)] for item in items]

    assert told == [
        [("reviewed", "holds")],
        [("reviewed", "holds"), ("approved", "holds")],
        [("reviewed", "void"), ("approved", "void")],
    ]
