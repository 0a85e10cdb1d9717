"""The page on which a lead decides conflicts, and the list of items that wait for a decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from attribution import Reference
from reviewers.accounts.models import Membership, Organisation
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.texts import Surface, Text, hidden_from
from reviewers.review import wording
from reviewers.review.adjudication.decisions import (
    ItemReviews,
    LabelledRow,
    RowKey,
    ShownDecision,
    decision_in_words,
    load_reviews_of_items,
    verdicts_on,
)
from reviewers.review.items import ReviewItem, field_key
from reviewers.review.labels.queries import AnyLabel, ClaimKey, ReviewLabels
from reviewers.review.masking.masks import names_of
from reviewers.review.models import Phase, QueueItem, Rule
from reviewers.review.page.answer import REPORTED, Layer, Paragraph, lay_out
from reviewers.review.page.rows import FieldRow, build_row
from reviewers.review.page.sources import Check, Segment, checks_of, cited_passage
from reviewers.review.policies import may_adjudicate
from reviewers.review.talk.flags import place_in_shown, quoted_words
from reviewers.review.visibility import without_evidence
from reviewers.snapshots.citations import Citation, CitationKey
from reviewers.snapshots.field_labels import label_at

MOST_LISTED = 50


@dataclass(frozen=True, slots=True)
class AwaitingItem:
    """An item whose labels conflict. ``left`` of its ``conflicts`` are not decided yet."""

    id: UUID
    name: str
    turn_index: int | None
    plan_id: UUID | None
    plan: str
    reviewers: Sequence[str]
    conflicts: int
    left: int
    since: datetime | None
    may_decide: bool
    is_own: bool


def awaiting(organisation: Organisation, plan_id: UUID | None) -> QuerySet[QueueItem]:
    """Return the items that wait for a decision, those that wait longest first."""
    items = QueueItem.objects.filter(organisation=organisation, phase=Phase.CONSOLIDATING).order_by("submitted_at", "snapshot_id")
    return items.filter(plan=plan_id) if plan_id else items


def list_awaiting(items: QuerySet[QueueItem], by: Membership) -> list[AwaitingItem]:
    """Return the first of them with their conflicts."""
    first = items[:MOST_LISTED]
    by_item = {item_reviews.item_id: item_reviews for item_reviews in load_reviews_of_items(first)}
    hidden = hidden_from(by, Surface.CONFLICTS)
    rows = first.select_related("snapshot", "plan").defer("snapshot__record")
    return [_awaiting(row, by_item[row.pk], by, hidden) for row in rows if row.pk in by_item]


def _awaiting(row: QueueItem, item_reviews: ItemReviews, by: Membership, hidden: frozenset[Text]) -> AwaitingItem:
    left = len(item_reviews.conflicts)
    return AwaitingItem(
        id=row.pk,
        name=names_of(row.snapshot, hidden).title,
        turn_index=row.snapshot.turn_index,
        plan_id=row.plan_id,
        plan=row.plan.name if row.plan else "",
        reviewers=[review.name for review in item_reviews.reviews],
        conflicts=left + sum(each.made is not None for each in item_reviews.rows),
        left=left,
        since=row.submitted_at,
        may_decide=may(by, Permission.APPROVE_REVIEWS) and may_adjudicate(item_reviews.review_status, by.user_id),
        is_own=item_reviews.review_status.review_of(by.user_id) is not None,
    )


# Evidence on a row.


@dataclass(frozen=True, slots=True)
class CitationEvidence:
    """The evidence on a citation: the words it is for, its source, and what its checks found."""

    number: int
    title: str
    claim: str
    quote: str
    checks: Sequence[Check]
    passage: Sequence[Segment]
    status: str


@dataclass(frozen=True, slots=True)
class RowEvidence:
    """The evidence on a row. It has a field, a citation or the words of a claim, or none if the attribution no longer has the row."""

    name: str
    paragraphs: Sequence[Paragraph]
    field: FieldRow | None = None
    citation: CitationEvidence | None = None
    words: str = ""


_SHORT_NAME = 40


def evidence_of(item: ReviewItem, key: RowKey) -> RowEvidence:
    """Return the evidence on a row, with the answer in which only this row is marked."""
    if isinstance(key, ClaimKey):
        return _of_claim(item, key)
    return _of_citation(item, key) if isinstance(key, CitationKey) else _of_field(item, *key)


def name_of(item: ReviewItem, key: RowKey) -> str:
    """Return a row's name in a few words."""
    if isinstance(key, ClaimKey):
        words = quoted_words(item, *key)
        return f"“{words}”" if len(words) <= _SHORT_NAME else f"“{words[:_SHORT_NAME].rstrip('…')}…”"
    if not isinstance(key, CitationKey):
        return label_at(*key)
    found = next((each for each in item.citations if each.key == key), None)
    return f"citation {found.number + 1}" if found else f"citation of {key.source}"


