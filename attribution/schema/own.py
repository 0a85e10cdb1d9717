"""A schema: an organisation's own registry of fields, read from JSON, and the profile that uses it instead of the shipped one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from attribution.codec import canonical_bytes, digest
from attribution.errors import SchemaError
from attribution.markers.grammar import LONGEST_MARKER, is_name
from attribution.model import FieldType
from attribution.profile import Profile
from attribution.schema.registry import Registry, Section, Spoken
from attribution.text import stem, words_of

_PREFIX = re.compile(r"[A-Z_][A-Z0-9_]{0,15}")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_LONGEST_PHRASE = 120
_MOST_TOLD = 50
_LONGEST_QUOTED = 40


class Problem(NamedTuple):
    """A fault of a schema, and its place: ``sections.0.fields.risk_level.type``."""

    place: str
    reason: str


class Checks:
    """Collects problems, the first fifty."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def add(self, place: str, reason: str) -> None:
        """Note a problem."""
        if len(self.problems) < _MOST_TOLD:
            self.problems.append(Problem(place, reason))

    def has(self, place: str) -> bool:
        """Return True if anything is wrong at a place."""
        return any(each.place == place for each in self.problems)

    def object(self, value: Any, place: str, required: Sequence[str] = (), optional: Sequence[str] = ()) -> Mapping[str, Any]:
        """An object with these keys and no others."""
        if not isinstance(value, Mapping):
            self.add(place, f"must be an object, not {_kind(value)}")
            return {}
        for key in required:
            if key not in value:
                self.add(f"{place}.{key}".lstrip("."), "is missing")
        for key in value:
            if key not in required and key not in optional:
                allowed = ", ".join((*required, *optional))
                self.add(f"{place}.{quoted(str(key))}".lstrip("."), f"is not known here; known are {allowed}")
        return value

    def mapping(self, value: Any, place: str, most: int) -> Mapping[str, Any]:
        """An object whose keys are free."""
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.add(place, f"must be an object, not {_kind(value)}")
            return {}
        if len(value) > most:
            self.add(place, f"has {len(value):,} entries; {most:,} are the most")
            return {}
        return value

    def list(self, value: Any, place: str, most: int) -> Sequence[Any]:
        """A list."""
        if value is None:
            return []
        if not isinstance(value, list):
            self.add(place, f"must be a list, not {_kind(value)}")
            return []
        if len(value) > most:
            self.add(place, f"has {len(value):,} entries; {most:,} are the most")
        return value[:most]

    def text(self, value: Any, place: str, longest: int = _LONGEST_PHRASE) -> str:
        """A text that is not empty and has no control characters."""
        if value is None:
            return ""  # it is missing, which is told already
        if not isinstance(value, str):
            self.add(place, f"must be text, not {_kind(value)}")
            return ""
        if not value.strip() or value != value.strip():
            self.add(place, "must not be empty, or have spaces around it")
        elif len(value) > longest:
            self.add(place, f"has {len(value):,} characters; {longest} are the most")
        elif _CONTROLS.search(value):
            self.add(place, "has a line break or another character that is no text")
        return value

    def phrase(self, value: Any, place: str) -> str:
        """A text with a word in it, which an answer can say."""
        before = len(self.problems)
        text = self.text(value, place)
        if text and len(self.problems) == before and not words_of(text):
            self.add(place, f"“{quoted(text)}” has no word in it")
        return text

    def phrases(self, value: Any, place: str, most: int) -> tuple[str, ...]:
        """A list of such texts."""
        return tuple([self.phrase(each, f"{place}.{number}") for number, each in enumerate(self.list(value, place, most))])

    def prefix(self, value: Any, place: str) -> str:
        """The prefix of a section's markers, in upper case."""
        text = self.text(value, place).upper()
        if text and not _PREFIX.fullmatch(text):
            self.add(place, f"“{quoted(text)}” is no prefix: up to 16 ASCII letters, digits and underscores, a letter first")
        return text

    def field_name(self, name: str, place: str) -> None:
        """The last name of a field, which a marker can cite."""
        if "." in name:
            self.add(place, "has a dot; write the last name only, it holds wherever the field stands")
        elif len(name) > LONGEST_MARKER - len("[[]]") - 17:
            self.add(place, f"has {len(name)} characters; {LONGEST_MARKER - len('[[]]') - 17} are the most that a marker takes")
        elif not is_name(name):
            self.add(place, "is no name that a marker can cite: letters of any script, digits, underscores and hyphens")

    def choice(self, value: Any, place: str, known: Sequence[str]) -> str:
        """One of some words."""
        if not isinstance(value, str) or value not in known:
            shown = f"“{quoted(value)}”" if isinstance(value, str) else _kind(value)
            self.add(place, f"{shown} is none of {', '.join(filter(None, known))}")
            return ""
        return value

    def flag(self, value: Any, place: str) -> bool:
        """True or false."""
        if not isinstance(value, bool):
            self.add(place, f"must be true or false, not {_kind(value)}")
        return value is True

    def share(self, value: Any, place: str) -> float | None:
        """A number from 0 to 1, or nothing."""
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            self.add(place, "must be a number from 0 to 1")
            return None
        return round(float(value), 4)

    def distinct(self, values: Sequence[str], place: str, what: str) -> None:
        """Values of which none stands twice."""
        for value, count in Counter(values).items():
            if count > 1 and value:
                self.add(place, f"{what} {quoted(value)} stands {count} times")


