"""A second implementation of the tree, by the definitions of RFC 6962 word for word: slow, recursive, over a list of entries."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from reviewers.ledger.merkle.proofs import leaf_hash
from reviewers.ledger.merkle.tree import completed

Hashes = list[bytes]


def entries(count: int) -> list[bytes]:
    """So many entries, all different."""
    return [b"entry %d" % number for number in range(count)]


def naive_root(contents: Sequence[bytes]) -> bytes:
    """MTH."""
    if not contents:
        return hashlib.sha256(b"").digest()
    if len(contents) == 1:
        return hashlib.sha256(b"\x00" + contents[0]).digest()
    middle = half(len(contents))
    return hashlib.sha256(b"\x01" + naive_root(contents[:middle]) + naive_root(contents[middle:])).digest()


def naive_path(index: int, contents: Sequence[bytes]) -> Hashes:
    """PATH."""
    if len(contents) <= 1:
        return []
    middle = half(len(contents))
    if index < middle:
        return [*naive_path(index, contents[:middle]), naive_root(contents[middle:])]
    return [*naive_path(index - middle, contents[middle:]), naive_root(contents[:middle])]


def half(count: int) -> int:
    """The largest power of two below a number."""
    power = 1
    while power * 2 < count:
        power *= 2
    return power


class Store:
    """A tree as a database stores it: hashes by level, each written once."""

    def __init__(self) -> None:
        self.levels: dict[int, Hashes] = {}

    def read(self, level: int, start: int, stop: int) -> Hashes:
        return self.levels.get(level, [])[start:stop]

    def add(self, contents: Sequence[bytes]) -> None:
        """Add entries, and whatever is complete then."""
        leaves = [leaf_hash(content) for content in contents]
        above = list(completed(self.read, len(self.levels.get(0, [])), leaves))
        self.levels.setdefault(0, []).extend(leaves)
        for level, index, digest in above:
            row = self.levels.setdefault(level, [])
            assert len(row) == index, "hashes are stored in order, none twice"
            row.append(digest)


def store_of(contents: Sequence[bytes], cuts: Sequence[int] = ()) -> Store:
    """A store that was given these entries, in portions that end at the cuts."""
    store, begin = Store(), 0
    for cut in [*sorted(cuts), len(contents)]:
        store.add(contents[begin:cut])
        begin = max(begin, cut)
    return store
