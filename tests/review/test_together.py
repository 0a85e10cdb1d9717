"""Several people at once: the database settles who gets what, and nobody's work is lost."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial

import pytest
from django.db import connections

from reviewers.accounts.models import User
from reviewers.accounts.policies import Refused
from reviewers.ledger.models import AuditEvent
from reviewers.review.labels import actions
from reviewers.review.leases import take_next
from reviewers.review.models import Label, Lease, QueueItem, Verdict
from reviewers.web.config import OWNER
from tests.factories import NOW, choose, label, make_item, make_member, make_organisation, sign_in
from tests.threads import at_once, in_rounds

REVIEWERS = 8
ROUNDS = 6
EXPLAINED = "is reviewing this answer. You can read it meanwhile."

pytestmark = pytest.mark.usefixtures("committed")


def make_reviewers(organisation):
    return [make_member(organisation, name=f"Reviewer {number}") for number in range(REVIEWERS)]


def clients_of(reviewers):
    return [sign_in(reviewer) for reviewer in reviewers]


def test_everybody_who_takes_the_next_item_gets_another_one():
    organisation = make_organisation()
    clients = clients_of(make_reviewers(organisation))
    for _ in range(ROUNDS):
        for _ in range(REVIEWERS):
            make_item(organisation)

        responses = at_once([partial(client.post, "/queue/next/") for client in clients])

        taken = [response["Location"] for response in responses]
        assert [address for address, count in Counter(taken).items() if count > 1] == []
        assert "/queue/?nothing=1" not in taken
        QueueItem.objects.update(state="skipped", skip_reason="next round", skipped_by=User.objects.first())


def test_who_takes_the_next_item_twice_at_once_gets_one():
    organisation = make_organisation()
    reviewer = make_member(organisation)
    clients = [sign_in(reviewer) for _ in range(2)]
    for _ in range(ROUNDS):
        for _ in range(3):
            make_item(organisation)

        responses = at_once([partial(client.post, "/queue/next/") for client in clients])

        assert len({response["Location"] for response in responses}) == 1
        QueueItem.objects.update(state="skipped", skip_reason="next round", skipped_by=User.objects.first())


def label_rounds(rounds):
    """Reviewers press the same button on the same free item at once, again and again."""
    organisation = make_organisation()
    clients = clients_of(make_reviewers(organisation))
    for _ in range(rounds):
        item = make_item(organisation)
        responses = at_once([partial(label, client, item, headers={"HX-Request": "true"}) for client in clients])

        statuses = Counter(response.status_code for response in responses)
        refusals = [response.content.decode() for response in responses if response.status_code == 409]
        assert statuses == {200: 1, 409: REVIEWERS - 1}
        assert all(EXPLAINED in refusal for refusal in refusals)
        kept = Label.objects.get(snapshot=item.pk)
        assert Lease.objects.get(item=item.pk).holder_id == kept.reviewer_id
        assert AuditEvent.objects.filter(object_id=item.pk, action="label.saved").count() == 1


def test_of_those_who_label_a_free_item_at_once_one_gets_it_and_the_others_are_told_why():
    label_rounds(ROUNDS)


@pytest.mark.exhaustive
def test_of_those_who_label_a_free_item_at_once_one_gets_it_500_times():
    label_rounds(500)


def take_turns(rounds):
    """All try to label one item at once, round by round; whoever gets in lets go, so that somebody else can get in."""
    organisation = make_organisation()
    item = make_item(organisation)

    def attempt(reviewer):
        try:
            actions.save_label(choice=choose(item), verdict=Verdict.CORRECT, by=reviewer, now=NOW)
        except Refused as refusal:
            return str(refusal)
        actions.let_go(item_id=item.pk, by=reviewer, now=NOW)
        return ""

    reviewers = make_reviewers(organisation)
    answers = in_rounds([partial(attempt, reviewer) for reviewer in reviewers], rounds)
    return item, {reviewer.user_id: told for reviewer, told in zip(reviewers, answers, strict=True)}


def check_no_label_is_lost(item, answers):
    assert {word for told in answers.values() for word in told if word and EXPLAINED not in word} == set()
    accepted = Counter({reviewer: told.count("") for reviewer, told in answers.items()})
    labels = Label.objects.filter(snapshot=item.pk)
    assert Counter(labels.values_list("reviewer_id", flat=True)) == +accepted
    assert AuditEvent.objects.filter(object_id=item.pk, action="label.saved").count() == accepted.total() > 0
    replaced = list(labels.exclude(replaces=None).values_list("replaces", flat=True))
    assert len(replaced) == len(set(replaced)) == accepted.total() - len(+accepted)


def test_eight_reviewers_on_one_item_lose_no_label():
    check_no_label_is_lost(*take_turns(50))


@pytest.mark.exhaustive
def test_eight_reviewers_on_one_item_lose_no_label_in_500_rounds():
    check_no_label_is_lost(*take_turns(500))


def test_labels_that_one_reviewer_saves_in_two_windows_replace_each_other_in_one_line():
    organisation = make_organisation()
    alice = make_member(organisation)
    item = make_item(organisation)
    windows = [sign_in(alice) for _ in range(4)]
    for _ in range(ROUNDS):
        responses = at_once([partial(label, window, item) for window in windows])
        assert {response.status_code for response in responses} == {302}

    replaced = list(Label.objects.filter(snapshot=item.pk).values_list("replaces", flat=True))
    assert len(replaced) == len(windows) * ROUNDS
    assert len(set(replaced)) == len(replaced), "two labels replace the same one: one of them never counted"


def test_of_submitting_and_labelling_at_once_either_order_is_consistent():
    organisation = make_organisation()
    alice = make_member(organisation)
    for _ in range(ROUNDS):
        item = make_item(organisation)
        one, other = sign_in(alice), sign_in(alice)
        one.post(f"/items/{item.pk}/label-remaining/")

        submitted, labelled = at_once([partial(one.post, f"/items/{item.pk}/submit/"), partial(label, other, item, 0, "wrong")])

        assert submitted.status_code == 302
        assert labelled.status_code in (302, 422)
        counted = Label.objects.filter(snapshot=item.pk, verdict="wrong").count()
        assert counted == (1 if labelled.status_code == 302 else 0)


def test_submitting_twice_at_once_submits_once():
    organisation = make_organisation()
    alice = make_member(organisation)
    for _ in range(ROUNDS):
        item = make_item(organisation)
        windows = [sign_in(alice) for _ in range(2)]
        windows[0].post(f"/items/{item.pk}/label-remaining/")

        responses = at_once([partial(window.post, f"/items/{item.pk}/submit/") for window in windows])

        assert sorted(response.status_code for response in responses) == [302, 409]
        assert AuditEvent.objects.filter(object_id=item.pk, action="review.submitted").count() == 1


def test_an_item_that_was_taken_while_somebody_searched_for_the_next_one_is_not_taken_again():
    """The search begins, waits before it reaches the item, and goes on when somebody else has taken it and is done."""
    organisation = make_organisation()
    alice, bob = make_member(organisation), make_member(organisation, name="Bob Birch")
    item = make_item(organisation)
    is_for_own = "current_query() ~ 'EXIST[S].*EXIST[S].*EXIST[S]'"  # the first search, for what Bob holds already, goes through
    slowed = QueueItem.objects.extra(where=[f"CASE WHEN {is_for_own} THEN true ELSE pg_advisory_xact_lock(7) IS NOT NULL END"])  # noqa: S610  # a constant

    def search():
        try:
            return take_next(candidates=slowed, by=bob, now=NOW)
        finally:
            connections.close_all()

    with connections[OWNER].cursor() as gate, ThreadPoolExecutor(1) as pool:
        gate.execute("SELECT pg_advisory_lock(7)")
        searching = pool.submit(copy_context().run, search)
        waiting = False
        while not waiting:
            gate.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)")
            (waiting,) = gate.fetchone()
        actions.take(item_id=item.pk, by=alice, now=NOW)
        gate.execute("SELECT pg_advisory_unlock(7)")

        assert searching.result() is None
    assert Lease.objects.get(item=item.pk).holder_id == alice.user_id