def _of_claim(item: ReviewItem, key: ClaimKey) -> RowEvidence:
    """Return the evidence on an unsupported claim: its words in the answer, for there is nothing in the record to show beside them."""
    span = place_in_shown(item, key)
    marked: Sequence[Layer] = [(*span, REPORTED, 0)] if span else ()
    return RowEvidence(name_of(item, key), lay_out(without_evidence(item.shown.attribution), marked), words=quoted_words(item, *key))


def _of_field(item: ReviewItem, section: str, path: str) -> RowEvidence:
    attribution, key = item.shown.attribution, (section, path)
    number = next((number for number, row in enumerate(attribution.fields) if field_key(row) == key), None)
    if number is None:
        return RowEvidence(name_of(item, key), lay_out(without_evidence(attribution)))
    row = attribution.fields[number]
    alone = replace(
        attribution,
        fields=(row,),
        markers=tuple(each for each in attribution.markers if (each.section, each.path) == (row.field.section, row.field.path)),
        guardrails=(),
    )
    return RowEvidence(name_of(item, key), lay_out(alone), field=build_row(item, number))


def _of_citation(item: ReviewItem, key: CitationKey) -> RowEvidence:
    plain = without_evidence(item.shown.attribution)
    found = next((each for each in item.citations if each.key == key), None)
    if found is None:
        return RowEvidence(name_of(item, key), lay_out(plain))
    return RowEvidence(name_of(item, key), lay_out(plain, _marked(found.reference)), citation=_claimed(item, found))


def _marked(reference: Reference) -> Sequence[Layer]:
    return [(*reference.span, "matched", 0)] if reference.span and reference.span[0] < reference.span[1] else ()


def _claimed(item: ReviewItem, citation: Citation) -> CitationEvidence | None:
    documents, reference = item.documents, citation.reference
    if documents is None:
        return None
    source = next(each for each in documents.sources if each.id == citation.source)
    return CitationEvidence(
        number=citation.number + 1,
        title=wording.source_title(source),
        claim=documents.clean_text[slice(*reference.span)].strip() if reference.span else "",
        quote=reference.quote,
        checks=checks_of(reference.check),
        passage=cited_passage(reference, source),
        status=reference.status.value,
    )


# The page.


_KEYS = {
    "correct": "1",
    "wrong": "2",
    "misstated": "3",
    "supports": "1",
    "does_not_say": "2",
    "contradicts": "3",
    "unsupported": "1",
    "supported": "2",
    "cannot_judge": "0",
}
_ICONS = {
    "correct": "check",
    "wrong": "cross",
    "misstated": "differs",
    "supports": "check",
    "does_not_say": "cross",
    "contradicts": "clash",
    "unsupported": "outside",
}
_RULES = {
    Rule.UNANIMOUS: "The plan decides where all agree.",
    Rule.MAJORITY: "The plan decides where more than half agree.",
    Rule.LEAD: "The plan leaves every row to a lead.",
}


@dataclass(frozen=True, slots=True)
class ReviewerVerdict:
    """One reviewer's verdict on the row. ``reason`` is why they changed it after submission.

    ``words`` are those that they marked, if these are others than the whole claim.
    """

    name: str
    verdict: str
    tone: str
    icon: str
    note: str
    reason: str
    at: datetime | None
    words: str = ""


