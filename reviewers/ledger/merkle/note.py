"""Signed notes (C2SP signed-note): a text, a blank line, and a line for each signature, with Ed25519."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from reviewers.ledger.merkle.strict import FormError, decode, encode

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
        return f"{self.name}+{self.key_id.hex()}+{encode(_ED25519 + self.public)}"

    def is_signed(self, text: bytes, signature: bytes) -> bool:
        """Whether this key made the signature."""
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
        """What checks its signatures."""
        return Verifier(self.name, self.private.public_key().public_bytes_raw())

    def line(self, text: str) -> str:
        """The signature's line."""
        return f"{_DASH}{self.name} {encode(self.verifier.key_id + self.private.sign(text.encode()))}\n"


def read_verifier(text: str) -> Verifier:
    """A public key as it is handed around: ``name+id+key``. Raises ``FormError``."""
    name, _, rest = text.partition("+")
    key_id, _, key = rest.partition("+")
    kind_and_key = decode(key)
    verifier = Verifier(_check_name(name), kind_and_key[1:])
    if kind_and_key[:1] != _ED25519 or len(kind_and_key) != 33 or key_id != verifier.key_id.hex():
        raise FormError("This is no key for Ed25519.")
    return verifier


def sign(text: str, signers: Sequence[Signer]) -> str:
    """A note."""
    return text + "\n" + "".join(signer.line(text) for signer in signers)


def open_note(note: str, verifiers: Sequence[Verifier]) -> str:
    """The text of a note that at least one of these keys signed, and none wrongly. Raises ``FormError``."""
    text, lines = _divide(note)
    known = {(verifier.name, verifier.key_id): verifier for verifier in verifiers}
    trusted = False
    for line in lines:
        name, signature = _read_line(line)
        verifier = known.get((name, signature[:KEY_ID_LENGTH]))
        if verifier is None:
            continue
        if not verifier.is_signed(text.encode(), signature[KEY_ID_LENGTH:]):
            raise FormError(f"The signature of {name} is wrong.")
        trusted = True
    if not trusted:
        raise FormError("None of the known keys has signed this.")
    return text


def _divide(note: str) -> tuple[str, list[str]]:
    if len(note) > LONGEST_NOTE or any(character < " " and character != "\n" for character in note):
        raise FormError("This is no note.")
    text, blank, signatures = note.rpartition("\n\n")
    if not blank or not text or not signatures.endswith("\n") or signatures.count("\n") > MOST_SIGNATURES:
        raise FormError("This is no note.")
    return text + "\n", signatures[:-1].split("\n")


def _read_line(line: str) -> tuple[str, bytes]:
    name, space, signature = line.removeprefix(_DASH).partition(" ")
    content = decode(signature)
    if not line.startswith(_DASH) or not space or len(content) <= KEY_ID_LENGTH:
        raise FormError("This is no signature.")
    return _check_name(name), content


def _check_name(name: str) -> str:
    if not name or "+" in name or any(character.isspace() for character in name):
        raise FormError("This is no name of a key.")
    return name
