"""Rows and moments in the words of files for people."""

from __future__ import annotations

import re

from reviewers.reports.exporting.concluded import Agreed, Calibrated, Decided, Figure
from reviewers.reports.exporting.told import Row
from reviewers.review import words

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{6}Z")


def found_by(row: Row) -> str:
    """By which method and rule, as the review page says it."""
    if row.is_seeded:
        return words.PLANTED
    if row.track == "neither":
        return "withheld from the prompt" if row.is_hidden else "not found"
    return f"{words.METHODS.get(row.method, row.method)}, {words.rule_in_words(row.rule)}"


def track_of(row: Row) -> str:
    """The two tracks side by side."""
    return words.TRACKS[row.track]


FIGURES = {
    "percent": "pairs of verdicts that agree",
    "positive": "agreement on what is right",
    "negative": "agreement on what is wrong",
    "cohen": "Cohen's kappa",
    "fleiss": "Fleiss' kappa",
    "alpha": "Krippendorff's alpha",
    "ac1": "Gwet's AC1",
}


def decided(each: Decided) -> str:
    """``safety.risk_level: wrong, decided by Leda Lund on … because …``."""
    if each.outcome == "conflict":
        return f"{each.name}: reviewers differ, and nobody has decided yet"
    verdict = each.verdict.replace("_", " ") if each.verdict != "none" else "no verdict"
    if each.by:
        return f"{each.name}: {verdict}, decided by {each.by}, {shortly(each.at)}: {each.reason}"
    return f"{each.name}: {verdict}, by the labels alone ({each.rule.lower()})"


def figure(each: Figure) -> str:
    """``Gwet's AC1 0.81 (0.74 to 0.88)``."""
    value = "cannot be told" if each.value is None else f"{each.value:.2f}"
    interval = f" ({each.low:.2f} to {each.high:.2f})" if each.low is not None and each.high is not None else ""
    return f"{FIGURES[each.name]} {value}{interval}"


def agreed(each: Agreed) -> str:
    """How far reviewers agree, in a sentence."""
    told = "; ".join(map(figure, each.figures)) or "too few to tell anything"
    return f"{each.rows} {each.what} judged by two or more reviewers: {told}."


def combination(each: Calibrated) -> str:
    """``caremate-4, match v18, schema 3, engine 1.2``."""
    parts = [each.model or "no model named", each.prompt or "no prompt named", each.schema and f"schema {each.schema}"]
    return ", ".join([part for part in parts if part] + [f"engine {each.engine}"])


def calibration(each: Calibrated) -> str:
    """How a combination's profile stands, in a sentence."""
    answers = f"{each.answers} answer{'' if each.answers == 1 else 's'}"
    if each.state == "uncalibrated":
        return f"{answers} under {each.profile}, which is uncalibrated: what is shown are scores, no confidences."
    told = f"{answers} under {each.profile}, made from {each.labels} labels"
    approved = f", approved by {each.approved_by}, {shortly(each.approved_at)}" if each.approved_by else ""
    retired = f" Retired by {each.retired_by}, {shortly(each.retired_at)}: {each.reason}." if each.retired_by else ""
    return f"{told}{approved}; {each.state} now.{retired}"


def shortly(moment: str) -> str:
    """``2026-03-04 01:42:08 UTC``."""
    return _MOMENT.sub(r"\1 \2 UTC", moment)
