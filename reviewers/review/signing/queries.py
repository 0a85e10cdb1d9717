"""Signatures as they are shown: signer, meaning, time, and whether they still hold."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID
from zoneinfo import ZoneInfo

from attribution import digest
from reviewers.review.models import Meaning, Signature
from reviewers.review.signing.statements import (
    SignableReview,
    Statement,
    bytes_of,
    changes_between,
    digest_of,
    load_reviews,
    load_reviews_of,
    named,
    rebuild_statement,
    state_now,
)


class SignatureStatus(StrEnum):
    """The status of a signature.

    It holds, is void because what it signs was changed, or is broken because the rows it names have been altered. If what it signs was
    redacted, neither can be told; the ledger shows that it was made.
    """

    HOLDS = "holds"
    VOID = "void"
    BROKEN = "broken"
    REDACTED = "redacted"


@dataclass(frozen=True, slots=True)
class SignatureRow:
    """A signature with its status.

    ``changes`` say why it is void. ``is_replaced`` is true if its signer has signed again in the same meaning.
    """

    id: UUID
    review_id: UUID
    signer_id: UUID
    printed_name: str
    meaning: Meaning
    signed_at: datetime
    zone: str
    digest: str
    standing: SignatureStatus
    changes: Sequence[str]
    is_replaced: bool

    @property
    def moment(self) -> str:
        """Return the time in the signer's time zone, with the zone."""
        return in_zone(self.signed_at, self.zone)


def in_zone(moment: datetime, zone: str) -> str:
    """Return a time as in ``3 Mar 2026, 19:42:08 CET (UTC+01:00, Europe/Berlin)``."""
    local = moment.astimezone(ZoneInfo(zone))
    offset = local.strftime("%z")
    place = "" if zone == "UTC" else f" (UTC{offset[:3]}:{offset[3:5]}, {zone})"
    return f"{local.day} {local:%b %Y, %H:%M:%S %Z}{place}"


def signatures_of(organisation_id: UUID, item_id: UUID) -> list[SignatureRow]:
    """Return the signatures of an item, oldest first. It loads the reviews only if there are any."""
    signatures = list(Signature.objects.filter(organisation=organisation_id, review__snapshot=item_id).order_by("signed_at", "id"))
    return signature_statuses(signatures, load_reviews(organisation_id, item_id)) if signatures else []


def signatures_of_items(organisation_id: UUID, item_ids: Sequence[UUID]) -> dict[UUID, list[SignatureRow]]:
    """Return the signatures of several items, by item, in two queries."""
    of_items = Signature.objects.filter(organisation=organisation_id, review__snapshot__in=item_ids).select_related("review")
    signatures = list(of_items.order_by("signed_at", "id"))
    items = {signature.id: signature.review.snapshot_id for signature in signatures if signature.review}
    rows: dict[UUID, list[SignatureRow]] = {}
    for row in signature_statuses(signatures, load_reviews_of(organisation_id, sorted(set(items.values())))) if signatures else ():
        rows.setdefault(items[row.id], []).append(row)
    return rows


def signature_statuses(signatures: Sequence[Signature], reviews: Iterable[SignableReview]) -> list[SignatureRow]:
    """Return the signatures with their status, given the reviews as they are now."""
    by_id = {review.id: review for review in reviews}
    newest = {_place(signature): signature.id for signature in signatures}
    return [_row(signature, by_id.get(signature.object_id), newest) for signature in signatures]


def statement_of(signature: Signature) -> bytes:
    """Return what was signed, byte for byte."""
    return zlib.decompress(bytes(signature.statement))


def is_intact(signature: Signature, review: SignableReview) -> bool:
    """True if the digest matches what was signed, and the rows that it names are unaltered."""
    try:
        signed = statement_of(signature)
        again = bytes_of(rebuild_statement(review, json.loads(signed)))
    except (zlib.error, ValueError, KeyError, TypeError):  # not a statement any more
        return False
    return again == signed and digest(signed) == digest_of_signature(signature)


def digest_of_signature(signature: Signature) -> str:
    """Return the digest with its prefix."""
    return named(signature.digest)


def _place(signature: Signature) -> tuple[UUID, UUID, str]:
    return signature.object_id, signature.signer_id, signature.meaning


def _row(signature: Signature, review: SignableReview | None, newest: Mapping[tuple[UUID, UUID, str], UUID]) -> SignatureRow:
    standing, changes = _standing(signature, review)
    return SignatureRow(
        id=signature.id,
        review_id=signature.object_id,
        signer_id=signature.signer_id,
        printed_name=signature.printed_name,
        meaning=Meaning(signature.meaning),
        signed_at=signature.signed_at,
        zone=signature.zone,
        digest=digest_of_signature(signature),
        standing=standing,
        changes=changes,
        is_replaced=newest[_place(signature)] != signature.id,
    )


def _standing(signature: Signature, review: SignableReview | None) -> tuple[SignatureStatus, Sequence[str]]:
    if signature.is_redacted:
        return SignatureStatus.REDACTED, ()
    if review is None or not is_intact(signature, review):
        return SignatureStatus.BROKEN, ()
    signed: Statement = json.loads(statement_of(signature))
    now = state_now(review)
    if digest_of(now) == digest_of_signature(signature):
        return SignatureStatus.HOLDS, ()
    return SignatureStatus.VOID, changes_between(signed, now)
