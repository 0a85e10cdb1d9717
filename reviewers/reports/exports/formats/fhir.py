"""A report as a FHIR R4 bundle: a Provenance for each answer with its signatures, and an AuditEvent for each audit event."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from attribution import canonical_bytes
from reviewers.reports.exports.formats.json_documents import ALL, Element, JSONFormat, derived, urn
from reviewers.reports.exports.report import Answer, Header, ReportedEvent, Signed

_AGENT = "http://terminology.hl7.org/CodeSystem/provenance-participant-type"
_ACTIVITY = "http://terminology.hl7.org/CodeSystem/v3-DataOperation"
_AUDIT = "http://terminology.hl7.org/CodeSystem/audit-event-type"
_OWN = "urn:footnote:action"
_HELD = "urn:footnote:hold"
_SIGNATURE = {"system": "urn:iso-astm:E1762-95:2013", "code": "1.2.840.10065.1.12.1.5", "display": "Verification Signature"}
_UNKNOWN = "unknown"


def _begin(_: Header) -> bytes:
    return b'{"entry":['


def _elements(header: Header, answer: Answer) -> Iterator[Element]:
    yield Element(ALL, canonical_bytes(_entry(_provenance(answer))))
    for event in answer.events:
        yield Element(ALL, canonical_bytes(_entry(_audit_event(answer, event, header.organisation))))


def _end(_: Header, count: int) -> bytes:
    del count
    return b'],"resourceType":"Bundle","type":"collection"}\n'


FHIR = JSONFormat(_begin, _elements, _end, {ALL: (b"", b"")})
"""A bundle of type collection."""


def _entry(resource: dict[str, Any]) -> dict[str, Any]:
    return {"fullUrl": urn(resource["id"]), "resource": resource}


def _provenance(answer: Answer) -> dict[str, Any]:
    engine = {"type": _coded(_AGENT, "assembler", "Assembler"), "who": {"display": f"Footnote engine {answer.engine}"}}
    people = dict.fromkeys([each.reviewer for each in answer.reviews] + [each.printed_name for each in answer.signatures])
    verifiers = [{"type": _coded(_AGENT, "verifier", "Verifier"), "who": {"display": name}} for name in people]
    record = {"identifier": {"system": "urn:ietf:rfc:3986", "value": urn(answer.id)}, "display": f"Frozen record {answer.digest}"}
    resource: dict[str, Any] = {
        "resourceType": "Provenance",
        "id": derived(answer.id, "provenance"),
        "target": [{"identifier": {"system": "urn:ietf:rfc:3986", "value": urn(answer.id)}, "display": answer.external_id}],
        "occurredDateTime": answer.answered_at,
        "recorded": answer.frozen_at,
        "activity": _coded(_ACTIVITY, "CREATE", "create"),
        "agent": [engine, *verifiers],
        "entity": [{"role": "source", "what": record}],
    }
    if answer.holds:
        resource["meta"] = {"tag": [{"system": _HELD, "display": f"Under legal hold: {each.words}"} for each in answer.holds]}
    if answer.signatures:
        resource["signature"] = [_signature(each) for each in answer.signatures]
    return resource


def _signature(each: Signed) -> dict[str, Any]:
    return {
        "type": [_SIGNATURE],
        "when": each.signed_at,
        "who": {"display": f"{each.printed_name}, {each.meaning_words.lower()}"},
        "sigFormat": "text/plain",
        "data": b64encode(each.digest.encode()).decode(),
    }


def _audit_event(answer: Answer, event: ReportedEvent, organisation: str) -> dict[str, Any]:
    return {
        "resourceType": "AuditEvent",
        "id": event.id,
        "type": {"system": _AUDIT, "code": "object", "display": "Object"},
        "subtype": [{"system": _OWN, "code": event.action}],
        "action": "C",
        "recorded": event.at,
        "outcome": "0",
        "agent": [{"who": {"display": event.by or _UNKNOWN}, "requestor": True}],
        "source": {"observer": {"display": organisation or _UNKNOWN}},
        "entity": [{"what": {"identifier": {"system": "urn:ietf:rfc:3986", "value": urn(answer.id)}, "display": answer.external_id}}],
    }


def _coded(system: str, code: str, display: str) -> dict[str, Any]:
    return {"coding": [{"system": system, "code": code, "display": display}]}
