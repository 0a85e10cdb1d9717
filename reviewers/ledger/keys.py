"""The private keys that sign checkpoints: files that only their owner can read, outside the database.

Whoever can write to the database but not read this folder cannot sign, and a copy of the database signs nothing.
"""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from reviewers.ledger.merkle.note import Signer, Verifier
from reviewers.ledger.merkle.strict import decode, encode
from reviewers.web.environment import write_private


class KeyMissing(Exception):  # noqa: N818 — says what is missing
    """The private key of a log is not in the folder of keys."""


def make_signer(origin: str) -> Signer:
    """A new key, kept from now on."""
    signer = Signer(origin, Ed25519PrivateKey.generate())
    write_private(_place(signer.verifier), encode(signer.private.private_bytes_raw()) + "\n")
    return signer


def load_signer(verifier: Verifier) -> Signer:
    """The private key to a public one. Raises ``KeyMissing``."""
    try:
        text = _place(verifier).read_text(encoding="ascii")
    except FileNotFoundError as error:
        raise KeyMissing(f"The private key of {verifier.name} is not in {settings.LEDGER_FOLDER / 'keys'}.") from error
    return Signer(verifier.name, Ed25519PrivateKey.from_private_bytes(decode(text.strip())))


def _place(verifier: Verifier) -> Path:
    folder: Path = settings.LEDGER_FOLDER
    return folder / "keys" / f"{verifier.public.hex()}.key"
