"""The page for leads as plain values: forecasts, reviewers, fields and comparisons, each with what cannot be told yet."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from uuid import UUID

from attribution.calibration import Interval
from reviewers.accounts.models import Membership
from reviewers.quality.models import FIGURES
from reviewers.quality.page import MEASURES, Measure, QualityShare, TrendLine, figure_of, line_of
from reviewers.quality.queries import REVIEWED, ModelCounts, Period, Selection, page_address, queue_address, read_cells
from reviewers.quality.weeks import WeeklyLine, weekly_lines
from reviewers.review.visibility import viewer_of
from reviewers.review.wording import Badge
from reviewers.snapshots.field_labels import label_of
from reviewers.web.dates import end_of_day, start_of_day
from reviewers.web.statements import read_rows

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

_MINUTES = """
SELECT review.reviewer_id, count(*), percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM review.submitted_at - taken.at)) / 60
FROM review_submission AS review CROSS JOIN LATERAL (
    SELECT max(event.occurred_at) AS at FROM ledger_auditevent AS event
    WHERE event.organisation_id = %(organisation)s AND event.object_id = review.snapshot_id AND event.actor_id = review.reviewer_id
    AND event.action = 'lease.taken' AND event.occurred_at <= review.submitted_at
) AS taken
WHERE review.organisation_id = %(organisation)s AND review.submitted_at >= %(since)s AND review.submitted_at < %(now)s
AND taken.at IS NOT NULL
GROUP BY 1
"""
"""The time from taking an answer to submitting it. Half of them took longer, so a break at lunch changes nothing."""

_WRONG = f"""
WITH reviewed AS MATERIALIZED (
    SELECT review.snapshot_id, review.reviewer_id, (item.answered_at AT TIME ZONE 'UTC')::date > %(turn)s AS is_this_week,
        (item.answered_at AT TIME ZONE 'UTC')::date > %(before)s AS is_of_weeks,
        CASE WHEN (item.answered_at AT TIME ZONE 'UTC')::date > %(before)s
            THEN quality_model(item.organisation_id, item.facets, item.snapshot_id) END AS model,
        CASE WHEN (item.answered_at AT TIME ZONE 'UTC')::date > %(before)s
            THEN quality_prompt(item.organisation_id, item.facets, item.snapshot_id) END AS prompt
    {REVIEWED}
), newest AS (
    SELECT DISTINCT ON (label.snapshot_id, label.reviewer_id, label.section, label.path)
        label.section, label.path, label.verdict, label.shown, reviewed.is_this_week, reviewed.is_of_weeks, reviewed.model, reviewed.prompt
    FROM reviewed JOIN review_label AS label USING (snapshot_id, reviewer_id)
    ORDER BY label.snapshot_id, label.reviewer_id, label.section, label.path, label.id DESC
)
SELECT grouping(section) = 0, coalesce(section, ''), coalesce(path, ''), coalesce(model, ''), coalesce(prompt, ''),
    coalesce(is_this_week, FALSE), coalesce(is_of_weeks, FALSE), count(*) FILTER (WHERE verdict <> 'correct'), count(*)
FROM newest WHERE verdict IN ('correct', 'wrong', 'misstated') AND NOT shown ? 'planted'
GROUP BY GROUPING SETS ((section, path), (model, prompt, is_this_week, is_of_weeks))
"""  # noqa: S608 — a statement of our own


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
class WrongLabels:
    """Labels of one field, or of all fields in answers of one model and prompt version: how many, and how many say wrong or misstated.

    ``is_of_field`` tells the two apart; the one has no model, the other no section. ``is_of_weeks`` is true of models in the two weeks that
    are compared, ``is_this_week`` of the later one.
    """

    is_of_field: bool
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
    return [Left(*row) for row in read_rows(_LEFT, {"organisation": by.organisation_id})]


def read_work(by: Membership, now: datetime) -> list[Work]:
    """Return the reviews of the last days by reviewer, plan and day, and the answers that people hold now."""
    asked = {"organisation": by.organisation_id, "since": now - timedelta(days=PACE_DAYS), "now": now}
    return [Work(*row) for row in read_rows(_WORK, asked)]


def read_minutes(by: Membership, now: datetime) -> dict[UUID, float]:
    """Return the median minutes of the last days' reviews, by reviewer, where there are enough to tell."""
    asked = {"organisation": by.organisation_id, "since": now - timedelta(days=PACE_DAYS), "now": now}
    return {reviewer: float(minutes) for reviewer, reviews, minutes in read_rows(_MINUTES, asked) if reviews >= FEWEST_TIMED}


