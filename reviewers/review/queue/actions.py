"""Changes to queue items that are not reviews: taking one, newer attributions, facets after a redaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from reviewers.accounts.actions import delete_drafts
from reviewers.accounts.models import Membership
from reviewers.review import leases
from reviewers.review.models import Label, Lease, QueueItem, State
from reviewers.review.queue import filters
from reviewers.review.queue.order import LOW_CONFIDENCE
from reviewers.review.visibility import viewer_of
from reviewers.snapshots.models import CitationSearch, SnapshotAttribution, SnapshotDocuments
from reviewers.snapshots.redactable_parts import BARS


def take_next(*, chosen: filters.Filter, by: Membership, now: datetime) -> UUID | None:
    """Take the next item to do of a list for a member, and return its identifier or None."""
    candidates = filters.visible_to(filters.matching(by.organisation, chosen), chosen, viewer_of(by))
    return leases.take_next(candidates=candidates, by=by, now=now, order=filters.order_of(chosen))


def switch_attribution(attributions: Mapping[UUID, UUID]) -> int:
    """Show newer attributions of the items that nobody has begun, and return how many there were.

    ``attributions`` maps items to attributions. An item qualifies while it is to do, in no plan, and without a label or lease. A citation
    search belongs to an attribution, so where citations are looked for afterwards no answer with documents qualifies, searched or not: by
    its profile a blind reviewer could tell otherwise that what it cites was found afterwards.
    """
    begun = [Exists(Label.objects.filter(snapshot=OuterRef("pk"))), Exists(Lease.objects.filter(item=OuterRef("pk")))]
    searches = Exists(CitationSearch.objects.filter(organisation=OuterRef("organisation")))
    stays = Q(searches, attribution__documents__isnull=False)
    untouched = QueueItem.objects.filter(~begun[0], ~begun[1], ~stays, pk__in=list(attributions), state=State.TO_DO, plan=None)
    items = list(untouched.select_for_update(of=("self",)).defer("skip_reason").order_by("pk"))
    for item in items:
        item.attribution_id = attributions[item.pk]
    _follow(items)
    return QueueItem.objects.bulk_update(items, ["attribution", "facets", "citation_counts", "found_count"])


_DERIVED = ("source", "guardrail", "section", "confidence", "validity", "issue", "answer")
"""The kinds of facet that follow from the attribution."""

_TALLY = """
INSERT INTO review_tally AS tally (organisation_id, facet, shard, count)
SELECT %s, counted, pg_backend_pid() %% 16, sum(step) FROM (
    SELECT review_counted_facet(%s, facet, item) AS counted, step
    FROM unnest(%s::text[], %s::uuid[], %s::bigint[]) AS changed (facet, item, step)
) AS each GROUP BY counted ORDER BY counted
ON CONFLICT (organisation_id, facet, shard) DO UPDATE SET count = tally.count + excluded.count
"""


def update_redacted_item(item: QueueItem, *, forgets_reason: bool) -> None:
    """Update facets and counts of an item, whose row is locked, to its redacted attribution.

    ``forgets_reason`` also redacts the reason for which it was skipped.
    """
    _follow([item])
    item.skip_reason = BARS if forgets_reason and item.skip_reason else item.skip_reason
    item.save(update_fields=["facets", "citation_counts", "found_count", "skip_reason"])
    delete_drafts(organisation_id=item.organisation_id, about=item.pk)


def _follow(items: Sequence[QueueItem]) -> None:
    """Set the facets of items, whose rows are locked, to their attributions, and count them so. The caller saves the items."""
    keys = [item.attribution_id for item in items]
    shown = SnapshotAttribution.objects.select_related("documents").defer("document", "documents__document").in_bulk(keys)
    more: Counter[tuple[str, UUID]] = Counter()
    for item in items:
        attribution = shown[item.attribution_id]
        kept = [facet for facet in item.facets if facet.partition(":")[0] not in _DERIVED]
        documents = getattr(attribution, "documents", None)
        facets = [*kept, *_facets(attribution), *_documents_facets(documents)]
        more.update((facet, item.pk) for facet in facets)
        more.subtract((facet, item.pk) for facet in item.facets)
        item.facets, item.found_count = facets, attribution.found_count
        item.citation_counts = documents.citation_counts if documents else []
    if items:
        _count(items[0].organisation_id, {key: step for key, step in more.items() if step})


def _facets(attribution: SnapshotAttribution) -> Iterator[str]:
    yield f"source:{attribution.source}"
    yield from (f"guardrail:{code}" for code in attribution.guardrails)
    yield from (f"section:{section}" for section in attribution.sections)
    if attribution.below_count:
        yield LOW_CONFIDENCE


def _documents_facets(documents: SnapshotDocuments | None) -> Iterator[str]:
    if documents is None:
        return
    if documents.validity:
        yield f"validity:{documents.validity}"
    yield from (f"issue:{code}" for code in documents.issues)
    if documents.is_withheld:
        yield "answer:withheld"
    if documents.repaired_count:
        yield "answer:repaired"


def _count(organisation_id: UUID, steps: Mapping[tuple[str, UUID], int]) -> None:
    """Count steps by facet and item: an item's names may be counted together with others."""
    if names := list(steps):
        with connection.cursor() as cursor:
            cursor.execute(_TALLY, [organisation_id, organisation_id, *map(list, zip(*names, strict=True)), list(steps.values())])
