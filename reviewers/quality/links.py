"""Leads from a figure to its answers: the queue, narrowed to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from urllib.parse import urlencode

from django.urls import reverse

from reviewers.quality.periods import Period
from reviewers.quality.totals import Chosen

_ALL_STATES = [("state", "to_do"), ("state", "skipped"), ("state", "submitted")]


def queue_address(chosen: Chosen, query: Sequence[tuple[str, str]] = ()) -> str:
    """The answers of a choice that a filter leaves, in whatever state they are."""
    return f"{narrowed(chosen, query)}&{days(chosen.period)}"


def narrowed(chosen: Chosen, query: Sequence[tuple[str, str]] = ()) -> str:
    """The same without the days, so that many points of a line share it."""
    return "&".join(filter(None, [_everything(), _encoded(tuple(query)), _encoded(_names(chosen))]))


def days(period: Period) -> str:
    """The days, as the queue is asked for them."""
    return f"since={period.since.isoformat()}&until={period.until.isoformat()}"


def page_address(chosen: Chosen, period: Period | None = None) -> str:
    """This page, narrowed to a choice."""
    chosen = replace(chosen, period=period or chosen.period)
    return f"{reverse('quality')}?{_encoded(_names(chosen))}&{days(chosen.period)}".replace("?&", "?")


def _names(chosen: Chosen) -> tuple[tuple[str, str], ...]:
    return tuple([(name, value) for name, value in (("model", chosen.model), ("prompt", chosen.prompt)) if value is not None])


@lru_cache(maxsize=1)
def _everything() -> str:
    return f"{reverse('queue')}?{urlencode(_ALL_STATES)}"


@lru_cache(maxsize=1_000)
def _encoded(names: tuple[tuple[str, str], ...]) -> str:
    """A page has hundreds of addresses, of a few names each."""
    return urlencode(names)
