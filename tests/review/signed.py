"""Reviews that are submitted and signed, as tests need them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.http import HttpResponse
from django.test import Client

from reviewers.accounts.models import Membership, Proof
from reviewers.accounts.sign_in.proofs import create_proof
from reviewers.review.labels import actions
from reviewers.review.models import Meaning, QueueItem, Signature, Submission
from reviewers.review.signing.actions import Intent
from reviewers.review.signing.actions import sign as sign_review
from reviewers.review.signing.statements import SignableReview, digest_of, load_reviews, state_now
from tests.factories import BOTH, NOW, PASSWORD, make_item

ZONE = "Europe/Berlin"


def make_submitted(member: Membership, **changes: Any) -> QueueItem:
    """An item that somebody has reviewed: everything called correct."""
    item = make_item(member.organisation, **(BOTH | changes))
    submit(item, member)
    return item


def submit(item: QueueItem, member: Membership) -> None:
    """Call everything correct, and submit."""
    actions.label_remaining(item_id=item.pk, by=member, now=NOW)
    actions.submit(item_id=item.pk, by=member, now=NOW)


def make_signed(member: Membership) -> Signature:
    """A review that its reviewer has signed."""
    return sign_as_it_stands(make_submitted(member), member)


def review_of(item: QueueItem) -> SignableReview:
    """The review that came in last."""
    return load_reviews(item.organisation_id, item.pk)[-1]


def intent_of(item: QueueItem, meaning: Meaning = Meaning.REVIEWED, **changes: Any) -> Intent:
    """To sign the review that came in last as it stands now."""
    review = review_of(item)
    seen = {"review_id": review.id, "digest": digest_of(state_now(review)), "label_count": review.label_count}
    return Intent(**({"item_id": item.pk, "meaning": meaning, "zone": ZONE} | seen | changes))


def sign_as_it_stands(item: QueueItem, by: Membership, meaning: Meaning = Meaning.REVIEWED, **changes: Any) -> Signature:
    """Sign a review by the action itself."""
    return sign_review(intent=intent_of(item, meaning, **changes), proof=proof_of(by), by=by, now=NOW)


def proof_of(member: Membership, **changes: Any) -> Proof:
    """A proof for one signature, given in no session; with changes it is a row as nobody gave it."""
    whose = {"organisation_id": member.organisation_id, "user_id": member.user_id, "purpose": "sign"}
    if not changes:
        return create_proof(**whose, session_key="", second_factor=False, now=NOW)
    times = {"given_at": NOW, "expires_at": NOW + timedelta(minutes=5)}
    return Proof.objects.create(**(whose | {"session": "0" * 64} | times | changes))


def form_of(item: QueueItem, **changes: Any) -> dict[str, Any]:
    """The form of the page as it would be sent, with a password; ``meaning`` only where it is given."""
    review = review_of(item)
    seen = {"review": str(review.id), "digest": digest_of(state_now(review)), "labels": review.label_count, "zone": ZONE}
    return seen | {"proof": "sign", "password": PASSWORD} | changes


def form_of_several(*items: QueueItem) -> dict[str, Any]:
    """The form that signs the last review of each, with a password."""
    seen = [intent_of(item) for item in items]
    chosen = [f"{each.item_id}:{each.review_id}:{each.digest}:{each.label_count}" for each in seen]
    return {"chosen": chosen, "zone": ZONE, "proof": "sign", "password": PASSWORD}


def send(client: Client, item: QueueItem, name: str = "sign", **changes: Any) -> HttpResponse:
    """Sign over the page."""
    return client.post(f"/items/{item.pk}/{name}/", form_of(item, **changes))


def submission_of(item: QueueItem) -> Submission:
    return Submission.objects.get(snapshot=item.pk)
