"""How far a source is to be trusted by where it comes from and how old it is, and an answer by its sources. The registry is data."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pkgutil import get_data
from typing import Any

from attribution.documents.sources import host_of
from attribution.errors import ProfileError
from attribution.model import Word
from attribution.text import fold_words

BEHIND_NAME = re.compile(r"[,:|(]| [-–—] ")
UNKNOWN = 0
"""The tier of a source whose host is in no tier."""


class TrustLevel(Word):
    """Trust in words."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True)
class Tier:
    """A kind of source: its number from 1, the most trusted, its name, and the score of a recent source, between 0 and 1."""

    number: int
    name: str
    score: float


@dataclass(frozen=True, slots=True)
class OwnRule:
    """A rule of an organisation: the tier, None for unknown, and the reason that somebody wrote beside it."""

    tier: Tier | None
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class OwnTrust:
    """An organisation's own rules by host and by folded name, and the title of their table."""

    title: str
    hosts: Mapping[str, OwnRule]
    names: Mapping[str, OwnRule]


@dataclass(frozen=True, slots=True, eq=False)
class TrustRegistry:
    """The tiers of domains and names, and how scores are made.

    ``ages`` are years and the factor of what is older, each on top. ``names`` are those of sources without a web address.
    ``own`` is asked first: a rule there counts for a host and all under it, also where ``tiers`` has a narrower one.
    """

    tiers: Mapping[str, Tier]
    unknown_score: float
    ages: tuple[tuple[int, float], ...]
    share_of_best: float
    high: float
    medium: float
    names: Mapping[str, Tier]
    own: OwnTrust | None = None

    def level(self, score: float) -> TrustLevel:
        """A score in words."""
        return TrustLevel.HIGH if score >= self.high else TrustLevel.MEDIUM if score >= self.medium else TrustLevel.LOW


@dataclass(frozen=True, slots=True)
class SourceTrust:
    """Trust in one source: its tier (0 is unknown), the score between 0 and 1, its host if the address has one, and why in one sentence.

    ``is_age_known`` is false where a source of a known tier has no day that could be read, or the answer has none; ``is_outdated`` says
    that it is older than the greatest age that counts. ``table`` is the title of the organisation's own table if a rule there decides.
    """

    tier: int
    name: str
    score: float
    host: str | None
    trace: str
    is_age_known: bool = True
    is_outdated: bool = False
    table: str = ""


@dataclass(frozen=True, slots=True)
class AnswerTrust:
    """Trust in an answer by the sources it cites; no score where it cites none. ``is_all_unknown``: no source is of a known tier."""

    score: float | None
    level: TrustLevel
    is_all_unknown: bool
    trace: str


def trust_in_source(
    address: str | None,
    published: date | None = None,
    answered_on: date | None = None,
    registry: TrustRegistry | None = None,
    *,
    name: str = "",
) -> SourceTrust:
    """Trust in a source by its address and its age on the day of the message; by its ``name`` where it has no web address.

    An address is not outdone by a name: anybody can call a page by a known name. An unknown source does
    not grow older: what nobody knows is not known less. Without either date no age is counted.
    """
    known = registry or default_trust()
    host = host_of(address) if address else None
    is_outdated = bool(published and answered_on and known.ages) and _is_older_than_all(published, answered_on, known)
    placed = _placed_by_own(known.own, host, name) or _placed(known, host, name)
    tier = placed.tier
    if tier is None:
        return SourceTrust(UNKNOWN, "unknown", known.unknown_score, host, placed.told, is_outdated=is_outdated, table=placed.table)
    is_age_known = bool(published and answered_on)
    factor, aged = 1.0, "" if is_age_known else ", its age could not be told"
    for years, each in known.ages:
        if published and answered_on and _is_older(published, answered_on, years):
            factor, aged = factor * each, f", published more than {years} years before the answer"
    score = round(tier.score * factor, 4)
    return SourceTrust(tier.number, tier.name, score, host, f"{tier.name}: {placed.told}{aged}", is_age_known, is_outdated, placed.table)


@dataclass(frozen=True, slots=True)
class _Placed:
    """The tier of a source, or None, by which host or name, and the title of the own table that says so."""

    tier: Tier | None
    told: str
    table: str = ""


