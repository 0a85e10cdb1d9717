"""The review status of an item: who holds it, who has submitted a review of it, and how many reviews it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Func

from reviewers.review.models import Phase, QueueItem
from reviewers.web.statements import json_rows

TERMS = ("overlap", "is_blind", "phase", "round")
"""The columns of an item that its review status is read from."""


@dataclass(frozen=True, slots=True)
class Holder:
    """A person who holds a lease on one slot of an item."""

    id: UUID
    name: str
    expires_at: datetime
    slot: int = 1


@dataclass(frozen=True, slots=True)
class SubmittedReview:
    """A submitted review of an item."""

    id: UUID
    reviewer_id: UUID
    name: str
    submitted_at: datetime
    slot: int = 1


@dataclass(frozen=True, slots=True)
class ReviewStatus:
    """The review status of one item. ``reviews`` are those of the present round. An item in no plan has one slot and nothing to hide."""

    overlap: int = 1
    is_blind: bool = False
    phase: Phase = Phase.INDEPENDENT
    holders: Sequence[Holder] = ()
    reviews: Sequence[SubmittedReview] = ()
    round: int = 1

    @property
    def is_hidden(self) -> bool:
        """True if its reviewers may not see each other's labels now."""
        return self.is_blind and self.phase is Phase.INDEPENDENT

    def review_of(self, reviewer_id: UUID | None) -> SubmittedReview | None:
        """Return a reviewer's submitted review, or None."""
        return next((review for review in self.reviews if review.reviewer_id == reviewer_id), None)

    def running(self, now: datetime) -> list[Holder]:
        """Return the leases that have not expired, the first to expire first."""
        return sorted((holder for holder in self.holders if holder.expires_at > now), key=lambda holder: holder.expires_at)

    def hold_of(self, reviewer_id: UUID | None, now: datetime) -> Holder | None:
        """Return a reviewer's own lease, or None if it has expired or there is none."""
        return next((holder for holder in self.running(now) if holder.id == reviewer_id), None)

    def in_the_way(self, reviewer_id: UUID | None, now: datetime) -> Holder | None:
        """Return a lease holder who keeps the reviewer from taking the item, or None if the reviewer holds it or a slot is free."""
        if self.hold_of(reviewer_id, now) or self.free_slot(now):
            return None
        return next(iter(self.running(now)), None)

    def free_slot(self, now: datetime) -> int | None:
        """Return the first slot that nobody holds or has submitted a review in, or None."""
        taken = {holder.slot for holder in self.running(now)} | {review.slot for review in self.reviews}
        return next((slot for slot in range(1, self.overlap + 1) if slot not in taken), None)


_HOLDERS = """ARRAY(
    SELECT jsonb_build_object('id', lease.holder_id, 'name', person.name, 'expires_at', lease.expires_at, 'slot', lease.slot)
    FROM review_lease AS lease JOIN accounts_user AS person ON person.id = lease.holder_id
    WHERE lease.item_id = %(expressions)s ORDER BY lease.slot
)"""


_REVIEWS = """ARRAY(
    SELECT jsonb_build_object(
        'id', done.id, 'reviewer_id', done.reviewer_id, 'name', person.name, 'submitted_at', done.submitted_at, 'slot', done.slot
    )
    FROM review_submission AS done JOIN accounts_user AS person ON person.id = done.reviewer_id
    WHERE (done.snapshot_id, done.round) = (%(expressions)s) ORDER BY done.slot
)"""


_PLANTED = """ARRAY(
    SELECT jsonb_build_object('section', row.section, 'path', row.path)
    FROM review_controlrow AS row JOIN review_planitem AS drawn ON drawn.id = row.drawn_id
    WHERE (drawn.item_id, drawn.plan_id) = (%(expressions)s) AND NOT row.is_right
)"""


_FLAGGED = """ARRAY(
    SELECT jsonb_build_object('place', flag.place, 'reviewer_id', flag.reviewer_id, 'resolved_by', ended.resolved_by_id)
    FROM review_flag AS flag LEFT JOIN review_flagresolution AS ended ON ended.flag_id = flag.id
    WHERE flag.snapshot_id = %(expressions)s AND flag.kind IN ('row', 'citation')
)"""


def holders_of() -> Func:
    """Return the leases of each item, expired ones included, as an annotation."""
    return json_rows(_HOLDERS, "pk")


def reviews_of() -> Func:
    """Return the submitted reviews of each item in the order of their slots, as an annotation."""
    return json_rows(_REVIEWS, "pk", "round")


def control_rows_of() -> Func:
    """Return the control rows of each item that its plan shows as found although they are not, as an annotation."""
    return json_rows(_PLANTED, "pk", "plan")


def flagged_places_of() -> Func:
    """Return the fields and citations of each item that have a flag, as an annotation."""
    return json_rows(_FLAGGED, "pk")


def read_control_rows(annotated: Sequence[Mapping[str, Any]]) -> frozenset[tuple[str, str]]:
    """Return the fields in the annotation ``control_rows_of``."""
    return frozenset((each["section"], each["path"]) for each in annotated)


def read_review_status(terms: Mapping[str, Any], held: Sequence[Mapping[str, Any]], reviewed: Sequence[Mapping[str, Any]]) -> ReviewStatus:
    """Return the review status from the columns ``TERMS`` and the annotations ``holders_of`` and ``reviews_of``."""
    return ReviewStatus(
        overlap=terms["overlap"],
        is_blind=terms["is_blind"],
        phase=Phase(terms["phase"]),
        round=terms["round"],
        holders=[Holder(UUID(each["id"]), each["name"], datetime.fromisoformat(each["expires_at"]), each["slot"]) for each in held],
        reviews=[
            SubmittedReview(
                UUID(each["id"]), UUID(each["reviewer_id"]), each["name"], datetime.fromisoformat(each["submitted_at"]), each["slot"]
            )
            for each in reviewed
        ],
    )


def review_status_of(item: QueueItem) -> ReviewStatus:
    """Return the review status of an item as it is in the database now."""
    columns = (*TERMS, "held", "reviewed")
    row = QueueItem.objects.filter(pk=item.pk).annotate(held=holders_of(), reviewed=reviews_of()).values(*columns).get()
    return read_review_status(row, row["held"], row["reviewed"])
