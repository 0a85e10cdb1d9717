"""How an item stands for whoever looks at it: whose it is, how far its review is, what its plan asks for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.texts import Text, masked
from reviewers.review.deciding.policies import may_adjudicate, may_reopen
from reviewers.review.items import Item, Reopened
from reviewers.review.models import State
from reviewers.review.plan_models import Phase
from reviewers.review.plans.visibility import sees_work


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a review is."""

    found: int
    unfound: int
    citations: int
    remaining: int

    @property
    def labelled(self) -> int:
        """Found rows and citations with a verdict, of those that need one."""
        return self.found + self.citations - self.remaining


@dataclass(frozen=True, slots=True)
class PlanState:
    """What of its plan matters on an item's page. ``is_blind`` says whether whoever looks is kept from knowing now."""

    id: str = ""
    name: str = ""
    guide: str = ""
    overlap: int = 1
    reviews: int = 0
    is_blind: bool = False
    is_conflicted: bool = False
    decided: int = 0
    can_decide: bool = False


@dataclass(frozen=True, slots=True)
class ItemState:
    """How an item stands for whoever looks at it: what its buttons, its lease and its progress show."""

    id: str
    attribution_id: str
    state: str
    can_label: bool
    needs_reason: bool
    holder: str
    is_mine: bool
    minutes_left: int
    submitted_by: str
    submitted_at: datetime | None
    skipped_by: str
    skip_reason: str
    progress: Progress
    plan: PlanState
    can_reopen: bool = False
    reopened: Reopened | None = None


def build_state(item: Item, *, by: Membership, now: datetime) -> ItemState:
    """How the item stands."""
    row, standing, review = item.row, item.standing, item.own_review
    is_told = sees_work(item.viewer, standing, row.skipped_by_id)
    own = None if item.is_submitted else standing.hold_of(by.user_id, now)
    holder = None if item.is_submitted else own or standing.in_the_way(by.user_id, now)
    is_theirs_to_change = not item.is_submitted or item.own_review is not None
    return ItemState(
        id=str(item.id),
        attribution_id=str(row.attribution_id),
        state=State.SUBMITTED if item.is_submitted else row.state,
        can_label=may(by, Permission.LABEL_ITEMS) and (holder is None or holder is own) and is_theirs_to_change,
        needs_reason=item.is_submitted,
        holder=holder.name if holder else "",
        is_mine=own is not None,
        minutes_left=max(1, round((holder.expires_at - now).total_seconds() / 60)) if holder else 0,
        submitted_by=review.name if review else row.submitted_by.name if row.submitted_by else "",
        submitted_at=review.submitted_at if review else row.submitted_at,
        skipped_by=row.skipped_by.name if row.skipped_by else "",
        skip_reason=masked(row.skip_reason, Text.NOTES, item.hidden) if row.state == State.SKIPPED and is_told else "",
        progress=progress_of(item),
        plan=_plan_of(item, by),
        can_reopen=may(by, Permission.APPROVE_REVIEWS) and may_reopen(standing),
        reopened=item.reopened,
    )


def _plan_of(item: Item, by: Membership) -> PlanState:
    plan, standing = item.row.plan, item.standing
    if plan is None:
        return PlanState()
    return PlanState(
        id=str(plan.pk),
        name=plan.name,
        guide=plan.guide.text if plan.guide else "",
        overlap=standing.overlap,
        reviews=len(standing.reviews),
        is_blind=item.is_blind,
        is_conflicted=standing.phase is Phase.CONSOLIDATING,
        decided=len(item.decided),
        can_decide=may(by, Permission.APPROVE_REVIEWS) and may_adjudicate(standing, by.user_id),
    )


def progress_of(item: Item) -> Progress:
    """How many rows are found and not found, how many citations need a verdict, and how many of both have none yet."""
    found = sum(map(item.claims, item.attribution.fields))
    return Progress(
        found=found,
        unfound=len(item.attribution.fields) - found,
        citations=sum(map(item.needs_verdict, item.citations)),
        remaining=len(item.unlabelled) + len(item.unlabelled_citations),
    )
