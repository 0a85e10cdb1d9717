"""A receipt (C2SP tlog-proof): one text that shows, with the log's public key and nothing else, that an event was sealed, and which.

The event's own bytes stand in its ``extra`` line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reviewers.ledger.merkle.checkpoint import Checkpoint, open_checkpoint
from reviewers.ledger.merkle.hashing import HASH_LENGTH, leaf_hash
from reviewers.ledger.merkle.note import LONGEST_NOTE, Verifier
from reviewers.ledger.merkle.proofs import LONGEST_PROOF, check_inclusion
from reviewers.ledger.merkle.strict import FormError, decode, encode, number

LARGEST_EVENT = 1024 * 1024
_LONGEST = 2 * LARGEST_EVENT + LONGEST_NOTE
_HEAD = 3
_KIND = "c2sp.org/tlog-proof@v1"


@dataclass(frozen=True, slots=True)
class Receipt:
    """An event, where it stands in the log, and the checkpoint whose tree it stands in."""

    content: bytes
    index: int
    checkpoint: Checkpoint


def write_receipt(*, content: bytes, index: int, proof: Sequence[bytes], note: str) -> str:
    """The text."""
    lines = [_KIND, f"extra {encode(content)}", f"index {index}", *map(encode, proof)]
    return "\n".join(lines) + "\n\n" + note


def open_receipt(text: str, verifiers: Sequence[Verifier]) -> Receipt:
    """Read a receipt and check all of it. Raises ``FormError`` or ``ProofError``, both of which are ``ValueError``."""
    if len(text) > _LONGEST:
        raise FormError("This is too long for a receipt.")
    head, _, note = text.partition("\n\n")
    lines = head.split("\n")
    if len(lines) < _HEAD:
        raise FormError("This is no receipt.")
    kind, extra, index, *proof = lines
    if kind != _KIND or len(proof) > LONGEST_PROOF or not extra.startswith("extra ") or not index.startswith("index "):
        raise FormError("This is no receipt.")
    checkpoint = open_checkpoint(note, verifiers)
    receipt = Receipt(decode(extra.removeprefix("extra ")), number(index.removeprefix("index ")), checkpoint)
    hashes = [_hash(line) for line in proof]
    check_inclusion(leaf=leaf_hash(receipt.content), index=receipt.index, size=checkpoint.size, proof=hashes, root=checkpoint.root)
    return receipt


def _hash(line: str) -> bytes:
    content = decode(line)
    if len(content) != HASH_LENGTH:
        raise FormError("This is no hash.")
    return content
