"""Where the one reading of a report meets its profile: its head, each of its answers, its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from uuid import UUID

from msgspec.structs import replace

from reviewers.reports.exporting.loading import Loaded
from reviewers.reports.exporting.model import Answer, Closing, Header
from reviewers.reports.least.deidentifying import Deidentifying
from reviewers.reports.least.masking import Masking
from reviewers.reports.least.profiles import WORDS, Profile
from reviewers.reports.least.pseudonyms import Pseudonyms, pseudonyms_of
from reviewers.reports.least.rewriting import rewrite, rewrite_end

_TITLES = {Profile.MASKED: "Masked report", Profile.DEIDENTIFIED: "De-identified report"}


def applying(profile: Profile, organisation_id: UUID) -> Callable[[Answer, Loaded], Answer]:
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


def _without_identity(answer: Answer, loaded: Loaded, codes: Pseudonyms) -> Answer:
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
