"""A checkpoint (C2SP tlog-checkpoint): how large a log was and what its root was, signed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reviewers.ledger.merkle import note
from reviewers.ledger.merkle.hashing import HASH_LENGTH
from reviewers.ledger.merkle.note import Signer, Verifier
from reviewers.ledger.merkle.strict import FormError, decode, encode, number

_LINES = 3
_AFTER = "after "


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The log's name, which no other log has, its size and its root.

    ``after`` is the size of the checkpoint that was signed before this one, 0 where it is the first: so none between two can be taken
    away. It stands on a line of its own behind the others, which the form allows; checkpoints of before it was kept have none.
    """

    origin: str
    size: int
    root: bytes
    after: int | None = None

    def __str__(self) -> str:
        text = f"{self.origin}\n{self.size}\n{encode(self.root)}\n"
        return text if self.after is None else f"{text}{_AFTER}{self.after}\n"

    def sign(self, signers: Sequence[Signer]) -> str:
        """The note."""
        return note.sign(str(self), signers)


def open_checkpoint(text: str, verifiers: Sequence[Verifier]) -> Checkpoint:
    """A checkpoint out of a note signed by one of these keys. Raises ``FormError``."""
    return read_checkpoint(note.open_note(text, verifiers))


def read_checkpoint(text: str) -> Checkpoint:
    """A checkpoint out of the text of a note, or of the note; signatures are not looked at. Further lines of the text are allowed."""
    lines = text.partition("\n\n")[0].split("\n")
    if len(lines) < _LINES or not lines[0]:
        raise FormError("This is no checkpoint.")
    root = decode(lines[2])
    if len(root) != HASH_LENGTH:
        raise FormError("This is no root.")
    after = next((number(line.removeprefix(_AFTER)) for line in lines[_LINES:] if line.startswith(_AFTER)), None)
    return Checkpoint(lines[0], number(lines[1]), root, after)
