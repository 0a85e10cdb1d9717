"""Protected text in files: what is invisible is made visible, what a program would run is made harmless."""

from __future__ import annotations

import re

from reviewers.reports.exports.schema import Agreed, Calibrated, FieldRow, Figure, ReportedDecision
from reviewers.review import wording
from reviewers.web.templatetags.text import named_in_brackets

_FORMULA = re.compile(r"[\s\x00-\x20]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]")
_PLAIN = re.compile("[A-Za-z0-9][\t\n -~\xa1-\xac\xae-\u024f\u2010-\u2027]*")
"""Most cells: no formula, and nothing in them that would be named."""
_NUMBER = re.compile(r"[+-]?\d[\d.,]*%?", re.ASCII)
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME = 60


def visible(text: str) -> str:
    """A text with control, zero-width and bidirectional characters named in brackets; line ends stay."""
    return named_in_brackets(text.replace("\r\n", "\n"))


def cell(text: str) -> str:
    """A text for a cell of a spreadsheet: nothing in it is taken for a formula, which an apostrophe before it says."""
    if not text or _PLAIN.fullmatch(text):
        return text
    shown = visible(text)
    if _FORMULA.match(shown) and not _NUMBER.fullmatch(shown):
        return f"'{shown}"
    return shown


def file_name(title: str, ending: str) -> str:
    """A name for a file: plain letters, digits and dashes, so that it is no path and no command anywhere."""
    plain = _UNSAFE.sub("-", title.encode("ascii", "replace").decode())[:_LONGEST_NAME].strip("-_")
    return f"footnote-{plain or 'report'}.{ending}".lower()


# Rows and moments in the words of files for people.


_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{6}Z")


def found_by(row: FieldRow) -> str:
    """By which method and rule, as the review page says it."""
    if row.is_seeded:
        return wording.PLANTED
    if row.track == "neither":
        return "withheld from the prompt" if row.is_hidden else "not found"
    return f"{wording.METHODS.get(row.method, row.method)}, {wording.rule_in_words(row.rule)}"


def track_of(row: FieldRow) -> str:
    """The two tracks side by side."""
    return wording.TRACKS[row.track]


FIGURES = {
    "percent": "pairs of verdicts that agree",
    "positive": "agreement on what is right",
    "negative": "agreement on what is wrong",
    "cohen": "Cohen's kappa",
    "fleiss": "Fleiss' kappa",
    "alpha": "Krippendorff's alpha",
    "ac1": "Gwet's AC1",
}


def decided(each: ReportedDecision) -> str:
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
