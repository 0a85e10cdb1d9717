"""Fitting a profile to labels, evaluating it, and certifying its precision on labels held out.

Nothing is read or written here: the same labels give the same profile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import Any

from attribution import DEFAULT_PROFILE, Profile, calibrated
from attribution.calibration import (
    Bin,
    Calibration,
    Certificate,
    Choice,
    Forecast,
    Gate,
    LabelSet,
    Observation,
    Record,
    Scope,
    TreeBeta,
    cells,
    certify,
    cross_validated,
    evaluate,
    fit,
    fit_gates,
    forecasts_of,
    is_refit_better,
    judged,
    label_set,
    read_calibration,
    reliability_curve,
    rounded,
    shift_between,
    shifted_table,
    transfer,
)
from reviewers.calibration.cutoffs import CUTOFFS, USUAL, Swept, choose_cutoff, claimed_only
from reviewers.calibration.labels.dataset import Dataset


def guarantee(held: Sequence[Observation], table: Calibration) -> Certificate:
    """Return the certificate for the lowest confidence from which a precision is promised, or for what is missing.

    Audits draw answers, so one row of each answer is tested: the first that reaches the cut-off, in the order of a digest.
    """
    claims = sorted((each for each in judged(held) if each.claims), key=lambda each: sha256(each.id.encode()).digest())
    labelled = [(table.confidence(each.node_path, each.score), bool(each.is_used)) for each in claims]
    return certify(labelled, CUTOFFS, units=[each.message for each in claims])


FEWEST = 100
"""The fewest labels for a profile of its own."""

FEWEST_TO_TRANSFER = 50
"""The fewest labels for shifting another profile."""

SCORES = Calibration({})
"""A table without estimates, which returns the scores."""


@dataclass(frozen=True, slots=True)
class FittedProfile:
    """A fitted profile: its table, the set of its labels, the record of both, and the engine's profile."""

    calibrator: TreeBeta
    labels: LabelSet
    record: dict[str, Any]
    profile: Profile


def fit_profile(gathered: Dataset, scope: Scope, parent: str | None) -> FittedProfile:
    """Fit a profile, evaluate it by cross-validation, choose a cut-off, and certify its precision on the labels held out.

    The certificate is for the rounded numbers in the record, since these are shown.
    """
    calibrator = fit(gathered.observations)
    labels = label_set(gathered.observations, gathered.excluded, gathered.imports)
    tested, forecasts = cross_validated(gathered.observations)
    chosen = choose_cutoff(Swept(claimed_only(tested, forecasts), CUTOFFS, USUAL))
    table = read_calibration({"calibrator": rounded(calibrator.document())})
    record = Record(
        scope=scope,
        calibrator=calibrator,
        labels=labels,
        parent=parent,
        thresholds={**gathered.thresholds, "confidence": chosen.threshold},
        certificates=[guarantee(gathered.held, table)],
        audit=label_set(gathered.held) if gathered.held else None,
        evaluation=_evaluation(tested, forecasts, calibrator, labels) | {"cutoff": _choice_document(chosen)},
    ).document()
    return FittedProfile(calibrator, labels, record, calibrated(DEFAULT_PROFILE, record))


def transfer_profile(gathered: Dataset, scope: Scope, parent: str, old: TreeBeta) -> FittedProfile:
    """Shift a profile by the labels of another combination; raise ``ValueError`` if there are too few."""
    observations = gathered.observations
    calibrator = transfer(old, observations)
    labels = label_set(observations, gathered.excluded, gathered.imports)
    tested, forecasts = cross_validated(observations, make=lambda its: shifted_table(old, its))
    evaluation = _evaluation(tested, forecasts, calibrator, labels, FEWEST_TO_TRANSFER)
    better = is_refit_better(old, observations)
    because = "these labels alone make a better table: propose a profile of them" if better else "these labels alone make no better table"
    evaluation["gates"].append(_gate_document(Gate("no refit", not better, because)))
    record = Record(
        scope=scope,
        calibrator=calibrator,
        labels=labels,
        parent=parent,
        is_transfer=True,
        thresholds=gathered.thresholds,
        shift=shift_between(old, observations).document(),
        evaluation=evaluation,
    ).document()
    return FittedProfile(calibrator, labels, record, calibrated(DEFAULT_PROFILE, record))


def _evaluation(
    tested: Sequence[Observation], forecasts: Sequence[Forecast], calibrator: TreeBeta, labels: LabelSet, fewest: int = FEWEST
) -> dict[str, Any]:
    """Return the evaluation of confidences against scores, on rows that claim something: only these show a number.

    Each confidence is from a fit without its label. Which of the other rows are labelled is up to reviewers, so they say nothing about how
    often the number is right; they are counted.
    """
    claims = [(each, forecast) for each, forecast in zip(tested, forecasts, strict=True) if each.claims]
    rows, after = [each for each, _ in claims], [forecast for _, forecast in claims]
    chance = Random(labels.digest)  # noqa: S311 — reproducible draws
    found = evaluate(forecasts_of(rows, SCORES), after, chance)
    gates = fit_gates(found, cells(rows, SCORES, calibrator.table), fewest)
    return found.document() | {
        "curve": [_bin_document(each) for each in reliability_curve(after)],
        "gates": [_gate_document(each) for each in gates],
        "unfound": len(tested) - len(claims),
    }


def _choice_document(choice: Choice) -> dict[str, Any]:
    return {"present": USUAL, "changed": choice.is_changed, "gain": choice.gain, "error": choice.error}


def _bin_document(each: Bin) -> dict[str, Any]:
    bounds = {"interval": list(each.interval), "consistent": list(each.consistent), "inside": each.is_consistent}
    return {"labels": each.labels, "forecast": each.forecast, "share": each.share} | bounds


def _gate_document(gate: Gate) -> dict[str, Any]:
    return {"name": gate.name, "passed": gate.is_passed, "because": gate.because}
