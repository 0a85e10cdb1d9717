"""The active filters of a list, each as a link that takes it off."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from reviewers.review.queue import filters

Pair = tuple[str, str]
"""Name and value of a filter in an address."""

NOT_GIVEN = "not given"
MOST_CHIPS = 50
"""The most filters with a link of their own: each link names all the others."""


class Chip(NamedTuple):
    """A filter that is on: its words, and the query of the list without it."""

    words: str
    query: str


class FilterWords(NamedTuple):
    """The words of filters: of states, facets by kind and value, plans and signatures."""

    states: Mapping[str, str]
    kinds: Mapping[str, str]
    facets: Mapping[str, Mapping[str, str]]
    plans: Mapping[UUID, str]
    signed: Mapping[str, str]


def chips_of(chosen: filters.Filter, search: str, words: FilterWords) -> list[Chip]:
    """Return the filters that are on. ``search`` is the number of the search in the address, whose words the filter has.

    Of very many the last ones are one, which takes all of them off.
    """
    entries = list(_entries(chosen, search, words))
    pairs = [pair for _, pair in entries]
    chips = [Chip(said, _without({pair}, pairs)) for said, pair in entries[:MOST_CHIPS]]
    rest = pairs[MOST_CHIPS:]
    return [*chips, Chip(f"{len(rest):,} more", _without(set(rest), pairs))] if rest else chips


def _without(taken: Collection[Pair], pairs: list[Pair]) -> str:
    """Return a query without some filters. Without any state it asks for all of them, as an empty query asks for what is to do."""
    left = [each for each in pairs if each not in taken]
    return urlencode(left if any(name == "state" for name, _ in left) else [("state", filters.ALL), *left])


def _entries(chosen: filters.Filter, search: str, words: FilterWords) -> Iterator[tuple[str, Pair]]:
    if not chosen.is_of_all_states:
        yield from ((words.states[state], ("state", state)) for state in words.states if state in chosen.states)
    if chosen.words:
        yield f"Client {chosen.words}" if chosen.is_client else f"“{chosen.words}”", ("search", search)
    for plan in sorted(chosen.plans, key=str):
        yield f"Plan: {words.plans.get(plan, NOT_GIVEN)}", ("plan", str(plan))
    for kind, values in chosen.facets.items():
        spoken = words.facets.get(kind, {})
        yield from ((f"{words.kinds[kind]}: {spoken.get(value, value) or NOT_GIVEN}", (kind, value)) for value in sorted(values))
    if chosen.since:
        yield f"from {chosen.since:%-d %b %Y}", ("since", chosen.since.isoformat())
    if chosen.until:
        yield f"to {chosen.until:%-d %b %Y}", ("until", chosen.until.isoformat())
    yield from ((title, ("signed", value)) for value, title in words.signed.items() if value in chosen.signed)
    if chosen.is_flagged:
        yield "With an open flag", ("flagged", "on")
    if chosen.is_unsupported:
        yield "With words not in the record", ("unsupported", "on")