@dataclass(frozen=True, slots=True)
class DecidableVerdict:
    """A verdict that can be decided, with its key."""

    value: str
    label: str
    key: str


@dataclass(frozen=True, slots=True)
class ConflictEntry:
    """A conflict in the list of an item's conflicts. ``decided`` is empty while it waits."""

    number: int
    name: str
    decided: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class Conflict:
    """The conflict that is shown, with the numbers of its neighbours."""

    number: int
    evidence: RowEvidence
    voices: Sequence[ReviewerVerdict]
    choices: Sequence[DecidableVerdict]
    labels: str
    decided: ShownDecision | None
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The page."""

    item_id: str
    attribution_id: str
    title: str
    turn: str
    plan_id: str
    plan: str
    rule: str
    user_text: str
    entries: Sequence[ConflictEntry]
    conflict: Conflict
    left: int


def build_adjudication(item: ReviewItem, item_reviews: ItemReviews, number: int | None) -> Adjudication:
    """Return the page with the conflict of this number, else with the first that is not decided."""
    rows = disputed(item_reviews)
    waiting = next((place for place, row in enumerate(rows, start=1) if row.made is None), 1)
    shown = number if number and 1 <= number <= len(rows) else waiting
    snapshot, plan = item.row.snapshot, item.row.plan
    return Adjudication(
        item_id=str(item.id),
        attribution_id=str(item.row.attribution_id),
        title=snapshot.conversation_id or snapshot.client_reference or snapshot.external_id,
        turn=wording.turn_in_words(snapshot.turn_index),
        plan_id=str(plan.pk) if plan else "",
        plan=plan.name if plan else "",
        rule=_RULES[item_reviews.rule],
        user_text=str(item.record.get("user_text") or ""),
        entries=[_entry(item, row, place, is_shown=place == shown) for place, row in enumerate(rows, start=1)],
        conflict=_conflict(item, item_reviews, rows, shown),
        left=len(item_reviews.conflicts),
    )


def disputed(item_reviews: ItemReviews) -> list[LabelledRow]:
    """Return the rows that conflict, and those that did until a lead decided them."""
    return [row for row in item_reviews.rows if row.made is not None or row in item_reviews.conflicts]


def _entry(item: ReviewItem, row: LabelledRow, place: int, *, is_shown: bool) -> ConflictEntry:
    decided = decision_in_words(row.made)
    return ConflictEntry(place, name_of(item, row.key), decided.verdict if decided else "", is_shown)


def _conflict(item: ReviewItem, item_reviews: ItemReviews, rows: Sequence[LabelledRow], place: int) -> Conflict:
    row = rows[place - 1]
    return Conflict(
        number=place,
        evidence=evidence_of(item, row.key),
        voices=[voice for review in item_reviews.reviews for voice in _voices(item, review, row)],
        choices=[DecidableVerdict(each.value, str(each.label), _KEYS[each.value]) for each in verdicts_on(row.key)],
        labels=",".join(str(label.id) for label in row.labels),
        decided=decision_in_words(row.made),
        before=place - 1 if place > 1 else None,
        after=place + 1 if place < len(rows) else None,
    )


def _voices(item: ReviewItem, review: ReviewLabels, row: LabelledRow) -> Iterator[ReviewerVerdict]:
    """Yield what a reviewer says of the row: of a claim each of their labels on it."""
    if not isinstance(row.key, ClaimKey):
        yield _voice(review, review.label_on(row.key))
        return
    labels = review.claims_among(row.labels)
    for label in labels:
        yield replace(_voice(review, label), words="" if label.key == row.key else quoted_words(item, *label.key))
    if not labels:
        yield _voice(review, None)


def _voice(review: ReviewLabels, label: AnyLabel | None) -> ReviewerVerdict:
    if label is None or not label.is_verdict:
        return ReviewerVerdict(review.name, "No label", "quiet", "none", label.note if label else "", "", None)
    said = label.verdict.value
    return ReviewerVerdict(
        review.name,
        str(label.verdict.label),
        wording.VERDICT_TONES[said],
        _ICONS.get(said, "unsure"),
        label.note,
        label.reason,
        label.created_at,
    )
