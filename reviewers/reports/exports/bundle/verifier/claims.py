"""Check that what a report says of an answer is what was frozen, attributed, labelled and signed."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from reviewers.ledger.merkle.notes import decode_base64, encode_base64
from reviewers.reports.exports.bundle.verifier.events import Disclosed, Events, SealedEvent
from reviewers.reports.exports.bundle.verifier.files import Files, VerificationFailed, canonical, escaped, read_json

_DOCUMENTS = "documents.jsonl"
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_OF_ROW = ("track", "method", "rule", "score", "confidence")
_TRACK_OF_NOTHING = "neither"
_TEXTS = frozenset({"user_text", "response"})
MASK = "[masked]"
BACKSLASH = "\\"
BARS = "█████"
MASKED, DEIDENTIFIED = "masked", "deidentified"
LARGEST_STATEMENT = 128 * 1024**2


class Documents:
    """The engine's documents, one for each answer that names one, in the order of the answers."""

    def __init__(self, files: Files) -> None:
        self._lines = files.lines(_DOCUMENTS)

    def next(self, digest: str) -> bytes | None:
        """Return the next document if it has this digest, or None."""
        document = next(self._documents(), None)
        return document if document is not None and hashlib.sha256(document).hexdigest() == digest else None

    def check_end(self) -> None:
        """Raise ``VerificationFailed`` if there are more: no answer names them, so nothing would prove that they were sealed."""
        if next(self._documents(), None) is not None:
            raise VerificationFailed(_DOCUMENTS, "there is a document that no answer of the report names")

    def _documents(self) -> Iterator[bytes]:
        for _, line in self._lines:
            try:
                document = decode_base64(read_json(_DOCUMENTS, line))
            except (ValueError, TypeError, AttributeError) as error:
                raise VerificationFailed(_DOCUMENTS, f"it cannot be read: {error}") from error
            if line != canonical(encode_base64(document)):
                raise VerificationFailed(_DOCUMENTS, "it says more than belongs there, or in another form")
            yield document


Told = Mapping[str, Any]


