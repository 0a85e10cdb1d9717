"""Reads the answers of a report, a batch at a time: as many statements for five hundred answers as for one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast
from uuid import UUID

from django.db.models import Q, QuerySet

from reviewers.accounts.models import Membership
from reviewers.reports.exporting.answered import Answered
from reviewers.reports.exporting.columns import read_answered
from reviewers.reports.exporting.loading_beside import Beside, load_beside
from reviewers.reports.exporting.submitted import Submitted, reviews_of
from reviewers.review.deciding.made import Made, RowKey
from reviewers.review.items import Item
from reviewers.review.models import Flag, QueueItem
from reviewers.review.plan_models import Phase, PlanItem
from reviewers.review.plans.labels import Reviewed
from reviewers.review.plans.visibility import Viewer, sees_labels, sees_work, viewer_of
from reviewers.review.signing.queries import SignatureRow
from reviewers.review.standing import Standing

BATCH = 250
_BATCHES = 40
"""So many of them are listed at once."""

Key = tuple[datetime, UUID]
"""What a batch begins behind: the moment and the identifier of the last answer before it."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """An answer with everything about it that its reader may see.

    ``made`` is what leads have decided between the reviews in ``compared``, whoever may see it: what is told of it is for ``deciding``
    to say.
    """

    item: Item
    row: Answered
    reviews: Sequence[Submitted]
    signatures: Sequence[SignatureRow] = ()
    flags: Sequence[Flag] = ()
    drawn: PlanItem | None = None
    compared: Sequence[Reviewed] = ()
    made: Mapping[RowKey, Made] = field(default_factory=dict)


def load_batches(items: QuerySet[QueueItem], by: Membership) -> Iterator[list[Loaded]]:
    """The answers in the order of time, in batches."""
    return (load_batch(items, by, keys) for keys in list_keys(items))


def list_keys(items: QuerySet[QueueItem], *, after: Key | None = None) -> Iterator[list[Key]]:
    """The keys of the answers behind one, in the order of time, a batch at a time.

    They are read before the answers: a statement for both may read all answers behind one for the sake of the first few.
    """
    while keys := list(_behind(items, after).order_by("answered_at", "pk").values_list("answered_at", "pk")[: _BATCHES * BATCH]):
        yield from (keys[begin : begin + BATCH] for begin in range(0, len(keys), BATCH))
        after = keys[-1]


def load_batch(items: QuerySet[QueueItem], by: Membership, keys: Sequence[Key]) -> list[Loaded]:
    """The answers of some keys, those that are there still."""
    rows = read_answered(items, [pk for _, pk in keys])
    beside, viewer = load_beside(by.organisation_id, rows), viewer_of(by)
    return [_loaded(row, beside, viewer) for row in rows]


def _behind(items: QuerySet[QueueItem], after: Key | None) -> QuerySet[QueueItem]:
    if after is None:
        return items
    return items.filter(Q(answered_at=after[0], pk__gt=after[1]) | Q(answered_at__gt=after[0]), answered_at__gte=after[0])


def _loaded(row: Answered, beside: Beside, viewer: Viewer) -> Loaded:
    """What the reader may see of it, and nothing else."""
    reviews = reviews_of(row, beside.cited.get(row.snapshot_id, ()))
    standing = Standing(row.overlap, row.is_blind, Phase(row.phase), (), [each.finished for each in reviews], row.round)
    pk = row.snapshot_id
    return Loaded(
        item=_item(row, standing, beside, viewer),
        row=row,
        reviews=[each for each in reviews if sees_labels(viewer, standing, each.reviewer_id)],
        signatures=[each for each in beside.signatures.get(pk, ()) if sees_work(viewer, standing, each.signer_id)],
        flags=[each for each in beside.flags.get(pk, ()) if sees_work(viewer, standing, each.reviewer_id)],
        drawn=beside.drawn.get(pk),
        compared=beside.compared.get(pk, ()),
        made=beside.made.get(pk, {}),
    )


def _item(row: Answered, standing: Standing, beside: Beside, viewer: Viewer) -> Item:
    """What an item reads of its own row stands in this one as well."""
    return Item(
        row=cast("QueueItem", row),
        standing=standing,
        labels=(),
        search=beside.searches.get(row.attribution_id),
        viewer=viewer,
        planted=beside.planted.get(row.snapshot_id, frozenset()),
        redacted=beside.redacted.get(row.snapshot_id, ()),
        holds=beside.held.get(row.snapshot_id, ()),
    )


def key_of(text: str) -> Key | None:
    """A key out of its written form."""
    if not text:
        return None
    moment, pk = json.loads(text)
    return datetime.fromisoformat(moment), UUID(pk)


def written(key: Key) -> str:
    """A key as it is kept."""
    return json.dumps([key[0].isoformat(), str(key[1])])
