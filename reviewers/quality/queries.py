"""Read the counts of the quality page, and build the addresses of the page and of the queue.

Day totals and deltas are added, so sums are right at every moment. For members who may label, answers under blind review are taken off
again: somebody who knows the other answers of a day could tell from any sum what the engine, or a colleague, says of the hidden one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone

from reviewers.accounts.models import Membership
from reviewers.quality.models import COLOURS, FACETS, FIGURES
from reviewers.review.models import OTHER_NAMES
from reviewers.review.visibility import viewer_of
from reviewers.snapshots.models import CITATION_COUNTS
from reviewers.web.dates import within_bounds
from reviewers.web.statements import read_rows

_MOST_DAYS = 45
_MOST_WEEKS = 106
_YEAR = timedelta(days=364)
_LONGEST = timedelta(days=20 * 366)

MOST_ROWS = 200
"""Rows of a table by name: programs may name as many models and sections as they send answers."""

REVIEWED = """FROM review_queueitem AS item JOIN review_submission AS review
        ON (review.snapshot_id, review.round) = (item.snapshot_id, item.round)
    WHERE item.organisation_id = %(organisation)s AND item.answered_at >= %(since)s AND item.answered_at < %(until)s
        AND NOT (%(hides)s AND item.is_blind AND item.phase = 'independent')"""
"""The reviews of answers between two moments that count now, without those under blind review where these are hidden."""

_ALL_STATES = [("state", "to_do"), ("state", "skipped"), ("state", "submitted")]


@dataclass(frozen=True, slots=True)
class Period:
    """The days from ``since`` to ``until``, both included. A long period is cut into weeks or months to keep charts readable."""

    since: date
    until: date

    @property
    def unit(self) -> str:
        """The length of a piece: a day, a week from Monday, or a month."""
        days = (self.until - self.since).days + 1
        if days <= _MOST_DAYS:
            return "day"
        return "week" if days <= 7 * _MOST_WEEKS else "month"

    def pieces(self) -> list[Period]:
        """Return all pieces, with or without answers. The first and the last may be shorter than the unit."""
        pieces, first = [], self.since
        while first <= self.until:
            last = min(_last_of(first, self.unit), self.until)
            pieces.append(Period(first, last))
            first = last + timedelta(days=1)
        return pieces

    def in_words(self) -> str:
        """Return the period in words, such as ``2 Mar to 8 Mar 2026``."""
        if self.since == self.until:
            return _said(self.until)
        return f"{_said(self.since).removesuffix(f' {self.until.year}')} to {_said(self.until)}"


def period_of(since: date | None, until: date | None, ends: Period) -> Period:
    """Return the period asked for, by default the last year of the days with answers. Swap dates in the wrong order."""
    since, until = (day and within_bounds(day) for day in (since, until))
    last = until or max(ends.until, since or ends.until)
    first = since or max(last - _YEAR, min(ends.since, last))
    first, last = min(first, last), max(first, last)
    return Period(max(first, last - _LONGEST), last)


def _said(day: date) -> str:
    return f"{day.day} {day:%b} {day.year}"


def _last_of(day: date, unit: str) -> date:
    if unit == "day":
        return day
    if unit == "week":
        return day + timedelta(days=6 - day.weekday())
    return (day.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)


_BOTH = """(
    SELECT day, model, prompt_version, section, {columns} FROM quality_daytotal
    WHERE organisation_id = %(organisation)s AND {section} AND day BETWEEN %(since)s AND %(until)s
    UNION ALL
    SELECT day, model, prompt_version, section, {columns} FROM quality_delta
    WHERE organisation_id = %(organisation)s AND {section} AND day BETWEEN %(since)s AND %(until)s
) AS counted"""

_WAITING = """waiting AS (
    SELECT item.snapshot_id, item.attribution_id, (item.answered_at AT TIME ZONE 'UTC')::date AS day,
        quality_model(item.organisation_id, item.facets, item.snapshot_id) AS model,
        quality_prompt(item.organisation_id, item.facets, item.snapshot_id) AS prompt_version, item.facets, item.citation_counts, item.state
    FROM review_queueitem AS item JOIN review_plan AS plan ON plan.id = item.plan_id
    WHERE %(hides)s AND plan.organisation_id = %(organisation)s AND item.is_blind AND item.phase = 'independent'
        AND (item.answered_at AT TIME ZONE 'UTC')::date BETWEEN %(since)s AND %(until)s
)"""
"""The answers that `hides_work_from` hides from members who may label."""

_VERDICTS = """(
    SELECT coalesce(sum((label.verdict <> 'none')::int - (coalesce(replaced.verdict, 'none') <> 'none')::int), 0)
    FROM {table} AS label LEFT JOIN {table} AS replaced ON replaced.id = label.replaces_id WHERE label.snapshot_id = waiting.snapshot_id
)"""

_CITES = "facets && ARRAY['validity:green', 'validity:yellow'] AND NOT facets && ARRAY['answer:withheld', 'answer:repaired']"

_OF_ONE = {
    "answers": "1",
    **{name: f"('{facet}' = ANY(facets))::int" for name, facet in FACETS.items()},
    "documented": "(facets && ARRAY['validity:green', 'validity:yellow', 'validity:red'])::int",
    "citing": f"({_CITES})::int",
    **{name: f"('{facet}' = ANY(facets) AND NOT 'answer:withheld' = ANY(facets))::int" for name, facet in COLOURS.items()},
    **{name: f"coalesce(({_CITES})::int * citation_counts[{place}], 0)" for place, name in enumerate(CITATION_COUNTS, start=1)},
    "found_afterwards": """(EXISTS (
        SELECT FROM snapshots_citationsearch AS search JOIN snapshots_citationsearchresult AS result ON result.search_id = search.id
        WHERE search.attribution_id = waiting.attribution_id AND result.outcome = 'found'
    ))::int""",
    "submitted": "(state = 'submitted')::int",
    "not_in_record": "0",
    "blind": "1",
    "labels": " + ".join(_VERDICTS.format(table=table) for table in ("review_label", "review_citationlabel")),
    "given": "0",
}
"""The value of each figure for a single answer."""

_ENDS = """
SELECT least(totals.first, deltas.first), greatest(totals.last, deltas.last) FROM
    (SELECT min(day) AS first, max(day) AS last FROM quality_daytotal WHERE organisation_id = %(organisation)s AND section = '') AS totals,
    (SELECT min(day) AS first, max(day) AS last FROM quality_delta WHERE organisation_id = %(organisation)s AND section = '') AS deltas
