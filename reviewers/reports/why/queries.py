"""Read suggestions with their finished reviews. Labels are read only after the review is finished, so that a blind review stays blind.

The ledger's verification checks here that searches find suggestions by the names that they have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404

from reviewers.accounts.models import Membership
from reviewers.accounts.texts import NOTHING, Surface, Text, hidden_from
from reviewers.ledger.queries import Redacted
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.reports.models import SuggestionNames
from reviewers.review.items import ReviewItem, field_key
from reviewers.review.labels.queries import ReviewLabels, load_review_labels
from reviewers.review.masking.masks import mask_reviews
from reviewers.review.models import QueueItem
from reviewers.review.queries import load_items
from reviewers.review.visibility import Viewer, hides_engine_from, sees_work, viewer_of
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.redactable_parts import is_of_record
from reviewers.web.statements import read_rows

MOST_COMPARED = 4
MOST_BESIDE = 50


def load_reviews(items: Iterable[ReviewItem]) -> dict[UUID, Sequence[ReviewLabels]]:
    """Return the finished reviews of some answers by snapshot, the oldest first, with two queries.

    Their labels of control rows are left out: they judge what the plan showed, not what the answer uses.
    """
    finished = {item.id: item for item in items if item.is_submitted}
    found = load_review_labels({pk: item.review_status for pk, item in finished.items()}) if finished else {}
    return {pk: _without_control_rows(finished[pk], sorted(its, key=lambda each: each.submitted_at)) for pk, its in found.items()}


def _without_control_rows(item: ReviewItem, reviews: Sequence[ReviewLabels]) -> Sequence[ReviewLabels]:
    masked = mask_reviews(reviews, item.hidden)
    shown = {field_key(row) for row in item.attribution.fields if not row.is_used} & item.planted if item.planted else frozenset()
    if not shown:
        return masked
    return [replace(each, fields={key: label for key, label in each.fields.items() if key not in shown}) for each in masked]


@dataclass(frozen=True, slots=True)
class OtherSuggestion:
    """An answer of a conversation that names a provider. ``hidden`` are the kinds of its own text that are masked for the reader."""

    id: UUID
    provider: str
    answered_at: datetime
    hidden: frozenset[Text] = frozenset(Text)


def suggestions_of(organisation_id: UUID) -> QuerySet[Snapshot]:
    """Return the snapshots that suggest a provider, according to their records (decision 28)."""
    return Snapshot.objects.filter(organisation=organisation_id).exclude(provider="")


def load_suggestion(member: Membership, snapshot_id: UUID, surface: Surface, shown: frozenset[Text] = NOTHING) -> ReviewItem:
    """Return an answer of the member's organisation that suggests a provider.

    Raise 404 if there is none, and PermissionDenied if the member is to review it blind.
    """
    found = load_suggestions(member, [snapshot_id], surface, {snapshot_id: shown})
    if not found and QueueItem.objects.filter(organisation=member.organisation_id, pk=snapshot_id).exclude(snapshot__provider="").exists():
        raise PermissionDenied("This answer is under blind review: why it says what it says is shown once you have submitted yours.")
    if not found:
        raise Http404
    return found[0]


def load_suggestions(
    member: Membership, snapshot_ids: Iterable[UUID], surface: Surface, shown: Mapping[UUID, frozenset[Text]]
) -> list[ReviewItem]:
    """Return suggestions in chronological order with one query, without those that the member is to review blind.

    No labels are loaded: pages show only those of finished reviews. Texts are masked by the member's role and the surface; ``shown`` are
    kinds of text that the member has revealed, by snapshot.
    """
    rows = QueueItem.objects.filter(organisation=member.organisation_id, pk__in=list(snapshot_ids)).exclude(snapshot__provider="")
    viewer = viewer_of(member)
    visible = rows.exclude(hides_engine_from(viewer)).order_by("answered_at", "pk")
    hidden, suspended = hidden_from(member, surface), frozenset(member.organisation.suspended_profiles)
    return [
        replace(item, hidden=hidden - shown.get(item.id, NOTHING), suspended=suspended, redacted=_redacted(item, viewer), reader=viewer)
        for item in load_items(visible)
    ]


def _redacted(item: ReviewItem, viewer: Viewer) -> Sequence[Redacted]:
    """Return the redactions of an answer that the viewer may know of: those of nothing but a colleague's notes are told later."""
    if sees_work(viewer, item.review_status, None):
        return item.redacted
    return [each for each in item.redacted if any(is_of_record(name) for name in each.parts)]


def list_beside(snapshot: Snapshot) -> list[OtherSuggestion]:
    """Return the suggestions in the same conversation, the oldest ones first, always including this one."""
    own = OtherSuggestion(snapshot.pk, snapshot.provider, snapshot.answered_at)
    if not snapshot.conversation_id:
        return [own]
    same = suggestions_of(snapshot.organisation_id).filter(conversation_id=snapshot.conversation_id)
    rows = same.order_by("answered_at", "id").values_list("id", "provider", "answered_at")
    found = [OtherSuggestion(*row) for row in rows[:MOST_BESIDE]]
    return found if any(each.id == own.id for each in found) else [*found, own]


def first_of_each(beside: Iterable[OtherSuggestion], own: str) -> list[UUID]:
    """Return the first suggestion of each provider, at most as many as can be compared; ``own`` is always among them."""
    first: dict[str, UUID] = {}
    for each in beside:
        first.setdefault(each.provider, each.id)
    others = [pk for provider, pk in first.items() if provider != own]
    return [first[own], *others[: MOST_COMPARED - 1]]


_NOT_FOUND_BY = """
SELECT COALESCE(snapshot.id, names.snapshot_id), CASE
    WHEN names.snapshot_id IS NULL THEN 'is gone' WHEN snapshot.id IS NULL THEN 'is of an answer that suggests nobody here'
    ELSE 'is not what the names of its answer are found by' END,
    CASE WHEN snapshot.id IS NULL OR names.snapshot_id IS NULL THEN 'organisation_id or snapshot_id' ELSE 'terms' END
FROM (SELECT * FROM snapshots_snapshot WHERE organisation_id = %(organisation)s AND provider <> '') AS snapshot
FULL JOIN (SELECT * FROM reports_suggestionnames WHERE organisation_id = %(organisation)s) AS names ON names.snapshot_id = snapshot.id
WHERE names.terms IS DISTINCT FROM reports_terms(snapshot.provider, snapshot.client_reference, snapshot.conversation_id)
ORDER BY 1 LIMIT 1
"""


_MISSPELT = """
SELECT min(snapshot.id::text)::uuid, 'is not what the provider is found by where the name is misspelt', 'near'
FROM snapshots_snapshot AS snapshot JOIN reports_suggestionnames AS names ON names.snapshot_id = snapshot.id
WHERE snapshot.organisation_id = %(organisation)s AND snapshot.provider <> '' GROUP BY snapshot.provider
HAVING bool_and(names.near IS NULL) OR bool_or(names.near <> reports_near(snapshot.provider))
ORDER BY 1 LIMIT 1
"""


def check_names(organisation_id: UUID) -> None:
    """Raise ``LedgerMismatch`` at a suggestion that searches do not find by its names, misspelt or not, or find by others."""
    for statement in (_NOT_FOUND_BY, _MISSPELT):
        for found in read_rows(statement, {"organisation": organisation_id}):
            raise LedgerMismatch(SuggestionNames, *found)
