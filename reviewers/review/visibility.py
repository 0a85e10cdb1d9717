"""Visibility of labels and of what the engine says, for an item under review. Every page, list, count, event and export asks here.

- Everybody always sees their own labels.
- Nobody else sees labels that have not been submitted yet.
- In a blind plan, members who may label do not see the labels of others before all reviews are in (the phase *independent*), nor
  method, rule, score, confidence and findings of the engine before they have submitted their own review.
- Members who may not label, such as auditors, cannot be influenced and see everything that was submitted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from attribution import Attribution, DocumentAttribution, Reference, ReferenceStatus, Span
from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.review.models import Phase, Plan, PlanItem, PlanState, QueueItem, Submission
from reviewers.review.review_status import ReviewStatus
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.unmarked import UnmarkedText, unmark


@dataclass(frozen=True, slots=True)
class Viewer:
    """The person or program that reads an item.

    ``may_label`` is true if their role could review it, ``may_plan`` if they could write a plan.
    """

    id: UUID | None
    may_label: bool
    may_plan: bool = False


def viewer_of(member: Membership) -> Viewer:
    """Return the viewer for a member."""
    return Viewer(member.user_id, may(member, Permission.LABEL_ITEMS), may(member, Permission.MANAGE_PLANS))


PROGRAM = Viewer(None, may_label=True)
"""A program with a service key, which anybody may hold."""


def sees_labels(viewer: Viewer, status: ReviewStatus, author_id: UUID) -> bool:
    """True if the viewer sees the labels of this author."""
    if viewer.id == author_id:
        return True
    if status.review_of(author_id) is None:
        return False
    return not status.is_hidden or not viewer.may_label


def sees_work(viewer: Viewer, status: ReviewStatus, author_id: UUID | None) -> bool:
    """True if the viewer sees what surrounds an author's labels: their number, flags, and why the item was skipped."""
    is_own = viewer.id is not None and viewer.id == author_id
    return is_own or not status.is_hidden or not viewer.may_label


def sees_talk(viewer: Viewer, status: ReviewStatus) -> bool:
    """True if the viewer sees the comments on an item: nobody who may label does in a blind phase, not even their own."""
    return not status.is_hidden or not viewer.may_label


def sees_engine(viewer: Viewer, status: ReviewStatus) -> bool:
    """True if the viewer sees the method, confidence and findings behind the engine's claims."""
    if not status.is_hidden or not viewer.may_label:
        return True
    return viewer.id is not None and status.review_of(viewer.id) is not None


def sees_attention_of_all(member: Membership) -> bool:
    """True if the member sees everybody's attention to control rows and pace. Others see only their own."""
    return may(member, Permission.APPROVE_REVIEWS)


def may_be_told(status: ReviewStatus, author_id: UUID) -> bool:
    """True if an event may contain what a label by this author says. Others can read events at any time.

    Where several people review an answer, nobody else sees labels that were not submitted, in whatever plan.
    """
    return not status.is_hidden and (status.overlap == 1 or status.review_of(author_id) is not None)


REPORTED_FACETS = frozenset({"model", "prompt"})
"""The kinds of facet that the sender of a record reported. Any other kind follows from what the engine found, so a list filtered by it,
or its count, reveals that."""


OF_WORK = ("flagged", "signed", "unsupported")
"""The filters of lists that follow from the work of colleagues."""


def is_of_engine(kind: str) -> bool:
    """True if a kind of facet follows from what the engine found."""
    return kind not in REPORTED_FACETS


def is_under_blind_review() -> Q:
    """Return a condition for the items that hide something from members who may label."""
    return Q(is_blind=True, phase=Phase.INDEPENDENT)


def hides_engine_from(viewer: Viewer) -> Q:
    """Return a condition for the items of which ``sees_engine`` is false for the viewer."""
    if not viewer.may_label:
        return Q(pk__in=())
    own = Exists(Submission.objects.filter(snapshot=OuterRef("pk"), round=OuterRef("round"), reviewer=viewer.id))
    return is_under_blind_review() & ~Q(own)


