"""Proofs of identity as rows: given once, found by the session they were given in, and used up in the transaction of an act."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from reviewers.accounts.announcements import Announcement, announce, user_actor
from reviewers.accounts.models import Proof

_KEPT_UNUSED = timedelta(days=1)


class ProofUsed(Exception):  # noqa: N818 — not an error of anybody's: somebody was quicker
    """The proof was used for another act meanwhile, or has expired."""


@transaction.atomic
def give_proof(*, organisation_id: UUID, user_id: UUID, session_key: str, purpose: str, second_factor: bool, now: datetime) -> Proof:
    """Keep that somebody has just proved who they are. Call this within the walls of the organisation."""
    proof = Proof.objects.create(
        organisation_id=organisation_id,
        user_id=user_id,
        session=digest_session(session_key),
        purpose=purpose,
        given_at=now,
        expires_at=now + settings.PROOF_LASTS,
    )
    details = {"purpose": purpose, "second_factor": second_factor, "proof": str(proof.pk)}
    announce(Announcement("proof.given", organisation_id, user_actor(user_id), now, "user", user_id, details))
    return proof


def open_proofs(*, organisation_id: UUID, user_id: UUID, session_key: str | None, purpose: str, now: datetime) -> QuerySet[Proof]:
    """Return the fresh, unused proofs of a person for a purpose, given in this session and organisation."""
    mine = Proof.objects.filter(organisation_id=organisation_id, user_id=user_id, purpose=purpose)
    return mine.filter(session=digest_session(session_key) if session_key else None, used_at=None, expires_at__gt=now).order_by("given_at")


def use_proof(*, proof: Proof, act: str, now: datetime) -> None:
    """Use a proof up for an act, in the transaction of the act; raise ``ProofUsed`` if it is used already or has expired.

    If the act is rolled back, so is this: the proof is good for another try.
    """
    if not Proof.objects.filter(pk=proof.pk, used_at=None, expires_at__gt=now).update(used_at=now, used_for=act):
        raise ProofUsed
    proof.used_at, proof.used_for = now, act


def forget_unused(*, now: datetime) -> int:
    """Delete the proofs that expired unused a while ago; nothing rests on them."""
    deleted, _ = Proof.objects.filter(used_at=None, expires_at__lt=now - _KEPT_UNUSED).delete()
    return deleted


def digest_session(key: str) -> str:
    """Return what is kept of a session's key: whoever reads the table cannot enter by it."""
    return salted_hmac("footnote.proof", key, algorithm="sha256").hexdigest()
