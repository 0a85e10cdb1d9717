"""The HTTP API: records in, snapshots out, and whether the assistant is to cite."""

from __future__ import annotations

import json
import zlib
from typing import Annotated, Any, cast
from uuid import UUID

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from ninja import Field, Header, Router, Schema
from ninja.responses import Status

from attribution import DEFAULT_PROFILE, canonical_bytes, citation_instruction, digest
from reviewers.accounts.keys import KeyRequest, KeyWithScope, key_actor
from reviewers.accounts.models import Scope
from reviewers.ledger.actions import record as record_event
from reviewers.ledger.events import Action, Event
from reviewers.ledger.receipts import find_milestone, take_receipt
from reviewers.ledger.redacted import list_redacted_of
from reviewers.snapshots import queries
from reviewers.snapshots.actions import BATCH, Outcome, ingest_lines
from reviewers.snapshots.additions import read_additions
from reviewers.snapshots.openapi import RECORD_BODY, RESULT_LINES
from reviewers.snapshots.refusal import RecordError
from reviewers.snapshots.search_state import SearchState
from reviewers.snapshots.withholding import why_withheld

router = Router(tags=["snapshots"])

LONGEST_REASON = 500
_NDJSON = "application/x-ndjson"


class AttributionSummary(Schema):
    """What the engine found, in short."""

    profile: str
    engine: str
    source: str
    fields: int
    found: int
    cited: int
    guardrails: dict[str, int]
    digest: str


class DocumentsSummary(Schema):
    """What the engine found of citations of documents, in short: how many sources there are and how many are cited, issues by code."""

    sources: int
    cited: int
    issues: dict[str, int]
    validity: str
    trust: str
    digest: str


class SnapshotSummary(Schema):
    """A frozen record. ``documents`` is nothing where the record has none, nor anything that cites any."""

    id: UUID
    external_id: str
    url: str
    frozen_at: Annotated[str, Field(json_schema_extra={"format": "date-time"})]
    digest: str
    attribution: AttributionSummary
    documents: DocumentsSummary | None


class Problem(Schema):
    """Why a record was not taken: the place in it, as a path, and the reason."""

    place: str
    reason: str


class Instruction(Schema):
    """Whether the organisation asks for citations, and the paragraph for the system prompt if it does."""

    on: bool
    text: str | None
    digest: str | None
    profile: str


class Refusal(Schema):
    """Why a key opens nothing here."""

    detail: str


_EVERYWHERE = {401: Refusal, 403: Refusal, 503: Problem}


@router.post(
    "/snapshots",
    auth=KeyWithScope(Scope.INGEST),
    response={200: SnapshotSummary, 201: SnapshotSummary} | dict.fromkeys((400, 409, 411, 413, 415, 422), Problem) | _EVERYWHERE,
    openapi_extra={"requestBody": RECORD_BODY, "responses": {200: RESULT_LINES}},
    summary="Freeze one record, or many",
)
def post_snapshots(request: HttpRequest) -> HttpResponse | Status[Any]:
    """Freeze one record (`application/json`) or many, one a line (`application/x-ndjson`).

    What is acknowledged is stored, attributed and visible. Sending a record again is harmless: the same content under the same `id` is
    answered with the snapshot there is (200), another content is refused (409). Of many records each has its own result line, in
    their order, with the status it would have had alone; the good ones are kept whatever the others are.
    """
    request = cast("KeyRequest", request)
    if request.headers.get("Content-Encoding"):
        return Status(415, {"place": "", "reason": "send the body as it is, without Content-Encoding"})
    if request.headers.get("Transfer-Encoding"):
        return Status(411, {"place": "", "reason": "send the body in one piece, with its Content-Length"})
    try:
        body = request.body
    except RequestDataTooBig:
        return Status(413, {"place": "", "reason": f"larger than {settings.LARGEST_BATCH // (1024 * 1024)} MB; send fewer records at once"})
    if request.content_type == _NDJSON:
        return _ingest_lines(request, body)
    return _ingest_one(request, body)


