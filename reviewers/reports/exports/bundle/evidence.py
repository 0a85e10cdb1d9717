"""The evidence of a report: its events, and the openings of those commitments whose content the report itself discloses."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from attribution import canonical_bytes
from reviewers.ledger.commitments import Part, commit_part, commit_row
from reviewers.ledger.encoding import LedgerRow, Openings, commitment_of, read_openings, row_of
from reviewers.ledger.events import Action
from reviewers.ledger.merkle.notes import encode_base64
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.ledger.verification.rows import RowCommitment, claims_of, columns_of, load_records, record_models
from reviewers.reports.disclosure.profiles import DisclosureProfile
from reviewers.reports.exports.loading import LoadedAnswer
from reviewers.reports.exports.report import Answer
from reviewers.review.items import NOBODY
from reviewers.snapshots.ingest.freeze import parts_of_stored
from reviewers.snapshots.ingest.records import read_stored_record
from reviewers.snapshots.redactable_parts import BARS, sealed_name

_ALWAYS = frozenset({"record.sha256", "user_text", "response"})
_BLIND = frozenset({"user_text"})
"""For an answer under blind review: its stored response has the model's markers."""

_NOTHING: frozenset[str] = frozenset()
_OF_ENGINE, _OF_RECORD = frozenset({"attribution.sha256", "documents_attribution.sha256"}), frozenset({"record.sha256"})
_SEALED = _OF_ENGINE | _OF_RECORD


@dataclass(frozen=True, slots=True)
class DisclosedEvidence:
    """The evidence of some answers: lines of events, without proofs, and the engine's documents that the events name."""

    events: Sequence[bytes]
    documents: Sequence[bytes]


def evidence_of(
    organisation_id: UUID, batch: Sequence[LoadedAnswer], answers: Sequence[Answer], profile: DisclosureProfile = DisclosureProfile.FULL
) -> DisclosedEvidence:
    """Return the evidence of some answers, with as many queries as for one.

    For de-identified answers there is none. For masked ones no text is disclosed, nor the engine's documents, which quote the texts.
    """
    if profile is DisclosureProfile.DEIDENTIFIED:
        return DisclosedEvidence([], [])
    is_masked = profile is DisclosureProfile.MASKED
    events = _told_events(organisation_id, answers)
    secrets = EventSecret.objects.in_bulk([each.id for each in events])
    told = {each.item.id: (each, _shown_of(answer, is_masked=is_masked)) for each, answer in zip(batch, answers, strict=True)}
    rows = _read_rows(_keys_of(answers, is_masked=is_masked))
    lines = [_line(event, secrets.get(event.id), told, rows) for event in events]
    documents = [_document(each) for each in batch if not (is_masked or each.is_withheld)]
    return DisclosedEvidence(lines, [canonical_bytes(encode_base64(each)) + b"\n" for each in documents])


def _told_events(organisation_id: UUID, answers: Iterable[Answer]) -> list[AuditEvent]:
    """Return the events that the answers tell, in their order: these and no others, whatever happened since they were read."""
    told = [UUID(each.id) for answer in answers for each in answer.events]
    found = AuditEvent.objects.filter(organisation_id=organisation_id).in_bulk(told)
    return [found[event_id] for event_id in told]


def line_of(event: AuditEvent, parts: Sequence[Mapping[str, str]] = (), rows: Sequence[Mapping[str, Any]] = ()) -> bytes:
    """Return an event as a line of evidence."""
    told = {"id": str(event.id), "body": encode_base64(bytes(event.body)), "parts": list(parts), "rows": list(rows)}
    return canonical_bytes(told) + b"\n"


def disclose(parts: Sequence[Part], openings: Openings, shown: Collection[str]) -> list[dict[str, str]]:
    """Return the parts of an event: the shown ones with their salts, and the commitments of the others.

    Return nothing if a redaction has left no commitment, because the digest over all parts cannot be recomputed then.
    """
    if len(parts) != len(openings.parts):
        return []
    told = [_disclose(*each, shown) for each in zip(openings.parts, openings.kept, parts, strict=False)]
    return [each for each in told if each] if all(told) else []


