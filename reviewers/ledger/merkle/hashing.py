"""The hashes of a Merkle tree (RFC 6962, section 2.1): leaves and nodes are told apart, so that neither can be passed off as the other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import reduce

HASH_LENGTH = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(content: bytes) -> bytes:
    """The hash of an entry."""
    return hashlib.sha256(b"\x00" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash over two hashes."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def fold(hashes: Sequence[bytes]) -> bytes:
    """The root over 1, 2, 4, 8, … hashes."""
    while len(hashes) > 1:
        hashes = [node_hash(hashes[index], hashes[index + 1]) for index in range(0, len(hashes), 2)]
    return hashes[0]


def join(peaks: Sequence[bytes]) -> bytes:
    """The root over the roots of complete trees that stand beside each other, the largest first."""
    return reduce(lambda right, left: node_hash(left, right), reversed(peaks))
