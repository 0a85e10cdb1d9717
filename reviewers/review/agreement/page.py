"""The page of agreement, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import QuerySet

from attribution.calibration import Gate, attention, reviewer_gates
from reviewers.accounts.models import Membership
from reviewers.review.agreement.attention import Gold, Reviewer, load_gold, load_reviewers
from reviewers.review.agreement.measuring import CITATIONS, FEWEST, FEWEST_CALLED_SO, FIELDS, Line, agreement_on, called, line_of, lines_by
from reviewers.review.agreement.ratings import Rating, load_citation_ratings, load_field_ratings, reviewed_items
from reviewers.review.models import QueueItem
from reviewers.review.plan_models import Plan
from reviewers.review.plans.visibility import sees_attention_of_all
from reviewers.review.words import METHODS, Badge

LOOKED_BACK = timedelta(days=90)
"""How far the page of all plans looks back."""

_HOLDS = Badge("Holds", "", "good", "check")
_FAILS = Badge("Does not hold", "", "bad", "cross")
_OPEN = Badge("Cannot tell yet", "", "unsure", "unsure")


@dataclass(frozen=True, slots=True)
class GateLine:
    """A condition in words: whether it holds, or that it cannot be told, and what that rests on."""

    badge: Badge
    title: str
    because: str

    @property
    def fails(self) -> bool:
        """Whether it is known not to hold."""
        return self.badge is _FAILS


class Counted(NamedTuple):
    """How many there are of what a condition rests on, and how few tell nothing."""

    number: int
    fewest: int
    what: str


@dataclass(frozen=True, slots=True)
class AgreementPage:
    """The page. ``answers`` are those that all their reviewers have finished."""

    answers: int
    gates: Sequence[GateLine]
    fields: Line
    by_type: Sequence[Line]
    by_section: Sequence[Line]
    citations: Line
    reviewers: Sequence[Reviewer]
    sees_all: bool
    fewest: int = FEWEST


def build_agreement(by: Membership, plan: Plan | None, now: datetime) -> AgreementPage:
    """Of one plan, or of all of an organisation lately."""
    items = reviewed_items(by.organisation, plan, None if plan else now - LOOKED_BACK)
    fields, citations = load_field_ratings(items), load_citation_ratings(items)
    reviewers = load_reviewers(items, by)
    sees_all = sees_attention_of_all(by)
    return AgreementPage(
        answers=items.count(),
        gates=_gates(fields, [each for reviewer in reviewers for each in reviewer.gold] if sees_all and reviewers else None),
        fields=line_of("All fields", fields),
        by_type=lines_by(fields, lambda rating: METHODS.get(rating.field_type, rating.field_type) or "unknown"),
        by_section=lines_by(fields, lambda rating: rating.section),
        citations=line_of("All citations", citations, CITATIONS),
        reviewers=reviewers,
        sees_all=sees_all,
    )


def gates_on(items: QuerySet[QueueItem], by: Membership) -> list[GateLine]:
    """What labels on some reviewed answers have to hold, as far as a member may know it. In two statements."""
    fields = load_field_ratings(items.filter(overlap__gt=1))
    return _gates(fields, load_gold(items) if sees_attention_of_all(by) else None)


def _gates(fields: Sequence[Rating], gold: Sequence[Gold] | None) -> list[GateLine]:
    """What labels have to hold before confidences are made of them. Of seeded rows only to those who see everybody's."""
    found = agreement_on(fields)
    wrong = sum(not truth for truth, _ in gold or ())
    agree, notice = reviewer_gates(FIELDS.wrong, found, attention(gold or ()))
    called_so = Counted(called(FIELDS.wrong, fields), FEWEST_CALLED_SO, "rows that one of two called wrong")
    lines = [_gate("Reviewers agree on what is wrong", called_so, agree)]
    if gold is not None:
        title = "Reviewers notice what is known to be wrong"
        lines.append(_gate(title, Counted(wrong, FEWEST, "seeded wrong rows judged"), notice))
    return lines


def _gate(title: str, counted: Counted, gate: Gate) -> GateLine:
    if counted.number < counted.fewest:
        return GateLine(_OPEN, title, f"{counted.number} {counted.what}; {counted.fewest} are the fewest to tell by")
    return GateLine(_HOLDS if gate.is_passed else _FAILS, title, gate.because)
