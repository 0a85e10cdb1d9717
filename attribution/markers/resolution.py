"""Gives every marker its status: which field it means, and why it does not count where it does not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from attribution.markers.grammar import WrittenMarker, find_markers
from attribution.model import Field, FieldType, MarkerStatus
from attribution.registry import Registry, Section

Verdict = tuple[MarkerStatus, Field | None, str]
"""A status, the field meant if one is, and why the marker does not count."""


class FieldIndex:
    """Looks the fields that ``markers`` may mean up by section and dotted path or last name, in lower case."""

    def __init__(self, fields: Iterable[Field], markers: Iterable[WrittenMarker]) -> None:
        self._by_leaf: dict[tuple[str, str], list[Field]] = {}
        self._by_path: dict[tuple[str, str], list[Field]] = {}
        wanted = {marker.key[1].rpartition(".")[2] for marker in markers}
        for field in fields:
            leaf = field[2].lower()
            if leaf in wanted:
                self._by_leaf.setdefault((field.section, leaf), []).append(field)
                self._by_path.setdefault((field.section, field.path.lower()), []).append(field)

    def find(self, section: str, name: str) -> list[Field]:
        """The field of this path, else all fields of this last name."""
        return self._by_path.get((section, name)) or self._by_leaf.get((section, name), [])


def given_markers(fields: Sequence[Field], others: Sequence[Any]) -> frozenset[tuple[str, str]]:
    """The markers that stand in what the model was given: context values, the user's text, documents."""
    texts = _texts_with_brackets([*[field[4] for field in fields], *others])
    return frozenset([marker.key for text in texts for marker in find_markers(text)])


def resolve(
    marker: WrittenMarker, fields: FieldIndex, registry: Registry, hidden: Collection[str], given: Collection[tuple[str, str]]
) -> Verdict:
    """The status of a well-formed marker outside quotations; ``duplicate`` is for the caller, who sees the others."""
    if marker.key in given:
        return MarkerStatus.ECHOED, None, "the same marker stands in the user's text, the context or a document"
    prefix, name = marker.key
    section = registry.by_prefix.get(prefix)
    if section is None:
        return MarkerStatus.UNKNOWN, None, f"no section has the prefix {prefix}"
    if section.name in hidden:
        return MarkerStatus.HIDDEN, None, f"{section.name} was withheld from the prompt"
    return _resolve_name(name, section, fields.find(section.name, name))


def _resolve_name(name: str, section: Section, candidates: Sequence[Field]) -> Verdict:
    if len(candidates) > 1:
        paths = ", ".join(field.path for field in candidates[:4])
        return MarkerStatus.AMBIGUOUS, None, f"{len(candidates)} fields of {section.name} are called {name}: {paths}"
    if candidates and candidates[0].type is not FieldType.EMPTY:
        return MarkerStatus.RESOLVED, candidates[0], ""
    if candidates:
        return MarkerStatus.ABSENT, None, f"{section.name}.{candidates[0].path} is empty in this snapshot"
    if name.rsplit(".", 1)[-1] in section.fields:
        return MarkerStatus.ABSENT, None, f"{section.name} can have {name}, this snapshot does not"
    return MarkerStatus.UNKNOWN, None, f"{section.name} has no field {name}"


def _texts_with_brackets(values: list[Any]) -> list[str]:
    """The texts inside any JSON values that may hold a marker."""
    found: list[str] = []
    for value in values:
        kind = type(value)
        if kind is str:
            if "[[" in value:
                found.append(value)
        elif kind is list:
            values += value
        elif kind is dict:
            values += value.values()
    return found
