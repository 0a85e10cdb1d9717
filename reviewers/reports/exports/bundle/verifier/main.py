"""Verify a bundle, everything in the order in which one thing rests on another: ``python verify.py bundle.zip``.

The program says in plain words what was checked and what was withheld.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from reviewers.ledger.merkle.notes import LogCheckpoint
from reviewers.reports.exports.bundle.verifier.claims import DEIDENTIFIED, MASKED, AnswerChecker, Documents
from reviewers.reports.exports.bundle.verifier.events import MADE, Disclosed, Events, SealedEvent, read_checkpoints, read_keys
from reviewers.reports.exports.bundle.verifier.files import Files, VerificationFailed, open_bundle, read_json

_REPORT = "report.jsonl"
PART = "report.sha256"
VERIFIER = "verifier_sha256"
EVIDENCE = "evidence_sha256"
_USAGE = "Usage: python verify.py BUNDLE [KEY ...]\nBUNDLE is the zip file, KEY a public key of the log that you have from elsewhere.\n"


class BundleReport:
    """The report of a bundle: its head, its answers, and its end, which is known once all answers were read."""

    def __init__(self, files: Files) -> None:
        self._lines = self._read(files)
        self.head: Mapping[str, Any] = next(self._lines, {})
        self.end: Mapping[str, Any] = {}
        self.count = 0
        if self.head.get("part") != "head":
            raise VerificationFailed(_REPORT, "it does not go from a head over answers to an end")

    def answers(self) -> Iterator[Mapping[str, Any]]:
        """Yield each answer in turn. Raise ``VerificationFailed`` if one is missing or too many."""
        for line in self._lines:
            if self.end or line.get("part") not in ("answer", "end"):
                raise VerificationFailed(_REPORT, "it does not go from a head over answers to an end")
            if line["part"] == "end":
                self.end = line
            else:
                self.count += 1
                if line.get("number") != self.count:
                    raise VerificationFailed(_REPORT, "answers are missing, or there are too many")
                yield line
        if not self.end:
            raise VerificationFailed(_REPORT, "it does not go from a head over answers to an end")
        if self.end.get("answers") != self.count:
            raise VerificationFailed(_REPORT, "answers are missing, or there are too many")

    def _read(self, files: Files) -> Iterator[Mapping[str, Any]]:
        for number, (_, line) in enumerate(files.lines(_REPORT), start=1):
            where = f"{_REPORT}, line {number}"
            told = read_json(where, line)
            if not isinstance(told, dict):
                raise VerificationFailed(where, "it is not a part of a report")
            yield told


@dataclass(frozen=True, slots=True)
class VerifiedBundle:
    """Everything that was checked and found right."""

    title: str
    organisation: str
    answers: int
    files: int
    checkpoints: Sequence[LogCheckpoint]
    events: int
    values: int
    labels: int
    signatures: int
    exported: SealedEvent
    redacted: int
    masked: int
    is_deidentified: bool
    withheld_parts: int
    withheld_rows: int
    waiting: int
    sealed_since: int
    blind: int
    keys: Sequence[str]
    requested: str = ""


def verify(source: str | IO[bytes], trusted: Sequence[str] = ()) -> VerifiedBundle:
    """Verify a bundle; ``trusted`` are keys known from elsewhere. Raise ``VerificationFailed`` at the first thing that is wrong."""
    with open_bundle(source) as files:
        try:
            return _verify(files, trusted)
        except (
            KeyError,
            TypeError,
            ValueError,
            AttributeError,
            IndexError,
            RecursionError,
        ) as error:  # whoever signs it may write anything
            raise VerificationFailed("the bundle", f"it says what no bundle says: {error!r}") from error


def _verify(files: Files, trusted: Sequence[str]) -> VerifiedBundle:
    keys = read_keys(files, trusted)
    checkpoints = read_checkpoints(files, keys)
    events = Events(files, checkpoints)
    disclosed = Disclosed(events)
    report = BundleReport(files)
    profile = _profile_of(report.head)
    documents = Documents(files)
    checker = AnswerChecker(events, disclosed, documents, is_masked=profile == MASKED)
    made = [event for event in _proven(events, disclosed, checker) if event.body["action"] == MADE]
    for answer in report.answers():
        checker.blind += _is_withheld(answer)
        if profile != DEIDENTIFIED:
            _check_answer(checker, answer)
    exported = _check_export(files, made, disclosed)
    checker.check_end(exported)
    documents.check_end()
    events.check_end()
    _check_evidence(exported, events.evidence())
    return VerifiedBundle(
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
        requested=_requested_in(report.head),
    )


def _proven(events: Events, disclosed: Disclosed, checker: AnswerChecker) -> Iterator[SealedEvent]:
    for event in events.prove():
        disclosed.check(event)
        checker.meet(event)
        yield event


def _is_withheld(answer: Mapping[str, Any]) -> bool:
    return bool(answer.get("is_withheld"))


def _profile_of(head: Mapping[str, Any]) -> str:
    """Return how much the report discloses. It is a part of the report, whose digest is sealed."""
    try:
        return str(dict(head["facts"]).get("Text", "full"))
    except (KeyError, TypeError, ValueError) as error:
        raise VerificationFailed("report.jsonl", f"its head cannot be read: {error!r}") from error


def _requested_in(head: Mapping[str, Any]) -> str:
    """Return who asked for the report, when and why, in words. Reports from before they said so give nothing."""
    told = head.get("requested")
    if not told:
        return ""
    try:
        why = f": {told['reason']}" if told["reason"] else ", with a reason that this report leaves out"
        return f"{told['by']}, {told['role']}, asked for it at {told['at']}{why}"
    except (KeyError, TypeError) as error:
        raise VerificationFailed("report.jsonl", f"its head cannot be read: {error!r}") from error


def _check_answer(checker: AnswerChecker, answer: Mapping[str, Any]) -> None:
    try:
        checker.check(answer)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, zlib.error) as error:
        raise VerificationFailed(f"report.jsonl, answer {answer.get('number')}", f"it is not an answer of a report: {error!r}") from error


def _check_evidence(made: SealedEvent, evidence: str) -> None:
    """Check that the evidence discloses and withholds what it did when the report was made.

    Otherwise a holder of a bundle could withhold a text, and it would pass for one that two people have redacted. Events from before the
    evidence was sealed do not name it.
    """
    if made.body.get("details", {}).get(EVIDENCE, evidence) != evidence:
        raise VerificationFailed("events.jsonl", "more is disclosed in it, or less, than when the report was made")


def _check_export(files: Files, made: Sequence[SealedEvent], disclosed: Disclosed) -> SealedEvent:
    """Check that the report is, byte for byte, the one whose making was sealed."""
    if len(made) != 1:
        raise VerificationFailed("events.jsonl", "there is no event of this report's making, or more than one")
    digest = disclosed.part(made[0], PART)
    if digest is None:
        raise VerificationFailed(made[0].where, "the digest of the report is not disclosed")
    if digest != files.digest("report.jsonl"):
        raise VerificationFailed("report.jsonl", "it is not the report that was exported")
    if made[0].body.get("details", {}).get(VERIFIER) != files.digest("verify.py").hex():
        raise VerificationFailed("verify.py", "it is not the program whose digest was sealed with the report")
    return made[0]


def main(arguments: Sequence[str]) -> int:
    """Return 0 if the bundle is verified, 1 if not, and 2 if the arguments are wrong."""
    if not arguments or arguments[0].startswith("-"):
        sys.stderr.write(_USAGE)
        return 2
    try:
        found = verify(arguments[0], arguments[1:])
    except VerificationFailed as doubt:
        _say(["This bundle does not hold.", f"{doubt.where}: {doubt.what}."])
        return 1
    _say(words(found, is_trusted=len(arguments) > 1))
    return 0


def _say(lines: Iterable[str]) -> None:
    """Write lines. Text from the bundle cannot start a line or control the terminal; characters that the output lacks are escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)
        sys.stdout.write(shown.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def words(found: VerifiedBundle, *, is_trusted: bool) -> Iterator[str]:
    """Yield what was found, line by line."""
    yield "This bundle holds."
    yield f"It is the report “{found.title}” of {found.organisation}, with {_count(found.answers, 'answer')}."
    if found.requested:
        yield found.requested
    yield ""
    yield "Checked:"
    yield f"- All {found.files} files are those that the manifest lists."
    for each in found.checkpoints:
        yield f"- The checkpoint over {each.size} events of {each.origin} is signed by its key."
    yield f"- {_count(found.events, 'event')} proven to stand in the log, each at its place."
    yield f"- {_count(found.values, 'text or value', 'texts and values')} those that were frozen, byte for byte."
    yield f"- {_count(found.labels, 'label')} and {_count(found.signatures, 'signature')} those that were recorded."
    yield f"- The report is the one whose export is entry {found.exported.index} of {found.exported.log}, {found.exported.body['at']}."
    yield ""
    yield "Withheld:"
    withheld = f"{_count(found.withheld_parts, 'part')} of the records and {_count(found.withheld_rows, 'row')} of tables"
    yield f"- {withheld}: it is proven that they were sealed, not what they say."
    if found.redacted:
        redacted = _count(found.redacted, "text or value", "texts and values")
        yield f"- {redacted} redacted by two people: what was sealed of it is gone for good."
    if found.masked:
        masked = _count(found.masked, "text, value or signature", "texts, values and signatures")
        yield f"- {masked} masked in this report: that they were sealed is proven where it is counted above, not what they say."
    if found.is_deidentified:
        yield "- The report is de-identified: the events behind its answers are not in the bundle, for they tell when and of whom."
        yield "  So it is shown that this is the report that was exported, not that it agrees with the records."
    if found.blind:
        yield f"- {_count(found.blind, 'answer')} under blind review: what is said of them is not shown yet."
    if found.waiting:
        since = f"; {found.sealed_since} of them since, which is proven above" if found.sealed_since else ""
        yield f"- {_count(found.waiting, 'event')} not sealed yet when the report was made{since}."
    yield ""
    yield "This shows that nothing was changed after it was sealed. It does not show that what was recorded is true."
    if is_trusted:
        yield "The keys are those that you gave."
    else:
        yield "The keys came with the bundle. Compare them with those that you have from elsewhere:"
        yield from (f"  {key}" for key in found.keys)


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"
