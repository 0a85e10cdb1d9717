"""Exports: request one, make its file, download it, and delete it in the end. Each write is one transaction with its audit event.

A file is written in steps, each stored before the next, as far as its format allows. An interrupted job resumes after the last step.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Case, Exists, F, Func, IntegerField, Model, OuterRef, QuerySet, Sum, Value, When
from django.http import Http404
from django.utils import timezone
from procrastinate import BaseRetryStrategy, RetryDecision
from procrastinate.contrib.django import app
from procrastinate.jobs import Job

from attribution import canonical_bytes
from reviewers.accounts.audit import SYSTEM, Actor, user_actor
from reviewers.accounts.jobs import in_each_organisation
from reviewers.accounts.models import Membership, Role
from reviewers.accounts.queries import open_memberships
from reviewers.ledger.actions import record
from reviewers.ledger.commitments import Part
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.reports.disclosure.profiles import profile_for
from reviewers.reports.exports import chunks, policies
from reviewers.reports.exports.bundle.verifier.main import EVIDENCE, PART, VERIFIER
from reviewers.reports.exports.bundle.writer import WHILE_WAITING, NotSealedYet, keep_bundle, verify_program
from reviewers.reports.exports.chunks import FileMeasure
from reviewers.reports.exports.formats.registry import BUNDLE, FORMATS, PAGE, PDF, VOLUMES, format_for
from reviewers.reports.exports.formats.typesetting import TooLong
from reviewers.reports.exports.reading import read_parts
from reviewers.reports.exports.report import Requested, written
from reviewers.reports.exports.scope import ReportRequest, ReportScope, ReportTooLarge, read_scope, resolve_request
from reviewers.reports.exports.volumes import ANSWERS, VolumeWriter, is_long
from reviewers.reports.exports.writers import DocumentWriter, LineWriter, PageWriter
from reviewers.reports.models import Export, ExportChunk, ExportOutcome, ExportResult
from reviewers.review.models import QueueItem
from reviewers.review.visibility import hides_engine_from, viewer_of
from reviewers.web.jobs import LONG, lock_of, lost_among
from reviewers.web.tenancy import tenant

AT_ONCE = 50
"""A report of up to so many answers is written during the request, a longer one by the worker."""
MOST_BYTES, MOST_FIELDS = 1024 * 1024, 2_500
"""A report of few answers whose records are larger together, or have more fields, is written by the worker too."""
MOST_CITED = 128 * 1024
"""A report with more bytes of citations, as they are stored compressed, is written by the worker too: some four thousand citations."""

MOST_WRITTEN = 600_000
"""A report whose answers are larger, as JSON, is left to the worker once they are read: three times as large as fifty ordinary ones."""

_LIMITS = {"size": MOST_BYTES, "fields": MOST_FIELDS, "cited": MOST_CITED}

_GIVEN_UP = "the work was ended several times before it was done; ask for it again"
STOPPED = "something was redacted while it was made; ask for it again"
KEPT_FOR = timedelta(days=7)
"""The time after the request during which a file can be downloaded."""

_BEHIND_OTHERS = -1
_LONGEST_WAIT = 600


def asked_by(export: Export, by: Membership) -> ReportRequest:
    """Return the report that an export requests. Raise ``Http404`` if its object does not exist any more."""
    role = "auditor from outside" if by.is_external else str(Role(by.role).label).lower()
    requested = Requested(by.user.name, role, written(export.asked_at), export.reason)
    return resolve_request(read_scope(export.scope), by, requested)


def write_export(export: Export, by: Membership, volume: int = ANSWERS, most: int | None = None) -> tuple[list[str], FileMeasure]:
    """Write an export's file; return the identifiers of its answers, and the file's size and digest.

    ``volume`` is the largest number of answers in a volume. Raise ``ReportTooLarge`` if the answers have more than ``most`` bytes as JSON.
    """
    asked, form = replace(asked_by(export, by), most=most), FORMATS[export.form]
    if form.is_lines:
        return LineWriter(export, asked).make()
    if form.name == PAGE:
        return PageWriter(export, asked).make()
    if form.document:
        return DocumentWriter(export, asked, form.document).make()
    if form.name == VOLUMES:
        return VolumeWriter(export, asked, volume).make()
    seen: list[str] = []
    with transaction.atomic():
        chunks.delete_pieces(export, [chunks.FILE])  # of an attempt that was interrupted before its result was stored
        measured = chunks.keep_all(export, chunks.FILE, form.write(read_parts(asked, seen)))
    return seen, measured


@transaction.atomic
def ask_for(*, scope: ReportScope, form: str, reason: str, by: Membership, now: datetime, at_once: int = AT_ONCE) -> Export:
    """Request a report. One of up to ``at_once`` answers is made now; the worker makes a longer or larger one, a long PDF in volumes.

    Raise ``Refused`` if there are too many answers for the format or reports that wait, and ``Http404`` if there is no such object.
    """
    scope = replace(scope, profile=profile_for(by, scope.profile))
    items = resolve_request(scope, by).items
    count = items.count()
    form = format_for(form, count)
    form = VOLUMES if form == PDF and is_long(items, all_fields=scope.all_fields) else form
    policies.check_may_export(count, form)
    policies.check_has_room(by)
    export = Export.objects.create(
        organisation_id=by.organisation_id, asked_by_id=by.user_id, asked_at=now, scope=scope.as_data(), form=form, reason=reason
    )
    details = {"scope": scope.kind.value, "form": form, "all_fields": scope.all_fields, "profile": scope.profile.value}
    parts = [("scope", canonical_bytes(scope.as_data())), ("reason", reason.encode())]
    _record(Action.REPORT_ASKED, export, user_actor(by.user_id), now, details, parts, [export])
    if not (count <= at_once and _is_small(items, by) and _is_made_now(export, by, now)):
        defer(export)
    return export


def _is_made_now(export: Export, by: Membership, now: datetime) -> bool:
    """Make a report, unless it turns out to be large; return True if it is made."""
    try:
        with transaction.atomic():
            chunks.share_files(by.organisation_id)  # nobody else sees this export before it is done
            finish(export=export, by=by, now=now, actor=user_actor(by.user_id), most=MOST_WRITTEN)
    except ReportTooLarge:
        return False
    return True


def _is_small(items: QuerySet[QueueItem], by: Membership) -> bool:
    """Return True if the records of a few answers are small enough for a report within a request.

    The citations of answers that the report withholds do not count: who makes it would tell how much was found of them.
    """
    size, stored = _length_of("snapshot__record"), _length_of("attribution__documents__document")
    cited = Case(When(hides_engine_from(viewer_of(by)), then=Value(0)), default=stored)
    rows = items.order_by().annotate(size=size, cited=cited, fields=F("attribution__field_count"))
    found = rows.aggregate(**{f"all_{name}": Sum(name) for name in _LIMITS})
    return all((found[f"all_{name}"] or 0) <= most for name, most in _LIMITS.items())


def _length_of(column: str) -> Func:
    return Func(F(column), function="octet_length", output_field=IntegerField())


def finish(  # how it is made
    *, export: Export, by: Membership, now: datetime, actor: Actor = SYSTEM, volume: int = ANSWERS, most: int | None = None
) -> ExportResult | None:
    """Make the report and store its result. Return None if it has one already; resume a report that was interrupted.

    Raise ``ReportTooLarge`` if its answers have more than ``most`` bytes.
    """
    if _is_ended(export):
        return None
    try:
        seen, measured = write_export(export, by, volume, most)
    except Http404:
        return fail(export=export, reason="what was to be exported is not there any more", now=now)
    return _keep(export, seen, measured, now, actor)


def _is_ended(export: Export) -> bool:
    """Return True if the export has a result. Delete what was written of a failed one since."""
    outcome = ExportResult.objects.filter(export=export).values_list("outcome", flat=True).first()
    if outcome == ExportOutcome.FAILED:
        ExportChunk.objects.filter(export=export).delete()
    return outcome is not None


@transaction.atomic
def _keep(export: Export, seen: list[str], measured: FileMeasure, now: datetime, actor: Actor) -> ExportResult | None:
    """Store the result. The event commits to the digest without disclosing it: with the digest, somebody could confirm a guess."""
    if _is_ended(export):  # stopped while it was made
        return None
    result = ExportResult.objects.create(
        organisation_id=export.organisation_id,
        export=export,
        outcome=ExportOutcome.MADE,
        made_at=now,
        answers=len(seen),
        size=measured.size,
        digest=measured.digest,
        snapshots=seen,
    )
    details = {"form": export.form, "answers": len(seen), "size": measured.size} | _seal_bundle(export)
    parts = [(PART, measured.digest)]
    _record(Action.REPORT_MADE, export, actor, now, details, parts, [result])
    if export.form == BUNDLE:
        defer_packing(export)
    return result


def _seal_bundle(export: Export) -> dict[str, str]:
    """Store the verifier of a bundle as it is now; return the digests that are sealed with the report.

    That of the verifier lets people check the program. That of the evidence keeps a holder of the bundle from withholding some of it. It
    confirms no guess, because each disclosed text is beside a random salt.
    """
    if export.form != BUNDLE:
        return {}
    ExportChunk.objects.filter(export=export, name=chunks.VERIFIER).delete()  # of an attempt that was interrupted
    program = chunks.keep_all(export, chunks.VERIFIER, [verify_program()])
    return {VERIFIER: program.digest.hex(), EVIDENCE: chunks.measure(chunks.pieces(export, chunks.EVENTS)).digest.hex()}


@transaction.atomic
def fail(*, export: Export, reason: str, now: datetime) -> ExportResult:
    """Record why an export will never be made."""
    result = ExportResult.objects.create(
        organisation_id=export.organisation_id, export=export, outcome=ExportOutcome.FAILED, reason=reason, made_at=now
    )
    _record(Action.REPORT_FAILED, export, SYSTEM, now, {"form": export.form}, rows=[result])
    ExportChunk.objects.filter(export=export).delete()
    return result


@transaction.atomic
def note_taken(*, export: Export, by: Membership, now: datetime) -> None:
    """Record that somebody downloads the file."""
    policies.check_may_take(export, by)
    _record(Action.REPORT_TAKEN, export, user_actor(by.user_id), now, {"form": export.form})


def _record(
    action: Action,
    export: Export,
    by: Actor,
    now: datetime,
    details: dict[str, Any],
    parts: Sequence[Part] = (),
    rows: Sequence[Model] = (),
) -> None:
    record(Event(action, export.organisation_id, by, now, "export", export.pk, details, parts, rows=rows_of(rows)))


def forget(*, organisation_id: UUID, before: datetime) -> int:
    """Delete the files of exports that were requested before a moment. What was made of which answers stays on record."""
    old = ExportChunk.objects.filter(organisation_id=organisation_id, export__asked_at__lt=before)
    return old.delete()[0]


def forget_redacted(organisation_id: UUID, item_id: UUID, at: datetime) -> None:
    """Delete all files that contain a redacted item, and stop exports in progress, which may have read it already.

    The record of their making and of their downloads stays.
    """
    chunks.lock_files(organisation_id)
    exports = Export.objects.filter(organisation_id=organisation_id)
    ExportChunk.objects.filter(export__in=exports.filter(result__snapshots__contains=[str(item_id)])).delete()
    for export in exports.filter(result=None):
        _stop(export, at)


def _stop(export: Export, at: datetime) -> None:
    try:
        fail(export=export, reason=STOPPED, now=at)
    except IntegrityError:  # it was finished at this moment: delete what can be seen of it by now
        ExportChunk.objects.filter(export=export).delete()


def defer(export: Export) -> None:
    """Have the worker make an export once the transaction is committed.

    Exports of an organisation are made one after the other, as each may take hours and the worker does few jobs at once.
    """
    make_report.configure(lock=lock_of(export.organisation_id)).defer(export=str(export.pk), organisation=str(export.organisation_id))


def defer_packing(export: Export) -> None:
    """Have the worker pack a bundle once the transaction is committed and its last event is sealed."""
    pack_report.configure(lock=lock_of(export.organisation_id)).defer(export=str(export.pk), organisation=str(export.organisation_id))


class UntilSealed(BaseRetryStrategy):
    """Retries while events wait to be sealed, after two seconds at first and at most ten minutes."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Return when to try again, or None after any other exception."""
        if not isinstance(exception, NotSealedYet):
            return None
        return RetryDecision(retry_in={"seconds": min(_LONGEST_WAIT, 2 ** (job.attempts + 1))})


