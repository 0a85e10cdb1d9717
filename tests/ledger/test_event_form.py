"""The form of events: of each kind one is written as the site writes it, and looked at field by field."""

from __future__ import annotations

import json
import re
import uuid
from datetime import UTC, datetime

import pytest
import rfc8785
from django.utils import timezone

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation, Role, User
from reviewers.accounts.queries import list_organisation_ids
from reviewers.accounts.single_sign_on.actions import ProviderSettings, link_identity, remove_provider, set_provider
from reviewers.calibration.recomputing.actions import note_export
from reviewers.ledger.encoding import read_openings
from reviewers.ledger.events import BODY_VERSION, Action
from reviewers.ledger.jobs import run_verification
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.ledger.sequencer import change_key, seal_all
from reviewers.reports.exports.actions import fail
from reviewers.review import leases
from reviewers.web.config import OWNER
from reviewers.web.tenancy import tenant
from tests.api.sending import program_of
from tests.calibration.standing import fill_one, recompute_all
from tests.events import events
from tests.factories import NOW, make_member, make_organisation, sign_in
from tests.ledger.deeds import EVENTS, PROTECTED, SIGN_IN, prepare, prepare_sign_in
from tests.reports.exporting.made import make_pending
from tests.review.plans.planning import run_to_the_end
from tests.sampling import chance
from tests.snapshots.judged import judge_here
from tests.snapshots.otlp.tracing import age, child, freeze, send, span
from tests.snapshots.searches import run_all
from tests.webhooks.endpoints import compose_with_text

ALWAYS = {"v", "id", "organisation", "at", "actor", "action", "object"}
SOMETIMES = {"details", "parts", "rows"}
SHA256 = re.compile(r"[0-9a-f]{64}")

PLAN = {"draw", "share", "size", "seed", "overlap", "blind", "rule", "stream", "guide", "control_share", "due_on"}

