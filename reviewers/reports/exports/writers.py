"""A file that is written in steps, each kept before the next with how far it came: what ends the work is gone on from there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from reviewers.reports.exports import chunks
from reviewers.reports.exports.bundle.evidence import evidence_of
from reviewers.reports.exports.chunks import Measured, Measuring, packed
from reviewers.reports.exports.events import Logs, open_logs
from reviewers.reports.exports.formats.json_documents import Document, Element, joined, put_together, write_elements
from reviewers.reports.exports.formats.registry import BUNDLE, FORMATS
from reviewers.reports.exports.loading import Key, LoadedAnswer, key_of, list_keys, load_batch, write_key
from reviewers.reports.exports.reading import build_batch, conclude, head
from reviewers.reports.exports.report import Part, decompress
from reviewers.reports.exports.scope import ReportRequest
from reviewers.reports.models import Export


class Steps:
    """The steps of an export's file. ``seen`` are the identifiers of the answers that are in it so far."""

    def __init__(self, export: Export) -> None:
        self.seen: list[str] = []
        self._export, self._number, self._measuring = export, 0, Measuring()

    @property
    def number(self) -> int:
        """How many pieces are kept of the file."""
        return self._number

    @property
    def measured(self) -> Measured:
        """The size and the digest of what is kept."""
        return self._measuring.measured

    def resume(self) -> dict[str, Any] | None:
        """Take up what was kept already: the state of the last step, nothing where there was none."""
        last = chunks.last_of(self._export)
        if last is None:
            return None
        self._number = last.number + 1
        for piece in chunks.pieces(self._export, chunks.FILE):
            self._measuring.add(piece)
        self.seen = [pk for state in self.states() for pk in state.get("answers", ())]
        return dict(last.state)

    def states(self) -> Iterator[dict[str, Any]]:
        """What the steps were kept with, one after the other."""
        kept = self._export.chunks.filter(name=chunks.FILE).order_by("number")
        yield from kept.values_list("state", flat=True)

    def keep(self, content: bytes, state: dict[str, Any], answers: Sequence[str] = ()) -> None:
        """Keep a step whose content is packed."""
        chunks.keep_packed(self._export, chunks.FILE, self._number, content, state | {"answers": list(answers)})
        self._measuring.add(decompress(content))
        self._number += 1
        self.seen += answers

    @transaction.atomic
    def keep_long(self, content: Iterable[bytes], state: dict[str, Any], answers: Sequence[str] = ()) -> None:
        """Keep a step that may be long: in several pieces, the state with the last."""
        for piece in chunks.cut(content):
            self.keep(chunks.packed(piece), {})
        self.keep(chunks.packed(b""), state, answers)


def state_of(logs: Logs) -> dict[str, Any]:
    """What is known of the logs, as it is kept."""
    return {"reach": logs.reach, "waiting": logs.waiting, "places": logs.places, "many": logs.are_many}


def restore(logs: Logs, state: dict[str, Any]) -> None:
    """Take up what was known of them."""
    logs.add(Logs(logs.origins, state["reach"], state["waiting"], [tuple(each) for each in state["places"]], state.get("many", False)))


# Writes a report in pieces that are put behind each other, a batch of answers each.


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a report: its text, the identifiers of its answers, where the next begins, how far its events reach, their evidence.

    Of one document it has, instead of a text, the elements of each group, how many, and those that stand in it once. All is packed, as it
    is kept, but for the last.
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
    """The pieces behind ``after``, whose answers are counted from behind ``number``."""
    for keys in list_keys(asked.chosen.items, after=after):
        yield write_piece(asked, form, keys, number)
        number += len(keys)


