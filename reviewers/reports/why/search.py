"""The list of suggestions: its search form, and its pages as a search leaves them, the newest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.contrib.postgres.search import SearchQuery
from django.db.models import DateTimeField, Exists, ExpressionWrapper, F, OrderBy, OuterRef, QuerySet

from attribution import fold_words
from reviewers.accounts.models import Membership
from reviewers.accounts.texts import Text, masked
from reviewers.reports.why.queries import MOST_BESIDE, suggestions_of
from reviewers.review.models import QueueItem, State
from reviewers.review.visibility import Viewer, hides_engine_from, viewer_of
from reviewers.snapshots.lists import rows_beyond, write_key
from reviewers.snapshots.models import Snapshot
from reviewers.web.dates import DayField, end_of_day, read_page_key, start_of_day
from reviewers.web.statements import read_rows

MOST_NAMES = 3
_MOST_CANDIDATES = 100
"""The most names that are compared letter by letter: those of 200 letters take a second together."""
_NEAR = """
SELECT DISTINCT snapshot.provider FROM (
    SELECT snapshot_id FROM reports_suggestionnames
    WHERE organisation_id = %(organisation)s AND near IS NOT NULL AND near @@ reports_near_query(%(words)s, %(is_any)s) LIMIT %(most)s
) AS found JOIN snapshots_snapshot AS snapshot ON snapshot.id = found.snapshot_id
"""
"""Every provider has ``near`` once, so the most common name is one row here."""


def names_near(organisation_id: UUID, words: str) -> list[str]:
    """Return the names of providers that what was typed may mean, the nearest first: those near to all of its words, else to any.

    Where a number was typed, it is a reference that nothing has, and no name is near it.
    """
    if any(map(str.isdigit, words)):
        return []
    for is_any in (False, True):
        asked = {"organisation": organisation_id, "words": words, "is_any": is_any, "most": _MOST_CANDIDATES}
        found = [(distance_of_names(words, name), name) for (name,) in read_rows(_NEAR, asked)]
        if found:
            return [name for _, name in sorted(found)[:MOST_NAMES]]
    return []


def distance_of_names(typed: str, name: str) -> int:
    """Return the letters by which the words that were typed differ from the nearest words of a name."""
    parts = fold_words(name)
    return sum(min((distance(word, part) for part in parts), default=len(word)) for word in fold_words(typed))


def distance(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the least number of letters that are lost, added, changed, or swapped with the next one."""
    before: list[int] = []
    last = list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        line = [row]
        for column, other in enumerate(second, 1):
            least = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == second[column - 2] and first[row - 2] == other:
                least = min(least, before[column - 2] + 1)
            line.append(least)
        before, last = last, line
    return last[-1]


PAGE_SIZE = 25
_COMMON = 20_000
_COUNT = """
WITH hits AS MATERIALIZED (
    SELECT snapshot_id FROM reports_suggestionnames WHERE organisation_id = %s AND terms @@ reports_query(%s)
)
SELECT count(*) FROM (SELECT snapshot_id FROM hits LIMIT %s) AS counted
"""
"""Materialised so that PostgreSQL plans for all hits: it estimates that every prefix of a word is common."""


class NamesForm(forms.Form):
    """Names to search for. They are protected text, so they never appear in a URL."""

    words = forms.CharField(required=False, max_length=200)


class DaysForm(forms.Form):
    """The days between which an answer was given. Invalid days are ignored."""

    since = DayField(required=False)
    until = DayField(required=False)

    def day(self, name: str) -> date | None:
        """Return a day, or None if it is missing or invalid."""
        self.is_valid()
        day: date | None = self.cleaned_data.get(name)
        return day


@dataclass(frozen=True, slots=True)
class SuggestionSearch:
    """A search for suggestions: words of names, and days."""

    words: str = ""
    since: date | None = None
    until: date | None = None

    def as_data(self) -> dict[str, str]:
        """Return the days, in the form that the event of the list commits to."""
        return {name: day.isoformat() for name, day in (("since", self.since), ("until", self.until)) if day}


@dataclass(frozen=True, slots=True)
class SuggestionRow:
    """An answer in the list.

    ``is_again`` is true if the conversation named this provider before, ``has_others`` if it named another one, both as far as its first
    suggestions tell.
    """

    id: UUID
    provider: str
    client: str
    conversation: str
    turn_index: int | None
    answered_at: datetime
    is_reviewed: bool
    is_contradicted: bool
    is_again: bool
    has_others: bool


@dataclass(frozen=True, slots=True)
class SuggestionPage:
    """A page of the list, newest first. ``before`` and ``after`` are page keys, empty at either end of the list.

    ``meant`` is the provider whose suggestions it shows because nothing has the words that were typed; ``others`` may be meant, too.
    """

    rows: Sequence[SuggestionRow]
    before: str = ""
    after: str = ""
    meant: str = ""
    others: Sequence[str] = ()


class _Typed(SearchQuery):
    """A query that the database folds in the same way as the names in its index."""

    template = "reports_query(%(expressions)s)"


