"""The fields of a context as mentions are bound to them: kind, values, labels, and the entity that each belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from attribution.answer import Answer
from attribution.figures import FigureKind, find_figures
from attribution.lexicon.words import VALUES_THAT_SAY_NO, VALUES_THAT_SAY_YES, WEEKDAYS
from attribution.mentions.figures import count_of, period_of
from attribution.mentions.number_values import currencies_in
from attribution.model import Field, FieldType, new
from attribution.quantities import MEASURE_WORDS, canonical_value
from attribution.remembering import remembered
from attribution.schema.names import ADDRESS, USERS, WORDS_OF_TYPE, Item, Name, name_of
from attribution.schema.registry import Spoken
from attribution.schema.terms import shipped_terms, stems_of
from attribution.schema.truth import truth_of
from attribution.text import lower, words, words_of

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d))?", re.ASCII)
_MONTH = re.compile(r"((?:19|20)\d\d)-(0[1-9]|1[0-2])", re.ASCII)
_RANGE = re.compile(r"\d\s?(?:-|–|to)\s?\d", re.ASCII)
_DOSE = re.compile(r"(\d+(?:\.\d+)?)\s?(mg|mcg|g|ml|units?|iu)\b.{0,40}", re.ASCII | re.IGNORECASE)
_PAIR = re.compile(r"(\d{2,3})\s?/\s?(\d{2,3})(?:\s?mm\s?hg)?", re.ASCII | re.IGNORECASE)
_AMOUNT = re.compile(r"\d[\d.,]*", re.ASCII)
_OF_24_HOURS = re.compile(r"0\d:\d\d", re.ASCII)
"""A clock time with a nought before it leaves no half of the day open."""
_TEXTS = frozenset({FieldType.ENUM, FieldType.FIELD_VALUE, FieldType.NAME, FieldType.LIST})
_OF_FIGURES = (FieldType.DATE, FieldType.TIME, FieldType.MONEY, FieldType.DURATION, FieldType.NUMERIC)
_NAMING = words("name names provider clinic title practice facility agency pharmacy doctor therapist label plan product hotel")
_SHARED_LEAST = 0.3
_MOST_SHAPES = 40
_SHARED_KEYS = 2
_DIRECTIONS = words("sig dosing directions instructions regimen dosage schedule posology administration")
"""Words of names whose texts say how a medicine is to be taken."""
_PRICED = words("fees fee prices price pricing costs cost rates bill bills billing charges copays tuition")
OTHERS = words("""
    family familial relative relatives hereditary mother father parent parents sibling siblings sister brother spouse partner husband wife
    child children son daughter baby infant elder senior grandmother grandfather grandparent aunt uncle dependent recipient loved couple
""")
"""Words of a field's name, or of its section's, by which it is about others than the user."""
_USERS = USERS | {"self", "own"}
"""Words of a field's name by which it is about the user."""
_LONGEST_IN_CLASS, _MOST_ELEMENTS = 80, 40
_RIGHT_EYE = "od"
"""In directions the right eye, where something else says how often; else once a day."""
_HOW_OFTEN, _WITH_MEALS = "dosing_frequency", "meal_timing"
_SIDES, _FLAGS = {"l": "left", "r": "right", "b": "both"}, {"l": "low", "h": "high", "n": "normal", "a": "abnormal"}
_LETTERS = {"side": _SIDES, "laterality": _SIDES, "eye": _SIDES, "ear": _SIDES, "flag": _FLAGS, "interpretation": _FLAGS}
"""Letters that stand for values, by a word of the field's name."""
_LONGEST_KEPT = 200
_FEW, _MOST_SHAPED = 24, 400
"""The most fields of all contexts whose shapes are remembered: many small ones, and some large ones."""


class Said(NamedTuple):
    """The figures of a value: by kind."""

    amounts: tuple[Fraction, ...]
    dates: tuple[tuple[int, int, int], ...]
    times: tuple[int, ...]
    numbers: tuple[Fraction, ...]
    durations: tuple[tuple[str, Fraction], ...]


