"""Encryption of the secrets of second factors. The key is not in the database, so a reader of the database cannot make codes."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings

MARK = "sealed:"


def encrypt(text: str) -> str:
    """Encrypt a secret. The prefix `MARK` shows that it is encrypted."""
    return MARK + _keys().encrypt(text.encode()).decode()


def decrypt(sealed: str) -> str:
    """Decrypt a secret; raise ``InvalidToken`` if it was changed, or encrypted with an unknown key."""
    return _keys().decrypt(sealed.removeprefix(MARK).encode()).decode()


def _keys() -> MultiFernet:
    """Return the current key and the earlier ones, which older secrets were encrypted with."""
    return MultiFernet([Fernet(base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest())) for key in settings.FACTOR_KEYS])
