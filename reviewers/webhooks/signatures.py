"""Secrets and signatures in the form of Standard Webhooks: an HMAC over identifier, time and body."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

PREFIX = "whsec_"
_BYTES = 32


def new_secret() -> str:
    """Return a new secret, as its owner keeps it."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a message, with the version of its form."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = b".".join([message_id.encode(), str(timestamp).encode(), body])
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def headers_of(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers that let a receiver check where a message comes from, and that it is new."""
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(secret, message_id, timestamp, body),
    }
