"""Verification of the words that searches for suggestions find by, and of the files of reports, as part of the ledger's verification."""

from __future__ import annotations

import zlib
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef

from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.reports.exports import chunks
from reviewers.reports.exports.chunks import Measured
from reviewers.reports.models import ExportChunk, ExportResult, Outcome, SuggestionNames

_FIRST = """
SELECT COALESCE(snapshot.id, names.snapshot_id), CASE
    WHEN names.snapshot_id IS NULL THEN 'is gone' WHEN snapshot.id IS NULL THEN 'is of an answer that suggests nobody here'
    ELSE 'is not what the names of its answer are found by' END,
    CASE WHEN snapshot.id IS NULL OR names.snapshot_id IS NULL THEN 'organisation_id or snapshot_id' ELSE 'terms' END
FROM (SELECT * FROM snapshots_snapshot WHERE organisation_id = %(organisation)s AND provider <> '') AS snapshot
FULL JOIN (SELECT * FROM reports_suggestionnames WHERE organisation_id = %(organisation)s) AS names ON names.snapshot_id = snapshot.id
WHERE names.terms IS DISTINCT FROM reports_terms(snapshot.provider, snapshot.client_reference, snapshot.conversation_id)
ORDER BY 1 LIMIT 1
"""


_MISSPELT = """
SELECT min(snapshot.id::text)::uuid, 'is not what the provider is found by where the name is misspelt', 'near'
FROM snapshots_snapshot AS snapshot JOIN reports_suggestionnames AS names ON names.snapshot_id = snapshot.id
WHERE snapshot.organisation_id = %(organisation)s AND snapshot.provider <> '' GROUP BY snapshot.provider
HAVING bool_and(names.near IS NULL) OR bool_or(names.near <> reports_near(snapshot.provider))
ORDER BY 1 LIMIT 1
"""


def check_names(organisation_id: UUID) -> None:
    """Raise ``LedgerMismatch`` at a suggestion that searches do not find by its names, misspelt or not, or find by others."""
    with connection.cursor() as cursor:
        for statement in (_FIRST, _MISSPELT):
            cursor.execute(statement, {"organisation": organisation_id})
            if (found := cursor.fetchone()) is not None:
                raise LedgerMismatch(SuggestionNames, *found)


def check_report_files(organisation_id: UUID) -> None:
    """Raise ``LedgerMismatch`` at a report whose stored file is not the one that was made. The record of its making has the digest.

    A report without a file was deleted after some days, or because something in it was redacted.
    """
    has_file = Exists(ExportChunk.objects.filter(export=OuterRef("export"), name=chunks.FILE))
    made = ExportResult.objects.filter(has_file, organisation=organisation_id, outcome=Outcome.MADE).defer("snapshots")
    for result in made.select_related("export").order_by("id"):
        if _measured(result) != Measured(result.size, bytes(result.digest or b"")):
            raise LedgerMismatch(ExportChunk, result.export_id, "is not the file of this report that was made", "content")


def _measured(result: ExportResult) -> Measured | None:
    """Return the size and the digest of a report's stored file, or None if it cannot be read."""
    try:
        return chunks.measure(chunks.pieces(result.export, chunks.FILE))
    except zlib.error:
        return None
