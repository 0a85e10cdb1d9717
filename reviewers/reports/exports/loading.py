"""Load the answers of a report in batches, with as many queries for five hundred answers as for one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from django.db.models import Case, F, Func, IntegerField, QuerySet, Value, When

from reviewers.accounts.models import Membership
from reviewers.ledger.events import Action
from reviewers.reports.exports.events import FROZEN, NO_JUDGEMENT, UNTELLING, AnswerEvent, JudgedSubject, load_events
from reviewers.reports.exports.report import written
from reviewers.reports.exports.schema import ReportedDecision
from reviewers.review.adjudication.decisions import LabelledRow, RowKey, StoredDecision, kind_of, rows_of, stored_decisions_of
from reviewers.review.items import ReviewItem
from reviewers.review.labels.queries import ClaimKey, FieldKey, ReviewLabels, load_review_labels
from reviewers.review.models import Comment, Flag, Phase, PlanItem, QueueItem, Rule
from reviewers.review.queries import load_items
from reviewers.review.signing.queries import SignatureRow, signatures_of_items
from reviewers.review.talk.comments import ShownComment, comments_on, visible_comments
from reviewers.review.talk.flags import ShownFlag, flags_on, visible_flags
from reviewers.review.visibility import hides_engine_from, is_under_blind_review, plans_that_hide, sees_labels, sees_work, viewer_of
from reviewers.snapshots.citations import CitationKey
from reviewers.snapshots.lists import rows_beyond
from reviewers.snapshots.redactable_parts import is_of_record
from reviewers.web.dates import PageKey

PAGES = 250
"""The pages of a volume, roughly: typesetting takes some 1.3 MB of memory for each, and 150 MB more."""

_ROWS, _BYTES, _CITED = 15, 20_000, 1_000
"""The fields, the bytes of a record and the bytes of citations as they are stored, compressed, that fill a page, in addition to the first
page of each answer. Some thirty citations have a thousand bytes: they take as long to typeset as a page, and longer the more there are."""

BATCH, _PAGES_OF_BATCH = 250, 8 * PAGES
"""The answers that are read at once: of ordinary ones so many, of large ones those with so many pages, for all of them are in memory."""

_BATCHES = 40
"""The number of batches whose keys are listed at once."""


@dataclass(frozen=True)
class LoadedAnswer:
    """An answer with everything about it that its reader may see.

    ``made`` and ``all_reviews`` are the decisions of leads and the reviews they were made between, whether the reader may see them or not:
    `decisions_of` returns what may be told of them. ``tells_stratum`` is false while the stratum of the answer would tell the reader what
    its plan looks for. ``hides_any`` is true if the reader reviews any answer of the organisation blind.
    """

    item: ReviewItem
    all_reviews: Sequence[ReviewLabels]
    events: Sequence[AnswerEvent]
    signatures: Sequence[SignatureRow]
    flags: Sequence[ShownFlag]
    comments: Sequence[ShownComment]
    drawn: PlanItem | None
    made: Mapping[RowKey, StoredDecision]
    tells_stratum: bool = True
    hides_any: bool = False

    @cached_property
    def reviews(self) -> Sequence[ReviewLabels]:
        """The reviews that the reader may see."""
        item = self.item
        return [each for each in self.all_reviews if sees_labels(item.viewer, item.review_status, each.reviewer_id)]

    @cached_property
    def labelled(self) -> frozenset[FieldKey]:
        """The fields that are told of because of their labels, or because they are control rows."""
        return self.item.planted.union(*(review.fields for review in self.reviews))

    @property
    def is_withheld(self) -> bool:
        """True if its reader may not know what the engine says of it.

        Of an answer whose record was redacted they know that once all reviews are in: only the event of the redaction proves why the record
        is not as it was frozen, and it names the rows that it changed, such as a colleague's signature.
        """
        return self.item.is_blind or (self.hides_any and bool(self.item.barred)) or (self._is_redacted and not self._tells_work)

    @property
    def repeats_hidden(self) -> bool:
        """True if the record may repeat a turn that its reader reviews blind: they could try by its digest how that turn is marked."""
        return self.hides_any and self.item.repeats_hidden

    def tells(self, action: str, actor_id: UUID | None) -> bool:
        """Return True if its reader may know of an event.

        Of a withheld answer they know its freezing. Of one whose reviews are not all in, they know what they did themselves, but not what
        their colleagues did, nor what a redaction took out of it.
        """
        if self.is_withheld:
            return action in UNTELLING
        if action == Action.REDACTION_APPROVED:
            return self._tells_work
        return action in FROZEN or sees_work(self.item.viewer, self.item.review_status, actor_id)

    def judgement_of(self, event: AnswerEvent) -> JudgedSubject:
        """Return what an event is about, or None if its reader may not see the labels of the person who caused it.

        The decision of a lead is about labels that are all in.
        """
        if event.action == Action.CONFLICT_DECIDED:
            return event.judgement if self._tells_work else NO_JUDGEMENT
        is_seen = event.actor_id is not None and sees_labels(self.item.viewer, self.item.review_status, event.actor_id)
        return event.judgement if is_seen else NO_JUDGEMENT

    @property
    def _tells_work(self) -> bool:
        return sees_work(self.item.viewer, self.item.review_status, None)

    @property
    def _is_redacted(self) -> bool:
        return any(is_of_record(name) for each in self.item.redacted for name in each.parts)


def load_batches(items: QuerySet[QueueItem], by: Membership) -> Iterator[list[LoadedAnswer]]:
    """Yield the answers in chronological order, in batches."""
    return (load_batch(items, by, keys) for keys in list_keys(items))


def list_keys(items: QuerySet[QueueItem], *, after: PageKey | None = None) -> Iterator[list[PageKey]]:
    """Yield the keys of the answers after one, in chronological order, a batch at a time.

    They are read before the answers: a query for both might read all later answers for the sake of the first few.
    """
    while weighed := list(weigh(rows_beyond(items, after, forwards=True), all_fields=True, most=_BATCHES * BATCH)):
        yield from cut(weighed, BATCH, _PAGES_OF_BATCH)
        after = weighed[-1][0]


def weigh(items: QuerySet[QueueItem], *, all_fields: bool, most: int | None = None) -> Iterator[tuple[PageKey, float]]:
    """Yield the keys of the answers in chronological order, of the first so many, each with an estimate of its pages.

    What was found in an answer under blind review does not count: where a volume ends would tell it.
    """
    size = Func(F("snapshot__record"), function="octet_length", output_field=IntegerField())
    rows = F("attribution__field_count") if all_fields else F("attribution__found_count")
    told = rows if all_fields else Case(When(is_under_blind_review(), then=Value(0)), default=rows)
    stored = Func(F("attribution__documents__document"), function="octet_length", output_field=IntegerField())
    cited = Case(When(is_under_blind_review(), then=Value(0)), default=stored)
    found = items.order_by("answered_at", "pk").values_list("answered_at", "pk", told, size, cited)[:most]
    for moment, pk, row_count, byte_count, cited_count in found.iterator() if most is None else found:
        yield (moment, pk), 1 + row_count / _ROWS + byte_count / _BYTES + (cited_count or 0) / _CITED


def cut(weighed: Iterable[tuple[PageKey, float]], size: int, most: float = PAGES) -> Iterator[list[PageKey]]:
    """Yield the keys in runs, with at most ``size`` answers and not many more than ``most`` pages in each."""
    waiting: list[PageKey] = []
    pages = 0.0
    for key, weight in weighed:
        if len(waiting) == size or (waiting and pages + weight > most):
            yield waiting
            waiting, pages = [], 0.0
        waiting.append(key)
        pages += weight
    if waiting:
        yield waiting


def load_batch(items: QuerySet[QueueItem], by: Membership, keys: Sequence[PageKey]) -> list[LoadedAnswer]:
    """Return the answers of some keys, as far as they still exist, with one query for each table."""
    viewer = viewer_of(by)
    found = list(load_items(items.filter(pk__in=[pk for _, pk in keys]).order_by("answered_at", "pk"), viewer))
    statuses = {item.id: item.review_status for item in found}
    reviews, made = load_review_labels(statuses), stored_decisions_of(statuses)
    events, signatures = load_events(by.organisation_id, list(statuses)), signatures_of_items(by.organisation_id, list(statuses))
    drawn = {each.item_id: each for each in PlanItem.objects.filter(item__in=statuses, plan=F("item__plan")).select_related("plan")}
    hiding = plans_that_hide(list({each.plan_id: each.plan for each in drawn.values()}.values()), viewer)
    hides_any = viewer.may_label and QueueItem.objects.filter(hides_engine_from(viewer), organisation=by.organisation_id).exists()
    flags: dict[UUID, list[Flag]] = {}
    for flag in flags_on(statuses):
        flags.setdefault(flag.snapshot_id, []).append(flag)
    comments: dict[UUID, list[Comment]] = {}
    for comment in comments_on(statuses):
        comments.setdefault(comment.snapshot_id, []).append(comment)
    return [
        LoadedAnswer(
            item=item,
            all_reviews=reviews[item.id],
            events=events.get(item.id, ()),
            signatures=[each for each in signatures.get(item.id, ()) if sees_work(viewer, item.review_status, each.signer_id)],
            flags=visible_flags(item, flags.get(item.id, ())),
            comments=visible_comments(item, comments.get(item.id, ())),
            drawn=drawn.get(item.id),
            made=made.get(item.id, {}),
            tells_stratum=item.row.plan_id not in hiding,
            hides_any=hides_any,
        )
        for item in found
    ]


def decisions_of(loaded: LoadedAnswer) -> tuple[ReportedDecision, ...]:
    """Return the decisions on an answer that several people review, once all of them have submitted.

    Return nothing if the reader may not see one of the reviews.
    """
    status = loaded.item.review_status
    is_known = status.phase is not Phase.INDEPENDENT and len(loaded.reviews) == len(status.reviews)
    if loaded.drawn is None or status.overlap == 1 or not is_known:
        return ()
    rule = Rule(loaded.drawn.plan.rule)
    rows = rows_of(loaded.all_reviews, rule, loaded.made)
    claims = [row.key for row in rows if isinstance(row.key, ClaimKey)]
    return tuple([_decided(row, _name_of(row.key, claims), rule, status.round) for row in rows])


def _name_of(key: RowKey, claims: Sequence[ClaimKey]) -> str:
    """Return the name of a row. Claims are counted in the order of the answer, as the report lists their words."""
    if isinstance(key, ClaimKey):
        return f"claim {claims.index(key) + 1}"
    return key.source if isinstance(key, CitationKey) else ".".join(key)


def _decided(row: LabelledRow, name: str, rule: Rule, number: int) -> ReportedDecision:
    made = row.made
    return ReportedDecision(
        id=str(made.id) if made else "",
        kind=kind_of(row.key).value,
        name=name,
        outcome=row.outcome.value,
        verdict=row.verdict,
        rule=str(rule.label),
        by=made.name if made else "",
        at=written(made.decided_at) if made else "",
        reason=made.reason if made else "",
        round=number,
    )