@router.get(
    "/snapshots/{snapshot_id}",
    auth=KeyWithScope(Scope.READ),
    response={200: dict[str, Any], 404: Problem, 422: Problem} | _EVERYWHERE,
    summary="Read a snapshot",
)
def get_snapshot(
    request: HttpRequest,
    snapshot_id: UUID,
    access_reason: Annotated[str, Header("", alias="Access-Reason", max_length=LONGEST_REASON)] = "",
) -> dict[str, Any] | Status[Any]:
    """The frozen record as it came, and its attribution in full, to fields and to documents. Reading it is an audit event.

    `citation_search` is nothing unless citations were looked for afterwards; its `state` is pending, found, nothing, failed or skipped.
    Where the organisation asks why records are opened, `Access-Reason` says so in a few words; without it the answer is 422.
    While a snapshot is under blind review its attribution is withheld: `attribution` then says so, under `withheld`.
    `signatures` are those of its reviews, the oldest first; one that is `void` says what has changed since.
    `redactions` say which parts were taken out of the record, when and on which basis; bars stand in their place.
    """
    request = cast("KeyRequest", request)
    organisation = request.auth.organisation
    with transaction.atomic():
        found = queries.find_snapshot(organisation, snapshot_id)
        if found is None:
            return Status(404, {"place": "snapshot_id", "reason": "there is no such snapshot"})
        if organisation.asks_why and not access_reason.strip():
            return Status(422, {"place": "Access-Reason", "reason": "this organisation asks why a record is read: say so in this header"})
        if access_reason.strip():
            record_event(_explained(request, snapshot_id, access_reason.strip()))
        event = Event(Action.RECORD_VIEWED, organisation.id, key_actor(request.auth), timezone.now(), "snapshot", snapshot_id)
        record_event(event)
    if reason := why_withheld(snapshot_id):
        record = {"record": json.loads(found.record), "redactions": _redactions(snapshot_id)}
        return _withheld(_summary(request, found), reason) | record
    return {
        **_summary(request, found),
        "record": json.loads(found.record),
        "attribution": json.loads(zlib.decompress(found.document)) | {"digest": found.attribution_digest},
        "documents": _documents_in_full(found),
        "citation_search": _search(found.search),
        "redactions": _redactions(snapshot_id),
        **read_additions(organisation.id, snapshot_id),
    }


@router.get(
    "/snapshots/{snapshot_id}/receipt",
    auth=KeyWithScope(Scope.READ),
    response={200: None, 404: Problem, 422: Problem} | _EVERYWHERE,
    summary="Read a snapshot’s receipt",
    openapi_extra={"responses": {200: {"description": "A receipt", "content": {"text/plain": {"schema": {"type": "string"}}}}}},
)
def get_receipt(request: HttpRequest, snapshot_id: UUID) -> HttpResponse | Status[Any]:
    """The receipt (a C2SP tlog-proof) of the review’s last submission; as long as there is none, of the freezing.

    Anybody who has the log’s public key can check it offline. Within seconds of the event it may say that it is not sealed yet.
    """
    request = cast("KeyRequest", request)
    with transaction.atomic():
        found = find_milestone(request.auth.organisation.id, snapshot_id)
        if found is None:
            return Status(404, {"place": "snapshot_id", "reason": "there is no such snapshot"})
        text = take_receipt(event=found, by=key_actor(request.auth), at=timezone.now())
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@router.get(
    "/instruction",
    auth=KeyWithScope(Scope.INGEST),
    response={200: Instruction} | _EVERYWHERE,
    summary="Should the assistant cite, and how?",
)
def get_instruction(request: HttpRequest) -> dict[str, Any]:
    """The paragraph for the system prompt while the organisation's switch is on. Ask before each conversation: the switch holds at once."""
    request = cast("KeyRequest", request)
    on = request.auth.organisation.asks_for_citations
    text = citation_instruction(DEFAULT_PROFILE.registry) if on else None
    return {"on": on, "text": text, "digest": digest(text.encode()) if text else None, "profile": DEFAULT_PROFILE.id}


def _ingest_one(request: KeyRequest, body: bytes) -> Status[Any]:
    (outcome,) = _ingest(request, [body])
    if outcome.error:
        return Status(outcome.error.status, _problem(outcome.error))
    (found,) = _summaries(request, [outcome]).values()
    return Status(201 if outcome.is_new else 200, _summary(request, found))


def _ingest_lines(request: KeyRequest, body: bytes) -> HttpResponse | Status[Any]:
    """Each line is a record of its own; empty ones are passed over but counted."""
    results: list[bytes] = []
    lines = [(number, line) for number, line in enumerate(body.split(b"\n"), start=1) if line.strip()]
    if not lines:
        return Status(400, {"place": "", "reason": "holds no record"})
    for start in range(0, len(lines), BATCH):
        results += _ingest_batch(request, lines[start : start + BATCH])
    return HttpResponse(b"".join(results), content_type=_NDJSON)


