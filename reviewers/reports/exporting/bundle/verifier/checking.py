"""Verifies a bundle: everything, in the order in which one thing rests on another."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from reviewers.ledger.merkle.checkpoint import Checkpoint
from reviewers.reports.exporting.bundle.verifier.disclosed import Disclosed
from reviewers.reports.exporting.bundle.verifier.doubt import Doubt
from reviewers.reports.exporting.bundle.verifier.opening import Files, open_bundle
from reviewers.reports.exporting.bundle.verifier.reading import Documents, Report
from reviewers.reports.exporting.bundle.verifier.sealed import Event, Events, read_checkpoints, read_keys
from reviewers.reports.exporting.bundle.verifier.told import DEIDENTIFIED, MASKED, Checker

MADE = "report.made"
PART = "report.sha256"
VERIFIER = "verifier_sha256"


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
    sealed_since: int
    blind: int
    keys: Sequence[str]


def verify(source: str | IO[bytes], trusted: Sequence[str] = ()) -> Verified:
    """Check all of a bundle; ``trusted`` are keys known from elsewhere. Raises ``Doubt`` at the first thing that does not hold."""
    with open_bundle(source) as files:
        return _verify(files, trusted)


def _verify(files: Files, trusted: Sequence[str]) -> Verified:
    keys = read_keys(files, trusted)
    checkpoints = read_checkpoints(files, keys)
    events = Events(files, checkpoints)
    disclosed = Disclosed(events)
    report = Report(files)
    profile = _profile_of(report.head)
    documents = Documents(files)
    checker = Checker(events, disclosed, documents, is_masked=profile == MASKED)
    made = [event for event in _proven(events, disclosed, checker) if event.body["action"] == MADE]
    for answer in report.answers():
        checker.blind += _is_withheld(answer)
        if profile != DEIDENTIFIED:
            _check_answer(checker, answer)
    exported = _check_export(files, made, disclosed)
    documents.check_asked()
    return Verified(
        title=report.head["title"],
        organisation=report.head["organisation"],
        answers=report.count,
        files=len(files),
        checkpoints=list(checkpoints.values()),
        events=len(events),
        values=checker.values,
        labels=checker.labels,
        signatures=checker.signatures,
        exported=exported,
        redacted=checker.redacted,
        masked=checker.masked,
        is_deidentified=profile == DEIDENTIFIED,
        withheld_parts=disclosed.withheld_parts,
        withheld_rows=disclosed.withheld_rows,
        waiting=report.end["waiting"],
        sealed_since=checker.sealed_since,
        blind=checker.blind,
        keys=[str(key) for key in keys],
    )


def _proven(events: Events, disclosed: Disclosed, checker: Checker) -> Iterator[Event]:
    for event in events.prove():
        disclosed.check(event)
        checker.meet(event)
        yield event


def _is_withheld(answer: Mapping[str, Any]) -> bool:
    return bool(answer.get("is_withheld"))


def _profile_of(head: Mapping[str, Any]) -> str:
    """How much the report tells. Whoever changes it in the report changes the report, and its digest is sealed."""
    try:
        return str(dict(head["facts"]).get("Text", "full"))
    except (KeyError, TypeError, ValueError) as error:
        raise Doubt("report.jsonl", f"its head cannot be read: {error!r}") from error


def _check_answer(checker: Checker, answer: Mapping[str, Any]) -> None:
    try:
        checker.check(answer)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, zlib.error) as error:
        raise Doubt(f"report.jsonl, answer {answer.get('number')}", f"it is not an answer of a report: {error!r}") from error


def _check_export(files: Files, made: Sequence[Event], disclosed: Disclosed) -> Event:
    """The report is, byte for byte, the one whose making was sealed."""
    if len(made) != 1:
        raise Doubt("events.jsonl", "there is no event of this report's making, or more than one")
    digest = disclosed.part(made[0], PART)
    if digest is None:
        raise Doubt(made[0].where, "the digest of the report is not disclosed")
    if digest != files.digest("report.jsonl"):
        raise Doubt("report.jsonl", "it is not the report that was exported")
    if made[0].body.get("details", {}).get(VERIFIER) != files.digest("verify.py").hex():
        raise Doubt("verify.py", "it is not the program whose digest was sealed with the report")
    return made[0]
