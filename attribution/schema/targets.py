"""The fields of a context as mentions are bound to them: kind, values, labels, and the entity that each belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from attribution.model import Field, FieldType, new
from attribution.schema.names import ADDRESS, USERS, Item, Name, name_of
from attribution.schema.registry import Spoken
from attribution.schema.target import OTHERS, Target
from attribution.schema.terms import shipped_terms, stems_of
from attribution.schema.truth import state_told_by, yes_no_of
from attribution.schema.values import LONGEST_IN_CLASS, made_of
from attribution.text import spaced, words, words_of

# The yes or no that a value says of what its field's name is about: a count of none, "denies", a temperature that is a fever.

_TEMPERATURES = words("temp temperature")
_LEAST_BODY, _MOST_C, _FEVER_C, _FEVER_F = 33, 45, 38, Fraction(1004, 10)
"""Degrees of the body: the least that are any, the most of Celsius, and those from which on there is a fever."""
_OF_USE, _NEVER = "frequency_of_use", "never"


def answer_of(target: Target) -> tuple[Name, bool | None]:
    """Return the yes or no that a value says, if it says one, and the name that asks for it."""
    name = target.name
    if target.kind == "value":
        return name, _of_text(target)
    if name.is_count and name.yes_no is not None:
        return name, bool(target.values[0])
    if not _TEMPERATURES.isdisjoint(name.words) and "room" not in name.words and target.values[0] > _LEAST_BODY:
        is_fever = target.values[0] >= (_FEVER_C if target.values[0] < _MOST_C else _FEVER_F)
        return name._replace(yes_no=name_of("fever").yes_no), is_fever
    return name, None


def _of_text(target: Target) -> bool | None:
    """Return the yes or no of a text that says only that, as "denies", or how often something is used."""
    said = yes_no_of(str(target.field.value).strip())
    if said is not None or target.name.yes_no is None:
        return said
    classes = shipped_terms().classes
    use = [classes[entry].values[step] for entry, step in target.classes if classes[entry].name == _OF_USE]
    return use[0] != _NEVER if use else state_told_by(target.field.leaf, str(target.field.value).strip())


_NAMING = words("""
    name names provider clinic title practice facility agency pharmacy doctor therapist label plan product hotel
    test analyte instrument measure substance agent allergen problem condition medication drug
""")
_SHARED_LEAST = 0.3
_MOST_SHAPES = 40
_SHARED_KEYS = 2
_USERS = USERS | {"self", "own"}
"""Words of a field's name by which it is about the user."""
_LONGEST_KEPT, _MOST_ELEMENTS = 200, 40
_FEW, _MOST_SHAPED = 24, 400
"""The most fields of all contexts whose shapes are remembered: many small ones, and some large ones."""


class Shape(NamedTuple):
    """Return what the names of a context's fields tell, independent of their values, for each target in turn.

    ``items`` are those of all, each with the stems of the names of the objects in which its fields stand. ``namesakes`` are the
    numbers of targets that several sections have by the same path.
    """

    targets: Sequence[Target]
    items: Mapping[Item, frozenset[str]]
    namesakes: Sequence[Sequence[int]]


_SUBSTANCES, _RECOVERY = words("substance substances choice"), words("recovery sobriety addiction rehab relapse detox abstinence")
"""Words of a field and of its section by which somebody goes without its value: ``recovery.substance``."""
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
    targets = [_copied(each, read, row, field) for each, (row, field, read) in zip(shape.targets, known, strict=True)]
    for numbers in shape.namesakes:
        _join([targets[number] for number in numbers])
    return targets, shape


def _join(targets: Sequence[Target]) -> None:
    """Give fields of one name their labels undivided where they hold one value: what names one of them names the same thing."""
    first = targets[0]
    if all(each.field.value == first.field.value and each.values == first.values for each in targets):
        for each in targets:
            each.labels, each.slot = each.labels_if_one, first.slot


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
        elements = tuple([each for each in value[:_MOST_ELEMENTS] if isinstance(each, str) and len(each) <= LONGEST_IN_CLASS])
        field = new(Field, (section, path, leaf, kind, elements, False))
    return _template(field, type(value).__name__)


