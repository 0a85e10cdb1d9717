"""What people do with exports: ask for one, take one. Each write one transaction with its event."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.http import Http404

from attribution import canonical_bytes
from reviewers.accounts.announcements import SYSTEM, Actor, user_actor
from reviewers.accounts.models import Membership
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.rows import rows_of
from reviewers.reports.exporting import chunks, policies
from reviewers.reports.exporting.asking import ask
from reviewers.reports.exporting.bundle.assembling import verify_program
from reviewers.reports.exporting.bundle.verifier.checking import PART, VERIFIER
from reviewers.reports.exporting.chunks import Measured
from reviewers.reports.exporting.formats.every import BUNDLE, format_for
from reviewers.reports.exporting.making import AT_ONCE, make
from reviewers.reports.exporting.scope import Scope
from reviewers.reports.exporting.volumes import ANSWERS
from reviewers.reports.least.profiles import profile_for
from reviewers.reports.models import Export, ExportChunk, ExportResult, Outcome


@transaction.atomic
def ask_for(*, scope: Scope, form: str, reason: str, by: Membership, now: datetime, at_once: int = AT_ONCE) -> Export:
    """Ask for a report. One of at most so many answers is made at once; a longer one the worker makes, as a PDF perhaps in volumes.

    Raises ``Refused`` where it is too much for the format; ``Http404`` where there is no such object.
    """
    scope = replace(scope, profile=profile_for(by, scope.profile))
    count = ask(scope, by).chosen.items.count()
    form = format_for(form, count)
    policies.check_may_export(count, form)
    export = Export.objects.create(
        organisation_id=by.organisation_id, asked_by_id=by.user_id, asked_at=now, scope=scope.as_data(), form=form, reason=reason
    )
    details = {"scope": scope.kind.value, "form": form, "all_fields": scope.all_fields, "profile": scope.profile.value}
    parts = [("scope", canonical_bytes(scope.as_data())), ("reason", reason.encode())]
    record(
        Event(
            Action.REPORT_ASKED,
            by.organisation_id,
            user_actor(by.user_id),
            now,
            "export",
            export.pk,
            details,
            parts,
            rows=rows_of([export]),
        )
    )
    if count <= at_once:
        finish(export=export, by=by, now=now, actor=user_actor(by.user_id))
    else:
        from reviewers.reports.jobs import defer  # noqa: PLC0415 — the job does what stands here

        defer(export)
    return export


def finish(*, export: Export, by: Membership, now: datetime, actor: Actor = SYSTEM, volume: int = ANSWERS) -> ExportResult | None:
    """Make the report for somebody, and keep what came of it; nothing where that was done already. Begun again, it goes on."""
    if _is_ended(export):
        return None
    try:
        seen, measured = make(export, by, volume)
    except Http404:
        return fail(export=export, reason="what was to be exported is not there any more", now=now)
    return _keep(export, seen, measured, now, actor)


def _is_ended(export: Export) -> bool:
    """Whether there is a result. Of one that failed no file is kept, nor what was written of it since."""
    outcome = ExportResult.objects.filter(export=export).values_list("outcome", flat=True).first()
    if outcome == Outcome.FAILED:
        ExportChunk.objects.filter(export=export).delete()
    return outcome is not None


@transaction.atomic
def _keep(export: Export, seen: list[str], measured: Measured, now: datetime, actor: Actor) -> ExportResult | None:
    """The digest is committed to and not told: with a digest in the open somebody could confirm a guess."""
    if _is_ended(export):  # stopped while it was made
        return None
    result = ExportResult.objects.create(
        organisation_id=export.organisation_id,
        export=export,
        outcome=Outcome.MADE,
        made_at=now,
        answers=len(seen),
        size=measured.size,
        digest=measured.digest,
        snapshots=seen,
    )
    details = {"form": export.form, "answers": len(seen), "size": measured.size} | _keep_verifier(export)
    parts = [(PART, measured.digest)]
    record(Event(Action.REPORT_MADE, export.organisation_id, actor, now, "export", export.pk, details, parts, rows=rows_of([result])))
    if export.form == BUNDLE:
        from reviewers.reports.jobs import defer_packing  # noqa: PLC0415 — the job does what stands here

        defer_packing(export)
    return result


def _keep_verifier(export: Export) -> dict[str, str]:
    """Keep the program that verifies a bundle as it is now; its digest is sealed with the report, for nobody else vouches for it."""
    if export.form != BUNDLE:
        return {}
    ExportChunk.objects.filter(export=export, name=chunks.VERIFIER).delete()  # of a time before, which came to no end
    return {VERIFIER: chunks.keep_all(export, chunks.VERIFIER, [verify_program()]).digest.hex()}


@transaction.atomic
def fail(*, export: Export, reason: str, now: datetime) -> ExportResult:
    """Say why an export will never be made."""
    result = ExportResult.objects.create(
        organisation_id=export.organisation_id, export=export, outcome=Outcome.FAILED, reason=reason, made_at=now
    )
    record(
        Event(Action.REPORT_FAILED, export.organisation_id, SYSTEM, now, "export", export.pk, {"form": export.form}, rows=rows_of([result]))
    )
    ExportChunk.objects.filter(export=export).delete()
    return result


@transaction.atomic
def note_taken(*, export: Export, by: Membership, now: datetime) -> None:
    """Write down that somebody takes the file."""
    policies.check_may_take(export, by)
    record(Event(Action.REPORT_TAKEN, by.organisation_id, user_actor(by.user_id), now, "export", export.pk, {"form": export.form}))


def forget(*, organisation_id: UUID, before: datetime) -> int:
    """Let go of the files of exports that were asked for earlier; that they were made, and of what, stays."""
    old = ExportChunk.objects.filter(organisation_id=organisation_id, export__asked_at__lt=before)
    return old.delete()[0]
