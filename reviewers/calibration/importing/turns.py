"""Labelled turns: an answer, its context, and of fields of it whether the answer draws on them.

What the labels are on is what the engine says of the turn now; the turn itself is not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from attribution import InputError, attribute, encode, read_json
from attribution.calibration import NOTHING, Observation
from reviewers.calibration.importing.strictly import Thing, take_object, take_text, take_truth

_LONGEST = 200
_TEXT = 5_000_000


Row = Mapping[str, Any]
Key = tuple[str, str]
"""Section and path."""

_NO_ROW: Row = {}


@dataclass(frozen=True, slots=True)
class Labelled:
    """A label, and the engine's row of the field."""

    row: Row
    section: str
    path: str
    is_used: bool | None


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    """One of them: what it calls itself, the combination it names, and a row of the engine beside each of its labels."""

    id: str
    conversation: str
    names: Mapping[str, str]
    labels: Sequence[Labelled]

    def named(self, names: Mapping[str, str]) -> LabelledTurn:
        """The same, made by what these names say."""
        return replace(self, names={**self.names, **names})

    def observations(self, message: str) -> Iterator[Observation]:
        """Its labels on a message of that name."""
        return (_observe(each, message, self.conversation or message) for each in self.labels)


def read_turn(line: bytes, number: int) -> LabelledTurn:
    """A turn with its labels. Raises ``InputError`` with the place."""
    data = take_object(read_json(line), "")
    labels = data.get("gold")
    if not isinstance(labels, list):
        raise InputError("gold", "must be a list of labels")
    context = take_object(data.get("context"), "context")
    asked = take_text(data, "user_text", "", longest=_TEXT, default="")
    found = attribute(response=take_text(data, "response", "", longest=_TEXT), context=context, user_text=asked)
    return LabelledTurn(
        id=take_text(data, "id", "", longest=_LONGEST, default=f"line {number}"),
        conversation=take_text(data, "conversation_id", "", longest=_LONGEST, default=""),
        names={name: take_text(data, name, "", longest=_LONGEST, default="") for name in ("model", "prompt_version", "schema_version")},
        labels=list(_read_labels(labels, context, encode(found)["fields"])),
    )


def _read_labels(labels: list[Any], context: Thing, rows: Sequence[Row]) -> Iterator[Labelled]:
    read: dict[Key, bool | None] = {}
    for number, each in enumerate(labels):
        place = f"gold.{number}"
        label = take_object(each, place)
        key = (take_text(label, "section", place), take_text(label, "path", place))
        if key in read:
            raise InputError(place, "the field has a label already")
        if not _is_there(context, *key):
            raise InputError(place, "the context has no such field")
        read[key] = take_truth(label, "referenced", place)
    surest = _surest(rows, read)
    for key, is_used in read.items():
        yield Labelled(surest.get(key, _NO_ROW), *key, is_used)


def _surest(rows: Sequence[Row], labels: Mapping[Key, Any]) -> dict[Key, Row]:
    """The surest row of each label. A row without one goes to the nearest label above: what is one field here may be several there."""
    found: dict[Key, Row] = {}
    for row in rows:
        section, path = row["section"], row["path"]
        while path and (section, path) not in labels:
            path = path.rpartition(".")[0]
        if path and row.get("score", 0) >= found.get((section, path), _NO_ROW).get("score", 0):
            found[section, path] = row
    return found


def _is_there(context: Thing, section: str, path: str) -> bool:
    place: Any = context.get(section)
    for key in path.split("."):
        if isinstance(place, Mapping) and key in place:
            place = place[key]
        elif isinstance(place, list) and key.isascii() and key.isdecimal() and int(key[:9]) < len(place):
            place = place[int(key[:9])]
        else:
            return False
    return True


def _observe(label: Labelled, message: str, conversation: str) -> Observation:
    row = label.row
    evidence = row.get("evidence") or {}
    score = float(row.get("score", 0))
    return Observation(
        id=f"{message}/{label.section}.{label.path}",
        message=message,
        conversation=conversation,
        section=label.section,
        path=label.path,
        field_type=row.get("field_type", NOTHING),
        method=row.get("method", NOTHING),
        rule=row.get("rule", NOTHING),
        score=score,
        uncapped_score=float(evidence.get("uncapped_score", score)),
        is_used=label.is_used,
        is_cited=bool(row.get("cited")),
        fired=(f"{evidence['method']}.{evidence['rule']}",) if evidence else (),
    )