def quoted(text: str) -> str:
    """Return the beginning of a long text, as far as a problem names it."""
    return text if len(text) <= _LONGEST_QUOTED else text[:_LONGEST_QUOTED] + "…"


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return next((words for kind, words in names.items() if isinstance(value, kind)), "a number")


MOST_SECTIONS = 100
MOST_FIELDS = 2_000
"""Fields of one section."""
MOST_FIELDS_IN_ALL = 5_000
MOST_WORDS_IN_ALL = 20_000
"""Synonyms, headings, values and phrases of the whole schema: answers are read for each of them."""
MOST_WORDS = 50
"""Synonyms, headings, values or phrases in one list."""

TYPES = tuple(kind.value for kind in FieldType if kind is not FieldType.EMPTY)


class OwnValue(NamedTuple):
    """A value of a closed set, and other ways to say it."""

    value: str
    phrases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OwnField:
    """A field as a schema describes it. An empty ``type`` leaves it to the value's shape."""

    name: str
    type: str
    label: str
    synonyms: tuple[str, ...]
    unit: str
    values: tuple[OwnValue, ...]
    is_ordered: bool


@dataclass(frozen=True, slots=True)
class OwnSection:
    """A section as a schema describes it. ``provider_name`` is the field that names the provider who was suggested, if it has one."""

    name: str
    prefix: str
    title: str
    headings: tuple[str, ...]
    fields: tuple[OwnField, ...]
    provider_name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """An organisation's registry of fields. ``data`` is what it was read from, and ``id`` a digest of it."""

    version: str
    required_completeness: float | None
    sections: tuple[OwnSection, ...]
    data: Mapping[str, Any]
    id: str

    @property
    def fields(self) -> list[OwnField]:
        """All fields, each name once."""
        return list({field.name: field for section in self.sections for field in section.fields}.values())


def read_schema(data: Any) -> Schema:
    """A schema from its JSON value. Raises ``SchemaError`` with everything that is wrong, each with its place."""
    checks = Checks()
    known = checks.object(data, "", required=("schema_version", "sections"), optional=("required_completeness",))
    version = checks.text(known.get("schema_version"), "schema_version", longest=200)
    completeness = checks.share(known.get("required_completeness"), "required_completeness")
    listed = checks.list(known.get("sections"), "sections", most=MOST_SECTIONS)
    if not listed and not checks.problems:
        checks.add("sections", "must name at least one section")
    sections = tuple([_read_section(each, f"sections.{number}", checks) for number, each in enumerate(listed)])
    _check_sections(sections, checks)
    if checks.problems:
        raise SchemaError(checks.problems)
    return Schema(version, completeness, sections, data, "fs_" + digest(canonical_bytes(data)).removeprefix("sha256:")[:16])


def _read_section(data: Any, place: str, checks: Checks) -> OwnSection:
    known = checks.object(data, place, required=("name", "prefix", "fields"), optional=("title", "headings", "provider_name"))
    name = checks.text(known.get("name"), f"{place}.name", longest=200)
    fields = checks.mapping(known.get("fields"), f"{place}.fields", most=MOST_FIELDS)
    if "fields" in known and not fields and not checks.has(f"{place}.fields"):
        checks.add(f"{place}.fields", "must name at least one field")
    provider_name = checks.text(known["provider_name"], f"{place}.provider_name") if "provider_name" in known else ""
    if provider_name and provider_name not in fields:
        checks.add(f"{place}.provider_name", f"“{quoted(provider_name)}” is no field of this section")
    return OwnSection(
        name=name,
        prefix=checks.prefix(known.get("prefix"), f"{place}.prefix"),
        title=checks.text(known.get("title", name or "-"), f"{place}.title"),
        headings=checks.phrases(known.get("headings", []), f"{place}.headings", most=MOST_WORDS),
        fields=tuple([_read_field(key, each, f"{place}.fields.{quoted(key)}", checks) for key, each in fields.items()]),
        provider_name=provider_name,
    )


def _read_field(name: str, data: Any, place: str, checks: Checks) -> OwnField:
    checks.field_name(name, place)
    known = checks.object(data, place, optional=("type", "label", "synonyms", "unit", "values", "ordered"))
    kind = checks.choice(known.get("type", ""), f"{place}.type", ("", *TYPES))
    values = tuple(
        [
            _read_value(each, f"{place}.values.{number}", checks)
            for number, each in enumerate(checks.list(known.get("values", []), f"{place}.values", most=MOST_WORDS))
        ]
    )
    checks.distinct([each.value for each in values], f"{place}.values", "the value")
    if (values or known.get("ordered")) and kind != FieldType.ENUM:
        checks.add(f"{place}.{'values' if values else 'ordered'}", "belongs to a field of the type enum")
    if kind == FieldType.ENUM and not values:
        checks.add(place, "is an enum and needs its values")
    return OwnField(
        name=name,
        type=kind,
        label=checks.phrase(known.get("label", name or "-"), f"{place}.label") if "label" in known else "",
        synonyms=checks.phrases(known.get("synonyms", []), f"{place}.synonyms", most=MOST_WORDS),
        unit=checks.phrase(known["unit"], f"{place}.unit") if "unit" in known else "",
        values=values,
        is_ordered=checks.flag(known.get("ordered", False), f"{place}.ordered"),
    )


