"""Reads the report of a bundle and the documents of the engine, one at a time."""

from __future__ import annotations

import hashlib
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from reviewers.ledger.merkle.notes import Checkpoint, decode_base64
from reviewers.reports.exports.bundle.verifier.claims import DEIDENTIFIED, MASKED, Checker
from reviewers.reports.exports.bundle.verifier.events import Disclosed, Event, Events, read_checkpoints, read_keys
from reviewers.reports.exports.bundle.verifier.files import Files, VerificationFailed, open_bundle, read_json

_REPORT, _DOCUMENTS = "report.jsonl", "documents.jsonl"


class Report:
    """From its head over its answers to its end, which is known once all answers were read."""

    def __init__(self, files: Files) -> None:
        self._lines = self._read(files)
        self.head: Mapping[str, Any] = next(self._lines, {})
        self.end: Mapping[str, Any] = {}
        self.count = 0
        if self.head.get("part") != "head":
            raise VerificationFailed(_REPORT, "it does not go from a head over answers to an end")

    def answers(self) -> Iterator[Mapping[str, Any]]:
        """Each answer in turn. Raises ``Doubt`` where one is missing or too many."""
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


class Documents:
    """What the engine said of each answer, by digest. Kept are the places."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._asked: set[bytes] = set()
        self._places = {hashlib.sha256(self._read(line)).digest(): place for place, line in files.lines(_DOCUMENTS)}

    def get(self, digest: str) -> bytes | None:
        """One of them, if it is in the bundle."""
        place = self._places.get(bytes.fromhex(digest))
        self._asked.add(bytes.fromhex(digest))
        return None if place is None else self._read(self._files.line_at(_DOCUMENTS, place))

    def check_asked(self) -> None:
        """Raise ``Doubt`` where there is one that no answer names: nothing would prove that it was sealed."""
        if self._places.keys() - self._asked:
            raise VerificationFailed(_DOCUMENTS, "there is a document that no answer of the report names")

    def _read(self, line: bytes) -> bytes:
        try:
            return decode_base64(read_json(_DOCUMENTS, line))
        except (ValueError, TypeError) as error:
            raise VerificationFailed(_DOCUMENTS, f"it cannot be read: {error}") from error


# Verifies a bundle: everything, in the order in which one thing rests on another.


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
        raise VerificationFailed("report.jsonl", f"its head cannot be read: {error!r}") from error


def _check_answer(checker: Checker, answer: Mapping[str, Any]) -> None:
    try:
        checker.check(answer)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, zlib.error) as error:
        raise VerificationFailed(f"report.jsonl, answer {answer.get('number')}", f"it is not an answer of a report: {error!r}") from error


def _check_export(files: Files, made: Sequence[Event], disclosed: Disclosed) -> Event:
    """The report is, byte for byte, the one whose making was sealed."""
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


# ``python verify.py bundle.zip``: says in plain words what was checked, and what was withheld.


_USAGE = "Usage: python verify.py BUNDLE [KEY ...]\nBUNDLE is the zip file, KEY a public key of the log that you have from elsewhere.\n"


def main(arguments: Sequence[str]) -> int:
    """0 where everything holds, 1 at any doubt, 2 where it was not asked for right."""
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
    """Write lines. What a bundle names begins no line of its own, steers no terminal, and is escaped where the output lacks it."""
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)
        sys.stdout.write(shown.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def words(found: Verified, *, is_trusted: bool) -> Iterator[str]:
    """What was found, line by line."""
    yield "This bundle holds."
    yield f"It is the report “{found.title}” of {found.organisation}, with {_count(found.answers, 'answer')}."
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
