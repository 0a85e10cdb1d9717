"""Prepare acts of people in a house with the demonstration (accept, sign, redact) by the site's actions, in its own shell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.utils import timezone

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.members.actions import invite
from reviewers.accounts.models import Membership, Organisation, Role
from reviewers.accounts.policies import ExternalTerms
from reviewers.accounts.queries import link_of
from reviewers.demonstration.loader import SLUG
from reviewers.ledger.models import RedactionBasis
from reviewers.review.labels import actions
from reviewers.review.redaction.actions import propose
from reviewers.review.signing.statements import digest_of, load_reviews, state_now
from reviewers.snapshots.ingest.actions import ingest
from reviewers.snapshots.ingest.records import read_record
from reviewers.snapshots.models import Snapshot
from reviewers.web.tenancy import tenant
from tests.factories import make_record


def prepare(count: int) -> None:
    """Make so many invitations, reviews that nobody has signed, and proposals to redact; print how each is done by a form."""
    organisation, now = Organisation.objects.get(slug=SLUG), timezone.now()
    with tenant.within(organisation.pk):
        members = Membership.objects.filter(organisation=organisation).select_related("user")
        of_role = {role: members.get(user__email=f"{role}@harborlights.example") for role in (Role.REVIEWER, Role.LEAD)}
        print(  # noqa: T201 — read by the test
            json.dumps(
                {
                    "invitations": [_invite(organisation, number, now) for number in range(count)],
                    "reviews": [_review(item_id, of_role[Role.REVIEWER], now) for item_id in _freeze(organisation, "sign", count, now)],
                    "redactions": [_propose(item_id, of_role[Role.LEAD], now) for item_id in _freeze(organisation, "redact", count, now)],
                }
            )
        )


def _invite(organisation: Organisation, number: int, now: datetime) -> str:
    """Every second person is an auditor from outside, whose membership is written in two steps."""
    outside = ExternalTerms("the yearly audit", now + timedelta(days=30)) if number % 2 else None
    role, email = Role.AUDITOR if outside else Role.REVIEWER, f"invited-{number}@example.org"
    link = link_of(invite(organisation=organisation, email=email, role=role, at=now, by=SYSTEM, outside=outside))
    return "/" + link.split("/", 3)[3]


def _freeze(organisation: Organisation, series: str, count: int, now: datetime) -> Iterator[UUID]:
    for number in range(count):
        record = read_record(json.dumps(make_record(id=f"{series}-{number}", client_reference=f"{series}-{number}")).encode())
        (outcome,) = ingest(records=[record], organisation=organisation, by=SYSTEM, at=now)
        assert outcome.snapshot_id, outcome.error
        yield outcome.snapshot_id


def _review(item_id: UUID, reviewer: Membership, now: datetime) -> dict[str, Any]:
    actions.label_remaining(item_id=item_id, by=reviewer, now=now)
    actions.submit(item_id=item_id, by=reviewer, now=now)
    review = load_reviews(reviewer.organisation_id, item_id)[-1]
    seen = {"review": str(review.id), "digest": digest_of(state_now(review)), "labels": str(review.label_count)}
    return {"path": f"/items/{item_id}/sign/", "review": str(review.id), "form": seen | {"zone": "Europe/Berlin", "proof": "sign"}}


def _propose(item_id: UUID, lead: Membership, now: datetime) -> dict[str, str]:
    proposed = propose(item_id=item_id, parts=["user_text"], basis=RedactionBasis.ERASURE, reason="They asked for it.", by=lead, now=now)
    record = Snapshot.objects.values_list("record", flat=True).get(pk=item_id)
    path = f"/redactions/{proposed.pk}/approve/"
    return {"path": path, "redaction": str(proposed.pk), "item": str(item_id), "record": sha256(record).hexdigest()}
