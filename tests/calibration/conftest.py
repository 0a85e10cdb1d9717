"""People that calibration needs."""

from __future__ import annotations

import pytest

from reviewers.accounts.models import Membership, Organisation, Role
from tests.factories import make_member


@pytest.fixture
def other_lead(organisation: Organisation) -> Membership:
    """Approves what the lead proposes."""
    return make_member(organisation, Role.LEAD, "Liv Larsen")
