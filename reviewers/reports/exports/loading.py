"""Load the answers of a report in batches, with as many queries for five hundred answers as for one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast
from uuid import UUID

from django.db.models import F, Q, QuerySet

from reviewers.accounts.models import Membership
from reviewers.ledger.queries import Redacted, list_redacted_of
from reviewers.reports.exports.answer_rows import FROZEN, UNTELLING, AnswerRow, read_answered, read_reviews
from reviewers.reports.exports.reviews import ReportedReview, reviews_of, written
from reviewers.reports.exports.schema import ReportedDecision
from reviewers.review.adjudication.decisions import LabelledRow, RowKey, StoredDecision, rows_of, stored_decisions_of
from reviewers.review.citations import CitationKey
from reviewers.review.items import ReviewItem
from reviewers.review.labels.queries import FieldKey, ReviewLabels, review_labels_of_items
from reviewers.review.legal_holds.queries import HoldInForce, list_held
from reviewers.review.models import CitationLabel, Flag, GoldRow, Phase, PlanItem, QueueItem, Rule
from reviewers.review.plans.visibility import Viewer, sees_labels, sees_work, viewer_of
from reviewers.review.review_status import ReviewStatus, SubmittedReview
from reviewers.review.signing.queries import SignatureRow, signatures_of_items
from reviewers.snapshots.queries import SearchState, newest_searches

BATCH = 250
_BATCHES = 40
"""The number of batches whose keys are listed at once."""

Key = tuple[datetime, UUID]
"""The moment and the identifier of an answer. A batch begins after the key of the last answer before it."""


@dataclass(frozen=True, slots=True)
class RelatedRows:
    """Rows of other tables by answer, and searches by attribution. Decisions are made between the reviews in ``compared``."""

    cited: Mapping[UUID, Sequence[CitationLabel]] = field(default_factory=dict)
    planted: Mapping[UUID, frozenset[FieldKey]] = field(default_factory=dict)
    redacted: Mapping[UUID, Sequence[Redacted]] = field(default_factory=dict)
    held: Mapping[UUID, Sequence[HoldInForce]] = field(default_factory=dict)
    searches: Mapping[UUID, SearchState] = field(default_factory=dict)
    flags: Mapping[UUID, Sequence[Flag]] = field(default_factory=dict)
    signatures: Mapping[UUID, Sequence[SignatureRow]] = field(default_factory=dict)
    drawn: Mapping[UUID, PlanItem] = field(default_factory=dict)
    compared: Mapping[UUID, Sequence[ReviewLabels]] = field(default_factory=dict)
    made: Mapping[UUID, Mapping[RowKey, StoredDecision]] = field(default_factory=dict)


def load_related_rows(organisation_id: UUID, rows: Sequence[AnswerRow]) -> RelatedRows:
    """Load related rows with one query for each table, and none for tables without rows of these answers."""
    planned = [row.snapshot_id for row in rows if row.plan_id]
    with_documents = [row.attribution_id for row in rows if row.attribution.documents]
    drawn = PlanItem.objects.filter(item__in=planned, plan=F("item__plan")).select_related("plan") if planned else ()
    several = {row.snapshot_id: _standing(row) for row in rows if row.overlap > 1 and row.reviews}
    return RelatedRows(
        cited=_cited_of([row.snapshot_id for row in rows if row.has_citation_labels]),
        planted=_planted_of(planned) if planned else {},
        redacted=_redacted_of([row.snapshot_id for row in rows if row.has_redactions]),
        held=_held_of([row.snapshot_id for row in rows if row.has_holds]),
        searches=newest_searches(with_documents) if with_documents else {},
        flags=_flags_of([row.snapshot_id for row in rows if row.has_flags]),
        signatures=_signatures_of(organisation_id, [row.snapshot_id for row in rows if row.has_signatures]),
        drawn={each.item_id: each for each in drawn},
        compared=review_labels_of_items(several) if several else {},
        made=stored_decisions_of(several) if several else {},
    )


def _standing(row: AnswerRow) -> ReviewStatus:
    reviews = [
        SubmittedReview(each.by, each.name, datetime.fromisoformat(each.at), each.slot) for each in read_reviews(row.reviews or "[]")
    ]
    return ReviewStatus(row.overlap, row.is_blind, Phase(row.phase), (), reviews, row.round)


def _cited_of(ids: Sequence[UUID]) -> dict[UUID, list[CitationLabel]]:
    labels: dict[UUID, list[CitationLabel]] = {}
    for label in CitationLabel.objects.filter(snapshot__in=ids).defer("shown").order_by("id") if ids else ():
        labels.setdefault(label.snapshot_id, []).append(label)
    return labels


def _signatures_of(organisation_id: UUID, ids: Sequence[UUID]) -> dict[UUID, list[SignatureRow]]:
    return signatures_of_items(organisation_id, ids) if ids else {}


def _planted_of(planned: Sequence[UUID]) -> dict[UUID, frozenset[FieldKey]]:
    """Return the fields of each answer that its plan shows as found although they are not."""
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


def _held_of(ids: Sequence[UUID]) -> dict[UUID, list[HoldInForce]]:
    return list_held(ids) if ids else {}


def _redacted_of(ids: Sequence[UUID]) -> dict[UUID, list[Redacted]]:
    table: dict[UUID, list[Redacted]] = {}
    for each in list_redacted_of(ids) if ids else ():
        table.setdefault(each.object_id, []).append(each)
    return table


@dataclass(frozen=True, slots=True)
class LoadedAnswer:
    """An answer with everything about it that its reader may see.

    ``made`` and ``compared`` are the decisions of leads and the reviews they were made between, whether the reader may see them or not:
    `decisions_of` returns what may be told of them.
    """

    item: ReviewItem
    row: AnswerRow
    reviews: Sequence[ReportedReview]
    signatures: Sequence[SignatureRow] = ()
    flags: Sequence[Flag] = ()
    drawn: PlanItem | None = None
    compared: Sequence[ReviewLabels] = ()
    made: Mapping[RowKey, StoredDecision] = field(default_factory=dict)

    def tells(self, action: str, actor_id: UUID | None) -> bool:
        """Return True if its reader may know of an event.

        Of an answer whose engine is hidden from them they know its freezing. Of one whose reviews are not all in, they know what they did
        themselves, but not what their colleagues did.
        """
        if self.item.is_blind:
            return action in UNTELLING
        return action in FROZEN or sees_work(self.item.viewer, self.item.standing, actor_id)


def load_batches(items: QuerySet[QueueItem], by: Membership) -> Iterator[list[LoadedAnswer]]:
    """Yield the answers in chronological order, in batches."""
    return (load_batch(items, by, keys) for keys in list_keys(items))


def list_keys(items: QuerySet[QueueItem], *, after: Key | None = None) -> Iterator[list[Key]]:
    """Yield the keys of the answers after one, in chronological order, a batch at a time.

    They are read before the answers: a query for both might read all later answers for the sake of the first few.
    """
    while keys := list(_behind(items, after).order_by("answered_at", "pk").values_list("answered_at", "pk")[: _BATCHES * BATCH]):
        yield from (keys[begin : begin + BATCH] for begin in range(0, len(keys), BATCH))
        after = keys[-1]


def load_batch(items: QuerySet[QueueItem], by: Membership, keys: Sequence[Key]) -> list[LoadedAnswer]:
    """Return the answers of some keys, as far as they still exist."""
    rows = read_answered(items, [pk for _, pk in keys])
    beside, viewer = load_related_rows(by.organisation_id, rows), viewer_of(by)
    return [_loaded(row, beside, viewer) for row in rows]


def _behind(items: QuerySet[QueueItem], after: Key | None) -> QuerySet[QueueItem]:
    if after is None:
        return items
    return items.filter(Q(answered_at=after[0], pk__gt=after[1]) | Q(answered_at__gt=after[0]), answered_at__gte=after[0])


def _loaded(row: AnswerRow, beside: RelatedRows, viewer: Viewer) -> LoadedAnswer:
    """Return the answer with what its reader may see, and nothing else."""
    reviews = reviews_of(row, beside.cited.get(row.snapshot_id, ()))
    standing = ReviewStatus(row.overlap, row.is_blind, Phase(row.phase), (), [each.finished for each in reviews], row.round)
    pk = row.snapshot_id
    return LoadedAnswer(
        item=_item(row, standing, beside, viewer),
        row=row,
        reviews=[each for each in reviews if sees_labels(viewer, standing, each.reviewer_id)],
        signatures=[each for each in beside.signatures.get(pk, ()) if sees_work(viewer, standing, each.signer_id)],
        flags=[each for each in beside.flags.get(pk, ()) if sees_work(viewer, standing, each.reviewer_id)],
        drawn=beside.drawn.get(pk),
        compared=beside.compared.get(pk, ()),
        made=beside.made.get(pk, {}),
    )


def _item(row: AnswerRow, standing: ReviewStatus, beside: RelatedRows, viewer: Viewer) -> ReviewItem:
    """Return a review item over the row, which has every column that `ReviewItem` reads from its own."""
    return ReviewItem(
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
    """Parse a key, or return None for an empty text."""
    if not text:
        return None
    moment, pk = json.loads(text)
    return datetime.fromisoformat(moment), UUID(pk)


def write_key(key: Key) -> str:
    """Return a key as text."""
    return json.dumps([key[0].isoformat(), str(key[1])])


def decisions_of(loaded: LoadedAnswer) -> tuple[ReportedDecision, ...]:
    """Return the decisions on an answer that several people review, once all of them have submitted.

    Return nothing if the reader may not see one of the reviews.
    """
    standing = loaded.item.standing
    is_known = standing.phase is not Phase.INDEPENDENT and len(loaded.reviews) == len(standing.reviews)
    if loaded.drawn is None or standing.overlap == 1 or not is_known:
        return ()
    rule = Rule(loaded.drawn.plan.rule)
    return tuple([_decided(row, rule, standing.round) for row in rows_of(loaded.compared, rule, loaded.made)])


def _decided(row: LabelledRow, rule: Rule, number: int) -> ReportedDecision:
    is_citation, made = isinstance(row.key, CitationKey), row.made
    return ReportedDecision(
        id=str(made.id) if made else "",
        kind="citation" if is_citation else "field",
        name=row.key.source if isinstance(row.key, CitationKey) else ".".join(row.key),
        outcome=row.outcome.value,
        verdict=row.verdict,
        rule=str(rule.label),
        by=made.name if made else "",
        at=written(made.decided_at) if made else "",
        reason=made.reason if made else "",
        round=number,
    )
