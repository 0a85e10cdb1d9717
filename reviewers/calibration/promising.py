"""What a profile can promise of the rows from a confidence up, going by audit labels that it has not learned from."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from attribution.calibration import Calibration, Certificate, Observation, certify, judged
from reviewers.calibration.cutting import CUTOFFS


def promise(held: Sequence[Observation], table: Calibration) -> Certificate:
    """The lowest confidence from which precision is promised; or what is missing.

    Audits draw answers, so of each answer one row is tested: the first that reaches the cut-off, in the order of a digest.
    """
    claims = sorted((each for each in judged(held) if each.claims), key=lambda each: sha256(each.id.encode()).digest())
    labelled = [(table.confidence(each.node_path, each.score), bool(each.is_used)) for each in claims]
    return certify(labelled, CUTOFFS, units=[each.message for each in claims])
