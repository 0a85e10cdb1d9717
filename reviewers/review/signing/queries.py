"""Signatures as pages show them: signer, meaning, time, and whether they still hold; and the page on which somebody signs."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from attribution import canonical_bytes, digest
from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.texts import Surface, hidden_from
from reviewers.review.adjudication.decisions import VERDICTS
from reviewers.review.items import ReviewItem
from reviewers.review.masking.masks import names_of
from reviewers.review.models import FOR_OTHERS, CitationVerdict, ClaimVerdict, Flag, Meaning, QueueItem, Signature, Submission, Verdict
from reviewers.review.signing.policies import meanings_for, repeating_hidden
from reviewers.review.signing.statements import (
    SignableReview,
    Statement,
    Written,
    changes_between,
    digest_of,
    load_reviews,
    load_reviews_of,
    rebuild_statement,
    state_now,
)
from reviewers.review.visibility import hides_work_from, sees_labels, sees_work, viewer_of
from reviewers.review.wording import turn_in_words
from reviewers.snapshots.queries import named


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
        again = canonical_bytes(rebuild_statement(review, json.loads(signed)))
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


# Signatures on the page of an item.


@dataclass(frozen=True, slots=True)
class Signatures:
    """The signatures of an item, oldest first.

    ``to_sign`` are the meanings in which the viewer can still sign the review as it is. ``is_again`` is true if they have signed it before.
    """

    rows: Sequence[SignatureRow]
    to_sign: Sequence[Meaning]
    is_again: bool


def build_signatures(item: ReviewItem, by: Membership) -> Signatures:
    """Return the signatures that the member may see, and what is left to sign."""
    all_rows = signatures_of(by.organisation_id, item.id)
    own = [row for row in all_rows if row.signer_id == by.user_id]
    rows = all_rows if sees_work(viewer_of(by), item.review_status, None) else own
    if rows and (item.hidden or item.repeats_hidden):  # by it a short note could be guessed, or how a turn is marked
        rows = [replace(row, digest="") for row in rows]
    is_held = any(row.standing is SignatureStatus.HOLDS for row in own)
    return Signatures(rows, () if is_held else _meanings(item, by), is_again=bool(own))


def _meanings(item: ReviewItem, by: Membership) -> Sequence[Meaning]:
    if not item.is_submitted:
        return ()
    if item.row.submitted_by_id == by.user_id or item.review_status.review_of(by.user_id):
        return [Meaning.REVIEWED] if may(by, Permission.SIGN_REVIEWS) else ()
    if not any(sees_labels(viewer_of(by), item.review_status, review.reviewer_id) for review in item.review_status.reviews):
        return ()
    return FOR_OTHERS if may(by, Permission.APPROVE_REVIEWS) else ()


# The page on which somebody signs.


MEANINGS = {
    Meaning.REVIEWED: "I have reviewed this answer, and these are my labels.",
    Meaning.ADJUDICATED: "I have decided where there was doubt, and these labels stand.",
    Meaning.APPROVED: "I have looked at this review, and I approve it.",
}


@dataclass(frozen=True, slots=True)
class Signing:
    """The page for one review. A script replaces ``zone`` with that of the browser."""

    item_id: str
    title: str
    turn: str
    review_id: str
    reviewer: str
    submitted_at: datetime
    is_own: bool
    printed_name: str
    meanings: Sequence[tuple[Meaning, str]]
    covered: Sequence[tuple[str, str]]
    snapshot_digest: str
    profile: str
    engine: str
    digest: str
    label_count: int
    statement: str
    zone: str


def build_signing(item: ReviewItem, review: SignableReview, by: Membership) -> Signing:
    """Return the page for signing a review."""
    snapshot, statement = item.row.snapshot, state_now(review)
    return Signing(
        item_id=str(item.id),
        title=snapshot.conversation_id or snapshot.client_reference or snapshot.external_id,
        turn=turn_in_words(snapshot.turn_index),
        review_id=str(review.id),
        reviewer=review.reviewer,
        submitted_at=review.submitted_at,
        is_own=review.reviewer_id == by.user_id,
        printed_name=by.user.name,
        meanings=[(meaning, MEANINGS[meaning]) for meaning in meanings_for(review, by)],
        covered=_covered(statement),
        snapshot_digest=review.snapshot_digest,
        profile=statement["attribution"]["profile"],
        engine=statement["attribution"]["engine"],
        digest=digest_of(statement),
        label_count=review.label_count,
        statement=canonical_bytes(statement).decode(),
        zone=last_zone(by),
    )


# The page on which somebody signs several of their reviews.


MOST_TOGETHER = 50
"""The most reviews that are signed by one act."""


@dataclass(frozen=True, slots=True)
class ToSign:
    """A review of one's own without a signature, with what its signature would cover.

    ``doubts`` say why it should be looked at again first.
    """

    item_id: UUID
    review_id: UUID
    title: str
    turn: str
    submitted_at: datetime
    covered: Sequence[tuple[str, str]]
    digest: str
    label_count: int
    doubts: Sequence[str]

    @property
    def as_seen(self) -> str:
        """Return the review as a form names it: its item, itself, and the digest and number of labels that are signed."""
        return f"{self.item_id}:{self.review_id}:{self.digest}:{self.label_count}"


def count_unsigned(by: Membership) -> int:
    """Return the number of the member's reviews that count now and that they have not signed."""
    return _unsigned(by).count()


