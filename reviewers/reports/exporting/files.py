"""The file of an export as it is handed out: its pieces, or a bundle packed of them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from typing import IO

from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.ledger.openings import read_openings
from reviewers.reports.exporting import chunks
from reviewers.reports.exporting.bundle.evidence import disclose, line_of
from reviewers.reports.exporting.bundle.packing import pack
from reviewers.reports.exporting.bundle.verifier.checking import PART
from reviewers.reports.models import Export

_IN_MEMORY = 8 * 1024 * 1024


def pack_bundle(export: Export) -> IO[bytes]:
    """The bundle of an export, in a file of its own that is gone once it is closed. Raises ``NotSealedYet``."""
    target = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 — whoever sends it closes it
    pack(target, chunks.pieces(export, chunks.FILE), _events(export), chunks.pieces(export, chunks.DOCUMENTS))
    target.seek(0)
    return target


def _events(export: Export) -> Iterator[bytes]:
    """The evidence, and the event of the report's making, which names its digest."""
    yield from chunks.pieces(export, chunks.EVENTS)
    event = AuditEvent.objects.get(organisation_id=export.organisation_id, object_id=export.pk, action=Action.REPORT_MADE.value)
    secret = EventSecret.objects.get(pk=event.pk)
    parts = [(PART, bytes(export.result.digest or b""))]
    openings = read_openings(json.loads(bytes(event.body)), bytes(secret.salt_seed))
    yield line_of(event, disclose(parts, openings, {PART}))
