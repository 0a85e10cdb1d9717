"""Signatures when the ledger is verified: each is made again out of the rows that it names."""

from __future__ import annotations

from uuid import UUID

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


def _agrees(signature: Signature) -> bool:
    reviews = load_reviews(signature.organisation_id, signature.review.snapshot_id) if signature.review else []
    return any(review.id == signature.object_id and is_intact(signature, review) for review in reviews)


checks.append(check_signatures)
