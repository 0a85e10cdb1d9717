"""Signed notes and checkpoints (C2SP signed-note and tlog-checkpoint), and the encodings in them. Each has one spelling only."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from reviewers.ledger.merkle.proofs import HASH_LENGTH

_NUMBER = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)


class FormatError(ValueError):
    """A text does not have the required form. Nothing in it may be relied on."""


def encode_base64(content: bytes) -> str:
    """Return base64 with padding."""
    return base64.b64encode(content).decode()


def decode_base64(text: str) -> bytes:
    """Decode base64 in its canonical spelling only, as one flipped bit may make another spelling of the same bytes."""
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise FormatError("This is no base64.") from error
    if encode_base64(content) != text:
        raise FormatError("This is not how base64 is written.")
    return content


def read_number(text: str) -> int:
    """Return a whole number without sign or leading zero."""
    if not _NUMBER.fullmatch(text):
        raise FormatError("This is no number.")
    return int(text)


# A signed note is a text, a blank line, and a line for each Ed25519 signature.


LONGEST_NOTE = 64 * 1024
MOST_SIGNATURES = 100
KEY_ID_LENGTH = 4
_ED25519 = b"\x01"
_DASH = "\u2014 "


@dataclass(frozen=True, slots=True)
class Verifier:
    """A public key and the name it signs under."""

    name: str
    public: bytes

    @property
    def key_id(self) -> bytes:
        """The beginning of a digest over name and key, by which a signature finds its key."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:KEY_ID_LENGTH]

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{encode_base64(_ED25519 + self.public)}"

    def is_signed(self, text: bytes, signature: bytes) -> bool:
        """Return True if this key made the signature."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, text)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key and the name it signs under."""

    name: str
    private: Ed25519PrivateKey

    @property
    def verifier(self) -> Verifier:
        """The public key."""
        return Verifier(self.name, self.private.public_key().public_bytes_raw())

    def line(self, text: str) -> str:
        """Return the signature's line of a note."""
        return f"{_DASH}{self.name} {encode_base64(self.verifier.key_id + self.private.sign(text.encode()))}\n"


def read_verifier(text: str) -> Verifier:
    """Return the public key in ``name+id+key``, the form it is handed around in; raise ``FormatError`` for any other text."""
    name, _, rest = text.partition("+")
    key_id, _, key = rest.partition("+")
    kind_and_key = decode_base64(key)
    verifier = Verifier(_check_name(name), kind_and_key[1:])
    if kind_and_key[:1] != _ED25519 or len(kind_and_key) != 33 or key_id != verifier.key_id.hex():
        raise FormatError("This is no key for Ed25519.")
    return verifier


def sign(text: str, signers: Sequence[Signer]) -> str:
    """Return a note with the text signed."""
    return text + "\n" + "".join(signer.line(text) for signer in signers)


def open_note(note: str, verifiers: Sequence[Verifier]) -> str:
    """Return the text of a note that at least one of these keys signed, and none wrongly; raise ``FormatError`` otherwise."""
    text, lines = _divide(note)
    known = {(verifier.name, verifier.key_id): verifier for verifier in verifiers}
    trusted = False
    for line in lines:
        name, signature = _read_line(line)
        verifier = known.get((name, signature[:KEY_ID_LENGTH]))
        if verifier is None:
            continue
        if not verifier.is_signed(text.encode(), signature[KEY_ID_LENGTH:]):
            raise FormatError(f"The signature of {name} is wrong.")
        trusted = True
    if not trusted:
        raise FormatError("None of the known keys has signed this.")
    return text


def signers_of(note: str) -> list[tuple[str, bytes]]:
    """Return the name and the beginning of the key's digest of each signature of a note, right or wrong."""
    return [(name, signature[:KEY_ID_LENGTH]) for name, signature in map(_read_line, _divide(note)[1])]


def _divide(note: str) -> tuple[str, list[str]]:
    if len(note) > LONGEST_NOTE or any(character < " " and character != "\n" for character in note):
        raise FormatError("This is no note.")
    text, blank, signatures = note.rpartition("\n\n")
    if not blank or not text or not signatures.endswith("\n") or signatures.count("\n") > MOST_SIGNATURES:
        raise FormatError("This is no note.")
    return text + "\n", signatures[:-1].split("\n")


def _read_line(line: str) -> tuple[str, bytes]:
    name, space, signature = line.removeprefix(_DASH).partition(" ")
    content = decode_base64(signature)
    if not line.startswith(_DASH) or not space or len(content) <= KEY_ID_LENGTH:
        raise FormatError("This is no signature.")
    return _check_name(name), content


def _check_name(name: str) -> str:
    if not name or "+" in name or any(character.isspace() for character in name):
        raise FormatError("This is no name of a key.")
    return name


# A checkpoint is a signed note of a log's size and root.


_LINES = 3
_AFTER = "after "


@dataclass(frozen=True, slots=True)
class LogCheckpoint:
    """A log's unique name, its size and its root.

    ``after`` is the size of the checkpoint that was signed before this one, 0 for the first: so none between two can be removed. It is an
    extension line, which the format allows; checkpoints from before it was introduced have none.
    """

    origin: str
    size: int
    root: bytes
    after: int | None = None

    def __str__(self) -> str:
        text = f"{self.origin}\n{self.size}\n{encode_base64(self.root)}\n"
        return text if self.after is None else f"{text}{_AFTER}{self.after}\n"

    def sign(self, signers: Sequence[Signer]) -> str:
        """Return the signed note."""
        return sign(str(self), signers)


def open_checkpoint(text: str, verifiers: Sequence[Verifier]) -> LogCheckpoint:
    """Return the checkpoint in a note signed by one of these keys; raise ``FormatError`` otherwise."""
    return read_checkpoint(open_note(text, verifiers))


def read_checkpoint(text: str) -> LogCheckpoint:
    """Return the checkpoint in a note or its text, without checking signatures. Further lines of the text are allowed."""
    lines = text.partition("\n\n")[0].split("\n")
    if len(lines) < _LINES or not lines[0]:
        raise FormatError("This is no checkpoint.")
    root = decode_base64(lines[2])
    if len(root) != HASH_LENGTH:
        raise FormatError("This is no root.")
    after = next((read_number(line.removeprefix(_AFTER)) for line in lines[_LINES:] if line.startswith(_AFTER)), None)
    return LogCheckpoint(lines[0], read_number(lines[1]), root, after)
