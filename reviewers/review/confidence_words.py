"""How a confidence explains itself on a row, and what stands above the rows of an answer whose figures are scores."""

from __future__ import annotations

from attribution import Attribution, Estimate
from reviewers.review.models import QueueItem
from reviewers.review.words import Badge
from reviewers.snapshots import choosing
from reviewers.snapshots.stored_profiles import Carried, read_carried, read_cutoff

CALIBRATED = Badge("Calibrated", "Figures are confidences, learned from reviewers’ labels.", "good", "check")
UNCALIBRATED = Badge(
    "Uncalibrated combination: scores",
    "No profile is active for this model, prompt, schema and engine. The figures are raw scores, not probabilities.",
    "warn",
    "unsure",
)
FROM_BEFORE = Badge(
    "Scores, from before calibration",
    "This answer was attributed before a profile was active for its combination. The figures are raw scores, not probabilities.",
    "warn",
    "unsure",
)

SUSPENDED = Badge(
    "Profile suspended: scores",
    "What was learned for this model, prompt and schema is not believed for now. Until a lead has looked, the figures are raw scores.",
    "bad",
    "pause",
)

_PLACES = ("this rule", "this type of field", "this field")


_OF_SCORES = {
    choosing.Standing.NONE: UNCALIBRATED,
    choosing.Standing.ACTIVE: FROM_BEFORE,
    choosing.Standing.SUSPENDED: SUSPENDED,
}


def calibration_badge(row: QueueItem, *, is_calibrated: bool, is_suspended: bool) -> Badge:
    """What the figures of an answer are. Asked once a page, and of the database only where they are scores."""
    if is_calibrated:
        return CALIBRATED
    if is_suspended:
        return SUSPENDED
    snapshot = row.snapshot
    names = choosing.Combination(snapshot.model, snapshot.prompt_version, snapshot.schema_version)
    return _OF_SCORES[choosing.standing_of(row.organisation_id, names)]


def cutoff_of(attribution: Attribution) -> float | None:
    """The cut-off of the profile that an answer was attributed under; nothing where its figures are scores."""
    return read_cutoff(attribution.profile) if attribution.is_calibrated else None


def carried_of(attribution: Attribution) -> Carried | None:
    """Whose counts explain the confidences of an answer, where its profile was taken over from another combination."""
    return read_carried(attribution.profile) if attribution.is_calibrated else None


def explain_carried(carried: Carried, rule: str) -> str:
    """Where counts come from that are not those of this combination: whose they are, and by how much and why they were moved."""
    moved = f"{carried.shift_of(rule):+.2f}".replace("-", "−")
    return f"carried over from {carried.profile}, of another combination, by a shift of {moved} log odds from {carried.labels} labels here"


def explain(estimate: Estimate, carried: Carried | None = None) -> str:
    """``14 labels on this field, 212 on this rule; 12 of 14 right``: the nearest labels first, and where the counts come from."""
    last = estimate.counted[-1]
    nearest_first = list(zip(estimate.counted, _PLACES, strict=False))[::-1]
    counts = [f"{each.labels} on {place}" for each, place in nearest_first]
    counts[0] = counts[0].replace(" on ", " labels on " if last.labels != 1 else " label on ", 1)
    said = f"{', '.join(counts)}; {last.right} of {last.labels} right"
    return f"{said}, {explain_carried(carried, estimate.counted[0].node)}" if carried else said
