"""Events that somebody has put in as no code of the site writes them: verification names them, and they do not end it."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from django.utils import timezone

from reviewers.ledger.encoding import shape_of
from reviewers.ledger.events import Action
from reviewers.ledger.jobs import run_verification
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.ledger.queries import last_verification
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.ledger.verification.organisation import verify
from reviewers.review.models import Label
from tests.factories import NOW
from tests.ledger.sealed import seal_now, write_events

LABEL = shape_of(frozenset(field.column for field in Label._meta.concrete_fields))
ROW = {"table": "review_label", "id": str(uuid.UUID(int=7)), "columns": LABEL, "sha256": "00"}
PARTS = {"count": 1, "sha256": "00"}
KEY_CHANGED = Action.LOG_KEY_CHANGED.value


def put_in(organisation_id: uuid.UUID, told: dict[str, Any]) -> AuditEvent:
    """As the web's role may: an event whose columns agree with its body, with a secret if it claims to commit to anything."""
    key, at = uuid.uuid4(), timezone.now()
    body = {
        "id": str(key),
        "organisation": str(organisation_id),
        "at": at.isoformat(timespec="microseconds"),
        "actor": {"kind": "system", "id": None},
        "action": Action.QUEUE_VIEWED.value,
        "object": {"type": "organisation", "id": str(organisation_id)},
    } | told
    columns = {"organisation_id": organisation_id, "action": body["action"], "object_id": organisation_id, "occurred_at": at}
    event = AuditEvent.objects.create(id=key, **columns, body=json.dumps(body).encode())
    if told.keys() & {"rows", "parts"}:
        EventSecret.objects.create(event_id=key, organisation_id=organisation_id, salt_seed=bytes(32))
    return event


@pytest.mark.parametrize("is_sealed", [False, True], ids=["waiting", "sealed"])
@pytest.mark.parametrize(
    "told",
    [
        {"rows": "all of them"},
        {"rows": ["one"]},
        {"rows": [{}]},
        {"rows": [ROW | {"table": "a..b"}]},
        {"rows": [ROW | {"id": "no key"}]},
        {"rows": [ROW | {"id": "\0"}]},
        {"rows": [ROW | {"id": 7}]},
        {"parts": 3},
        {"parts": PARTS | {"count": "one"}},
        {"parts": PARTS | {"count": -1}},
        {"parts": PARTS | {"count": 10**12}},
        {"details": 5},
    ],
    ids=str,
)
def test_what_cannot_be_compared_is_named(organisation, told, is_sealed):
    write_events(organisation.pk)
    event = put_in(organisation.pk, told)
    if is_sealed:
        seal_now(organisation.pk)

    with pytest.raises(LedgerMismatch) as found:
        verify(organisation_id=organisation.pk)
    assert (found.value.table, found.value.key, found.value.column) == ("ledger_auditevent", str(event.pk), "body")


@pytest.mark.parametrize("details", [{}, {"key": "a", "signature": "b"}, {"key": 1, "signature": 2}], ids=str)
def test_a_change_of_key_without_a_key_is_named(organisation, details):
    write_events(organisation.pk)
    seal_now(organisation.pk)
    event = put_in(organisation.pk, {"action": KEY_CHANGED, "details": details})
    seal_now(organisation.pk)

    with pytest.raises(LedgerMismatch) as found:
        verify(organisation_id=organisation.pk)
    assert found.value.key == str(event.pk)


def test_a_body_that_is_nested_without_end_is_named(organisation):
    event = put_in(organisation.pk, {})
    key, deep = uuid.uuid4(), bytes(event.body)[:-1] + b', "details": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
    columns = {"organisation_id": organisation.pk, "action": event.action, "object_id": event.object_id, "occurred_at": event.occurred_at}
    AuditEvent.objects.create(id=key, **columns, body=deep)

    with pytest.raises(LedgerMismatch) as found:
        verify(organisation_id=organisation.pk)
    assert found.value.key == str(key)


def test_an_error_that_ends_a_verification_is_its_result(organisation):
    """The page would show the result before it otherwise. The database refuses to read this body as JSON of its own."""
    write_events(organisation.pk)
    assert run_verification(organisation_id=organisation.pk, begun_at=NOW).difference == ""
    put_in(organisation.pk, {"details": {"a": "\0"}})

    run_verification(organisation_id=organisation.pk, begun_at=NOW)

    last = last_verification(organisation.pk)
    assert last is not None
    assert "An error ended the verification (DataError)" in last.difference