@app.task(queue=LONG, priority=_BEHIND_OTHERS, retry=UntilSealed())
def pack_report(*, export: str, organisation: str) -> None:
    """Pack a bundle with its proofs for download. A failure is stored, so that the export's page can show it."""
    with tenant.within(UUID(organisation)):
        row = Export.objects.select_related("result").get(pk=export)
        try:
            keep_bundle(row)
        except NotSealedYet:
            raise
        except Exception:
            if not chunks.is_kept(row, chunks.NOT_PACKED):
                chunks.keep(row, chunks.NOT_PACKED, 0, b"")
            raise


@app.task(queue=LONG, priority=_BEHIND_OTHERS)
def make_report(*, export: str, organisation: str) -> None:
    """Make an export. If the worker was killed, resume after the last step that is stored."""
    with tenant.within(UUID(organisation)):
        row = Export.objects.get(pk=export)
        by = open_memberships().filter(organisation=row.organisation_id, user=row.asked_by_id)
        member = by.select_related("organisation", "user").first()
        if member is not None:
            _make(row, member)
        elif not ExportResult.objects.filter(export=row).exists():
            fail(export=row, reason="whoever asked is not a member any more", now=timezone.now())


def _make(export: Export, by: Membership) -> None:
    """Make an export. After any error, its page shows that it failed, and the worker's log shows why."""
    try:
        finish(export=export, by=by, now=timezone.now())
    except TooLong:
        fail(export=export, reason="some of its answers take too long to print; choose a web page or CSV", now=timezone.now())
    except Exception:
        fail(export=export, reason="an error ended it", now=timezone.now())
        raise


