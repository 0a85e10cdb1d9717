"""The form of events: of each kind one is written as the site writes it, and looked at field by field."""

from __future__ import annotations

import json
import re
import uuid
from datetime import UTC, datetime

import pytest
import rfc8785

from reviewers.accounts.models import User
from reviewers.ledger.events import BODY_VERSION, Action
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.review import leasing
from tests.events import events
from tests.ledger.deeds import EVENTS, PROTECTED, SIGN_IN, prepare, prepare_sign_in

ALWAYS = {"v", "id", "organisation", "at", "actor", "action", "object"}
SOMETIMES = {"details", "parts"}
SHA256 = re.compile(r"[0-9a-f]{64}")

DETAILS: dict[str, set[str]] = {
    "session.started": set(),
    "session.ended": set(),
    "session.refused": {"factor"},
    "password.changed": set(),
    "password.reset": set(),
    "second_factor.added": {"factor"},
    "second_factor.removed": {"factor"},
    "organisation.created": set(),
    "member.added": {"user", "role"},
    "switch.changed": {"switch", "from", "to"},
    "service_key.created": {"owner", "scopes"},
    "service_key.revoked": set(),
    "snapshot.frozen": {"attribution", "profile", "engine"},
    "snapshot.viewed": {"attribution"},
    "record.viewed": {"attribution"},
    "queue.viewed": {"shown", "filters"},
    "queue.searched": {"shown", "filters"},
    "lease.taken": set(),
    "lease.renewed": set(),
    "lease.released": set(),
    "lease.expired": {"holder"},
    "label.saved": {"label", "verdict", "truth", "misstated", "replaces", "after_submission"},
    "label.undone": {"label", "verdict", "truth", "misstated", "replaces", "after_submission"},
    "note.saved": {"label", "verdict", "truth", "misstated", "replaces", "after_submission"},
    "finding.flagged": {"flag", "code"},
    "review.submitted": {"labels", "sha256"},
    "review.skipped": set(),
}
"""What an event may tell beside who, what and when: identifiers, digests and words of our own, so a new one is looked at here."""


@pytest.fixture(scope="module")
def everything_done(committed_for_module) -> None:
    """One request of each kind, a search, and a lease that runs out."""
    deeds = [prepare(name) for name in EVENTS] + [prepare_sign_in(name) for name in SIGN_IN]
    for deed in deeds:
        deed.send()
        if deed.path == "/queue/search/":
            deed.client.get(deed.send()["Location"])
    leasing.expire(now=datetime(2990, 1, 1, tzinfo=UTC))


def test_every_event_is_in_the_final_form(everything_done):
    rows = list(AuditEvent.objects.all())

    assert {row.action for row in rows} == {action.value for action in Action} - {"password.reset"}
    for row in rows:
        body = json.loads(bytes(row.body))
        assert ALWAYS <= body.keys() <= ALWAYS | SOMETIMES
        assert body["v"] == BODY_VERSION == 1
        assert body["actor"].keys() == {"kind", "id"}
        assert (body["actor"]["kind"] == "system") is (body["actor"]["id"] is None)
        assert body["object"].keys() == {"type", "id"}
        assert uuid.UUID(body["object"]["id"])
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", body["at"])
        assert body.get("details", {}).keys() <= DETAILS[body["action"]]
        assert "details" not in body or body["details"]
        assert "parts" not in body or (body["parts"].keys() == {"count", "sha256"} and SHA256.fullmatch(body["parts"]["sha256"]))


def test_every_body_is_canonical_json(everything_done):
    for body in AuditEvent.objects.values_list("body", flat=True):
        assert rfc8785.dumps(json.loads(bytes(body))) == bytes(body)


def test_the_columns_beside_a_body_repeat_it(everything_done):
    for row in AuditEvent.objects.all():
        body = json.loads(bytes(row.body))
        repeated = {
            "id": str(row.id),
            "organisation": str(row.organisation_id),
            "action": row.action,
            "actor": str(row.actor_id) if row.actor_id else None,
            "object": str(row.object_id),
            "at": row.occurred_at,
        }
        told = body | {"actor": body["actor"]["id"], "object": body["object"]["id"], "at": datetime.fromisoformat(body["at"])}
        assert repeated == {name: told[name] for name in repeated}


def test_no_event_holds_protected_text_or_who_somebody_is(everything_done):
    told = b"\n".join(bytes(body) for body in AuditEvent.objects.values_list("body", flat=True)).decode().lower()
    people = [value for pair in User.objects.values_list("email", "name") for value in pair]

    secrets = [*PROTECTED.values(), "risk_level", "remark", "elevated", "fit_score", *people]
    assert [secret for secret in secrets if secret.lower() in told] == []


def test_an_event_that_commits_to_something_has_what_opens_it_and_no_other_has(everything_done):
    committing = {event["id"] for event in events() if "parts" in event}

    assert {str(pk) for pk in EventSecret.objects.values_list("pk", flat=True)} == committing
    assert {
        (len(bytes(seed)), str(organisation)) for seed, organisation in EventSecret.objects.values_list("salt_seed", "organisation_id")
    } <= {(32, event["organisation"]) for event in events()}
    assert len(set(map(bytes, EventSecret.objects.values_list("salt_seed", flat=True)))) == len(committing)


def test_the_words_of_the_ledger_are_these():
    """Stored for good: a word is added, never given another meaning, and fits its column."""
    assert {action.value for action in Action} == DETAILS.keys()
    assert max(len(action.value) for action in Action) <= AuditEvent._meta.get_field("action").max_length
