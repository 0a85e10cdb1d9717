"""Reads the answers of a report, a batch at a time: as many statements for five hundred answers as for one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import F, Func, Q, QuerySet, TextField, Value

from reviewers.accounts.models import Membership
from reviewers.reports.exporting.loading_beside import Beside, load_beside
from reviewers.review.deciding.made import Made, RowKey, made_of
from reviewers.review.items import Item
from reviewers.review.models import Flag, QueueItem
from reviewers.review.plan_models import Phase, PlanItem
from reviewers.review.plans.labels import Reviewed, labels_of_items
from reviewers.review.plans.visibility import Viewer, sees_labels, sees_work, viewer_of
from reviewers.review.signing.queries import SignatureRow, signatures_of_items
from reviewers.review.standing import Standing

BATCH = 250
_BATCHES = 40
"""So many of them are listed at once."""

_SNAPSHOT = (
    "external_id",
    "conversation_id",
    "turn_index",
    "client_reference",
    "provider",
    "model",
    "prompt_version",
    "schema_version",
    "answered_at",
    "frozen_at",
    "digest",
    "hidden_sections",
)
_ATTRIBUTION = ("profile_id", "engine_version", "document", "digest", "field_count")
_COLUMNS = (
    *("answered_at", "state", "plan_id", "overlap", "is_blind", "phase", "round", "organisation_id", "attribution_id"),
    *(f"snapshot__{name}" for name in _SNAPSHOT),
    *(f"attribution__{name}" for name in _ATTRIBUTION),
    *(f"attribution__documents__{name}" for name in ("document", "digest", "attribution_id")),
)
"""What a report tells of; other columns cost as much to read as these."""

Key = tuple[datetime, UUID]
"""What a batch begins behind: the moment and the identifier of the last answer before it."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """An answer with everything about it that its reader may see. ``submissions`` are the identifiers of reviews by their authors.

    ``made`` is what leads have decided, whoever may see it: what is told of it is for ``deciding`` to say.
    """

    item: Item
    reviews: Sequence[Reviewed]
    submissions: Mapping[UUID, UUID]
    signatures: Sequence[SignatureRow]
    flags: Sequence[Flag] = ()
    drawn: PlanItem | None = None
    made: Mapping[RowKey, Made] = field(default_factory=dict)


def load_batches(items: QuerySet[QueueItem], by: Membership, *, after: Key | None = None) -> Iterator[list[Loaded]]:
    """The answers in the order of time, in batches."""
    for keys in list_keys(items, after=after):
        if batch := load_batch(items, by, keys):
            yield batch


def list_keys(items: QuerySet[QueueItem], *, after: Key | None = None) -> Iterator[list[Key]]:
    """The keys of the answers behind one, in the order of time, a batch at a time.

    They are read before the answers: a statement for both may read all answers behind one for the sake of the first few.
    """
    while keys := list(_behind(items, after).order_by("answered_at", "pk").values_list("answered_at", "pk")[: _BATCHES * BATCH]):
        yield from (keys[begin : begin + BATCH] for begin in range(0, len(keys), BATCH))
        after = keys[-1]


def load_batch(items: QuerySet[QueueItem], by: Membership, keys: Sequence[Key]) -> list[Loaded]:
    """The answers of some keys, those that are there still."""
    chosen = items.filter(pk__in=[pk for _, pk in keys]).select_related("snapshot", "attribution__documents").only(*_COLUMNS)
    rows = sorted(chosen.annotate(text=_record_as_text()), key=lambda row: (row.answered_at, row.pk))
    beside = load_beside(rows) if rows else Beside()
    viewer = viewer_of(by)
    return _with_reviews(by.organisation_id, [_item(row, beside, viewer) for row in rows], beside)


def key_of_last(batch: Sequence[Loaded]) -> Key:
    """What the next batch begins behind."""
    last = batch[-1].item.row
    return last.answered_at, last.pk


def _behind(items: QuerySet[QueueItem], after: Key | None) -> QuerySet[QueueItem]:
    if after is None:
        return items
    return items.filter(Q(answered_at=after[0], pk__gt=after[1]) | Q(answered_at__gt=after[0]), answered_at__gte=after[0])


def _item(row: QueueItem, beside: Beside, viewer: Viewer) -> Item:
    reviews = beside.finished.get(row.pk, ())
    return Item(
        row=row,
        standing=Standing(overlap=row.overlap, is_blind=row.is_blind, phase=Phase(row.phase), round=row.round, reviews=reviews),
        labels=(),
        search=beside.searches.get(row.attribution_id),
        record_text=getattr(row, "text"),  # noqa: B009 — an annotation: types know none
        viewer=viewer,
        planted=beside.planted.get(row.pk, frozenset()),
        redacted=beside.redacted.get(row.pk, ()),
    )


def _with_reviews(organisation_id: UUID, items: Sequence[Item], beside: Beside) -> list[Loaded]:
    reviewed = [item for item in items if item.standing.reviews]
    reviews = labels_of_items({item.id: item.standing for item in reviewed}) if reviewed else {}
    signatures = signatures_of_items(organisation_id, [item.id for item in reviewed]) if reviewed else {}
    several = {item.id: item.standing for item in reviewed if item.standing.overlap > 1}
    made = made_of(several) if several else {}
    return [_loaded(item, beside, reviews.get(item.id, ()), signatures.get(item.id, ()), made.get(item.id, {})) for item in items]


def _loaded(
    item: Item, beside: Beside, reviews: Sequence[Reviewed], signatures: Sequence[SignatureRow], made: Mapping[RowKey, Made]
) -> Loaded:
    """What the reader may see of it, and nothing else."""
    viewer, standing = item.viewer, item.standing
    return Loaded(
        item=item,
        reviews=[each for each in reviews if sees_labels(viewer, standing, each.reviewer_id)],
        submissions=beside.submissions.get(item.id, {}),
        signatures=[each for each in signatures if sees_work(viewer, standing, each.signer_id)],
        flags=[each for each in beside.flags.get(item.id, ()) if sees_work(viewer, standing, each.reviewer_id)],
        drawn=beside.drawn.get(item.id),
        made=made,
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
