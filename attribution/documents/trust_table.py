"""An organisation's own table of trust: plain text with a rule a line, read with all its faults, and asked before the shipped registry.

A line is ``host or name, level, reason``; one that begins with ``#`` is a remark. A host counts for everything under it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from attribution.documents.sources import host_of
from attribution.documents.trust import BEHIND_NAME, UNKNOWN, OwnRule, OwnTrust, TrustRegistry, default_trust, folded_name
from attribution.errors import TrustTableError

LARGEST_TABLE = 256 * 1024
"""Bytes of a table."""
MOST_RULES = 2_000
LONGEST_SUBJECT = 200
LONGEST_REASON = 300
_MOST_TOLD = 200
_LONGEST_QUOTED = 60
_PARTS = 3
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ADDRESS = re.compile(r"[/\\@?#*:]")
_LEVEL = re.compile(r"(?:tier )?([0-9]+)|unknown", re.IGNORECASE)


class TrustRule(NamedTuple):
    """A rule: its line, the host or the folded name that it is about (a dotted name is both), and its tier, 0 for unknown."""

    line: int
    subject: str
    host: str
    name: str
    tier: int
    reason: str


@dataclass(frozen=True, slots=True)
class TrustTable:
    """The rules of a table, in its order."""

    rules: tuple[TrustRule, ...]


def read_trust_table(content: bytes) -> TrustTable:
    """Return the rules of a table, written in UTF-8. Raise ``TrustTableError`` with each line that is wrong, and the reason."""
    reader = _Reader()
    rules = reader.read(_decoded(content))
    if reader.problems:
        raise TrustTableError(reader.told())
    return TrustTable(tuple(rules))


def lines_of_table(content: bytes) -> list[str]:
    """Return the lines of a table, without spaces around them and without a mark of their order of bytes."""
    text = content.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return [line.strip() for line in text.rstrip().split("\n")]


def with_own_table(table: TrustTable, title: str, registry: TrustRegistry | None = None) -> TrustRegistry:
    """Return a registry that asks a table first. ``title`` names the table where a level comes from it."""
    known = registry or default_trust()
    tiers = {tier.number: tier for tier in known.tiers.values()}
    rules = [(rule, OwnRule(tiers.get(rule.tier), rule.reason)) for rule in table.rules]
    hosts = {rule.host: own for rule, own in rules if rule.host}
    return replace(known, own=OwnTrust(title, hosts, {rule.name: own for rule, own in rules if rule.name}))


def _decoded(content: bytes) -> Sequence[str]:
    if len(content) > LARGEST_TABLE:
        raise TrustTableError([(0, f"the table is larger than {LARGEST_TABLE // 1024} KB")])
    if not content.removeprefix(b"\xef\xbb\xbf").strip():
        raise TrustTableError([(0, "the table is empty; one without rules needs at least a remark, which begins with #")])
    try:
        return lines_of_table(content)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise TrustTableError([(line, "is not text in UTF-8")]) from error


class _Reader:
    """Reads lines and collects what is wrong with them."""

    def __init__(self) -> None:
        self.problems: list[tuple[int, str]] = []
        self._lines: dict[tuple[str, str], int] = {}
        self._numbers = sorted({tier.number for tier in default_trust().tiers.values()})

    def read(self, lines: Iterable[str]) -> list[TrustRule]:
        """Return the rules that can be read."""
        numbered = list(enumerate(lines, start=1))
        self.problems += [
            (number, "the remark has a tab or another character that is no text")
            for number, line in numbered
            if line.startswith("#") and _CONTROLS.search(line)
        ]
        written = [(number, line) for number, line in numbered if line and not line.startswith("#")]
        if len(written) > MOST_RULES:
            self.problems.append((0, f"the table has {len(written):,} rules; {MOST_RULES:,} are the most"))
            written = written[:MOST_RULES]
        return [rule for number, line in written if (rule := self._rule(number, line))]

    def told(self) -> list[tuple[int, str]]:
        """Return the problems, and where there are very many, the number of the others."""
        more = len(self.problems) - _MOST_TOLD
        told = sorted(self.problems, key=lambda each: each[0])
        return [*told[:_MOST_TOLD], *([(0, f"{more:,} further faults are not listed")] if more > 0 else [])]

    def _rule(self, number: int, line: str) -> TrustRule | None:
        parts = [part.strip() for part in line.split(",", _PARTS - 1)]
        if len(parts) < _PARTS:
            self.problems.append((number, "needs three parts with commas between them: host or name, level, reason"))
            return None
        subject, level, reason = parts
        tier = self._tier(level)
        faults = [*_faults_of_subject(subject), *([] if tier is not None else [self._known_levels(level)]), *_faults_of_reason(reason)]
        host, name = ("", "") if faults else _read_subject(subject)
        faults += [] if faults else self._again(number, host, name)
        self.problems += [(number, fault) for fault in faults]
        return None if faults else TrustRule(number, subject, host, name, tier or UNKNOWN, reason)

    def _tier(self, level: str) -> int | None:
        found = _LEVEL.fullmatch(level)
        number = int(found[1][:9]) if found and found[1] else UNKNOWN
        return number if found and number in (UNKNOWN, *self._numbers) and found[1] != "0" else None

    def _known_levels(self, level: str) -> str:
        written = f"‘{_quoted(level)}’ is no level" if level else "has no level"
        return f"{written}: write {', '.join(map(str, self._numbers))} or unknown"

    def _again(self, number: int, host: str, name: str) -> Iterator[str]:
        for key in (("host", host), ("name", name)):
            if key[1] and (before := self._lines.setdefault(key, number)) != number:
                yield f"‘{_quoted(key[1])}’ has a rule already, in line {before}"
                return


def _faults_of_subject(subject: str) -> Iterator[str]:
    if not subject:
        yield "has no host or name"
    elif len(subject) > LONGEST_SUBJECT:
        yield f"the host or name has {len(subject):,} characters; {LONGEST_SUBJECT} are the most"
    elif _CONTROLS.search(subject):
        yield "the host or name has a tab or another character that is no text"
    elif _is_host(subject):
        yield from _faults_of_host(subject)
    elif BEHIND_NAME.search(subject):
        yield f"a name counts up to its first colon, bracket or dash: write ‘{_quoted(BEHIND_NAME.split(subject, maxsplit=1)[0].strip())}’"
    elif not folded_name(subject):
        yield f"‘{_quoted(subject)}’ has no word in it"


def _faults_of_host(subject: str) -> Iterator[str]:
    host = host_of(f"https://{subject.removeprefix('.')}/") if not _ADDRESS.search(subject) else None
    if host is None:
        alone = host_of(subject.removeprefix("*.")) or "fda.gov"
        yield f"‘{_quoted(subject)}’ is no host: write it alone, such as {_quoted(alone.removeprefix('www.'))}"
    elif host.startswith("www."):
        yield f"write {_quoted(host.removeprefix('www.'))}, which counts for {_quoted(host)} as well"


def _faults_of_reason(reason: str) -> Iterator[str]:
    if not reason:
        yield "has no reason"
    elif len(reason) > LONGEST_REASON:
        yield f"the reason has {len(reason):,} characters; {LONGEST_REASON} are the most"
    elif _CONTROLS.search(reason):
        yield "the reason has a tab or another character that is no text"


def _is_host(subject: str) -> bool:
    """Return True for one word with a dot or a slash in it. A name with spaces may have a dot: U.S. Food and Drug Administration."""
    return not re.search(r"\s", subject) and ("." in subject or "/" in subject)


def _read_subject(subject: str) -> tuple[str, str]:
    """Return the host and the name of a subject; a host is a name as well, for a source that goes by it and has no address."""
    if not _is_host(subject):
        return "", folded_name(subject)
    return host_of(f"https://{subject.removeprefix('.')}/") or "", "" if subject.startswith(".") else folded_name(subject)


def _quoted(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTED else text[:_LONGEST_QUOTED] + "…"
