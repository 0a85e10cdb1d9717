"""Another value of a field, stated by the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attribution.answer import Answer
from attribution.model import Contradiction, Field, Span


class Rival(NamedTuple):
    """Another value of a field's kind, where it stands, and why it is taken as the field's.

    ``denies_own``: it is what the row's evidence takes for a use of the field.
    """

    stated: str
    span: Span
    because: str
    denies_own: bool = False


def contradiction_of(field: Field, rivals: Sequence[Rival], answer: Answer) -> Contradiction:
    """Both values and all places; the trace tells of the first."""
    first = rivals[0]
    spans = tuple(dict.fromkeys(rival.span for rival in rivals))
    recorded = str(field.value).lower() if isinstance(field.value, bool) else str(field.value)
    trace = (
        f"‘{answer.as_written(first.span)}’ at {first.span[0]}–{first.span[1]} gives another value ({first.because}): "
        f"record {recorded}, answer {first.stated}"
    )
    return Contradiction(recorded, first.stated, spans, trace)