def hides_turn_beside(turn: Snapshot, viewer: Viewer) -> bool:
    """True if the viewer may not know what the engine says of an answer that the record of ``turn`` may repeat.

    These are the other answers of its conversation. Tools may send the messages of a conversation without its name, so answers of which
    one names no conversation may belong together as well, unless they name different clients.
    """
    if not viewer.may_label:
        return False
    client = turn.client_reference
    beside = Q(snapshot__client_reference__in=["", client]) if client else Q()
    if turn.conversation_id:
        beside = Q(snapshot__conversation_id=turn.conversation_id) | (beside & Q(snapshot__conversation_id=""))
    hidden = QueueItem.objects.filter(hides_engine_from(viewer), beside, organisation=turn.organisation_id)
    return hidden.exclude(pk=turn.pk).exists()


def hides_work_from(viewer: Viewer) -> Q:
    """Return a condition for the items of which ``sees_work`` of others is false for the viewer."""
    return is_under_blind_review() if viewer.may_label else Q(pk__in=())


HIDES_WORK = "%(may_label)s AND item.is_blind AND item.phase = 'independent'"
"""The condition ``hides_work_from`` in SQL, for a statement that calls the table of items ``item``."""


def hides_anything_of(plan: Plan, viewer: Viewer) -> bool:
    """True if the viewer may not know yet what the engine says of an answer that the plan has drawn, or of one that it may still add."""
    return plan.pk in plans_that_hide([plan], viewer)


def plans_that_hide(plans: Collection[Plan], viewer: Viewer) -> frozenset[UUID]:
    """Return those of some plans of which ``hides_anything_of`` is true, in one query.

    An answer whose reviews are all in tells by its stratum what its plan looks for, and so what the engine says of the others. A plan that
    was stopped tells it of answers that another one has drawn since.
    """
    if not viewer.may_label:
        return frozenset()
    hiding = {plan.pk for plan in plans if plan.is_blind and _takes_more(plan, viewer)}
    rest = [plan.pk for plan in plans if plan.pk not in hiding]
    return frozenset(hiding).union(that_drew_hidden(viewer, rest) if rest else ())


def that_drew_hidden(viewer: Viewer, plan_ids: Collection[UUID]) -> QuerySet[PlanItem, UUID]:
    """Return those of some plans that have ever drawn an answer of which the viewer may not know yet what the engine says."""
    drawn = PlanItem.objects.filter(plan__in=plan_ids, item__in=QueueItem.objects.filter(hides_engine_from(viewer)).values("pk"))
    return drawn.values_list("plan", flat=True).distinct()


def _takes_more(plan: Plan, viewer: Viewer) -> bool:
    """True if the plan will add answers that the viewer may review. Members who write plans may read a draft to start it."""
    if plan.state == PlanState.DRAFT:
        return not viewer.may_plan
    return plan.state == PlanState.RUNNING and bool(plan.triggers)


def may_be_learned_from() -> Q:
    """Return a condition for the labels that calibration may use.

    Labels that reviewers may not see yet are not among them, because what is learned would reveal them.
    """
    return Q(snapshot__item__is_blind=False) | ~Q(snapshot__item__phase=Phase.INDEPENDENT)


# Pages for a blind reviewer: without how the engine came to its claims and what it found wrong. What is left is the answer as clean text,
# the fields that it is said to draw on in the order of the record, its citations with the words they are for, and the texts of documents.


HIDDEN: Mapping[str, Any] = {
    "rule": "",
    "track": "",
    "track_words": "",
    "confidence": 0.0,
    "footnote": None,
    "place": "answered",
    "is_placed": False,
    "is_ambiguous": False,
    "trace": (),
    "contradiction": "",
    "mentioned": "",
    "bounds": None,
    "is_below": False,
}
"""The values that a row of the page has instead."""


