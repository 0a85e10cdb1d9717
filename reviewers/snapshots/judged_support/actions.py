"""Judged support: a model judges if sources support what cites them.

Citations are judged when the answer is frozen, when citations were found afterwards, and again when a lead asks for it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet, Sum
from django.utils import timezone
from psycopg.errors import UniqueViolation

from attribution import (
    SUPPORT_QUESTION,
    SUPPORT_SCHEMA,
    DocumentAttribution,
    NoUsableReply,
    SearchFailed,
    SupportQuestion,
    canonical_bytes,
    digest,
    question_of_support,
    read_support,
)
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.ledger.queries import list_redacted_of
from reviewers.snapshots.citations import Citation, citations_of, windows_of, with_post_hoc_citations
from reviewers.snapshots.hooks import why_withheld
from reviewers.snapshots.ingest.freeze import thaw_documents
from reviewers.snapshots.judged_support.queries import judgements_of
from reviewers.snapshots.models import Snapshot, SnapshotAttribution, SupportJudgement, SupportOutcome, SupportRequest, SupportResult
from reviewers.snapshots.queries import newest_search, read_search
from reviewers.snapshots.redactable_parts import is_of_record
from reviewers.snapshots.redaction import lock_snapshot
from reviewers.snapshots.work_requests import is_for_words, readable_sources
from reviewers.web.models import unpack

MOST_JUDGED = 50
"""The most citations of an answer that are judged, the first ones."""


def citations_to_judge(documents: DocumentAttribution) -> list[Citation]:
    """Return the citations of an answer that can be judged: for not too many of its words, and of a source with a text.

    ``documents`` has the texts. Of an answer that the assistant withheld there are none.
    """
    readable, text = readable_sources(documents), documents.clean_text
    found = [each for each in citations_of(documents) if each.source in readable and is_for_words(each.reference, text)]
    return found[:MOST_JUDGED]


# Judging, one citation after the other: each judgement is stored with its event before the next one is asked for. So a worker that is
# killed loses one at most, and the next worker asks for the rest.


AT_ONCE = 10
"""The most citations that one job judges; the next job goes on, so that others get their turn."""

_DAY = timedelta(days=1)
_LONGEST_REASON = 500
_log = structlog.get_logger(__name__)

UNUSABLE = "no_usable_reply"
"""The reason of a judgement whose reply was refused, withheld or unreadable."""


@dataclass(frozen=True, slots=True)
class PendingSupport:
    """A pending request with its inputs: the answer as it was read, and the citations that are not judged yet."""

    row: SupportRequest
    snapshot_id: UUID
    digest: bytes
    documents: DocumentAttribution
    citations: tuple[Citation, ...]

    @property
    def has_more(self) -> bool:
        """True if there are more citations than are judged at once."""
        return len(self.citations) > AT_ONCE


class NotSent(Exception):  # noqa: N818 — as it should be
    """An answer that is not sent, or not any more; the message says why."""


def find_pending_support(request_id: UUID) -> PendingSupport | None:
    """Return a request without a result, with its inputs; None if it has one."""
    pending = SupportRequest.objects.filter(pk=request_id, result=None)
    row = pending.select_related("attribution__snapshot", "attribution__documents").first()
    if row is None:
        return None
    snapshot = row.attribution.snapshot
    documents = documents_judged(row.attribution)
    judged = set(row.judgements.values_list("number", flat=True))
    citations = tuple([each for each in citations_to_judge(documents) if each.number not in judged])
    return PendingSupport(row, snapshot.pk, bytes(snapshot.digest), documents, citations)


def documents_judged(attribution: SnapshotAttribution) -> DocumentAttribution:
    """Return the documents of an answer with the texts of its sources, and with the citations that were found afterwards."""
    document = unpack(attribution.documents.document)
    found = thaw_documents(document, json.loads(bytes(attribution.snapshot.record)))
    searched = SnapshotAttribution.objects.annotate(searched=newest_search("pk")).values_list("searched", flat=True).get(pk=attribution.pk)
    return with_post_hoc_citations(found, read_search(searched))


def judge_pending(wanted: PendingSupport) -> tuple[SupportOutcome, str]:
    """Judge the next citations; return the outcome and its reason. Raises ``SearchFailed`` if the endpoint gives no reply.

    Before each question the answer is looked at again: a review, a redaction or the switch may have come between.
    """
    try:
        for citation in wanted.citations[:AT_ONCE]:
            _check_may_be_sent(wanted)
            _store(wanted, _judge(wanted, citation))
    except NotSent as reason:
        return SupportOutcome.SKIPPED, str(reason)
    except SearchFailed:
        raise
    except Exception as error:  # noqa: BLE001 — every failure is stored, so that the page can show it
        _log.error("judged_support_broke", request=str(wanted.row.id), error=type(error).__name__)
        raise SearchFailed(f"an error of this site ({type(error).__name__})", may_pass=True) from None
    return SupportOutcome.JUDGED, ""


def _check_may_be_sent(wanted: PendingSupport) -> None:
    """Raise ``NotSent`` if nothing of the answer may leave the site now."""
    organisation_id = wanted.row.organisation_id
    if not Organisation.objects.filter(pk=organisation_id, judges_support=True).exists():
        raise NotSent("judging was turned off before its turn came")
    _check_may_be_judged(wanted)


def _check_may_be_judged(wanted: PendingSupport) -> None:
    """Raise ``NotSent`` if the answer is under blind review, or not what it was when it was read."""
    if why_withheld(wanted.snapshot_id):
        raise NotSent("the answer is under blind review")
    redacted = any(is_of_record(name) for each in list_redacted_of([wanted.snapshot_id]) for name in each.parts)
    if redacted or not Snapshot.objects.filter(pk=wanted.snapshot_id, digest=wanted.digest).exists():
        raise NotSent("parts of this record were redacted")


def requests_lately(judgements: QuerySet[SupportJudgement], now: datetime) -> int:
    """Return the number of requests to the endpoint for judgements within a day."""
    return int(judgements.filter(judged_at__gt=now - _DAY).aggregate(sum=Sum("requests"))["sum"] or 0)


def _judge(wanted: PendingSupport, citation: Citation) -> SupportJudgement:
    """Return the judgement on a citation, not stored yet: repeated if the same question was judged before, otherwise asked for."""
    if not settings.MODEL_URL:
        raise SearchFailed("no model endpoint is set up in this deployment", may_pass=False)
    question = _question(wanted.documents, citation)
    row = SupportJudgement(
        organisation_id=wanted.row.organisation_id,
        request=wanted.row,
        number=citation.number,
        **citation.key._asdict(),
        model=settings.MODEL_NAME,
        question=SUPPORT_QUESTION,
        question_digest=_digest_of(question),
        requests=0,
        tokens_in=0,
        tokens_out=0,
    )
    before = _judged_before(row)
    if before is not None:
        row.verdict, row.sentence_start, row.sentence_end = before
        return row
    if requests_lately(judgements_of(wanted.row.organisation_id), timezone.now()) >= settings.MODEL_REQUESTS_A_DAY:
        raise NotSent(f"the {settings.MODEL_REQUESTS_A_DAY:,} requests that an organisation has a day are used up")
    return _ask(row, question)


def _question(documents: DocumentAttribution, citation: Citation) -> SupportQuestion:
    source = next(each for each in documents.sources if each.id == citation.source)
    reference = citation.reference
    claim = documents.clean_text[slice(*reference.span)].strip() if reference.span else ""
    support, quote = windows_of(reference, source.id)
    return question_of_support(claim, source, support or quote)


def _digest_of(question: SupportQuestion) -> bytes:
    """Return the name of a question to this model."""
    return bytes.fromhex(digest(canonical_bytes([settings.MODEL_NAME, question.digest])).removeprefix("sha256:"))


def _judged_before(row: SupportJudgement) -> tuple[str, int | None, int | None] | None:
    """Return the newest judgement on the same question, if there is one that counted."""
    alike = SupportJudgement.objects.filter(organisation=row.organisation_id, question_digest=row.question_digest).exclude(verdict="")
    return alike.order_by("-id").values_list("verdict", "sentence_start", "sentence_end").first()


def _ask(row: SupportJudgement, question: SupportQuestion) -> SupportJudgement:
    from reviewers.snapshots.model_endpoint import ModelEndpoint  # noqa: PLC0415 — slow to import, and only the worker needs it

    endpoint = ModelEndpoint(settings.MODEL_URL, settings.MODEL_NAME, settings.MODEL_KEY, settings.MODEL_TIMEOUT, "support", SUPPORT_SCHEMA)
    with endpoint:
        try:
            judged = endpoint.answer_to(question, lambda reply: read_support(reply, question))
        except NoUsableReply:
            row.reason = UNUSABLE
        else:
            row.verdict = judged.verdict.value if judged.verdict else ""
            row.reason = judged.refusal.value if judged.refusal else ""
            row.sentence_start, row.sentence_end = judged.sentence or (None, None)
    row.requests, (row.tokens_in, row.tokens_out) = endpoint.requests, endpoint.usage
    return row


def _store(wanted: PendingSupport, row: SupportJudgement) -> None:
    """Store a judgement. If another worker stored one before, nothing changes; if the answer may not be judged any more, raises."""
    row.judged_at = timezone.now()
    try:
        with transaction.atomic():
            lock_snapshot(wanted.snapshot_id)
            _check_may_be_judged(wanted)
            row.save(force_insert=True)
            details = {"request": str(wanted.row.id), "model": row.model, "citation": row.number}
            record(_event(Action.SUPPORT_JUDGED, wanted.row, wanted.snapshot_id, row.judged_at, details, row))
    except IntegrityError as error:
        if not isinstance(error.__cause__, UniqueViolation):
            raise


def end_support(*, row: SupportRequest, outcome: SupportOutcome, reason: str, attempts: int, begun_at: datetime, now: datetime) -> None:
    """Store the result of a request. If another worker stored one before, nothing changes."""
    result = SupportResult(
        organisation_id=row.organisation_id,
        request=row,
        outcome=outcome,
        reason=reason[:_LONGEST_REASON],
        attempts=attempts,
        begun_at=begun_at,
        ended_at=now,
    )
    details = {"request": str(row.id), "outcome": result.outcome, "attempts": attempts} | ({"reason": result.reason} if reason else {})
    try:
        with transaction.atomic():
            result.save(force_insert=True)
            record(_event(Action.SUPPORT_ENDED, row, row.attribution.snapshot_id, now, details, result))
    except IntegrityError as error:
        if not isinstance(error.__cause__, UniqueViolation):
            raise


def _event(
    action: Action,
    row: SupportRequest,
    snapshot_id: UUID,
    at: datetime,
    details: dict[str, object],
    written: SupportJudgement | SupportResult,
) -> Event:
    return Event(action, row.organisation_id, SYSTEM, at, "snapshot", snapshot_id, details, rows=rows_of([written]))
