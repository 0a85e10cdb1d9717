"""Receipts (C2SP tlog-proof): a text that proves, with the log's public key alone, that an event was sealed.

The event's own bytes are in the ``extra`` line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reviewers.ledger.merkle.notes import (
    LONGEST_NOTE,
    FormatError,
    LogCheckpoint,
    Verifier,
    decode_base64,
    encode_base64,
    open_checkpoint,
    read_number,
)
from reviewers.ledger.merkle.proofs import HASH_LENGTH, LONGEST_PROOF, check_inclusion, leaf_hash

LARGEST_EVENT = 32 * 1024 * 1024
"""Bytes. The event by which the largest plan starts names 100,000 answers, each with its table, its key and its digest."""
_LONGEST = 2 * LARGEST_EVENT + LONGEST_NOTE
_HEAD = 3
_KIND = "c2sp.org/tlog-proof@v1"


@dataclass(frozen=True, slots=True)
class OpenedReceipt:
    """An event, its index in the log, and the checkpoint whose tree contains it."""

    content: bytes
    index: int
    checkpoint: LogCheckpoint


def write_receipt(*, content: bytes, index: int, proof: Sequence[bytes], note: str) -> str:
    """Return the text of a receipt."""
    lines = [_KIND, f"extra {encode_base64(content)}", f"index {index}", *map(encode_base64, proof)]
    return "\n".join(lines) + "\n\n" + note


def open_receipt(text: str, verifiers: Sequence[Verifier]) -> OpenedReceipt:
    """Read a receipt and check all of it; raise ``FormatError`` or ``ProofError``, both of which are ``ValueError``."""
    if len(text) > _LONGEST:
        raise FormatError("This is too long for a receipt.")
    head, _, note = text.partition("\n\n")
    lines = head.split("\n")
    if len(lines) < _HEAD:
        raise FormatError("This is no receipt.")
    kind, extra, index, *proof = lines
    if kind != _KIND or len(proof) > LONGEST_PROOF or not extra.startswith("extra ") or not index.startswith("index "):
        raise FormatError("This is no receipt.")
    checkpoint = open_checkpoint(note, verifiers)
    receipt = OpenedReceipt(decode_base64(extra.removeprefix("extra ")), read_number(index.removeprefix("index ")), checkpoint)
    hashes = [_hash(line) for line in proof]
    check_inclusion(leaf=leaf_hash(receipt.content), index=receipt.index, size=checkpoint.size, proof=hashes, root=checkpoint.root)
    return receipt


def _hash(line: str) -> bytes:
    content = decode_base64(line)
    if len(content) != HASH_LENGTH:
        raise FormatError("This is no hash.")
    return content
