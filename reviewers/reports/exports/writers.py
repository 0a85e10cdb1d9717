"""Write an export's file in steps, each stored before the next with its progress, so that an interrupted job can resume."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from reviewers.reports.exports import chunks
from reviewers.reports.exports.bundle.evidence import evidence_of
from reviewers.reports.exports.chunks import Measured, Measuring
from reviewers.reports.exports.events import Logs, open_logs
from reviewers.reports.exports.formats.json_documents import Document, Element, assemble, joined, write_elements
from reviewers.reports.exports.formats.registry import BUNDLE, FORMATS
from reviewers.reports.exports.loading import Key, LoadedAnswer, key_of, list_keys, load_batch, write_key
from reviewers.reports.exports.reading import build_batch, conclude, head
from reviewers.reports.exports.report import Part, compress, decompress
from reviewers.reports.exports.scope import ReportRequest
from reviewers.reports.models import Export


class Steps:
    """The steps of an export's file. ``seen`` are the identifiers of the answers in it so far."""

    def __init__(self, export: Export) -> None:
        self.seen: list[str] = []
        self._export, self._number, self._measuring = export, 0, Measuring()

    @property
    def number(self) -> int:
        """The number of stored pieces."""
        return self._number

    @property
    def measured(self) -> Measured:
        """The size and the digest of the stored pieces."""
        return self._measuring.measured

    def resume(self) -> dict[str, Any] | None:
        """Resume from what is stored: return the state of the last step, or None if there is none."""
        last = chunks.last_of(self._export)
        if last is None:
            return None
        self._number = last.number + 1
        for piece in chunks.pieces(self._export, chunks.FILE):
            self._measuring.add(piece)
        self.seen = [pk for state in self.states() for pk in state.get("answers", ())]
        return dict(last.state)

    def states(self) -> Iterator[dict[str, Any]]:
        """Yield the states of the steps in order."""
        kept = self._export.chunks.filter(name=chunks.FILE).order_by("number")
        yield from kept.values_list("state", flat=True)

    def keep(self, content: bytes, state: dict[str, Any], answers: Sequence[str] = ()) -> None:
        """Store a step with compressed content."""
        chunks.keep_packed(self._export, chunks.FILE, self._number, content, state | {"answers": list(answers)})
        self._measuring.add(decompress(content))
        self._number += 1
        self.seen += answers

    @transaction.atomic
    def keep_long(self, content: Iterable[bytes], state: dict[str, Any], answers: Sequence[str] = ()) -> None:
        """Store a step that may be long in several pieces, with the state in the last one."""
        for piece in chunks.cut(content):
            self.keep(compress(piece), {})
        self.keep(compress(b""), state, answers)


def state_of(logs: Logs) -> dict[str, Any]:
    """Return what is known of the logs, in the form in which it is stored."""
    return {"reach": logs.reach, "waiting": logs.waiting, "places": logs.places, "many": logs.are_many}


def restore(logs: Logs, state: dict[str, Any]) -> None:
    """Restore what was known of the logs."""
    logs.add(Logs(logs.origins, state["reach"], state["waiting"], [tuple(each) for each in state["places"]], state.get("many", False)))


@dataclass(frozen=True, slots=True)
class Piece:
    """A batch of a report: its content, the identifiers of its answers, the key of the last one, the places of its events, its evidence.

    In a JSON document it has, instead of content, the elements of each group, their number, and the elements with keys. All bytes are
    compressed but for these last.
    """

    content: bytes
    answers: Sequence[str]
    after: Key
    logs: Logs
    events: bytes = b""
    documents: bytes = b""
    groups: Mapping[str, bytes] = field(default_factory=dict)
    count: int = 0
    once: Mapping[str, Element] = field(default_factory=dict)


def write_pieces(asked: ReportRequest, form: str, *, after: Key | None, number: int) -> Iterator[Piece]:
    """Yield the pieces after a key, with answers numbered after ``number``."""
    for keys in list_keys(asked.chosen.items, after=after):
        yield write_piece(asked, form, keys, number)
        number += len(keys)


def write_piece(asked: ReportRequest, form: str, keys: Sequence[Key], number: int) -> Piece:
    """Return the piece of these answers, of which there are at most as many as in a batch."""
    logs = open_logs(asked.by.organisation_id)
    batch = load_batch(asked.chosen.items, asked.by, keys)
    if form == BUNDLE:
        return _with_evidence(asked, batch, keys[-1], number, logs)
    answers, ids = build_batch(asked, batch, logs, number), [str(each.item.id) for each in batch]
    if document := FORMATS[form].document:
        told = write_elements(document, head(asked), answers)
        groups = {group: compress(content) for group, content in told.groups.items()}
        return Piece(compress(b""), ids, keys[-1], logs, groups=groups, count=told.count, once=told.once)
    content = b"".join(FORMATS[form].write(answers))
    return Piece(compress(content), ids, keys[-1], logs)


