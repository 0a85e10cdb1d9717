"""Reads the report of a bundle and the documents of the engine, one at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from reviewers.ledger.merkle.strict import decode
from reviewers.reports.exporting.bundle.verifier.doubt import Doubt
from reviewers.reports.exporting.bundle.verifier.opening import Files, read_json

_REPORT, _DOCUMENTS = "report.jsonl", "documents.jsonl"


class Report:
    """From its head over its answers to its end, which is known once all answers were read."""

    def __init__(self, files: Files) -> None:
        self._lines = self._read(files)
        self.head: Mapping[str, Any] = next(self._lines, {})
        self.end: Mapping[str, Any] = {}
        self.count = 0
        if self.head.get("part") != "head":
            raise Doubt(_REPORT, "it does not go from a head over answers to an end")

    def answers(self) -> Iterator[Mapping[str, Any]]:
        """Each answer in turn. Raises ``Doubt`` where one is missing or too many."""
        for line in self._lines:
            if self.end or line.get("part") not in ("answer", "end"):
                raise Doubt(_REPORT, "it does not go from a head over answers to an end")
            if line["part"] == "end":
                self.end = line
            else:
                self.count += 1
                if line.get("number") != self.count:
                    raise Doubt(_REPORT, "answers are missing, or there are too many")
                yield line
        if not self.end:
            raise Doubt(_REPORT, "it does not go from a head over answers to an end")
        if self.end.get("answers") != self.count:
            raise Doubt(_REPORT, "answers are missing, or there are too many")

    def _read(self, files: Files) -> Iterator[Mapping[str, Any]]:
        for number, (_, line) in enumerate(files.lines(_REPORT), start=1):
            where = f"{_REPORT}, line {number}"
            told = read_json(where, line)
            if not isinstance(told, dict):
                raise Doubt(where, "it is not a part of a report")
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
            raise Doubt(_DOCUMENTS, "there is a document that no answer of the report names")

    def _read(self, line: bytes) -> bytes:
        try:
            return decode(read_json(_DOCUMENTS, line))
        except (ValueError, TypeError) as error:
            raise Doubt(_DOCUMENTS, f"it cannot be read: {error}") from error
