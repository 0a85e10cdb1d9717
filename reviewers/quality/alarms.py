"""Alarms: acknowledge them, list them for the quality page, and check their count when the ledger is verified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Count, F, Q
from django.shortcuts import get_object_or_404

from attribution import canonical_bytes
from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Membership, Organisation
from reviewers.accounts.policies import Refused
from reviewers.accounts.texts import Surface, Text, hidden_from, masked
from reviewers.ledger.actions import record
from reviewers.ledger.commitments import Part
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.quality.models import Acknowledgement, Alarm, Watch, Watched
from reviewers.quality.queries import Period, Selection, list_left_out, page_address, queue_address

_MOST_RESTING = 20
_QUERIES: dict[str, Sequence[tuple[str, str]]] = {
    Watched.UNKNOWN: [("guardrail", "unknown")],
    Watched.ADOPTION: [("source", "heuristic"), ("source", "none")],
    Watched.OVER_CITED: [("guardrail", "over_cited")],
    Watched.CONTRADICTED: [("guardrail", "contradicted")],
    Watched.REPAIRED: [("answer", "repaired")],
    Watched.WITHHELD: [("answer", "withheld")],
    Watched.RED: [("validity", "red")],
    Watched.OPPOSED: [("issue", "opposite")],
    Watched.UNQUOTED: [("issue", "quote_not_found")],
    Watched.UNSUPPORTED: [("issue", "figure_not_found")],
    Watched.PRECISION: [],
}
_FALLING = frozenset({Watched.ADOPTION, Watched.PRECISION})
"""Figures that should not fall. Their watches count the complement: answers without a citation, and wrong labels."""


def names_of(alarm: Alarm) -> list[Part]:
    """Return the model and the prompt version as a part that an event commits to: names are free text, so no event discloses them."""
    return [("of", canonical_bytes([alarm.model, alarm.prompt_version]))]


def check_may_acknowledge(alarm: Alarm) -> None:
    """Raise `Refused` if somebody has acknowledged the alarm already."""
    if Acknowledgement.objects.filter(alarm=alarm).exists():
        raise Refused("Somebody has acknowledged this alarm already.")


@transaction.atomic
def acknowledge(*, alarm_id: UUID, reason: str, by: Membership, now: datetime) -> Acknowledgement:
    """Acknowledge an alarm with a reason; its watch learns its level anew from the days that follow.

    Raise 404 for the alarm of another organisation. The organisation's row is locked, as it is while a day is watched: of two people who
    acknowledge at once, the second is refused.
    """
    Organisation.objects.select_for_update(no_key=True).get(pk=by.organisation_id)
    alarm = get_object_or_404(Alarm, pk=alarm_id, organisation=by.organisation_id)
    check_may_acknowledge(alarm)
    kept: Acknowledgement = Acknowledgement.objects.create(
        organisation_id=by.organisation_id, alarm=alarm, person_id=by.user_id, reason=reason, created_at=now
    )
    Watch.objects.filter(alarm=alarm).update(alarm=None, rate=None, since=None, wealths=[], trials=0, hits=0)
    Organisation.objects.filter(pk=by.organisation_id).update(open_alarms=F("open_alarms") - 1)
    parts = [*names_of(alarm), ("reason", reason.encode())]
    details = {"figure": alarm.figure}
    actor, rows = user_actor(by.user_id), rows_of([kept])
    record(Event(Action.ALARM_ACKNOWLEDGED, by.organisation_id, actor, now, "alarm", alarm.pk, details, parts, rows=rows))
    return kept


def check_open_alarms(organisation_id: UUID) -> None:
    """Raise `LedgerMismatch` if the stored count of open alarms, which every page shows, differs from the alarms themselves."""
    waiting = Alarm.objects.filter(organisation=organisation_id, acknowledgement=None).count()
    if Organisation.objects.exclude(open_alarms=waiting).filter(pk=organisation_id).exists():
        raise LedgerMismatch(Organisation, organisation_id, "is not how many alarms wait", "open_alarms")


# Alarms as the page shows them.


@dataclass(frozen=True, slots=True)
class AlarmRow:
    """An alarm in words. ``share`` and ``level`` are shares of conversations.

    For adoption and precision both are the share that is cited or right. If ``suspends``, the alarm suspends a profile, which also belongs
    to a ``schema``. Without ``tells_figures`` only that there is an alarm is told: answers that the viewer may not know of yet are counted
    in its figures and not on the page, so the difference would be what is hidden.
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
    since: date
    day: date
    page: str
    address: str
    reason: str
    who: str
    at: datetime | None
    tells_figures: bool = True


@dataclass(frozen=True, slots=True)
class Alarms:
    """Alarms that wait for somebody, acknowledged alarms, and the number of models with a prompt watched, of which some still learn.

    They are counted by the figure that all answers have. The watches of other figures begin with the first answer that has one, so their
    number would tell what the engine found in an answer under blind review.
    """

    waiting: Sequence[AlarmRow]
    resting: Sequence[AlarmRow]
    watched: int
    learning: int


def load_alarms(by: Membership) -> Alarms:
    """Return the alarms of the member's organisation, with two queries, and one more if there are any."""
    alarms = Alarm.objects.filter(organisation=by.organisation_id).select_related("acknowledgement__person")
    newest = alarms.order_by("-id")[: by.organisation.open_alarms + _MOST_RESTING]
    rows = _told([_row(alarm) for alarm in newest], by)
    of_all = Watch.objects.filter(organisation=by.organisation_id, figure=Watched.UNKNOWN)
    counted = of_all.aggregate(all=Count("id"), learning=Count("id", filter=Q(rate=None)))
    return Alarms([row for row in rows if not row.who], [row for row in rows if row.who], counted["all"], counted["learning"])


def _told(rows: list[AlarmRow], by: Membership) -> list[AlarmRow]:
    """Return the alarms, without the figures of those that count answers which the member may not know of yet.

    Why they rest is masked for members who are not shown what people wrote.
    """
    if not rows:
        return rows
    left_out = list_left_out(by, Period(min(row.since for row in rows), max(row.day for row in rows)))
    hidden = hidden_from(by, Surface.QUALITY)
    return [
        replace(row, reason=masked(row.reason, Text.NOTES, hidden), tells_figures=not any(_counts(row, *each) for each in left_out))
        for row in rows
    ]


def _counts(row: AlarmRow, day: date, model: str, prompt: str) -> bool:
    return row.since <= day <= row.day and (row.model, row.prompt) == (model, prompt) and not row.suspends


def _row(alarm: Alarm) -> AlarmRow:
    period = Period(alarm.since, alarm.day)
    chosen, falls = Selection(period, alarm.model, alarm.prompt_version), alarm.figure in _FALLING
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
        since=alarm.since,
        day=alarm.day,
        page=page_address(chosen),
        address=queue_address(chosen, _QUERIES[alarm.figure]),
        reason=rest.reason if rest else "",
        who=rest.person.name if rest else "",
        at=rest.created_at if rest else None,
    )
