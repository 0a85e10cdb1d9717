"""Writes a report as PDF in volumes: typesetting takes memory for every page, so each holds some of the answers.

Which answers stand in which volume is settled before the first is typeset, so that each can say how many there are; what comes in
meanwhile is not in the report. Each volume is a step.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from msgspec import convert, to_builtins

from reviewers.reports.exporting import archive, chunks
from reviewers.reports.exporting.archive import Entry
from reviewers.reports.exporting.asking import Asked
from reviewers.reports.exporting.chunks import Measured
from reviewers.reports.exporting.concluding import conclude
from reviewers.reports.exporting.events import close, open_logs
from reviewers.reports.exporting.formats.printed import last_moment
from reviewers.reports.exporting.formats.volume import Volume
from reviewers.reports.exporting.formats.volumes import contents_of, name_of, name_of_contents, volume_of
from reviewers.reports.exporting.loading import Key, key_of, load_batch, written
from reviewers.reports.exporting.model import Answer, Report
from reviewers.reports.exporting.reading import build_batch, head
from reviewers.reports.exporting.steps import Steps, restore, state_of
from reviewers.reports.exporting.weighing import cut, weigh
from reviewers.reports.least.applying import apply_to_end
from reviewers.reports.models import Export

ANSWERS = 100
"""At most in one volume."""

_RECEIPTS = 5_000
"""Of so many events a volume has the receipts attached: a hundred answers have some eight hundred."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A volume that is done, its place in the archive, and the moment of the last thing in it."""

    volume: Volume
    entry: Entry
    moment: datetime


class Volumes:
    """An archive of volumes with a page of contents, which is written last."""

    def __init__(self, export: Export, asked: Asked, size: int) -> None:
        self._export, self._asked, self._size = export, asked, size
        self._steps = Steps(export)
        self._logs = open_logs(export.organisation_id)
        self._kept: list[_Kept] = []

    def make(self) -> tuple[list[str], Measured]:
        """Go on to the end; returns the identifiers of the answers, and the file's measures."""
        state = self._steps.resume()
        if state is None:
            self._settle()
        else:
            restore(self._logs, state["logs"])
            self._kept = [_read(each["volume"]) for each in self._steps.states() if "volume" in each]
        if state is None or not state["end"]:
            self._go_on()
        return self._steps.seen, self._steps.measured

    @transaction.atomic
    def _settle(self) -> None:
        """Say which answers stand in which volume; of a report without any there is one volume."""
        number = 0
        weighed = weigh(self._asked.chosen.items, all_fields=self._asked.scope.all_fields)
        for number, keys in enumerate(cut(weighed, self._size), start=1):
            chunks.keep(self._export, chunks.VOLUMES, number, json.dumps([written(key) for key in keys]).encode())
        if not number:
            chunks.keep(self._export, chunks.VOLUMES, 1, b"[]")
        self._steps.keep(chunks.packed(b""), self._state())

    def _go_on(self) -> None:
        planned = chunks.keys(self._export, chunks.VOLUMES)
        for number, key in enumerate(planned, start=1):
            if number > len(self._kept):
                keys = [key_of(each) for each in json.loads(chunks.piece(key))]
                self._volume(number, len(planned), [each for each in keys if each])
        self._contents()

    def _volume(self, number: int, count: int, keys: Sequence[Key]) -> None:
        logs = open_logs(self._export.organisation_id, _RECEIPTS)
        batch = load_batch(self._asked.chosen.items, self._asked.by, keys)
        ids = [str(each.item.id) for each in batch]
        answers = list(build_batch(self._asked, batch, logs, len(self._steps.seen)))
        del batch
        closing = apply_to_end(close(len(answers), logs), self._asked.profile, self._export.organisation_id)
        report = Report(head(self._asked), answers, closing)
        content = volume_of(report, number, count)
        entry, stored = archive.add(name_of(number, count), content, self._entries())
        kept = _Kept(_told(number, answers, entry.name, content), entry, last_moment(report))
        self._logs.add(logs)
        self._kept.append(kept)
        self._steps.keep_long([stored], self._state() | {"volume": _data(kept)}, ids)

    def _contents(self) -> None:
        closing = conclude(self._asked, len(self._steps.seen), self._logs)
        volumes, last = [each.volume for each in self._kept], max(each.moment for each in self._kept)
        content = contents_of(head(self._asked), closing, volumes, last)
        entry, stored = archive.add(name_of_contents(len(volumes)), content, self._entries())
        entries = [*self._entries(), entry]
        self._steps.keep_long([stored, archive.close(entries, [entry, *self._entries()])], self._state() | {"end": True})

    def _entries(self) -> list[Entry]:
        return [each.entry for each in self._kept]

    def _state(self) -> dict[str, Any]:
        return {"logs": state_of(self._logs), "end": False}


def _told(number: int, answers: Sequence[Answer], name: str, content: bytes) -> Volume:
    first, last = (answers[0], answers[-1]) if answers else (None, None)
    return Volume(
        name=name,
        number=number,
        first=first.number if first else 0,
        last=last.number if last else 0,
        since=first.answered_at if first else "",
        until=last.answered_at if last else "",
        digest="sha256:" + hashlib.sha256(content).hexdigest(),
    )


def _data(kept: _Kept) -> dict[str, Any]:
    return {"volume": to_builtins(kept.volume), "entry": asdict(kept.entry), "moment": kept.moment.isoformat()}


def _read(data: dict[str, Any]) -> _Kept:
    return convert(data, _Kept)