def _disclose(salt: bytes | None, kept: bytes, part: Part, shown: Collection[str]) -> dict[str, str] | None:
    name, content = part
    if salt and name in shown:
        return {"name": name, "salt": encode_base64(salt), "content": encode_base64(content)}
    commitment = commit_part(salt, name, content) if salt else commitment_of(kept)
    return {"commitment": encode_base64(commitment)} if commitment else None


def _line(
    event: AuditEvent, secret: EventSecret | None, told: Mapping[UUID, tuple[LoadedAnswer, frozenset[str]]], rows: Mapping[str, LedgerRow]
) -> bytes:
    if secret is None:
        return line_of(event)
    body = json.loads(bytes(event.body))
    openings = read_openings(body, bytes(secret.salt_seed))
    claims = claims_of(event.id, body, openings, bytes(secret.column_checks))
    opened = list(_rows(claims, rows))
    if event.action != Action.SNAPSHOT_FROZEN.value:
        return line_of(event, rows=opened)
    loaded, shown = told[event.object_id]
    return line_of(event, disclose(_frozen_parts(loaded), openings, shown), opened)


def _frozen_parts(loaded: LoadedAnswer) -> list[Part]:
    """Return the parts that the event of the snapshot committed to, rebuilt from what is stored."""
    item = loaded.item
    documents = getattr(item.row.attribution, "documents", None)
    digest = bytes(documents.digest) if documents else None
    record = read_stored_record(bytes(item.row.snapshot.record))
    attribution = (replace(item, reader=NOBODY) if item.barred else item).attribution  # what was committed to has no bars
    return parts_of_stored(record, attribution, bytes(item.row.attribution.digest), digest)


def _shown_of(answer: Answer, *, is_masked: bool) -> frozenset[str]:
    """Return the names of the parts that the report itself discloses.

    An answer under blind review keeps its digests in any report: readers who know the rest could try the few ways to mark it. So does a
    record that may repeat such an answer.
    """
    if answer.is_withheld:
        return _NOTHING if is_masked or answer.question == BARS else _BLIND
    kept_back = _NOTHING if answer.digest else _OF_RECORD
    if is_masked:
        return _SEALED - kept_back
    return (_ALWAYS | _OF_ENGINE | {sealed_name(row.section, row.path) for row in answer.rows}) - kept_back


def _keys_of(answers: Iterable[Answer], *, is_masked: bool) -> dict[str, set[str]]:
    """Return the keys of the rows that a report discloses, by table.

    A masked report discloses no label with a note or a reason, and no signature: its digest covers notes, and short ones could be guessed.
    """
    keys: dict[str, set[str]] = {
        "review_label": set(),
        "review_citationlabel": set(),
        "review_unsupportedclaim": set(),
        "review_submission": set(),
        "review_signature": set(),
    }
    for answer in answers:
        cited = [each for document in answer.documents for each in document.citations]
        of_labels = (("review_label", answer.rows), ("review_citationlabel", cited), ("review_unsupportedclaim", answer.unsupported))
        for table, judged in of_labels:
            keys[table].update(said.label for each in judged for said in each.said if not (is_masked and (said.note or said.reason)))
        keys["review_submission"].update(each.id for each in answer.reviews)
        keys["review_signature"].update(each.id for each in answer.signatures if not is_masked)
    return keys


def _read_rows(keys: Mapping[str, set[str]]) -> dict[str, LedgerRow]:
    models = record_models()
    return {
        str(record.pk): row_of(record) for table, wanted in keys.items() if wanted for record in load_records(models[table], sorted(wanted))
    }


def _rows(claims: Iterable[RowCommitment], rows: Mapping[str, LedgerRow]) -> Iterator[dict[str, Any]]:
    for place, claim in enumerate(claims):
        row = rows.get(claim.key)
        if claim.salt is None or row is None or row.table != claim.table:
            continue
        content, _ = LedgerRow(row.table, row.id, {name: row.values[name] for name in columns_of(claim.table, claim.shape)}).encode()
        if commit_row(claim.salt, claim.table, content) != claim.digest:
            continue  # the row was changed after it was sealed: the bundle lacks it, and the verifier says so
        yield {"place": place, "salt": encode_base64(claim.salt), "content": encode_base64(content)}


def _document(loaded: LoadedAnswer) -> bytes:
    return zlib.decompress(bytes(loaded.item.row.attribution.document))