class Target:
    """A field that mentions may speak of.

    ``kind`` is what its value is: a kind of figure, ``value`` or ``list`` for texts, ``flag`` for yes or no. ``values`` are what a mention
    is compared with. ``classes`` are the classes of values and the steps in them that the value has, surest first; ``steps`` are
    these steps by the class, its number as text. ``answer`` is the yes or no that the value says of what the name is about. ``row`` is
    the number of its row, ``group`` the siblings that its ``entity`` belongs to.
    """

    __slots__ = (
        "answer",
        "classes",
        "count",
        "end",
        "entity",
        "field",
        "group",
        "is_directions",
        "is_of_others",
        "is_ordered",
        "items",
        "kind",
        "labels",
        "name",
        "period",
        "row",
        "steps",
        "synonyms",
        "times",
        "unit",
        "values",
    )

    def __init__(self, row: int, field: Field, name: Name) -> None:
        self.row = row
        self.field = field
        self.name = name
        self.kind = ""
        self.unit = ""
        self.answer: bool | None = None
        self.values: tuple[Any, ...] = ()
        self.times: tuple[int, ...] = ()
        self.classes: tuple[tuple[int, int], ...] = ()
        self.steps: dict[str, set[int]] = {}
        self.is_ordered = False
        self.is_directions = False
        self.is_of_others = False
        self.labels: dict[Item, float] = {}
        self.items: frozenset[Item] = frozenset()
        self.end = name.end
        self.count: Fraction | None = None
        self.period = ""
        self.entity = ""
        self.group = ""
        self.synonyms: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<{self.field.section}.{self.field.path} {self.kind} {self.values}>"


class Shape(NamedTuple):
    """Return what the names of a context's fields tell, independent of their values, for each target in turn.

    ``items`` are those of all, each with the stems of the names of the objects in which its fields stand.
    """

    targets: Sequence[Target]
    items: Mapping[Item, frozenset[str]]


_UNSPOKEN: Mapping[str, Spoken] = {}
_NO_SYNONYMS: tuple[str, ...] = ()
Named = tuple[str, str, str, str, tuple[str, ...]]
"""A field's section and path, the name that it is read by, its kind, and other names for it."""


def targets_of(fields: Sequence[Field], spoken: Mapping[str, Spoken] = _UNSPOKEN) -> tuple[list[Target], Shape]:
    """All fields that can be bound, with their labels weighed against each other; the next turn of a context finds these remembered.

    ``spoken`` says how people speak of some of them, by their last name.
    """
    known = [
        (row, field, read) for row, field in enumerate(fields) if not field[5] and (read := _read(_renamed(field, spoken))) is not None
    ]
    names = tuple([_named(field, read.kind, spoken) for _, field, read in known])
    remembering = _small_shape if len(names) <= _FEW else _large_shape if len(names) <= _MOST_SHAPED else _shape_of
    shape = remembering(names)
    return [_copied(each, read, row, field) for each, (row, field, read) in zip(shape.targets, known, strict=True)], shape


def _renamed(field: Field, spoken: Mapping[str, Spoken]) -> Field:
    """The field under the name by which it is read."""
    return field._replace(leaf=spoken[field[2]].name) if field[2] in spoken else field


def _named(field: Field, kind: str, spoken: Mapping[str, Spoken]) -> Named:
    section, path, leaf, *_ = field
    own = spoken.get(leaf)
    return (section, path, own.name, kind, own.synonyms) if own else (section, path, leaf, kind, _NO_SYNONYMS)


def _read(field: Field) -> Target | None:
    """A field's value read; what it is made of is remembered, for the next turn shows the same context."""
    section, path, leaf, kind, value, _ = field
    if kind is FieldType.EMPTY or (type(value) is str and len(value) >= _LONGEST_KEPT):
        return None
    if type(value) is list:
        elements = tuple([each for each in value[:_MOST_ELEMENTS] if isinstance(each, str) and len(each) <= _LONGEST_IN_CLASS])
        field = new(Field, (section, path, leaf, kind, elements, False))
    return _template(field, type(value).__name__)


def _copied(shaped: Target, read: Target, row: int, field: Field) -> Target:
    """A target of one turn: labels and entity by the shape of the context, kind and values as they were read."""
    target = Target(row, field, read.name)
    target.kind, target.unit, target.values, target.times = read.kind, read.unit, read.values, read.times
    target.answer = read.answer
    target.is_ordered, target.is_of_others, target.is_directions = read.is_ordered, read.is_of_others, read.is_directions
    target.classes, target.steps, target.count, target.period = read.classes, read.steps, read.count, read.period
    target.labels, target.items, target.entity, target.group = shaped.labels, shaped.items, shaped.entity, shaped.group
    return target


