"""What is asked for, and by whom."""

from __future__ import annotations

from dataclasses import dataclass

from reviewers.accounts.models import Membership
from reviewers.reports.exporting.scope import Chosen, Scope, choose
from reviewers.reports.least.profiles import Profile, profile_for


@dataclass(frozen=True, slots=True)
class Asked:
    """A report that is asked for: of what, by whom, and the answers that this means."""

    scope: Scope
    by: Membership
    chosen: Chosen

    @property
    def profile(self) -> Profile:
        """How much the report tells."""
        return profile_for(self.by, self.scope.profile)


def ask(scope: Scope, by: Membership) -> Asked:
    """Find out what a scope means. Raises ``Http404``."""
    return Asked(scope, by, choose(scope, by))
