"""What stands of answers in other tables: as many statements for five hundred answers as for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import F

from reviewers.ledger.redacted import Redacted, list_redacted_of
from reviewers.reports.exporting.answered import Answered, read_done
from reviewers.review.citation_models import CitationLabel
from reviewers.review.deciding.made import Made, RowKey, made_of
from reviewers.review.given_labels import FieldKey
from reviewers.review.holds.held import Held, list_held
from reviewers.review.models import Flag
from reviewers.review.plan_models import GoldRow, Phase, PlanItem
from reviewers.review.plans.labels import Reviewed, labels_of_items
from reviewers.review.signing.queries import SignatureRow, signatures_of_items
from reviewers.review.standing import Review, Standing
from reviewers.snapshots.search_state import SearchState, newest_searches


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands in other tables, by answer; searches by attribution. ``compared`` are reviews that decisions are made between."""

    cited: Mapping[UUID, Sequence[CitationLabel]] = field(default_factory=dict)
    planted: Mapping[UUID, frozenset[FieldKey]] = field(default_factory=dict)
    redacted: Mapping[UUID, Sequence[Redacted]] = field(default_factory=dict)
    held: Mapping[UUID, Sequence[Held]] = field(default_factory=dict)
    searches: Mapping[UUID, SearchState] = field(default_factory=dict)
    flags: Mapping[UUID, Sequence[Flag]] = field(default_factory=dict)
    signatures: Mapping[UUID, Sequence[SignatureRow]] = field(default_factory=dict)
    drawn: Mapping[UUID, PlanItem] = field(default_factory=dict)
    compared: Mapping[UUID, Sequence[Reviewed]] = field(default_factory=dict)
    made: Mapping[UUID, Mapping[RowKey, Made]] = field(default_factory=dict)


def load_beside(organisation_id: UUID, rows: Sequence[Answered]) -> Beside:
    """One statement a table, and none of a table that has nothing of these answers."""
    planned = [row.snapshot_id for row in rows if row.plan_id]
    with_documents = [row.attribution_id for row in rows if row.attribution.documents]
    drawn = PlanItem.objects.filter(item__in=planned, plan=F("item__plan")).select_related("plan") if planned else ()
    several = {row.snapshot_id: _standing(row) for row in rows if row.overlap > 1 and row.reviews}
    return Beside(
        cited=_cited_of([row.snapshot_id for row in rows if row.has_citation_labels]),
        planted=_planted_of(planned) if planned else {},
        redacted=_redacted_of([row.snapshot_id for row in rows if row.has_redactions]),
        held=_held_of([row.snapshot_id for row in rows if row.has_holds]),
        searches=newest_searches(with_documents) if with_documents else {},
        flags=_flags_of([row.snapshot_id for row in rows if row.has_flags]),
        signatures=_signatures_of(organisation_id, [row.snapshot_id for row in rows if row.has_signatures]),
        drawn={each.item_id: each for each in drawn},
        compared=labels_of_items(several) if several else {},
        made=made_of(several) if several else {},
    )


def _standing(row: Answered) -> Standing:
    reviews = [Review(each.by, each.name, datetime.fromisoformat(each.at), each.slot) for each in read_done(row.reviews or "[]")]
    return Standing(row.overlap, row.is_blind, Phase(row.phase), (), reviews, row.round)


def _cited_of(ids: Sequence[UUID]) -> dict[UUID, list[CitationLabel]]:
    labels: dict[UUID, list[CitationLabel]] = {}
    for label in CitationLabel.objects.filter(snapshot__in=ids).defer("shown").order_by("id") if ids else ():
        labels.setdefault(label.snapshot_id, []).append(label)
    return labels


def _signatures_of(organisation_id: UUID, ids: Sequence[UUID]) -> dict[UUID, list[SignatureRow]]:
    return signatures_of_items(organisation_id, ids) if ids else {}


def _planted_of(planned: Sequence[UUID]) -> dict[UUID, frozenset[FieldKey]]:
    """The rows of each answer that its plan shows as found though they are not."""
    gold = GoldRow.objects.filter(drawn__item__in=planned, drawn__plan=F("drawn__item__plan"), is_right=False)
    planted: dict[UUID, set[FieldKey]] = {}
    for item_id, section, path in gold.values_list("drawn__item_id", "section", "path"):
        planted.setdefault(item_id, set()).add((section, path))
    return {item_id: frozenset(keys) for item_id, keys in planted.items()}


def _flags_of(ids: Sequence[UUID]) -> dict[UUID, list[Flag]]:
    flags: dict[UUID, list[Flag]] = {}
    for flag in Flag.objects.filter(snapshot__in=ids).select_related("reviewer").order_by("id") if ids else ():
        flags.setdefault(flag.snapshot_id, []).append(flag)
    return flags


def _held_of(ids: Sequence[UUID]) -> dict[UUID, list[Held]]:
    return list_held(ids) if ids else {}


def _redacted_of(ids: Sequence[UUID]) -> dict[UUID, list[Redacted]]:
    table: dict[UUID, list[Redacted]] = {}
    for each in list_redacted_of(ids) if ids else ():
        table.setdefault(each.object_id, []).append(each)
    return table
