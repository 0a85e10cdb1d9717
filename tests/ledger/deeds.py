"""For every address of the site a request that succeeds, in an organisation of its own, and the events it has to write."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from reviewers.accounts.actions import create_service_key, switch_citation_search, switch_repair, switch_required_citations
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.members.actions import invite
from reviewers.accounts.models import Organisation, Role, Scope, SearchWay, ServiceKey, TokenScope
from reviewers.accounts.permissions import ROLE_PERMISSIONS, Permission
from reviewers.ledger.models import AuditEvent
from reviewers.review.labels import actions
from reviewers.review.legal_holds.actions import keep
from reviewers.review.models import FlagKind, Hold, QueueItem, Verdict
from reviewers.review.queries import load_item
from reviewers.review.talk.flags import FlagChoice, put_flag
from reviewers.web.tenancy import tenant
from tests.accounts.outside import mark
from tests.accounts.signing_in import clock_stands, code_of, give_recovery_codes, give_second_factor, sign_in_with
from tests.accounts.tokens import program_of_member, token_of
from tests.calibration import standing as calibrated
from tests.calibration.judged import make_plan_over, make_run, set_up
from tests.events import last_event
from tests.factories import NOW, PASSWORD, choose, claim_words, make_item, make_member, make_organisation, make_record, sign_in
from tests.quality.alarmed import make_alarm
from tests.reports.exporting.made import make_export
from tests.review.deciding.cases import make_conflict
from tests.review.holds.held import make_lifting
from tests.review.listed import make_view
from tests.review.plans.planning import make_plan
from tests.review.redacting.redactable import make_proposal
from tests.review.signed import form_of, form_of_several, make_signed, submit
from tests.snapshots.judged import turn_on_judging
from tests.snapshots.otlp.tracing import as_json, request_of, span
from tests.snapshots.schemas import make_schema, schema_text
from tests.snapshots.searches import fail_search
from tests.snapshots.trust_tables import RULES, make_table
from tests.web.endpoints import ENDPOINTS, OF_LEADS, PUBLIC, TOKEN, find_address
from tests.web.forms import valid_body, valid_form
from tests.webhooks.endpoints import make_delivery, make_endpoint

PROTECTED = {
    "answer": "Zirconium nightingale",
    "question": "marzipan telegraph",
    "value": "periwinkle harpsichord",
    "note": "obsidian flugelhorn",
    "reason": "vermilion trombone",
    "search": "zirconium",
    "document": "cerulean contrabassoon",
    "tool": "saffron accordion",
    "abstention": "magenta glockenspiel",
    "provider": "Viridian Sousaphone",
}
"""Words that stand nowhere but in protected text."""

RECORD = {
    "provider": PROTECTED["provider"],
    "user_text": f"is there {PROTECTED['question']}?",
    "response": (
        f"{PROTECTED['answer']}. Your risk is elevated [[SF:risk_level]], the fit 85%. As you are at low risk, two weeks will do. "
        f"The {PROTECTED['document']} is played at night [1]."
    ),
    "context": {
        "safety": {"risk_level": "elevated", "remark": PROTECTED["value"]},
        "therapeutic_fit": {"fit_score": 0.85},
    },
    "documents": [{"id": "doc", "title": PROTECTED["document"], "content": f"{PROTECTED['document']} is played at night."}]
    + [{"title": PROTECTED["document"], "content": f"{PROTECTED['document']} is played on day {number}."} for number in range(21)],
    "tool_calls": [{"id": "call-1", "name": "http_client", "output": {"body": PROTECTED["tool"]}}],
    "abstention_reason": PROTECTED["abstention"],
}

GIVEN_RECORD = RECORD | {"abstention_reason": None}
"""The same record of an answer that was not withheld: its citations can be judged."""

UNCITED_RECORD = RECORD | {"response": RECORD["response"].replace(" [1]", ""), "abstention_reason": None}
"""A record that cites nothing and is not withheld: evidence is attached to it, and citations are searched."""

STRIPPED = {"strip_markers": '{"text": "Low [[SF:risk_level]]."}', "strip_conversation": '{"messages": []}'}
"""Bodies of the addresses that give back what they were sent."""

Expected = list[tuple[str, str]]
"""Actions in their order, each with what it is done to."""

EVENTS: dict[str, Expected] = {
    "health": [],
    "live": [],
    "ready": [],
    "metrics": [],
    "api_reference": [],
    "openapi-json": [],
    "post_snapshots": [("snapshot.frozen", "new"), ("answer.repaired", "new"), ("citation_search.asked", "new")],
    "get_snapshot": [("record.viewed", "item")],
    "get_receipt": [("receipt.taken", "milestone")],
    "list_items": [("queue.viewed", "organisation")],
    "get_item": [("snapshot.viewed", "item")],
    "post_next": [("lease.taken", "item")],
    "post_label": [("lease.taken", "item"), ("label.saved", "item")],
    "post_citation_label": [("lease.taken", "item"), ("citation_label.saved", "item")],
    "post_label_remaining": [("lease.taken", "item"), ("label.saved", "item"), ("label.saved", "item"), ("citation_label.saved", "item")],
    "post_undo": [("label.undone", "item"), ("label.undone", "item"), ("citation_label.undone", "item")],
    "post_unsupported": [("lease.taken", "item"), ("claim.saved", "item")],
    "post_take_back": [("claim.undone", "item")],
    "post_flag": [("place.flagged", "item")],
    "post_comment": [("comment.written", "item")],
    "post_resolution": [("flag.resolved", "item")],
    "post_skip": [("review.skipped", "item"), ("lease.released", "item")],
    "post_submission": [("review.submitted", "item"), ("lease.released", "item")],
    "post_release": [("lease.released", "item")],
    "get_instruction": [],
    "strip_markers": [],
    "strip_conversation": [],
    "post_traces": [],
    "traces_of_exporters": [],
    "home": [],
    "glossary": [],
    "organisations": [],
    "enter": [],
    "time_left": [],
    "stay": [],
    "read_drafts": [],
    "keep_draft": [],
    "settings": [],
    "switch_citations": [("switch.changed", "organisation")],
    "switch_repair": [("switch.changed", "organisation")],
    "switch_citation_search": [("switch.changed", "organisation")],
    "switch_judged_support": [("switch.changed", "organisation")],
    "judged_support": [],
    "switch_required_citations": [("switch.changed", "organisation")],
    "switch_search_unit": [("switch.changed", "organisation")],
    "switch_quotes": [("switch.changed", "organisation")],
    "switch_second_factor": [("switch.changed", "organisation")],
    "switch_asking_why": [("switch.changed", "organisation")],
    "traces": [],
    "accesses": [("access.viewed", "organisation")],
    "post_schema": [("schema.uploaded", "new")],
    "list_schemas": [],
    "get_schema": [],
    "post_trust_table": [("trust_table.written", "new")],
    "list_trust_tables": [],
    "get_trust_table": [],
    "schemas": [],
    "upload_schema": [("schema.uploaded", "new")],
    "schema": [],
    "download_schema": [],
    "propose_schema": [("schema.proposed", "schema")],
    "approve_schema": [("schema.approved", "schema")],
    "decline_schema": [("schema.declined", "schema")],
    "trust_tables": [],
    "write_trust_table": [("trust_table.written", "new")],
    "trust_table": [],
    "download_trust_table": [],
    "propose_trust_table": [("trust_table.proposed", "table")],
    "approve_trust_table": [("trust_table.approved", "table")],
    "decline_trust_table": [("trust_table.declined", "table")],
    "endpoints": [],
    "add_endpoint": [("endpoint.added", "new")],
    "endpoint": [],
    "switch_endpoint": [("endpoint.switched", "endpoint")],
    "send_again": [("delivery.asked_again", "delivery")],
    "mail": [],
    "choose_mail": [("endpoint.added", "new"), ("mail.chosen", "new")],
    "search_client": [],
    "explain": [("access.explained", "item")],
    "create_key": [("service_key.created", "new")],
    "revoke_key": [("service_key.revoked", "key")],
    "tokens": [],
    "make_token": [("token.made", "new")],
    "end_token": [("token.ended", "token")],
    "end_member_token": [("token.ended", "token")],
    "ledger": [],
    "event": [],
    "event_receipt": [("receipt.taken", "event")],
    "verify_ledger": [("verification.asked", "organisation")],
    "members": [],
    "invite": [("invitation.made", "new")],
    "change_role": [("member.role_changed", "member")],
    "end_membership": [("member.ended", "member")],
    "sign_out_member": [("member.signed_out", "member")],
    "mark_external": [("member.marked_external", "member")],
    "texts": [],
    "reveal": [("text.revealed", "item")],
    "withdraw_invitation": [("invitation.ended", "invitation")],
    "periods": [],
    "set_period": [("retention.changed", "organisation")],
    "queue": [("queue.viewed", "organisation")],
    "search": [],
    "save_view": [("view.saved", "new")],
    "change_view": [("view.changed", "new")],
    "remove_view": [("view.removed", "new")],
    "take_next": [("lease.taken", "item")],
    "plans": [],
    "quality": [("quality.viewed", "organisation")],
    "lead": [],
    "acknowledge_alarm": [("alarm.acknowledged", "alarm")],
    "new_plan": [],
    "preview_plan": [],
    "create_plan": [("plan.created", "new")],
    "plan": [],
    "edit_plan": [],
    "change_plan": [("plan.changed", "plan")],
    "start_plan": [("plan.started", "plan")],
    "stop_plan": [("plan.stopped", "plan")],
    "plan_agreement": [],
    "agreement": [],
    "conflicts": [],
    "inbox": [],
    "conflict": [("snapshot.viewed", "case")],
    "decide": [("conflict.decided", "case")],
    "reopen": [("item.reopened", "case")],
    "item": [("snapshot.viewed", "item")],
    "unfound": [("snapshot.viewed", "item")],
    "sources": [("snapshot.viewed", "item")],
    "passage": [("snapshot.viewed", "item")],
    "conversation": [("turn.viewed", "item")],
    "client": [],
    "record": [("record.viewed", "item")],
    "receipt": [("receipt.taken", "milestone")],
    "citation_search": [],
    "look_again": [("citation_search.asked", "item")],
    "ask_for_support": [("support.asked", "item")],
    "previous": [],
    "next": [],
    "move_on": [],
    "take": [("lease.taken", "item")],
    "let_go": [("lease.released", "item")],
    "renew": [("lease.renewed", "item")],
    "label": [("lease.taken", "item"), ("label.saved", "item")],
    "note": [("lease.taken", "item"), ("note.saved", "item")],
    "label_citation": [("lease.taken", "item"), ("citation_label.saved", "item")],
    "note_citation": [("lease.taken", "item"), ("citation_note.saved", "item")],
    "label_remaining": [("lease.taken", "item"), ("label.saved", "item"), ("label.saved", "item"), ("citation_label.saved", "item")],
    "undo": [("label.undone", "item"), ("label.undone", "item"), ("citation_label.undone", "item")],
    "submit": [("review.submitted", "item"), ("lease.released", "item")],
    "skip": [("review.skipped", "item"), ("lease.released", "item")],
    "flag": [("finding.flagged", "item")],
    "resolve_flag": [("flag.resolved", "item")],
    "claim": [("lease.taken", "item"), ("claim.saved", "item")],
    "take_back_claim": [("claim.undone", "item")],
    "comment": [("comment.written", "item")],
    "signing": [("snapshot.viewed", "item")],
    "signing_all": [],
    "sign_all": [("proof.given", "user"), ("signature.made", "item")],
    "sign": [("proof.given", "user"), ("signature.made", "item")],
    "approve": [("proof.given", "user"), ("signature.made", "item")],
    "statement": [("signature.read", "signed")],
    "redactions": [],
    "redact": [],
    "propose_redaction": [("redaction.proposed", "item")],
    "redaction": [],
    "approve_redaction": [("redaction.approved", "item")],
    "decline_redaction": [("redaction.declined", "item")],
    "holds": [],
    "new_hold": [],
    "place_hold": [("hold.placed", "new")],
    "hold": [],
    "propose_lift": [("hold.lift_proposed", "hold")],
    "lift_hold": [("hold.lifted", "hold")],
    "keep_hold": [("hold.lift_declined", "hold")],
    "calibration": [],
    "combination": [],
    "thresholds": [],
    "planner": [],
    "propose_profile": [("profile.proposed", "new")],
    "profile": [],
    "profile_node": [],
    "profile_changes": [],
    "compare_profile": [("comparison.asked", "profile")],
    "approve_profile": [("profile.approved", "profile")],
    "reject_profile": [("profile.rejected", "profile")],
    "retire_profile": [("profile.retired", "profile")],
    "recompute": [("recomputation.asked", "profile")],
    "export_labels": [("labels.exported", "profile")],
    "suspend_profile": [("profile.suspended", "profile")],
    "lift_suspension": [("suspension.lifted", "profile")],
    "transfer_profile": [("profile.proposed", "new")],
    "judges": [],
    "ask_judge": [("judge.asked", "new")],
    "judge": [],
    "stop_judge": [("judge.stopped", "run")],
    "imports": [],
    "import_labels": [("labels.imported", "new")],
    "suggestions": [("why.searched", "organisation")],
    "search_suggestions": [],
    "why": [("why.viewed", "item")],
    "explain_redaction": [("access.explained", "item")],
    "explain_why": [("access.explained", "item")],
    "compare": [("why.viewed", "item")],
    "exports": [],
    "search_exports": [],
    "new_export": [],
    "create_export": [("report.asked", "new"), ("report.made", "new")],
    "export": [],
    "export_file": [("report.taken", "export")],
}

SIGN_IN_EVENTS: dict[str, Expected] = {
    "sign in": [("session.started", "user")],
    "fail to sign in": [("session.refused", "user")],
    "fail at the second factor": [("session.refused", "user")],
    "sign out": [("session.ended", "user"), ("lease.released", "item")],
    "change the password": [("password.changed", "user")],
    "sign out somewhere else": [("session.ended", "user")],
    "sign out everywhere else": [("session.ended", "user")],
    "sign in with a recovery code": [
        ("recovery_code.used", "user"),
        ("member.second_factor_shown", "membership"),
        ("session.started", "user"),
    ],
    "prove with a recovery code": [
        ("recovery_code.used", "user"),
        ("proof.given", "user"),
        ("member.second_factor_shown", "membership"),
    ],
    "set up a second factor": [("second_factor.added", "user"), ("second_factor.added", "user")],
    "take the second factor away": [("second_factor.removed", "user"), ("second_factor.removed", "user")],
    "prove who one is": [("proof.given", "user")],
    "fail to prove it": [("proof.refused", "user")],
    "make new recovery codes": [("second_factor.removed", "user"), ("second_factor.added", "user")],
}

BY_NOBODY_KNOWN = {"fail to sign in", "fail at the second factor", "fail to prove it"}
"""Who failed is not known to be the person whose address was given."""


@dataclass
class Deed:
    """A request with all it needs, not yet sent. ``actor`` and ``objects`` are what its events have to name."""

    client: Client
    method: str
    path: str
    form: Mapping[str, Any] = field(default_factory=dict)
    """Functions among the values are called when the form is sent: a code of a second factor is valid for half a minute."""
    actor: tuple[str, str | None] = ("system", None)
    objects: Mapping[str, str] = field(default_factory=dict)
    json: str = ""
    name: str = ""
    deployed: Callable[[], AbstractContextManager[Any]] = nullcontext
    """A deployment, and a moment, in which it can succeed."""

    def send(self, **headers: str) -> HttpResponse:
        """Do it."""
        with self.deployed():
            return self._send(headers)

    def _send(self, headers: Mapping[str, str]) -> HttpResponse:
        if self.method == "GET":
            return self.client.get(self.path, headers=headers)
        if self.json:
            return self.client.post(self.path, self.json, content_type="application/json", headers=headers)
        form = {name: value() if callable(value) else value for name, value in self.form.items()}
        return self.client.post(self.path, form, headers=headers)


def asking(names: Iterable[str]) -> pytest.MarkDecorator:
    """For tests that take the fixture ``deed``: one for each of these addresses, named by ``Deed.name``."""
    return pytest.mark.parametrize("prepared", list(names), indirect=True)


@dataclass(frozen=True)
class Ground:
    """The objects that each request uses: an organisation with a review item, a key and an invitation."""

    organisation_id: UUID
    item_id: UUID
    key: ServiceKey
    secret: str
    invitation_id: UUID


def make_ground() -> Ground:
    """A new one, by the actions of the site."""
    organisation = make_organisation()
    tenant.enter(organisation.pk)
    item = make_item(organisation, **RECORD)
    switch_repair(organisation=organisation, on=True, at=NOW, by=SYSTEM)
    switch_citation_search(organisation=organisation, to=SearchWay.WORDS, at=NOW, by=SYSTEM)
    switch_required_citations(organisation=organisation, on=True, at=NOW, by=SYSTEM)
    invitation = invite(organisation=organisation, email="olive@example.org", role=Role.REVIEWER, at=timezone.now(), by=SYSTEM)
    return Ground(organisation.pk, item.pk, *_make_key(organisation), invitation.pk)


def _make_versions(organisation: Organisation, name: str) -> dict[str, UUID]:
    """A schema or a table of trust, if the address names one; proposed, unless that is its deed."""
    takes, is_proposed = find_address(name).takes, not name.startswith("propose_")
    making = {"schema": make_schema, "table": make_table}
    return {each: make(organisation, is_proposed=is_proposed).pk for each, make in making.items() if f"{each}_id" in takes}


def prepare(name: str, ground: Ground | None = None) -> Deed:
    """The request for an address, by somebody who may."""
    ground = ground or make_ground()
    tenant.enter(ground.organisation_id)
    organisation = Organisation.objects.get(pk=ground.organisation_id)
    item_id = make_item(organisation, **GIVEN_RECORD).pk if name == "ask_for_support" else ground.item_id
    item = QueueItem.objects.select_related("snapshot", "attribution").get(pk=item_id)
    case = make_conflict(organisation, PROTECTED["note"], RECORD) if name in OF_CASES else item
    key = ground.key
    event, milestone = last_event(organisation), AuditEvent.objects.get(object_id=item.pk, action="snapshot.frozen")
    other = make_member(organisation, Role.AUDITOR if name == "mark_external" else Role.REVIEWER, "Olga Other")
    takes = find_address(name).takes
    ids = {"item_id": item.pk, "snapshot_id": item.pk, "key_id": key.pk, "event_id": event, "ordinal": 0}
    ids |= {"invitation_id": ground.invitation_id}
    ids |= {"member_id": other.pk, "organisation_id": organisation.pk, "case_id": case.pk}
    objects = {"item": str(item.pk), "organisation": str(organisation.pk), "key": str(key.pk), "event": str(event)}
    objects |= {"invitation": str(ground.invitation_id)}
    objects |= {"milestone": str(milestone.pk), "member": str(other.pk), "case": str(case.pk)}
    for id_name, (object_name, make) in MADE.items():
        if id_name in takes:
            ids[id_name], objects[object_name] = make(item, other)
    versions = _make_versions(organisation, name)
    ids |= {f"{object_name}_id": key for object_name, key in versions.items()}
    objects |= {object_name: str(key) for object_name, key in versions.items()}
    access, (method,) = ENDPOINTS[name]
    if name in calibrated.ADDRESSES:
        ids |= _calibrate(organisation, name)
        objects |= {"profile": str(ids["profile_id"])}
    if access is Permission.EXPORT:
        exporter = make_member(organisation, Role.AUDITOR)
        ids |= {"export_id": make_export(exporter).pk}
        objects |= {"export": str(ids["export_id"])}
    path = find_address(name).path(**ids)
    if access in (PUBLIC, TOKEN):
        return Deed(Client(headers={"Authorization": f"Bearer {settings.METRICS_TOKEN}"} if access == TOKEN else {}), method, path)
    if isinstance(access, Scope):
        return _prepare_for_key(name, ground, Deed(Client(), method, path, objects=objects))
    if isinstance(access, TokenScope):
        return _prepare_for_token(name, item, Deed(Client(), method, path, objects=objects))
    member = exporter if access is Permission.EXPORT else _doer(organisation, access, other if name in OF_ONES_OWN else None)
    if name in BEFORE:
        BEFORE[name](item, member)
    form = valid_form(name, item) | FORMS.get(name, {}) if method == "POST" else {}
    form = {**form, **_made_form(name, organisation, ids)}
    if name in SIGNING:
        form = form_of_several(item) if name == "sign_all" else form_of(item, meaning="approved")
    actor, known = ("user", str(member.user_id)), objects | {"user": str(member.user_id)}
    return Deed(sign_in(member), method, path, form, actor, known, deployed=set_up if name == "ask_judge" else nullcontext)


def _doer(organisation: Organisation, access: Permission, given: Any) -> Any:
    """Return the member who does it: one who is given, or somebody who may."""
    return given or make_member(organisation, next(role for role in Role if access in ROLE_PERMISSIONS[role]))


def _prepare_for_key(name: str, ground: Ground, deed: Deed) -> Deed:
    """Complete the request of a program with a service key."""
    sent = schema_text() if name == "post_schema" else json.dumps(make_record(**UNCITED_RECORD))
    sent = STRIPPED.get(name, RULES if name == "post_trust_table" else sent)
    sent = as_json(request_of(span(PROTECTED))).decode() if "traces" in name else sent
    client = Client(headers={"Authorization": f"Bearer {ground.secret}"})
    return replace(deed, client=client, json=sent, actor=("service_key", str(ground.key.pk)))


def _prepare_for_token(name: str, item: QueueItem, deed: Deed) -> Deed:
    """Complete the request of a member's program."""
    member = make_member(item.organisation, Role.LEAD if name in OF_LEADS else Role.REVIEWER)
    if name in BEFORE:
        BEFORE[name](item, member)
    sent = valid_body(name, item, note=PROTECTED["note"])
    return replace(deed, client=program_of_member(member), json=sent, actor=("user", str(member.user_id)))


