"""The place in the queue of an item that was redacted: what it is filtered by, what is told of it, and what was being written about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from django.db import connection

from reviewers.accounts.drafts import forget_drafts
from reviewers.review.models import QueueItem
from reviewers.snapshots.cutting import BARS
from reviewers.snapshots.models import SnapshotAttribution, SnapshotDocuments

_DERIVED = ("source", "guardrail", "section", "validity", "issue", "answer")
"""The kinds of facet that follow from the attribution."""

_TALLY = """
INSERT INTO review_tally AS tally (organisation_id, facet, shard, count)
SELECT %s, facet, pg_backend_pid() %% 16, step FROM unnest(%s::text[], %s::bigint[]) AS changed (facet, step) ORDER BY facet
ON CONFLICT (organisation_id, facet, shard) DO UPDATE SET count = tally.count + excluded.count
"""


def follow(item: QueueItem, *, forgets_reason: bool) -> None:
    """Say of an item, whose row is held, what its attribution says now."""
    attribution = SnapshotAttribution.objects.select_related("documents").get(pk=item.attribution_id)
    kept = [facet for facet in item.facets if facet.partition(":")[0] not in _DERIVED]
    facets = [*kept, *_facets(attribution), *_documents_facets(getattr(attribution, "documents", None))]
    _count(item, Counter(facets) - Counter(item.facets), Counter(item.facets) - Counter(facets))
    item.facets, item.found_count = facets, attribution.found_count
    item.skip_reason = BARS if forgets_reason and item.skip_reason else item.skip_reason
    item.save(update_fields=["facets", "found_count", "skip_reason"])
    forget_drafts(organisation_id=item.organisation_id, about=item.pk)


def _facets(attribution: SnapshotAttribution) -> Iterator[str]:
    yield f"source:{attribution.source}"
    yield from (f"guardrail:{code}" for code in attribution.guardrails)
    yield from (f"section:{section}" for section in attribution.sections)


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


def _count(item: QueueItem, more: Mapping[str, int], fewer: Mapping[str, int]) -> None:
    steps: dict[str, Any] = {**more, **{facet: -count for facet, count in fewer.items()}}
    if steps:
        with connection.cursor() as cursor:
            cursor.execute(_TALLY, [item.organisation_id, list(steps), list(steps.values())])
