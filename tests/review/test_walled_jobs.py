"""Jobs for all organisations work within each of them in turn."""

from __future__ import annotations

from types import SimpleNamespace
from uuid import UUID

import pytest
from django.db import connection

from reviewers.accounts.jobs import in_each_organisation
from reviewers.ledger.models import AuditEvent
from reviewers.review.jobs import expire_leases
from reviewers.review.labels import actions
from reviewers.review.models import Lease
from reviewers.snapshots import jobs
from reviewers.snapshots.models import CitationSearchResult
from reviewers.web.tenancy import tenant
from tests.events import events
from tests.factories import NOW, make_item, make_member, make_organisation
from tests.snapshots.searches import make_searched, waiting

FIRST_ATTEMPT = SimpleNamespace(job=SimpleNamespace(attempts=0))


def test_leases_run_out_in_every_organisation(db):
    members = [make_member(make_organisation()) for _ in range(2)]
    for member in members:
        with tenant.within(member.organisation_id):
            actions.take(item_id=make_item(member.organisation).pk, by=member, now=NOW)

    with tenant.outside():
        expire_leases.func(0)

    assert {event["organisation"] for event in events("lease.expired")} == {str(member.organisation_id) for member in members}
    for member in members:
        with tenant.within(member.organisation_id):
            assert not Lease.objects.exists()


def test_what_fails_in_one_organisation_is_done_in_the_others(db):
    organisations = {make_organisation().pk for _ in range(3)}
    done: set[UUID] = set()

    def act(organisation_id: UUID) -> None:
        assert tenant.current() == organisation_id
        done.add(organisation_id)
        if len(done) == 1:
            message = "the first one fails"
            raise ValueError(message)

    with tenant.outside(), pytest.raises(ValueError, match="the first one fails"):
        in_each_organisation(act)

    assert done == organisations


def test_searches_for_citations_run_within_their_organisation(db):
    organisations = [make_organisation() for _ in range(2)]
    for organisation in organisations:
        make_searched(organisation)

    with tenant.outside():
        for search, organisation in zip(waiting(), organisations, strict=True):
            jobs.look_for_citations.func(FIRST_ATTEMPT, search=search, organisation=str(organisation.pk))

    for organisation in organisations:
        with tenant.within(organisation.pk):
            assert CitationSearchResult.objects.count() == AuditEvent.objects.filter(action="citation_search.ended").count() == 1


def test_a_search_is_not_run_for_another_organisation(db):
    one, other = make_organisation(), make_organisation()
    make_searched(one)

    jobs.look_for_citations.func(FIRST_ATTEMPT, search=waiting()[0], organisation=str(other.pk))

    assert not CitationSearchResult.objects.exists()


def test_lost_searches_are_given_up_in_every_organisation(db):
    for _ in range(2):
        make_searched(make_organisation())
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")

    with tenant.outside():
        jobs.give_up_lost_searches.func(0)

    assert len(events("citation_search.ended")) == 2