def write_piece(asked: ReportRequest, form: str, keys: Sequence[Key], number: int) -> Piece:
    """The piece of these answers, at most as many as a batch has."""
    logs = open_logs(asked.by.organisation_id)
    batch = load_batch(asked.chosen.items, asked.by, keys)
    if form == BUNDLE:
        return _with_evidence(asked, batch, keys[-1], number, logs)
    answers, ids = build_batch(asked, batch, logs, number), [str(each.item.id) for each in batch]
    if document := FORMATS[form].document:
        told = write_elements(document, head(asked), answers)
        groups = {group: packed(content) for group, content in told.groups.items()}
        return Piece(packed(b""), ids, keys[-1], logs, groups=groups, count=told.count, once=told.once)
    content = b"".join(FORMATS[form].write(answers))
    return Piece(packed(content), ids, keys[-1], logs)


def _with_evidence(asked: ReportRequest, batch: list[LoadedAnswer], after: Key, number: int, logs: Logs) -> Piece:
    answers = list(build_batch(asked, batch, logs, number, whole=True))
    content = b"".join(FORMATS[BUNDLE].write(answers))
    evidence = evidence_of(asked.by.organisation_id, batch, answers, asked.profile)
    ids = [str(each.item.id) for each in batch]
    events, documents = packed(b"".join(evidence.events)), packed(b"".join(evidence.documents))
    return Piece(packed(content), ids, after, logs, events, documents)


# Writes a report whose pieces are put behind each other: a step for the head, one for each batch, one for the end.


class Lines:
    """A report of lines, or of other pieces. What is one document says by itself how it begins and ends, see ``Documents``."""

    def __init__(self, export: Export, asked: ReportRequest) -> None:
        self._export, self._asked = export, asked
        self._logs = open_logs(export.organisation_id)
        self._steps = Steps(export)

    def make(self) -> tuple[list[str], Measured]:
        """Go on to the end; returns the identifiers of its answers, and the file's measures."""
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
        """What else was kept."""

    def _end(self) -> None:
        self._step(self._write(conclude(self._asked, len(self._steps.seen), self._logs)), is_end=True)

    def _write(self, part: Part) -> bytes:
        return chunks.packed(b"".join(FORMATS[self._export.form].write([part])))

    @transaction.atomic
    def _keep(self, piece: Piece) -> None:
        chunks.wait_for_no_disk()
        self._logs.add(piece.logs)
        if self._export.form == BUNDLE:
            chunks.keep_packed(self._export, chunks.EVENTS, self._steps.number, piece.events)
            chunks.keep_packed(self._export, chunks.DOCUMENTS, self._steps.number, piece.documents)
        self._step(piece.content, piece)

    def _step(self, content: bytes, piece: Piece | None = None, *, is_end: bool = False) -> None:
        self._steps.keep(content, self._state(piece, is_end=is_end), piece.answers if piece else ())

    def _state(self, piece: Piece | None, *, is_end: bool) -> dict[str, object]:
        return {"after": write_key(piece.after) if piece else "", "end": is_end, "logs": state_of(self._logs)}


# Writes a report that is one document: the elements of each batch are a step, kept by groups and put together at the end.


class Documents(Lines):
    """One document. Of each batch the file has no more than the state, until all of it is there."""

    def __init__(self, export: Export, asked: ReportRequest, document: Document) -> None:
        super().__init__(export, asked)
        self._document = document
        self._count, self._once = 0, set[str]()

    def _begin(self) -> None:
        self._step(chunks.packed(b""))

    def _take_up(self) -> None:
        for state in self._steps.states():
            self._count += state.get("count", 0)
            self._once.update(state.get("once", ()))

    @transaction.atomic
    def _keep(self, piece: Piece) -> None:
        """What stands there once is left out where an earlier piece has it."""
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
        """All of it, in one transaction: it takes as long as copying does. The pieces are let go of."""
        groups = self._document.groups
        whole = put_together(self._document, head(self._asked), self._count, lambda group: chunks.pieces(self._export, group))
        self._steps.keep_long(whole, self._state(None, is_end=True))
        chunks.delete_pieces(self._export, groups)