class AnswerChecker:
    """Compares answers with what is disclosed, and counts what agrees."""

    def __init__(self, events: Events, disclosed: Disclosed, documents: Documents, *, is_masked: bool = False) -> None:
        self._events = events
        self._disclosed = disclosed
        self._documents = documents
        self._is_masked = is_masked
        self._following = iter(events)
        self._frozen: dict[str, str] = {}
        self._redacted: set[str] = set()
        self.values = self.labels = self.signatures = self.redacted = self.masked = self.blind = self.sealed_since = 0

    def meet(self, event: SealedEvent) -> None:
        """Note an event, before any answer is checked."""
        if event.body["action"] == "snapshot.frozen":
            self._frozen[event.body["object"]["id"]] = event.id
        elif event.body["action"] == "redaction.approved":
            self._redacted.add(event.body["object"]["id"])

    def check(self, answer: Told) -> None:
        """Check one answer. Raise ``VerificationFailed`` if it differs."""
        where = f"report.jsonl, answer {answer['number']}"
        event = self._events.get(self._frozen.get(answer["id"], ""))
        if event is None:
            raise VerificationFailed(where, f"there is no event that froze the answer {answer['id']}")
        self._check_frozen(where, answer, event)
        self._check_events(where, answer)
        for row in answer["rows"]:
            self._check_value(where, row, event)
        for table, judged, about in _judged_in(answer):
            for said in judged["said"]:
                self._check_label(where, said, table, about)
        if not answer["is_withheld"]:
            self._check_attribution(where, answer, event)
        for review in answer["reviews"]:
            self._check_row(
                f"{where}, review of {review['reviewer']}", "review_submission", review["id"], {"submitted_at": review["submitted_at"]}
            )
        for signature in answer["signatures"]:
            self._check_signature(f"{where}, signature of {signature['printed_name']}", signature, event)

    def _check_frozen(self, where: str, answer: Told, event: SealedEvent) -> None:
        if answer["is_withheld"]:
            self._check_asked(where, answer, event)
            return
        self._check_part(f"{where}, what was asked", event, "user_text", _utf8(answer["question"]))
        self._check_part(f"{where}, what was answered", event, "response", _utf8(answer["response"]))
        if answer["digest"]:  # a record that repeats an answer under blind review has none
            digest = bytes.fromhex(answer["digest"].removeprefix("sha256:"))
            self._check_part(f"{where}, digest of the record", event, "record.sha256", digest)
        for excerpt in _excerpts(answer):
            if answer["text"][excerpt["start"] : excerpt["end"]] != excerpt["text"]:
                raise VerificationFailed(where, f"the words at {excerpt['start']}–{excerpt['end']} of the answer are others")

    def _check_asked(self, where: str, answer: Told, event: SealedEvent) -> None:
        """Check the question of a withheld answer. Bars claim nothing; the event of their redaction is told once all reviews are in."""
        if answer["question"] != BARS or self._disclosed.part(event, "user_text") is not None:
            self._check_part(f"{where}, what was asked", event, "user_text", _utf8(answer["question"]))

    def _check_part(self, where: str, event: SealedEvent, name: str, content: bytes) -> None:
        found = self._disclosed.part(event, name)
        if found is None and self._is_masked and content in (b"", _utf8(MASK)):
            self.masked += 1
        elif found is None:
            self._pass_over(where, event, "what was sealed of it is not disclosed", says=content if name in _TEXTS else None)
        elif found != content:
            raise VerificationFailed(where, "it is not what was frozen")
        else:
            self.values += 1

    def _pass_over(self, where: str, event: SealedEvent, what: str, says: bytes | None = None) -> None:
        """Count a part that nothing opens; raise unless a sealed event proves that two people have redacted some of this answer.

        ``says`` are the words that the report has of it. They can only be bars, unless the redaction left nothing that opens other parts.
        """
        is_claim = bool(event.parts) and says not in (None, _utf8(BARS))
        if is_claim or event.body["object"]["id"] not in self._redacted:
            raise VerificationFailed(where, what)
        self.redacted += 1

    def _check_value(self, where: str, row: Told, event: SealedEvent) -> None:
        name = f"{row['section']}.{row['path']}"
        found = self._disclosed.parts(event, sealed_name(row["section"], row["path"]))
        if not found and self._is_masked and row["value"] in (MASK, None, "", [], {}):
            self.masked += 1
            return
        if not found:
            says = _utf8(row["value"]) if isinstance(row["value"], str) else canonical(row["value"])
            self._pass_over(f"{where}, value of {name}", event, "what was sealed of it is not disclosed", says=says)
            return
        if canonical(row["value"]) not in found:
            raise VerificationFailed(f"{where}, value of {name}", "it is not what was frozen")
        self.values += 1

    def check_end(self, made: SealedEvent) -> None:
        """Raise ``VerificationFailed`` unless the event of the report's making follows those of its answers, and is the last."""
        if list(self._following) != [made.id]:
            raise VerificationFailed("events.jsonl", "there is an event that no answer of the report names")

    def _check_events(self, where: str, answer: Told) -> None:
        for told in answer["events"]:
            event = self._events.get(told["id"])
            if event is None or next(self._following, None) != told["id"]:
                raise VerificationFailed(f"{where}, event {told['id']}", "it is not in the bundle, or not at its place")
            found = {"action": event.body["action"], "at": event.body["at"]}
            if {name: told[name] for name in found} != found or event.body["object"]["id"] != answer["id"]:
                raise VerificationFailed(f"{where}, event {told['id']}", "it is another event than the one that was sealed")
            self.sealed_since += told["index"] is None
            if told["index"] is not None and (told["index"], told["origin"]) != (event.index, event.log):
                raise VerificationFailed(f"{where}, event {told['id']}", "it stands at another place in the log")

    def _check_attribution(self, where: str, answer: Told, event: SealedEvent) -> None:
        digest = answer["attribution"].removeprefix("sha256:")
        self._check_part(f"{where}, digest of the attribution", event, "attribution.sha256", bytes.fromhex(digest))
        if self._is_masked:
            return
        document = self._documents.next(digest)
        if document is None:
            raise VerificationFailed(f"{where}, attribution", "the document of the engine is not in the bundle, or not at its place")
        rows = {(row["section"], row["path"]): row for row in read_json(f"{where}, attribution", document)["fields"]}
        for row in answer["rows"]:
            found = rows.get((row["section"], row["path"]), {"track": None})
            names = ("track",) if found["track"] == _TRACK_OF_NOTHING else _OF_ROW
            names = names if answer["grounds"] else (*names, "footnote")  # with documents both are numbered together
            if any(row[name] != found.get(name) for name in names):
                raise VerificationFailed(f"{where}, row of {row['section']}.{row['path']}", "the engine found something else")

    def _check_label(self, where: str, said: Told, table: str, about: Told) -> None:
        if self._is_masked and MASK in (said["note"], said["reason"]):
            self.masked += 1
            return
        named = {name: _UNSTORABLE.sub(escaped, text) for name, text in about.items()}
        expected = {"verdict": said["verdict"], "note": said["note"], "reason": said["reason"], "created_at": said["said_at"]} | named
        self._check_row(f"{where}, label of {said['reviewer']} on {'.'.join(about.values()) or 'words'}", table, said["label"], expected)
        self.labels += 1

    def _check_row(self, where: str, table: str, key: str, expected: Told) -> Told:
        row = self._disclosed.row(table, key)
        if row is None:
            raise VerificationFailed(where, "the record of it is not disclosed")
        differing = [name for name, value in expected.items() if row.get(name) != value]
        if differing:
            raise VerificationFailed(where, f"it is not what was recorded: {', '.join(differing)}")
        return row

    def _check_signature(self, where: str, told: Told, event: SealedEvent) -> None:
        if self._is_masked and self._disclosed.row("review_signature", told["id"]) is None:
            self.masked += 1
            return
        expected = {name: told[name] for name in ("printed_name", "meaning", "signed_at")} | {"object_id": told["review"]}
        digest = bytes.fromhex(told["digest"].removeprefix("sha256:"))
        row = self._check_row(where, "review_signature", told["id"], expected | {"digest": digest})
        if not row["statement"]:
            self._pass_over(where, event, "what was signed is not there")
        elif hashlib.sha256(inflated(row["statement"])).digest() != digest:
            raise VerificationFailed(where, "what was signed is not what its digest is of")
        self.signatures += 1