def _placed_by_own(own: OwnTrust | None, host: str | None, name: str) -> _Placed | None:
    """Return the tier by an organisation's own table, or None if it has no rule for the source."""
    if own is None:
        return None
    suffix = next((each for each in _suffixes(host or "") if each in own.hosts), None)
    rule = own.hosts[suffix] if suffix is not None else None if host else own.names.get(folded_name(name))
    if rule is None:
        return None
    where = _told_of_host(host, suffix) if host and suffix is not None else f"by its name, {name[:80]}"
    says = f"the organisation’s table, {own.title}, says: {rule.reason}"
    return _Placed(rule.tier, f"{where}; {says}" if rule.tier else f"set to unknown: {where}; {says}", own.title)


def _placed(known: TrustRegistry, host: str | None, name: str) -> _Placed:
    suffix = next((each for each in _suffixes(host or "") if each in known.tiers), None)
    by_name = None if host else known.names.get(folded_name(name))
    if by_name:
        return _Placed(by_name, f"by its name, {name[:80]}")
    if host and suffix is not None:
        return _Placed(known.tiers[suffix], _told_of_host(host, suffix))
    called = f", and the name ‘{name[:80]}’ does not count beside it" if host and folded_name(name) in known.names else ""
    return _Placed(None, f"{host} is in no tier{called}" if host else "there is no web address")


def _told_of_host(host: str, suffix: str) -> str:
    return host if host == suffix else f"{host}, under {suffix}"


def trust_in_answer(sources: Sequence[SourceTrust], registry: TrustRegistry | None = None, *, failure: str = "") -> AnswerTrust:
    """Return seven parts of the best source and three of the mean of all; where no source is known, what an unknown source has.

    ``failure`` says which check a citation did not pass, if one did not: the answer's trust is low then, whatever its sources are.
    """
    known = registry or default_trust()
    if not sources:
        return AnswerTrust(None, TrustLevel.UNVERIFIED, is_all_unknown=False, trace="the answer cites no source")
    scores = [source.score for source in sources]
    mean = sum(scores) / len(scores)
    score = round(known.share_of_best * max(scores) + (1 - known.share_of_best) * mean, 4)
    is_all_unknown = all(source.tier == UNKNOWN for source in sources)
    told = ("no source is of a known tier" if is_all_unknown else _told(scores, mean)) + _told_of_ages(sources, known)
    if failure:
        return AnswerTrust(score, TrustLevel.LOW, is_all_unknown, f"{told}; low because a check failed: {failure}")
    return AnswerTrust(score, known.level(score), is_all_unknown, told)


def _told_of_ages(sources: Sequence[SourceTrust], known: TrustRegistry) -> str:
    ageless = sum(not source.is_age_known for source in sources)
    old = sum(source.is_outdated for source in sources)
    told = f"; published more than {known.ages[-1][0]} years before the answer{_of(old, len(sources))}" if old and known.ages else ""
    if ageless:
        told += "; its age could not be told" if len(sources) == 1 else f"; the age of {ageless} of {len(sources)} could not be told"
    return told


def _of(count: int, total: int) -> str:
    return "" if total == 1 else f": {count} of {total}"


def _told(scores: Sequence[float], mean: float) -> str:
    if len(scores) == 1:
        return f"the only source has {mean:.2f}"
    return f"the best of {len(scores)} has {max(scores):.2f}, their mean is {mean:.2f}"


@cache
def default_trust() -> TrustRegistry:
    """The registry that is shipped."""
    return read_trust(json.loads(get_data("attribution", "profiles/trust.json") or b""))


def read_trust(data: Mapping[str, Any]) -> TrustRegistry:
    """A registry from its data, the shape of ``profiles/trust.json``. Raises ``ProfileError`` naming what is wrong."""
    try:
        tiers = [(Tier(int(each["tier"]), str(each["name"]), _share(each["score"])), each["suffixes"]) for each in data["tiers"]]
        return TrustRegistry(
            tiers=_by_suffix(tiers),
            unknown_score=_share(data["unknown_score"]),
            ages=tuple(sorted((int(each["years"]), _share(each["factor"])) for each in data["ages"])),
            share_of_best=_share(data["share_of_best"]),
            high=_share(data["high"]),
            medium=_share(data["medium"]),
            names=_by_name([(tier, each.get("names", ())) for (tier, _), each in zip(tiers, data["tiers"], strict=True)]),
        )
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, ProfileError):
            raise
        raise ProfileError(f"trust: {type(error).__name__}: {error}") from error


