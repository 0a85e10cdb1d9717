"""A field as mentions are bound to it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from attribution.model import Field
from attribution.schema.names import Item, Name
from attribution.text import words

OTHERS = words("""
    family familial relative relatives hereditary mother father parent parents sibling siblings sister brother spouse partner husband wife
    child children son daughter baby infant elder senior grandmother grandfather grandparent aunt uncle dependent recipient loved couple
""")
"""Words of a field's name, or of its section's, by which it is about others than the user."""

ASKING = words("client patient member user intake prefs preferences preference request search screening")
"""Sections of the person who asks, of whom what a provider does says nothing."""

NAMES = words("""
    name provider_name clinic_name clinic provider title practice practice_name facility agency pharmacy doctor therapist
    full_name label plan drug medication medicine drug_name medication_name test test_name analyte lab_test instrument measure substance
    agent allergen problem condition
""")
"""Names of fields that hold the name of the thing that their object is about."""


LINES = words("phone telephone tel hotline helpline lifeline line crisis emergency")
"""Names of fields that hold a number to call."""


class Target:
    """A field that mentions may speak of.

    ``kind`` is what its value is: a kind of figure, ``value`` or ``list`` for texts, ``flag`` for yes or no. ``values`` are what a mention
    is compared with. ``classes`` are the classes of values and the steps in them that the value has, surest first; ``steps`` are
    these steps by the class, its number as text. ``is_all``: the value says that it is the only one. ``answer`` is the yes or no that
    the value says of what the name is about. ``labels_if_one`` are its labels where fields of this path in other sections count as
    this one, and ``slot`` is the same number for all of these. ``row`` is the number of its row, ``group`` the siblings that its
    ``entity`` belongs to.
    """

    __slots__ = (
        "answer",
        "classes",
        "count",
        "end",
        "entity",
        "field",
        "group",
        "is_all",
        "is_directions",
        "is_of_others",
        "is_ordered",
        "items",
        "kind",
        "labels",
        "labels_if_one",
        "name",
        "period",
        "row",
        "slot",
        "steps",
        "synonyms",
        "times",
        "unit",
        "values",
    )

    def __init__(self, row: int, field: Field, name: Name) -> None:
        self.row = self.slot = row
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
        self.is_all = False
        self.is_of_others = False
        self.labels: dict[Item, float] = {}
        self.labels_if_one: dict[Item, float] = {}
        self.items: frozenset[Item] = frozenset()
        self.end = name.end
        self.count: Fraction | None = None
        self.period = ""
        self.entity = ""
        self.group = ""
        self.synonyms: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<{self.field.section}.{self.field.path} {self.kind} {self.values}>"