def _sign(item: QueueItem, other) -> tuple[Any, str]:
    signature = make_signed(other)
    return signature.pk, str(signature.review.snapshot_id)


def _plan(item: QueueItem, other) -> tuple[Any, str]:
    plan = make_plan(make_member(item.organisation, Role.LEAD))
    return plan.pk, str(plan.pk)


def _propose(item: QueueItem, other) -> tuple[Any, str]:
    redaction = make_proposal(item)
    return redaction.pk, str(redaction.pk)


def _hold(item: QueueItem, other) -> tuple[Any, str]:
    hold = make_lifting(item.organisation).hold
    return hold.pk, str(hold.pk)


def _settle_lifting(item: QueueItem, member) -> None:
    """So that another proposal can be made."""
    for hold in Hold.objects.filter(organisation=item.organisation):
        keep(hold_id=hold.pk, by=member, now=timezone.now())


def _made_form(name: str, organisation, ids: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the fields of a form whose objects have to be made first."""
    if name == "ask_judge":
        return {"plan": str(make_plan_over(make_member(organisation, Role.LEAD)).pk)}
    return {"profile": str(ids["profile_id"])} if name == "transfer_profile" else {}


def _flag(item: QueueItem, other) -> tuple[Any, str]:
    flag = put_flag(choice=FlagChoice(item.pk, item.attribution_id, FlagKind.ROW), note="look", by=other, now=NOW)
    return flag.pk, str(item.pk)


def _claim(item: QueueItem, member) -> None:
    claim_words(item, member, words=load_item(member, item.pk).unmarked.text[:9], now=timezone.now())


def _judge(item: QueueItem, other) -> tuple[Any, str]:
    run = make_run(make_member(item.organisation, Role.LEAD))
    return run.pk, str(run.pk)


def _raise_alarm(item: QueueItem, other) -> tuple[Any, str]:
    alarm = make_alarm(item.organisation)
    return alarm.pk, str(alarm.pk)


def _endpoint(item: QueueItem, _: Any) -> tuple[Any, str]:
    endpoint, _ = make_endpoint(item.organisation)
    return endpoint.pk, str(endpoint.pk)


def _token(_: QueueItem, other) -> tuple[Any, str]:
    token, _secret = token_of(other)
    return token.pk, str(token.pk)


def _view(_: QueueItem, other) -> tuple[Any, str]:
    view = make_view(other)
    return view.pk, str(view.pk)


def _delivery(item: QueueItem, _: Any) -> tuple[Any, str]:
    delivery = make_delivery(item.organisation)
    return delivery.pk, str(delivery.pk)


MADE: Mapping[str, tuple[str, Callable[[QueueItem, Any], tuple[Any, str]]]] = {
    "signature_id": ("signed", _sign),
    "plan_id": ("plan", _plan),
    "redaction_id": ("redaction", _propose),
    "alarm_id": ("alarm", _raise_alarm),
    "hold_id": ("hold", _hold),
    "run_id": ("run", _judge),
    "flag_id": ("item", _flag),
    "endpoint_id": ("endpoint", _endpoint),
    "delivery_id": ("delivery", _delivery),
    "token_id": ("token", _token),
    "view_id": ("view", _view),
}
"""Objects that only some addresses take, by parameter: their kind in events, and a function that returns the path's id and the object's."""


def prepare_sign_in(name: str) -> Deed:
    """The request for something about one's own account."""
    organisation = make_organisation()
    tenant.enter(organisation.pk)
    member = make_member(organisation)
    objects = {"user": str(member.user_id), "organisation": str(organisation.pk)}
    client, path, form = SIGN_IN[name](member, objects)
    actor = ("system", None) if name in BY_NOBODY_KNOWN else ("user", str(member.user_id))
    return Deed(client, "POST", path, form, actor, objects, deployed=clock_stands)


def _calibrate(organisation, name: str) -> dict[str, Any]:
    standing = calibrated.Standing(organisation)
    if name == "propose_profile":
        standing.label_enough()
    if name == "transfer_profile":
        return standing.make_transferable()
    if name == "lift_suspension":
        standing.suspend()
    return standing.ids_for(name)


def _make_key(organisation) -> tuple[ServiceKey, str]:
    owner = make_member(organisation, Role.ADMINISTRATOR, "Ines Ixworth").user
    return create_service_key(organisation=organisation, owner=owner, name="runtime", scopes=[Scope.INGEST, Scope.READ], at=NOW, by=SYSTEM)


def _take(item: QueueItem, member) -> None:
    actions.take(item_id=item.pk, by=member, now=timezone.now())


def _take_a_while_ago(item: QueueItem, member) -> None:
    actions.take(item_id=item.pk, by=member, now=timezone.now() - timedelta(minutes=10))


def _label(item: QueueItem, member) -> None:
    actions.save_label(choice=choose(item), verdict=Verdict.CORRECT, by=member, now=timezone.now(), note=PROTECTED["note"])


def _label_all(item: QueueItem, member) -> None:
    actions.label_remaining(item_id=item.pk, by=member, now=timezone.now())


def _submit(item: QueueItem, member) -> None:
    submit(item, member)


def _submit_by_another(item: QueueItem, member) -> None:
    submit(item, make_member(item.organisation, Role.REVIEWER, "Alice Aldous"))


def _fail_search(item: QueueItem, member) -> None:
    fail_search(item)


def _turn_on_judging(item: QueueItem, member) -> None:
    turn_on_judging(item.organisation)


def _give_factor(item: QueueItem, member) -> None:
    give_second_factor(member)


def _let_in_from_outside(item: QueueItem, member) -> None:
    mark(member)


BEFORE: Mapping[str, Callable[[QueueItem, Any], None]] = {
    "propose_lift": _settle_lifting,
    "let_go": _take,
    "look_again": _fail_search,
    "ask_for_support": _turn_on_judging,
    "switch_judged_support": _turn_on_judging,
    "renew": _take_a_while_ago,
    "undo": _label_all,
    "take_back_claim": _claim,
    "submit": _label_all,
    "post_submission": _label_all,
    "post_undo": _label_all,
    "post_take_back": _claim,
    "post_skip": _take,
    "post_release": _take,
    "make_token": _give_factor,
    "skip": _take,
    "item": _label,
    "signing": _submit,
    "sign": _submit,
    "sign_all": _submit,
    "approve": _submit_by_another,
    "reveal": _let_in_from_outside,
}

OF_ONES_OWN = {"end_token", "change_view", "remove_view"}
"""Addresses about something that only its owner may change."""

OF_CASES = {"conflict", "decide", "reopen"}
"""Addresses about an answer with conflicting labels."""

SIGNING = {"sign", "sign_all", "approve"}
"""Addresses whose form contains what was seen."""

FORMS: Mapping[str, Mapping[str, str]] = {
    "note": {"note": PROTECTED["note"]},
    "note_citation": {"note": PROTECTED["note"]},
    "skip": {"reason": PROTECTED["reason"]},
    "flag": {"note": PROTECTED["note"]},
    "resolve_flag": {"note": PROTECTED["note"]},
    "claim": {"note": PROTECTED["note"]},
    "comment": {"text": PROTECTED["note"]},
    "search": {"words": PROTECTED["search"]},
    "acknowledge_alarm": {"reason": PROTECTED["reason"]},
    "place_hold": {"reason": PROTECTED["reason"]},
    "propose_lift": {"reason": PROTECTED["reason"]},
    "decide": {"reason": PROTECTED["reason"]},
    "reopen": {"reason": PROTECTED["reason"]},
    "explain": {"reason": PROTECTED["reason"]},
    "explain_redaction": {"reason": PROTECTED["reason"]},
    "explain_why": {"reason": PROTECTED["reason"]},
    "reveal": {"reason": PROTECTED["reason"]},
    "mark_external": {"reason": PROTECTED["reason"]},
    "propose_redaction": {"reason": PROTECTED["reason"]},
    "search_suggestions": {"words": PROTECTED["search"]},
    "create_export": {"reason": PROTECTED["reason"]},
    "choose_mail": {"kinds": "alarm.raised"},
}


def _sign_in(member, objects) -> tuple[Client, str, Mapping[str, str]]:
    return Client(), "/accounts/login/", {"login": member.user.email, "password": PASSWORD}


def _fail(member, objects) -> tuple[Client, str, Mapping[str, str]]:
    return Client(), "/accounts/login/", {"login": member.user.email, "password": "not the passphrase"}


def _fail_at_factor(member, objects) -> tuple[Client, str, Mapping[str, str]]:
    give_second_factor(member)
    client = Client()
    sign_in_with(client, member.user.email)
    return client, "/accounts/2fa/authenticate/", {"code": "abcdef"}


def _sign_out(member, objects) -> tuple[Client, str, Mapping[str, str]]:
    item = make_item(member.organisation)
    objects["item"] = str(item.pk)
    _take(item, member)
    return sign_in(member), "/accounts/logout/", {}


def _change_password(member, objects) -> tuple[Client, str, Mapping[str, str]]:
    new = "another rather long one"
    return sign_in(member), "/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new}


def _prove(member, objects) -> tuple[Client, str, Mapping[str, str]]:
    return sign_in(member), "/accounts/reauthenticate/", {"proof": "export", "password": PASSWORD}


def _fail_to_prove(member, objects) -> tuple[Client, str, Mapping[str, str]]:
    return sign_in(member), "/accounts/reauthenticate/", {"proof": "sign", "password": "not the passphrase"}


def _confirmed(member) -> Client:
    """Somebody who typed the password once more just now."""
    client = sign_in(member)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def _sign_out_there(member, objects) -> tuple[Client, str, Mapping[str, str]]:
    client, _ = _confirmed(member), sign_in(member)
    (other,) = [each for each in client.get("/accounts/signed-in/").context["sessions"] if not each.is_this]
    return client, "/accounts/signed-in/", {"session": other.name}


def _sign_out_elsewhere(member, objects) -> tuple[Client, str, Mapping[str, str]]:
    client, _ = _confirmed(member), sign_in(member)
    return client, "/accounts/signed-in/", {"session": "others"}


def _sign_in_with_recovery_code(member, objects) -> tuple[Client, str, Mapping[str, str]]:
    give_second_factor(member)
    client, codes = Client(), give_recovery_codes(member)
    sign_in_with(client, member.user.email)
    return client, "/accounts/2fa/authenticate/", {"code": codes[0]}


def _prove_with_recovery_code(member, objects) -> tuple[Client, str, Mapping[str, str]]:
    client, _ = sign_in(member), give_second_factor(member)
    return client, "/accounts/reauthenticate/", {"proof": "export", "password": PASSWORD, "code": give_recovery_codes(member)[0]}


def _set_up(member, objects) -> tuple[Client, str, Mapping[str, Callable[[], str]]]:
    client = _confirmed(member)
    path = "/accounts/2fa/totp/activate/"
    secret = client.get(path).context["form"].secret
    return client, path, {"code": lambda: code_of(secret)}


def _set_up_already(member) -> Client:
    client, path, form = _set_up(member, {})
    with clock_stands():
        assert client.post(path, {"code": form["code"]()}).status_code == 302
    return client


def _take_away(member, objects) -> tuple[Client, str, Mapping[str, str]]:
    return _set_up_already(member), "/accounts/2fa/totp/deactivate/", {}


def _new_codes(member, objects) -> tuple[Client, str, Mapping[str, str]]:
    return _set_up_already(member), "/accounts/2fa/recovery-codes/generate/", {}


SIGN_IN: Mapping[str, Callable[..., tuple[Client, str, Mapping[str, str]]]] = {
    "sign in": _sign_in,
    "fail to sign in": _fail,
    "fail at the second factor": _fail_at_factor,
    "sign out": _sign_out,
    "change the password": _change_password,
    "sign out somewhere else": _sign_out_there,
    "sign out everywhere else": _sign_out_elsewhere,
    "sign in with a recovery code": _sign_in_with_recovery_code,
    "prove with a recovery code": _prove_with_recovery_code,
    "set up a second factor": _set_up,
    "take the second factor away": _take_away,
    "prove who one is": _prove,
    "fail to prove it": _fail_to_prove,
    "make new recovery codes": _new_codes,
}
