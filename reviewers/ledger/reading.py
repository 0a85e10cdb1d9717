"""Reads the stored hashes of a log's tree, a tile at a time."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from reviewers.ledger.merkle.tree import TILE
from reviewers.ledger.models import Leaf, Node


class Hashes:
    """The hashes of one log. A tile that was read is not read again: make another of these once the log has grown."""

    def __init__(self, log_id: UUID) -> None:
        self._log_id = log_id
        self._tiles: dict[tuple[int, int], list[bytes]] = {}

    def read(self, level: int, start: int, stop: int) -> Sequence[bytes]:
        """Those of a level from one index up to another, all in one tile."""
        number, offset = divmod(start, TILE)
        tile = self._tile(level, number)
        return tile[offset : offset + stop - start]

    def _tile(self, level: int, number: int) -> list[bytes]:
        if (level, number) not in self._tiles:
            rows = Node.objects.filter(level=level) if level else Leaf.objects.all()
            within = rows.filter(log_id=self._log_id, index__gte=number * TILE, index__lt=(number + 1) * TILE)
            self._tiles[level, number] = [bytes(digest) for digest in within.order_by("index").values_list("hash", flat=True)]
        return self._tiles[level, number]
