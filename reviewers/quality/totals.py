"""Reads what was counted: day totals and what is not folded yet, together, so that the sums are right at every moment.

While answers wait to be judged blind, a day on which a model with a prompt gave very few answers could tell what the engine says of
one of them. For whoever may label such days are left out: out of every sum, so that no two sums differ by one of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.db import connection

from reviewers.accounts.models import Membership
from reviewers.quality.figures import FIGURES
from reviewers.quality.periods import Period
from reviewers.review.plans.visibility import viewer_of

FEWEST = 5
"""So many answers a day, model and prompt are shown though some of them are under blind review."""

_BOTH = """(
    SELECT day, model, prompt_version, section, {columns} FROM quality_daytotal
    WHERE organisation_id = %(organisation)s AND {section} AND day BETWEEN %(since)s AND %(until)s
    UNION ALL
    SELECT day, model, prompt_version, section, {columns} FROM quality_delta
    WHERE organisation_id = %(organisation)s AND {section} AND day BETWEEN %(since)s AND %(until)s
) AS counted"""

_SUMS = ", ".join(f"sum({name}) AS {name}" for name in FIGURES)
_HIDDEN = f"%(hides)s AND sum(blind) > 0 AND sum(answers) < {FEWEST}"

_ENDS = """
SELECT least(totals.first, deltas.first), greatest(totals.last, deltas.last) FROM
    (SELECT min(day) AS first, max(day) AS last FROM quality_daytotal WHERE organisation_id = %(organisation)s AND section = '') AS totals,
    (SELECT min(day) AS first, max(day) AS last FROM quality_delta WHERE organisation_id = %(organisation)s AND section = '') AS deltas
"""

_PIECES = f"""
SELECT piece, model, prompt_version, coalesce(sum(answers) FILTER (WHERE is_left_out), 0)::bigint,
    {", ".join(f"coalesce(sum({name}) FILTER (WHERE NOT is_left_out), 0)::bigint" for name in FIGURES)}
FROM (
    SELECT greatest(date_trunc(%(unit)s, day)::date, %(since)s) AS piece, day, model, prompt_version, {_SUMS}, {_HIDDEN} AS is_left_out
    FROM {_BOTH.format(columns=", ".join(FIGURES), section="section = ''")} GROUP BY 1, 2, 3, 4
) AS cells GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""  # noqa: S608 — column names of our own

_SECTIONS = f"""
WITH hidden AS (
    SELECT day, model, prompt_version FROM {_BOTH.format(columns="answers, blind", section="section = ''")}
    WHERE %(hides)s GROUP BY 1, 2, 3 HAVING {_HIDDEN}
)
SELECT section, sum(answers)::bigint, sum(given)::bigint FROM {_BOTH.format(columns="answers, given", section="section > ''")}
WHERE (%(model)s::text IS NULL OR model = %(model)s) AND (%(prompt)s::text IS NULL OR prompt_version = %(prompt)s)
    AND (NOT %(hides)s OR NOT EXISTS (
        SELECT FROM hidden WHERE (hidden.day, hidden.model, hidden.prompt_version) = (counted.day, counted.model, counted.prompt_version)
    ))
GROUP BY section HAVING sum(answers) > 0 OR sum(given) > 0 ORDER BY 2 DESC, 1
"""  # noqa: S608 — column names of our own


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a page is narrowed to; without a model or a prompt version it is of all of them."""

    period: Period
    model: str | None = None
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """The counts of one model with one prompt version in a piece of the period that begins with ``since``. ``left_out`` answers more."""

    since: date
    model: str
    prompt: str
    left_out: int
    counts: dict[str, int] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Section:
    """How many answers draw on a section, of how many that were given it."""

    name: str
    answers: int
    given: int


def read_ends(by: Membership) -> Period | None:
    """The first and the last day with an answer; nothing where there is none."""
    ((first, last),) = _read(_ENDS, {"organisation": by.organisation_id})
    return Period(first, last) if last else None


def read_cells(by: Membership, period: Period) -> list[Cell]:
    """The counts of a period by piece, model and prompt version."""
    rows = _read(_PIECES, _arguments(by, period) | {"unit": period.unit})
    return [
        Cell(since, model, prompt, left_out, dict(zip(FIGURES, counts, strict=True))) for since, model, prompt, left_out, *counts in rows
    ]


def read_sections(by: Membership, chosen: Chosen) -> list[Section]:
    """The sections that answers were given or draw on, the most drawn on first."""
    rows = _read(_SECTIONS, _arguments(by, chosen.period) | {"model": chosen.model, "prompt": chosen.prompt})
    return [Section(*row) for row in rows]


def _arguments(by: Membership, period: Period) -> dict[str, Any]:
    hides = viewer_of(by).may_label
    return {"organisation": by.organisation_id, "since": period.since, "until": period.until, "hides": hides}


def _read(statement: str, arguments: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments)
        return list(cursor.fetchall())
