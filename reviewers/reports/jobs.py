"""What the worker does for reports: it makes long ones, and lets go of files that were not taken for days."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.utils import timezone
from procrastinate import BaseRetryStrategy, RetryDecision
from procrastinate.contrib.django import app
from procrastinate.jobs import Job

from reviewers.accounts.models import Membership
from reviewers.accounts.queries import list_organisation_ids, open_memberships
from reviewers.reports.exporting import chunks
from reviewers.reports.exporting.actions import fail, finish, forget
from reviewers.reports.exporting.bundle.packing import NotSealedYet
from reviewers.reports.exporting.files import keep_bundle
from reviewers.reports.models import Export, ExportResult
from reviewers.web import walls

KEPT_FOR = timedelta(days=7)
"""How long a file can be taken."""
_BEHIND_OTHERS = -1
_LONGEST_WAIT = 600


def defer(export: Export) -> None:
    """Have an export made once the transaction is committed."""
    make_report.configure(lock=f"export {export.pk}").defer(export=str(export.pk), organisation=str(export.organisation_id))


def defer_packing(export: Export) -> None:
    """Have a bundle packed once the transaction is committed and its last event is sealed."""
    pack_report.configure(lock=f"export {export.pk}").defer(export=str(export.pk), organisation=str(export.organisation_id))


class UntilSealed(BaseRetryStrategy):
    """Waits that grow from two seconds to ten minutes, while events wait to be sealed."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """When to try again; never, after anything else."""
        if not isinstance(exception, NotSealedYet):
            return None
        return RetryDecision(retry_in={"seconds": min(_LONGEST_WAIT, 2 ** (job.attempts + 1))})


@app.task(priority=_BEHIND_OTHERS, retry=UntilSealed())
def pack_report(*, export: str, organisation: str) -> None:
    """Pack a bundle with its proofs, so that it can be taken piece by piece. That it failed is kept, so that its page says so."""
    with walls.within(UUID(organisation)):
        row = Export.objects.select_related("result").get(pk=export)
        try:
            keep_bundle(row)
        except NotSealedYet:
            raise
        except Exception:
            if not chunks.is_kept(row, chunks.NOT_PACKED):
                chunks.keep(row, chunks.NOT_PACKED, 0, b"")
            raise


@app.task(priority=_BEHIND_OTHERS)
def make_report(*, export: str, organisation: str) -> None:
    """Make an export. Begun again after its worker was killed, it goes on behind what is kept of it."""
    with walls.within(UUID(organisation)):
        row = Export.objects.get(pk=export)
        by = open_memberships().filter(organisation=row.organisation_id, user=row.asked_by_id)
        member = by.select_related("organisation", "user").first()
        if member is not None:
            _make(row, member)
        elif not ExportResult.objects.filter(export=row).exists():
            fail(export=row, reason="whoever asked is not a member any more", now=timezone.now())


def _make(export: Export, by: Membership) -> None:
    """Whatever goes wrong, the export's page says that it did, and the worker's log says what."""
    try:
        finish(export=export, by=by, now=timezone.now())
    except Exception:
        fail(export=export, reason="an error ended it", now=timezone.now())
        raise


@app.periodic(cron="41 3 * * *")
@app.task(queueing_lock="forget_report_files")
def forget_report_files(timestamp: int) -> None:
    """Let go of the files of exports after some days."""
    del timestamp
    for organisation_id in list_organisation_ids():
        with walls.within(organisation_id):
            forget(organisation_id=organisation_id, before=timezone.now() - KEPT_FOR)
