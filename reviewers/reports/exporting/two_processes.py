"""Writes a long report with two processes, one for each core: whoever is done takes the next piece.

The second reads for itself, so what is written has to be committed.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator

from django.db import connection

from reviewers.reports.exporting.asking import Asked
from reviewers.reports.exporting.loading import Key, list_keys
from reviewers.reports.exporting.pieces import Piece, write_piece
from reviewers.reports.exporting.second import Second

LONG = 2_000
"""Answers from which on a second process is worth its start, which takes a second or two."""

_AHEAD = 4
"""So many pieces the second is told of: with fewer it stands still while the first keeps what both have written."""
_MOST_WAITING = 8
"""Pieces in memory, where one of the second's takes long."""

Turn = tuple[list[Key], int]
"""The answers of a piece, and how many stand before it."""


def is_worth_it(asked: Asked) -> bool:
    """Whether there is another core, and enough to do; in a transaction the second would not see what was written in it."""
    return not connection.in_atomic_block and _cores() > 1 and asked.chosen.items.count() >= LONG


def write_pieces_by_two(asked: Asked, form: str, *, after: Key | None, number: int) -> Iterator[Piece]:
    """The same pieces in the same order as from one process. Whoever has nothing to do takes the next one."""
    with Second(asked.scope.as_data(), asked.by.pk, asked.by.organisation_id, form) as second:
        waiting: deque[Piece | None] = deque()  # none stands for one of the second's
        for turn in _turns(asked, after, number):
            if second.begun < _AHEAD:
                second.begin(turn)
                waiting.append(None)
            else:
                waiting.append(write_piece(asked, form, *turn))
            while waiting and (waiting[0] or second.has_ended or len(waiting) > _MOST_WAITING):
                yield waiting.popleft() or second.ended()
        while waiting:
            yield waiting.popleft() or second.ended()


def _turns(asked: Asked, after: Key | None, number: int) -> Iterator[Turn]:
    for keys in list_keys(asked.chosen.items, after=after):
        yield keys, number
        number += len(keys)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
