"""Signs reviews."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.shortcuts import get_object_or_404

from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Membership, Proof
from reviewers.accounts.sign_in.proofs import use_proof
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.review.models import Meaning, QueueItem, Signature, Signed
from reviewers.review.signing.policies import check_is_as_shown, check_may_sign
from reviewers.review.signing.statements import SignableReview, bytes_of, digest_of, load_reviews, state_now


@dataclass(frozen=True, slots=True)
class Intent:
    """A review as the signer saw it, and the meaning in which they sign.

    ``digest`` and ``label_count`` are those of the statement that was shown; ``zone`` is the signer's time zone.
    """

    item_id: UUID
    review_id: UUID
    digest: str
    label_count: int
    meaning: Meaning
    zone: str


@transaction.atomic
def sign(*, intent: Intent, proof: Proof, by: Membership, now: datetime) -> Signature:
    """Sign a review as it is, and use the proof for it. Signing the same again returns the existing signature.

    Raises ``Refused`` if the member may not sign it so or it has changed since they saw it, and ``ProofUsed`` if the proof was used for
    something else.
    """
    get_object_or_404(QueueItem.objects.select_for_update().only("pk"), pk=intent.item_id, organisation=by.organisation_id)
    reviews = {review.id: review for review in load_reviews(by.organisation_id, intent.item_id)}
    review = check_may_sign(reviews.get(intent.review_id), intent.meaning, by.user_id)
    check_is_as_shown(review, intent.digest, intent.label_count)
    place = {"object_type": Signed.REVIEW, "object_id": review.id, "signer_id": by.user_id, "meaning": intent.meaning}
    there = Signature.objects.filter(**place, digest=_digest_bytes(intent.digest)).first()
    if there:
        return there
    use_proof(proof=proof, act=f"sign {review.id}", now=now)
    return _write(review, place | {"proof": proof}, intent, by, now)


def _write(review: SignableReview, place: dict[str, Any], intent: Intent, by: Membership, now: datetime) -> Signature:
    statement = state_now(review)
    signature = Signature.objects.create(
        **place,
        organisation_id=by.organisation_id,
        printed_name=by.user.name,
        signed_at=now,
        zone=intent.zone,
        review_id=review.id,
        attribution_id=review.shown,
        label_count=review.label_count,
        statement=zlib.compress(bytes_of(statement)),
        digest=_digest_bytes(digest_of(statement)),
    )
    record(_event(signature, review, by))
    return signature


def _event(signature: Signature, review: SignableReview, by: Membership) -> Event:
    """Return the event of a signature.

    It only commits to digest, name and zone: the digest of a protected text lets a guess be confirmed.
    """
    return Event(
        action=Action.SIGNATURE_MADE,
        organisation_id=by.organisation_id,
        by=user_actor(by.user_id),
        at=signature.signed_at,
        object_type="snapshot",
        object_id=review.item_id,
        details={
            "signature": str(signature.id),
            "meaning": signature.meaning,
            "signs": signature.object_type,
            "review": str(review.id),
            "proof": str(signature.proof_id),
        },
        parts=[
            ("statement.sha256", bytes(signature.digest)),
            ("printed_name", signature.printed_name.encode()),
            ("zone", signature.zone.encode()),
        ],
        rows=rows_of([signature]),
    )


def _digest_bytes(digest: str) -> bytes:
    return bytes.fromhex(digest.removeprefix("sha256:"))