def _by_suffix(tiers: Sequence[tuple[Tier, Sequence[str]]]) -> dict[str, Tier]:
    found: dict[str, Tier] = {}
    for tier, suffixes in tiers:
        for suffix in suffixes:
            if suffix in found:
                raise ProfileError(f"trust: {suffix} is in two tiers")
            found[suffix] = tier
    return found


def _by_name(tiers: Sequence[tuple[Tier, Sequence[str]]]) -> dict[str, Tier]:
    found: dict[str, Tier] = {}
    for tier, names in tiers:
        for name in map(folded_name, names):
            if not name or name in found:
                raise ProfileError(f"trust: the name ‘{name}’ is empty or in two tiers")
            found[name] = tier
    return found


def folded_name(name: str) -> str:
    """Return a name as it is looked up: what it goes by before a comma, a colon or a dash between spaces."""
    return " ".join(fold_words(BEHIND_NAME.split(name, maxsplit=1)[0]))


def _share(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise ProfileError(f"trust: {value!r} is no number between 0 and 1")
    return float(value)


def _suffixes(host: str) -> list[str]:
    """A host and the domains above it, the narrowest first: labels are compared as wholes, never a part of one."""
    labels = host.split(".")
    return [".".join(labels[first:]) for first in range(len(labels))]


def _is_older_than_all(published: date | None, answered_on: date | None, known: TrustRegistry) -> bool:
    return published is not None and answered_on is not None and _is_older(published, answered_on, known.ages[-1][0])


def _is_older(published: date, answered_on: date, years: int) -> bool:
    return (published.year + years, published.month, published.day) < (answered_on.year, answered_on.month, answered_on.day)


_ISO = re.compile(r"\s*([0-9]{4})(?:([-/.]?)([0-9]{1,2})(?:\2([0-9]{1,2}))?)?(?![0-9])")
_NUMBERS = re.compile(r"(?<![0-9])([0-9]{1,2})([/.-])([0-9]{1,2})\2([0-9]{4})(?![0-9])")
_MONTH_NAME = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_ORDINAL = r"([0-9]{1,2})(?:st|nd|rd|th)?"
_IN_WORDS = re.compile(
    rf"(?<![a-z0-9])(?:{_ORDINAL}[ ]+(?:of[ ]+)?)?{_MONTH_NAME}(?:[ ]+{_ORDINAL}(?=[, ]))?,?[ ]+([0-9]{{4}})(?![0-9])", re.IGNORECASE
)
_YEAR = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})(?![0-9])")
_EPOCH = re.compile(r"\s*([0-9]{9,10}|[0-9]{12,13})(?:\.[0-9]+)?\s*\Z")
_MILLISECONDS = 11
_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = 12
_LONGEST = 200


def day_of(written: str) -> date | None:
    """Return a whole day, or the last day of a year or month; nothing for what is none.

    Where day and month cannot be told apart, the later day counts: a source is not called older than it is. Long figures are seconds or
    milliseconds since 1970.
    """
    text = written[:_LONGEST]
    if epoch := _EPOCH.match(text):
        seconds = int(epoch[1]) // (1000 if len(epoch[1]) > _MILLISECONDS else 1)
        return datetime.fromtimestamp(seconds, UTC).date()
    if begun := _ISO.match(text):
        return _day(int(begun[1]), int(begun[3] or 0), int(begun[4] or 0))
    if found := _NUMBERS.search(text):
        first, second, year = int(found[1]), int(found[3]), int(found[4])
        days = [_day(year, month, day) for month, day in ((first, second), (second, first)) if 1 <= month <= _MONTHS]
        return max([day for day in days if day], default=_day(year, 0, 0))
    if named := _IN_WORDS.search(text):
        return _day(int(named[4]), _NAMES.index(named[2].lower()) + 1, int(named[1] or named[3] or 0))
    alone = _YEAR.search(text)
    return _day(int(alone[1]), 0, 0) if alone else None


def _day(year: int, month: int, day: int) -> date | None:
    if not year:
        return None
    if not 1 <= month <= _MONTHS:
        month, day = _MONTHS, 0
    last = (date(year, month + 1, 1) - timedelta(days=1)).day if month < _MONTHS else 31
    return date(year, month, day if 1 <= day <= last else last)
