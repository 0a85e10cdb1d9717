"""What stands of answers in other tables: as many statements for five hundred answers as for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import F

from reviewers.ledger.redacted import Redacted, list_redacted_of
from reviewers.review.given_labels import FieldKey
from reviewers.review.models import Flag, QueueItem, Submission
from reviewers.review.plan_models import GoldRow, PlanItem
from reviewers.review.standing import Review
from reviewers.snapshots.search_state import SearchState, newest_searches


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands in other tables, by answer; searches by attribution."""

    finished: Mapping[UUID, Sequence[Review]] = field(default_factory=dict)
    submissions: Mapping[UUID, Mapping[UUID, UUID]] = field(default_factory=dict)
    planted: Mapping[UUID, frozenset[FieldKey]] = field(default_factory=dict)
    redacted: Mapping[UUID, Sequence[Redacted]] = field(default_factory=dict)
    searches: Mapping[UUID, SearchState] = field(default_factory=dict)
    flags: Mapping[UUID, Sequence[Flag]] = field(default_factory=dict)
    drawn: Mapping[UUID, PlanItem] = field(default_factory=dict)


def load_beside(rows: Sequence[QueueItem]) -> Beside:
    """One statement a table, and none of a table that nothing can be in."""
    ids = [row.pk for row in rows]
    planned = [row.pk for row in rows if row.plan_id]
    with_documents = [row.attribution_id for row in rows if hasattr(row.attribution, "documents")]
    finished, submissions = _reviews_of(ids)
    drawn = PlanItem.objects.filter(item__in=planned, plan=F("item__plan")).select_related("plan") if planned else ()
    return Beside(
        finished=finished,
        submissions=submissions,
        planted=_planted_of(planned) if planned else {},
        redacted=_by_object(list_redacted_of(ids)),
        searches=newest_searches(with_documents) if with_documents else {},
        flags=_flags_of(ids),
        drawn={each.item_id: each for each in drawn},
    )


def _reviews_of(ids: Sequence[UUID]) -> tuple[dict[UUID, list[Review]], dict[UUID, dict[UUID, UUID]]]:
    """The finished reviews of the present rounds in the order of their slots, and their identifiers by their authors."""
    done = Submission.objects.filter(snapshot__in=ids, round=F("snapshot__item__round")).order_by("slot")
    finished: dict[UUID, list[Review]] = {}
    submissions: dict[UUID, dict[UUID, UUID]] = {}
    for item_id, by, name, at, slot, pk in done.values_list("snapshot_id", "reviewer_id", "reviewer__name", "submitted_at", "slot", "pk"):
        finished.setdefault(item_id, []).append(Review(by, name, at, slot))
        submissions.setdefault(item_id, {})[by] = pk
    return finished, submissions


def _planted_of(planned: Sequence[UUID]) -> dict[UUID, frozenset[FieldKey]]:
    """The rows of each answer that its plan shows as found though they are not."""
    gold = GoldRow.objects.filter(drawn__item__in=planned, drawn__plan=F("drawn__item__plan"), is_right=False)
    planted: dict[UUID, set[FieldKey]] = {}
    for item_id, section, path in gold.values_list("drawn__item_id", "section", "path"):
        planted.setdefault(item_id, set()).add((section, path))
    return {item_id: frozenset(keys) for item_id, keys in planted.items()}


def _flags_of(ids: Sequence[UUID]) -> dict[UUID, list[Flag]]:
    flags: dict[UUID, list[Flag]] = {}
    for flag in Flag.objects.filter(snapshot__in=ids).select_related("reviewer").order_by("id"):
        flags.setdefault(flag.snapshot_id, []).append(flag)
    return flags


def _by_object(redacted: Sequence[Redacted]) -> dict[UUID, list[Redacted]]:
    table: dict[UUID, list[Redacted]] = {}
    for each in redacted:
        table.setdefault(each.object_id, []).append(each)
    return table