def _ingest_batch(request: KeyRequest, lines: list[tuple[int, bytes]]) -> list[bytes]:
    outcomes = _ingest(request, [line.strip() for _, line in lines])
    found = _summaries(request, outcomes)
    return [_result_line(request, number, outcome, found) for (number, _), outcome in zip(lines, outcomes, strict=True)]


def _summaries(request: KeyRequest, outcomes: list[Outcome]) -> dict[UUID, queries.Summary]:
    """Of all snapshots; those that were there already are read."""
    known = [outcome.snapshot_id for outcome in outcomes if outcome.snapshot_id and not outcome.summary]
    found = queries.find_summaries(request.auth.organisation, known) if known else {}
    return {outcome.summary.id: outcome.summary for outcome in outcomes if outcome.summary} | found


def _result_line(request: KeyRequest, number: int, outcome: Outcome, found: dict[UUID, queries.Summary]) -> bytes:
    if outcome.error:
        result = {"line": number, "status": outcome.error.status, "error": _problem(outcome.error)}
    else:
        summary = _summary(request, found[cast("UUID", outcome.snapshot_id)])
        result = {"line": number, "status": 201 if outcome.is_new else 200, **summary}
    return canonical_bytes(result) + b"\n"


def _ingest(request: KeyRequest, lines: list[bytes]) -> list[Outcome]:
    return ingest_lines(lines=lines, organisation=request.auth.organisation, by=key_actor(request.auth), at=timezone.now())


def _summary(request: HttpRequest, found: queries.Summary) -> dict[str, Any]:
    return {
        "id": str(found.id),
        "external_id": found.external_id,
        "url": request.build_absolute_uri(reverse("item", args=[found.id])),
        "frozen_at": found.frozen_at.isoformat(),
        "digest": found.digest,
        "attribution": {
            "profile": found.profile,
            "engine": found.engine,
            "source": found.source,
            "fields": found.field_count,
            "found": found.found_count,
            "cited": found.cited_count,
            "guardrails": found.guardrails,
            "digest": found.attribution_digest,
        },
        "documents": _documents(found.documents),
    }


def _explained(request: KeyRequest, snapshot_id: UUID, reason: str) -> Event:
    """The words may be protected text, so they are committed to and kept beside."""
    return Event(
        action=Action.ACCESS_EXPLAINED,
        organisation_id=request.auth.organisation.id,
        by=key_actor(request.auth),
        at=timezone.now(),
        object_type="snapshot",
        object_id=snapshot_id,
        details={"kind": "program"},
        parts=[("reason", reason.encode())],
        kept=frozenset({"reason"}),
    )


def _withheld(summary: dict[str, Any], reason: str) -> dict[str, Any]:
    """Which attribution there is, and nothing of what it says."""
    named = {name: summary["attribution"][name] for name in ("profile", "engine", "digest")}
    return summary | {"attribution": named | {"withheld": reason}, "documents": None, "citation_search": None}


def _documents_in_full(found: queries.Summary) -> dict[str, Any] | None:
    if found.documents is None:
        return None
    attribution: dict[str, Any] = json.loads(zlib.decompress(found.cited_document))
    return attribution | {"digest": found.documents.digest}


def _search(search: SearchState | None) -> dict[str, Any] | None:
    if search is None:
        return None
    told = {"state": search.state, "method": search.method, "number": search.number, "asked_at": search.asked_at.isoformat()}
    if search.ended_at:
        told |= {"ended_at": search.ended_at.isoformat(), "attempts": search.attempts, "model": search.model, "reason": search.reason}
    if search.values:
        told |= {name: search.values[name] for name in ("engine", "sources", "references", "refused")} | {"digest": search.digest}
    return told


def _redactions(snapshot_id: UUID) -> list[dict[str, Any]]:
    """In so far as a program may know: not by whom."""
    return [{"at": each.at.isoformat(), "basis": each.basis.value, "parts": list(each.parts)} for each in list_redacted_of([snapshot_id])]


def _documents(found: queries.DocumentSummary | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "sources": found.source_count,
        "cited": found.cited_count,
        "issues": found.issues,
        "validity": found.validity,
        "trust": found.trust,
        "digest": found.digest,
    }


def _problem(error: RecordError) -> dict[str, str]:
    return {"place": error.place, "reason": error.reason}
