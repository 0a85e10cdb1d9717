"""Retention periods of each kind of record, as an organisation sets them. Nothing is deleted by them yet.

Code that deletes records by age must leave out those under a legal hold (``review/legal_holds``), as redaction does.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import models, transaction

from reviewers.accounts.audit import Actor, Announcement, announce
from reviewers.accounts.models import Organisation, RetentionPeriod

LONGEST_YEARS, SHORTEST_YEARS, USUAL_YEARS = 30, 1, 6


class RecordKind(models.TextChoices):
    """The kinds of records. The values are part of audit events."""

    ANSWERS = "answers", "Answers and what was found in them"
    REVIEWS = "reviews", "Labels, notes, flags and submissions"
    EVENTS = "events", "The record of what was done"


EXPLANATIONS: dict[str, str] = {
    RecordKind.ANSWERS: "The frozen turn with the context that the model was given.",
    RecordKind.REVIEWS: "What reviewers said about it, each with what they were shown.",
    RecordKind.EVENTS: "Who did and opened what, when. It holds no protected text.",
}


@dataclass(frozen=True, slots=True)
class PeriodRow:
    """A kind of record and its retention period in years."""

    kind: str
    name: str
    explanation: str
    years: int
    changed_at: datetime | None


def list_periods(organisation: Organisation) -> list[PeriodRow]:
    """Return each kind with its period: the one that was set, or the default."""
    set_here = {period.kind: period for period in RetentionPeriod.objects.filter(organisation=organisation)}
    rows = []
    for kind in RecordKind:
        period = set_here.get(kind.value)
        years, changed_at = (period.years, period.changed_at) if period else (USUAL_YEARS, None)
        rows.append(PeriodRow(kind.value, kind.label, EXPLANATIONS[kind], years, changed_at))
    return rows


@transaction.atomic
def set_period(*, organisation: Organisation, kind: str, years: int, at: datetime, by: Actor) -> None:
    """Set the retention period of a kind of record, in years."""
    Organisation.objects.select_for_update(no_key=True).get(pk=organisation.pk)  # serialises calls while there is no row to lock
    own = RetentionPeriod.objects.filter(organisation=organisation, kind=kind)
    before = own.values_list("years", flat=True).first() or USUAL_YEARS
    if years == before:
        return
    RetentionPeriod.objects.update_or_create(organisation=organisation, kind=kind, defaults={"years": years, "changed_at": at})
    details = {"kind": kind, "from": before, "to": years}
    announce(Announcement("retention.changed", organisation.pk, by, at, "organisation", organisation.pk, details))
