"""Labels in, honest confidence out: estimates, tests, thresholds, guarantees, agreement, alarms and profiles.

Everything is a pure function of its arguments; chance comes in as a generator with a seed. This is the second front door, beside
that of the engine: what is exported here is public, the modules are not.
"""

from __future__ import annotations

from attribution.calibration.agreement import Agreement, Coefficient, agreement, cohen_kappa
from attribution.calibration.chance import Chance, folds
from attribution.calibration.choice import Choice, choose
from attribution.calibration.cox import CoxTest, Verdict, cox_test
from attribution.calibration.discrimination import Discrimination, discrimination
from attribution.calibration.drift import PrecisionMonitor, RateMonitor, culprits, overall, shifted, watch, watch_precision
from attribution.calibration.evaluation import Cell, Evaluation, cells, cross_validated, evaluate, forecasts_of, rounded
from attribution.calibration.forecast import Forecast, Mean, brier, gain, log_loss, squared_error, surprise
from attribution.calibration.gates import Attention, Gate, attention, fit_gates, reviewer_gates
from attribution.calibration.guarantee import Certificate, Shortfall, Step, certify, chance_to_certify, labels_to_certify
from attribution.calibration.intervals import Interval, clopper_pearson, exact_lower, exact_upper, wilson
from attribution.calibration.observation import NOTHING, Observation, Scope, Stream, judged
from attribution.calibration.planning import Need, labels_for_margin, margin_of, need
from attribution.calibration.powered import Powered, prediction_powered
from attribution.calibration.record import Imported, LabelSet, Record, label_digest, label_set
from attribution.calibration.reliability import Bin, CalibrationError, calibration_error, reliability_curve, squared_error_debiased
from attribution.calibration.shadow import Change, ShadowReport, ShadowRow, changes, compare
from attribution.calibration.staleness import Staleness, changed_parts, reasons_to_doubt
from attribution.calibration.sweep import Point, point_at, sweep
from attribution.calibration.transferring import Shift, estimate_shift, is_refit_better, shift_between, shifted_table, transfer
from attribution.calibration.tree_beta import Node, State, TreeBeta, fit, read_tree, state_of
from attribution.calibration.weighting import Accuracy, Share, accuracy, design_effect, weighted_share
from attribution.confidence import Calibration, node_path, path_of_row, read_calibration

__all__ = [
    "NOTHING",
    "Accuracy",
    "Agreement",
    "Attention",
    "Bin",
    "Calibration",
    "CalibrationError",
    "Cell",
    "Certificate",
    "Chance",
    "Change",
    "Choice",
    "Coefficient",
    "CoxTest",
    "Discrimination",
    "Evaluation",
    "Forecast",
    "Gate",
    "Imported",
    "Interval",
    "LabelSet",
    "Mean",
    "Need",
    "Node",
    "Observation",
    "Point",
    "Powered",
    "PrecisionMonitor",
    "RateMonitor",
    "Record",
    "Scope",
    "ShadowReport",
    "ShadowRow",
    "Share",
    "Shift",
    "Shortfall",
    "Staleness",
    "State",
    "Step",
    "Stream",
    "TreeBeta",
    "Verdict",
    "accuracy",
    "agreement",
    "attention",
    "brier",
    "calibration_error",
    "cells",
    "certify",
    "chance_to_certify",
    "changed_parts",
    "changes",
    "choose",
    "clopper_pearson",
    "cohen_kappa",
    "compare",
    "cox_test",
    "cross_validated",
    "culprits",
    "design_effect",
    "discrimination",
    "estimate_shift",
    "evaluate",
    "exact_lower",
    "exact_upper",
    "fit",
    "fit_gates",
    "folds",
    "forecasts_of",
    "gain",
    "is_refit_better",
    "judged",
    "label_digest",
    "label_set",
    "labels_for_margin",
    "labels_to_certify",
    "log_loss",
    "margin_of",
    "need",
    "node_path",
    "overall",
    "path_of_row",
    "point_at",
    "prediction_powered",
    "read_calibration",
    "read_tree",
    "reasons_to_doubt",
    "reliability_curve",
    "reviewer_gates",
    "rounded",
    "shift_between",
    "shifted",
    "shifted_table",
    "squared_error",
    "squared_error_debiased",
    "state_of",
    "surprise",
    "sweep",
    "transfer",
    "watch",
    "watch_precision",
    "weighted_share",
    "wilson",
]