def _shape_of(names: tuple[Named, ...]) -> Shape:
    """The shape of a context by the names and the kinds of its fields."""
    targets: list[Target] = []
    for section, path, leaf, kind, synonyms in names:
        targets.append(
            Target(0, Field(section, path, leaf, FieldType.EMPTY, None, is_hidden=False), _name_in(_above(section, path), leaf, kind))
        )
        targets[-1].kind, targets[-1].synonyms = kind, synonyms
    _find_entities(targets)
    _weigh_labels(targets)
    around: dict[Item, set[str]] = {}
    for target in targets:
        objects = f"{target.field.section} {target.field.path.rpartition('.')[0]}"
        for item in target.items:
            around.setdefault(item, set()).update(stems_of(objects.replace("_", " ")))
    return Shape(targets, {item: frozenset(words) for item, words in around.items()})


_small_shape = lru_cache(maxsize=1_024)(_shape_of)
_large_shape = lru_cache(maxsize=64)(_shape_of)


@lru_cache(maxsize=16_384)
def _template(field: Field, _: str) -> Target | None:
    """A field's value read. A list comes as a tuple of those elements that may be of a class; texts are told from numbers by type."""
    target = _made(field)
    if target is not None:
        target.name = _name_in(_above(field.section, field.path), field.leaf, target.kind) if not field.leaf.isdigit() else target.name
        target.is_of_others = not OTHERS.isdisjoint((*target.name.words, *words_of(field.section.replace("_", " "))))
        for entry, step in target.classes:
            target.steps.setdefault(str(entry), set()).add(step)
            target.is_ordered = target.is_ordered or shipped_terms().classes[entry].is_ordered
    return target


def _made(field: Field) -> Target | None:
    row = 0
    target = Target(row, field, name_of(field.leaf if not field.leaf.isdigit() else _parent(field)))
    value: Any = field.value
    kind = field.type
    if kind is FieldType.BOOLEAN:
        target.kind, target.answer = "flag", truth_of(field)
    elif isinstance(value, (int, float)) and kind in (FieldType.NUMERIC, FieldType.MONEY):
        _number(target, value)
    elif kind is FieldType.LIST and isinstance(value, tuple):
        target.kind = "list"
        target.classes = tuple([each for element in value for each in classes_of(element, target)[:1]])
    elif isinstance(value, str) and kind not in (FieldType.SUMMARY, FieldType.QUESTION, FieldType.EMPTY):
        _text(target, value)
    else:
        return None
    return target


@lru_cache(maxsize=8_192)
def _name_in(above: str, leaf: str, kind: str) -> Name:
    """Return a field's name, with that of the object around it where the lexicon knows both as one: ``position`` of a ``waitlist``."""
    terms, own, whole = shipped_terms(), name_of(leaf), name_of(f"{above}_{leaf}")
    known = terms.yes_no if kind == "flag" else terms.labels
    if known.get(whole.stems) in (None, known.get(own.stems)):
        return own
    labels = {**dict(own.labels), **dict(whole.labels)}
    return whole if kind == "flag" else whole._replace(labels=tuple(labels.items()))


def _above(section: str, path: str) -> str:
    return [section, *path.split(".")[:-1]][-1]


def _parent(field: Field) -> str:
    return next((part for part in reversed(field.path.split(".")) if not part.isdigit()), field.leaf)


def _number(target: Target, value: int | float) -> None:
    name, key = target.name, canonical_value(value)
    exact = Fraction(key or "0")
    if name.unit and name.unit[0] == "milligrams":
        target.kind, target.unit, target.values = "dose", "mg", (exact,)
    elif name.unit and target.field.type is not FieldType.MONEY:
        target.kind, target.unit = "duration", name.unit[0]
        target.values = (exact * name.unit[1], exact)
        target.count = exact
    elif name.is_share or (name.may_be_share and isinstance(value, float) and 0 <= value <= 1):
        target.kind = "percent"
        target.values = (exact * 100, exact) if 0 < value <= 1 and not name.is_share else (exact,)
    else:
        is_money = name.is_money or target.field.type is FieldType.MONEY or _is_among_prices(target)
        target.kind = "money" if is_money else "number"
        target.values = (exact,)
        if target.kind == "number" and name.is_count and name.yes_no is not None:
            target.answer = bool(exact)


