"""Hooks of accounts: lists of callables that slices above fill in their ``AppConfig.ready``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reviewers.accounts.audit import Announcement
    from reviewers.accounts.models import Membership

waiting_counters: list[Callable[[Membership], int]] = []
"""Each returns how much waits for a person in the organisation of a membership, for the choice of organisation."""

announcement_listeners: list[Callable[[Announcement], None]] = []
"""Called with each announcement, in the transaction of its change; an exception undoes the change."""
