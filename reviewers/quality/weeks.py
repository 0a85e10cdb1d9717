"""The lines of the page for leads: contradictions, correct labels and agreement over the last calendar weeks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from django.urls import reverse

from reviewers.accounts.models import Membership
from reviewers.quality.models import FIGURES
from reviewers.quality.page import MEASURES, QualityShare, TrendLine, figure_of, line_through
from reviewers.quality.queries import REVIEWED, ModelCounts, Period, Selection, days, narrowed
from reviewers.review.models import State
from reviewers.review.visibility import viewer_of
from reviewers.web.dates import end_of_day, start_of_day
from reviewers.web.statements import read_rows

_REVIEWED = f"""
WITH reviewed AS MATERIALIZED (
    SELECT review.snapshot_id, review.reviewer_id, date_trunc('week', item.answered_at AT TIME ZONE 'UTC')::date AS week
    {REVIEWED}
), newest AS (
    SELECT DISTINCT ON (label.snapshot_id, label.reviewer_id, label.section, label.path)
        week, label.snapshot_id, label.section, label.path, label.verdict, label.shown
    FROM reviewed JOIN review_label AS label USING (snapshot_id, reviewer_id)
    ORDER BY label.snapshot_id, label.reviewer_id, label.section, label.path, label.id DESC
), rows AS (
    SELECT week, count(*) FILTER (WHERE verdict = 'correct') AS correct, count(*) AS labels, count(DISTINCT verdict) AS verdicts
    FROM newest WHERE verdict IN ('correct', 'wrong', 'misstated') AND NOT shown ? 'planted'
    GROUP BY week, snapshot_id, section, path
)
SELECT week, sum(correct)::bigint, sum(labels)::bigint,
    count(*) FILTER (WHERE labels > 1 AND verdicts = 1), count(*) FILTER (WHERE labels > 1)
FROM rows GROUP BY week
"""  # noqa: S608 — a statement of our own

_CONTRADICTED = next(each for each in MEASURES if each.key == "contradicted")


@dataclass(frozen=True, slots=True)
class WeeklyLine:
    """A share over the weeks as a line, with its figure of the last week that has one, and that week in words."""

    title: str
    says: str
    line: TrendLine
    last: QualityShare | None
    week: str


def weekly_lines(by: Membership, weeks: Period, cells: Iterable[ModelCounts]) -> list[WeeklyLine]:
    """Return the lines of calendar weeks, of whose counts by model and prompt version ``cells`` are all.

    Labels of answers under blind review by people in the member's role are left out, as are attention checks.
    """
    asked = {"organisation": by.organisation_id, "since": start_of_day(weeks.since), "until": end_of_day(weeks.until)}
    rows = read_rows(_REVIEWED, asked | {"hides": viewer_of(by).may_label})
    reviewed = f"{reverse('queue')}?state={State.SUBMITTED.value}"
    correct = {week: QualityShare(hits, trials, f"{reviewed}&{_days_of(week)}") for week, hits, trials, _, _ in rows}
    agreed = {week: QualityShare(hits, trials, f"{reviewed}&{_days_of(week)}") for week, _, _, hits, trials in rows if trials}
    return [
        _line("Contradictions", "answers that contradict the record", weeks, _contradicted(weeks, cells)),
        _line("Labels that say correct", "of those that say correct, wrong or misstated", weeks, correct),
        _line("Reviewers who agree", "of fields that several have labelled, all alike", weeks, agreed),
    ]


def _contradicted(weeks: Period, cells: Iterable[ModelCounts]) -> dict[date, QualityShare]:
    counts: dict[date, Counter[str]] = {}
    for cell in cells:
        counts.setdefault(cell.since, Counter()).update(dict(zip(FIGURES, cell.counts, strict=True)))
    base = narrowed(Selection(weeks), _CONTRADICTED.query)
    return {week: figure_of(_CONTRADICTED, each, f"{base}&{_days_of(week)}") for week, each in counts.items() if each["answers"]}


def _days_of(week: date) -> str:
    return days(Period(week, week + timedelta(days=6)))


def _line(title: str, says: str, weeks: Period, figures: Mapping[date, QualityShare]) -> WeeklyLine:
    line, newest = line_through(weeks, figures), max(figures, default=None)
    if newest is None:
        return WeeklyLine(title, says, line, None, "")
    return WeeklyLine(title, says, line, figures[newest], Period(newest, min(newest + timedelta(days=6), weeks.until)).in_words())
