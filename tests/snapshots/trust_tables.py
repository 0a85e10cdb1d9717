"""Tables of trust for tests: written, proposed by one lead and approved by another."""

from __future__ import annotations

from datetime import timedelta

from reviewers.accounts.models import Membership, Organisation
from reviewers.snapshots.models import TrustTable
from reviewers.snapshots.versions import actions
from reviewers.snapshots.versions.trust import TRUST_TABLES
from reviewers.web.tenancy import tenant
from tests.factories import NOW, make_member

RULES = """# Sources of the harbour clinics
guild.example, 1, our own handbook
fda.gov, 3, read with care
"""


def write_table(lead: Membership, text: str = RULES) -> TrustTable:
    with tenant.within(lead.organisation_id):
        return actions.write(TRUST_TABLES, content=text.encode(), by=lead, now=NOW)[0]


def make_table(organisation: Organisation, text: str = RULES, *, is_proposed: bool = True) -> TrustTable:
    """A table that one lead wrote, and proposed."""
    lead = make_member(organisation, "lead")
    table = write_table(lead, text)
    if is_proposed:
        with tenant.within(organisation.pk):
            actions.propose(TRUST_TABLES, version_id=table.pk, by=lead, now=NOW)
    return table


def approve_table(organisation: Organisation, text: str = RULES, *, hours: int = 1) -> TrustTable:
    """A table in use."""
    table = make_table(organisation, text)
    with tenant.within(organisation.pk):
        actions.approve(TRUST_TABLES, version_id=table.pk, by=make_member(organisation, "lead"), now=NOW + timedelta(hours=hours))
    return table
