"""The lexicon: how people in care say values, fields, yes and no. Data files that a clinician can read and extend, and their loader.

``load_lexicon()`` reads and checks all of them once. An entry that cannot be used raises ``LexiconError``, which names the file, the
entry and the reason. Plain word lists that rules need as code are in ``lexicon.words``.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from attribution.codec import read_json
from attribution.errors import InputError, LexiconError
from attribution.lexicon.entries import (
    Antonym,
    Example,
    Frame,
    Label,
    Lexicon,
    Relative,
    Scale,
    Synonym,
    Translation,
    Unit,
    Value,
    ValueClass,
    YesNo,
)

__all__ = [
    "Antonym",
    "Example",
    "Frame",
    "Label",
    "Lexicon",
    "Relative",
    "Scale",
    "Synonym",
    "Translation",
    "Unit",
    "Value",
    "ValueClass",
    "YesNo",
    "load_lexicon",
    "read_entries",
]

T = TypeVar("T")

ROWS = ("found", "contradicted", "none")
"""Outcomes that an example may expect: the row of its field, or no row that is evidence."""

LABEL_KINDS = ("money", "time", "date", "duration", "figure", "score", "count", "name", "place", "phone", "code", "text", "")
SUBJECTS = ("client", "provider", "thing", "record", "start", "none")
FEWEST_VALUES = 2


class _Reader:
    """Reads the parts of one entry and says where one of them is wrong."""

    def __init__(self, place: str, data: Any) -> None:
        self._place = place
        if type(data) is not dict:
            raise LexiconError(place, "must be an object")
        self._data: dict[str, Any] = data
        self._read: set[str] = set()

    def error(self, key: str, reason: str) -> LexiconError:
        return LexiconError(f"{self._place}: {key}", reason)

    def take(self, key: str, default: Any = None) -> Any:
        self._read.add(key)
        return self._data.get(key, default)

    def text(self, key: str) -> str:
        value = self.take(key)
        if type(value) is not str or not value.strip():
            raise self.error(key, "must be a text that is not empty")
        return value

    def choice(self, key: str, allowed: tuple[str, ...]) -> str:
        value = self.take(key, "")
        if value not in allowed:
            raise self.error(key, f"must be one of {', '.join(filter(None, allowed))}; is {value!r}")
        return str(value)

    def flag(self, key: str) -> bool:
        value = self.take(key)
        if type(value) is not bool:
            raise self.error(key, "must be true or false")
        return value

    def texts(self, key: str, fewest: int = 1) -> tuple[str, ...]:
        """Return the texts of a list in which no text stands twice."""
        values = self.take(key, [])
        if type(values) is not list or not all(type(value) is str and value.strip() for value in values):
            raise self.error(key, "must be a list of texts that are not empty")
        if len(values) < fewest:
            raise self.error(key, f"must have {fewest} or more")
        lowered = [value.lower() for value in values]
        if twice := next((value for value in values if lowered.count(value.lower()) > 1), None):
            raise self.error(key, f"has {twice!r} twice")
        return tuple(values)

    def each(self, key: str, make: Callable[[_Reader], T], fewest: int = 1) -> tuple[T, ...]:
        """Return what ``make`` makes of each object of a list."""
        values = self.take(key, [])
        if type(values) is not list or len(values) < fewest:
            raise self.error(key, f"must be a list of {fewest} or more objects")
        made = []
        for number, value in enumerate(values, start=1):
            part = _Reader(f"{self._place}: {key} {number}", value)
            made.append(make(part))
            part.close()
        return tuple(made)

    def close(self) -> None:
        if unknown := sorted(self._data.keys() - self._read):
            raise self.error(unknown[0], "is not a key of this file")


@cache
def load_lexicon() -> Lexicon:
    """Return the lexicon that the engine ships with."""
    return Lexicon(
        scales=_load("scales.json", _scale),
        classes=_load("classes.json", _value_class),
        labels=_load("labels.json", _label),
        yes_no=_load("yes_no.json", _yes_no),
        synonyms=_load("synonyms.json", _synonym),
        units=_load("units.json", _unit),
        antonyms=_load("antonyms.json", _antonym),
        relatives=_load("relatives.json", _relative),
        frames=_load("frames.json", _frame),
        translations=_load("translations.json", _translation),
    )


def read_entries(file: str, data: bytes) -> tuple[Any, ...]:
    """Return the entries of a data file with this name. Raises ``LexiconError`` for the first that cannot be used."""
    return _read(file, data, _MAKERS[file])


def _load(file: str, make: Callable[[_Reader], T]) -> tuple[T, ...]:
    data = pkgutil.get_data(__name__, file)
    if data is None:
        raise LexiconError(file, "is missing")
    return _read(file, data, make)


def _read(file: str, data: bytes, make: Callable[[_Reader], T]) -> tuple[T, ...]:
    try:
        entries = read_json(data)
    except InputError as error:
        raise LexiconError(file, str(error)) from error
    if type(entries) is not list:
        raise LexiconError(file, "must be a list of entries")
    made = []
    for number, entry in enumerate(entries, start=1):
        reader = _Reader(f"{file}: entry {number}{_name_of(entry)}", entry)
        made.append(make(reader))
        reader.close()
    return tuple(made)


def _name_of(entry: Any) -> str:
    if type(entry) is not dict:
        return ""
    name = next((entry[key] for key in ("name", "unit", "moves", "means", "fields", "words", "leads") if entry.get(key)), "")
    return f" ({name if type(name) is str else name[0]})" if name else ""


def _example(reader: _Reader) -> Example:
    field = reader.text("field")
    if "." not in field:
        raise reader.error("field", "must be a path: section.field")
    value = reader.take("value")
    if value is None:
        raise reader.error("value", "must not be null")
    beside = reader.take("beside", {})
    if type(beside) is not dict or not all("." in path for path in beside):
        raise reader.error("beside", "must be an object of paths and values")
    return Example(reader.text("answer"), field, value, reader.choice("row", ROWS), beside)


def _value(reader: _Reader) -> Value:
    return Value(reader.text("value"), reader.texts("phrases"), reader.texts("within", 0))


def _scale(reader: _Reader) -> Scale:
    steps = reader.each("steps", _value, FEWEST_VALUES)
    _refuse_shared_phrases(reader, "steps", steps)
    return Scale(reader.text("name"), reader.texts("fields", 0), steps, *_origin(reader))


def _value_class(reader: _Reader) -> ValueClass:
    values = reader.each("values", _value, FEWEST_VALUES)
    exclusive = reader.flag("exclusive")
    _refuse_shared_phrases(reader, "values", values)
    _refuse_unknown_wider(reader, values)
    return ValueClass(reader.text("name"), reader.texts("fields", 0), exclusive, values, *_origin(reader))


def _refuse_shared_phrases(reader: _Reader, key: str, values: tuple[Value, ...]) -> None:
    """Raise for a phrase of two values: it would mean both."""
    owners: dict[str, str] = {}
    for value in values:
        for phrase in value.phrases:
            owner = owners.setdefault(phrase.lower(), value.value)
            if owner != value.value:
                raise reader.error(key, f"{phrase!r} stands both for {owner!r} and for {value.value!r}")


def _refuse_unknown_wider(reader: _Reader, values: tuple[Value, ...]) -> None:
    """Raise for a value that is within one that the class does not have."""
    known = {value.value for value in values}
    if unknown := next((wider for value in values for wider in value.within if wider not in known), None):
        raise reader.error("values", f"has a value within {unknown!r}, which is none of them")


def _label(reader: _Reader) -> Label:
    return Label(reader.texts("fields"), reader.texts("phrases"), reader.choice("kind", LABEL_KINDS), *_origin(reader))


def _yes_no(reader: _Reader) -> YesNo:
    fields, yes, no = reader.texts("fields"), reader.texts("yes"), reader.texts("no", 0)
    if both := sorted({text.lower() for text in yes} & {text.lower() for text in no}):
        raise reader.error("no", f"{both[0]!r} says yes as well")
    return YesNo(fields, yes, no, *_origin(reader))


def _synonym(reader: _Reader) -> Synonym:
    return Synonym(reader.texts("words", FEWEST_VALUES), *_origin(reader))


def _unit(reader: _Reader) -> Unit:
    unit, forms = reader.text("unit"), reader.texts("forms")
    base, factor = reader.take("base", unit), reader.take("factor", 1)
    if type(base) is not str or type(factor) not in (int, float) or factor <= 0:
        raise reader.error("factor", "must be a number above 0, with a base")
    return Unit(unit, forms, reader.text("kind"), base, factor, *_origin(reader))


def _antonym(reader: _Reader) -> Antonym:
    return Antonym(reader.text("name"), reader.texts("one"), reader.texts("other"), *_origin(reader))


def _relative(reader: _Reader) -> Relative:
    return Relative(reader.text("name"), reader.texts("others"), *_origin(reader))


def _frame(reader: _Reader) -> Frame:
    return Frame(reader.texts("classes"), reader.texts("leads"), reader.choice("subject", SUBJECTS), *_origin(reader))


def _translation(reader: _Reader) -> Translation:
    said = reader.take("said")
    if type(said) is not dict or not said:
        raise reader.error("said", "must be an object of lists by language")
    part = _Reader("said", said)
    phrases = tuple(dict.fromkeys(phrase for language in said for phrase in part.texts(language)))
    means, fields = reader.texts("means", 0), reader.texts("fields", 0)
    if not (means or fields):
        raise reader.error("means", "must have 1 or more, or fields")
    is_beside = reader.take("beside") is not None and reader.flag("beside")
    return Translation(means, fields, phrases, is_beside, *_origin(reader))


def _origin(reader: _Reader) -> tuple[tuple[Example, ...], str]:
    """Return an entry's examples and source, which every entry has."""
    return reader.each("examples", _example), reader.text("source")


_MAKERS: dict[str, Callable[[_Reader], Any]] = {
    "scales.json": _scale,
    "classes.json": _value_class,
    "labels.json": _label,
    "yes_no.json": _yes_no,
    "synonyms.json": _synonym,
    "units.json": _unit,
    "antonyms.json": _antonym,
    "relatives.json": _relative,
    "frames.json": _frame,
    "translations.json": _translation,
}
