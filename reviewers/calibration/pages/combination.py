"""The page of a combination: its labels, what they say about each method, and its profiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from attribution.calibration import Need, labels_for_margin, need
from reviewers.calibration.combinations import ENGINE, key_of
from reviewers.calibration.labels.dataset import build_dataset, engines_of
from reviewers.calibration.labels.queries import CombinationLabels, ImportRow, count_labels, list_imports
from reviewers.calibration.lifecycle.actions import Transferable, list_transferable, newest_fit
from reviewers.calibration.lifecycle.states import ProfileState, state_of
from reviewers.calibration.models import BackgroundTask, CalibrationProfile, SeenCombination
from reviewers.calibration.pages.planner import EXPECTED, MARGIN
from reviewers.calibration.pages.rows import MethodRow, by_field, by_method
from reviewers.calibration.queries import ScopeRow, badge_of, row_of
from reviewers.calibration.shadow import table_of
from reviewers.review.wording import Badge


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A profile in the list of a combination."""

    id: UUID
    name: str
    state: Badge
    labels: int
    proposer: str
    proposed_at: datetime


@dataclass(frozen=True, slots=True)
class CombinationPage:
    """The page of a combination. The engine claims nothing about ``unfound`` labelled fields; ``excluded`` ones are left out."""

    row: ScopeRow
    is_current: bool
    engine: str
    methods: Sequence[MethodRow]
    method: str
    fields: Sequence[MethodRow]
    unfound: int
    excluded: int
    conversations: int
    audit: Need
    profiles: Sequence[ProfileRow]
    imports: Sequence[ImportRow]
    fit: BackgroundTask | None
    transferable: Sequence[Transferable]


def build_combination(seen: SeenCombination, now: datetime, method: str = "", *, masks_keys: bool = False) -> CombinationPage:
    """Return the page of a combination; ``method`` is the one whose fields are listed."""
    engines = engines_of(seen.organisation_id)
    gathered, table = build_dataset(seen, engines), table_of(seen.active)
    counted = count_labels(seen.organisation_id, now, engines).get((key_of(seen), seen.engine), CombinationLabels())
    imports, profiles = list_imports(seen.organisation, seen), _profiles(seen)
    known = [each for each in gathered.observations if each.is_used is not None]
    return CombinationPage(
        row=row_of(seen, counted, _open_among(profiles), sum(each.labels for each in imports)),
        is_current=seen.engine == ENGINE,
        engine=seen.engine.partition(" ")[0],
        methods=by_method(known, table),
        method=method,
        fields=by_field(known, table, method, masks_keys=masks_keys) if method else (),
        unfound=sum(not each.claims for each in known),
        excluded=len(gathered.excluded) + len(gathered.observations) - len(known),
        conversations=len({each.conversation for each in known}),
        audit=need(labels_for_margin(EXPECTED, MARGIN), counted.audit, counted.per_day),
        profiles=[_profile_row(each) for each in profiles],
        imports=imports,
        fit=newest_fit(seen),
        transferable=list_transferable(seen, sum(each.claims for each in known), has_open=_open_among(profiles) is not None),
    )


def _profiles(seen: SeenCombination) -> list[CalibrationProfile]:
    rows = CalibrationProfile.objects.filter(combination=seen).select_related(
        "labels", "proposed_by", "decision", "retirement", "combination"
    )
    return list(rows.defer("document", "labels__document").order_by("-id"))


def _profile_row(each: CalibrationProfile) -> ProfileRow:
    return ProfileRow(each.pk, each.name, badge_of(state_of(each)), each.labels.label_count, each.proposed_by.name, each.proposed_at)


def _open_among(profiles: Sequence[CalibrationProfile]) -> CalibrationProfile | None:
    """Return the newest undecided proposal."""
    return next((each for each in profiles if state_of(each) is ProfileState.PROPOSED), None)
