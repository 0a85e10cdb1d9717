"""For every address of the site a request that succeeds, in an organisation of its own, and the events it has to write."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from reviewers.accounts.actions import create_service_key
from reviewers.accounts.announcements import SYSTEM
from reviewers.accounts.models import Role, Scope, ServiceKey
from reviewers.accounts.permissions import ROLE_PERMISSIONS
from reviewers.review import actions
from reviewers.review.models import QueueItem, Verdict
from tests.accounts.signing_in import code_of, give_second_factor, sign_in_with
from tests.factories import NOW, PASSWORD, choose, make_item, make_member, make_organisation, make_record, sign_in
from tests.web.endpoints import ENDPOINTS, PUBLIC, find_address
from tests.web.forms import valid_form

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
}
"""Words that stand nowhere but in protected text."""

RECORD = {
    "user_text": f"is there {PROTECTED['question']}?",
    "response": f"{PROTECTED['answer']}. Your risk is elevated [[SF:risk_level]], the fit 85%. As you are at low risk, two weeks will do.",
    "context": {
        "safety": {"risk_level": "elevated", "remark": PROTECTED["value"]},
        "therapeutic_fit": {"fit_score": 0.85},
    },
    "documents": [{"title": PROTECTED["document"], "content": f"{PROTECTED['document']} is played at night."}],
    "tool_calls": [{"id": "call-1", "name": "http_client", "output": {"body": PROTECTED["tool"]}}],
    "abstention_reason": PROTECTED["abstention"],
}

Expected = list[tuple[str, str]]
"""Actions in their order, each with what it is done to."""

EVENTS: dict[str, Expected] = {
    "health": [],
    "api_reference": [],
    "openapi-json": [],
    "post_snapshots": [("snapshot.frozen", "new")],
    "get_snapshot": [("record.viewed", "item")],
    "get_instruction": [],
    "home": [],
    "coordinator": [],
    "settings": [],
    "switch_citations": [("switch.changed", "organisation")],
    "switch_second_factor": [("switch.changed", "organisation")],
    "create_key": [("service_key.created", "new")],
    "revoke_key": [("service_key.revoked", "key")],
    "queue": [("queue.viewed", "organisation")],
    "search": [],
    "take_next": [("lease.taken", "item")],
    "item": [("snapshot.viewed", "item")],
    "unfound": [("snapshot.viewed", "item")],
    "record": [("record.viewed", "item")],
    "previous": [],
    "next": [],
    "take": [("lease.taken", "item")],
    "let_go": [("lease.released", "item")],
    "renew": [("lease.renewed", "item")],
    "label": [("lease.taken", "item"), ("label.saved", "item")],
    "note": [("lease.taken", "item"), ("note.saved", "item")],
    "label_remaining": [("lease.taken", "item"), ("label.saved", "item"), ("label.saved", "item")],
    "undo": [("label.undone", "item")],
    "submit": [("review.submitted", "item"), ("lease.released", "item")],
    "skip": [("review.skipped", "item"), ("lease.released", "item")],
    "flag": [("finding.flagged", "item")],
}

SIGN_IN_EVENTS: dict[str, Expected] = {
    "sign in": [("session.started", "user")],
    "fail to sign in": [("session.refused", "user")],
    "fail at the second factor": [("session.refused", "user")],
    "sign out": [("session.ended", "user"), ("lease.released", "item")],
    "change the password": [("password.changed", "user")],
    "set up a second factor": [("second_factor.added", "user"), ("second_factor.added", "user")],
    "take the second factor away": [("second_factor.removed", "user"), ("second_factor.removed", "user")],
    "make new recovery codes": [("second_factor.removed", "user"), ("second_factor.added", "user")],
}

BY_NOBODY_KNOWN = {"fail to sign in", "fail at the second factor"}
"""Who failed is not known to be the person whose address was given."""


@dataclass
class Deed:
    """A request with all it needs, not yet sent. ``actor`` and ``objects`` are what its events have to name."""

    client: Client
    method: str
    path: str
    form: Mapping[str, Any] = field(default_factory=dict)
    actor: tuple[str, str | None] = ("system", None)
    objects: Mapping[str, str] = field(default_factory=dict)
    json: str = ""

    def send(self, **headers: str) -> HttpResponse:
        """Do it."""
        if self.method == "GET":
            return self.client.get(self.path, headers=headers)
        if self.json:
            return self.client.post(self.path, self.json, content_type="application/json", headers=headers)
        return self.client.post(self.path, self.form, headers=headers)


def prepare(name: str) -> Deed:
    """The request for an address, by somebody who may."""
    organisation = make_organisation()
    item = make_item(organisation, **RECORD)
    key, secret = _make_key(organisation)
    ids = {"item_id": item.pk, "snapshot_id": item.pk, "key_id": key.pk}
    objects = {"item": str(item.pk), "organisation": str(organisation.pk), "key": str(key.pk)}
    access, (method,) = ENDPOINTS[name]
    path = find_address(name).path(**ids)
    if access == PUBLIC:
        return Deed(Client(), method, path)
    if isinstance(access, Scope):
        client = Client(headers={"Authorization": f"Bearer {secret}"})
        return Deed(client, method, path, json=json.dumps(make_record(**RECORD)), actor=("service_key", str(key.pk)), objects=objects)
    member = make_member(organisation, next(role for role in Role if access in ROLE_PERMISSIONS[role]))
    if name in BEFORE:
        BEFORE[name](item, member)
    form = valid_form(name, item) | FORMS.get(name, {}) if method == "POST" else {}
    return Deed(sign_in(member), method, path, form, ("user", str(member.user_id)), objects)


def prepare_sign_in(name: str) -> Deed:
    """The request for something about one's own account."""
    organisation = make_organisation()
    member = make_member(organisation)
    objects = {"user": str(member.user_id)}
    client, path, form = SIGN_IN[name](member, objects)
    actor = ("system", None) if name in BY_NOBODY_KNOWN else ("user", str(member.user_id))
    return Deed(client, "POST", path, form, actor, objects)


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


BEFORE: Mapping[str, Callable[[QueueItem, Any], None]] = {
    "let_go": _take,
    "renew": _take_a_while_ago,
    "undo": _label,
    "submit": _label_all,
    "skip": _take,
    "item": _label,
}

FORMS: Mapping[str, Mapping[str, str]] = {
    "note": {"note": PROTECTED["note"]},
    "skip": {"reason": PROTECTED["reason"]},
    "flag": {"note": PROTECTED["note"]},
    "search": {"words": PROTECTED["search"]},
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


def _confirmed(member) -> Client:
    """Somebody who typed the password once more just now."""
    client = sign_in(member)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def _set_up(member, objects) -> tuple[Client, str, Mapping[str, str]]:
    client = _confirmed(member)
    path = "/accounts/2fa/totp/activate/"
    return client, path, {"code": code_of(client.get(path).context["form"].secret)}


def _set_up_already(member) -> Client:
    client, path, form = _set_up(member, {})
    assert client.post(path, form).status_code == 302
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
    "set up a second factor": _set_up,
    "take the second factor away": _take_away,
    "make new recovery codes": _new_codes,
}
