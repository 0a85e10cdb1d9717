"""The disclosure profiles of reports, in code and in words, and the measured recall of de-identification."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from reviewers.accounts.models import Membership
from reviewers.web.protected_text import MASK

FILE = Path(__file__).with_name("recall.json")
"""Recall of each kind of identifier on invented records, measured by ``tests/protected_text/invented``."""

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
"""The kinds of 45 CFR 164.514(b)(2)(i), in its order. Names and dates are split into several."""


class DisclosureProfile(StrEnum):
    """The extent of what a report discloses. The values are stored: never give one another meaning."""

    FULL = "full"
    MASKED = "masked"
    DEIDENTIFIED = "deidentified"


WORDS = {
    DisclosureProfile.FULL: "",
    DisclosureProfile.MASKED: (
        f"This report was made for an auditor from outside. Where {MASK} stands, text is not shown: messages, answers, values, sources, "
        "notes and references. Methods, scores, labels, signatures and counts are those on record. Names of fields stay: one that is a "
        "person's name, written like that of a field (jane_doe), is not told from one."
    ),
    DisclosureProfile.DEIDENTIFIED: (
        "This report was de-identified. Client, conversation and answer references, identifiers, and names of people are replaced by codes "
        "that are made with a secret key of the organisation and are the same throughout the report. Dates are cut to their year and stand "
        "as its first day. Phone and fax numbers, e-mail, web and network addresses, places smaller than a state, numbers of records, "
        "plans, accounts, licences, vehicles, devices and images, and ages over 89 are taken out where the way they are written tells "
        "them: not all are found, and the page where such a report is asked for says how many of each kind were, in a test. Where a "
        "value that the record holds as one of these stands in a message, an answer or another text, it is replaced there too. Notes, "
        "digests, events and receipts are left out. Methods, scores, labels and counts are those on record. What cannot be promised: a "
        "name or detail that only stands in free text, and that neither the record nor a pattern tells, is still there, as is a "
        "person's name that is the name of a field and written like one (jane_doe), and details together may tell who somebody "
        "is. This is not a determination under 45 CFR 164.514(b): have a person who may make one look at it."
    ),
}
"""The statement in the head of a report."""


def profile_for(by: Membership, asked: DisclosureProfile) -> DisclosureProfile:
    """Return the profile of a report for a member: external auditors always get masks."""
    return DisclosureProfile.MASKED if by.is_external else asked


CHOICES = (DisclosureProfile.FULL, DisclosureProfile.DEIDENTIFIED)
"""The profiles that can be asked for. Masks are not among them: external auditors always get them."""

TOLD = {
    DisclosureProfile.FULL: ("Everything", "as it is on record"),
    DisclosureProfile.MASKED: ("Masked", "no text: findings, labels and signatures only, because you are from outside"),
    DisclosureProfile.DEIDENTIFIED: (
        "De-identified",
        "names, references, identifiers and exact dates are replaced or cut, notes left out; limits are explained in the file",
    ),
}
"""Title and description of each profile in the form."""


def choices_for(by: Membership) -> list[tuple[str, str, str]]:
    """Return the profiles that a member can ask for: value, title, description."""
    offered = (DisclosureProfile.MASKED,) if by.is_external else CHOICES
    return [(each.value, *TOLD[each]) for each in offered]


@dataclass(frozen=True, slots=True)
class RecallCount:
    """The number of identifiers that were planted, and that were found."""

    found: int
    planted: int


@dataclass(frozen=True, slots=True)
class KindRow:
    """The recall of a kind of identifier, in forms that no pattern was written for and in forms that patterns were written for."""

    name: str
    held_out: RecallCount
    developed: RecallCount


@dataclass(frozen=True, slots=True)
class Recall:
    """All measured figures. ``changed`` is the number of ``sentences`` without an identifier that were altered."""

    records: int
    rows: tuple[KindRow, ...]
    sentences: int
    changed: int


@cache
def read_recall() -> Recall:
    """Return the figures that were measured last."""
    figures: Mapping[str, Any] = json.loads(FILE.read_bytes())
    rows = [KindRow(name, *(RecallCount(**figures["kinds"][kind][half]) for half in _HALVES)) for kind, name in _KINDS.items()]
    plain = figures["nothing"]
    sentences, changed = (sum(plain[half][name] for half in _HALVES) for name in ("sentences", "changed"))
    return Recall(figures["records"], tuple(rows), sentences, changed)