def list_unsigned(by: Membership) -> tuple[list[ToSign], int]:
    """Return the oldest reviews of the member that count now and that they have not signed, and how many of these have to wait.

    What has to wait has the digest of a record that may repeat a turn that the member reviews blind.
    """
    rows = list(_unsigned(by).select_related("snapshot").defer("snapshot__record").order_by("submitted_at", "id")[:MOST_TOGETHER])
    reviews = {review.id: review for review in load_reviews_of(by.organisation_id, [row.snapshot_id for row in rows])}
    ids = [row.snapshot_id for row in rows]
    hidden, flagged, waiting = hidden_from(by, Surface.QUEUE), _flagged(by, ids), repeating_hidden(by, ids)
    told = [
        _to_sign(
            reviews[row.pk],
            names_of(row.snapshot, hidden).title,
            turn_in_words(row.snapshot.turn_index),
            is_flagged=row.snapshot_id in flagged,
        )
        for row in rows
        if row.snapshot_id not in waiting
    ]
    return told, len(rows) - len(told)


def _flagged(by: Membership, item_ids: Sequence[UUID]) -> set[UUID]:
    """Return the items with an open flag that the member may know of."""
    hidden = QueueItem.objects.filter(hides_work_from(viewer_of(by)), pk__in=item_ids).values("pk")
    known = Flag.objects.filter(Q(reviewer=by.user_id) | ~Q(snapshot__in=hidden), snapshot__in=item_ids, resolution=None)
    return set(known.values_list("snapshot_id", flat=True))


def _unsigned(by: Membership) -> QuerySet[Submission]:
    signed = Signature.objects.filter(review=OuterRef("pk"), signer=by.user_id)
    own = Submission.objects.filter(organisation=by.organisation_id, reviewer=by.user_id, round=F("snapshot__item__round"))
    return own.filter(~Exists(signed))


def _to_sign(review: SignableReview, title: str, turn: str, *, is_flagged: bool) -> ToSign:
    statement = state_now(review)
    return ToSign(
        item_id=review.item_id,
        review_id=review.id,
        title=title,
        turn=turn,
        submitted_at=review.submitted_at,
        covered=_covered(statement),
        digest=digest_of(statement),
        label_count=review.label_count,
        doubts=_doubts(statement, is_flagged=is_flagged),
    )


def _doubts(statement: Statement, *, is_flagged: bool) -> list[str]:
    """Return why a review should be looked at again before it is signed. A label has a reason if it was changed after submission."""
    labels = (*statement["fields"], *statement["citations"], *statement.get("claims", ()))
    doubts = {
        "labels changed after you submitted": any(label["reason"] for label in labels),
        "decided by a lead since": "decisions" in statement,
        "citations found afterwards": statement["found_afterwards"] is not None,
        "an open flag": is_flagged,
    }
    return [words for words, is_so in doubts.items() if is_so]


def choose_review(reviews: Sequence[SignableReview], chosen: str, by: Membership) -> SignableReview | None:
    """Return the review with this identifier, or by default one's own, else the last one submitted.

    By default only reviews of the present round count.
    """
    if chosen:
        return next((review for review in reviews if str(review.id) == chosen), None)
    present = [review for review in reviews if review.is_present]
    own = [review for review in present if review.reviewer_id == by.user_id]
    return (own or present)[-1] if present else None


def _covered(statement: Statement) -> list[tuple[str, str]]:
    """Return the number of labels by verdict, for each kind of label."""
    fields = _counted(statement["fields"], {verdict.value: verdict.label for verdict in Verdict})
    citations = _counted(statement["citations"], {verdict.value: verdict.label for verdict in CitationVerdict})
    claims = _counted(statement.get("claims", ()), {verdict.value: verdict.label for verdict in ClaimVerdict})
    decisions = _counted(statement.get("decisions", ()), VERDICTS)
    kinds = (
        ("Labels of fields", fields),
        ("Labels of citations", citations),
        ("Labels of words", claims),
        ("Decided by a lead", decisions),
    )
    return [(name, words) for name, words in kinds if words] or [("Labels", "none: the answer draws on nothing that needs one")]


def _counted(labels: Sequence[Written], spoken: dict[str, str]) -> str:
    counts = Counter(label["verdict"] for label in labels)
    noted = sum(label.get("note") is not None for label in labels)
    words = [f"{counts[verdict]} {name.lower()}" for verdict, name in spoken.items() if counts[verdict]]
    return ", ".join(words) + (f"; {noted} with a note" if noted else "")


def last_zone(by: Membership) -> str:
    """Return the time zone of the member's last signature, else the site's."""
    last = Signature.objects.filter(organisation=by.organisation_id, signer=by.user_id).order_by("-signed_at")
    return last.values_list("zone", flat=True).first() or settings.TIME_ZONE
