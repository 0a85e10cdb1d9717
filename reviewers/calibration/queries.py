"""The overview: the state of each combination in a line, and the next step; and proposed profiles in the inbox.

`calibration_by_name` summarises it for pages that know no schemas.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import nsmallest
from math import ceil
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Q, QuerySet, Sum
from django.urls import reverse

from attribution.calibration import need
from reviewers.accounts.models import Membership, Organisation
from reviewers.accounts.permissions import Permission
from reviewers.calibration import wording
from reviewers.calibration.combinations import ENGINE, key_of
from reviewers.calibration.fitting import FEWEST
from reviewers.calibration.labels.queries import CombinationLabels, Key, count_labels
from reviewers.calibration.lifecycle.states import ProfileState
from reviewers.calibration.models import CalibrationProfile, ImportedSet, SeenCombination
from reviewers.review.inbox import APPROVALS, InboxEntry, InboxSource, Waiting
from reviewers.review.wording import Badge
from reviewers.snapshots.hooks import Combination

MOST_ROWS = 500
"""Combinations on one page: programs may name as many models as they send answers."""

_NO_LABELS = CombinationLabels()
_WORTH_PROPOSING = 1.25
"""A new profile is worth proposing with so many times the labels of the active one."""


_SUSPENDED = "Its profile is suspended: read why, then lift that or propose another."


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """A combination: its name, state, labels, active and proposed profiles, and the next step. Paces are in labels a day.

    ``imported`` labels are not counted among its labels. ``goal`` is the number of labels for the next step, or None if a person has to
    decide first.
    """

    id: UUID
    name: str
    schema: str
    state: Badge
    labels: CombinationLabels
    imported: int
    missing: int
    goal: int | None
    active: CalibrationProfile | None
    proposed: CalibrationProfile | None
    next_step: str
    can_propose: bool
    is_suspended: bool


def list_scopes(organisation: Organisation, now: datetime) -> tuple[list[ScopeRow], int]:
    """Return combinations of the present engine, those with a profile first, then those with the most labels; and how many are left out.

    Of all of them only the names are read: there may be as many as answers.
    """
    labels, imported = count_labels(organisation.pk, now), count_imported(organisation.pk)
    proposed = {each.combination_id: each for each in _open(organisation)}
    seen = SeenCombination.objects.filter(organisation=organisation, engine=ENGINE)
    places = [
        (active is None, -_labels_of(labels, Combination(*names)).fields, wording.combination_in_words(*names[:2]), pk)
        for pk, active, *names in seen.values_list("pk", "active", *Combination._fields).order_by()
    ]
    chosen = [pk for *_, pk in nsmallest(MOST_ROWS, places)]
    shown = seen.filter(pk__in=chosen).select_related("active__labels").defer("active__document", "active__labels__document").in_bulk()
    rows = [
        row_of(each, _labels_of(labels, key_of(each)), proposed.get(each.pk), imported.get(each.pk, 0))
        for each in (shown[pk] for pk in chosen if pk in shown)
    ]
    return rows, len(places) - len(rows)


def _labels_of(labels: Mapping[Key, CombinationLabels], combination: Combination) -> CombinationLabels:
    return labels.get((combination, ENGINE), _NO_LABELS)


def row_of(seen: SeenCombination, labels: CombinationLabels, proposed: CalibrationProfile | None, imported: int) -> ScopeRow:
    """Return the row of a combination."""
    reachable = labels.fields + imported
    can_propose = proposed is None and reachable >= FEWEST and _is_worth(reachable, seen.active)
    return ScopeRow(
        id=seen.pk,
        name=wording.combination_in_words(seen.model, seen.prompt_version),
        schema=seen.schema_version,
        state=_badge_of_combination(seen),
        labels=labels,
        imported=imported,
        missing=max(0, FEWEST - labels.fields),
        goal=None if proposed or can_propose else _goal(seen.active),
        active=seen.active,
        proposed=proposed,
        next_step=_SUSPENDED if seen.suspension_id and proposed is None else _next_step(labels, seen.active, proposed),
        can_propose=can_propose,
        is_suspended=seen.suspension_id is not None,
    )


def count_imported(organisation_id: UUID) -> Mapping[UUID, int]:
    """Return the number of imported labels on each combination."""
    sets = ImportedSet.objects.filter(organisation=organisation_id).values_list("combination").order_by()
    return dict(sets.annotate(labels=Sum("label_count")))


def find_open(seen: SeenCombination, *, with_record: bool = False) -> CalibrationProfile | None:
    """Return the newest undecided proposal of a combination; without its large record, unless that is wanted."""
    found = _undecided().filter(combination=seen)
    return (found.defer(None) if with_record else found).first()


def badge_of(state: ProfileState) -> Badge:
    """Return the badge of a state."""
    return Badge(state.label, state.tone, state.icon)


def _open(organisation: Organisation) -> Sequence[CalibrationProfile]:
    return list(_undecided().filter(organisation=organisation).order_by("id"))


def _undecided() -> QuerySet[CalibrationProfile]:
    return CalibrationProfile.objects.filter(decision=None).defer("document").order_by("-id")


def _is_worth(labels: int, active: CalibrationProfile | None) -> bool:
    return active is None or labels >= _goal(active)


def _goal(active: CalibrationProfile | None) -> int:
    return FEWEST if active is None else ceil(_WORTH_PROPOSING * active.labels.label_count)


def _badge_of_combination(seen: SeenCombination) -> Badge:
    if seen.active is None:
        return wording.UNCALIBRATED
    return badge_of(ProfileState.SUSPENDED if seen.suspension_id else ProfileState.ACTIVE)


def _next_step(labels: CombinationLabels, active: CalibrationProfile | None, proposed: CalibrationProfile | None) -> str:
    if proposed is not None:
        return f"Decide on {proposed.name}, which is proposed."
    if labels.fields < FEWEST:
        return _more_labels(labels)
    if not _is_worth(labels.fields, active):
        return "Nothing now; go on labelling."
    return "Enough labels: propose a profile." if active is None else "Many labels have come in since: propose another profile."


def _more_labels(labels: CombinationLabels) -> str:
    """Return the number of missing labels, and the time until they are there."""
    wanted = need(FEWEST, labels.fields, labels.per_day)
    missing = f"{wanted.missing} more label{'s' if wanted.missing > 1 else ''} needed"
    if wanted.days is None:
        return f"{missing}."
    return f"{missing}, {wanted.days} day{'s' if wanted.days > 1 else ''} at the pace of the last two weeks."


@dataclass(frozen=True, slots=True)
class CombinationStatus:
    """The badge of a model with a prompt, and its combination for a link; None if it has several schemas."""

    badge: Badge
    combination_id: UUID | None


def calibration_by_name(organisation_id: UUID, names: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], CombinationStatus]:
    """Return the calibration status by model and prompt version, of these at least, for the present engine, in one query."""
    models, prompts = {model for model, _ in names}, {prompt for _, prompt in names}
    own = SeenCombination.objects.filter(organisation=organisation_id, engine=ENGINE)
    seen = own.filter(model__in=models, prompt_version__in=prompts).order_by()
    counts = {"believed": Count("active", filter=Q(suspension=None)), "approved": Count("active")}
    rows = seen.values_list("model", "prompt_version").annotate(ids=ArrayAgg("pk"), **counts)
    return {
        (model, prompt): CombinationStatus(_badge(believed, approved, len(ids)), ids[0] if len(ids) == 1 else None)
        for model, prompt, ids, believed, approved in rows
    }


def _badge(believed: int, approved: int, schemas: int) -> Badge:
    if approved and not believed:
        return badge_of(ProfileState.SUSPENDED)
    if not believed:
        return wording.UNCALIBRATED
    if believed == schemas:
        return wording.CALIBRATED
    said = f"Calibrated for {believed} of {schemas} schemas"
    return Badge(said, "warn", "unsure")


_WAITING = """
SELECT profile.id, profile.proposed_at FROM calibration_calibrationprofile AS profile
WHERE profile.organisation_id = %(organisation)s AND profile.proposed_by_id <> %(person)s
AND NOT EXISTS (SELECT FROM calibration_profiledecision AS made WHERE made.profile_id = profile.id)
"""


def _entries(rows: Sequence[Waiting], _: Membership) -> Iterable[InboxEntry]:
    own = CalibrationProfile.objects.defer("document").select_related("combination", "proposed_by").in_bulk([row.pk for row in rows])
    for row in (own[each.pk] for each in rows):
        subject = f"{row.combination.model} · {row.combination.prompt_version}"
        yield InboxEntry("Profile proposed", row.proposed_by.name, row.proposed_at, reverse("profile", args=[row.pk]), subject)


PROPOSED_PROFILES = InboxSource(APPROVALS, Permission.MANAGE_CALIBRATION, _WAITING, _entries)
