"""Signatures in the API's answer of a snapshot."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from reviewers.review.signing.queries import SignatureRow, signatures_of
from reviewers.snapshots.additions import add_to_answer


def answer(organisation_id: UUID, snapshot_id: UUID) -> list[dict[str, Any]]:
    """Each signature as plain values. While the snapshot is under blind review the answer withholds all of them."""
    return [_told(row) for row in signatures_of(organisation_id, snapshot_id)]


def _told(row: SignatureRow) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "printed_name": row.printed_name,
        "meaning": row.meaning.value,
        "signed_at": row.signed_at.isoformat(),
        "zone": row.zone,
        "review": str(row.review_id),
        "digest": row.digest,
        "standing": row.standing.value,
        "changed_since": list(row.changes),
        "is_replaced": row.is_replaced,
    }


add_to_answer("signatures", answer)
