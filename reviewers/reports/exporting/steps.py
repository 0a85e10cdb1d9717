"""A file that is written in steps, each kept before the next with how far it came: what ends the work is gone on from there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db import transaction

from reviewers.reports.exporting import chunks
from reviewers.reports.exporting.chunks import Measured, Measuring
from reviewers.reports.exporting.events import Logs
from reviewers.reports.exporting.quickly import unpack
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
        self._measuring.add(unpack(content))
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
