"""Verification of the queue and of signatures as part of the ledger's verification.

The state of a queue item follows from records. One database pass compares all items with them, and names the column that differs.
Somebody who skips an item that needs several reviews only sets it aside for themselves: once its plan is stopped and releases it, it is to
do. A signature is rebuilt from the rows that it names.
"""

from __future__ import annotations

from uuid import UUID

from django.db import connection
from django.db.models import Q

from reviewers.accounts.models import Proof
from reviewers.ledger.verification.checks import LedgerMismatch, pages
from reviewers.review.adjudication.decisions import load_reviews_of_items
from reviewers.review.models import Phase, QueueItem, Signature, State
from reviewers.review.signing.queries import is_intact
from reviewers.review.signing.statements import load_reviews
from reviewers.snapshots.redactable_parts import BARS

_FIRST = """
WITH item AS (SELECT * FROM review_queueitem WHERE organisation_id = %(organisation)s),
reviewed AS (
    SELECT snapshot_id, round, count(*) AS reviews, max(submitted_at) AS last_at
    FROM review_submission WHERE organisation_id = %(organisation)s GROUP BY snapshot_id, round
),
reopened AS (SELECT snapshot_id, count(*) AS times FROM review_reopening WHERE organisation_id = %(organisation)s GROUP BY snapshot_id),
drawn AS (
    SELECT drawn.item_id, drawn.plan_id FROM review_planitem AS drawn JOIN review_plan AS plan ON plan.id = drawn.plan_id
    WHERE drawn.organisation_id = %(organisation)s AND plan.state IN ('running', 'finished')
),
passed AS (
    SELECT DISTINCT ON (object_id) object_id, id, action, actor_id, convert_from(secret.payload, 'UTF8')::jsonb ->> 'reason' AS reason
    FROM ledger_auditevent LEFT JOIN ledger_eventsecret AS secret ON secret.event_id = id
    WHERE ledger_auditevent.organisation_id = %(organisation)s
    AND action IN ('review.skipped', 'lease.taken', 'review.submitted', 'item.reopened')
    ORDER BY object_id, id DESC
),
released AS (
    SELECT passed.object_id FROM passed WHERE passed.action = 'review.skipped' AND EXISTS (
        SELECT FROM review_planitem AS own JOIN review_plan AS plan ON plan.id = own.plan_id AND plan.overlap > 1
        JOIN ledger_auditevent AS stopped ON stopped.object_id = plan.id AND stopped.action = 'plan.stopped'
        WHERE stopped.organisation_id = %(organisation)s
        AND own.item_id = passed.object_id AND own.id < passed.id AND stopped.id > passed.id)
)
SELECT snapshot_id, differing FROM (SELECT item.snapshot_id, CASE
    WHEN item.organisation_id <> snapshot.organisation_id THEN 'organisation_id'
    WHEN item.answered_at <> snapshot.answered_at THEN 'answered_at'
    WHEN attribution.id IS NULL THEN 'attribution_id'
    WHEN item.found_count <> attribution.found_count THEN 'found_count'
    WHEN ARRAY(SELECT unnest(item.facets) ORDER BY 1) <> ARRAY(
        SELECT unnest(
            ARRAY['model:' || snapshot.model, 'prompt:' || snapshot.prompt_version, 'source:' || attribution.source]
            || ARRAY(SELECT 'guardrail:' || code FROM jsonb_object_keys(attribution.guardrails) AS code)
            || ARRAY(SELECT 'section:' || section FROM unnest(attribution.sections) AS section)
            || CASE WHEN attribution.below_count > 0 THEN ARRAY['confidence:low'] ELSE '{}' END
            || CASE WHEN coalesce(documents.validity, '') <> '' THEN ARRAY['validity:' || documents.validity] ELSE '{}' END
            || ARRAY(SELECT 'issue:' || code FROM jsonb_object_keys(coalesce(documents.issues, '{}')) AS code)
            || CASE WHEN documents.is_withheld THEN ARRAY['answer:withheld'] ELSE '{}' END
            || CASE WHEN documents.repaired_count > 0 THEN ARRAY['answer:repaired'] ELSE '{}' END
        ) ORDER BY 1) THEN 'facets'
    WHEN item.citation_counts <> coalesce(documents.citation_counts, '{}') THEN 'citation_counts'
    WHEN drawn.plan_id IS NOT NULL AND item.plan_id IS DISTINCT FROM drawn.plan_id THEN 'plan_id'
    WHEN item.plan_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM review_planitem AS own WHERE own.item_id = item.snapshot_id AND own.plan_id = item.plan_id) THEN 'plan_id'
    WHEN item.is_blind <> coalesce(plan.is_blind, false) THEN 'is_blind'
    WHEN item.overlap <> coalesce(plan.overlap, 1) THEN 'overlap'
    WHEN item.round <> 1 + coalesce(reopened.times, 0) THEN 'round'
    WHEN item.state = 'submitted' AND coalesce(reviewed.reviews, 0) = 0 THEN 'state'
    WHEN item.state <> 'submitted' AND coalesce(reviewed.reviews, 0) >= item.overlap THEN 'state'
    WHEN item.state = 'skipped' AND passed.action IS DISTINCT FROM 'review.skipped' THEN 'state'
    WHEN item.state = 'to_do' AND item.overlap = 1 AND item.plan_id IS NULL AND passed.action = 'review.skipped'
        AND released.object_id IS NULL THEN 'state'
    WHEN item.state = 'skipped' AND item.skipped_by_id IS DISTINCT FROM passed.actor_id THEN 'skipped_by_id'
    WHEN item.state <> 'skipped' AND item.skipped_by_id IS NOT NULL THEN 'skipped_by_id'
    WHEN item.state <> 'skipped' AND item.skip_reason <> '' THEN 'skip_reason'
    WHEN item.state = 'skipped' AND item.skip_reason <> coalesce(passed.reason, %(bars)s) THEN 'skip_reason'
    WHEN (item.state = 'submitted') <> (item.phase IN ('consolidating', 'complete')) THEN 'phase'
    WHEN item.state = 'submitted' AND item.submitted_at IS DISTINCT FROM reviewed.last_at THEN 'submitted_at'
    WHEN item.state = 'submitted' AND NOT EXISTS (
        SELECT FROM review_submission AS own WHERE own.snapshot_id = item.snapshot_id AND own.round = item.round
        AND own.reviewer_id = item.submitted_by_id AND own.submitted_at = item.submitted_at) THEN 'submitted_by_id'
    WHEN item.has_unsupported <> (item.state = 'submitted' AND review_has_unsupported(item.snapshot_id, item.round)) THEN 'has_unsupported'
    END AS differing
FROM item JOIN snapshots_snapshot AS snapshot ON snapshot.id = item.snapshot_id
LEFT JOIN snapshots_snapshotattribution AS attribution
    ON attribution.id = item.attribution_id AND attribution.snapshot_id = item.snapshot_id
LEFT JOIN snapshots_snapshotdocuments AS documents ON documents.attribution_id = attribution.id
LEFT JOIN review_plan AS plan ON plan.id = item.plan_id
LEFT JOIN reviewed ON reviewed.snapshot_id = item.snapshot_id AND reviewed.round = item.round
LEFT JOIN reopened ON reopened.snapshot_id = item.snapshot_id
LEFT JOIN drawn ON drawn.item_id = item.snapshot_id
LEFT JOIN passed ON passed.object_id = item.snapshot_id
LEFT JOIN released ON released.object_id = item.snapshot_id) AS compared WHERE differing IS NOT NULL LIMIT 1
"""

