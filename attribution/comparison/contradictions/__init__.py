"""Contradiction: the answer states another value of a field than the record.

Found as a careful reader finds it: another value is beside the field's name; or the answer states a value of the field's kind that
no field of the context and no word of the user explains, while this field is the only one of its kind that is not shown otherwise.
Questions, conditions and denials state nothing. It is the finding that a compliance reviewer most needs, so false alarms are kept few
rather than recall high. Figures are compared in ``comparison/``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attribution.answer import Answer
from attribution.comparison.contradictions.closed_sets import booleans, enums
from attribution.comparison.contradictions.names import names
from attribution.comparison.contradictions.turn import Rival, Turn, contradiction_of
from attribution.model import FieldAttribution, Track
from attribution.profile import Profile


def mark_contradictions(rows: Sequence[FieldAttribution], answer: Answer, profile: Profile) -> tuple[FieldAttribution, ...]:
    """The rows, with a contradiction where the answer states another value."""
    turn = Turn(rows, answer, profile)
    found: dict[int, list[Rival]] = {}
    for number, rival in rivals_of(turn):
        found.setdefault(number, []).append(rival)
    if not found:
        return tuple(rows)
    marked = list(rows)
    for number, rivals in found.items():
        row = _without_evidence(rows[number]) if any(rival.denies_own for rival in rivals) else rows[number]
        marked[number] = row._replace(contradiction=contradiction_of(row.field, rivals, answer))
    return tuple(marked)


def _without_evidence(row: FieldAttribution) -> FieldAttribution:
    """The row of a field whose value is only denied: cited if it is, and not found."""
    if row.is_cited:
        return row._replace(track=Track.CITED_ONLY, rule=Track.CITED_ONLY, evidence=None)
    return FieldAttribution(row.field)


def rivals_of(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """Return what each kind of value has; the cheap questions first, for most turns have nothing of most."""
    yield from enums(turn)
    yield from names(turn)
    yield from booleans(turn)
