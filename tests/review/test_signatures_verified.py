"""Verifying the ledger makes every signature again, and names the first that does not agree, though an event tells of its row."""

from __future__ import annotations

import base64
import json
import uuid
import zlib

import pytest

from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Membership
from reviewers.accounts.sign_in.proofs import use_proof
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.ledger.verification.organisation import verify
from reviewers.review.labels import actions
from reviewers.review.models import Signature, Verdict
from tests.factories import NOW, choose, sign_in
from tests.ledger.sealed import seal_now
from tests.review.signed import make_submitted, proof_of, review_of, sign_as_it_stands


@pytest.fixture
def item(alice):
    item = make_submitted(alice)
    sign_as_it_stands(item, alice)
    return item


def forge(**changes) -> Signature:
    """Write a signature as a compromised site could: a row with a proof of its own, and an event that names it."""
    forged = Signature.objects.get()
    forged.pk, forged.proof = uuid.uuid4(), proof_of(Membership.objects.get(user=forged.signer_id))
    use_proof(proof=forged.proof, act=f"sign {forged.review_id}", now=NOW)
    for name, value in changes.items():
        setattr(forged, name, value)
    forged.save(force_insert=True)
    by = user_actor(forged.signer_id)
    record(Event(Action.SIGNATURE_MADE, forged.organisation_id, by, NOW, "snapshot", forged.pk, rows=rows_of([forged])))
    seal_now(forged.organisation_id)
    return forged


def test_signatures_agree_also_those_that_are_void(item, alice):
    actions.save_label(choice=choose(item, 0, "second look"), verdict=Verdict.WRONG, by=alice, now=NOW)
    sign_as_it_stands(item, alice)
    seal_now(item.organisation_id)

    assert verify(organisation_id=item.organisation_id).waiting == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"digest": b"\0" * 32},
        {"meaning": "approved", "statement": zlib.compress(b"{}")},
        {"meaning": "approved", "statement": zlib.compress(b"[]")},
        {"meaning": "approved", "statement": b"no statement"},
    ],
    ids=["another digest", "another statement", "no object", "no bytes"],
)
def test_one_that_is_not_of_what_it_names_is_named_by_verify_and_shown_on_the_page(item, auditor, changes):
    forged = forge(**changes)

    with pytest.raises(LedgerMismatch, match=f"review_signature {forged.pk}, column digest"):
        verify(organisation_id=item.organisation_id)
    assert "What was signed is not what is recorded now." in sign_in(auditor).get(f"/items/{item.pk}/").content.decode()


def test_one_that_was_copied_to_another_review_is_named(item, alice):
    review = review_of(make_submitted(alice))
    forged = forge(object_id=review.id, review_id=review.id, attribution_id=review.shown)

    with pytest.raises(LedgerMismatch, match=str(forged.pk)):
        verify(organisation_id=item.organisation_id)


def test_the_receipt_of_an_item_is_that_of_its_last_signature(item, auditor):
    seal_now(item.organisation_id)

    receipt = sign_in(auditor).get(f"/items/{item.pk}/receipt/").content.decode()

    body = base64.b64decode(receipt.splitlines()[1].removeprefix("extra "))
    assert json.loads(body)["action"] == "signature.made"
