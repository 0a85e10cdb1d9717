"""Verifies a bundle: everything, in the order in which one thing rests on another."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from reviewers.ledger.merkle.checkpoint import Checkpoint
from reviewers.ledger.merkle.strict import decode
from reviewers.reports.exporting.bundle.verifier.disclosed import Disclosed, open_all
from reviewers.reports.exporting.bundle.verifier.doubt import Doubt
from reviewers.reports.exporting.bundle.verifier.opening import Files, open_bundle, read_lines
from reviewers.reports.exporting.bundle.verifier.sealed import Event, read_checkpoints, read_events, read_keys
from reviewers.reports.exporting.bundle.verifier.told import DEIDENTIFIED, MASKED, Checker

MADE = "report.made"
PART = "report.sha256"


@dataclass(frozen=True, slots=True)
class Verified:
    """What was checked and holds."""

    title: str
    organisation: str
    answers: int
    files: int
    checkpoints: Sequence[Checkpoint]
    events: int
    values: int
    labels: int
    signatures: int
    exported: Event
    redacted: int
    masked: int
    is_deidentified: bool
    withheld_parts: int
    withheld_rows: int
    waiting: int
    blind: int
    keys: Sequence[str]


def verify(source: str | IO[bytes], trusted: Sequence[str] = ()) -> Verified:
    """Check all of a bundle; ``trusted`` are keys known from elsewhere. Raises ``Doubt`` at the first thing that does not hold."""
    files = open_bundle(source)
    keys = read_keys(files, trusted)
    checkpoints = read_checkpoints(files, keys)
    events = read_events(files, checkpoints)
    disclosed = open_all(events)
    head, answers, end = _read_report(files)
    profile = _profile_of(head)
    checker = Checker(events, disclosed, _read_documents(files), is_masked=profile == MASKED)
    for answer in answers if profile != DEIDENTIFIED else ():
        _check_answer(checker, answer)
    return Verified(
        title=head["title"],
        organisation=head["organisation"],
        answers=len(answers),
        files=len(files),
        checkpoints=list(checkpoints.values()),
        events=len(events),
        values=checker.values,
        labels=checker.labels,
        signatures=checker.signatures,
        exported=_check_export(files, events, disclosed),
        redacted=checker.redacted,
        masked=checker.masked,
        is_deidentified=profile == DEIDENTIFIED,
        withheld_parts=disclosed.withheld_parts,
        withheld_rows=disclosed.withheld_rows,
        waiting=end["waiting"],
        blind=sum(answer["is_withheld"] for answer in answers),
        keys=[str(key) for key in keys],
    )


def _profile_of(head: Mapping[str, Any]) -> str:
    """How much the report tells. Whoever changes it in the report changes the report, and its digest is sealed."""
    try:
        return str(dict(head["facts"]).get("Text", "full"))
    except (KeyError, TypeError, ValueError) as error:
        raise Doubt("report.jsonl", f"its head cannot be read: {error!r}") from error


def _check_answer(checker: Checker, answer: Mapping[str, Any]) -> None:
    try:
        checker.check(answer)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise Doubt(f"report.jsonl, answer {answer.get('number')}", f"it is not an answer of a report: {error!r}") from error


def _read_report(files: Files) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]], Mapping[str, Any]]:
    lines = read_lines(files, "report.jsonl")
    kinds = [line.get("part") if isinstance(line, dict) else None for line in lines]
    if len(lines) < 2 or kinds != ["head", *["answer"] * (len(lines) - 2), "end"]:
        raise Doubt("report.jsonl", "it does not go from a head over answers to an end")
    head, answers, end = lines[0], lines[1:-1], lines[-1]
    if end.get("answers") != len(answers) or [each.get("number") for each in answers] != list(range(1, len(answers) + 1)):
        raise Doubt("report.jsonl", "answers are missing, or there are too many")
    return head, answers, end


def _read_documents(files: Files) -> dict[str, bytes]:
    try:
        contents = [decode(line) for line in read_lines(files, "documents.jsonl")]
    except (ValueError, TypeError) as error:
        raise Doubt("documents.jsonl", f"it cannot be read: {error}") from error
    return {hashlib.sha256(content).hexdigest(): content for content in contents}


def _check_export(files: Files, events: Mapping[str, Event], disclosed: Disclosed) -> Event:
    """The report is, byte for byte, the one whose making was sealed."""
    made = [event for event in events.values() if event.body["action"] == MADE]
    if len(made) != 1:
        raise Doubt("events.jsonl", "there is no event of this report's making, or more than one")
    digest = disclosed.part(made[0], PART)
    if digest is None:
        raise Doubt(made[0].where, "the digest of the report is not disclosed")
    if digest != hashlib.sha256(files["report.jsonl"]).digest():
        raise Doubt("report.jsonl", "it is not the report that was exported")
    return made[0]
