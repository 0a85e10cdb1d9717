"""A tool's export as a reader: which objects are of it, to which turn each belongs, and what spans and scores they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from reviewers.snapshots.otlp.spans import SpanValues

JSONObject = Mapping[str, Any]


class Belonging(NamedTuple):
    """The turn that an object belongs to. One that only knows the span that it is ``about`` belongs to the turn that has it.

    ``spans`` are the identifiers of spans that the object brings.
    """

    turn: str
    about: str = ""
    spans: Sequence[str] = ()


class Score(NamedTuple):
    """A score or label by its name, as the tool has it."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Tool:
    """The reader of a tool's exports. ``noun`` is the tool's word for a turn, ``context_place`` a place where a context is read.

    ``spans`` returns the spans of a turn, the first of which is the turn itself unless another has the answer.
    """

    name: str
    noun: str
    context_place: str
    is_known: Callable[[JSONObject], bool]
    belonging: Callable[[JSONObject], Belonging]
    spans: Callable[[str, Sequence[JSONObject]], list[SpanValues]]
    scores: Callable[[Sequence[JSONObject]], list[Score]]


def text(value: Any) -> str:
    """Return an identifier as text; an empty one if there is none."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def with_known_parents(spans: Iterable[SpanValues], top: bytes = b"") -> list[SpanValues]:
    """Return spans of which each has a parent among them, or ``top``: a part of a trace may not have been exported."""
    listed = list(spans)
    known = {span.id for span in listed}
    return [span if span.parent in known and span.parent != span.id else replace(span, parent=top) for span in listed]
