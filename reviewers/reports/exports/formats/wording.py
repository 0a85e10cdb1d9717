"""The words of report files, and protected text in them: invisible characters are named, and formulas are made harmless."""

from __future__ import annotations

import re

from reviewers.reports.exports.schema import Agreed, Calibrated, FieldRow, Figure, ReportedDecision
from reviewers.review import wording
from reviewers.web.protected_text import named_in_brackets

_FORMULA = re.compile(r"[\s\x00-\x20]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]")
_PLAIN = re.compile("[A-Za-z0-9][\t\n -~\xa1-\xac\xae-\u024f\u2010-\u2027]*")
"""Matches most cells, which cannot be formulas and have no characters to be named."""

_NUMBER = re.compile(r"[+-]?\d[\d.,]*%?", re.ASCII)
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME = 60

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{6}Z")
FIGURES = {
    "percent": "pairs of verdicts that agree",
    "positive": "agreement on what is right",
    "negative": "agreement on what is wrong",
    "supports": "agreement on what a source supports",
    "does_not_say": "agreement on what a source does not say",
    "contradicts": "agreement on what a source contradicts",
    "cohen": "Cohen's kappa",
    "fleiss": "Fleiss' kappa",
    "alpha": "Krippendorff's alpha",
    "ac1": "Gwet's AC1",
}


def visible(text: str) -> str:
    """Return a text with control, zero-width and bidirectional characters named in brackets. Line ends are kept."""
    return named_in_brackets(text.replace("\r\n", "\n"))


def cell(text: str) -> str:
    """Return a text for a cell of a spreadsheet. An apostrophe before what looks like a formula makes it a text."""
    if not text or _PLAIN.fullmatch(text):
        return text
    shown = visible(text)
    if _FORMULA.match(shown) and not _NUMBER.fullmatch(shown):
        return f"'{shown}"
    return shown


def file_name(title: str, ending: str) -> str:
    """Return a name for a file in plain letters, digits and dashes, so that it is no path and no command on any system."""
    plain = _UNSAFE.sub("-", title.encode("ascii", "replace").decode())[:_LONGEST_NAME].strip("-_")
    return f"footnote-{plain or 'report'}.{ending}".lower()


def found_by(row: FieldRow) -> str:
    """Return the method and the rule of a field in the words of the review page."""
    if row.is_seeded:
        return wording.PLANTED
    if row.track == "neither":
        return "withheld from the prompt" if row.is_hidden else "not found"
    return f"{wording.METHODS.get(row.method, row.method)}, {wording.rule_in_words(row.rule)}"


def decided(each: ReportedDecision) -> str:
    """Return a decision in words: ``safety.risk_level: wrong, decided by Leda Lund, …: …``."""
    if each.outcome == "conflict":
        return f"{each.name}: reviewers differ, and nobody has decided yet"
    verdict = each.verdict.replace("_", " ") if each.verdict != "none" else "no verdict"
    if each.by:
        return f"{each.name}: {verdict}, decided by {each.by}, {shortly(each.at)}: {each.reason}"
    return f"{each.name}: {verdict}, by the labels alone ({each.rule.lower()})"


def figure(each: Figure) -> str:
    """Return a measure of agreement in words: ``Gwet's AC1 0.81 (0.74 to 0.88)``."""
    value = "cannot be told" if each.value is None else f"{each.value:.2f}"
    interval = f" ({each.low:.2f} to {each.high:.2f})" if each.low is not None and each.high is not None else ""
    return f"{FIGURES[each.name]} {value}{interval}"


def agreed(each: Agreed) -> str:
    """Return the agreement between reviewers in a sentence."""
    told = "; ".join(map(figure, each.figures)) or "too few to tell anything"
    return f"{each.rows} {each.what} judged by two or more reviewers: {told}."


def combination(each: Calibrated) -> str:
    """Return a combination in words: ``caremate-4, match v18, schema 3, engine 1.2``."""
    parts = [each.model or "no model named", each.prompt or "no prompt named", each.schema and f"schema {each.schema}"]
    return ", ".join([part for part in parts if part] + [f"engine {each.engine}"])


def calibration(each: Calibrated) -> str:
    """Return the state of a combination's profile in a sentence."""
    answers = f"{each.answers} answer{'' if each.answers == 1 else 's'}"
    if each.state == "uncalibrated":
        return f"{answers} under {each.profile}, which is uncalibrated: what is shown are scores, no confidences."
    told = f"{answers} under {each.profile}, made from {each.labels} labels"
    approved = f", approved by {each.approved_by}, {shortly(each.approved_at)}" if each.approved_by else ""
    retired = f" Retired by {each.retired_by}, {shortly(each.retired_at)}: {each.reason}." if each.retired_by else ""
    return f"{told}{approved}; {each.state} now.{retired}"


def shortly(moment: str) -> str:
    """Return a text with short moments: ``2026-03-04 01:42:08 UTC``."""
    return _MOMENT.sub(r"\1 \2 UTC", moment)
