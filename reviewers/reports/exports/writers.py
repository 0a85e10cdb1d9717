"""Write an export's file in steps, each stored before the next with its progress, so that an interrupted job can resume."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db import transaction
from msgspec import convert, to_builtins

from reviewers.reports.exports import chunks
from reviewers.reports.exports.bundle.evidence import evidence_of
from reviewers.reports.exports.chunks import FileMeasure, Measuring
from reviewers.reports.exports.events import Logs, open_logs
from reviewers.reports.exports.formats.html import assemble_page, page_parts
from reviewers.reports.exports.formats.json_documents import JSONFormat, assemble, joined, write_elements
from reviewers.reports.exports.formats.registry import BUNDLE, FORMATS
from reviewers.reports.exports.loading import LoadedAnswer, list_keys, load_batch
from reviewers.reports.exports.reading import build_batch, conclude, head
from reviewers.reports.exports.report import Answer, Closing, Part
from reviewers.reports.exports.schema import Summary
from reviewers.reports.exports.scope import ReportRequest
from reviewers.reports.exports.summary import SummaryTally
from reviewers.reports.models import Export, ExportChunk
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
    def measured(self) -> FileMeasure:
        """The size and the digest of the stored pieces."""
        return self._measuring.measured

    def resume(self) -> dict[str, Any] | None:
        """Resume from what is stored: return the state of the last step, or None if there is none.

        What a version before this one began is deleted: it does not know the figures of its answers.
        """
        last = chunks.last_of(self._export)
        if last is None:
            return None
        if "logs" in last.state and "summary" not in last.state:
            ExportChunk.objects.filter(export=self._export).delete()
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


def state_of(logs: Logs, tally: SummaryTally) -> dict[str, Any]:
    """Return what is known of the logs and the figures so far, in the form in which they are stored."""
    told = {"reach": logs.reach, "waiting": logs.waiting, "places": logs.places, "many": logs.are_many}
    return {"logs": told, "summary": to_builtins(tally.summary)}


def restore(logs: Logs, tally: SummaryTally, stored: dict[str, Any]) -> None:
    """Restore what was known of the logs, and the figures."""
    state = stored["logs"]
    tally.summary = convert(stored["summary"], Summary)
    logs.add(Logs(logs.origins, state["reach"], state["waiting"], [tuple(each) for each in state["places"]], state.get("many", False)))


class LineWriter:
    """Writes a report whose pieces are concatenated: a step for the head, one for each batch, and one for the end."""

    def __init__(self, export: Export, asked: ReportRequest) -> None:
        self._export, self._asked = export, asked
        self._logs, self._tally = open_logs(export.organisation_id), SummaryTally()
        self._steps = Steps(export)

    def make(self) -> tuple[list[str], FileMeasure]:
        """Write the file to its end; return the identifiers of its answers, and the file's size and digest."""
        state = self._steps.resume()
        if state is None:
            self._begin()
            self._go_on(None)
        elif not state["end"]:
            restore(self._logs, self._tally, state)
            self._take_up()
            self._go_on(read_page_key(state["after"]))
        return self._steps.seen, self._steps.measured

    def _go_on(self, after: PageKey | None) -> None:
        for keys in list_keys(self._asked.items, after=after):
            self._keep(keys)
        self._end()

    def _begin(self) -> None:
        self._step(self._write(head(self._asked)))

    def _take_up(self) -> None:
        """Restore more than the logs. Subclasses override it."""

    def _end(self) -> None:
        self._step(self._write(self._conclusion()), is_end=True)

    def _conclusion(self) -> Closing:
        return conclude(self._asked, len(self._steps.seen), self._logs, self._tally.summary)

    def _answers(self, batch: list[LoadedAnswer], number: int, *, whole: bool = False) -> Iterator[Answer]:
        """Yield the answers of a batch, numbered after ``number``, and count them."""
        for answer in build_batch(self._asked, batch, self._logs, number, whole=whole):
            self._tally.add(answer)
            yield answer

    def _write(self, part: Part) -> bytes:
        return b"".join(FORMATS[self._export.form].write([part]))

    @transaction.atomic
    def _keep(self, keys: Sequence[PageKey]) -> None:
        """Store the answers of a batch."""
        chunks.commit_asynchronously()
        batch = load_batch(self._asked.items, self._asked.by, keys)
        ids = [str(each.item.id) for each in batch]
        content, more = self._batch(batch, len(self._steps.seen))
        self._steps.keep(content, self._state(keys[-1]) | more, ids)

    def _batch(self, batch: list[LoadedAnswer], number: int) -> tuple[bytes, dict[str, Any]]:
        """Return a batch as it is written, numbered after ``number``, and what else the state of its step tells."""
        is_bundle = self._export.form == BUNDLE
        answers = list(self._answers(batch, number, whole=is_bundle))
        if is_bundle:
            evidence = evidence_of(self._export.organisation_id, batch, answers, self._asked.profile)
            chunks.keep(self._export, chunks.EVENTS, self._steps.number, b"".join(evidence.events))
            chunks.keep(self._export, chunks.DOCUMENTS, self._steps.number, b"".join(evidence.documents))
        return b"".join(FORMATS[self._export.form].write(answers)), {}

    def _step(self, content: bytes, *, is_end: bool = False) -> None:
        self._steps.keep(content, self._state(None, is_end=is_end))

    def _state(self, after: PageKey | None, *, is_end: bool = False) -> dict[str, Any]:
        return {"after": write_key(after) if after else "", "end": is_end} | state_of(self._logs, self._tally)


class DocumentWriter(LineWriter):
    """Writes a report that is one JSON document: a step stores the elements of a batch by group, and they are put together at the end."""

    def __init__(self, export: Export, asked: ReportRequest, document: JSONFormat) -> None:
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
        told = write_elements(self._document, head(self._asked), self._answers(batch, number))
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


class PageWriter(LineWriter):
    """Writes a report as one page, whose cover and contents come before its answers but are known after them.

    A step stores the lines of contents and the answers of a batch, and they are put together at the end.
    """

    _GROUPS = ("contents", "articles")

    def _begin(self) -> None:
        self._step(b"")

    def _batch(self, batch: list[LoadedAnswer], number: int) -> tuple[bytes, dict[str, Any]]:
        for group, content in zip(self._GROUPS, page_parts(self._answers(batch, number)), strict=True):
            chunks.keep(self._export, group, self._steps.number, content)
        return b"", {}

    @transaction.atomic
    def _end(self) -> None:
        """Write the whole page in one transaction, which only copies, and delete the pieces."""
        contents, articles = (chunks.pieces(self._export, group) for group in self._GROUPS)
        whole = assemble_page(head(self._asked), self._conclusion(), contents, articles)
        self._steps.keep_long(whole, self._state(None, is_end=True))
        chunks.delete_pieces(self._export, self._GROUPS)
