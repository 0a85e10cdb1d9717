"""Endpoints of the API: turns in, one or many; snapshots and receipts out; and the citation instruction."""

from __future__ import annotations

import json
from collections.abc import Iterator
from time import monotonic
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from ninja.errors import Throttled
from ninja.responses import Status

from attribution import (
    DEFAULT_PROFILE,
    Grammar,
    QuotePolicy,
    canonical_bytes,
    citation_instruction,
    digest,
    document_instruction,
)
from reviewers.accounts.models import Organisation, Scope
from reviewers.accounts.service_keys import KeyRequest, KeyWithScope, key_actor, limit_large_bodies
from reviewers.ledger.events import Action
from reviewers.ledger.receipts import find_milestone, take_receipt
from reviewers.snapshots import queries
from reviewers.snapshots.access_log import NO_REASON, AccessReason, lacks_reason, record_access
from reviewers.snapshots.api.schemas import (
    EVERYWHERE,
    RECORD_BODY,
    RESULT_LINES,
    InstructedGrammar,
    Instruction,
    IsBlocking,
    Problem,
    SchemaVersion,
    SnapshotSummary,
    attribution_in_full,
    documents_in_full,
    documents_of,
    problem_of,
    redactions_of,
    search_of,
    summary_of,
    withheld_summary,
)
from reviewers.snapshots.hooks import read_additions, reasons_among, repeats_withheld, why_withheld
from reviewers.snapshots.ingest.actions import BATCH, NOT_TAKEN, IngestOutcome, ingest_lines
from reviewers.snapshots.judged_support.queries import newest_support, read_support_state, support_of
from reviewers.snapshots.models import SnapshotAttribution
from reviewers.snapshots.redactable_parts import marked_parts, rest_of, without_markers
from reviewers.snapshots.versions.in_use import find_approved_schemas, profile_under

NDJSON = "application/x-ndjson"

_LARGEST_PIECE = 1024 * 1024
"""Bytes of records that are ingested together."""
MOST_LINES = 50_000
"""Each line is answered by one of its own, even if it is refused."""


def ingest_one(request: KeyRequest, body: bytes) -> Status[Any]:
    """Ingest a body that is one record."""
    (outcome,) = _ingest(request, [body])
    if outcome.error:
        return Status(outcome.error.status, problem_of(outcome.error))
    (summary,) = _summaries(request.auth.organisation, [outcome]).values()
    return Status(201 if outcome.is_new else 200, summary)


