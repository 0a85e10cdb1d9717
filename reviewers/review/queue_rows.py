"""A row of the list: what it tells of an item, to whoever reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, QuerySet

from reviewers.accounts.models import Membership
from reviewers.accounts.texts import Surface, Text, hidden_from, masked, name_instead
from reviewers.review import words
from reviewers.review.label_counts import Counted
from reviewers.review.models import Flag, QueueItem, State
from reviewers.review.plan_models import Phase
from reviewers.review.plans.visibility import Viewer, sees_engine, sees_work, viewer_of
from reviewers.review.signing.validity import SignedAs, read_signed_as, signed_as
from reviewers.review.source_words import validity_badge
from reviewers.review.standing import TERMS, holders_of, read_standing, reviews_of


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One item of the list."""

    id: UUID
    name: str
    turn_index: int | None
    answered_at: datetime
    excerpt: str
    model: str
    prompt_version: str
    source: words.Badge
    validity: words.Badge | None
    guardrails: Sequence[words.Badge]
    found_count: int
    labelled: Counted
    is_blind: bool
    is_conflicted: bool
    plan: str
    state: str
    holder: str
    is_mine: bool
    minutes_left: int
    skip_reason: str
    submitted_by: str
    is_flagged: bool
    signed: SignedAs


@dataclass(frozen=True, slots=True)
class Reader:
    """Whoever reads the list, and the kinds of text they are not shown there."""

    viewer: Viewer
    user_id: UUID
    hidden: frozenset[Text]


def reader_of(member: Membership) -> Reader:
    """A member as one who reads the list."""
    return Reader(viewer_of(member), member.user_id, hidden_from(member, Surface.QUEUE))


def rows_of(organisation_id: UUID, ids: list[UUID]) -> QuerySet[QueueItem, dict[str, Any]]:
    """What a page tells of its items: another statement than that which finds them, for this one is always the same."""
    return (
        QueueItem.objects.filter(pk__in=ids, organisation=organisation_id)
        .annotate(
            held=holders_of(),
            reviewed=reviews_of(),
            is_flagged=Exists(Flag.objects.filter(snapshot=OuterRef("pk"))),
            signed=signed_as(),
        )
        .values(
            "held",
            "reviewed",
            *TERMS,
            "skipped_by",
            "snapshot_id",
            "answered_at",
            "state",
            "found_count",
            "skip_reason",
            "is_flagged",
            "signed",
            reference=F("snapshot__client_reference"),
            conversation=F("snapshot__conversation_id"),
            external_id=F("snapshot__external_id"),
            turn_index=F("snapshot__turn_index"),
            excerpt=F("snapshot__excerpt"),
            model=F("snapshot__model"),
            prompt_version=F("snapshot__prompt_version"),
            source=F("attribution__source"),
            validity=F("attribution__documents__validity"),
            guardrails=F("attribution__guardrails"),
            plan_name=F("plan__name"),
            submitter_id=F("submitted_by_id"),
            submitter=F("submitted_by__name"),
        )
    )


def row_of(row: Mapping[str, Any], labelled: Mapping[tuple[UUID, UUID], Counted], by: Reader, now: datetime) -> QueueRow:
    """A row. Whose labels are counted: those of whoever submitted or holds the item, else of whoever looks, who would go on with them."""
    standing, viewer = read_standing(row, row["held"], row["reviewed"]), by.viewer
    own, knows = standing.review_of(by.user_id), sees_engine(viewer, standing)
    is_done = own is not None or row["state"] == State.SUBMITTED
    holder = None if is_done else standing.hold_of(by.user_id, now) or standing.in_the_way(by.user_id, now)
    worker_id = by.user_id if own else holder.id if holder else row["submitter_id"] or by.user_id
    guardrails, hidden = row["guardrails"] if knows else {}, by.hidden
    own_name = row["conversation"] or row["reference"] or row["external_id"]
    return QueueRow(
        id=row["snapshot_id"],
        name=name_instead(row["snapshot_id"]) if Text.REFERENCES in hidden else own_name,
        turn_index=row["turn_index"],
        answered_at=row["answered_at"],
        excerpt=masked(row["excerpt"], Text.ANSWER, hidden),
        model=row["model"],
        prompt_version=row["prompt_version"],
        source=words.source_badge(row["source"]) if knows else words.BLIND_BADGE,
        validity=validity_badge(row["validity"]) if row["validity"] and knows else None,
        guardrails=[words.guardrail_badge(code, guardrails[code]) for code in sorted(guardrails, key=_contradicted_first)],
        found_count=row["found_count"],
        labelled=labelled.get((row["snapshot_id"], worker_id or by.user_id), Counted())
        if sees_work(viewer, standing, worker_id)
        else Counted(),
        is_blind=not knows,
        is_conflicted=standing.phase is Phase.CONSOLIDATING,
        plan=row["plan_name"] or "",
        state=State.SUBMITTED if is_done else row["state"],
        holder=holder.name if holder else "",
        is_mine=by.user_id == worker_id and (is_done or holder is not None),
        minutes_left=max(1, round((holder.expires_at - now).total_seconds() / 60)) if holder else 0,
        skip_reason=masked(row["skip_reason"], Text.NOTES, hidden) if sees_work(viewer, standing, row["skipped_by"]) else "",
        submitted_by=own.name if own else row["submitter"] or "",
        is_flagged=row["is_flagged"] and sees_work(viewer, standing, None),
        signed=read_signed_as(row["signed"]) if sees_work(viewer, standing, None) else SignedAs((), ()),
    )


def _contradicted_first(code: str) -> tuple[bool, str]:
    return code != "contradicted", code
