"""What awaits a lead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet

from reviewers.accounts.models import Membership, Organisation
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.texts import Surface, Text, hidden_from, name_instead
from reviewers.review.deciding.loading import Case, load_cases
from reviewers.review.deciding.policies import may_adjudicate
from reviewers.review.models import QueueItem
from reviewers.review.plan_models import Phase

MOST_LISTED = 50


@dataclass(frozen=True, slots=True)
class Awaiting:
    """An answer on which labels conflict. ``left`` conflicts of ``conflicts`` are not decided yet."""

    id: UUID
    name: str
    turn_index: int | None
    plan_id: UUID
    plan: str
    reviewers: Sequence[str]
    conflicts: int
    left: int
    since: datetime
    may_decide: bool
    is_own: bool


def awaiting(organisation: Organisation, plan_id: UUID | None = None) -> QuerySet[QueueItem]:
    """The answers that await a decision, those that wait longest first."""
    items = QueueItem.objects.filter(organisation=organisation, phase=Phase.CONSOLIDATING).order_by("submitted_at", "snapshot_id")
    return items.filter(plan=plan_id) if plan_id else items


def list_awaiting(items: QuerySet[QueueItem], by: Membership) -> list[Awaiting]:
    """The first of them with their conflicts."""
    first = items[:MOST_LISTED]
    rows = first.values(
        "pk",
        "plan_id",
        "submitted_at",
        plan_name=F("plan__name"),
        reference=F("snapshot__client_reference"),
        conversation=F("snapshot__conversation_id"),
        external_id=F("snapshot__external_id"),
        turn_index=F("snapshot__turn_index"),
    )
    cases = {case.item_id: case for case in load_cases(first)}
    return [_awaiting(row, cases[row["pk"]], by) for row in rows if row["pk"] in cases]


def _awaiting(row: Mapping[str, Any], case: Case, by: Membership) -> Awaiting:
    left = len(case.conflicts)
    own_name = row["conversation"] or row["reference"] or row["external_id"]
    return Awaiting(
        id=row["pk"],
        name=name_instead(row["pk"]) if Text.REFERENCES in hidden_from(by, Surface.CONFLICTS) else own_name,
        turn_index=row["turn_index"],
        plan_id=row["plan_id"],
        plan=row["plan_name"],
        reviewers=[review.name for review in case.reviews],
        conflicts=left + sum(each.made is not None for each in case.rows),
        left=left,
        since=row["submitted_at"],
        may_decide=may(by, Permission.APPROVE_REVIEWS) and may_adjudicate(case.standing, by.user_id),
        is_own=case.standing.review_of(by.user_id) is not None,
    )
