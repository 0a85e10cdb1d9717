"""Hashes and proofs of a Merkle tree (RFC 6962, section 2.1, and RFC 9162, 2.1.3.2).

Leaves and nodes are hashed with different prefixes, so that neither can be passed off as the other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import reduce

HASH_LENGTH = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(content: bytes) -> bytes:
    """Return the hash of an entry."""
    return hashlib.sha256(b"\x00" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash over two hashes."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def fold(hashes: Sequence[bytes]) -> bytes:
    """Return the root over 1, 2, 4, 8, … hashes."""
    while len(hashes) > 1:
        hashes = [node_hash(hashes[index], hashes[index + 1]) for index in range(0, len(hashes), 2)]
    return hashes[0]


def join(peaks: Sequence[bytes]) -> bytes:
    """Return the root over the roots of adjacent complete trees, the largest first."""
    return reduce(lambda right, left: node_hash(left, right), reversed(peaks))


LONGEST_PROOF = 64
"""Number of hashes; no tree that can be stored has more levels."""


class ProofError(ValueError):
    """A proof does not prove its claim."""


def check_inclusion(*, leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Check that the leaf is at ``index`` in the tree of this size and root; raise ``ProofError`` if it is not."""
    _check_form(proof)
    if not 0 <= index < size:
        raise ProofError("The index lies outside the tree.")
    node, last, digest = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            raise ProofError("The proof is too long.")
        if node & 1 or node == last:
            digest = node_hash(sibling, digest)
            node, last = _up_to_odd(node, last)
        else:
            digest = node_hash(digest, sibling)
        node, last = node >> 1, last >> 1
    if last != 0 or digest != root:
        raise ProofError("The leaf is not in this tree at this index.")


def _up_to_odd(node: int, last: int) -> tuple[int, int]:
    """Skip the levels on which the node has no sibling."""
    while node and not node & 1:
        node, last = node >> 1, last >> 1
    return node, last


def _check_form(proof: Sequence[bytes]) -> None:
    if len(proof) > LONGEST_PROOF or any(len(each) != HASH_LENGTH for each in proof):
        raise ProofError("The proof is not a list of hashes.")
