"""Tables of trust as a kind of versions: an organisation's own levels of sources.

The table approved last is in use, and is asked before the built-in one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from django.db.models import Max, QuerySet

from attribution import (
    LARGEST_TABLE,
    MOST_RULES,
    SourceTrust,
    Tier,
    TrustRule,
    TrustTableError,
    default_trust,
    lines_of_table,
    read_trust_table,
    trust_in_source,
)
from attribution import TrustTable as EngineTable
from reviewers.accounts.permissions import Permission
from reviewers.accounts.policies import Refused
from reviewers.accounts.sign_in.reauthentication import Purpose
from reviewers.ledger.events import Action
from reviewers.snapshots.models import TrustDecision, TrustProposal, TrustTable
from reviewers.snapshots.versions.in_use import id_of_table_in_use, read_rules
from reviewers.snapshots.versions.kinds import ADDED, CHANGED, REMOVED, VersionChange, VersionEvents, VersionKind, VersionNames, VersionText

EXAMPLE = """# host or name, level, reason
handbook.example.org, 1, our own handbook, reviewed each spring
Formulary Desk, 2, licensed by the pharmacy
example.net, unknown, two of its articles were withdrawn
"""


class TrustTables(VersionKind):
    """Tables of trust."""

    name, plural, folder, key = "trust_table", "trust_tables", "trust", "table_id"
    noun, text, verb, written, in_use = "version", "table", "write", "written", "in use"
    content_type = "text/plain; charset=utf-8"
    largest = LARGEST_TABLE
    permission, purpose, error = Permission.MANAGE_TRUST, Purpose.TRUST, TrustTableError
    events = VersionEvents(
        Action.TRUST_TABLE_WRITTEN, Action.TRUST_TABLE_PROPOSED, Action.TRUST_TABLE_APPROVED, Action.TRUST_TABLE_DECLINED
    )
    versions, proposals, decisions = TrustTable, TrustProposal, TrustDecision
    begins_with_version_in_use = True

    def read(self, content: bytes) -> VersionText:
        """Return a table as it is stored: its lines without spaces around them."""
        read_trust_table(content)
        document = "".join(f"{line}\n" for line in lines_of_table(content)).encode()
        rules = read_trust_table(document).rules  # what answers are judged under: it is a line feed longer, perhaps too long
        return VersionText(document, {"digest": hashlib.sha256(document).digest()}, {"rule_count": len(rules)})

    def names(self, version: TrustTable) -> VersionNames:
        """Return the number and the file of a table."""
        return VersionNames(str(version.number), f"trust-{version.number}.txt", {"rules": version.rule_count})

    def event_details(self, version: TrustTable) -> Mapping[str, Any]:
        """Return the number of a table."""
        return {"number": version.number}

    def ids_in_use(self, organisation_id: UUID) -> Collection[UUID]:
        """Return the table that was approved last."""
        found = id_of_table_in_use(organisation_id)
        return [found] if found else []

    def check_can_be_used(self, version: TrustTable, proposal: TrustProposal | None = None) -> None:
        """Refuse a table that is in use, and an approval after another table came into use."""
        in_use = id_of_table_in_use(version.organisation_id)
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
        return {"base_id": id_of_table_in_use(version.organisation_id)}

    def contents(self, version: UUID, base: UUID | None) -> Mapping[str, Any]:
        """Return the rules of a table, and what it changes in another one, or in the built-in table alone."""
        rules = read_rules(version)
        return {"rules": shown_rules(rules), "changes": compare_tables(read_rules(base), rules)}

    def form(self) -> Mapping[str, Any]:
        """Return the levels that come with Footnote, an example, and the sizes."""
        return {"shipped": shipped_tiers(), "example": EXAMPLE, "most_rules": MOST_RULES, "largest": LARGEST_TABLE // 1024}


TRUST_TABLES = TrustTables()


# Rules in words, and the difference between two tables.


@dataclass(frozen=True, slots=True)
class ShownRule:
    """A rule as its page shows it, with the level that comes with Footnote."""

    line: int
    subject: str
    is_host: bool
    level: str
    shipped: str
    reason: str


@dataclass(frozen=True, slots=True)
class ShippedTier:
    """A level that comes with Footnote, and what has it."""

    level: str
    score: float
    hosts: Sequence[str]
    names: Sequence[str]


def compare_tables(old: EngineTable, new: EngineTable) -> list[VersionChange]:
    """Return what is different in ``new``, in its order, and what is gone at the end."""
    before, after = ({(rule.host, rule.name): rule for rule in table.rules} for table in (old, new))
    changes = [VersionChange(ADDED, rule.subject, [*_added(rule)]) for key, rule in after.items() if key not in before]
    both = [(before[key], rule) for key, rule in after.items() if key in before]
    changes += [VersionChange(CHANGED, rule.subject, words) for was, rule in both if (words := [*_changed(was, rule)])]
    gone = [rule for key, rule in before.items() if key not in after]
    return [*changes, *(VersionChange(REMOVED, rule.subject, [f"{level(rule.tier)} → {_shipped(rule)}, as built in"]) for rule in gone)]


def shown_rules(table: EngineTable) -> list[ShownRule]:
    """Return the rules of a table, in its order."""
    return [ShownRule(each.line, each.subject, bool(each.host), level(each.tier), _shipped(each), each.reason) for each in table.rules]


def shipped_tiers() -> list[ShippedTier]:
    """Return the levels that come with Footnote, the most trusted first."""
    known = default_trust()
    tiers = sorted(set(known.tiers.values()), key=lambda each: each.number)
    return [ShippedTier(level(each.number), each.score, _of(each, known.tiers.items()), _of(each, known.names.items())) for each in tiers]


def level(number: int) -> str:
    """Return a level in words."""
    return f"tier {number}, {_names()[number]}" if number else "unknown"


@cache
def _names() -> dict[int, str]:
    return {tier.number: tier.name for tier in default_trust().tiers.values()}


def _of(tier: Tier, subjects: Iterable[tuple[str, Tier]]) -> list[str]:
    return sorted(subject for subject, its in subjects if its == tier)


def _shipped(rule: TrustRule) -> str:
    found: SourceTrust = trust_in_source(f"https://{rule.host}/") if rule.host else trust_in_source(None, name=rule.subject)
    return level(found.tier)


def _added(rule: TrustRule) -> Iterator[str]:
    shipped = _shipped(rule)
    yield f"{level(rule.tier)}; built in: {shipped}" if shipped != level(rule.tier) else f"{level(rule.tier)}, as built in"
    yield f"reason: {rule.reason}"


def _changed(old: TrustRule, new: TrustRule) -> Iterator[str]:
    if old.tier != new.tier:
        yield f"{level(old.tier)} → {level(new.tier)}"
    if old.reason != new.reason:
        yield f"reason: {old.reason} → {new.reason}"