_MISSING = """
SELECT snapshot.id FROM snapshots_snapshot AS snapshot
WHERE snapshot.organisation_id = %(organisation)s AND EXISTS (SELECT FROM snapshots_snapshotattribution WHERE snapshot_id = snapshot.id)
AND NOT EXISTS (SELECT FROM review_queueitem WHERE snapshot_id = snapshot.id) LIMIT 1
"""


def check_queue(organisation_id: UUID) -> None:
    """Raise ``LedgerMismatch`` at an item that differs from its records, or at a snapshot that is in no queue."""
    with connection.cursor() as cursor:
        cursor.execute(_FIRST, {"organisation": organisation_id, "bars": BARS})
        if (found := cursor.fetchone()) is not None:
            raise LedgerMismatch(QueueItem, found[0], "is not what the records of this answer and its reviews say", found[1])
        cursor.execute(_MISSING, {"organisation": organisation_id})
        if (found := cursor.fetchone()) is not None:
            raise LedgerMismatch(QueueItem, found[0], "is gone")


def check_phases(organisation_id: UUID) -> None:
    """Raise ``LedgerMismatch`` at a reviewed item that waits for a lead without a conflict, or has one and does not wait.

    An item that lacks reviews is complete because its plan was stopped, even if those that it has differ.
    """
    reviewed = QueueItem.objects.filter(organisation=organisation_id, state=State.SUBMITTED)
    if lone := reviewed.filter(Q(overlap=1) | Q(plan=None)).exclude(phase=Phase.COMPLETE).first():
        raise _differs_in_phase(lone.pk)
    for items in pages(reviewed.filter(overlap__gt=1, plan__isnull=False), "snapshot_id"):
        for item_reviews in load_reviews_of_items(QueueItem.objects.filter(pk__in=[item.pk for item in items])):
            status = item_reviews.review_status
            waits = status.phase is Phase.CONSOLIDATING
            if bool(item_reviews.conflicts) is not waits and (waits or len(status.reviews) == status.overlap):
                raise _differs_in_phase(item_reviews.item_id)


