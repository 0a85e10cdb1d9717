"""Write an export's file in steps, each stored before the next with its progress, so that an interrupted job can resume."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db import transaction

from reviewers.reports.exports import chunks
from reviewers.reports.exports.bundle.evidence import evidence_of
from reviewers.reports.exports.chunks import Measured, Measuring
from reviewers.reports.exports.events import Logs, open_logs
from reviewers.reports.exports.formats.json_documents import Document, assemble, joined, write_elements
from reviewers.reports.exports.formats.registry import BUNDLE, FORMATS
from reviewers.reports.exports.loading import LoadedAnswer, list_keys, load_batch
from reviewers.reports.exports.reading import build_batch, conclude, head
from reviewers.reports.exports.report import Part
from reviewers.reports.exports.scope import ReportRequest
from reviewers.reports.models import Export
from reviewers.snapshots.lists import write_key
from reviewers.web.dates import PageKey, read_page_key


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
        """Store a step."""
        chunks.keep(self._export, chunks.FILE, self._number, content, state | {"answers": list(answers)})
        self._measuring.add(content)
        self._number += 1
        self.seen += answers

    @transaction.atomic
    def keep_long(self, content: Iterable[bytes], state: dict[str, Any], answers: Sequence[str] = ()) -> None:
        """Store a step that may be long in several pieces, with the state in the last one."""
        for piece in chunks.cut(content):
            self.keep(piece, {})
        self.keep(b"", state, answers)


def state_of(logs: Logs) -> dict[str, Any]:
    """Return what is known of the logs, in the form in which it is stored."""
    return {"reach": logs.reach, "waiting": logs.waiting, "places": logs.places, "many": logs.are_many}


def restore(logs: Logs, state: dict[str, Any]) -> None:
    """Restore what was known of the logs."""
    logs.add(Logs(logs.origins, state["reach"], state["waiting"], [tuple(each) for each in state["places"]], state.get("many", False)))


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
            self._go_on(read_page_key(state["after"]))
        return self._steps.seen, self._steps.measured

    def _go_on(self, after: PageKey | None) -> None:
        for keys in list_keys(self._asked.chosen.items, after=after):
            self._keep(keys)
        self._end()

    def _begin(self) -> None:
        self._step(self._write(head(self._asked)))

    def _take_up(self) -> None:
        """Restore more than the logs. Subclasses override it."""

    def _end(self) -> None:
        self._step(self._write(conclude(self._asked, len(self._steps.seen), self._logs)), is_end=True)

    def _write(self, part: Part) -> bytes:
        return b"".join(FORMATS[self._export.form].write([part]))

    @transaction.atomic
    def _keep(self, keys: Sequence[PageKey]) -> None:
        """Store the answers of a batch."""
        chunks.commit_asynchronously()
        batch = load_batch(self._asked.chosen.items, self._asked.by, keys)
        ids = [str(each.item.id) for each in batch]
        content, more = self._batch(batch, len(self._steps.seen))
        self._steps.keep(content, self._state(keys[-1]) | more, ids)

    def _batch(self, batch: list[LoadedAnswer], number: int) -> tuple[bytes, dict[str, Any]]:
        """Return a batch as it is written, numbered after ``number``, and what else the state of its step tells."""
        is_bundle = self._export.form == BUNDLE
        answers = list(build_batch(self._asked, batch, self._logs, number, whole=is_bundle))
        if is_bundle:
            evidence = evidence_of(self._export.organisation_id, batch, answers, self._asked.profile)
            chunks.keep(self._export, chunks.EVENTS, self._steps.number, b"".join(evidence.events))
            chunks.keep(self._export, chunks.DOCUMENTS, self._steps.number, b"".join(evidence.documents))
        return b"".join(FORMATS[self._export.form].write(answers)), {}

    def _step(self, content: bytes, *, is_end: bool = False) -> None:
        self._steps.keep(content, self._state(None, is_end=is_end))

    def _state(self, after: PageKey | None, *, is_end: bool = False) -> dict[str, Any]:
        return {"after": write_key(after) if after else "", "end": is_end, "logs": state_of(self._logs)}


class DocumentWriter(LineWriter):
    """Writes a report that is one JSON document: a step stores the elements of a batch by group, and they are put together at the end."""

    def __init__(self, export: Export, asked: ReportRequest, document: Document) -> None:
        super().__init__(export, asked)
        self._document = document
        self._count, self._once = 0, set[str]()

    def _begin(self) -> None:
        self._step(b"")

    def _take_up(self) -> None:
        for state in self._steps.states():
            self._count += state.get("count", 0)
            self._once.update(state.get("once", ()))

    def _batch(self, batch: list[LoadedAnswer], number: int) -> tuple[bytes, dict[str, Any]]:
        """Store the elements of a batch by group, without elements with keys that an earlier batch has."""
        told = write_elements(self._document, head(self._asked), build_batch(self._asked, batch, self._logs, number))
        fresh = {key: element for key, element in told.once.items() if key not in self._once}
        for group, content in told.groups.items():
            chunks.keep(self._export, group, self._steps.number, content)
        for group in {element.group for element in fresh.values()}:
            contents = [element.content for element in fresh.values() if element.group == group]
            chunks.keep(self._export, group, self._steps.number, joined(contents))
        self._count += told.count
        self._once.update(fresh)
        return b"", {"count": told.count, "once": list(fresh)}

    @transaction.atomic
    def _end(self) -> None:
        """Write the whole document in one transaction, which only copies, and delete the pieces."""
        groups = self._document.groups
        whole = assemble(self._document, head(self._asked), self._count, lambda group: chunks.pieces(self._export, group))
        self._steps.keep_long(whole, self._state(None, is_end=True))
        chunks.delete_pieces(self._export, groups)