def sealed_name(section: str, path: str) -> str:
    """Return the name under which an event commits to a field. Dots in a section are escaped, as they are in a path."""
    return f"context.{section.replace(BACKSLASH, 2 * BACKSLASH).replace('.', BACKSLASH + '.')}.{path}"


def _judged_in(answer: Told) -> Iterator[tuple[str, Told, Told]]:
    """Yield everything that has labels: their table, what was labelled, and the columns that name it."""
    yield from (("review_label", row, {"section": row["section"], "path": row["path"]}) for row in answer["rows"])
    for document in answer["documents"]:
        yield from (("review_citationlabel", cited, {"source": document["id"]}) for cited in document["citations"])
    yield from (("review_unsupportedclaim", claim, {}) for claim in answer.get("unsupported", ()))


def _excerpts(answer: Told) -> list[Told]:
    rows, cited = answer["rows"], [each for document in answer["documents"] for each in document["citations"]]
    found = [each for row in rows for each in (*row["spans"], *row["claims"])]
    found += [each for row in rows if row["contradiction"] for each in row["contradiction"]["spans"]]
    found += [each["place"] for each in answer.get("unsupported", ()) if each["place"]]
    return found + [each["claim"] for each in cited if each["claim"]]


def inflated(statement: bytes) -> bytes:
    """Return what was signed. Raise ``ValueError`` if it is too large: little that is packed may become more than memory holds."""
    inflating = zlib.decompressobj()
    content = inflating.decompress(statement, LARGEST_STATEMENT)
    if not inflating.eof or inflating.unused_data:
        raise ValueError("what was signed is larger than any statement, or not whole")
    return content


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
