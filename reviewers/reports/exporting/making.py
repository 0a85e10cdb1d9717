"""Makes the file of an export, in steps that are each kept before the next: what ends the work in between is gone on from there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction

from reviewers.accounts.models import Membership
from reviewers.reports.exporting import chunks
from reviewers.reports.exporting.bundle.evidence import evidence_of
from reviewers.reports.exporting.events import Logs, open_logs
from reviewers.reports.exporting.formats.every import BUNDLE, FORMATS
from reviewers.reports.exporting.loading import Key, key_of, load_batches, written
from reviewers.reports.exporting.model import Closing
from reviewers.reports.exporting.reading import Asked, ask, build_batch, end, head, read_parts
from reviewers.reports.exporting.scope import read_scope
from reviewers.reports.models import Export

AT_ONCE = 50
"""So many answers are written while somebody waits; more are written by the worker."""


def asked_by(export: Export, by: Membership) -> Asked:
    """What an export asks for. Raises ``Http404`` where that is not there."""
    return ask(read_scope(export.scope), by)


def make(export: Export, by: Membership) -> list[str]:
    """Write an export's file; returns the identifiers of its answers."""
    asked = asked_by(export, by)
    if FORMATS[export.form].is_lines:
        return _Lines(export, asked).make()
    seen: list[str] = []
    with transaction.atomic():
        chunks.keep_all(export, chunks.FILE, FORMATS[export.form].write(read_parts(asked, seen)))
    return seen


class _Lines:
    """Writes a format whose pieces are put behind each other: a step for the head, one for each batch, one for the end."""

    def __init__(self, export: Export, asked: Asked) -> None:
        self._export, self._asked = export, asked
        self._write = FORMATS[export.form].write
        self._logs = open_logs(export.organisation_id)
        self._seen: list[str] = []

    def make(self) -> list[str]:
        after = self._resume()
        if self._is_ended:
            return self._seen
        for batch in load_batches(self._asked.chosen.items, self._asked.by, after=after):
            is_bundle = self._export.form == BUNDLE
            answers = build_batch(self._asked, batch, self._logs, len(self._seen), whole=is_bundle)
            ids = [str(each.item.id) for each in batch]
            self._seen += ids
            with transaction.atomic():
                if is_bundle:
                    self._keep_evidence(evidence_of(self._export.organisation_id, batch, answers, self._asked.profile))
                self._step(answers, (batch[-1].item.row.answered_at, batch[-1].item.id), ids)
        with transaction.atomic():
            self._step([end(self._asked, len(self._seen), self._logs)], None)
        return self._seen

    def _resume(self) -> Key | None:
        """Behind what was kept already; the head first, where nothing was."""
        self._number, self._is_ended = 0, False
        last = chunks.last_of(self._export)
        if last is None:
            self._step([head(self._asked)], None)
            return None
        self._number = last.number + 1
        self._is_ended = last.state["end"]
        _restore(self._logs, last.state["logs"])
        self._seen = [pk for chunk in self._states() for pk in chunk["answers"]]
        return key_of(last.state["after"])

    def _states(self) -> Iterator[dict[str, Any]]:
        kept = self._export.chunks.filter(name=chunks.FILE).order_by("number")
        yield from kept.values_list("state", flat=True)

    def _step(self, parts: list[Any], after: Key | None, ids: Sequence[str] = ()) -> None:
        state = {
            "after": written(after) if after else "",
            "end": any(isinstance(part, Closing) for part in parts),
            "answers": list(ids),
            "logs": _state_of(self._logs),
        }
        chunks.keep(self._export, chunks.FILE, self._number, b"".join(self._write(parts)), state)
        self._number += 1

    def _keep_evidence(self, evidence: Any) -> None:
        chunks.keep(self._export, chunks.EVENTS, self._number, b"".join(evidence.events))
        chunks.keep(self._export, chunks.DOCUMENTS, self._number, b"".join(evidence.documents))


def _state_of(logs: Logs) -> dict[str, Any]:
    return {
        "reach": {str(log_id): index for log_id, index in logs.reach.items()},
        "waiting": logs.waiting,
        "places": [[str(pk), str(log_id), index] for pk, log_id, index in logs.places],
    }


def _restore(logs: Logs, state: dict[str, Any]) -> None:
    logs.reach = {UUID(log_id): index for log_id, index in state["reach"].items()}
    logs.waiting = state["waiting"]
    logs.places = [(UUID(pk), UUID(log_id), index) for pk, log_id, index in state["places"]]