def _is_among_prices(target: Target) -> bool:
    """Return True if a field is in a section of prices, and counts or measures nothing itself."""
    return not (_PRICED.isdisjoint(words_of(target.field.section.replace("_", " "))) or target.name.is_count or target.name.is_plain_number)


@remembered
def read_value(text: str) -> Said:
    """The figures that a value is written with."""
    figures = find_figures(lower(text))
    iso = _DATE.match(text.strip())
    dates: list[Any] = [figure.key for figure in figures if figure.kind is FigureKind.DATE]
    times: list[Any] = [figure.key for figure in figures if figure.kind is FigureKind.TIME]
    if iso:
        dates = [(int(iso[1]), int(iso[2]), int(iso[3]))]
        times = [int(iso[4]) * 60 + int(iso[5])] if iso[4] else times
    amounts = [Fraction(str(each.key)) for each in figures if each.kind is FigureKind.MONEY]
    numbers = [Fraction(str(each.key)) for each in figures if each.kind is FigureKind.NUMBER]
    durations = tuple(Answer(text).quantities) if len(text) < 60 and not MEASURE_WORDS.isdisjoint(words_of(text)) else ()
    return Said(tuple(amounts), tuple(dates), tuple(times), tuple(numbers), durations)


def _text(target: Target, value: str) -> None:
    kind, stripped = target.field.type, value.strip()
    if dose := _DOSE.fullmatch(stripped):
        unit = dose[2].lower()
        target.kind, target.values = "dose", (Fraction(dose[1]),)
        target.unit = "units" if unit in ("unit", "iu") else unit
    elif pair := _PAIR.fullmatch(stripped):
        target.kind, target.values = "pair", (Fraction(pair[1]), Fraction(pair[2]))
    elif kind in _OF_FIGURES:
        _text_of_figures(target, stripped)
    elif month := _MONTH.fullmatch(stripped):
        target.kind, target.values = "date", ((int(month[1]), int(month[2]), 0),)
    elif kind is FieldType.IDENTIFIER:
        digits = "".join(filter(str.isdigit, stripped))
        target.kind, target.values = ("code", (digits,)) if len(digits) > 4 else ("value", ())
    elif stripped.lower() in WEEKDAYS:
        target.kind, target.values = "weekday", (WEEKDAYS.index(stripped.lower()),)
    elif (days := _days_of(stripped)) and not classes_of(stripped, target):
        target.kind, target.values = "weekday", days
    else:
        target.kind = "value"
        target.classes = tuple(classes_of(stripped, target))
        target.answer = _yes_or_no(stripped)
        if not target.classes and not _DIRECTIONS.isdisjoint(target.name.words):
            target.classes = tuple(_of_directions(stripped, _HOW_OFTEN))
            target.is_directions = bool(target.classes)
            target.classes = target.classes or tuple(_of_directions(stripped, _WITH_MEALS))
    target.kind = target.kind or "value"


def _yes_or_no(text: str) -> bool | None:
    """Return what a text says of what its field's name is about, if it says only that: "denies"."""
    said = text.lower().replace("_", " ")
    return True if said in VALUES_THAT_SAY_YES else False if said in VALUES_THAT_SAY_NO else None


def _days_of(text: str) -> tuple[int, ...]:
    """Return the days of a text that names nothing but several days of the week: "Monday and Wednesday"."""
    said = [word.removesuffix("s") for word in words_of(text) if word != "and"] if len(text) <= _LONGEST_IN_CLASS else []
    is_of_days = len(said) > 1 and all(word in WEEKDAYS for word in said)
    return tuple(dict.fromkeys(map(WEEKDAYS.index, said))) if is_of_days else ()


def _of_directions(text: str, name: str) -> list[tuple[int, int]]:
    """Return the value of a class in directions that say more, as how often something is taken: "1 tablet twice daily with meals"."""
    terms, stems = shipped_terms(), stems_of(text)
    hits = sorted(terms.find(stems, [0] * len(stems)), key=lambda hit: (hit.first - hit.last, stems[hit.first] == _RIGHT_EYE))
    found = [(int(entry), step) for hit in hits for entry, step in hit.meaning.values]
    return [each for each in found if terms.classes[each[0]].name == name][:1]


