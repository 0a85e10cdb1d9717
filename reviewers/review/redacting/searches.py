"""Searches whose words repeat what is to be redacted. Their events keep the words, and belong to no answer."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any
from uuid import UUID

from reviewers.ledger.events import Action
from reviewers.review.redacting.names import SEARCH, kind_of
from reviewers.review.redacting.repeats import Sought
from reviewers.review.redacting.written import Part, payload_of, with_payload

_SEARCHES = {action.value for action in (Action.QUEUE_SEARCHED, Action.WHY_SEARCHED, Action.EXPORTS_SEARCHED, Action.ACCESS_VIEWED)}
_MOST = 2_000
"""So many are looked through, the newest: nobody waits for the words of years."""


def searches_for(organisation_id: UUID, sought: Sought) -> list[Part]:
    """Those that looked for such words."""
    newest = with_payload(organisation_id, _SEARCHES).order_by("-pk")[:_MOST]
    return [_part(event) for event in reversed(newest) if sought.stands_in(_words(event))]


def searches_named(organisation_id: UUID, names: Collection[str]) -> list[Part]:
    """Those of these names that are still kept."""
    ids = [UUID(name.partition(".")[2]) for name in names if kind_of(name) == SEARCH]
    return [_part(event) for event in with_payload(organisation_id, _SEARCHES).filter(pk__in=ids)] if ids else []


def _part(event: Any) -> Part:
    words = f"what {event.author or 'somebody'} searched for on {event.occurred_at:%Y-%m-%d at %H:%M}"
    return Part(f"{SEARCH}.{event.pk}", words, "Searches", None, [event.pk])


def _words(event: Any) -> Iterator[str]:
    for name, kept in payload_of(event).items():
        if name == "filter":
            yield from (value for value in json.loads(kept).values() if isinstance(value, str))
        else:
            yield kept