def _copied(shaped: Target, read: Target, row: int, field: Field) -> Target:
    """A target of one turn: labels and entity by the shape of the context, kind and values as they were read."""
    target = Target(row, field, read.name)
    target.kind, target.unit, target.values, target.times = read.kind, read.unit, read.values, read.times
    target.answer = read.answer
    target.is_ordered, target.is_of_others, target.is_directions = read.is_ordered, read.is_of_others, read.is_directions
    target.is_all = read.is_all
    target.classes, target.steps, target.count, target.period = read.classes, read.steps, read.count, read.period
    target.labels, target.items, target.entity, target.group = shaped.labels, shaped.items, shaped.entity, shaped.group
    target.labels_if_one = shaped.labels_if_one
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
            around.setdefault(item, set()).update(stems_of(spaced(objects)))
    return Shape(targets, {item: frozenset(words) for item, words in around.items()}, _namesakes(targets))


def _namesakes(targets: Sequence[Target]) -> list[list[int]]:
    """Return the numbers of targets, no flags and of no entity, that stand under one path in several sections."""
    found: dict[str, list[int]] = {}
    for number, target in enumerate(targets):
        if target.kind != "flag" and not target.group:
            found.setdefault(target.field.path, []).append(number)
    return [numbers for numbers in found.values() if len(numbers) > 1]


_small_shape = lru_cache(maxsize=1_024)(_shape_of)
_large_shape = lru_cache(maxsize=64)(_shape_of)


@lru_cache(maxsize=16_384)
def _template(field: Field, _: str) -> Target | None:
    """A field's value read. A list comes as a tuple of those elements that may be of a class; texts are told from numbers by type."""
    target = made_of(field)
    if target is not None:
        target.name = _name_in(_above(field.section, field.path), field.leaf, target.kind) if not field.leaf.isdigit() else target.name
        target.is_of_others = not OTHERS.isdisjoint((*target.name.words, *words_of(spaced(field.section))))
        if not _SUBSTANCES.isdisjoint(target.name.words) and not _RECOVERY.isdisjoint(words_of(spaced(field.section))):
            target.name = target.name._replace(is_negative=True, is_former=True)
        if target.kind in ("number", "value"):
            target.name, target.answer = answer_of(target)
        for entry, step in target.classes:
            target.steps.setdefault(str(entry), set()).add(step)
            target.is_ordered = target.is_ordered or shipped_terms().classes[entry].is_ordered
    return target


@lru_cache(maxsize=8_192)
def _name_in(above: str, leaf: str, kind: str) -> Name:
    """Return a field's name, with that of the object around it where the lexicon knows both as one: ``position`` of a ``waitlist``."""
    terms, own, whole = shipped_terms(), name_of(leaf), name_of(f"{above}_{leaf}")
    known = terms.yes_no if kind == "flag" else terms.labels
    entry = known.get(whole.stems, known.get(whole.stems[:-1]) if own.unit and len(own.stems) > 1 else None)
    if entry in (None, known.get(own.stems)):
        return own
    labels = {**dict(own.labels), **dict(whole.labels)}
    return whole if kind == "flag" else whole._replace(labels=tuple(labels.items()))


def _above(section: str, path: str) -> str:
    return [section, *path.split(".")[:-1]][-1]


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
    paths: dict[tuple[Item, str], set[str]] = {}
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
                paths[pair].add(path)
            else:
                sharing[pair], paths[pair] = {key}, {path}
    for target in named:
        kin, labels = family(target), target.labels
        target.labels_if_one = labels
        if any(len(sharing[item, kin]) > 1 for item in labels):
            target.labels = {item: weight / len(sharing[item, kin]) for item, weight in labels.items()}
            target.labels_if_one = {item: weight / len(paths[item, kin]) for item, weight in labels.items()}


@lru_cache(maxsize=16_384)
def _labels_of(section: str, path: str, leaf: str, synonyms: tuple[str, ...]) -> dict[Item, float]:
    """A field's labels: those of its own name, those of other names for it, and for less those of the objects around it."""
    parts = [part for part in path.split(".") if not part.isdigit()]
    name = _name_of(section, path, leaf)
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
    parts = _name_of(section, path, leaf).parts
    return frozenset(_labels_of(section, path, leaf, synonyms)).union(*[words for _, words in parts])


def _name_of(section: str, path: str, leaf: str) -> Name:
    """Return the name of a field that is no yes or no; of an element of a list, that of the list."""
    if leaf.isdigit():
        return name_of(next((part for part in reversed(path.split(".")) if not part.isdigit()), leaf))
    return _name_in(_above(section, path), leaf, "")


def family(target: Target) -> str:
    """Return which fields compete for a mention: figures among each other, and each other kind."""
    return "figure" if target.kind in ("number", "money", "percent", "duration", "dose") else target.kind
