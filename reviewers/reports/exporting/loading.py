"""Reads the answers of a report, a batch at a time: as many statements for five hundred answers as for one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import F, Func, Q, QuerySet, TextField, Value

from reviewers.accounts.models import Membership
from reviewers.ledger.redacted import read_redacted, redacted_of
from reviewers.review.items import Item
from reviewers.review.models import Flag, QueueItem, Submission
from reviewers.review.plan_models import PlanItem
from reviewers.review.plans.labels import Reviewed, labels_of_items
from reviewers.review.plans.visibility import Viewer, sees_labels, sees_work, viewer_of
from reviewers.review.signing.queries import SignatureRow, signatures_of_items
from reviewers.review.standing import TERMS, planted_of, read_standing, reviews_of
from reviewers.snapshots.search_state import newest_search, read_search

BATCH = 250

Key = tuple[datetime, UUID]
"""What a batch begins behind: the moment and the identifier of the last answer before it."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """An answer with everything about it that its reader may see. ``submissions`` are the identifiers of reviews by their authors."""

    item: Item
    reviews: Sequence[Reviewed]
    submissions: Mapping[UUID, UUID]
    signatures: Sequence[SignatureRow]
    flags: Sequence[Flag] = ()
    drawn: PlanItem | None = None


@dataclass(frozen=True, slots=True)
class _Beside:
    """What stands in other tables, by answer."""

    reviews: Mapping[UUID, Sequence[Reviewed]] = field(default_factory=dict)
    submissions: Mapping[UUID, Mapping[UUID, UUID]] = field(default_factory=dict)
    signatures: Mapping[UUID, Sequence[SignatureRow]] = field(default_factory=dict)
    flags: Mapping[UUID, Sequence[Flag]] = field(default_factory=dict)
    drawn: Mapping[UUID, PlanItem] = field(default_factory=dict)


def load_batches(items: QuerySet[QueueItem], by: Membership, *, after: Key | None = None) -> Iterator[list[Loaded]]:
    """The answers in the order of time, in batches, each read behind the last answer of the one before."""
    while batch := _load(items, by, after):
        yield batch
        last = batch[-1].item.row
        after = (last.answered_at, last.pk)


def _load(items: QuerySet[QueueItem], by: Membership, after: Key | None) -> list[Loaded]:
    if after:
        items = items.filter(Q(answered_at=after[0], pk__gt=after[1]) | Q(answered_at__gt=after[0]), answered_at__gte=after[0])
    rows = items.select_related("snapshot", "attribution__documents").defer("snapshot__record", "snapshot__search", "facets")
    annotated = rows.annotate(
        reviewed=reviews_of(), seeded=planted_of(), searched=newest_search("attribution_id"), text=_record_as_text(), gone=redacted_of("pk")
    ).order_by("answered_at", "pk")
    viewer = viewer_of(by)
    read = [_item(row, viewer) for row in annotated[:BATCH]]
    beside = _load_beside(by.organisation_id, read)
    return [_loaded(item, beside) for item in read]


def _item(row: QueueItem, viewer: Viewer) -> Item:
    reviewed, seeded, searched, text, gone = (getattr(row, name) for name in ("reviewed", "seeded", "searched", "text", "gone"))
    terms = {name: getattr(row, name) for name in TERMS}
    return Item(
        row=row,
        standing=read_standing(terms, (), reviewed),
        labels=(),
        search=read_search(searched),
        record_text=text,
        viewer=viewer,
        planted=frozenset((each["section"], each["path"]) for each in seeded),
        redacted=read_redacted(gone),
    )


def _load_beside(organisation_id: UUID, items: Sequence[Item]) -> _Beside:
    """One statement a table, and none of a table that nothing can be in."""
    ids = [item.id for item in items]
    reviewed = [item for item in items if item.standing.reviews]
    planned = [item.id for item in items if item.row.plan_id]
    submitted = Submission.objects.filter(snapshot__in=[item.id for item in reviewed], round=F("snapshot__item__round"))
    submissions: dict[UUID, dict[UUID, UUID]] = {}
    for snapshot_id, reviewer_id, pk in submitted.values_list("snapshot_id", "reviewer_id", "pk") if reviewed else ():
        submissions.setdefault(snapshot_id, {})[reviewer_id] = pk
    flags: dict[UUID, list[Flag]] = {}
    for flag in Flag.objects.filter(snapshot__in=ids).select_related("reviewer").order_by("id") if ids else ():
        flags.setdefault(flag.snapshot_id, []).append(flag)
    drawn = PlanItem.objects.filter(item__in=planned, plan=F("item__plan")).select_related("plan") if planned else ()
    return _Beside(
        reviews=labels_of_items({item.id: item.standing for item in reviewed}) if reviewed else {},
        submissions=submissions,
        signatures=signatures_of_items(organisation_id, [item.id for item in reviewed]) if reviewed else {},
        flags=flags,
        drawn={each.item_id: each for each in drawn},
    )


def _loaded(item: Item, beside: _Beside) -> Loaded:
    """What the reader may see of it, and nothing else."""
    viewer, standing = item.viewer, item.standing
    signatures = beside.signatures.get(item.id, ())
    return Loaded(
        item=item,
        reviews=[each for each in beside.reviews.get(item.id, ()) if sees_labels(viewer, standing, each.reviewer_id)],
        submissions=beside.submissions.get(item.id, {}),
        signatures=[each for each in signatures if sees_work(viewer, standing, each.signer_id)],
        flags=[each for each in beside.flags.get(item.id, ()) if sees_work(viewer, standing, each.reviewer_id)],
        drawn=beside.drawn.get(item.id),
    )


def _record_as_text() -> Func:
    """A record of megabytes comes as text in half the time it takes as bytes."""
    return Func(F("snapshot__record"), Value("UTF8"), function="convert_from", output_field=TextField())


def key_of(text: str) -> Key | None:
    """A key out of its written form."""
    if not text:
        return None
    moment, pk = json.loads(text)
    return datetime.fromisoformat(moment), UUID(pk)


def written(key: Key) -> str:
    """A key as it is kept."""
    return json.dumps([key[0].isoformat(), str(key[1])])