_AS_MADE = dict.fromkeys((ReferenceStatus.FOUND, ReferenceStatus.REPAIRED, ReferenceStatus.LISTED), ReferenceStatus.RESOLVED)
"""Listed citations are for no words, like attached ones. If they kept their status, the attached ones could be recognised."""

_CLOSING = ".!?…*_~`\"'”’»›)]"
"""Signs behind the words of a citation that its footnote follows: they end a sentence, or close emphasis, quotes and brackets."""
_MOST_SIGNS = 12
"""The most signs that are passed over at either end of a citation's words, so that long runs of them cost nothing."""


def without_evidence(attribution: Attribution) -> Attribution:
    """Return the text alone. Where the engine found something, and which footnotes it made of markers, would reveal its method."""
    return replace(attribution, fields=(), markers=(), guardrails=())


def without_marks(documents: DocumentAttribution, unmarked: UnmarkedText) -> DocumentAttribution:
    """Return the documents over the text without the traces of markers. What the model states beside the text may have some, too."""
    references = [
        each._replace(
            position=unmarked.position(each.position) if each.position is not None else None,
            span=unmarked.span(each.span) if each.span else None,
            quote=unmark(each.quote).text,
        )
        for each in documents.references
    ]
    claims = [each._replace(text=unmark(each.text).text, span=unmarked.span(each.span) if each.span else None) for each in documents.claims]
    return replace(
        documents,
        clean_text=unmarked.text,
        references=tuple(references),
        claims=tuple(claims),
        unanswered_aspects=tuple([unmark(each).text for each in documents.unanswered_aspects]),
    )


def without_checks(documents: DocumentAttribution) -> DocumentAttribution:
    """Return the citations and their sources, without checks and issues.

    Citations of the model and those added later look the same, and need a verdict alike. Nothing tells that one was dropped: they are
    counted in the order of the text, those at no place in it last.
    """
    places, text = places_of(documents), documents.clean_text
    shown = sorted((each for each in documents.references if each.ordinal in places), key=lambda each: places[each.ordinal])
    references = tuple([_as_made(each, place, text) for place, each in enumerate(shown)])
    cited = [tuple([places[ordinal] for ordinal in claim.references if ordinal in places]) for claim in documents.claims]
    claims = tuple([claim._replace(references=its) for claim, its in zip(documents.claims, cited, strict=True)])
    return replace(documents, references=references, claims=claims, issues=())


def places_of(documents: DocumentAttribution) -> Mapping[int, int]:
    """Return the place of each citation of a source as a blind reviewer sees them, by its ordinal."""
    text, cited = documents.clean_text, [each for each in documents.references if each.sources]
    return {each.ordinal: place for place, each in enumerate(sorted(cited, key=lambda each: _order_of(each, text)))}


def _order_of(reference: Reference, text: str) -> tuple[bool, int, int]:
    position = _position_of(reference, text)
    return (position is None, position or 0, reference.ordinal)


def _as_made(reference: Reference, place: int, text: str) -> Reference:
    return reference._replace(
        ordinal=place,
        status=_AS_MADE.get(reference.status, reference.status),
        position=_position_of(reference, text),
        span=_words_of(reference.span, text) if reference.span else None,
        check=None,
    )


def _position_of(reference: Reference, text: str) -> int | None:
    """Return the place of a citation's footnote: behind the full stop and what closes there, wherever the model put its own."""
    start = reference.position
    if reference.status is ReferenceStatus.FOUND and reference.span is not None:
        start = _words_of(reference.span, text)[1]
    if start is None:
        return None
    last = min(len(text), start + _MOST_SIGNS)
    return next((place for place in range(start, last) if text[place] not in _CLOSING), last)


def _words_of(span: Span, text: str) -> Span:
    """Return a span without the signs around its words: found citations are for whole sentences, the model's own end before a full stop."""
    places = range(*span)
    start = next((place for place in places[:_MOST_SIGNS] if text[place].isalnum()), span[0])
    end = next((place + 1 for place in places[: -_MOST_SIGNS - 1 : -1] if text[place].isalnum()), span[1])
    return (start, end) if start < end else span