def _with_evidence(asked: ReportRequest, batch: list[LoadedAnswer], after: Key, number: int, logs: Logs) -> Piece:
    answers = list(build_batch(asked, batch, logs, number, whole=True))
    content = b"".join(FORMATS[BUNDLE].write(answers))
    evidence = evidence_of(asked.by.organisation_id, batch, answers, asked.profile)
    ids = [str(each.item.id) for each in batch]
    events, documents = compress(b"".join(evidence.events)), compress(b"".join(evidence.documents))
    return Piece(compress(content), ids, after, logs, events, documents)


class LineWriter:
    """Writes a report whose pieces are concatenated: a step for the head, one for each batch, and one for the end."""

    def __init__(self, export: Export, asked: ReportRequest) -> None:
        self._export, self._asked = export, asked
        self._logs = open_logs(export.organisation_id)
        self._steps = Steps(export)

    def make(self) -> tuple[list[str], Measured]:
        """Write the file to its end; return the identifiers of its answers, and the file's size and digest."""
        state = self._steps.resume()
        if state is None:
            self._begin()
            self._go_on(None)
        elif not state["end"]:
            restore(self._logs, state["logs"])
            self._take_up()
            self._go_on(key_of(state["after"]))
        return self._steps.seen, self._steps.measured

    def _go_on(self, after: Key | None) -> None:
        for piece in write_pieces(self._asked, self._export.form, after=after, number=len(self._steps.seen)):
            self._keep(piece)
        self._end()

    def _begin(self) -> None:
        self._step(self._write(head(self._asked)))

    def _take_up(self) -> None:
        """Restore more than the logs. Subclasses override it."""

    def _end(self) -> None:
        self._step(self._write(conclude(self._asked, len(self._steps.seen), self._logs)), is_end=True)

    def _write(self, part: Part) -> bytes:
        return compress(b"".join(FORMATS[self._export.form].write([part])))

    @transaction.atomic
    def _keep(self, piece: Piece) -> None:
        chunks.commit_asynchronously()
        self._logs.add(piece.logs)
        if self._export.form == BUNDLE:
            chunks.keep_packed(self._export, chunks.EVENTS, self._steps.number, piece.events)
            chunks.keep_packed(self._export, chunks.DOCUMENTS, self._steps.number, piece.documents)
        self._step(piece.content, piece)

    def _step(self, content: bytes, piece: Piece | None = None, *, is_end: bool = False) -> None:
        self._steps.keep(content, self._state(piece, is_end=is_end), piece.answers if piece else ())

    def _state(self, piece: Piece | None, *, is_end: bool) -> dict[str, object]:
        return {"after": write_key(piece.after) if piece else "", "end": is_end, "logs": state_of(self._logs)}


class DocumentWriter(LineWriter):
    """Writes a report that is one JSON document: a step stores the elements of a batch by group, and they are put together at the end."""

    def __init__(self, export: Export, asked: ReportRequest, document: Document) -> None:
        super().__init__(export, asked)
        self._document = document
        self._count, self._once = 0, set[str]()

    def _begin(self) -> None:
        self._step(compress(b""))

    def _take_up(self) -> None:
        for state in self._steps.states():
            self._count += state.get("count", 0)
            self._once.update(state.get("once", ()))

    @transaction.atomic
    def _keep(self, piece: Piece) -> None:
        """Store the elements of a batch, without elements with keys that an earlier batch has."""
        fresh = {key: element for key, element in piece.once.items() if key not in self._once}
        number = self._steps.number
        for group, content in piece.groups.items():
            chunks.keep_packed(self._export, group, number, content)
        for group in {element.group for element in fresh.values()}:
            contents = [element.content for element in fresh.values() if element.group == group]
            chunks.keep(self._export, group, number, joined(contents))
        self._count += piece.count
        self._once.update(fresh)
        self._logs.add(piece.logs)
        state = self._state(piece, is_end=False) | {"count": piece.count, "once": list(fresh)}
        self._steps.keep(piece.content, state, piece.answers)

    @transaction.atomic
    def _end(self) -> None:
        """Write the whole document in one transaction, which only copies, and delete the pieces."""
        groups = self._document.groups
        whole = assemble(self._document, head(self._asked), self._count, lambda group: chunks.pieces(self._export, group))
        self._steps.keep_long(whole, self._state(None, is_end=True))
        chunks.delete_pieces(self._export, groups)
