"""What slices above verify besides: they know what their rows mean, and may not be imported here, so they say so when the site starts."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

Check = Callable[[UUID], None]
"""Takes the identifier of an organisation; raises ``Differs``."""

checks: list[Check] = []


def check_further(organisation_id: UUID) -> None:
    """All of it, for one organisation."""
    for check in checks:
        check(organisation_id)
