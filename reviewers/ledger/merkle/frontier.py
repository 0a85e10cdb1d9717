"""A tree that is only added to: its root after every leaf, out of as many hashes as it has levels."""

from __future__ import annotations

from reviewers.ledger.merkle.hashing import EMPTY_ROOT, join, node_hash
from reviewers.ledger.merkle.tree import TILE_HEIGHT, Stored


class Frontier:
    """The complete trees that stand beside each other, the largest first."""

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[tuple[int, bytes]] = []

    def add(self, leaf: bytes) -> list[Stored]:
        """Add a leaf; returns the hashes above the leaves that are stored now."""
        height, digest = 0, leaf
        self.size += 1
        stored: list[Stored] = []
        while self._peaks and self._peaks[-1][0] == height:
            digest = node_hash(self._peaks.pop()[1], digest)
            height += 1
            if height % TILE_HEIGHT == 0:
                stored.append((height // TILE_HEIGHT, (self.size >> height) - 1, digest))
        self._peaks.append((height, digest))
        return stored

    @property
    def root(self) -> bytes:
        """The root over all leaves so far."""
        return join([digest for _, digest in self._peaks]) if self._peaks else EMPTY_ROOT
