"""An answer of a report without what says of whom it is. What is done is said in the report's head, and so is what is not promised."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from reviewers.reports.disclosure.identifier_patterns import OLD, OLDEST
from reviewers.reports.disclosure.identifiers import (
    REMOVED,
    Kind,
    Pseudonyms,
    Replaced,
    Replacer,
    folded,
    forms_of,
    kind_of,
    known_of,
    pseudonyms_of,
)
from reviewers.reports.disclosure.profiles import WORDS, Profile
from reviewers.reports.disclosure.rewriter import rewrite, rewrite_end
from reviewers.reports.exports.loading import LoadedAnswer
from reviewers.reports.exports.report import Answer, Closing, Header, ReportedEvent
from reviewers.review.masking.masks import mask_key, mask_path
from reviewers.web.masks import MASK

_NUMBER = re.compile(r"\d{1,4}", re.ASCII)
_YEAR = re.compile(r"(?<!\d)(?:18|19|20)\d\d(?!\d)", re.ASCII)
_FIRST = "-01-01T00:00:00.000000Z"


class Deidentifying:
    """The change, for one answer: what its record holds as an identifier is replaced wherever it stands."""

    def __init__(
        self, record: Mapping[str, Any], names: Iterable[tuple[str, str]], people: Iterable[str], codes: Pseudonyms, year: int | None = None
    ) -> None:
        """``names`` are references by their kinds, ``people`` those who reviewed; ``year`` is that of the answer."""
        self._codes, self._year = codes, year
        known: dict[str, str] = {}
        for kind, text in known_of(record):
            known.setdefault(folded(text), self._instead(kind, text))
        for name in people:
            for _, part in forms_of(Kind.PERSON, name):
                known.setdefault(folded(part), codes.code("reviewer", name))
        for reference, name in names:
            for _, text in forms_of(Kind.PERSON if reference == "provider" else Kind.NUMBER, name):
                known[folded(text)] = codes.code(reference, name)
        self._replacer = Replacer(known, year)

    def clean(self, text: str) -> Replaced:
        """The clean text."""
        return self._replacer.replace(text)

    def text(self, text: str) -> str:
        """Any other text."""
        return self._replacer.replace(text).text

    def value(self, section: str, path: str, value: Any) -> Any:
        """A value of the record."""
        del section
        return self._value(kind_of(path, value), value)

    def _value(self, kind: Kind | None, value: Any) -> Any:
        """The value, its shape kept."""
        if isinstance(value, Mapping):
            return {self.text(mask_key(name)): self._value(kind or kind_of(name, each), each) for name, each in value.items()}
        if isinstance(value, list):
            return [self._value(kind, each) for each in value]
        if value is None or isinstance(value, bool) or value == "":
            return value
        if isinstance(value, str):
            return self._said(kind, value)
        return self._number(kind, value)

    def _said(self, kind: Kind | None, value: str) -> str:
        if kind in (Kind.PERSON, Kind.PLACE, Kind.NUMBER):
            return self._instead(kind, value)
        if kind is Kind.AGE:
            return OLD if any(int(each) > OLDEST for each in _NUMBER.findall(value)) else self.text(value)
        told = self.text(value)
        if kind is Kind.DATE:
            return self._date(value, told)
        return told

    def _date(self, value: str, told: str) -> str:
        """The year of a date; not that either where somebody of that day would be older than all years that may be told."""
        year = _YEAR.search(told)
        if year and self._year is not None and self._year - int(year.group()) > OLDEST:
            return OLD
        return REMOVED if told == value and not _YEAR.fullmatch(value) and any(each.isdigit() for each in value) else told

    def _number(self, kind: Kind | None, value: float) -> Any:
        if kind in (Kind.PERSON, Kind.PLACE, Kind.NUMBER, Kind.DATE):
            return REMOVED
        if kind is Kind.AGE and value > OLDEST:
            return OLD
        return value if abs(value) < 1_000_000 else REMOVED

    def _instead(self, kind: Kind, text: str) -> str:
        """What stands in the place of a name: a person is the same person throughout."""
        return self._codes.code("person", folded(text)) if kind is Kind.PERSON else f"[{kind.value}]"

    def key(self, name: str) -> str:
        """The name of a section or a field."""
        return self.text(name)

    def path(self, path: str) -> str:
        """The path of a field: keys that are data are codes."""
        return self.text(mask_path(path))

    def note(self, text: str) -> str:
        """What a reviewer wrote."""
        del text
        return ""

    def reference(self, kind: str, name: str) -> str:
        """What somebody or something is called."""
        return self._codes.code(kind, name)

    def person(self, name: str) -> str:
        """A reviewer."""
        return self._codes.code("reviewer", name)

    def identity(self, name: str) -> str:
        """An identifier of the site’s own."""
        return self._codes.identifier(name)

    def digest(self, name: str) -> str:
        """A digest."""
        del name
        return ""

    def moment(self, moment: str) -> str:
        """A moment."""
        return moment[:4] + _FIRST if moment else ""

    def events(self, events: tuple[ReportedEvent, ...]) -> tuple[ReportedEvent, ...]:
        """What the ledger holds."""
        del events
        return ()


# Masks over all texts of a report, for auditors from outside: what was found, said and signed stays.


@dataclass(frozen=True, slots=True)
class _Whole:
    """A mask: whatever stood in the text stands on all of it."""

    text: str

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a part is now."""
        return (0, len(self.text)) if end > start else (len(self.text), len(self.text))

    def place(self, position: int) -> int:
        """Where a position is now."""
        del position
        return len(self.text)


