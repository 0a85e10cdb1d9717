"""Mutable rows that the ledger vouches for: those that decide rights, switches, names and plans.

A record is committed to once, when it is written. These rows are committed to by each event that changes them, while it has them locked.
``verify`` compares the row with the last commitment, and the row as each event tells that it was before with the commitment before that: a
change without an event is reported like that of a record, also after a later event has committed to what it left. Columns that decide
nothing, such as the count of open alarms, are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import models

from reviewers.accounts.audit import Announcement
from reviewers.accounts.models import Membership, Proof, RetentionPeriod, SignOnDomain, SignOnIdentity, SignOnProvider, User
from reviewers.ledger.encoding import LedgerRow, row_of
from reviewers.ledger.events import Action

_SWITCHES = (
    *("asks_for_citations", "requires_second_factor", "asks_why"),
    *("requires_citations", "quotes", "repairs_answers", "citation_search", "search_unit", "judges_support"),
)
_EXTERNAL = ("is_external", "external_reason", "external_until")
_PLAN = (
    *("id", "organisation_id", "name", "state", "candidates", "draw", "share", "size", "seed", "triggers", "overlap", "is_blind", "rule"),
    *("stream", "guide_id", "control_share", "due_on", "created_by_id", "created_at", "started_by_id", "started_at", "ended_by_id"),
    "ended_at",
)
MUTABLE_COLUMNS: Mapping[str, frozenset[str]] = {
    "accounts_organisation": frozenset({"id", "slug", "name", "created_at", *_SWITCHES}),
    "accounts_membership": frozenset(
        {
            *("id", "organisation_id", "user_id", "role", "created_at", "ended_at", "signed_out_at", "invited_by_id", "second_factor_at"),
            *_EXTERNAL,
        }
    ),
    "accounts_user": frozenset({"id", "email", "name", "is_active", "created_at"}),
    "accounts_invitation": frozenset(
        {
            *("id", "organisation_id", "email", "role", "external_reason", "external_until", "invited_by_id"),
            *("created_at", "expires_at", "ended_at", "ended_as", "membership_id"),
        }
    ),
    "accounts_servicekey": frozenset(
        {"id", "organisation_id", "owner_id", "name", "scopes", "hint", "digest", "created_at", "expires_at", "revoked_at"}
    ),
    "accounts_membertoken": frozenset(
        {"id", "organisation_id", "membership_id", "name", "scope", "hint", "digest", "created_at", "expires_at", "ended_at"}
    ),
    "accounts_proof": frozenset({"id", "organisation_id", "user_id", "session", "purpose", "given_at", "expires_at"}),
    "accounts_retentionperiod": frozenset({"id", "organisation_id", "kind", "years", "changed_at"}),
    "accounts_signonprovider": frozenset({"id", "organisation_id", "name", "issuer", "client_id", "sealed_secret", "created_at"}),
    "accounts_signondomain": frozenset({"domain", "organisation_id"}),
    "accounts_signonidentity": frozenset({"id", "organisation_id", "provider_id", "subject", "user_id", "created_at"}),
    "review_plan": frozenset(_PLAN),
    "webhooks_endpoint": frozenset(
        {
            *("id", "organisation_id", "address", "subscriber_id", "is_daily", "kinds", "sealed_secret", "created_by_id", "created_at"),
            *("off_reason", "switched_at", "includes_text"),
        }
    ),
}
"""The columns that are committed to, by table."""

MADE_BY: Mapping[str, Action] = {
    "accounts_organisation": Action.ORGANISATION_CREATED,
    "accounts_membership": Action.MEMBER_ADDED,
    "accounts_user": Action.MEMBER_ADDED,
    "accounts_invitation": Action.INVITATION_MADE,
    "accounts_servicekey": Action.SERVICE_KEY_CREATED,
    "accounts_membertoken": Action.TOKEN_MADE,
    "accounts_proof": Action.PROOF_GIVEN,
    "accounts_retentionperiod": Action.RETENTION_CHANGED,
    "accounts_signonprovider": Action.SIGN_ON_SET,
    "accounts_signondomain": Action.SIGN_ON_SET,
    "accounts_signonidentity": Action.SIGN_ON_TIED,
    "review_plan": Action.PLAN_CREATED,
    "webhooks_endpoint": Action.ENDPOINT_ADDED,
}
"""The action by which a row first comes into the ledger, by table."""

PASSING = frozenset({"accounts_proof"})
"""Tables whose unused rows are deleted: a missing row there is no difference."""


SIGN_ON_PROVIDER = "accounts_signonprovider"
_TRUSTED = frozenset({SIGN_ON_PROVIDER, "accounts_signondomain"})
_TIED = frozenset({"accounts_signonidentity"})


def tables_replaced(action: str, before: Iterable[str], now: Iterable[str]) -> frozenset[str]:
    """Return the tables whose rows an event replaced or deleted, so that no earlier commitment to them counts.

    Single sign-on is set as a whole, so such an event names everything that is trusted from then on. Members stay linked to a provider
    while it is the same row: ``before`` and ``now`` are the keys of the providers named before the event, and by it.
    """
    if action == Action.SIGN_ON_REMOVED:
        return _TRUSTED | _TIED
    if action == Action.SIGN_ON_SET:
        return _TRUSTED if set(before) == set(now) else _TRUSTED | _TIED
    return frozenset()


@dataclass(frozen=True, slots=True)
class RowEvent:
    """An event that commits to a mutable row, as its body tells it."""

    event_id: UUID
    action: str
    at: datetime
    details: Mapping[str, Any]


Before = Callable[[RowEvent, RowEvent | None], Mapping[str, Any]]


def _was(**values: Any) -> Before:
    return lambda *_: values


_BEFORE: Mapping[tuple[str, str], Before | None] = {
    ("accounts_organisation", Action.SWITCH_CHANGED): lambda change, _: {change.details["switch"]: change.details["from"]},
    ("accounts_membership", Action.MEMBER_ROLE_CHANGED): lambda change, _: {"role": change.details["from"]},
    ("accounts_membership", Action.MEMBER_ENDED): _was(ended_at=None),
    ("accounts_membership", Action.MEMBER_SIGNED_OUT): lambda _, last: {"signed_out_at": last.at if last else None},
    ("accounts_membership", Action.MEMBER_MARKED_EXTERNAL): _was(is_external=False, external_reason="", external_until=None),
    ("accounts_membership", Action.MEMBER_SECOND_FACTOR_SHOWN): _was(second_factor_at=None),
    ("accounts_invitation", Action.INVITATION_ENDED): _was(ended_at=None, ended_as="", membership_id=None),
    ("accounts_servicekey", Action.SERVICE_KEY_REVOKED): _was(revoked_at=None),
    ("accounts_membertoken", Action.TOKEN_ENDED): _was(ended_at=None),
    ("accounts_retentionperiod", Action.RETENTION_CHANGED): lambda change, last: {
        "years": change.details["from"],
        "changed_at": last.at if last else None,
    },
    ("review_plan", Action.PLAN_CHANGED): None,
    ("review_plan", Action.PLAN_STARTED): _was(state="draft", started_by_id=None, started_at=None),
    ("review_plan", Action.PLAN_FINISHED): _was(state="running", ended_by_id=None, ended_at=None),
    ("review_plan", Action.PLAN_STOPPED): _was(ended_by_id=None, ended_at=None),
    ("webhooks_endpoint", Action.MAIL_CHOSEN): lambda _, last: (
        {"kinds": last.details["kinds"], "is_daily": last.details["daily"]} if last else {}
    ),
    ("webhooks_endpoint", Action.ENDPOINT_SWITCHED): lambda _, last: {
        "off_reason": last.details["reason"] if last else "",
        "switched_at": last.at if last else None,
    },
}
"""The values of a row before an event of an action, from the event and the last one of its action before it; None if they are not told."""


def values_before(values: Mapping[str, Any], table: str, change: RowEvent, last: RowEvent | None) -> Mapping[str, Any] | None:
    """Return the values that a row had before a change, or None if the event does not tell them. Other actions change nothing.

    Raise ``ValueError`` for a change that is said of a plan that has started: its terms stay.
    """
    before = _BEFORE.get((table, change.action), _was())
    if before is None:
        if values["state"] != "draft":
            raise ValueError("Only a draft is changed.")
        return None
    told = {**values, **before(change, last)}
    if change.action == Action.PLAN_STOPPED:  # a draft is discarded, and a running plan ended
        told["state"] = "running" if told["started_at"] else "draft"
    return told


def _by_key(table: str) -> Callable[[Announcement], models.QuerySet[Any]]:
    return lambda announcement: model_of(table)._base_manager.filter(pk=announcement.object_id)  # noqa: SLF001 — Django's documented name


def _proof(announcement: Announcement) -> models.QuerySet[Any]:
    """Return the proof that was given, if it has a row: a proof for one's own account has none."""
    proof = announcement.details.get("proof")
    return Proof.objects.filter(pk=proof) if proof else Proof.objects.none()