def _text_of_figures(target: Target, text: str) -> None:
    """A text whose type is that of a figure, as far as it is one."""
    kind, said = target.field.type, read_value(text)
    if kind is FieldType.DATE and said.dates:
        target.kind, target.values, target.times = "date", said.dates, said.times
        target.kind = "date" if all(map(_is_real, said.dates)) else "value"
    elif kind is FieldType.TIME and said.times:
        target.kind, target.values = "time", said.times[:1] if _OF_24_HOURS.match(text) else said.times
    elif kind is FieldType.MONEY and (said.amounts or said.numbers):
        target.unit = next(iter(currencies_in(text)), "")
        target.kind, target.values = "money", said.amounts or said.numbers
        target.period = next(filter(None, (period_of(text[match.end() :].lower()) for match in _AMOUNT.finditer(text))), "")
    elif said.durations and said.durations[0][0].startswith("per ") and (classes := classes_of(text, target)):
        target.kind, target.classes = "value", tuple(classes)
    elif said.durations and not _RANGE.search(text):
        target.kind, target.unit = "duration", said.durations[0][0]
        target.values = tuple(amount for dimension, amount in said.durations if dimension == target.unit)
        target.count = count_of(text)
    elif kind is FieldType.NUMERIC and (key := canonical_value(text)):
        target.kind, target.values = "money" if target.name.is_money else "number", (Fraction(key),)


def _is_real(day: tuple[int, int, int]) -> bool:
    """Return True if there is such a day; a year of 0 is not written."""
    try:
        date(day[0] or 2_000, day[1], day[2])
    except ValueError:
        return False
    return True


def classes_of(value: str, target: Target) -> Sequence[tuple[int, int]]:
    """The classes that hold a value: those that the field's name speaks of first, and others only where they are about any field."""
    return _classes_of(value, target.field.leaf, target.field.section) if len(value) <= _LONGEST_IN_CLASS else ()


@lru_cache(maxsize=16_384)
def _classes_of(value: str, leaf: str, section: str) -> Sequence[tuple[int, int]]:
    terms = shipped_terms()
    found = terms.values.get(stems_of(_spelt_out(value, leaf).replace("_", " ")), ())
    if not found:
        return ()
    about = set(name_of(leaf).stems) | set(stems_of(section.replace("_", " ")))
    about = about - WORDS_OF_TYPE or about
    hinted = [each for each in found if terms.classes[each[0]].names & about]
    return hinted or [each for each in found if not terms.classes[each[0]].names] or [_most_alike(value, found)]


def _spelt_out(value: str, leaf: str) -> str:
    """Return the word that a letter abbreviates under a field's name: "L" of a side, and of a flag."""
    letters = (_LETTERS[word] for word in name_of(leaf).words if word in _LETTERS) if len(value) == 1 else ()
    return next((each[value.lower()] for each in letters if value.lower() in each), value)


