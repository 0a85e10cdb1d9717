"""Secrets of second factors are sealed with a key that is not in the database: whoever reads the database cannot make codes."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings

MARK = "sealed:"


def encrypt(text: str) -> str:
    """Encrypt a secret; the mark before it says so to whoever reads it."""
    return MARK + _keys().encrypt(text.encode()).decode()


def decrypt(sealed: str) -> str:
    """The secret. With a key it was not sealed with, or changed since, this raises."""
    return _keys().decrypt(sealed.removeprefix(MARK).encode()).decode()


def _keys() -> MultiFernet:
    """The key, and those before it, with which older secrets were sealed."""
    return MultiFernet([Fernet(base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest())) for key in settings.FACTOR_KEYS])
