"""The words of report files, and protected text in them: invisible characters are named, and formulas are made harmless."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from reviewers.ledger.events import ACTION_WORDS
from reviewers.reports.exports.events import JUDGING
from reviewers.reports.exports.report import Answer, ReportedEvent
from reviewers.reports.exports.schema import Agreed, Calibrated, FieldRow, Figure, ReportedDecision
from reviewers.review import wording
from reviewers.review.adjudication.decisions import VERDICTS
from reviewers.review.models import ClaimVerdict, DecidedKind
from reviewers.snapshots.field_labels import label_of
from reviewers.web.protected_text import named_in_brackets

_FORMULA = re.compile(r"[\s\x00-\x20]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]")
_PLAIN = re.compile("[A-Za-z0-9][\t\n -~\xa1-\xac\xae-\u024f\u2010-\u2027]*")
"""Matches most cells, which cannot be formulas and have no characters to be named."""

_NUMBER = re.compile(r"[+-]?\d[\d.,]*%?", re.ASCII)
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME = 60

_WRITTEN = "%Y-%m-%dT%H:%M:%S.%fZ"
_VERDICTS = VERDICTS | {value: str(label) for value, label in ClaimVerdict.choices}
FIGURES = {
    "percent": "pairs of verdicts that agree",
    "positive": "agreement on what is right",
    "negative": "agreement on what is wrong",
    "supports": "agreement on what a source supports",
    "does_not_say": "agreement on what a source does not say",
    "contradicts": "agreement on what a source contradicts",
    "unsupported": "agreement on what is not in the record",
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


def decisions_in(answer: Answer) -> list[str]:
    """Return the decisions on an answer in words: ``Risk level (safety.risk_level): wrong, decided by Leda Lund, …: …``."""
    return [_decided(each, name) for each, name in zip(answer.decisions, _decided_names(answer), strict=True)]


def _decided_names(answer: Answer) -> Iterator[str]:
    """Yield the name of what each decision is on: a field's with its path, and a claim's with its words. Attention checks say so."""
    checks = {f"{row.section}.{row.path}" for row in answer.rows if row.is_seeded}
    labels = {f"{row.section}.{row.path}": label_of(row) for row in answer.rows}
    words = {f"claim {number}": claim.place.text for number, claim in enumerate(answer.unsupported, start=1) if claim.place}
    for each in answer.decisions:
        if each.kind == DecidedKind.CLAIM:
            yield f"Claim “{words[each.name]}”" if each.name in words else each.name.capitalize()
        else:
            name = f"{labels[each.name]} ({each.name})" if each.name in labels else each.name
            yield f"{name}, {wording.PLANTED.lower()}" if each.name in checks else name


def _decided(each: ReportedDecision, name: str) -> str:
    if each.outcome == "conflict":
        return f"{name}: reviewers differ, and nobody has decided yet"
    verdict = verdict_in_words(each.verdict).lower()
    if each.by:
        return f"{name}: {verdict}, decided by {each.by}, {shortly(each.at)}: {each.reason}"
    return f"{name}: {verdict}, by the labels alone ({each.rule.lower()})"


def verdict_in_words(verdict: str) -> str:
    """Return a verdict in the words of the review page."""
    return _VERDICTS.get(verdict, verdict.replace("_", " "))


def finding_title(code: str) -> str:
    """Return the title of a finding or of a problem of a citation."""
    return wording.GUARDRAILS.get(code) or wording.ISSUES.get(code) or code.replace("_", " ")


def event_in_words(event: ReportedEvent) -> str:
    """Return what happened, with the field or source that it is about: ``saved a label: Risk level, wrong``."""
    words = ACTION_WORDS.get(event.action, event.action)
    about = label_of(event) if event.path else f"document {event.source}" if event.source else ""
    verdict = verdict_in_words(event.verdict).lower() if event.verdict else ""
    told = ", ".join(filter(None, (about, verdict)))
    if not told and event.action in JUDGING:
        return f"{words}, which no finished review counts"
    return f"{words}: {told}" if told else words


def state_in_words(answer: Answer) -> str:
    """Return how far an answer is in review."""
    return {"to_do": "not reviewed yet", "skipped": "set aside by a reviewer", "submitted": "review finished"}.get(
        answer.state, answer.state
    )


def sureness(row: FieldRow, *, is_calibrated: bool) -> str:
    """Return a calibrated confidence with its interval, or the score of a row that has none. It says which where both occur."""
    if row.track == "neither":
        return "–"
    if row.low is not None and row.high is not None:
        return f"{row.confidence:.2f} ({row.low:.2f}–{row.high:.2f})"
    return f"score {row.score:.2f}" if is_calibrated else f"{row.score:.2f}"


def rows_in_order(answer: Answer) -> list[FieldRow]:
    """Return the fields by footnote, then those without one in the order of the answer's text, and last those that it does not use."""
    return sorted(answer.rows, key=_place)


def _place(row: FieldRow) -> tuple[bool, int, bool, int]:
    starts = [each.start for each in (*row.spans, *row.claims)]
    return (row.footnote is None, row.footnote or 0, not starts, min(starts, default=0))


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
    """Return a moment of the report in words: ``4 Mar 2026, 01:42:08 UTC``. A text that is no moment stays as it is."""
    try:
        read = datetime.strptime(moment, _WRITTEN).replace(tzinfo=UTC)
    except ValueError:
        return moment
    return f"{read.day} {read:%b %Y, %H:%M:%S} UTC"


def day(moment: str) -> str:
    """Return the day of a moment of the report: ``4 Mar 2026``."""
    return shortly(moment).partition(",")[0]


def times(number: int, one: str) -> str:
    """Return a number with its noun: ``1 answer``, ``1,200 answers``."""
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"
