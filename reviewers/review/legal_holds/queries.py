"""The legal holds that cover an answer, and holds as their pages show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Func, QuerySet

from reviewers.accounts.approval import ProposalRow, read_proposals, with_outcome
from reviewers.accounts.models import Membership
from reviewers.accounts.texts import Surface, Text, hidden_from, masked
from reviewers.review.models import Hold, HoldKind, LiftOutcome
from reviewers.web.statements import json_rows

_WORDS: Mapping[HoldKind, str] = {
    HoldKind.CLIENT: "everything of this client",
    HoldKind.CONVERSATION: "this conversation",
    HoldKind.PLAN: "everything that its plan has drawn",
    HoldKind.PERIOD: "everything answered in a period",
}


@dataclass(frozen=True, slots=True)
class HoldInForce:
    """A hold in force that covers an answer."""

    id: UUID
    kind: HoldKind
    placed_at: datetime
    placed_by: str

    @property
    def words(self) -> str:
        """Return what is held, in words."""
        return _WORDS[self.kind]


_HOLDS_OF = (
    "ARRAY(SELECT jsonb_build_array(hold.id, hold.kind, hold.placed_at, person.name) FROM review_holds_of(%(expressions)s) AS hold "
    "JOIN accounts_user AS person ON person.id = hold.placed_by_id ORDER BY hold.id)"
)


def holds_of(snapshot: str) -> Func:
    """Return the holds in force on an answer, as an annotation; ``snapshot`` names the column of its identifier."""
    return json_rows(_HOLDS_OF, snapshot)


def read_holds(annotated: Iterable[Any]) -> list[HoldInForce]:
    """Return the holds in the annotation ``holds_of``."""
    return [HoldInForce(UUID(key), HoldKind(kind), datetime.fromisoformat(at), by) for key, kind, at, by in annotated]


# Holds as their pages show them.


MOST = 500


@dataclass(frozen=True, slots=True)
class HoldRow:
    """A hold with the proposals to lift it, oldest first."""

    id: UUID
    kind: str
    subject: str
    plan_id: UUID | None
    reason: str
    placer: str
    placed_at: datetime
    lifts: Sequence[ProposalRow]

    @property
    def waiting(self) -> ProposalRow | None:
        """Return the proposal that nobody has decided yet, or None."""
        return with_outcome(self.lifts, "")

    @property
    def lifted(self) -> ProposalRow | None:
        """Return the proposal by which the hold was lifted, or None."""
        return with_outcome(self.lifts, LiftOutcome.LIFTED)

    @property
    def state(self) -> str:
        """Return the state of the hold in words."""
        return "Lifted" if self.lifted else "Lifting proposed" if self.waiting else "In force"


def list_holds(member: Membership) -> list[HoldRow]:
    """Return the holds of the member's organisation: those in force first, then the newest."""
    hidden = hidden_from(member, Surface.HOLDS)
    rows = [_read(hold, hidden) for hold in _holds(member).order_by("-id")[:MOST]]
    return sorted(rows, key=lambda row: row.lifted is not None)


def find_row(member: Membership, hold_id: UUID) -> HoldRow:
    """Return an existing hold as its page shows it."""
    return _read(_holds(member).get(pk=hold_id), hidden_from(member, Surface.HOLDS))


def count_covered(hold_id: UUID, organisation_id: UUID) -> int:
    """Return the number of answers that a hold covers now, lifted or not."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM snapshots_snapshot AS snapshot, review_hold AS hold WHERE hold.id = %s AND hold.organisation_id = %s "
            "AND snapshot.organisation_id = hold.organisation_id AND review_is_covered(snapshot, hold)",
            [hold_id, organisation_id],
        )
        return int(cursor.fetchone()[0])


def _holds(member: Membership) -> QuerySet[Hold]:
    own = Hold.objects.filter(organisation=member.organisation_id).select_related("plan", "placed_by")
    return own.prefetch_related("proposals__proposed_by", "proposals__decision__decided_by")


def _read(hold: Hold, hidden: frozenset[Text]) -> HoldRow:
    return HoldRow(
        id=hold.pk,
        kind=HoldKind(hold.kind).label,
        subject=_subject(hold, hidden),
        plan_id=hold.plan_id,
        reason=masked(hold.reason, Text.NOTES, hidden),
        placer=masked(hold.placed_by.name, Text.NAMES, hidden),
        placed_at=hold.placed_at,
        lifts=read_proposals(
            hold.proposals.all(),
            show_name=lambda name: masked(name, Text.NAMES, hidden),
            show_reason=lambda reason: masked(reason, Text.NOTES, hidden),
        ),
    )


def _subject(hold: Hold, hidden: frozenset[Text]) -> str:
    if hold.plan:
        return hold.plan.name
    if hold.reference:
        return masked(hold.reference, Text.REFERENCES, hidden)
    days = [f"from {hold.since:%Y-%m-%d}" if hold.since else "", f"to {hold.until:%Y-%m-%d}" if hold.until else ""]
    return " ".join(day for day in days if day)
