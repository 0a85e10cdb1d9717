"""The page of a combination: its labels, what they say about each method, and its profiles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from attribution.calibration import Calibration, Need, Observation, Share, judged, labels_for_margin, need, weighted_share
from reviewers.calibration import wording
from reviewers.calibration.combinations import ENGINE, key_of
from reviewers.calibration.labels.dataset import build_dataset, engines_of
from reviewers.calibration.labels.queries import CombinationLabels, ImportRow, count_labels, list_imports
from reviewers.calibration.lifecycle.actions import Transferable, list_transferable, newest_fit
from reviewers.calibration.lifecycle.states import ProfileState, state_of
from reviewers.calibration.models import BackgroundTask, CalibrationProfile, SeenCombination
from reviewers.calibration.pages.planner import EXPECTED, MARGIN
from reviewers.calibration.queries import ScopeRow, badge_of, row_of
from reviewers.calibration.shadow import table_of
from reviewers.review.masking.masks import mask_path
from reviewers.review.wording import Badge

FEWEST_TO_TELL = 20
"""The fewest labels of a row from which anybody can tell whether the number fits."""


@dataclass(frozen=True, slots=True)
class MethodRow:
    """A method or a field: its labels and conversations, the share used with its interval, and the mean number shown.

    The interval shown is Wilson's of the unweighted labels: over few, similar conversations the weighted one is too narrow.
    """

    key: str
    name: str
    share: Share
    shown: float
    verdict: Badge

    @property
    def is_weighted(self) -> bool:
        """True if weighting by inclusion changes the two decimals shown."""
        weighted, plain = self.share.weighted, self.share.unweighted
        return weighted is not None and plain is not None and f"{weighted:.2f}" != f"{plain:.2f}"


def by_method(observations: Iterable[Observation], table: Calibration) -> list[MethodRow]:
    """Return the methods that claim something, in the order of the review page."""
    rows = _grouped(observations, table, lambda each: each.method, lambda key: wording.METHODS.get(key, key))
    order = list(wording.METHODS)
    return sorted(rows, key=lambda row: order.index(row.key) if row.key in order else len(order))


def by_field(observations: Iterable[Observation], table: Calibration, method: str, *, masks_keys: bool) -> list[MethodRow]:
    """Return the fields of a method, those with the most labels first."""
    its = [each for each in observations if each.method == method]
    rows = _grouped(its, table, lambda each: each.node_path[-1], mask_path if masks_keys else str)
    return sorted(rows, key=lambda row: (-row.share.labels, row.key))


def _grouped(
    observations: Iterable[Observation], table: Calibration, key: Callable[[Observation], str], name: Callable[[str], str]
) -> list[MethodRow]:
    groups: dict[str, list[Observation]] = {}
    for each in judged(observations):
        if each.claims:
            groups.setdefault(key(each), []).append(each)
    return [_row(group, name(group), its, table) for group, its in groups.items()]


def _row(key: str, name: str, its: Sequence[Observation], table: Calibration) -> MethodRow:
    share = weighted_share([(each, bool(each.is_used)) for each in its])
    shown = sum(table.confidence(each.node_path, each.score) for each in its) / len(its)
    return MethodRow(key, name, share, shown, _verdict(share, shown))


def _verdict(share: Share, shown: float) -> Badge:
    if share.labels < FEWEST_TO_TELL:
        return Badge("Cannot tell yet", "unsure", "unsure", f"Under {FEWEST_TO_TELL} labels")
    if share.unweighted_interval.low <= shown <= share.unweighted_interval.high:
        return Badge("Holds", "good", "check", "Inside the interval of what was right")
    off = shown - (share.unweighted or 0)
    return Badge(f"Too {'high' if off > 0 else 'low'} by {abs(off):.2f}", "warn", "differs", "Outside the interval of what was right")


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


def build_combination(seen: SeenCombination, now: datetime, method: str, *, masks_keys: bool) -> CombinationPage:
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
