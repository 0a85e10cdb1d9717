"""Who sees whose labels, and what the engine says, of an item under review. Every page, list, count, event and export asks here.

- What somebody has said themselves they always see.
- What somebody has not submitted yet nobody else sees.
- In a blind plan nobody who may label sees the labels of others before all reviews are in (the phase *independent*), and nobody sees
  method, rule, score, confidence or findings of the engine before they have submitted their own review.
- Who may not label, such as an auditor, cannot be swayed and sees what was submitted.
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
    """Somebody who looks. ``may_label`` says whether their role could review the item, ``may_plan`` whether they could write a plan."""

    id: UUID | None
    may_label: bool
    may_plan: bool = False


def viewer_of(member: Membership) -> Viewer:
    """A member as one who looks."""
    return Viewer(member.user_id, may(member, Permission.LABEL_ITEMS), may(member, Permission.MANAGE_PLANS))


PROGRAM = Viewer(None, may_label=True)
"""A program with a key, which may be in anybody's hands."""


def sees_labels(viewer: Viewer, standing: ReviewStatus, author_id: UUID) -> bool:
    """Whether a viewer sees the labels of an author."""
    if viewer.id == author_id:
        return True
    if standing.review_of(author_id) is None:
        return False
    return not standing.is_hidden or not viewer.may_label


def sees_earlier(viewer: Viewer, standing: ReviewStatus, author_id: UUID) -> bool:
    """Whether a viewer sees what an author submitted before the item was reopened: once more hidden while it is under blind review."""
    return sees_work(viewer, standing, author_id)


def sees_work(viewer: Viewer, standing: ReviewStatus, author_id: UUID | None) -> bool:
    """Whether a viewer sees what surrounds an author's labels: how many they are, remarks on findings, why it was skipped."""
    return viewer.id == author_id or not standing.is_hidden or not viewer.may_label


def sees_engine(viewer: Viewer, standing: ReviewStatus) -> bool:
    """Whether a viewer sees by which method, how surely and with which findings the engine made its claims."""
    if not standing.is_hidden or not viewer.may_label:
        return True
    return viewer.id is not None and standing.review_of(viewer.id) is not None


def sees_attention_of_all(member: Membership) -> bool:
    """Whether a member sees how everybody does on seeded rows, and how fast; others see that of themselves alone."""
    return may(member, Permission.APPROVE_REVIEWS)


def may_be_told(standing: ReviewStatus) -> bool:
    """Whether what a label says may stand in its event: events are read by others, at any time."""
    return not standing.is_hidden


REPORTED_FACETS = frozenset({"model", "prompt"})
"""What lists are narrowed by and the record's sender said. Any other kind of facet follows from what the engine found: whoever narrows a
list by one, or reads how often it occurs, learns that of the items in it."""


OF_WORK = ("flagged", "signed")
"""What lists are narrowed by and colleagues did."""


def is_of_engine(kind: str) -> bool:
    """Return whether a kind of facet tells what the engine says."""
    return kind not in REPORTED_FACETS


def is_under_blind_review() -> Q:
    """The items that hide something from somebody who may label, for lists."""
    return Q(is_blind=True, phase=Phase.INDEPENDENT)


def hides_engine_from(viewer: Viewer) -> Q:
    """The items of which ``sees_engine`` is false for a viewer, for lists."""
    if not viewer.may_label:
        return Q(pk__in=())
    own = Exists(Submission.objects.filter(snapshot=OuterRef("pk"), round=OuterRef("round"), reviewer=viewer.id))
    return is_under_blind_review() & ~Q(own)


def hides_work_from(viewer: Viewer) -> Q:
    """The items of which ``sees_work`` of others is false for a viewer, for lists."""
    return is_under_blind_review() if viewer.may_label else Q(pk__in=())


def hides_anything_of(plan: Plan, viewer: Viewer) -> bool:
    """Return whether a viewer may not know yet what the engine says of some answer of a plan, or of one that it may still take in."""
    if not plan.is_blind or not viewer.may_label:
        return False
    return _takes_more(plan, viewer) or QueueItem.objects.filter(hides_engine_from(viewer), plan=plan).exists()


def _takes_more(plan: Plan, viewer: Viewer) -> bool:
    """Return whether a plan is going to take in answers that a viewer may review. Who writes plans reads a draft to start it."""
    if plan.state == PlanState.DRAFT:
        return not viewer.may_plan
    return plan.state == PlanState.RUNNING and bool(plan.triggers)


def may_be_learned_from() -> Q:
    """The labels that what is learned from labels may rest on, for lists: as long as reviewers may not know them, nothing tells of them."""
    return Q(snapshot__item__is_blind=False) | ~Q(snapshot__item__phase=Phase.INDEPENDENT)


# Takes out of a page what a blind reviewer may not know: how the engine came to its claims, and what it found wrong.
#
# What is left is what they are asked about: the answer as clean text, the fields it is said to draw on in the order of the record, its
# citations of documents with the words they stand for, and the texts of the documents.


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
"""What a row of the page holds instead."""


_AS_MADE = dict.fromkeys((ReferenceStatus.FOUND, ReferenceStatus.REPAIRED, ReferenceStatus.LISTED), ReferenceStatus.RESOLVED)
"""Those in a list at the end stand for no words, like those that were attached: the latter would be known by what the former are called."""


def without_evidence(attribution: Attribution) -> Attribution:
    """The text alone: where the engine found what, and which footnotes it made of markers, would tell its method."""
    return replace(attribution, fields=(), markers=(), guardrails=())


def without_checks(documents: DocumentAttribution) -> DocumentAttribution:
    """The citations and their sources; not whether they hold, nor which of them the model made and which were added afterwards.

    The added ones stay: they are judged like the others.
    """
    references = tuple(each._replace(check=None, status=_AS_MADE.get(each.status, each.status)) for each in documents.references)
    return replace(documents, references=references, issues=())