def ingest_many(request: KeyRequest, body: bytes) -> HttpResponse | Status[Any]:
    """Ingest a body with a record a line; empty lines are ignored but counted.

    The lines are ingested in pieces while the time of a request lasts. The remaining lines are answered 503, also those of a piece, and
    nothing of them is stored.
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
        results += _ingest_batch(request, piece, until) if is_taken else [_not_taken(number) for number, _ in piece]
    return HttpResponse(b"".join(results), content_type=NDJSON)


def _pieces(lines: list[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    """Yield the lines in pieces for one transaction each, limited in number and, unless a single record is larger, in bytes."""
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
    return canonical_bytes({"line": number, "status": 503, "error": {"place": "", "reason": NOT_TAKEN}}) + b"\n"


def _ingest_batch(request: KeyRequest, lines: list[tuple[int, bytes]], until: float) -> list[bytes]:
    outcomes = _ingest(request, [line.strip() for _, line in lines], until)
    found = _summaries(request.auth.organisation, outcomes)
    return [_result_line(number, outcome, found) for (number, _), outcome in zip(lines, outcomes, strict=True)]


def _summaries(organisation: Organisation, outcomes: list[IngestOutcome]) -> dict[UUID, SnapshotSummary]:
    """Return the summaries of the snapshots.

    Those that existed before are read, without what is withheld: sending a record again must reveal no more than reading it.
    """
    known = [outcome.snapshot_id for outcome in outcomes if outcome.snapshot_id and not outcome.attribution]
    found = queries.find_attributions(organisation, known) if known else {}
    reasons = reasons_among(known)
    new = {each.attribution.snapshot_id: summary_of(each.attribution, each.documents) for each in outcomes if each.attribution}
    return new | {pk: _summary(each, reasons.get(pk, "")) for pk, each in found.items()}


def _summary(found: SnapshotAttribution, reason: str) -> SnapshotSummary:
    return withheld_summary(found, reason) if reason else summary_of(found, documents_of(found))


def _result_line(number: int, outcome: IngestOutcome, found: dict[UUID, SnapshotSummary]) -> bytes:
    if outcome.error:
        result = {"line": number, "status": outcome.error.status, "error": problem_of(outcome.error)}
    else:
        summary = found[cast("UUID", outcome.snapshot_id)]
        result = {"line": number, "status": 201 if outcome.is_new else 200, **summary.model_dump(mode="json")}
    return canonical_bytes(result) + b"\n"


def _ingest(request: KeyRequest, lines: list[bytes], until: float | None = None) -> list[IngestOutcome]:
    by = key_actor(request.auth)
    return ingest_lines(lines=lines, organisation=request.auth.organisation, by=by, at=timezone.now(), until=until)


router = Router(tags=["snapshots"])


@router.post(
    "/snapshots",
    auth=KeyWithScope(Scope.INGEST),
    response={200: SnapshotSummary, 201: SnapshotSummary} | dict.fromkeys((400, 409, 411, 413, 415, 422), Problem) | EVERYWHERE,
    openapi_extra={"requestBody": RECORD_BODY, "responses": {200: RESULT_LINES}},
    operation_id="reviewers_snapshots_api_post_snapshots",
    summary="Freeze one record, or many",
)
def post_snapshots(request: HttpRequest) -> HttpResponse | Status[Any]:
    """Freeze one record (`application/json`) or many, one a line (`application/x-ndjson`).

    What is acknowledged is stored, attributed and visible. Sending a record again is harmless: the same content under the same `id` is
    answered with the snapshot there is (200), another content is refused (409). Of many records each has its own result line, in
    their order, with the status it would have had alone; the good ones are kept whatever the others are.

    A key that asks too often, or whose organisation sends more than two large bodies at once, is answered 429;
    `Retry-After` says how long to wait.
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
    with limit_large_bodies(request.auth.organisation_id, len(body)) as may:
        if not may:
            raise Throttled(1)
        return ingest_many(request, body) if request.content_type == NDJSON else ingest_one(request, body)


@router.get(
    "/snapshots/{snapshot_id}",
    auth=KeyWithScope(Scope.READ),
    response={200: dict[str, Any], 404: Problem, 422: Problem} | EVERYWHERE,
    operation_id="reviewers_snapshots_api_get_snapshot",
    summary="Read a snapshot",
)
def get_snapshot(
    request: HttpRequest,
    snapshot_id: UUID,
    access_reason: AccessReason = "",
) -> dict[str, Any] | Status[Any]:
    """The frozen record as it was sent, and its attribution in full, to fields and to documents. Reading it is an audit event.

    `citation_search` is null unless citations were looked for afterwards; its `state` is pending, found, nothing, failed or skipped.
    Its `unit` says if whole sentences were looked up, or clauses.
    `judged_support` is null unless a model was asked if the sources support what cites them. A judgement has a `verdict` and the `sentence`
    that it rests on, or says why it was `refused`; it changes nothing of what the engine found.
    If the organisation asks why records are opened, give the reason in `Access-Reason` in a few words; without it the answer is 422.
    While a snapshot is under blind review its attribution is withheld: `attribution` then says so, under `withheld`. So are `record` and
    `digest`: the markers in the record say what the model claims to have used. The same two are null of another turn of its conversation,
    if its record may repeat the answer, in what the model was given or beside the fields that are read; texts with markers are bars in the
    rest, and `digest` is null there, too. Turns of which one names no conversation count as turns of one,
    unless they name different clients.
    `signatures` are those of its reviews, the oldest first; one that is `void` says what has changed since.
    `redactions` say which parts were taken out of the record, when and on which basis; bars replace them.
    """
    request = cast("KeyRequest", request)
    organisation = request.auth.organisation
    with transaction.atomic():
        found = queries.find_attribution(organisation, snapshot_id, judged=newest_support("snapshot_id"))
        if found is None:
            return Status(404, {"place": "snapshot_id", "reason": "there is no such snapshot"})
        if lacks_reason(organisation, access_reason):
            return Status(422, NO_REASON)
        record_access(Action.RECORD_VIEWED, organisation.id, snapshot_id, key_actor(request.auth), timezone.now(), access_reason)
    documents = documents_of(found)
    if reason := why_withheld(snapshot_id):
        kept_back = dict.fromkeys(("digest", "record", "citation_search", "judged_support"))
        told = withheld_summary(found, reason).model_dump(mode="json")
        return told | kept_back | {"redactions": redactions_of(snapshot_id, only_of_record=True)}
    record = json.loads(bytes(found.snapshot.record))
    told = {
        **summary_of(found, documents).model_dump(mode="json"),
        "record": record,
        "attribution": attribution_in_full(found),
        "documents": documents_in_full(documents),
        "citation_search": search_of(queries.read_search(found.searched)),
        "judged_support": support_of(found, read_support_state(found.judged)),
        "redactions": redactions_of(snapshot_id),
        **read_additions(organisation.id, snapshot_id),
    }
    may_repeat = bool(rest_of(record) or marked_parts(record)) and repeats_withheld(snapshot_id)
    return _without_what_repeats(told) if may_repeat else told


