"""Files of exports that say what was redacted since are let go of; what is being made is stopped, for it may have read it already."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import IntegrityError

from reviewers.reports.exporting import chunks
from reviewers.reports.exporting.actions import fail
from reviewers.reports.models import Export, ExportChunk

STOPPED = "something was redacted while it was made; ask for it again"


def forget_redacted(organisation_id: UUID, item_id: UUID, at: datetime) -> None:
    """Let go of all copies of an item; that they were made, and who took them, stays."""
    chunks.hold(organisation_id)
    exports = Export.objects.filter(organisation_id=organisation_id)
    ExportChunk.objects.filter(export__in=exports.filter(result__snapshots__contains=[str(item_id)])).delete()
    for export in exports.filter(result=None):
        _stop(export, at)


def _stop(export: Export, at: datetime) -> None:
    try:
        fail(export=export, reason=STOPPED, now=at)
    except IntegrityError:  # it was finished at this moment; what of it can be seen by now goes
        ExportChunk.objects.filter(export=export).delete()