def _differs_in_phase(item_id: UUID) -> LedgerMismatch:
    return LedgerMismatch(QueueItem, item_id, "is not what the labels of its reviews and what was decided between them lead to", "phase")


# Signatures.


def check_signatures(organisation_id: UUID) -> None:
    """Raise ``LedgerMismatch`` at the first signature whose digest does not match what it signs.

    A redacted signature cannot be rebuilt and is passed over.
    """
    for signatures in pages(Signature.objects.filter(organisation=organisation_id).select_related("review"), "id"):
        for signature in signatures:
            if not signature.is_redacted and not _agrees(signature):
                raise LedgerMismatch(Signature, signature.id, "is not of what is recorded of the review that it names", "digest")


def check_proofs(organisation_id: UUID) -> None:
    """Raise ``LedgerMismatch`` at the first proof that its signer did not give for just those signatures that name it."""
    with connection.cursor() as cursor:
        cursor.execute(_PROOFS, {"organisation": organisation_id})
        if (found := cursor.fetchone()) is not None:
            raise LedgerMismatch(Proof, *found)
    first = Proof.objects.filter(organisation=organisation_id).order_by("given_at").first()
    without = Signature.objects.filter(organisation=organisation_id, proof=None, signed_at__gte=first.given_at).first() if first else None
    if without:
        raise LedgerMismatch(Signature, without.id, "was made without a proof of who signed, where each has one", "proof_id")


_PROOFS = """
WITH made AS (SELECT * FROM review_signature WHERE organisation_id = %(organisation)s AND proof_id IS NOT NULL),
acts AS (
    SELECT proof_id, count(*) AS number, string_agg(object_id::text, E'\\n' ORDER BY object_id) AS reviews FROM made GROUP BY proof_id
)
SELECT proof_id, CASE
    WHEN id IS NULL THEN 'is gone, and a signature was made by it' ELSE 'is not of the signature that was made by it' END, CASE
    WHEN id IS NULL THEN '' WHEN user_id <> signer_id THEN 'user_id' WHEN purpose <> 'sign' THEN 'purpose'
    WHEN used_at IS DISTINCT FROM signed_at THEN 'used_at' ELSE 'used_for' END
FROM (
    SELECT made.proof_id, made.signer_id, made.signed_at, CASE WHEN number = 1 THEN 'sign ' || reviews
        ELSE 'sign ' || number || ' reviews ' || encode(sha256(convert_to(reviews, 'UTF8')), 'hex') END AS act, proof.*
    FROM made JOIN acts USING (proof_id) LEFT JOIN accounts_proof AS proof
        ON proof.id = made.proof_id AND proof.organisation_id = made.organisation_id
) AS compared
WHERE id IS NULL OR user_id <> signer_id OR purpose <> 'sign' OR used_at IS DISTINCT FROM signed_at OR used_for <> act
ORDER BY proof_id LIMIT 1
"""
"""Compares each proof with the signatures that name it. ``signing.actions.act_of`` names the act of several in the same way."""


def _agrees(signature: Signature) -> bool:
    reviews = load_reviews(signature.organisation_id, signature.review.snapshot_id) if signature.review else []
    return any(review.id == signature.object_id and is_intact(signature, review) for review in reviews)
