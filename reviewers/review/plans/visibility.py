"""Visibility of labels and of what the engine says, for an item under review. Every page, list, count, event and export asks here.

- Everybody always sees their own labels.
- Nobody else sees labels that have not been submitted yet.
- In a blind plan, members who may label do not see the labels of others before all reviews are in (the phase *independent*), nor
  method, rule, score, confidence and findings of the engine before they have submitted their own review.
- Members who may not label, such as auditors, cannot be influenced and see everything that was submitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from attribution import Attribution, DocumentAttribution, ReferenceStatus
from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.review.models import Phase, Plan, PlanState, QueueItem, Submission
from reviewers.review.review_status import ReviewStatus


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


def sees_labels(viewer: Viewer, standing: ReviewStatus, author_id: UUID) -> bool:
    """True if the viewer sees the labels of this author."""
    if viewer.id == author_id:
        return True
    if standing.review_of(author_id) is None:
        return False
    return not standing.is_hidden or not viewer.may_label


def sees_work(viewer: Viewer, standing: ReviewStatus, author_id: UUID | None) -> bool:
    """True if the viewer sees what surrounds an author's labels: their number, flags, and why the item was skipped."""
    return viewer.id == author_id or not standing.is_hidden or not viewer.may_label


def sees_engine(viewer: Viewer, standing: ReviewStatus) -> bool:
    """True if the viewer sees the method, confidence and findings behind the engine's claims."""
    if not standing.is_hidden or not viewer.may_label:
        return True
    return viewer.id is not None and standing.review_of(viewer.id) is not None


def sees_attention_of_all(member: Membership) -> bool:
    """True if the member sees everybody's attention to control rows and pace. Others see only their own."""
    return may(member, Permission.APPROVE_REVIEWS)


def may_be_told(standing: ReviewStatus) -> bool:
    """True if an event may contain what a label says. Others can read events at any time."""
    return not standing.is_hidden


REPORTED_FACETS = frozenset({"model", "prompt"})
"""The kinds of facet that the sender of a record reported. Any other kind follows from what the engine found, so a list filtered by it,
or its count, reveals that."""


OF_WORK = ("flagged", "signed")
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


def hides_work_from(viewer: Viewer) -> Q:
    """Return a condition for the items of which ``sees_work`` of others is false for the viewer."""
    return is_under_blind_review() if viewer.may_label else Q(pk__in=())


def hides_anything_of(plan: Plan, viewer: Viewer) -> bool:
    """True if the viewer may not know yet what the engine says of an answer in the plan, or of one that it may still add."""
    if not plan.is_blind or not viewer.may_label:
        return False
    return _takes_more(plan, viewer) or QueueItem.objects.filter(hides_engine_from(viewer), plan=plan).exists()


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
    "is_ambiguous": False,
    "trace": (),
    "contradiction": "",
    "bounds": None,
    "is_below": False,
}
"""The values that a row of the page has instead."""


_AS_MADE = dict.fromkeys((ReferenceStatus.FOUND, ReferenceStatus.REPAIRED, ReferenceStatus.LISTED), ReferenceStatus.RESOLVED)
"""Listed citations are for no words, like attached ones. If they kept their status, the attached ones could be recognised."""


def without_evidence(attribution: Attribution) -> Attribution:
    """Return the text alone. Where the engine found something, and which footnotes it made of markers, would reveal its method."""
    return replace(attribution, fields=(), markers=(), guardrails=())


def without_checks(documents: DocumentAttribution) -> DocumentAttribution:
    """Return the citations and their sources, without checks and issues.

    Citations of the model and those added later look the same, and need a verdict alike.
    """
    references = tuple(each._replace(check=None, status=_AS_MADE.get(each.status, each.status)) for each in documents.references)
    return replace(documents, references=references, issues=())
