"""Codes in the place of names: the same name has the same code, and without the organisation's key nobody finds the name again."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings

_DOMAIN = b"footnote.pseudonyms.v1\0"
_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """The codes of one organisation."""

    key: bytes

    def code(self, kind: str, name: str) -> str:
        """``client-3f9a2c07b1d4``."""
        return f"{kind}-{self._digest(kind, name).hex()[:_LENGTH]}" if name else ""

    def identifier(self, name: str) -> str:
        """In the place of an identifier, and of its form."""
        return str(UUID(bytes=self._digest("identifier", name)[:16], version=5)) if name else ""

    def _digest(self, kind: str, name: str) -> bytes:
        return hmac.digest(self.key, f"{kind}\0{name}".encode("utf-8", "surrogatepass"), "sha256")


def pseudonyms_of(organisation_id: UUID) -> Pseudonyms:
    """The organisation's, made with the site's secret: they change with it."""
    return Pseudonyms(hmac.digest(settings.SECRET_KEY.encode(), _DOMAIN + organisation_id.bytes, "sha256"))