def read_labelled(by: Membership, weeks: Period, turn: date, since: date) -> list[WrongLabels]:
    """Return the labels of answers from ``since`` to the end of two weeks, of which the later one begins after ``turn``.

    Answers under blind review by people in the member's role are left out, as are attention checks.
    """
    asked = {
        "organisation": by.organisation_id,
        "since": start_of_day(since),
        "until": end_of_day(weeks.until),
        "turn": turn,
        "before": weeks.since - timedelta(days=1),
        "hides": viewer_of(by).may_label,
    }
    return [WrongLabels(*row) for row in read_rows(_WRONG, asked)]


FEWEST_TIMED = 5
"""The fewest reviews of somebody of which it is told how long they take."""
FEWEST_REVIEWS = 10
"""The fewest reviews of the last days from which it is told when the work will be done."""
WEEKS_OF_FIELDS, WEEKS_OF_LINES = 4, 8
MOST_FIELDS, MOST_COMBINATIONS = 12, 50
_WEEK = timedelta(days=7)
_FARTHEST = 3_650
_REACH = 1.645
"""Standard deviations that nine of ten counts lie within."""

WORSE = Badge("Worse", "bad", "clash")
BETTER = Badge("Better", "good", "check")
OPEN = Badge("Cannot tell yet", "unsure", "unsure")

Lines = Callable[[str, str], TrendLine]
"""Returns the line of a model and a prompt version."""

_COMPARED = tuple([each for each in MEASURES if each.key in ("contradicted", "not_in_record", "adoption")])
_DRAWN = next(each for each in MEASURES if each.key == "contradicted")
_SHOULD_RISE = frozenset({"adoption"})


@dataclass(frozen=True, slots=True)
class PlanForecast:
    """The answers left of a plan, or of all else, and when they will be done at the pace of the last days; None if that cannot be told."""

    plan_id: UUID | None
    name: str
    answers: int
    reviews: int
    submitted: int
    done: date | None
    earliest: date | None
    latest: date | None


@dataclass(frozen=True, slots=True)
class ReviewerRow:
    """The load of a reviewer, and their reviews of the last seven days and of the seven before.

    ``minutes`` are the median of a review, or None if there are too few.
    """

    name: str
    held: int
    week: int
    week_before: int
    days: int
    minutes: float | None


@dataclass(frozen=True, slots=True)
class FieldShare:
    """A field with the share of its labels that say wrong or misstated."""

    section: str
    path: str
    figure: QualityShare

    @property
    def label(self) -> str:
        """The plain name of the field."""
        return label_of(self)


@dataclass(frozen=True, slots=True)
class ShareChange:
    """A share in two weeks, with what the difference tells: worse, better, or nothing yet."""

    title: str
    before: QualityShare
    now: QualityShare
    reach: Interval
    badge: Badge

    @property
    def points(self) -> str:
        """The interval of the difference in words: ``−3 to +5 points``; empty if a week has nothing to compare."""
        if self.before.share is None or self.now.share is None:
            return ""
        low, high = (f"{100 * bound:+.0f}".replace("-", "−") for bound in self.reach)
        return f"{low} to {high} points"


@dataclass(frozen=True, slots=True)
class PromptComparison:
    """A model with a prompt version in two weeks. ``line`` has its contradictions over the last weeks."""

    model: str
    prompt: str
    page: str
    answers: int
    changes: Sequence[ShareChange]
    line: TrendLine