@app.periodic(cron="41 3 * * *")
@app.task(queueing_lock="forget_report_files", lock="forget_report_files")
def forget_report_files(timestamp: int) -> None:
    """Delete the files of old exports."""
    del timestamp
    in_each_organisation(lambda organisation_id: forget(organisation_id=organisation_id, before=timezone.now() - KEPT_FOR))


@app.periodic(cron="33 * * * *")
@app.task(queueing_lock="give_up_lost_reports", lock="give_up_lost_reports")
def give_up_lost_reports(timestamp: int) -> None:
    """End reports whose jobs are gone, as after each worker that tried was killed, so that no page waits for ever."""
    del timestamp
    now = timezone.now()

    def give_up(organisation_id: UUID) -> None:
        exports = Export.objects.filter(organisation=organisation_id)
        for pk in lost_among(exports.filter(result=None).values_list("pk", flat=True), make_report.name, "export"):
            with suppress(IntegrityError):  # it was finished at this moment
                fail(export=exports.get(pk=pk), reason=_GIVEN_UP, now=now)
        for pk in lost_among(_unpacked(exports).values_list("pk", flat=True), pack_report.name, "export"):
            chunks.keep(exports.get(pk=pk), chunks.NOT_PACKED, 0, b"")

    in_each_organisation(give_up)


def _unpacked(exports: QuerySet[Export]) -> QuerySet[Export]:
    """Return the bundles that are made and too large to be packed during a request, without those that were packed or could not be."""
    file = ExportChunk.objects.filter(export=OuterRef("pk"))
    waiting = exports.filter(form=BUNDLE, result__outcome=ExportOutcome.MADE, result__size__gt=WHILE_WAITING)
    return waiting.filter(Exists(file.filter(name=chunks.FILE)), ~Exists(file.filter(name__in=[chunks.BUNDLE, chunks.NOT_PACKED])))
