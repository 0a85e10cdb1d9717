"""Rules of tables of trust in words: what each says, what it changes in the shipped levels, and the difference between two tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from attribution import SourceTrust, Tier, TrustRule, TrustTable, default_trust, trust_in_source

ADDED, REMOVED, CHANGED = "added", "removed", "changed"


@dataclass(frozen=True, slots=True)
class Change:
    """A change: ``kind`` is added, removed or changed; ``subject`` is a host or a name."""

    kind: str
    subject: str
    words: Sequence[str]


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


def compare_tables(old: TrustTable, new: TrustTable) -> list[Change]:
    """Return what is different in ``new``, in its order, and what is gone at the end."""
    before, after = ({(rule.host, rule.name): rule for rule in table.rules} for table in (old, new))
    changes = [Change(ADDED, rule.subject, [*_added(rule)]) for key, rule in after.items() if key not in before]
    both = [(before[key], rule) for key, rule in after.items() if key in before]
    changes += [Change(CHANGED, rule.subject, words) for was, rule in both if (words := [*_changed(was, rule)])]
    gone = [rule for key, rule in before.items() if key not in after]
    return [*changes, *(Change(REMOVED, rule.subject, [f"{level(rule.tier)} → {_shipped(rule)}, as built in"]) for rule in gone)]


def shown_rules(table: TrustTable) -> list[ShownRule]:
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
