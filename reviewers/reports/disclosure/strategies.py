"""Apply a report's disclosure profile: de-identify its answers, or mask their texts.

The head of the report says what is done and what is not promised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from reviewers.reports.disclosure.identifier_patterns import OLD, OLDEST
from reviewers.reports.disclosure.identifiers import (
    REMOVED,
    IdentifierKind,
    Pseudonyms,
    Replaced,
    Replacer,
    folded,
    forms_of,
    kind_of,
    known_of,
    pseudonyms_of,
)
from reviewers.reports.disclosure.profiles import WORDS, DisclosureProfile
from reviewers.reports.disclosure.rewriter import TextChange, rewrite, rewrite_end
from reviewers.reports.exports.loading import LoadedAnswer
from reviewers.reports.exports.report import Answer, Closing, Header, ReportedEvent, Requested
from reviewers.review.masking.masks import mask_key, mask_path
from reviewers.web.protected_text import MASK

_NUMBER = re.compile(r"\d{1,4}", re.ASCII)
_YEAR = re.compile(r"(?<!\d)(?:18|19|20)\d\d(?!\d)", re.ASCII)
_FIRST = "-01-01T00:00:00.000000Z"

_TITLES = {DisclosureProfile.MASKED: "Masked report", DisclosureProfile.DEIDENTIFIED: "De-identified report"}


class Deidentifying(TextChange):
    """The change that de-identifies one answer: identifiers in its record are replaced wherever they occur."""

    def __init__(
        self, record: Mapping[str, Any], names: Iterable[tuple[str, str]], people: Iterable[str], codes: Pseudonyms, year: int | None = None
    ) -> None:
        """Collect the identifiers to replace.

        ``names`` are references with their kinds, ``people`` are those who reviewed, and ``year`` is the answer's year.
        """
        self._codes, self._year = codes, year
        known: dict[str, str] = {}
        for kind, text in known_of(record):
            known.setdefault(folded(text), self._instead(kind, text))
        for name in people:
            for _, part in forms_of(IdentifierKind.PERSON, name):
                known.setdefault(folded(part), codes.code("reviewer", name))
        for reference, name in names:
            for _, text in forms_of(IdentifierKind.PERSON if reference == "provider" else IdentifierKind.NUMBER, name):
                known[folded(text)] = codes.code(reference, name)
        self._replacer = Replacer(known, year)

    def clean(self, text: str) -> Replaced:
        """Return the clean text without identifiers."""
        return self._replacer.replace(text)

    def text(self, text: str) -> str:
        """Return any other text without identifiers."""
        return self._replacer.replace(text).text

    def value(self, section: str, path: str, value: Any) -> Any:
        """Return a value of the context without identifiers."""
        del section
        return self._value(kind_of(path, value), value)

    def _value(self, kind: IdentifierKind | None, value: Any) -> Any:
        """Return the value without identifiers and in its own shape."""
        if isinstance(value, Mapping):
            return {self.text(mask_key(name)): self._value(kind or kind_of(name, each), each) for name, each in value.items()}
        if isinstance(value, list):
            return [self._value(kind, each) for each in value]
        if value is None or isinstance(value, bool) or value == "":
            return value
        if isinstance(value, str):
            return self._said(kind, value)
        return self._number(kind, value)

    def _said(self, kind: IdentifierKind | None, value: str) -> str:
        if kind in (IdentifierKind.PERSON, IdentifierKind.PLACE, IdentifierKind.NUMBER):
            return self._instead(kind, value)
        if kind is IdentifierKind.AGE:
            return OLD if any(int(each) > OLDEST for each in _NUMBER.findall(value)) else self.text(value)
        told = self.text(value)
        if kind is IdentifierKind.DATE:
            return self._date(value, told)
        return told

    def _date(self, value: str, told: str) -> str:
        """Return the year of a date, or the oldest age group if a person born then would be over 89."""
        year = _YEAR.search(told)
        if year and self._year is not None and self._year - int(year.group()) > OLDEST:
            return OLD
        return REMOVED if told == value and not _YEAR.fullmatch(value) and any(each.isdigit() for each in value) else told

    def _number(self, kind: IdentifierKind | None, value: float) -> Any:
        if kind in (IdentifierKind.PERSON, IdentifierKind.PLACE, IdentifierKind.NUMBER, IdentifierKind.DATE):
            return REMOVED
        if kind is IdentifierKind.AGE and value > OLDEST:
            return OLD
        return value if abs(value) < 1_000_000 else REMOVED

    def _instead(self, kind: IdentifierKind, text: str) -> str:
        """Return the replacement of an identifier. A person has the same code throughout."""
        return self._codes.code("person", folded(text)) if kind is IdentifierKind.PERSON else f"[{kind.value}]"

    def key(self, name: str) -> str:
        """Return the name of a section or field without identifiers."""
        return self.text(name)

    def path(self, path: str) -> str:
        """Return the path of a field; keys that are data are replaced."""
        return self.text(mask_path(path))

    def note(self, text: str) -> str:
        """Leave notes out."""
        del text
        return ""

    def reference(self, kind: str, name: str) -> str:
        """Return the code of a reference."""
        return self._codes.code(kind, name)

    def person(self, name: str) -> str:
        """Return the code of a reviewer."""
        return self._codes.code("reviewer", name)

    def identity(self, name: str) -> str:
        """Return the code of an identifier of the site's own."""
        return self._codes.identifier(name)

    def digest(self, name: str) -> str:
        """Leave digests out."""
        del name
        return ""

    def moment(self, moment: str) -> str:
        """Return the first day of the year."""
        return moment[:4] + _FIRST if moment else ""

    def events(self, events: tuple[ReportedEvent, ...]) -> tuple[ReportedEvent, ...]:
        """Leave audit events out."""
        del events
        return ()


