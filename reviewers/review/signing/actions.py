"""Signs reviews."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import Http404

from attribution import canonical_bytes
from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Membership, Proof
from reviewers.accounts.sign_in.proofs import use_proof
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.review.models import Meaning, QueueItem, Signature, SignedKind
from reviewers.review.signing.policies import check_is_as_shown, check_may_sign, check_tells_nothing_hidden, reviews_known_to
from reviewers.review.signing.statements import SignableReview, digest_of, load_reviews_of, state_now


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


def sign(*, intent: Intent, proof: Proof, by: Membership, now: datetime) -> Signature:
    """Sign a review as it is, and use the proof for it. Signing the same again returns the existing signature.

    Raises the same exceptions as ``sign_all``.
    """
    (signature,) = sign_all(intents=[intent], proof=proof, by=by, now=now)
    return signature


@transaction.atomic
def sign_all(*, intents: Sequence[Intent], proof: Proof, by: Membership, now: datetime) -> list[Signature]:
    """Sign reviews as they are, all or none of them, and use the proof for this one act. Those that are signed already stay so.

    A review that is named twice is signed once.

    Raises ``Refused`` if the member may not sign one of them so or it has changed since they saw it, and ``ProofUsed`` if the proof was
    used for something else.
    """
    item_ids = sorted({intent.item_id for intent in intents})
    locked = QueueItem.objects.select_for_update().only("pk").filter(pk__in=item_ids, organisation=by.organisation_id).order_by("pk")
    if len(locked) != len(item_ids):
        raise Http404
    check_tells_nothing_hidden(by, item_ids)
    reviews = {review.id: review for review in reviews_known_to(by, load_reviews_of(by.organisation_id, item_ids))}
    seen = [(intent, _as_seen(intent, reviews.get(intent.review_id), by)) for intent in intents]
    there = {review.id: found for intent, review in seen if (found := _find(intent, by))}
    new = {review.id: (intent, review) for intent, review in seen if review.id not in there}
    if new:
        use_proof(proof=proof, act=act_of(list(new)), now=now)
    made = {pk: _write(review, _place(intent, by) | {"proof": proof}, intent, by, now) for pk, (intent, review) in new.items()}
    return [(there | made)[review.id] for _, review in seen]


def act_of(review_ids: Sequence[UUID]) -> str:
    """Return what a proof was used for: the review that was signed, or the number of several and a digest over their identifiers."""
    named = sorted(map(str, review_ids))
    digest = sha256("\n".join(named).encode()).hexdigest()
    return f"sign {named[0]}" if len(named) == 1 else f"sign {len(named)} reviews {digest}"


def _as_seen(intent: Intent, review: SignableReview | None, by: Membership) -> SignableReview:
    found = check_may_sign(review if review and review.item_id == intent.item_id else None, intent.meaning, by.user_id)
    check_is_as_shown(found, intent.digest, intent.label_count)
    return found


def _place(intent: Intent, by: Membership) -> dict[str, Any]:
    return {"object_type": SignedKind.REVIEW, "object_id": intent.review_id, "signer_id": by.user_id, "meaning": intent.meaning}


def _find(intent: Intent, by: Membership) -> Signature | None:
    return Signature.objects.filter(**_place(intent, by), digest=_digest_bytes(intent.digest)).first()


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
        statement=zlib.compress(canonical_bytes(statement)),
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