def _read_value(data: Any, place: str, checks: Checks) -> OwnValue:
    """A value alone, or with phrases: ``{"value": "mild", "phrases": ["slight"]}``."""
    if isinstance(data, str):
        return OwnValue(checks.phrase(data, place), ())
    known = checks.object(data, place, required=("value",), optional=("phrases",))
    return OwnValue(
        checks.phrase(known.get("value"), f"{place}.value"), checks.phrases(known.get("phrases", []), f"{place}.phrases", most=MOST_WORDS)
    )


def _check_size(sections: tuple[OwnSection, ...], checks: Checks) -> None:
    fields = [field for section in sections for field in section.fields]
    said = sum([len(each.headings) for each in sections]) + sum([len(each.synonyms) for each in fields])
    said += sum([1 + len(value.phrases) for field in fields for value in field.values])
    if len(fields) > MOST_FIELDS_IN_ALL:
        checks.add("sections", f"have {len(fields):,} fields; {MOST_FIELDS_IN_ALL:,} are the most")
    if said > MOST_WORDS_IN_ALL:
        checks.add("sections", f"have {said:,} synonyms, headings, values and phrases; {MOST_WORDS_IN_ALL:,} are the most")


def _check_sections(sections: tuple[OwnSection, ...], checks: Checks) -> None:
    """Names and prefixes are distinct, and fields of one name, however it is written, are described alike: it is all that tells them.

    One section at most names the provider who was suggested.
    """
    _check_size(sections, checks)
    naming = [number for number, each in enumerate(sections) if each.provider_name]
    for number in naming[1:]:
        checks.add(f"sections.{number}.provider_name", "stands in another section, too; one names the provider who was suggested")
    checks.distinct([each.name for each in sections], "sections", "the name")
    checks.distinct([each.prefix for each in sections], "sections", "the prefix")
    described: dict[str, tuple[str, OwnField]] = {}
    for number, section in enumerate(sections):
        checks.distinct([each.name.lower() for each in section.fields], f"sections.{number}.fields", "the field")
        for field in section.fields:
            first, other = described.setdefault("_".join(words_of(field.name)) or field.name.lower(), (section.name, field))
            if replace(other, name="") != replace(field, name=""):
                checks.add(
                    f"sections.{number}.fields.{quoted(field.name)}",
                    f"is described in another way in {quoted(first)}; a name means one thing",
                )


@lru_cache(maxsize=64)
def under_schema(profile: Profile, schema: Schema) -> Profile:
    """The profile with a schema's registry instead of its own. Its id stays: what was calibrated are its scores."""
    thresholds = profile.thresholds
    if schema.required_completeness is not None:
        thresholds = replace(thresholds, section_completeness=schema.required_completeness)
    return replace(profile, registry=registry_of(schema, profile.registry), thresholds=thresholds)


def registry_of(schema: Schema, shipped: Registry) -> Registry:
    """The registry that a schema describes; concepts and words that mean nothing by themselves are those that are shipped."""
    fields = {_known_as(each.name): each for each in schema.fields}
    phrases: dict[str, list[tuple[str, ...]]] = {}
    for value in [value for field in fields.values() for value in field.values if value.phrases]:
        phrases.setdefault(_known_as(value.value), []).extend(map(words_of, value.phrases))
    return Registry(
        sections=tuple([_section(each) for each in schema.sections]),
        types={name: FieldType(field.type) for name, field in fields.items() if field.type},
        type_suffixes=(),
        enum_values={name: tuple([each.value for each in field.values]) for name, field in fields.items() if field.values},
        value_phrases={value: tuple(several) for value, several in phrases.items()},
        concepts=shipped.concepts,
        generic_label_stems=shipped.generic_label_stems,
        is_closed=True,
        spoken={field.name: _spoken(field) for field in fields.values() if field.label or field.synonyms or field.unit},
    )


def _section(own: OwnSection) -> Section:
    return Section(
        name=own.name,
        prefix=own.prefix,
        title=own.title,
        fields=frozenset([field.name.lower() for field in own.fields]),
        heading_stems=frozenset(stem(word) for phrase in (own.title, *own.headings) for word in words_of(phrase)),
        provider_name=own.provider_name.lower(),
    )


def _spoken(field: OwnField) -> Spoken:
    words = words_of(field.label or field.name)
    unit = words_of(field.unit)
    return Spoken("_".join((*words, *[each for each in unit if each not in words])), field.synonyms)


def _known_as(name: str) -> str:
    return "_".join(words_of(name)) or name.lower()
