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

_HIDDEN = f"""touched AS (
    SELECT DISTINCT day, model, prompt_version FROM {_BOTH.format(columns="blind", section="section = ''")} WHERE %(hides)s AND blind <> 0
), hidden AS (
    SELECT day, model, prompt_version, sum(answers) AS answers FROM {_BOTH.format(columns="answers, blind", section="section = ''")}
    WHERE (day, model, prompt_version) IN (SELECT * FROM touched) GROUP BY 1, 2, 3 HAVING sum(blind) > 0 AND sum(answers) < {FEWEST}
)"""  # noqa: S608 — column names of our own

_SEEN = """(NOT EXISTS (SELECT FROM hidden) OR NOT EXISTS (
    SELECT FROM hidden WHERE (hidden.day, hidden.model, hidden.prompt_version) = (counted.day, counted.model, counted.prompt_version)
))"""

_ENDS = """
SELECT least(totals.first, deltas.first), greatest(totals.last, deltas.last) FROM
    (SELECT min(day) AS first, max(day) AS last FROM quality_daytotal WHERE organisation_id = %(organisation)s AND section = '') AS totals,
    (SELECT min(day) AS first, max(day) AS last FROM quality_delta WHERE organisation_id = %(organisation)s AND section = '') AS deltas
"""

_PIECES = f"""
WITH {_HIDDEN}
SELECT greatest({{first}}, %(since)s), model, prompt_version, 0, {", ".join(f"sum({name})" for name in FIGURES)}
FROM {_BOTH.format(columns=", ".join(FIGURES), section="section = ''")} WHERE {_SEEN} GROUP BY 1, 2, 3
UNION ALL
SELECT greatest({{first}}, %(since)s), model, prompt_version, sum(answers)::bigint, {", ".join("0" for _ in FIGURES)}
FROM hidden GROUP BY 1, 2, 3
"""  # noqa: S608 — column names of our own

_FIRST_OF = {
    "day": "day",
    "week": "day - (day - DATE '0001-01-01') %% 7",  # that was a Monday
    "month": "date_trunc('month', day)::date",
}

_SECTIONS_OF = f"""
    SELECT section, sum(answers) AS answers, sum(given) AS given FROM {{table}} AS counted
    WHERE organisation_id = %(organisation)s AND section > '' AND day BETWEEN %(since)s AND %(until)s
        AND (%(model)s::text IS NULL OR model = %(model)s) AND (%(prompt)s::text IS NULL OR prompt_version = %(prompt)s) AND {_SEEN}
    GROUP BY section
"""  # noqa: S608 — table names of our own

_SECTIONS = f"""
WITH {_HIDDEN}
SELECT section, sum(answers)::bigint, sum(given)::bigint
FROM ({_SECTIONS_OF.format(table="quality_daytotal")} UNION ALL {_SECTIONS_OF.format(table="quality_delta")}) AS counted
GROUP BY section HAVING sum(answers) > 0 OR sum(given) > 0 ORDER BY 2 DESC, 1
"""  # noqa: S608 — the same


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a page is narrowed to; without a model or a prompt version it is of all of them."""

    period: Period
    model: str | None = None
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """The counts of one model with one prompt version in a piece of the period that begins with ``since``, in the order of figures.

    ``left_out`` answers more are in none of them.
    """

    since: date
    model: str
    prompt: str
    left_out: int
    counts: tuple[int, ...] = field(repr=False)


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
    rows = _read(_PIECES.format(first=_FIRST_OF[period.unit]), _arguments(by, period))
    return [Cell(since, model, prompt, more, tuple(counts)) for since, model, prompt, more, *counts in rows]


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
