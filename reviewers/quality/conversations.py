"""What a day's conversations say of each figure that is watched. Read from the answers, for counts of answers know no conversations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.db import connection

_OF_DAY = """
WITH answers AS (
    SELECT quality_named(item.facets, 'model:') AS model, quality_named(item.facets, 'prompt:') AS prompt_version,
        CASE WHEN snapshot.conversation_id = '' THEN snapshot.id::text ELSE snapshot.conversation_id END AS conversation,
        ('guardrail:unknown' = ANY(item.facets))::int AS unknown,
        ('guardrail:over_cited' = ANY(item.facets))::int AS over_cited,
        ('guardrail:contradicted' = ANY(item.facets))::int AS contradicted,
        (item.facets && ARRAY['source:citation', 'source:mixed'])::int AS adoption,
        CASE WHEN item.facets && ARRAY['validity:green', 'validity:yellow', 'validity:red']
            THEN ('answer:repaired' = ANY(item.facets))::int END AS repaired
    FROM review_queueitem AS item JOIN snapshots_snapshot AS snapshot ON snapshot.id = item.snapshot_id
    WHERE item.organisation_id = %(organisation)s
        AND item.answered_at >= %(day)s::timestamp AT TIME ZONE 'UTC'
        AND item.answered_at < (%(day)s::date + 1)::timestamp AT TIME ZONE 'UTC'
), conversations AS (
    SELECT model, prompt_version, avg(unknown) AS unknown, avg(over_cited) AS over_cited, avg(contradicted) AS contradicted,
        avg(adoption) AS adoption, avg(repaired) AS repaired
    FROM answers GROUP BY model, prompt_version, conversation
)
SELECT model, prompt_version, figure, share::float8, count(*) FROM conversations, LATERAL (
    VALUES ('unknown', unknown), ('over_cited', over_cited), ('contradicted', contradicted), ('adoption', adoption), ('repaired', repaired)
) AS each (figure, share)
WHERE share IS NOT NULL GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
"""

_DAYS = """
SELECT day FROM quality_daytotal WHERE organisation_id = %(organisation)s AND section = '' AND day > %(after)s AND day < %(before)s
UNION
SELECT day FROM quality_delta WHERE organisation_id = %(organisation)s AND section = '' AND day > %(after)s AND day < %(before)s
ORDER BY day
"""


@dataclass(frozen=True, slots=True)
class Conversations:
    """So many conversations of a model with a prompt version of whose answers ``share`` have a figure."""

    model: str
    prompt: str
    figure: str
    share: float
    count: int


def read_day(organisation_id: UUID, day: date) -> list[Conversations]:
    """The conversations of a day, alike ones together."""
    with connection.cursor() as cursor:
        cursor.execute(_OF_DAY, {"organisation": organisation_id, "day": day})
        return [Conversations(*row) for row in cursor.fetchall()]


def days_between(organisation_id: UUID, after: date, before: date) -> list[date]:
    """The days with answers behind one day and before another."""
    with connection.cursor() as cursor:
        cursor.execute(_DAYS, {"organisation": organisation_id, "after": after, "before": before})
        return [day for (day,) in cursor.fetchall()]