DETAILS: dict[str, set[str]] = {
    "session.started": {"by"},
    "session.ended": {"reason"},
    "session.refused": {"factor", "by", "reason"},
    "sign_on.set": {"issuer", "client", "domains"},
    "sign_on.removed": set(),
    "sign_on.tied": set(),
    "proof.given": {"purpose", "second_factor", "proof"},
    "proof.refused": {"purpose", "second_factor"},
    "password.changed": set(),
    "password.reset": set(),
    "second_factor.added": {"factor"},
    "second_factor.removed": {"factor"},
    "recovery_code.used": {"left"},
    "organisation.created": set(),
    "member.added": {"user", "role"},
    "member.role_changed": {"user", "from", "to"},
    "member.ended": {"user", "role"},
    "member.signed_out": {"user"},
    "member.marked_external": {"user", "until"},
    "member.second_factor_shown": set(),
    "invitation.made": {"role", "until"},
    "invitation.ended": {"outcome"},
    "retention.changed": {"kind", "from", "to"},
    "switch.changed": {"switch", "from", "to"},
    "service_key.created": {"owner", "scopes", "expires"},
    "service_key.revoked": set(),
    "token.made": {"user", "scope", "expires"},
    "token.ended": {"user", "because"},
    "schema.uploaded": {"name"},
    "schema.proposed": {"name", "proposal"},
    "schema.approved": {"name", "proposal", "outcome", "proposed_by"},
    "schema.declined": {"name", "proposal", "outcome", "proposed_by"},
    "trust_table.written": {"number"},
    "trust_table.proposed": {"number", "proposal"},
    "trust_table.approved": {"number", "proposal", "outcome", "proposed_by"},
    "trust_table.declined": {"number", "proposal", "outcome", "proposed_by"},
    "endpoint.added": {"kinds", "text"},
    "text.sent": {"endpoint", "delivery"},
    "endpoint.switched": {"on", "reason"},
    "mail.chosen": {"kinds", "daily"},
    "delivery.attempted": {"delivered"},
    "delivery.asked_again": set(),
    "snapshot.frozen": {"attribution", "profile", "engine"},
    "snapshot.attributed": {"attribution", "profile", "engine"},
    "spans.late": {"trace", "spans"},
    "answer.repaired": {"attribution", "attached"},
    "citation_search.asked": {"search", "attribution", "method", "number"},
    "citation_search.ended": {
        *("search", "attribution", "method", "number", "outcome", "attempts", "found", "refused", "model", "reason"),
    },
    "support.asked": {"request", "attribution", "number"},
    "support.judged": {"request", "model", "citation"},
    "support.ended": {"request", "outcome", "attempts", "reason"},
    "snapshot.viewed": {"attribution"},
    "turn.viewed": {"attribution"},
    "record.viewed": {"attribution"},
    "access.explained": {"kind"},
    "access.viewed": {"shown", "filters"},
    "queue.viewed": {"shown", "filters"},
    "queue.searched": {"shown", "filters"},
    "view.saved": {"shared"},
    "view.changed": {"shared"},
    "view.removed": {"shared"},
    "quality.viewed": {"shown", "filters"},
    "lease.taken": set(),
    "lease.renewed": set(),
    "lease.released": {"holder"},
    "lease.expired": {"holder"},
    "label.saved": {"label", "verdict", "truth", "misstated", "replaces", "after_submission"},
    "label.undone": {"label", "verdict", "truth", "misstated", "replaces", "after_submission"},
    "note.saved": {"label", "verdict", "truth", "misstated", "replaces", "after_submission"},
    "citation_label.saved": {"label", "verdict", "own", "replaces", "after_submission"},
    "citation_label.undone": {"label", "verdict", "own", "replaces", "after_submission"},
    "citation_note.saved": {"label", "verdict", "own", "replaces", "after_submission"},
    "claim.saved": {"label", "verdict", "replaces", "after_submission"},
    "claim.undone": {"label", "verdict", "replaces", "after_submission"},
    "finding.flagged": {"flag", "code"},
    "place.flagged": {"flag", "kind"},
    "flag.resolved": {"flag", "resolution"},
    "comment.written": {"comment", "mentions"},
    "review.submitted": {"labels", "sha256"},
    "review.skipped": set(),
    "conflict.decided": {"decision", "verdict", "labels", "replaces", "round"},
    "item.reopened": {"reopening", "round"},
    "plan.created": PLAN,
    "plan.changed": PLAN,
    "plan.started": PLAN | {"candidates", "drawn", "called", "control_rows", "frame", "sample"},
    "plan.extended": {"items"},
    "plan.finished": set(),
    "plan.stopped": set(),
    "alarm.raised": {"figure", "day"},
    "alarm.acknowledged": {"figure"},
    "signature.made": {"signature", "meaning", "signs", "review", "proof"},
    "signature.read": {"signature"},
    "proposal.asked": {"imported"},
    "profile.proposed": {"profile", "labels", "conversations", "depth", "parent", "imported", "kind"},
    "comparison.asked": {"profile"},
    "profile.compared": {"profile", "against", "messages", "changed"},
    "profile.approved": {"profile", "changed", "replaces"},
    "profile.rejected": {"profile"},
    "profile.retired": {"profile"},
    "profile.suspended": {"profile", "alarm"},
    "suspension.lifted": {"profile"},
    "judge.asked": {"model", "answers"},
    "judge.stopped": {"model", "answers"},
    "judge.labelled": {"run", "model", "labels"},
    "recomputation.asked": {"profile", "answers"},
    "turns.exported": {"turns"},
    "labels.exported": {"profile", "labels"},
    "labels.imported": {"form", "labels", "conversations"},
    "log.started": {"epoch", "origin", "key", "reason", "last"},
    "log.key_changed": {"key", "signature"},
    "ledger.searched": {"person", "object", "since", "until"},
    "receipt.taken": set(),
    "verification.asked": set(),
    "ledger.verified": {"agrees"},
    "redaction.proposed": {"redaction", "basis", "parts"},
    "redaction.approved": {"redaction", "basis", "parts", "proposed_by"},
    "redaction.declined": {"redaction", "outcome"},
    "hold.placed": {"kind", "plan", "since", "until"},
    "hold.lift_proposed": {"proposal"},
    "hold.lift_declined": {"proposal", "outcome", "proposed_by"},
    "hold.lifted": {"proposal", "outcome", "proposed_by"},
    "why.searched": {"shown"},
    "why.viewed": {"attribution"},
    "text.revealed": {"texts"},
    "report.asked": {"scope", "form", "all_fields", "profile"},
    "report.made": {"form", "answers", "size", "verifier_sha256", "evidence_sha256"},
    "report.failed": {"form"},
    "report.taken": {"form"},
    "exports.searched": {"found"},
}
"""Details that an event may contain: identifiers, digests and words of our own. A new one must be reviewed here."""


