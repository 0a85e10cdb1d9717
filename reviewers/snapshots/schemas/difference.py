"""The difference between two schemas, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from attribution import OwnField, OwnSection, Schema

ADDED, REMOVED, CHANGED = "added", "removed", "changed"
_MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class Change:
    """A change: ``kind`` is added, removed or changed; ``subject`` is a field, or empty for the section or the schema itself."""

    kind: str
    subject: str
    words: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SectionChanges:
    """The changes in a section, or in the schema itself if ``section`` is empty."""

    section: str
    prefix: str
    changes: Sequence[Change]


def compare_schemas(old: Schema, new: Schema) -> list[SectionChanges]:
    """Return what is different in ``new``, by section in its order, and what is gone at the end."""
    before, after = ({each.name: each for each in schema.sections} for schema in (old, new))
    found = [SectionChanges("", "", list(_of_schema(old, new)))]
    found += [_of_section(before.get(each.name), each) for each in new.sections]
    found += [_removed(each) for each in old.sections if each.name not in after]
    return [each for each in found if each.changes]


def _of_schema(old: Schema, new: Schema) -> Iterator[Change]:
    if old.required_completeness != new.required_completeness:
        yield Change(
            CHANGED,
            "",
            [f"required completeness: {_share(old.required_completeness)} → {_share(new.required_completeness)}"],
        )


def _share(share: float | None) -> str:
    return "the profile’s" if share is None else f"{100 * share:g}%"


def _of_section(old: OwnSection | None, new: OwnSection) -> SectionChanges:
    if old is None:
        return SectionChanges(new.name, new.prefix, [Change(ADDED, "", [_count(new)])])
    return SectionChanges(new.name, new.prefix, [*_of_itself(old, new), *_of_fields(old, new)])


def _removed(old: OwnSection) -> SectionChanges:
    return SectionChanges(old.name, old.prefix, [Change(REMOVED, "", [_count(old)])])


def _count(section: OwnSection) -> str:
    names = [field.name for field in section.fields]
    more = ", …" if len(names) > _MOST_NAMED else ""
    return f"{len(names)} field{'s' * (len(names) != 1)}: {', '.join(names[:_MOST_NAMED])}{more}"


def _of_itself(old: OwnSection, new: OwnSection) -> Iterator[Change]:
    words = [
        *_one("prefix", old.prefix, new.prefix),
        *_one("title", old.title, new.title),
        *_several("headings", old.headings, new.headings),
    ]
    if words:
        yield Change(CHANGED, "", words)


def _of_fields(old: OwnSection, new: OwnSection) -> Iterator[Change]:
    before, after = ({each.name: each for each in section.fields} for section in (old, new))
    for name, field in after.items():
        if name not in before:
            yield Change(ADDED, name, [describe(field)])
        elif words := list(_of_field(before[name], field)):
            yield Change(CHANGED, name, words)
    for name, field in before.items():
        if name not in after:
            yield Change(REMOVED, name, [describe(field)])


def _of_field(old: OwnField, new: OwnField) -> Iterator[str]:
    yield from _one("type", type_in_words(old), type_in_words(new))
    yield from _one("label", old.label, new.label)
    yield from _several("synonyms", old.synonyms, new.synonyms)
    yield from _one("unit", old.unit, new.unit)
    yield from _of_values(old, new)


def _of_values(old: OwnField, new: OwnField) -> Iterator[str]:
    before, after = ({each.value: each.phrases for each in field.values} for field in (old, new))
    yield from _several("values", list(before), list(after))
    yield from _phrases(before, after)
    kept = [value for value in before if value in after]
    if kept != [value for value in after if value in before]:
        yield f"order of values: {', '.join(after)}"
    if old.is_ordered != new.is_ordered and new.values:
        yield "the values are in order now" if new.is_ordered else "the values are in no order any more"


def _phrases(before: Mapping[str, Sequence[str]], after: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for value in after:
        if value in before:
            yield from _several(f"phrases for {value}", before[value], after[value])


def _one(what: str, old: str, new: str) -> Iterator[str]:
    if old != new:
        yield f"{what}: {old or 'none'} → {new or 'none'}"


def _several(what: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    added, gone = [each for each in new if each not in old], [each for each in old if each not in new]
    told = [f"{words} {', '.join(those)}" for words, those in (("added", added), ("removed", gone)) if those]
    if told:
        yield f"{what}: {'; '.join(told)}"


def type_in_words(field: OwnField) -> str:
    """Return a field's type in words."""
    return field.type.replace("_", " ") or "any type"


def describe(field: OwnField) -> str:
    """Return a field's type and label in a line."""
    return f"{type_in_words(field)}{f', “{field.label}”' if field.label else ''}"
