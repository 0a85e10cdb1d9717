"""Signing while somebody else does something: one signature, and never over anything that the signer has not seen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from reviewers.accounts.policies import Refused
from reviewers.review.labels import actions
from reviewers.review.models import Signature, Verdict
from reviewers.review.signing.actions import sign
from reviewers.review.signing.queries import signatures_of
from tests.events import events
from tests.factories import NOW, choose, make_member, make_organisation, sign_in
from tests.review.signed import form_of, intent_of, make_submitted, proof_of
from tests.threads import at_once

ROUNDS = 6

pytestmark = pytest.mark.usefixtures("committed")


def test_sent_four_times_at_once_it_is_one_signature_with_one_event():
    alice = make_member(make_organisation())
    item = make_submitted(alice)
    form, clients = form_of(item), [sign_in(alice) for _ in range(4)]

    answers = at_once([partial(client.post, f"/items/{item.pk}/sign/", form) for client in clients])

    assert [answer.status_code for answer in answers] == [302] * 4
    assert (Signature.objects.count(), len(events("signature.made"))) == (1, 1)


def outcome_of(call: Callable[[], object]) -> str:
    try:
        call()
    except Refused as refusal:
        return str(refusal)
    return ""


def test_a_label_that_comes_in_at_the_same_moment_is_seen_or_makes_the_signature_void():
    alice = make_member(make_organisation())
    for _ in range(ROUNDS):
        item = make_submitted(alice)
        change = partial(actions.save_label, choice=choose(item, 0, "again"), verdict=Verdict.WRONG, by=alice, now=NOW)
        signing = partial(sign, intent=intent_of(item), proof=proof_of(alice), by=alice, now=NOW)

        _, refusal = at_once([partial(outcome_of, change), partial(outcome_of, signing)])

        standing = [(row.standing.value, row.changes) for row in signatures_of(item.organisation_id, item.pk)]
        assert standing == ([] if refusal else [("void", ["1 label"])])
        assert not refusal or "Changed since you opened this page: 1 label." in refusal
