"""Plain labels of fields and sections, which reviewers, coordinators and readers of reports see beside the path.

``field_labels.json`` is the registry: ``fields`` by path or by section and path, ``sections``, and ``words`` that a key abbreviates.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Protocol

from django.utils.text import capfirst

_WORDS = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[^\W_A-Z]+|[A-Z]+|[^\w\s]|\d+")
_PARTS = re.compile(r"(?<!\\)\.")
_LONGEST_NAME = 120


class Placed(Protocol):
    """A field, or a row about one: it has a section and a path in it."""

    @property
    def section(self) -> str:
        """The section of the context."""

    @property
    def path(self) -> str:
        """The dotted path in the section."""


@cache
def _registry() -> dict[str, dict[str, str]]:
    registry: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("field_labels.json").read_bytes())
    return registry


def label_of(field: Placed) -> str:
    """Return the label of a field: ``phq9_score`` is "PHQ-9 score", ``insurance.plan`` is "Insurance plan"."""
    return label_at(field.section, field.path)


def label_at(section: str, path: str) -> str:
    """Return the label of the field at a path of a section."""
    known = _registry()["fields"]
    if own := known.get(f"{section}.{path}") or known.get(path):
        return own
    parts = [part.replace("\\.", ".").replace("\\\\", "\\") for part in _PARTS.split(path)]
    words = [_known_part(part) or spoken(part) for part in parts]
    return _shortened(capfirst((", " if _known_part(parts[0]) else " ").join(words)))


def _known_part(part: str) -> str:
    if part.isdecimal() and len(part) < 5:
        return f"no. {int(part) + 1}"  # a place in a list, which people count from one
    name = _registry()["fields"].get(part, "")
    return name[:1].lower() + name[1:]


def section_label(section: str) -> str:
    """Return the label of a section."""
    return _registry()["sections"].get(section) or _shortened(capfirst(spoken(section)))


def spoken(name: str) -> str:
    """Return the words of a key, or the key itself if it does not consist of letters and digits."""
    words = name.replace("-", "_").replace(" ", "_").split("_")
    if not all(word.isalnum() for word in words if word):
        return name
    split = [piece for word in words for piece in ([word] if word.lower() in _registry()["words"] else _WORDS.findall(word))]
    return " ".join(_registry()["words"].get(word.lower(), word if len(word) > 1 and word.isupper() else word.lower()) for word in split)


def _shortened(words: str) -> str:
    return words if len(words) <= _LONGEST_NAME else words[:_LONGEST_NAME] + "…"
