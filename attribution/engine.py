"""The whole pipeline: parse the markers, walk the context, match each field, set both tracks side by side, look for trouble."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

from attribution.budget import part_read
from attribution.errors import InputError
from attribution.guardrails import Unread, find_guardrails
from attribution.markers import parse_markers
from attribution.markers.structured import MOST_STATED, with_stated
from attribution.model import Attribution
from attribution.profile import Profile, default_profile
from attribution.rows import rows_of, source_of
from attribution.schema.context import walk
from attribution.version import ENGINE_VERSION

DEFAULT_PROFILE = default_profile()


def attribute(  # noqa: PLR0913  # one argument for each part of a turn
    *,
    response: str,
    context: Mapping[str, Any],
    user_text: str | None = None,
    hidden_sections: Collection[str] = (),
    documents: Sequence[Any] = (),
    field_citations: Sequence[Any] = (),
    profile: Profile = DEFAULT_PROFILE,
    answered_on: date | None = None,
) -> Attribution:
    """Say for every field of ``context`` whether ``response`` draws on it, how strongly, by which rule and where.

    ``response`` is the raw answer, markers included; ``context`` maps sections to objects. ``hidden_sections`` were withheld from
    the prompt: they are not matched, and a marker into them does not count. ``user_text`` and ``documents`` are only searched for
    markers that the answer may be echoing. ``field_citations`` are what the model cites beside the text instead of in markers, such as
    ``{"tool": "SF", "field": "risk_level", "text": "Your risk is elevated"}``. ``answered_on`` is the day of the message, which gives
    "tomorrow" a date.
    The same arguments give the same result. Raises ``InputError`` for a response that is no text, a context that is no object or
    holds what is no JSON value, ``hidden_sections`` that are one text, and ``field_citations`` that are no list.
    """
    if not isinstance(response, str):
        raise InputError("response", "must be text")
    if isinstance(hidden_sections, str):
        raise InputError("hidden_sections", "must be several section names, not one text")
    if not isinstance(field_citations, list | tuple):
        raise InputError("field_citations", "must be a list")
    hidden = frozenset(hidden_sections)
    fields, is_whole = walk(context, profile.registry, hidden, profile.thresholds.summary_length)
    read = part_read(response)
    parsed = parse_markers(read, fields, profile.registry, hidden, (user_text, *documents), answered_on, asked=user_text or "")
    if field_citations:
        parsed = with_stated(parsed, field_citations, read, fields, profile.registry, hidden)
    rows = rows_of(fields, parsed, profile)
    unread = Unread(
        characters=len(response),
        characters_left=len(response) - len(read),
        fields_read=None if is_whole else len(fields),
        not_compared=parsed.answer.unread,
        is_spent=parsed.answer.is_spent,
        citations_left=max(0, len(field_citations) - MOST_STATED),
    )
    return Attribution(
        clean_text=parsed.answer.text + response[len(read) :],
        source=source_of(rows),
        fields=rows,
        markers=parsed.markers,
        guardrails=find_guardrails(parsed, rows, profile.thresholds.tokens_per_marker, unread),
        hidden_sections=tuple(section for section in context if section in hidden),
        profile=profile.id,
        is_calibrated=profile.is_calibrated,
        engine_version=ENGINE_VERSION,
    )