def _without_what_repeats(told: dict[str, Any]) -> dict[str, Any]:
    """Return a snapshot without its record, texts with markers, and the digests by which they could be guessed."""
    kept: dict[str, Any] = without_markers(told) | dict.fromkeys(("digest", "record"))
    derived = {name: kept[name] | {"digest": None} for name in ("attribution", "documents") if kept[name]}
    return kept | derived


@router.get(
    "/snapshots/{snapshot_id}/receipt",
    auth=KeyWithScope(Scope.READ),
    response={200: None, 404: Problem, 422: Problem} | EVERYWHERE,
    operation_id="reviewers_snapshots_api_get_receipt",
    summary="Read a snapshot’s receipt",
    openapi_extra={"responses": {200: {"description": "A receipt", "content": {"text/plain": {"schema": {"type": "string"}}}}}},
)
def get_receipt(request: HttpRequest, snapshot_id: UUID) -> HttpResponse | Status[Any]:
    """The receipt (a C2SP tlog-proof) of the review’s last submission, or of the freezing if there is none yet.

    Anybody who has the log’s public key can check it offline. In the first seconds after the event it may say that it is not sealed yet.
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
    response={200: Instruction, 422: Problem} | EVERYWHERE,
    operation_id="reviewers_snapshots_api_get_instruction",
    summary="Should the assistant cite, and how?",
)
def get_instruction(
    request: HttpRequest,
    schema_version: SchemaVersion = "",
    grammar: InstructedGrammar = "fields",
    blocking: IsBlocking = False,  # noqa: FBT002 — a parameter of the address
) -> dict[str, Any] | Status[Any]:
    """The paragraph for the system prompt while the organisation's switch is on. Ask before each conversation: a switch holds at once.

    It asks for markers of `fields`, or for `field_citations` beside the text, with the sections of the approved schema of this
    `schema_version`, or without one those that come with Footnote. With another `grammar` it asks for citations of documents, and for
    quotes where the organisation requires them; with `blocking` it also says that answers without citations are rejected, with an example
    and the forms that are rejected too.
    """
    request = cast("KeyRequest", request)
    organisation = request.auth.organisation
    of_fields = grammar in ("fields", "field_citations")
    if blocking and of_fields:
        return Status(422, {"place": "blocking", "reason": "is for citations of documents: name a grammar for these"})
    text = None
    if organisation.asks_for_citations and of_fields:
        approved = find_approved_schemas(organisation.pk, [schema_version]).get(schema_version)
        text = citation_instruction(profile_under(DEFAULT_PROFILE, approved).registry, is_beside=grammar == "field_citations")
    elif organisation.asks_for_citations:
        text = document_instruction(Grammar(grammar), quotes=QuotePolicy(organisation.quotes), is_blocking=blocking)
    return {
        "on": organisation.asks_for_citations,
        "text": text,
        "digest": digest(text.encode()) if text else None,
        "profile": DEFAULT_PROFILE.id,
    }
