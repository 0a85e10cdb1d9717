"""Alarms as the page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.db.models import Count, Q

from reviewers.accounts.models import Membership
from reviewers.quality.links import page_address, queue_address
from reviewers.quality.models import Alarm, Watch, Watched
from reviewers.quality.periods import Period
from reviewers.quality.totals import Chosen

_MOST_RESTING = 20
_QUERIES: dict[str, Sequence[tuple[str, str]]] = {
    Watched.UNKNOWN: [("guardrail", "unknown")],
    Watched.ADOPTION: [("source", "heuristic"), ("source", "none")],
    Watched.OVER_CITED: [("guardrail", "over_cited")],
    Watched.CONTRADICTED: [("guardrail", "contradicted")],
    Watched.REPAIRED: [("answer", "repaired")],
    Watched.PRECISION: [],
}
_FALLING = frozenset({Watched.ADOPTION, Watched.PRECISION})
"""What should not fall: of these what is watched is the rest."""


@dataclass(frozen=True, slots=True)
class AlarmRow:
    """An alarm in words. ``share`` and ``level`` are of conversations.

    Both of adoption and precision are as they are spoken of: what is cited, and what is right. ``suspends``: a profile,
    which holds for a ``schema`` too.
    """

    id: UUID
    title: str
    model: str
    prompt: str
    schema: str
    period: str
    share: float
    level: float
    has_fallen: bool
    suspends: bool
    trials: int
    day: date
    page: str
    address: str
    reason: str
    who: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Alarms:
    """Those that wait for somebody, those that rest, and how many watches there are, of which some still learn."""

    waiting: Sequence[AlarmRow]
    resting: Sequence[AlarmRow]
    watches: int
    learning: int


def load_alarms(by: Membership) -> Alarms:
    """In two statements."""
    alarms = Alarm.objects.filter(organisation=by.organisation_id).select_related("acknowledgement__person")
    newest = alarms.order_by("-id")[: by.organisation.open_alarms + _MOST_RESTING]
    rows = [_row(alarm) for alarm in newest]
    counted = Watch.objects.filter(organisation=by.organisation_id).aggregate(all=Count("id"), learning=Count("id", filter=Q(rate=None)))
    return Alarms([row for row in rows if not row.who], [row for row in rows if row.who], counted["all"], counted["learning"])


def _row(alarm: Alarm) -> AlarmRow:
    period = Period(alarm.since, alarm.day)
    chosen, falls = Chosen(period, alarm.model, alarm.prompt_version), alarm.figure in _FALLING
    share = alarm.hits / alarm.trials
    rest = getattr(alarm, "acknowledgement", None)
    return AlarmRow(
        id=alarm.pk,
        title=Watched(alarm.figure).label,
        model=alarm.model,
        prompt=alarm.prompt_version,
        schema=alarm.schema_version,
        period=period.in_words(),
        share=1 - share if falls else share,
        level=1 - alarm.rate if falls else alarm.rate,
        has_fallen=falls,
        suspends=alarm.figure == Watched.PRECISION,
        trials=alarm.trials,
        day=alarm.day,
        page=page_address(chosen),
        address=queue_address(chosen, _QUERIES[alarm.figure]),
        reason=rest.reason if rest else "",
        who=rest.person.name if rest else "",
        at=rest.created_at if rest else None,
    )
