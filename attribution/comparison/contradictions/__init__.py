"""Contradiction: the answer states another value of a field than the record.

Found as a careful reader finds it: another value is beside the field's name; or the answer states a value of the field's kind that
no field of the context and no word of the user explains, while this field is the only one of its kind that is not shown otherwise.
Questions, conditions and denials state nothing. It is the finding that a compliance reviewer most needs, so false alarms are kept few
rather than recall high. Figures are compared in ``comparison/``.
"""

from __future__ import annotations

from collections.abc import Iterator

from attribution.comparison.contradictions.closed_sets import booleans, enums
from attribution.comparison.contradictions.names import names
from attribution.comparison.contradictions.turn import Rival, Turn


def rivals_of(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """Return what each kind of value has; the cheap questions first, for most turns have nothing of most."""
    yield from enums(turn)
    yield from names(turn)
    yield from booleans(turn)