class Masking:
    """The change."""

    def clean(self, text: str) -> _Whole:
        """The clean text."""
        return _Whole(self.text(text))

    def text(self, text: str) -> str:
        """Any other text."""
        return MASK if text else ""

    def value(self, section: str, path: str, value: Any) -> Any:
        """A value of the record."""
        del section, path
        return value if value in (None, "", [], {}) else MASK

    def key(self, name: str) -> str:
        """The name of a section or a field."""
        return name

    def path(self, path: str) -> str:
        """The path of a field; keys that are data are masked."""
        return mask_path(path)

    def note(self, text: str) -> str:
        """What a reviewer wrote."""
        return MASK if text else ""

    def reference(self, kind: str, name: str) -> str:
        """What somebody or something is called."""
        del kind
        return MASK if name else ""

    def person(self, name: str) -> str:
        """A reviewer."""
        return name

    def identity(self, name: str) -> str:
        """An identifier of the site’s own."""
        return name

    def digest(self, name: str) -> str:
        """A digest."""
        return name

    def moment(self, moment: str) -> str:
        """A moment."""
        return moment

    def events(self, events: tuple[ReportedEvent, ...]) -> tuple[ReportedEvent, ...]:
        """What the ledger holds."""
        return events


# Where the one reading of a report meets its profile: its head, each of its answers, its end.


_TITLES = {Profile.MASKED: "Masked report", Profile.DEIDENTIFIED: "De-identified report"}


def transformation_for(profile: Profile, organisation_id: UUID) -> Callable[[Answer, LoadedAnswer], Answer]:
    """What makes of an answer as much as the profile tells; with ``Profile.FULL`` it is what was read."""
    if profile is Profile.FULL:
        return lambda answer, _: answer
    if profile is Profile.MASKED:
        return lambda answer, _: rewrite(answer, Masking())
    codes = pseudonyms_of(organisation_id)
    return lambda answer, loaded: _without_identity(answer, loaded, codes)


def apply_to_head(header: Header, profile: Profile) -> Header:
    """The head: what was done is said in it, and a title that names somebody or a day is another one."""
    if profile is Profile.FULL:
        return header
    title, words = _TITLES[profile], f"{header.reading} {WORDS[profile]}"
    facts = tuple(fact for fact in header.facts if fact[0] == "Scope")
    return replace(header, title=title, facts=(*facts, ("Text", profile.value)), reading=words)


def apply_to_end(closing: Closing, profile: Profile, organisation_id: UUID) -> Closing:
    """The end. Receipts and checkpoints tell when something was, to the second."""
    if profile is Profile.FULL:
        return closing
    if profile is Profile.MASKED:
        return rewrite_end(closing, Masking())
    nobody = Deidentifying({"context": {}}, (), (), pseudonyms_of(organisation_id))
    return replace(rewrite_end(closing, nobody), waiting=0, checkpoints=(), receipts=())


def _without_identity(answer: Answer, loaded: LoadedAnswer, codes: Pseudonyms) -> Answer:
    people = dict.fromkeys([*(each.name for each in loaded.reviews), *_people_of(answer)])
    names = [
        ("answer", answer.external_id),
        ("conversation", answer.conversation),
        ("client", answer.client),
        ("provider", answer.provider),
    ]
    year = int(answer.answered_at[:4]) if answer.answered_at else None
    told = rewrite(answer, Deidentifying(loaded.item.record, names, people, codes, year))
    return replace(told, documents=tuple([replace(each, address="") for each in told.documents]))


def _people_of(answer: Answer) -> Iterator[str]:
    yield from (each.printed_name for each in answer.signatures)
    yield from (each.by for each in answer.decisions if each.by)
    yield from (each.by for each in answer.holds)
    yield from (remark.reviewer for found in answer.findings for remark in found.remarks)
