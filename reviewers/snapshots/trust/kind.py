"""Tables of trust as a kind of versions: the one approved last is in use, and is asked before the built-in table."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from django.db.models import Max, QuerySet

from attribution import LARGEST_TABLE, MOST_RULES, TrustTableError, lines_of_table, read_trust_table
from reviewers.accounts.permissions import Permission
from reviewers.accounts.policies import Refused
from reviewers.accounts.sign_in.reauthentication import Purpose
from reviewers.ledger.events import Action
from reviewers.snapshots.models import TrustDecision, TrustProposal, TrustTable
from reviewers.snapshots.trust.difference import compare_tables, shipped_tiers, shown_rules
from reviewers.snapshots.trust.queries import id_in_use, read_rules
from reviewers.snapshots.versions.kinds import Events, Kind, Names, Text

EXAMPLE = """# host or name, level, reason
handbook.example.org, 1, our own handbook, reviewed each spring
Formulary Desk, 2, licensed by the pharmacy
example.net, unknown, two of its articles were withdrawn
"""


class TrustTables(Kind):
    """Tables of trust."""

    name, plural, folder, key = "trust_table", "trust_tables", "trust", "table_id"
    noun, text, verb, written, in_use = "version", "table", "write", "written", "in use"
    content_type = "text/plain; charset=utf-8"
    largest = LARGEST_TABLE
    permission, purpose, error = Permission.MANAGE_TRUST, Purpose.TRUST, TrustTableError
    events = Events(Action.TRUST_TABLE_WRITTEN, Action.TRUST_TABLE_PROPOSED, Action.TRUST_TABLE_APPROVED, Action.TRUST_TABLE_DECLINED)
    versions, proposals, decisions = TrustTable, TrustProposal, TrustDecision
    begins_with_version_in_use = True

    def read(self, content: bytes) -> Text:
        """Return a table as it is stored: its lines without spaces around them."""
        read_trust_table(content)
        document = "".join(f"{line}\n" for line in lines_of_table(content)).encode()
        rules = read_trust_table(document).rules  # what answers are judged under: it is a line feed longer, perhaps too long
        return Text(document, {"digest": hashlib.sha256(document).digest()}, {"rule_count": len(rules)})

    def names(self, version: TrustTable) -> Names:
        """Return the number and the file of a table."""
        return Names(str(version.number), f"trust-{version.number}.txt", {"rules": version.rule_count})

    def event_details(self, version: TrustTable) -> Mapping[str, Any]:
        """Return the number of a table."""
        return {"number": version.number}

    def ids_in_use(self, organisation_id: UUID) -> Collection[UUID]:
        """Return the table that was approved last."""
        found = id_in_use(organisation_id)
        return [found] if found else []

    def check_can_be_used(self, version: TrustTable, proposal: TrustProposal | None = None) -> None:
        """Refuse a table that is in use, and an approval after another table came into use."""
        in_use = id_in_use(version.organisation_id)
        if proposal and proposal.base_id != in_use:
            raise Refused(
                "Another version came into use since this was proposed. Decline it, and propose it again: it changes something else now."
            )
        if in_use == version.pk:
            raise Refused("This version is in use already.")

    def next_columns(self, own: QuerySet[TrustTable]) -> Mapping[str, Any]:
        """Return the next number."""
        return {"number": (own.aggregate(last=Max("number"))["last"] or 0) + 1}

    def proposal_columns(self, version: TrustTable) -> Mapping[str, Any]:
        """Return the table that a proposal would replace."""
        return {"base_id": id_in_use(version.organisation_id)}

    def contents(self, version: UUID, base: UUID | None) -> Mapping[str, Any]:
        """Return the rules of a table, and what it changes in another one, or in the built-in table alone."""
        rules = read_rules(version)
        return {"rules": shown_rules(rules), "changes": compare_tables(read_rules(base), rules)}

    def form(self) -> Mapping[str, Any]:
        """Return the levels that come with Footnote, an example, and the sizes."""
        return {"shipped": shipped_tiers(), "example": EXAMPLE, "most_rules": MOST_RULES, "largest": LARGEST_TABLE // 1024}


TRUST_TABLES = TrustTables()