def _matching(organisation_id: UUID, sought: SuggestionSearch) -> QuerySet[Snapshot]:
    """Return the suggestions that match a search."""
    found = suggestions_of(organisation_id)
    if sought.since:
        found = found.filter(answered_at__gte=start_of_day(sought.since))
    if sought.until:
        found = found.filter(answered_at__lt=end_of_day(sought.until))
    if sought.words:
        found = found.filter(names__terms=_Typed(sought.words))
    return found


def find_page(by: Membership, sought: SuggestionSearch, *, after: str = "", before: str = "") -> SuggestionPage:
    """Return a page of the suggestions that match a search; if none does, of those of the provider whose name is nearest to its words."""
    page = load_page(by, sought, after=after, before=before)
    if page.rows or not sought.words or _matching(by.organisation_id, sought).exists():
        return page
    names = names_near(by.organisation_id, sought.words)
    for name in names:
        near = load_page(by, replace(sought, words=name), after=after, before=before)
        if near.rows:
            return replace(near, meant=name, others=[each for each in names if each != name])
    return replace(page, others=names)


def load_page(by: Membership, sought: SuggestionSearch, *, after: str = "", before: str = "") -> SuggestionPage:
    """Return a page of the suggestions that match a search, found by the key of the neighbouring page, so that all pages cost the same."""
    organisation_id = by.organisation_id
    key = read_page_key(after or before)
    is_back = key is not None and bool(before)
    found = rows_beyond(_matching(organisation_id, sought), key, forwards=is_back)
    if sought.words and not _is_common(organisation_id, sought.words):
        found = found.order_by(*_sorted_after(is_back=is_back))
    rows = list(_select(found, viewer_of(by))[: PAGE_SIZE + 1])
    has_more = len(rows) > PAGE_SIZE
    rows = rows[:PAGE_SIZE][::-1] if is_back else rows[:PAGE_SIZE]
    return SuggestionPage(
        rows=[_row(row) for row in rows],
        before=_key_of(rows[0]) if rows and (has_more if is_back else key) else "",
        after=_key_of(rows[-1]) if rows and (is_back or has_more) else "",
    )


def mask_page(page: SuggestionPage, hidden: frozenset[Text]) -> SuggestionPage:
    """Return the page with masks over the kinds of text that are hidden."""
    if not hidden:
        return page
    meant, *others = (masked(name, Text.PROVIDER, hidden) for name in (page.meant, *page.others))
    return replace(page, rows=[_masked(row, hidden) for row in page.rows], meant=meant, others=tuple(others))


def _masked(row: SuggestionRow, hidden: frozenset[Text]) -> SuggestionRow:
    return replace(
        row,
        provider=masked(row.provider, Text.PROVIDER, hidden),
        client=masked(row.client, Text.REFERENCES, hidden),
        conversation=masked(row.conversation, Text.REFERENCES, hidden),
    )


def _is_common(organisation_id: UUID, words: str) -> bool:
    """Return True if so many names match that reading back in time finds the latest of them sooner than the index of names."""
    ((count,),) = read_rows(_COUNT, [organisation_id, words, _COMMON + 1])
    return bool(count > _COMMON)


def _sorted_after(*, is_back: bool) -> tuple[OrderBy, str]:
    """Return a chronological order that no index provides, so that PostgreSQL sorts the few hits of the names' index."""
    moment = ExpressionWrapper(F("answered_at") + timedelta(0), output_field=DateTimeField())
    return (moment.asc(), "id") if is_back else (moment.desc(), "-id")


def _select(found: QuerySet[Snapshot], viewer: Viewer) -> QuerySet[Snapshot, dict[str, Any]]:
    same = Snapshot.objects.filter(pk__in=_first_of_conversation().values("pk"))
    earlier = same.filter(provider=OuterRef("provider"), answered_at__lt=OuterRef("answered_at"))
    return found.annotate(
        state=F("item__state"),
        guardrails=F("item__attribution__guardrails"),
        is_blind=Exists(QueueItem.objects.filter(hides_engine_from(viewer), pk=OuterRef("pk"))),
        is_again=Exists(earlier),
        has_others=Exists(same.exclude(provider=OuterRef("provider"))),
    ).values(
        "id",
        "provider",
        "client_reference",
        "conversation_id",
        "turn_index",
        "answered_at",
        "state",
        "guardrails",
        "is_blind",
        "is_again",
        "has_others",
    )


def _first_of_conversation() -> QuerySet[Snapshot]:
    """Return the first suggestions of a row's conversation, as its page lists them: programs may send any number of one conversation."""
    of_row = {name: OuterRef(OuterRef(name)) for name in ("organisation", "conversation_id")}
    found = Snapshot.objects.filter(**of_row).exclude(provider="").exclude(conversation_id="")
    return found.order_by("answered_at")[:MOST_BESIDE]


def _row(row: Mapping[str, Any]) -> SuggestionRow:
    return SuggestionRow(
        id=row["id"],
        provider=row["provider"],
        client=row["client_reference"],
        conversation=row["conversation_id"],
        turn_index=row["turn_index"],
        answered_at=row["answered_at"],
        is_reviewed=row["state"] == State.SUBMITTED,
        is_contradicted=not row["is_blind"] and "contradicted" in (row["guardrails"] or {}),
        is_again=row["is_again"],
        has_others=row["has_others"],
    )


def _key_of(row: Mapping[str, Any]) -> str:
    return write_key((row["answered_at"], row["id"]))