def some_that_write_each_event() -> list[str]:
    """Addresses that write every event between them, another choice with each commit, and those of searches, which write when read."""
    drawn = list(EVENTS)
    chance("events").shuffle(drawn)
    chosen: list[str] = []
    told: set[str] = set()
    for name in drawn:
        actions = {action for action, _ in EVENTS[name]}
        if actions - told or "search" in name:
            chosen.append(name)
            told |= actions
    return chosen


@pytest.fixture(scope="module", params=["some addresses", pytest.param("all addresses", marks=pytest.mark.exhaustive)])
def everything_done(request, committed_for_module) -> None:
    """A request of each kind, a search, a lease that runs out, and what the worker does."""
    names = EVENTS if request.param == "all addresses" else some_that_write_each_event()
    deeds = [prepare(name) for name in names] + [prepare_sign_in(name) for name in SIGN_IN]
    for deed in deeds:
        deed.send()
        if deed.path == "/queue/search/":
            deed.client.get(deed.send()["Location"])
    for organisation_id in list_organisation_ids():
        with tenant.within(organisation_id):
            leases.expire(now=datetime(2990, 1, 1, tzinfo=UTC))
    recompute_all()
    fill_one()
    run_all()
    send_spans_late()
    seal_all(now=NOW)
    organisation = Organisation.objects.first()
    change_key(organisation_id=organisation.pk, by=SYSTEM, now=NOW)
    run_verification(organisation_id=organisation.pk, begun_at=NOW)
    run_to_the_end(organisation)
    auditor = make_member(organisation, Role.AUDITOR)
    client = sign_in(auditor)
    client.get("/ledger/?since=2026-01-01")
    client.post("/exports/search/", {"client": "client-1"}, follow=True)
    with tenant.within(organisation.pk):
        judge_here(organisation)
        terms = ProviderSettings("North", "https://login.example.org", "footnote", "secret", ("north.example",))
        provider = set_provider(organisation=organisation, terms=terms, at=NOW)
        link_identity(provider=provider, user=auditor.user, subject="subject", at=NOW, by=SYSTEM)
        remove_provider(organisation=organisation, at=NOW)
        fail(export=make_pending(auditor), reason="nobody knows", now=NOW)
        compose_with_text(organisation)
        note_export(organisation=organisation, turns=3, by=SYSTEM, now=NOW)


def send_spans_late() -> None:
    """Send a span of a trace after it was frozen."""
    organisation = make_organisation("Traced Clinic")
    with tenant.within(organisation.pk):
        program = program_of(organisation)
        send(program, span({"input.value": "Is it soon?", "output.value": "Yes."}))
        age()
        freeze(organisation.pk, timezone.now())
        send(program, child())


def test_every_event_is_in_the_final_form(everything_done):
    rows = list(AuditEvent.objects.using(OWNER).all())

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
        for each in body.get("rows", []):
            assert each.keys() == {"table", "id", "columns", "sha256"}
            assert SHA256.fullmatch(each["sha256"])


def test_every_body_is_canonical_json(everything_done):
    for body in AuditEvent.objects.using(OWNER).values_list("body", flat=True):
        assert rfc8785.dumps(json.loads(bytes(body))) == bytes(body)


def test_the_columns_beside_a_body_repeat_it(everything_done):
    for row in AuditEvent.objects.using(OWNER).all():
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
    told = b"\n".join(bytes(body) for body in AuditEvent.objects.using(OWNER).values_list("body", flat=True)).decode().lower()
    people = [value for pair in User.objects.values_list("email", "name") for value in pair]

    secrets = [*PROTECTED.values(), "risk_level", "remark", "elevated", "fit_score", *people]
    assert [secret for secret in secrets if secret.lower() in told] == []


def test_an_event_that_commits_to_something_has_what_opens_it_and_no_other_has(everything_done):
    committing = {event["id"] for event in events() if event.keys() & {"parts", "rows"}}

    assert {str(pk) for pk in EventSecret.objects.using(OWNER).values_list("pk", flat=True)} == committing
    of = {event["id"]: event for event in events()}
    for secret in EventSecret.objects.using(OWNER):
        assert str(secret.organisation_id) == of[str(secret.pk)]["organisation"]
        assert read_openings(of[str(secret.pk)], bytes(secret.salt_seed))
    assert len(set(map(bytes, EventSecret.objects.using(OWNER).values_list("salt_seed", flat=True)))) == len(committing)


def test_the_words_of_the_ledger_are_these():
    """Stored for good: a word is added, never given another meaning, and fits its column."""
    assert {action.value for action in Action} == DETAILS.keys()
    assert max(len(action.value) for action in Action) <= AuditEvent._meta.get_field("action").max_length
