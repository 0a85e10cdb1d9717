"""The answers of the year: short, invented, and each with the fields of its record that it draws on.

A number always gives the same answer, whenever the year ends. Some values are in two fields of a record, as in real ones: a town is
the client's and the office's, and a complaint is what a provider works with and why they fit. The answer draws on one of them, or on both,
and the engine finds both.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from reviewers.review.demo.cases import WORDS

MODEL, USUAL, NEW = "caremate-4", "match v17", "match v18"


class Sentence(NamedTuple):
    """A sentence, its marker, which belongs where ``|`` is, and the fields that it draws on."""

    marker: str
    text: str
    fields: tuple[str, ...] = ()


_READ: Mapping[str, Any] = json.loads(Path(__file__).with_name("sentences.json").read_bytes())
_SENTENCES = tuple(Sentence(marker, text, tuple(fields)) for marker, text, fields in _READ["sentences"])
_INSTEAD = {name: Sentence(marker, text, tuple(fields)) for name, (marker, text, fields) in _READ["instead"].items()}
"""Other sentences with the same words, which draw on other fields."""

_LONG, _SHORT = 9, 4
"""Sentences of an answer that is labelled in full, and of another."""

_SHARE_CITED, _SHARE_INSTEAD = 0.45, 0.4
_SHARE_MISPLACED = {_LONG: 0.6, _SHORT: 0.15}
_EACH_UNKNOWN, _EACH_CONTRADICTED = 41, 59
"""One short answer in so many cites a field that no record has, or contradicts its record."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as a record to ingest, and the fields that it draws on, by section and path."""

    record: dict[str, Any]
    used: frozenset[str]


def write_answer(number: int, at: datetime, *, prompt: str = USUAL, is_long: bool = False, is_instructed: bool = True) -> Answer:
    """Return an answer; without the instruction to cite it cites nothing."""
    rng, length = random.Random(f"year {number}"), _LONG if is_long else _SHORT  # noqa: S311  # invented text needs no secrecy
    context = _context(rng)
    spoken, chosen = _spoken(context), _chosen(rng, context, length)
    cited = [place == 0 or rng.random() < _SHARE_CITED for place in range(length)]
    said = [_say(each, spoken, is_cited=is_instructed and is_cited) for each, is_cited in zip(chosen, cited, strict=True)]
    if is_instructed and rng.random() < _SHARE_MISPLACED[length]:
        said.append(_say(Sentence(rng.choice(_READ["misplaced"]), _READ["pleasantry"]), spoken, is_cited=True))
    if is_instructed and not is_long and number % _EACH_UNKNOWN == 0:
        said.append(_READ["unknown"])
    if not is_long and number % _EACH_CONTRADICTED == 0:
        said.append(_READ["contradiction"].format_map(spoken))
    record = {
        "id": f"year-{number:03d}",
        "conversation_id": f"HL-{4000 + number}",
        "client_reference": f"HL-{4000 + number}",
        "turn_index": 2,
        "provider": spoken["name"],
        "answered_at": at.isoformat(),
        "model": MODEL,
        "prompt_version": prompt,
        "schema_version": "7",
        "user_text": rng.choice(_READ["questions"]),
        "response": " ".join(said),
        "context": context,
        "citation_instruction": is_instructed,
    }
    return Answer(record, frozenset(field for each in chosen for field in each.fields))


def _chosen(rng: random.Random, context: Mapping[str, Any], length: int) -> list[Sentence]:
    """Return some of the sentences in their order, a few of them by the one that may be said instead."""
    chosen = [_SENTENCES[place] for place in sorted(rng.sample(range(len(_SENTENCES)), length))]
    is_home = context["patient_context"]["city"] == context["provider_genome"]["office"]["city"]
    possible = {name: each for name, each in _INSTEAD.items() if is_home or "{home}" not in each.text}
    return [possible[each.marker] if each.marker in possible and rng.random() < _SHARE_INSTEAD else each for each in chosen]


def _say(sentence: Sentence, spoken: Mapping[str, str], *, is_cited: bool) -> str:
    return sentence.text.format_map(spoken).replace("|", f" [[{sentence.marker}]]" if is_cited else "")


def _spoken(context: Mapping[str, Any]) -> dict[str, str]:
    """Return the values of a record as an answer says them."""
    signal, provider = context["client_signal"], context["provider_genome"]
    return {
        "complaint": signal["chief_complaint"],
        "duration": signal["duration"],
        "goal": signal["goals"][0],
        "name": provider["provider_name"].partition(",")[0],
        "role": provider["required_role"],
        "town": provider["office"]["city"],
        "specialty": provider["specialties"][0],
        "years": str(provider["years_experience"]),
        "language": provider["languages"][1],
        "length": provider["session_length"],
        "home": context["patient_context"]["city"],
        "copay": context["patient_context"]["insurance"]["copay"],
        "other_copay": "$" + str(int(context["patient_context"]["insurance"]["copay"].lstrip("$")) + 45),
        "risk": context["safety"]["risk_level"],
    }


def _context(rng: random.Random) -> dict[str, Any]:
    complaint, (role, credential) = rng.choice(WORDS["complaints"]), rng.choice(WORDS["roles"])
    town = rng.choice(WORDS["cities"])
    risk = rng.choice(WORDS["risks"])
    return {
        "client_signal": {
            "chief_complaint": complaint["name"],
            "severity_level": rng.choice(WORDS["severities"]),
            "duration": f"{rng.randrange(3, 30)} weeks",
            "goals": list(complaint["goals"]),
        },
        "provider_genome": {
            "provider_name": f"{rng.choice(WORDS['first_names'])} {rng.choice(WORDS['last_names'])}, {credential}",
            "required_role": role,
            "specialties": [complaint["specialty"], "adjustment to change"],
            "languages": ["English", rng.choice(WORDS["languages"])],
            "years_experience": rng.randrange(4, 30),
            "session_length": f"{rng.choice((45, 50, 60, 75))} minutes",
            "accepting_new": True,
            "office": {"city": town},
        },
        "patient_context": {
            "city": rng.choice((town, rng.choice(WORDS["cities"]))),
            "insurance": {"copay": f"${rng.randrange(11, 70)}"},
        },
        "safety": {"risk_level": risk},
        "therapeutic_fit": {"fit_reasons": [complaint["specialty"], rng.choice(WORDS["reasons"])]},
    }