def _most_alike(value: str, found: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The class that calls a value by its own word, else the first."""
    stems, classes = stems_of(value.replace("_", " ")), shipped_terms().classes
    return next((each for each in found if stems_of(classes[each[0]].values[each[1]]) == stems), found[0])


def _find_entities(targets: Sequence[Target]) -> None:
    """Objects that have siblings of the same form: the elements of a list, and sections or objects with a name and the same fields."""
    objects: dict[str, list[Target]] = {}
    for target in targets:
        above, _, _ = target.field.path.rpartition(".")
        objects.setdefault(f"{target.field.section}.{above}", []).append(target)
    if len(objects) < 2:
        return
    names = {key: frozenset(each.field.leaf for each in members) for key, members in objects.items()}
    groups: dict[str, list[str]] = {}
    for key in objects:
        head, _, last = key.rpartition(".")
        if last.isdigit():
            groups.setdefault(head, []).append(key)
    groups |= _alike(names)
    for group, keys in groups.items():
        for key in keys if len(keys) > 1 else ():
            for target in objects[key]:
                target.group, target.entity = group, key


def _alike(names: Mapping[str, frozenset[str]]) -> dict[str, list[str]]:
    """Objects with a name that share two keys or more, compared by their keys and not one by one."""
    shapes: dict[frozenset[str], list[str]] = {}
    for key, leaves in names.items():
        if not key.rpartition(".")[2].isdigit() and not _NAMING.isdisjoint(leaves):
            shapes.setdefault(leaves, []).append(key)
    groups: dict[str, list[str]] = {}
    few = list(islice(shapes, _MOST_SHAPES))
    for shape in few:
        alike = [other for other in few if len(shape & other) >= _SHARED_KEYS and not _NAMING.isdisjoint(shape & other)]
        kin = [key for other in alike for key in shapes[other]]
        if len(kin) > 1:
            groups.setdefault("named:" + "|".join(sorted(kin)), []).extend(shapes[shape])
    return groups


def _users_own(targets: Sequence[Target]) -> Iterator[Target]:
    """Yield the fields that have a counterpart of somebody else's beside them: ``client_score`` of ``partner_score``."""
    others: set[tuple[str, str, frozenset[str]]] = set()
    for target in targets:
        if not OTHERS.isdisjoint(target.name.words):
            others.add(_place_without(target, OTHERS))
    for target in targets if others else ():
        if OTHERS.isdisjoint(target.name.words) and _place_without(target, _USERS) in others:
            yield target


def _place_without(target: Target, parties: AbstractSet[str]) -> tuple[str, str, frozenset[str]]:
    """Return the object of a field and the words of its name, but for whom it is about."""
    return target.field.section, target.field.path.rpartition(".")[0], frozenset(target.name.words) - parties


def _weigh_labels(targets: Sequence[Target]) -> None:
    """A label that several fields of one kind share says less; a bare name is told by the object that it is in."""
    sharing: dict[tuple[Item, str], set[str]] = {}
    named = [target for target in targets if target.kind != "flag"]
    own = list(_users_own(named))
    for target in named:
        section, path = target.field.section, target.field.path
        target.labels = labels = _labels_of(section, path, target.field.leaf, target.synonyms)
        target.items = _items_of(section, path, target.field.leaf, target.synonyms)
        if target in own:
            target.labels = labels = {item: weight for item, weight in labels.items() if item not in _USERS} | {ADDRESS: 1.0}
            target.items |= {ADDRESS}
        key = target.field.leaf if target.group else f"{section}.{path}"
        kin = family(target)
        for item in labels:
            pair = (item, kin)
            if pair in sharing:
                sharing[pair].add(key)
            else:
                sharing[pair] = {key}
    for target in named:
        kin = family(target)
        if any(len(sharing[item, kin]) > 1 for item in target.labels):
            target.labels = {item: weight / len(sharing[item, kin]) for item, weight in target.labels.items()}


@lru_cache(maxsize=16_384)
def _labels_of(section: str, path: str, leaf: str, synonyms: tuple[str, ...]) -> dict[Item, float]:
    """A field's labels: those of its own name, those of other names for it, and for less those of the objects around it."""
    parts = [part for part in path.split(".") if not part.isdigit()]
    name = name_of(leaf if not leaf.isdigit() else next(reversed(parts), leaf))
    labels = dict(name.labels)
    for item, each in (label for synonym in synonyms for label in name_of(synonym).labels):
        labels[item] = max(each, labels.get(item, 0.0))
    weight = 1.0 if name.is_generic else _SHARED_LEAST
    around = parts[:-1] if name.is_generic and len(parts) > 1 else [section, *parts[:-1]]
    for item, each in (label for part in around for label in name_of(part).labels):
        labels.setdefault(item, each * weight)
    return labels


@lru_cache(maxsize=16_384)
def _items_of(section: str, path: str, leaf: str, synonyms: tuple[str, ...]) -> frozenset[Item]:
    """All that can name a field: its labels and their parts."""
    parts = [part for part in path.split(".") if not part.isdigit()]
    name = name_of(leaf if not leaf.isdigit() else next(reversed(parts), leaf))
    return frozenset(_labels_of(section, path, leaf, synonyms)).union(*[words for _, words in name.parts])


def family(target: Target) -> str:
    """Return which fields compete for a mention: figures among each other, and each other kind."""
    return "figure" if target.kind in ("number", "money", "percent", "duration", "dose") else target.kind