def _period(announcement: Announcement) -> models.QuerySet[Any]:
    return RetentionPeriod.objects.filter(organisation=announcement.organisation_id, kind=announcement.details["kind"])


def _sign_on(announcement: Announcement) -> list[models.Model]:
    """Return the provider and every domain that it may vouch for."""
    whose = announcement.organisation_id
    return [*SignOnProvider.objects.filter(organisation=whose), *SignOnDomain.objects.filter(organisation=whose).order_by("domain")]


def _identity(announcement: Announcement) -> models.QuerySet[Any]:
    return SignOnIdentity.objects.filter(organisation=announcement.organisation_id, user=announcement.object_id)


_CHANGING: Mapping[Action, Callable[[Announcement], Iterable[models.Model]]] = {
    Action.ORGANISATION_CREATED: _by_key("accounts_organisation"),
    Action.SWITCH_CHANGED: _by_key("accounts_organisation"),
    Action.MEMBER_ADDED: _by_key("accounts_membership"),
    Action.MEMBER_ROLE_CHANGED: _by_key("accounts_membership"),
    Action.MEMBER_ENDED: _by_key("accounts_membership"),
    Action.MEMBER_SIGNED_OUT: _by_key("accounts_membership"),
    Action.MEMBER_MARKED_EXTERNAL: _by_key("accounts_membership"),
    Action.MEMBER_SECOND_FACTOR_SHOWN: _by_key("accounts_membership"),
    Action.INVITATION_MADE: _by_key("accounts_invitation"),
    Action.INVITATION_ENDED: _by_key("accounts_invitation"),
    Action.SERVICE_KEY_CREATED: _by_key("accounts_servicekey"),
    Action.SERVICE_KEY_REVOKED: _by_key("accounts_servicekey"),
    Action.TOKEN_MADE: _by_key("accounts_membertoken"),
    Action.TOKEN_ENDED: _by_key("accounts_membertoken"),
    Action.PROOF_GIVEN: _proof,
    Action.RETENTION_CHANGED: _period,
    Action.SIGN_ON_SET: _sign_on,
    Action.SIGN_ON_TIED: _identity,
}
"""The rows that accounts have changed when they announce an action; they are locked until the transaction ends."""


@cache
def model_of(table: str) -> type[models.Model]:
    """Return the model of such a table."""
    return next(model for model in apps.get_models() if model._meta.db_table == table)


def current_row(row: models.Model) -> LedgerRow:
    """Return the present values of the columns of a row that are committed to."""
    whole = row_of(row)
    return LedgerRow(whole.table, whole.id, {name: whole.values[name] for name in MUTABLE_COLUMNS[whole.table]})


def rows_changed_by(announcement: Announcement) -> list[LedgerRow]:
    """Return the rows that an announced event commits to; with a membership also its user, whose name signatures show."""
    find = _CHANGING.get(Action(announcement.action))
    found = list(find(announcement)) if find else []
    people = [User.objects.get(pk=row.user_id) for row in found if isinstance(row, Membership)]
    return [current_row(row) for row in (*found, *people)]