@dataclass(frozen=True, slots=True)
class LeadPage:
    """Everything on the page. ``left_out`` answers are in no comparison."""

    week: Period
    before: Period
    forecasts: Sequence[PlanForecast]
    reviewers: Sequence[ReviewerRow]
    fields: Sequence[FieldShare]
    comparisons: Sequence[PromptComparison]
    lines: Sequence[WeeklyLine]
    left_out: int

    @property
    def verdict(self) -> str:
        """Return in a sentence what changed."""
        found = [
            f"{each.model or 'a model that is not named'}, {each.prompt or 'no prompt named'}: {change.title.lower()} "
            f"{change.badge.text.lower()}, {change.before.percent} to {change.now.percent}"
            for each in self.comparisons
            for change in each.changes
            if change.badge is not OPEN
        ]
        return f"{'; '.join(found[:3])}." if found else "No change between the two weeks can be told yet."


def load_lead_page(by: Membership, until: date, now: datetime) -> LeadPage:
    """Load the page for the week that ends with a day, in seven statements."""
    week, before = Period(until - _WEEK + timedelta(days=1), until), Period(until - 2 * _WEEK + timedelta(days=1), until - _WEEK)
    both = Period(before.since, until)
    cells, left, work = read_cells(by, both), read_left(by), read_work(by, now)
    weeks = Period(until - timedelta(days=until.weekday()) - (WEEKS_OF_LINES - 1) * _WEEK, until)
    by_week = read_cells(by, weeks)
    labelled = read_labelled(by, both, before.until, until - WEEKS_OF_FIELDS * _WEEK + timedelta(days=1))
    return LeadPage(
        week=week,
        before=before,
        forecasts=[_forecast(each, work, now.date()) for each in left],
        reviewers=_reviewers(work, read_minutes(by, now), now.date()),
        fields=_fields(labelled, until),
        comparisons=_comparisons(cells, labelled, _lines_of(weeks, by_week), week, before),
        lines=weekly_lines(by, weeks, by_week),
        left_out=sum(cell.left_out for cell in cells),
    )


def _forecast(left: Left, work: Iterable[Work], today: date) -> PlanForecast:
    submitted = sum(each.reviews for each in work if each.plan_id == left.plan_id)
    told: tuple[date | None, ...] = (None, None, None)
    if submitted >= FEWEST_REVIEWS:
        reach = _REACH * math.sqrt(submitted)
        told = tuple([_done(left.reviews, count, today) for count in (submitted, submitted + reach, submitted - reach)])
    return PlanForecast(left.plan_id, left.name, left.answers, left.reviews, submitted, *told)


def _done(reviews: int, submitted: float, today: date) -> date:
    return today + timedelta(days=min(_FARTHEST, math.ceil(reviews * PACE_DAYS / submitted)))


def _reviewers(work: Iterable[Work], minutes: Mapping[UUID, float], today: date) -> list[ReviewerRow]:
    people: dict[UUID, list[Work]] = {}
    for each in work:
        people.setdefault(each.reviewer_id, []).append(each)
    rows = [_reviewer(own, minutes.get(person), today) for person, own in people.items()]
    return sorted(rows, key=lambda row: (-row.week, row.name))


def _reviewer(own: Sequence[Work], minutes: float | None, today: date) -> ReviewerRow:
    given = [(each.day, each.reviews) for each in own if each.day is not None]
    week = sum(count for day, count in given if day > today - _WEEK)
    total = sum(count for _, count in given)
    return ReviewerRow(own[0].name, sum(each.held for each in own), week, total - week, len({day for day, _ in given}), minutes)


def _fields(labelled: Iterable[WrongLabels], until: date) -> list[FieldShare]:
    """Return the fields with wrong labels, in the order of the lower ends of their intervals."""
    period = Period(until - WEEKS_OF_FIELDS * _WEEK + timedelta(days=1), until)
    shares = [
        FieldShare(each.section, each.path, QualityShare(each.wrong, each.labels, _of_section(each.section, period)))
        for each in labelled
        if each.is_of_field and each.wrong
    ]
    return sorted(shares, key=lambda share: (-share.figure.interval[0], share.section, share.path))[:MOST_FIELDS]


