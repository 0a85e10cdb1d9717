"""What auditors from outside have revealed of a client's answers: text that was shown to somebody outside, as an export is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import OuterRef, Subquery

from reviewers.accounts.models import Membership, User
from reviewers.accounts.texts import Surface, Text, hidden_from, masked
from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.snapshots.models import Snapshot

_MOST = 200


@dataclass(frozen=True, slots=True)
class RevealRow:
    """One reveal: which kinds of text of which answer, by whom, when and why."""

    item: UUID
    title: str
    texts: str
    by: str
    at: datetime
    reason: str


def list_reveals(by: Membership, client: str) -> Sequence[RevealRow]:
    """The last of a client's answers, the newest first. Two statements."""
    own = Snapshot.objects.filter(organisation=by.organisation_id, client_reference=client)
    titles = dict(own.values_list("pk", "external_id"))
    events = AuditEvent.objects.filter(organisation_id=by.organisation_id, object_id__in=titles, action=Action.TEXT_REVEALED.value)
    name = Subquery(User.objects.filter(pk=OuterRef("actor_id")).values("name"))
    kept = Subquery(EventSecret.objects.filter(pk=OuterRef("pk")).values("payload"))
    rows = events.annotate(name=name, kept=kept).order_by("-id").values_list("object_id", "body", "name", "occurred_at", "kept")[:_MOST]
    hidden = hidden_from(by, Surface.EXPORTS)
    return [
        RevealRow(item, titles[item], _texts(json.loads(bytes(body))["details"]["texts"]), who or "", at, _reason(payload, hidden))
        for item, body, who, at, payload in rows
    ]


def _texts(names: Iterable[str]) -> str:
    return "; ".join(Text[name.upper()].value for name in names if name.upper() in Text.__members__)


def _reason(payload: bytes | None, hidden: frozenset[Text]) -> str:
    """Its words are kept beside the event, which only commits to them."""
    spoken = str(json.loads(bytes(payload)).get("reason", "")) if payload else ""
    return masked(spoken, Text.NOTES, hidden)
