"""How an item stands between its reviewers: who holds it, who has finished it, how many may."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef
from django.db.models.functions import JSONObject

from reviewers.review.models import Lease, QueueItem, Submission
from reviewers.review.plan_models import GoldRow, Phase

TERMS = ("overlap", "is_blind", "phase", "round")
"""The columns of an item that its standing is read from."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a slot of an item, and until when."""

    id: UUID
    name: str
    expires_at: datetime
    slot: int = 1


@dataclass(frozen=True, slots=True)
class Review:
    """A review that was submitted."""

    reviewer_id: UUID
    name: str
    submitted_at: datetime
    slot: int = 1


@dataclass(frozen=True, slots=True)
class Standing:
    """All of it for one item. An item outside of any plan has one slot and nothing to hide. The reviews are those of its present round."""

    overlap: int = 1
    is_blind: bool = False
    phase: Phase = Phase.INDEPENDENT
    holders: Sequence[Holder] = ()
    reviews: Sequence[Review] = ()
    round: int = 1

    @property
    def is_hidden(self) -> bool:
        """Whether its reviewers may not know of each other's labels now."""
        return self.is_blind and self.phase is Phase.INDEPENDENT

    def review_of(self, reviewer_id: UUID | None) -> Review | None:
        """Somebody's finished review."""
        return next((review for review in self.reviews if review.reviewer_id == reviewer_id), None)

    def running(self, now: datetime) -> list[Holder]:
        """The leases that still hold; those that run out first stand first."""
        return sorted((holder for holder in self.holders if holder.expires_at > now), key=lambda holder: holder.expires_at)

    def hold_of(self, reviewer_id: UUID, now: datetime) -> Holder | None:
        """Somebody's own running lease."""
        return next((holder for holder in self.running(now) if holder.id == reviewer_id), None)

    def in_the_way(self, reviewer_id: UUID, now: datetime) -> Holder | None:
        """Who keeps somebody from taking the item; nobody where they hold it already or a slot is free."""
        if self.hold_of(reviewer_id, now) or self.free_slot(now):
            return None
        return next(iter(self.running(now)), None)

    def free_slot(self, now: datetime) -> int | None:
        """The first slot that nobody holds or has finished."""
        taken = {holder.slot for holder in self.running(now)} | {review.slot for review in self.reviews}
        return next((slot for slot in range(1, self.overlap + 1) if slot not in taken), None)


def holders_of() -> ArraySubquery:
    """The leases of each item, run out or not."""
    leases = Lease.objects.filter(item=OuterRef("pk")).order_by("slot")
    return ArraySubquery(leases.values(json=JSONObject(id="holder_id", name="holder__name", expires_at="expires_at", slot="slot")))


def reviews_of() -> ArraySubquery:
    """The finished reviews of each item, in the order of their slots."""
    done = Submission.objects.filter(snapshot=OuterRef("pk"), round=OuterRef("round")).order_by("slot")
    columns = {"reviewer_id": F("reviewer_id"), "name": F("reviewer__name"), "submitted_at": F("submitted_at"), "slot": F("slot")}
    return ArraySubquery(done.values(json=JSONObject(**columns)))


def planted_of() -> ArraySubquery:
    """The rows of each item that its plan shows as found though they are not."""
    rows = GoldRow.objects.filter(drawn__item=OuterRef("pk"), drawn__plan=OuterRef("plan"), is_right=False)
    return ArraySubquery(rows.values(json=JSONObject(section="section", path="path")))


def read_standing(terms: Mapping[str, Any], held: Sequence[Mapping[str, Any]], reviewed: Sequence[Mapping[str, Any]]) -> Standing:
    """How an item stands, of what was read with it: its ``overlap``, ``is_blind``, ``phase`` and ``round``, its leases and reviews."""
    return Standing(
        overlap=terms["overlap"],
        is_blind=terms["is_blind"],
        phase=Phase(terms["phase"]),
        round=terms["round"],
        holders=[Holder(UUID(each["id"]), each["name"], datetime.fromisoformat(each["expires_at"]), each["slot"]) for each in held],
        reviews=[
            Review(UUID(each["reviewer_id"]), each["name"], datetime.fromisoformat(each["submitted_at"]), each["slot"]) for each in reviewed
        ],
    )


def standing_of(item: QueueItem) -> Standing:
    """How an item stands at this moment, whatever was read of it before."""
    columns = (*TERMS, "held", "reviewed")
    row = QueueItem.objects.filter(pk=item.pk).annotate(held=holders_of(), reviewed=reviews_of()).values(*columns).get()
    return read_standing(row, row["held"], row["reviewed"])
