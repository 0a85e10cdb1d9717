"""Records that came over HTTP: one, or many of which each has its own result."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.http import HttpResponse
from django.utils import timezone
from ninja.responses import Status

from attribution import canonical_bytes
from reviewers.accounts.keys import KeyRequest, key_actor
from reviewers.accounts.models import Organisation
from reviewers.snapshots import queries
from reviewers.snapshots.actions import BATCH, Outcome, ingest_lines
from reviewers.snapshots.api_answers import problem_of, summary_of, withheld
from reviewers.snapshots.withholding import reasons_among

NDJSON = "application/x-ndjson"

_LARGEST_PIECE = 1024 * 1024
"""Bytes of records that are taken together: however they are made, the engine reads them in seconds."""
MOST_LINES = 50_000
"""Each line is answered by one of its own, also those that are not taken."""
_NOT_TAKEN = {"place": "", "reason": "not taken: the records before it took as long as a request may; send it again"}


def ingest_one(request: KeyRequest, body: bytes) -> Status[Any]:
    """One record, which is the whole body."""
    (outcome,) = _ingest(request, [body])
    if outcome.error:
        return Status(outcome.error.status, problem_of(outcome.error))
    (summary,) = _summaries(request.auth.organisation, [outcome]).values()
    return Status(201 if outcome.is_new else 200, summary)


def ingest_many(request: KeyRequest, body: bytes) -> HttpResponse | Status[Any]:
    """Each line is a record of its own; empty ones are passed over but counted.

    Pieces of the lines are taken as long as a request may last. A line that is not taken is told so, and nothing of it is kept.
    """
    until = monotonic() + settings.LONGEST_INGEST
    results: list[bytes] = []
    if body.count(b"\n") > MOST_LINES:
        return Status(413, {"place": "", "reason": f"has more than {MOST_LINES:,} lines; send fewer records at once"})
    lines = [(number, line) for number, line in enumerate(body.split(b"\n"), start=1) if line.strip()]
    if not lines:
        return Status(400, {"place": "", "reason": "holds no record"})
    for piece in _pieces(lines):
        is_taken = not results or monotonic() < until
        results += _ingest_batch(request, piece) if is_taken else [_not_taken(number) for number, _ in piece]
    return HttpResponse(b"".join(results), content_type=NDJSON)


def _pieces(lines: list[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    """The lines in pieces that go into one transaction each: so many records, and so many bytes unless one record has more."""
    piece: list[tuple[int, bytes]] = []
    size = 0
    for line in lines:
        if piece and (len(piece) >= BATCH or size + len(line[1]) > _LARGEST_PIECE):
            yield piece
            piece, size = [], 0
        piece.append(line)
        size += len(line[1])
    yield piece


def _not_taken(number: int) -> bytes:
    return canonical_bytes({"line": number, "status": 503, "error": _NOT_TAKEN}) + b"\n"


def _ingest_batch(request: KeyRequest, lines: list[tuple[int, bytes]]) -> list[bytes]:
    outcomes = _ingest(request, [line.strip() for _, line in lines])
    found = _summaries(request.auth.organisation, outcomes)
    return [_result_line(number, outcome, found) for (number, _), outcome in zip(lines, outcomes, strict=True)]


def _summaries(organisation: Organisation, outcomes: list[Outcome]) -> dict[UUID, dict[str, Any]]:
    """Return all snapshots in short.

    Those that were there already are read, without what is withheld: to send a record again tells nothing that to ask for it does not.
    """
    known = [outcome.snapshot_id for outcome in outcomes if outcome.snapshot_id and not outcome.summary]
    found = queries.find_summaries(organisation, known) if known else {}
    found |= {outcome.summary.id: outcome.summary for outcome in outcomes if outcome.summary}
    told, reasons = {pk: summary_of(each) for pk, each in found.items()}, reasons_among(known)
    return {pk: withheld(each, reasons[pk]) if pk in reasons else each for pk, each in told.items()}


def _result_line(number: int, outcome: Outcome, found: dict[UUID, dict[str, Any]]) -> bytes:
    if outcome.error:
        result = {"line": number, "status": outcome.error.status, "error": problem_of(outcome.error)}
    else:
        summary = found[cast("UUID", outcome.snapshot_id)]
        result = {"line": number, "status": 201 if outcome.is_new else 200, **summary}
    return canonical_bytes(result) + b"\n"


def _ingest(request: KeyRequest, lines: list[bytes]) -> list[Outcome]:
    return ingest_lines(lines=lines, organisation=request.auth.organisation, by=key_actor(request.auth), at=timezone.now())
