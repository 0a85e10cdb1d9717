"""How many labels items of a list have, in one statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from django.db import connection

_LATEST = """
SELECT snapshot_id, reviewer_id, count(*) FILTER (WHERE kind = 'row'), count(*) FILTER (WHERE kind = 'citation') FROM (
    (SELECT DISTINCT ON (snapshot_id, reviewer_id, section, path) 'row' AS kind, snapshot_id, reviewer_id, verdict
    FROM review_label WHERE snapshot_id = ANY(%(snapshots)s) AND shown->>'track' IN ('cited_and_found', 'cited_only', 'found_only')
    ORDER BY snapshot_id, reviewer_id, section, path, id DESC)
    UNION ALL
    (SELECT DISTINCT ON (snapshot_id, reviewer_id, source, is_own, start, "end", repeat) 'citation', snapshot_id, reviewer_id, verdict
    FROM review_citationlabel WHERE snapshot_id = ANY(%(snapshots)s)
    ORDER BY snapshot_id, reviewer_id, source, is_own, start, "end", repeat, id DESC)
) AS latest WHERE verdict <> 'none' GROUP BY snapshot_id, reviewer_id
"""


class Counted(NamedTuple):
    """Found fields, and citations of documents, that have a verdict."""

    rows: int = 0
    citations: int = 0


def count_labels(snapshot_ids: Sequence[UUID]) -> dict[tuple[UUID, UUID], Counted]:
    """The verdicts of each item by each reviewer: of each row and each citation the newest label counts."""
    with connection.cursor() as cursor:
        cursor.execute(_LATEST, {"snapshots": list(snapshot_ids)})
        return {(snapshot_id, reviewer_id): Counted(rows, citations) for snapshot_id, reviewer_id, rows, citations in cursor.fetchall()}
