"""Auditors from outside: why they are let in, and until when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Outside:
    """Why somebody from outside is let in, and the moment at which the membership opens nothing any more."""

    reason: str
    until: datetime
