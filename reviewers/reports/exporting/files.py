"""The bundle of an export as it is handed out: packed of its pieces, by the worker where there are many."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from functools import partial
from typing import IO

from django.db import transaction

from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.ledger.openings import read_openings
from reviewers.reports.exporting import chunks
from reviewers.reports.exporting.bundle.evidence import disclose, line_of
from reviewers.reports.exporting.bundle.packing import pack
from reviewers.reports.exporting.bundle.verifier.checking import PART
from reviewers.reports.models import Export, ExportChunk

WHILE_WAITING = 2_000
"""A bundle of so many answers is packed while somebody waits, if the worker has not done it yet."""

_IN_MEMORY = 8 * 1024 * 1024


def pack_bundle(export: Export) -> IO[bytes]:
    """The bundle of an export, in a file of its own that is gone once it is closed. Raises ``NotSealedYet``."""
    target = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 — whoever sends it closes it
    report, documents, program = (partial(chunks.pieces, export, name) for name in (chunks.FILE, chunks.DOCUMENTS, chunks.VERIFIER))
    try:
        pack(target, report, partial(_events, export), documents, program)
    except BaseException:
        target.close()
        raise
    target.seek(0)
    return target


def keep_bundle(export: Export) -> bool:
    """Pack the bundle, so that it can be taken piece by piece; whether it is kept.

    It is not where its pieces were let go of meanwhile, as they are where some of it is redacted. Raises ``NotSealedYet``.
    """
    try:
        file = pack_bundle(export)
    except ExportChunk.DoesNotExist:
        return False
    with file, transaction.atomic():
        chunks.hold(export.organisation_id)
        if chunks.is_kept(export) and not chunks.is_kept(export, chunks.BUNDLE):
            chunks.keep_all(export, chunks.BUNDLE, iter(partial(file.read, chunks.PIECE), b""))
    return chunks.is_kept(export, chunks.BUNDLE)


def _events(export: Export) -> Iterator[bytes]:
    """The evidence, and the event of the report's making, which names its digest."""
    yield from chunks.pieces(export, chunks.EVENTS)
    event = AuditEvent.objects.get(organisation_id=export.organisation_id, object_id=export.pk, action=Action.REPORT_MADE.value)
    secret = EventSecret.objects.get(pk=event.pk)
    parts = [(PART, bytes(export.result.digest or b""))]
    openings = read_openings(json.loads(bytes(event.body)), bytes(secret.salt_seed))
    yield line_of(event, disclose(parts, openings, {PART}))
