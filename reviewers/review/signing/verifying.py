"""Signatures when the ledger is verified: each is made again out of the rows that it names."""

from __future__ import annotations

from uuid import UUID

from django.db import connection

from reviewers.accounts.models import Proof
from reviewers.ledger.verifying.difference import Differs
from reviewers.ledger.verifying.further import checks
from reviewers.ledger.verifying.paging import pages
from reviewers.review.signature_models import Signature
from reviewers.review.signing.loading import load_reviews
from reviewers.review.signing.queries import is_intact


def check_signatures(organisation_id: UUID) -> None:
    """Raises ``Differs`` at the first whose digest is not that of what it signs. One that was redacted cannot be made again."""
    for signatures in pages(Signature.objects.filter(organisation=organisation_id).select_related("review"), "id"):
        for signature in signatures:
            if not signature.is_redacted and not _agrees(signature):
                raise Differs(Signature, signature.id, "is not of what is recorded of the review that it names", "digest")


def check_proofs(organisation_id: UUID) -> None:
    """Raise ``Differs`` at the first proof that was not given by the signer for the one signature that names it."""
    with connection.cursor() as cursor:
        cursor.execute(_PROOFS, {"organisation": organisation_id})
        if (found := cursor.fetchone()) is not None:
            raise Differs(Proof, *found)
    first = Proof.objects.filter(organisation=organisation_id).order_by("given_at").first()
    without = Signature.objects.filter(organisation=organisation_id, proof=None, signed_at__gte=first.given_at).first() if first else None
    if without:
        raise Differs(Signature, without.id, "was made without a proof of who signed, where each has one", "proof_id")


_PROOFS = """
SELECT proof_id, CASE
    WHEN id IS NULL THEN 'is gone, and a signature was made by it' ELSE 'is not of the signature that was made by it' END, CASE
    WHEN id IS NULL THEN '' WHEN user_id <> signer_id THEN 'user_id' WHEN purpose <> 'sign' THEN 'purpose'
    WHEN used_at IS DISTINCT FROM signed_at THEN 'used_at' ELSE 'used_for' END
FROM (
    SELECT signature.proof_id, signature.signer_id, signature.signed_at, signature.object_id, proof.*
    FROM review_signature AS signature LEFT JOIN accounts_proof AS proof
        ON proof.id = signature.proof_id AND proof.organisation_id = signature.organisation_id
    WHERE signature.organisation_id = %(organisation)s AND signature.proof_id IS NOT NULL
) AS compared
WHERE id IS NULL OR user_id <> signer_id OR purpose <> 'sign' OR used_at IS DISTINCT FROM signed_at
    OR used_for <> 'sign ' || object_id::text
ORDER BY proof_id LIMIT 1
"""


def _agrees(signature: Signature) -> bool:
    reviews = load_reviews(signature.organisation_id, signature.review.snapshot_id) if signature.review else []
    return any(review.id == signature.object_id and is_intact(signature, review) for review in reviews)


checks.extend([check_signatures, check_proofs])
