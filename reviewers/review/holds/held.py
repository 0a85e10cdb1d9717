"""Which holds cover an answer, as pages, policies and reports read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import Exists, F, Func, JSONField, OuterRef

from reviewers.review.hold_models import Hold, HoldKind

_WORDS: Mapping[HoldKind, str] = {
    HoldKind.CLIENT: "everything of this client",
    HoldKind.CONVERSATION: "this conversation",
    HoldKind.PLAN: "everything that its plan has drawn",
    HoldKind.PERIOD: "everything answered in a period",
}
_COLUMNS = "hold.id, hold.kind, hold.placed_at, person.name"
_JOINED = "AS hold JOIN accounts_user AS person ON person.id = hold.placed_by_id"


@dataclass(frozen=True, slots=True)
class Held:
    """A hold in force that covers an answer."""

    id: UUID
    kind: HoldKind
    placed_at: datetime
    placed_by: str

    @property
    def words(self) -> str:
        """What is held."""
        return _WORDS[self.kind]


class _HoldsOf(Func):
    template = "ARRAY(SELECT jsonb_build_array(hold.id, hold.kind, hold.placed_at, person.name) FROM review_holds_of(%(expressions)s) "
    template += f"{_JOINED} ORDER BY hold.id)"
    output_field = ArrayField(JSONField())


def holds_of(snapshot: str) -> Func:
    """Return those of an answer, as an annotation; ``snapshot`` names the column of its identifier."""
    return _HoldsOf(F(snapshot))


def read_holds(annotated: Iterable[Any]) -> list[Held]:
    """Read what ``holds_of`` gave."""
    return [Held(UUID(key), HoldKind(kind), datetime.fromisoformat(at), by) for key, kind, at, by in annotated]


def has_holds() -> Exists:
    """Return whether the organisation has ever placed a hold, as an annotation of its items."""
    return Exists(Hold.objects.filter(organisation=OuterRef("organisation_id")))


def list_held(snapshot_ids: Sequence[UUID]) -> dict[UUID, list[Held]]:
    """Return the holds of some answers, by answer, in one statement."""
    held: dict[UUID, list[Held]] = {}
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT wanted.id, {_COLUMNS} FROM unnest(%s::uuid[]) AS wanted(id), LATERAL review_holds_of(wanted.id) {_JOINED} "  # noqa: S608 — names of our own
            "ORDER BY hold.id",
            [list(snapshot_ids)],
        )
        for snapshot_id, key, kind, at, by in cursor.fetchall():
            held.setdefault(snapshot_id, []).append(Held(key, HoldKind(kind), at, by))
    return held