@dataclass(frozen=True, slots=True)
class _Whole:
    """A mask over a whole text: every part of the text becomes all of the mask."""

    text: str

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the mask."""
        return (0, len(self.text)) if end > start else (len(self.text), len(self.text))

    def place(self, position: int) -> int:
        """Return the end of the mask."""
        del position
        return len(self.text)


class Masking(TextChange):
    """The change for external auditors: texts are masked, findings, labels and signatures stay."""

    def clean(self, text: str) -> _Whole:
        """Return a mask for the clean text."""
        return _Whole(self.text(text))

    def text(self, text: str) -> str:
        """Return a mask for any other text."""
        return MASK if text else ""

    def value(self, section: str, path: str, value: Any) -> Any:
        """Return a mask for a value that is not empty."""
        del section, path
        return value if value in (None, "", [], {}) else MASK

    def path(self, path: str) -> str:
        """Return the path of a field; keys that are data are masked."""
        return mask_path(path)

    def note(self, text: str) -> str:
        """Return a mask for a note."""
        return MASK if text else ""

    def statement(self, digest: str) -> str:
        """Leave the digest of what was signed out, as pages do while notes are masked."""
        del digest
        return ""

    def reference(self, kind: str, name: str) -> str:
        """Return a mask for a reference."""
        del kind
        return MASK if name else ""


def transformation_for(profile: DisclosureProfile, organisation_id: UUID) -> Callable[[Answer, LoadedAnswer], Answer]:
    """Return the function that reduces an answer to what the profile discloses."""
    if profile is DisclosureProfile.FULL:
        return lambda answer, _: answer
    if profile is DisclosureProfile.MASKED:
        return lambda answer, _: rewrite(answer, Masking())
    codes = pseudonyms_of(organisation_id)
    return lambda answer, loaded: _without_identity(answer, loaded, codes)


def apply_to_head(header: Header, profile: DisclosureProfile, organisation_id: UUID) -> Header:
    """Return the head with a statement of what was done, and without a title that could name a person or a day."""
    if profile is DisclosureProfile.FULL:
        return header
    title, words = _TITLES[profile], f"{header.reading} {WORDS[profile]}"
    facts = tuple(fact for fact in header.facts if fact[0] == "Scope")
    requested = _requested(header.requested, profile, organisation_id) if header.requested else None
    return replace(header, title=title, facts=(*facts, ("Text", profile.value)), reading=words, requested=requested)


def _requested(requested: Requested, profile: DisclosureProfile, organisation_id: UUID) -> Requested:
    """Return who asked for the report, when and why, as the profile discloses it: a reason is a note."""
    change = Masking() if profile is DisclosureProfile.MASKED else _nobody(organisation_id)
    by, at = change.person(requested.by), change.moment(requested.at)
    return replace(requested, by=by, at=at, reason=change.note(requested.reason))


def apply_to_end(closing: Closing, profile: DisclosureProfile, organisation_id: UUID) -> Closing:
    """Return the end of a report as the profile discloses it.

    De-identified reports have no receipts and checkpoints, which tell times to the second.
    """
    if profile is DisclosureProfile.FULL:
        return closing
    if profile is DisclosureProfile.MASKED:
        return rewrite_end(closing, Masking())
    return replace(rewrite_end(closing, _nobody(organisation_id)), waiting=0, checkpoints=(), receipts=())


def _nobody(organisation_id: UUID) -> Deidentifying:
    """Return the change for what is about no answer."""
    return Deidentifying({"context": {}}, (), (), pseudonyms_of(organisation_id))


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
    remarks = [*chain.from_iterable(found.remarks for found in answer.findings), *answer.flags, *answer.comments]
    yield from (name for remark in remarks for name in (remark.reviewer, remark.ended_by) if name)
