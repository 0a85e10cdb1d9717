"""Read what the page for leads needs beside the counts of the quality page, in three statements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from reviewers.accounts.models import Membership
from reviewers.quality.queries import Period
from reviewers.review.plans.visibility import viewer_of
from reviewers.web.dates import end_of_day, start_of_day

PACE_DAYS = 14
"""The days whose reviews tell the pace."""

_LEFT = """
SELECT item.plan_id, coalesce(plan.name, ''), count(*), sum(item.overlap - coalesce(done.reviews, 0))::bigint
FROM review_queueitem AS item LEFT JOIN review_plan AS plan ON plan.id = item.plan_id
LEFT JOIN LATERAL (
    SELECT count(*) AS reviews FROM review_submission AS review
    WHERE (review.snapshot_id, review.round) = (item.snapshot_id, item.round)
) AS done ON item.overlap > 1
WHERE item.organisation_id = %(organisation)s AND item.state <> 'submitted'
GROUP BY 1, 2 ORDER BY 4 DESC, 2 LIMIT 50
"""

_WORK = """
SELECT review.reviewer_id, person.name, item.plan_id, (review.submitted_at AT TIME ZONE 'UTC')::date, count(*), 0
FROM review_submission AS review JOIN review_queueitem AS item ON item.snapshot_id = review.snapshot_id
JOIN accounts_user AS person ON person.id = review.reviewer_id
WHERE review.organisation_id = %(organisation)s AND review.submitted_at >= %(since)s AND review.submitted_at < %(now)s
GROUP BY 1, 2, 3, 4
UNION ALL
SELECT lease.holder_id, person.name, NULL, NULL, 0, count(*)
FROM review_lease AS lease JOIN accounts_user AS person ON person.id = lease.holder_id
WHERE lease.organisation_id = %(organisation)s AND lease.expires_at > %(now)s
GROUP BY 1, 2
"""

_WRONG = """
WITH reviewed AS MATERIALIZED (
    SELECT review.snapshot_id, review.reviewer_id, (item.answered_at AT TIME ZONE 'UTC')::date > %(turn)s AS is_this_week,
        (item.answered_at AT TIME ZONE 'UTC')::date > %(before)s AS is_of_weeks,
        quality_model(item.organisation_id, item.facets, item.snapshot_id) AS model,
        quality_prompt(item.organisation_id, item.facets, item.snapshot_id) AS prompt
    FROM review_queueitem AS item JOIN review_submission AS review
        ON (review.snapshot_id, review.round) = (item.snapshot_id, item.round)
    WHERE item.organisation_id = %(organisation)s AND item.answered_at >= %(since)s AND item.answered_at < %(until)s
        AND NOT (%(hides)s AND item.is_blind AND item.phase = 'independent')
), newest AS (
    SELECT DISTINCT ON (label.snapshot_id, label.reviewer_id, label.section, label.path)
        label.section, label.path, label.verdict, label.shown, reviewed.is_this_week, reviewed.is_of_weeks, reviewed.model, reviewed.prompt
    FROM reviewed JOIN review_label AS label USING (snapshot_id, reviewer_id)
    ORDER BY label.snapshot_id, label.reviewer_id, label.section, label.path, label.id DESC
)
SELECT section, path, model, prompt, is_this_week, is_of_weeks, count(*) FILTER (WHERE verdict <> 'correct'), count(*)
FROM newest WHERE verdict IN ('correct', 'wrong', 'misstated') AND NOT shown ? 'planted'
GROUP BY 1, 2, 3, 4, 5, 6
"""


@dataclass(frozen=True, slots=True)
class Left:
    """The answers of a plan, or of none, that wait for reviews, and the number of these reviews."""

    plan_id: UUID | None
    name: str
    answers: int
    reviews: int


@dataclass(frozen=True, slots=True)
class Work:
    """Reviews that somebody submitted on a day for a plan, or the answers that they hold now."""

    reviewer_id: UUID
    name: str
    plan_id: UUID | None
    day: date | None
    reviews: int
    held: int


@dataclass(frozen=True, slots=True)
class Labelled:
    """Labels of a field in answers of one model and prompt version: how many there are, and how many of them say wrong or misstated.

    ``is_of_weeks`` is true of the two weeks that are compared, ``is_this_week`` of the later one.
    """

    section: str
    path: str
    model: str
    prompt: str
    is_this_week: bool
    is_of_weeks: bool
    wrong: int
    labels: int


def read_left(by: Membership) -> list[Left]:
    """Return what waits for reviews, by plan, the most reviews first."""
    return [Left(*row) for row in _read(_LEFT, by, {})]


def read_work(by: Membership, now: datetime) -> list[Work]:
    """Return the reviews of the last days by reviewer, plan and day, and the answers that people hold now."""
    return [Work(*row) for row in _read(_WORK, by, {"since": now - timedelta(days=PACE_DAYS), "now": now})]


def read_labelled(by: Membership, weeks: Period, turn: date, since: date) -> list[Labelled]:
    """Return the labels of answers from ``since`` to the end of two weeks, of which the later one begins after ``turn``.

    Answers under blind review by people in the member's role are left out, as are attention checks.
    """
    asked = {
        "since": start_of_day(since),
        "until": end_of_day(weeks.until),
        "turn": turn,
        "before": weeks.since - timedelta(days=1),
        "hides": viewer_of(by).may_label,
    }
    return [Labelled(*row) for row in _read(_WRONG, by, asked)]


def _read(statement: str, by: Membership, arguments: dict[str, Any]) -> Iterable[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"organisation": by.organisation_id} | arguments)
        return list(cursor.fetchall())
