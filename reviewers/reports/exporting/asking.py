"""What is asked for, and by whom."""

from __future__ import annotations

from dataclasses import dataclass

from reviewers.accounts.models import Membership
from reviewers.reports.exporting.scope import Chosen, Scope, choose


@dataclass(frozen=True, slots=True)
class Asked:
    """A report that is asked for: of what, by whom, and the answers that this means."""

    scope: Scope
    by: Membership
    chosen: Chosen


def ask(scope: Scope, by: Membership) -> Asked:
    """Find out what a scope means. Raises ``Http404``."""
    return Asked(scope, by, choose(scope, by))