"""

_PIECES = f"""
WITH {_WAITING}
SELECT greatest({{first}}, %(since)s), model, prompt_version, sum(left_out)::bigint, {", ".join(f"sum({name})" for name in FIGURES)}
FROM (
    SELECT day, model, prompt_version, 0 AS left_out, {", ".join(FIGURES)}
    FROM {_BOTH.format(columns=", ".join(FIGURES), section="section = ''")}
    UNION ALL
    SELECT day, model, prompt_version, 1, {", ".join(f"-({_OF_ONE[name]})" for name in FIGURES)} FROM waiting
) AS counted GROUP BY 1, 2, 3
"""  # noqa: S608 — column names of our own

_FIRST_OF = {
    "day": "day",
    "week": "day - (day - DATE '0001-01-01') %% 7",  # that was a Monday
    "month": "date_trunc('month', day)::date",
}

_CHOSEN = "(%(model)s::text IS NULL OR {of}model = %(model)s) AND (%(prompt)s::text IS NULL OR {of}prompt_version = %(prompt)s)"

_LEFT_OUT = f"WITH {_WAITING} SELECT DISTINCT day, model, prompt_version FROM waiting"  # noqa: S608 — column names of our own

_SECTIONS_OF = f"""
    SELECT section, sum(answers) AS answers, sum(given) AS given FROM {{table}} AS counted
    WHERE organisation_id = %(organisation)s AND section > '' AND day BETWEEN %(since)s AND %(until)s
        AND {_CHOSEN.format(of="")}
    GROUP BY section
"""  # noqa: S608 — table names of our own

_SECTIONS_WAITING = f"""
    SELECT section, -sum(drawn), -sum(given) FROM (
        SELECT review_counted_as(%(organisation)s, 'section', '', substr(facet, length('section:') + 1), snapshot_id) AS section,
            1 AS drawn, 0 AS given
        FROM waiting, unnest(facets) AS facet WHERE starts_with(facet, 'section:') AND {_CHOSEN.format(of="")}
        UNION ALL
        SELECT review_counted_as(%(organisation)s, 'section', '', section, waiting.snapshot_id), 0, 1
        FROM waiting JOIN snapshots_snapshot AS snapshot ON snapshot.id = snapshot_id, unnest(snapshot.given_sections) AS section
        WHERE {_CHOSEN.format(of="waiting.")}
    ) AS counted GROUP BY section
