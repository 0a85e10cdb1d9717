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
from django.utils import timezone
from ninja import Header, Router
from ninja.errors import Throttled
from ninja.responses import Status

from attribution import DEFAULT_PROFILE, citation_instruction, digest
from reviewers.accounts.key_rates import one_of_few
from reviewers.accounts.keys import KeyRequest, KeyWithScope, key_actor
from reviewers.accounts.models import Scope
from reviewers.ledger.actions import record as record_event
from reviewers.ledger.events import Action, Event
from reviewers.ledger.receipts import find_milestone, take_receipt
from reviewers.snapshots import queries
from reviewers.snapshots.additions import read_additions
from reviewers.snapshots.api_answers import documents_in_full, redactions_of, search_of, summary_of, withheld
from reviewers.snapshots.api_ingest import NDJSON, ingest_many, ingest_one
from reviewers.snapshots.api_shapes import EVERYWHERE, Instruction, Problem, SnapshotSummary
from reviewers.snapshots.openapi import RECORD_BODY, RESULT_LINES
from reviewers.snapshots.withholding import why_withheld

router = Router(tags=["snapshots"])

LONGEST_REASON = 500


@router.post(
    "/snapshots",
    auth=KeyWithScope(Scope.INGEST),
    response={200: SnapshotSummary, 201: SnapshotSummary} | dict.fromkeys((400, 409, 411, 413, 415, 422), Problem) | EVERYWHERE,
    openapi_extra={"requestBody": RECORD_BODY, "responses": {200: RESULT_LINES}},
    summary="Freeze one record, or many",
)
def post_snapshots(request: HttpRequest) -> HttpResponse | Status[Any]:
    """Freeze one record (`application/json`) or many, one a line (`application/x-ndjson`).

    What is acknowledged is stored, attributed and visible. Sending a record again is harmless: the same content under the same `id` is
    answered with the snapshot there is (200), another content is refused (409). Of many records each has its own result line, in
    their order, with the status it would have had alone; the good ones are kept whatever the others are.

    A key that asks too often, or sends more than two large bodies at once, is answered 429; `Retry-After` says how long to wait.
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
    with one_of_few(request.auth.pk, len(body)) as may:
        if not may:
            raise Throttled(1)
        return ingest_many(request, body) if request.content_type == NDJSON else ingest_one(request, body)


@router.get(
    "/snapshots/{snapshot_id}",
    auth=KeyWithScope(Scope.READ),
    response={200: dict[str, Any], 404: Problem, 422: Problem} | EVERYWHERE,
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
    While a snapshot is under blind review its attribution is withheld: `attribution` then says so, under `withheld`. So are `record` and
    `digest`: the markers in the record say what the model claims to have used.
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
        kept_back = {"digest": None, "record": None, "citation_search": None, "redactions": redactions_of(snapshot_id, only_of_record=True)}
        return withheld(summary_of(found), reason) | kept_back
    return {
        **summary_of(found),
        "record": json.loads(found.record),
        "attribution": json.loads(zlib.decompress(found.document)) | {"digest": found.attribution_digest},
        "documents": documents_in_full(found),
        "citation_search": search_of(found.search),
        "redactions": redactions_of(snapshot_id),
        **read_additions(organisation.id, snapshot_id),
    }


@router.get(
    "/snapshots/{snapshot_id}/receipt",
    auth=KeyWithScope(Scope.READ),
    response={200: None, 404: Problem, 422: Problem} | EVERYWHERE,
    summary="Read a snapshot’s receipt",
    openapi_extra={"responses": {200: {"description": "A receipt", "content": {"text/plain": {"schema": {"type": "string"}}}}}},
)
def get_receipt(request: HttpRequest, snapshot_id: UUID) -> HttpResponse | Status[Any]:
    """The receipt (a C2SP tlog-proof) of the review’s last submission; as long as there is none, of the freezing.

    Anybody who has the log’s public key can check it offline. Within seconds of the event it may say that it is not sealed yet.
    """
    request = cast("KeyRequest", request)
    with transaction.atomic():
        found = find_milestone(request.auth.organisation.id, snapshot_id, () if why_withheld(snapshot_id) else None)
        if found is None:
            return Status(404, {"place": "snapshot_id", "reason": "there is no such snapshot"})
        text = take_receipt(event=found, by=key_actor(request.auth), at=timezone.now())
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@router.get(
    "/instruction",
    auth=KeyWithScope(Scope.INGEST),
    response={200: Instruction} | EVERYWHERE,
    summary="Should the assistant cite, and how?",
)
def get_instruction(request: HttpRequest) -> dict[str, Any]:
    """The paragraph for the system prompt while the organisation's switch is on. Ask before each conversation: the switch holds at once."""
    request = cast("KeyRequest", request)
    on = request.auth.organisation.asks_for_citations
    text = citation_instruction(DEFAULT_PROFILE.registry) if on else None
    return {"on": on, "text": text, "digest": digest(text.encode()) if text else None, "profile": DEFAULT_PROFILE.id}


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
