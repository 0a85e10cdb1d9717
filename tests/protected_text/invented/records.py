"""300 invented records with identifiers of the eighteen kinds planted in them, the same each time.

Forms are in ``forms.json``: values (# is a digit, * a hexadecimal one) and the sentences that they are in. What takes out identifiers was
developed on one half of them; the other half is measured only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

HALVES = ("developed", "held_out")
RECORDS = 300
_FORMS: Mapping[str, Any] = json.loads(Path(__file__).with_name("forms.json").read_bytes())
KINDS = tuple(_FORMS["kinds"])
_PLANTED = 15
_PLAIN = 8
_WORD = re.compile(r"\w+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_STAYS = frozenset(
    [
        "the",
        "of",
        "early",
        "apt",
        "ave",
        "street",
        "zip",
        "code",
        "postal",
        "box",
        "p",
        "o",
        "w",
        "and",
        "a",
        "ext",
        "example",
        "data",
        "image",
        "png",
        "jpeg",
        "base64",
        "lane",
        "rd",
        "boulevard",
        "il",
        "oh",
        "ca",
        "tx",
        "ny",
        "wa",
        "illinois",
        "ohio",
        "texas",
        "vermont",
        "at",
        "dot",
        "xxx",
        "xx",
        "mail",
        "van",
        "in",
        "ending",
        "number",
        "main",
        "grey",
        "district",
    ]
)
"""Words of a value that say nothing alone, such as a state's name, which Safe Harbor lets stand."""


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of a record. ``tells`` are the words of it that must be gone; a line that holds nothing must stay."""

    kind: str
    text: str
    tells: frozenset[str]


@dataclass(frozen=True, slots=True)
class Invented:
    """A record."""

    half: str
    context: Mapping[str, Any]
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


def records() -> Iterator[Invented]:
    random = Random(62704)  # noqa: S311 — the same each time
    for number in range(RECORDS):
        half = HALVES[number % 2]
        people = _people(random)
        chosen = [KINDS[(number // 2 * _PLANTED + each) % len(KINDS)] for each in range(_PLANTED)]
        lines = [_planted(kind, half, people, random) for kind in chosen]
        lines += [Line("", text, frozenset()) for text in random.sample(_FORMS["nothing"][half], _PLAIN)]
        random.shuffle(lines)
        yield Invented(half, _context(people), tuple(lines))


def plain_records() -> Iterator[Invented]:
    """Records in which nothing is planted."""
    random = Random(778812)  # noqa: S311 — the same each time
    for number in range(RECORDS):
        half = HALVES[number % 2]
        texts = random.sample(_FORMS["nothing"][half], _PLAIN)
        yield Invented(half, _context(_people(random)), tuple([Line("", text, frozenset()) for text in texts]))


def _people(random: Random) -> dict[str, str]:
    """The client, a contact and a clinician: nobody shares a name with another."""
    words = _FORMS["words"]
    people = {}
    for part in ("first", "last"):
        for role, name in zip(("client", "contact", "clinician"), random.sample(words[part], 3), strict=True):
            people[f"{role}_{part}"] = name
            people[f"{role}_{part}".upper()] = name.upper()
    return people


def _context(people: Mapping[str, str]) -> dict[str, Any]:
    return {
        "patient_context": {
            "full_name": f"{people['client_first']} {people['client_last']}",
            "emergency_contact": {"who": f"{people['contact_first']} {people['contact_last']}", "type": "friend"},
        },
        "provider_genome": {"provider_name": f"Dr. {people['clinician_first']} {people['clinician_last']}", "accepting_new": True},
        "safety": {"risk_level": "elevated"},
    }


def _planted(kind: str, half: str, people: Mapping[str, str], random: Random) -> Line:
    forms = _FORMS["kinds"][kind][half]
    value = _value(random.choice(forms["values"]), people, random)
    sentence = random.choice(forms["sentences"])
    return Line(kind, sentence.replace("{x}", value), _tells(kind, value))


def _value(form: str, people: Mapping[str, str], random: Random) -> str:
    def word(found: re.Match[str]) -> str:
        name = found[1]
        if name in people:
            return people[name]
        chosen: str = random.choice(_FORMS["words"][name.lower()])
        return chosen.upper() if name.isupper() else chosen

    filled = re.sub(r"\{(\w+)\}", word, form)
    if kind_is_masked(form):
        return re.sub("#", lambda _: random.choice("23456789"), filled)
    return re.sub("[#*]", lambda found: random.choice("23456789" if found[0] == "#" else "0123456789abcdef"), filled)


def kind_is_masked(form: str) -> bool:
    """True if asterisks stand for themselves."""
    return form.startswith("***-")


def _tells(kind: str, value: str) -> frozenset[str]:
    words = {word.casefold() for word in _WORD.findall(value)}
    return frozenset(word for word in words if word not in _STAYS and not (kind == "dates" and _YEAR.fullmatch(word)))