"""  # noqa: S608 — table names of our own

_SECTIONS = f"""
WITH {_WAITING}
SELECT section, sum(answers)::bigint, sum(given)::bigint
FROM (
    {_SECTIONS_OF.format(table="quality_daytotal")} UNION ALL {_SECTIONS_OF.format(table="quality_delta")} UNION ALL {_SECTIONS_WAITING}
) AS counted
GROUP BY section HAVING sum(answers) > 0 OR sum(given) > 0 ORDER BY 2 DESC, 1 LIMIT %(most)s
"""  # noqa: S608 — table names of our own


@dataclass(frozen=True, slots=True)
class Selection:
    """The period, model and prompt version that a page is narrowed to; None selects all models or prompt versions."""

    period: Period
    model: str | None = None
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class ModelCounts:
    """The counts of one model and prompt version in the piece of the period that begins on ``since``, in the order of `FIGURES`.

    Another ``left_out`` answers are in none of the counts.
    """

    since: date
    model: str
    prompt: str
    left_out: int
    counts: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class SectionUse:
    """A section: how many answers draw on it, and how many were given it."""

    name: str
    answers: int
    given: int


def read_ends(by: Membership) -> Period | None:
    """Return the period from the first to the last day with an answer, or None if there is no answer.

    A program whose clock is wrong can send answers of days to come. Pages do not begin with them: the last day is tomorrow at most.
    """
    ((first, last),) = read_rows(_ENDS, {"organisation": by.organisation_id})
    tomorrow = timezone.now().date() + timedelta(days=1)
    return Period(first, max(first, min(last, tomorrow))) if last else None


def read_cells(by: Membership, period: Period) -> list[ModelCounts]:
    """Return the counts of a period by piece, model and prompt version."""
    rows = read_rows(_PIECES.format(first=_FIRST_OF[period.unit]), _arguments(by, period))
    return [ModelCounts(since, model, prompt, more, tuple(counts)) for since, model, prompt, more, *counts in rows]


def list_left_out(by: Membership, period: Period) -> list[tuple[date, str, str]]:
    """Return day, model and prompt version of the answers of a period that are left out of the member's figures, each once."""
    return [(day, model, prompt) for day, model, prompt in read_rows(_LEFT_OUT, _arguments(by, period))]


def read_sections(by: Membership, chosen: Selection) -> list[SectionUse]:
    """Return the sections that answers were given or draw on, the most drawn on first, as many as a table has."""
    rows = read_rows(_SECTIONS, _arguments(by, chosen.period) | {"model": chosen.model, "prompt": chosen.prompt, "most": MOST_ROWS})
    return [SectionUse(*row) for row in rows]


def _arguments(by: Membership, period: Period) -> dict[str, Any]:
    hides = viewer_of(by).may_label
    return {"organisation": by.organisation_id, "since": period.since, "until": period.until, "hides": hides}


def queue_address(chosen: Selection, query: Sequence[tuple[str, str]] = ()) -> str:
    """Return the address of the queue with the answers of a selection that match a filter, in any state."""
    return f"{narrowed(chosen, query)}&{days(chosen.period)}"


def narrowed(chosen: Selection, query: Sequence[tuple[str, str]] = ()) -> str:
    """Return the address of `queue_address` without its days, which the points of a line add."""
    return "&".join(filter(None, [_everything(), _encoded(_listed(query)), _encoded(_listed(_names(chosen)))]))


def days(period: Period) -> str:
    """Return the days of a period as a query of the queue."""
    return f"since={period.since.isoformat()}&until={period.until.isoformat()}"


def page_address(chosen: Selection, period: Period | None = None) -> str:
    """Return the address of the quality page for a selection, by default with its own period."""
    chosen = replace(chosen, period=period or chosen.period)
    return f"{reverse('quality')}?{_encoded(_names(chosen))}&{days(chosen.period)}".replace("?&", "?")


def _names(chosen: Selection) -> tuple[tuple[str, str], ...]:
    return tuple([(name, value) for name, value in (("model", chosen.model), ("prompt", chosen.prompt)) if value is not None])


def _listed(names: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the names that a list can be narrowed by. Names that are counted together are those of many answers."""
    return tuple([(kind, name) for kind, name in names if name != OTHER_NAMES])


@lru_cache(maxsize=1)
def _everything() -> str:
    return f"{reverse('queue')}?{urlencode(_ALL_STATES)}"


@lru_cache(maxsize=1_000)
def _encoded(names: tuple[tuple[str, str], ...]) -> str:
    """Encode a query; cached because a page has hundreds of addresses of a few names each."""
    return urlencode(names)
