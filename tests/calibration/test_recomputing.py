"""Stored answers get a further attribution under the active profile: piece by piece, and what was begun keeps what it shows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from attribution import DEFAULT_PROFILE, read_profile
from reviewers.accounts.actions import switch_repair
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.policies import Refused
from reviewers.calibration import shadow
from reviewers.calibration.jobs import end_lost_calibration
from reviewers.calibration.lifecycle.actions import retire
from reviewers.calibration.lifecycle.active_profiles import ask_recomputation, recompute_piece
from reviewers.calibration.models import Recomputation
from reviewers.ledger.hooks import run_verification_checks
from reviewers.review.labels import actions
from reviewers.review.models import QueueItem, Verdict
from reviewers.snapshots.models import Snapshot, SnapshotAttribution, SnapshotDocuments
from reviewers.snapshots.reattribution import attribute_again
from reviewers.web.config import OWNER
from tests.calibration.labelled import make_answer
from tests.calibration.standing import Standing, approve
from tests.events import events
from tests.factories import BOTH, NOW, choose, make_item, make_member, make_organisation, sign_in
from tests.markup import read_markup
from tests.review.redacting.redactable import RECORD, lead_and_administrator, names_of, places_of, redact


@pytest.fixture
def standing(organisation):
    return Standing(organisation)


@pytest.fixture
def stored(standing, alice, organisation):
    """Answers from before the profile: one untouched, one labelled, one held, one with documents."""
    standing.retire()
    items = [make_item(organisation, model="calibrated", **more) for more in ({}, {}, {}, BOTH)]
    actions.save_label(choice=choose(items[1]), verdict=Verdict.CORRECT, by=alice, now=NOW)
    actions.take(item_id=items[2].pk, by=alice, now=NOW)
    return items


@pytest.fixture
def asked(standing, stored, other_lead):
    shadow.compare_profile(profile_id=standing.proposed.pk, organisation_id=standing.organisation.pk, now=NOW)
    profile = approve(standing.proposed, other_lead)
    return ask_recomputation(profile_id=profile.pk, by=other_lead, now=timezone.now())


def work(asked: Recomputation, at_once: int = 100) -> Recomputation:
    while recompute_piece(recomputation_id=asked.pk, now=NOW, at_once=at_once):
        pass
    return Recomputation.objects.get(pk=asked.pk)


def shown(item: QueueItem) -> str:
    return QueueItem.objects.select_related("attribution").get(pk=item.pk).attribution.profile_id


def test_each_stored_answer_gets_one_more_attribution_and_keeps_those_it_had(asked, stored):
    before = set(SnapshotAttribution.objects.values_list("pk", "digest"))

    done = work(asked)

    assert (done.done, done.total, done.finished_at) == (5, 5, NOW)
    under = SnapshotAttribution.objects.filter(profile=asked.profile.name)
    assert {each.snapshot_id for each in under} >= {item.pk for item in stored}
    assert before < set(SnapshotAttribution.objects.values_list("pk", "digest"))
    assert len(events("snapshot.attributed")) == 5


def test_what_nobody_has_begun_shows_the_new_one_and_what_somebody_has_the_old(asked, stored):
    work(asked)

    name = asked.profile.name
    assert [shown(item) == name for item in stored] == [True, False, False, True]


def test_documents_come_along(asked, stored, alice):
    work(asked)

    attribution = QueueItem.objects.get(pk=stored[3].pk).attribution
    assert attribution.documents.cited_count == stored[3].attribution.documents.cited_count
    assert sign_in(alice).get(f"/items/{stored[3].pk}/").status_code == 200


def test_it_goes_on_where_it_was_stopped(asked):
    assert recompute_piece(recomputation_id=asked.pk, now=NOW, at_once=2)
    assert Recomputation.objects.get().done == 2

    assert work(asked, 2).done == 5
    assert SnapshotAttribution.objects.filter(profile=asked.profile.name).count() == 5
    assert not recompute_piece(recomputation_id=asked.pk, now=NOW)


def test_asked_again_it_is_the_same_and_the_page_shows_how_far_it_is(asked, other_lead):
    recompute_piece(recomputation_id=asked.pk, now=NOW, at_once=2)

    assert ask_recomputation(profile_id=asked.profile.pk, by=other_lead, now=NOW).pk == asked.pk
    page = read_markup(sign_in(other_lead).get(f"/calibration/profiles/{asked.profile.pk}/"))
    assert "2 of 5" in page.text


def test_a_profile_that_is_not_active_is_refused(standing, lead):
    with pytest.raises(Refused, match="This profile is proposed"):
        ask_recomputation(profile_id=standing.proposed.pk, by=lead, now=NOW)


def test_a_profile_that_is_retired_meanwhile_ends_it(asked, other_lead):
    retire(profile_id=asked.profile.pk, reason="precision fell", by=other_lead, now=NOW)

    done = work(asked)
    assert (done.done, done.finished_at) == (0, NOW)


def test_an_answer_that_comes_in_afterwards_is_under_it_already(asked, alice):
    work(asked)

    assert make_answer(alice, model="calibrated").attribution.profile_id == asked.profile.name


def test_a_recomputation_whose_job_is_gone_goes_on(asked):
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")

    for _ in range(2):
        end_lost_calibration.func(0)

    assert ProcrastinateJob.objects.get().args["recomputation"] == str(asked.pk)


# What is redacted.


@pytest.mark.parametrize("repairs", [False, True], ids=["as it came", "repaired"])
def test_a_redacted_answer_cites_nothing_and_is_not_judged_under_it_either(standing, other_lead, alice, repairs):
    standing.retire()
    switch_repair(organisation=standing.organisation, on=repairs, at=NOW, by=SYSTEM)
    item = make_item(standing.organisation, model="calibrated", **BOTH)
    redact(item, ["response"], *lead_and_administrator(alice))
    shadow.compare_profile(profile_id=standing.proposed.pk, organisation_id=standing.organisation.pk, now=NOW)
    profile = approve(standing.proposed, other_lead)

    work(ask_recomputation(profile_id=profile.pk, by=other_lead, now=timezone.now()))

    assert shown(item) == profile.name
    assert set(SnapshotDocuments.objects.values_list("validity", "repaired_count")) == {("", 0)}
    run_verification_checks(standing.organisation.pk)


@pytest.mark.usefixtures("committed")
def test_what_is_redacted_while_it_reads_does_not_come_back():
    """It reads, waits before it has an answer, and goes on when two people have redacted it."""
    organisation = make_organisation()
    item = make_item(organisation, **RECORD)
    people = lead_and_administrator(make_member(organisation))
    names = names_of(item, people[0], "response", "context.", "documents.", "tool_calls.", "user_text")
    other = read_profile({**DEFAULT_PROFILE.data, "name": "another"})
    slowed = Snapshot.objects.extra(where=["pg_advisory_xact_lock(7) IS NOT NULL"])

    def attribute():
        try:
            with transaction.atomic():
                return attribute_again(snapshots=slowed, profile=other, organisation=organisation, at=NOW)
        finally:
            connections.close_all()

    with connections[OWNER].cursor() as gate, ThreadPoolExecutor(1) as pool:
        gate.execute("SELECT pg_advisory_lock(7)")
        attributing = pool.submit(copy_context().run, attribute)
        waiting = False
        while not waiting:
            gate.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)")
            (waiting,) = gate.fetchone()
        redact(item, names, *people)
        gate.execute("SELECT pg_advisory_unlock(7)")

        assert list(attributing.result()) == [item.pk]
    assert not places_of("nightingale", "harpsichord", "contrabassoon")
