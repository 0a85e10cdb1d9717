"""How much of each kind de-identification finds, as it was measured on invented records; ``tests/least/invented`` measures it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("recall.json")

_HALVES = ("held_out", "developed")
_KINDS: Mapping[str, str] = {
    "names_held": "Names that the record holds in a field, wherever they stand",
    "names_introduced": "Names only in free text, with a title or a word such as “my sister”",
    "names_alone": "Names only in free text, with nothing that says so",
    "places": "Streets, cities and postal codes",
    "dates": "Dates, but for the year",
    "ages": "Ages over 89",
    "telephone": "Telephone numbers",
    "fax": "Fax numbers",
    "email": "E-mail addresses",
    "ssn": "Social security numbers",
    "record_numbers": "Medical record numbers",
    "plan_numbers": "Health plan beneficiary numbers",
    "accounts": "Account numbers",
    "licences": "Certificate and licence numbers",
    "vehicles": "Vehicle identifiers and licence plates",
    "devices": "Device identifiers and serial numbers",
    "urls": "Web addresses",
    "addresses_ip": "IP addresses",
    "biometrics": "Biometric identifiers, as numbers",
    "photographs": "Photographs, as names of files and as embedded images",
    "others": "Any other identifying number or code",
}
"""The kinds of 45 CFR 164.514(b)(2)(i), in its order; names and dates are several."""


@dataclass(frozen=True, slots=True)
class Found:
    """How many of so many were found."""

    found: int
    planted: int


@dataclass(frozen=True, slots=True)
class KindRow:
    """A kind of identifier: found in forms that no pattern was made for, and in those that patterns were made with."""

    name: str
    held_out: Found
    developed: Found


@dataclass(frozen=True, slots=True)
class Recall:
    """All figures. ``changed`` of ``sentences`` held no identifier and lost something all the same."""

    records: int
    rows: tuple[KindRow, ...]
    sentences: int
    changed: int


@cache
def read_recall() -> Recall:
    """Return the figures that were measured last."""
    figures: Mapping[str, Any] = json.loads(FILE.read_bytes())
    rows = [KindRow(name, *(Found(**figures["kinds"][kind][half]) for half in _HALVES)) for kind, name in _KINDS.items()]
    plain = figures["nothing"]
    sentences, changed = (sum(plain[half][name] for half in _HALVES) for name in ("sentences", "changed"))
    return Recall(figures["records"], tuple(rows), sentences, changed)
