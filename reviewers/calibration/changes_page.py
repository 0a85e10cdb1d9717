"""The answers whose rows cross a threshold under a proposed profile: these are the ones to look at before it is approved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q

from reviewers.accounts.models import Membership
from reviewers.accounts.texts import Surface, Text, hidden_from, name_instead
from reviewers.calibration import words
from reviewers.calibration.comparing import newest_comparison
from reviewers.calibration.models import CalibrationProfile
from reviewers.calibration.profile_page import changes_of
from reviewers.review.models import QueueItem
from reviewers.review.plans.visibility import hides_engine_from, viewer_of

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A row of an answer, and its number before and after."""

    item_id: UUID
    answer: str
    rule: str
    field: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """A page of those that whoever looks may know. ``is_part`` says that answers they review blind are left out."""

    profile: CalibrationProfile
    key: str
    method: str
    rows: Sequence[ChangeRow]
    count: int
    is_part: bool
    number: int
    earlier: int
    later: int


def build_changes(profile: CalibrationProfile, by: Membership, method: str, asked: str) -> ChangesPage:
    """Page ``asked``, from 1, of the changes of a method or of all."""
    comparison = newest_comparison(profile)
    found = changes_of(comparison) if comparison else []
    wanted = [each for each in found if not method or each[1].partition(".")[0] == method]
    viewer_hides = hides_engine_from(viewer_of(by))
    names = _names(by, {each[0] for each in wanted}, viewer_hides)
    wanted = [each for each in wanted if each[0] in names]
    number = min(max(int(asked) if asked.isdecimal() and len(asked) < 9 else 1, 1), max(1, -(-len(wanted) // PAGE_SIZE)))
    part = wanted[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    return ChangesPage(
        profile=profile,
        key=method,
        method=words.METHODS.get(method, method),
        rows=list(_rows(part, names)),
        count=len(wanted),
        is_part=QueueItem.objects.filter(viewer_hides, organisation=by.organisation_id).exists(),
        number=number,
        earlier=number - 1,
        later=number + 1 if number * PAGE_SIZE < len(wanted) else 0,
    )


def _names(by: Membership, messages: Iterable[str], hidden: Q) -> Mapping[str, str]:
    """The answers among these of which the member may know what the engine says."""
    own = QueueItem.objects.filter(organisation=by.organisation_id, pk__in=list(messages)).exclude(hidden)
    names = own.values_list("pk", "snapshot__conversation_id", "snapshot__external_id")
    is_masked = Text.REFERENCES in hidden_from(by, Surface.CHANGES)
    return {str(pk): name_instead(pk) if is_masked else conversation or external for pk, conversation, external in names}


def _rows(part: Iterable[Sequence[Any]], names: Mapping[str, str]) -> Iterable[ChangeRow]:
    for message, rule, _, field, before, after in part:
        yield ChangeRow(UUID(message), names[message], words.rule_in_words(rule), field, before, after)
