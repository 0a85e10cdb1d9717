"""A growing Merkle tree over tiles: its root and proofs at any size, and the hashes to store when it grows.

Stored are the hashes of the leaves and, for each complete 256 of a level, one hash on the level above. They are written once and never
change; everything in between is computed from the 256 of a tile. So a tree costs one hash more for every 255 leaves, and a proof reads at
most two tiles a level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reviewers.ledger.merkle.proofs import EMPTY_ROOT, fold, join, node_hash

TILE_HEIGHT = 8
TILE = 2**TILE_HEIGHT

Read = Callable[[int, int, int], Sequence[bytes]]
"""Reads the stored hashes of a level from one index up to another, as ``read(level, start, stop)``. Level 0 holds the leaves."""

Stored = tuple[int, int, bytes]
"""A hash to store: its level, its index there, and the digest."""


def completed(read: Read, size: int, leaves: Sequence[bytes]) -> Iterator[Stored]:
    """Yield the hashes above the leaves that are complete once ``leaves`` are added to a tree of ``size``."""
    level, start, hashes = 0, size, list(leaves)
    while hashes:
        first = start - start % TILE
        row = [*read(level, first, start), *hashes]
        hashes = [fold(row[begin : begin + TILE]) for begin in range(0, len(row) - TILE + 1, TILE)]
        level, start = level + 1, first // TILE
        yield from ((level, start + offset, digest) for offset, digest in enumerate(hashes))


def root(read: Read, size: int) -> bytes:
    """Return the root of the tree at a size."""
    return _range_hash(read, 0, size) if size else EMPTY_ROOT


def inclusion_proof(read: Read, index: int, size: int) -> list[bytes]:
    """Return the proof that the leaf at ``index`` is in the tree of ``size`` leaves (RFC 6962, 2.1.1)."""
    if not 0 <= index < size:
        raise ValueError(f"There is no leaf {index} in a tree of {size}.")
    proof, start, stop = [], 0, size
    while stop - start > 1:
        middle = start + _split(stop - start)
        if index < middle:
            proof.append(_range_hash(read, middle, stop))
            stop = middle
        else:
            proof.append(_range_hash(read, start, middle))
            start = middle
    return proof[::-1]


def _split(count: int) -> int:
    """Return the largest power of two below ``count``."""
    return 1 << (count - 1).bit_length() - 1


def _range_hash(read: Read, start: int, stop: int) -> bytes:
    """Return the hash of the tree's node over a range of leaves."""
    return join([_complete_hash(read, begin, height) for begin, height in _peaks(start, stop)])


def _peaks(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the beginning and the height of each complete tree that makes up a range."""
    while start < stop:
        height = (stop - start).bit_length() - 1
        yield start, height
        start += 1 << height


def _complete_hash(read: Read, begin: int, height: int) -> bytes:
    level, above = divmod(height, TILE_HEIGHT)
    first = begin >> level * TILE_HEIGHT
    return fold(read(level, first, first + (1 << above)))


class Frontier:
    """A tree that only grows, kept as its adjacent complete trees, the largest first: one hash for each of its levels."""

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[tuple[int, bytes]] = []

    def add(self, leaf: bytes) -> list[Stored]:
        """Add a leaf; return the hashes above the leaves that are complete now."""
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