def _of_section(section: str, period: Period) -> str:
    return queue_address(Selection(period), [("section", section)])


def _lines_of(weeks: Period, by_week: Iterable[ModelCounts]) -> Lines:
    """Return a function that draws the contradictions of a model and prompt version over calendar weeks."""
    cells: dict[tuple[str, str], list[ModelCounts]] = {}
    for cell in by_week:
        cells.setdefault((cell.model, cell.prompt), []).append(cell)
    return lambda model, prompt: line_of(_DRAWN, Selection(weeks, model, prompt), cells.get((model, prompt), ()))


def _comparisons(
    cells: Iterable[ModelCounts], labelled: Iterable[WrongLabels], lines: Lines, week: Period, before: Period
) -> list[PromptComparison]:
    counts: dict[tuple[str, str], dict[bool, dict[str, int]]] = {}
    for cell in cells:
        of_week = counts.setdefault((cell.model, cell.prompt), {True: {}, False: {}})[cell.since > before.until]
        for name, count in zip(FIGURES, cell.counts, strict=True):
            of_week[name] = of_week.get(name, 0) + count
    for each in labelled:
        if each.is_of_weeks and (found := counts.get((each.model, each.prompt))):
            of_week = found[each.is_this_week]
            of_week["wrong labels"] = of_week.get("wrong labels", 0) + each.wrong
            of_week["judged labels"] = of_week.get("judged labels", 0) + each.labels
    answered = {name: of_weeks[True].get("answers", 0) + of_weeks[False].get("answers", 0) for name, of_weeks in counts.items()}
    ordered = sorted((name for name in counts if answered[name]), key=lambda name: (-answered[name], name))[:MOST_COMBINATIONS]
    return [_comparison(name, counts[name], lines, week, before) for name in ordered]


def _comparison(
    name: tuple[str, str], counts: Mapping[bool, Mapping[str, int]], lines: Lines, week: Period, before: Period
) -> PromptComparison:
    model, prompt = name
    chosen = {True: Selection(week, model, prompt), False: Selection(before, model, prompt)}
    changes = [change_of(measure.title, *_both(measure, counts, chosen), is_good=measure.key in _SHOULD_RISE) for measure in _COMPARED]
    labels = [
        QualityShare(counts[now].get("wrong labels", 0), counts[now].get("judged labels", 0), queue_address(chosen[now]))
        for now in (False, True)
    ]
    changes.append(change_of("Labels wrong or misstated", *labels))
    return PromptComparison(model, prompt, page_address(chosen[True]), counts[True].get("answers", 0), changes, lines(model, prompt))


def _both(measure: Measure, counts: Mapping[bool, Mapping[str, int]], chosen: Mapping[bool, Selection]) -> Iterator[QualityShare]:
    """Return a measure's figures of the earlier and of the later week."""
    return (figure_of(measure, counts[now], queue_address(chosen[now], measure.query)) for now in (False, True))


def change_of(title: str, before: QualityShare, now: QualityShare, *, is_good: bool = False) -> ShareChange:
    """Return the change of a share. It is told only if both weeks have enough and the interval of the difference leaves out zero."""
    low, high = difference(before, now)
    is_told = not before.is_few and not now.is_few and (low > 0 or high < 0)
    return ShareChange(title, before, now, Interval(low, high), (BETTER if (low > 0) is is_good else WORSE) if is_told else OPEN)


def difference(before: QualityShare, now: QualityShare) -> tuple[float, float]:
    """Return the interval of the difference of two shares, from their Wilson intervals (Newcombe 1998, method 10)."""
    if before.share is None or now.share is None:
        return -1.0, 1.0
    one, other, apart = before.interval, now.interval, now.share - before.share
    below = math.hypot(now.share - other[0], one[1] - before.share)
    above = math.hypot(other[1] - now.share, before.share - one[0])
    return max(-1.0, apart - below), min(1.0, apart + above)
