"""Fold the counts of the quality page, or compare them with a new count: ``manage.py rollup [--check]``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, date
from typing import Any, NamedTuple
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, transaction
from django.db.models import F

from reviewers.accounts.queries import list_organisation_ids
from reviewers.quality.jobs import fold
from reviewers.quality.models import COLOURS, FACETS, FIGURES, DayTotal, Delta
from reviewers.review.models import OTHER_NAMES, CitationLabel, CountedName, Label, Phase, QueueItem, State
from reviewers.snapshots.models import CITATION_COUNTS, CitationSearchResult, SearchOutcome
from reviewers.web.tenancy import tenant

_CHUNK = 2_000
_MOST_SHOWN = 20


class Key(NamedTuple):
    """A figure of a day, by model, prompt version and section."""

    day: date
    model: str
    prompt_version: str
    section: str
    figure: str


def differences() -> dict[Key, tuple[int, int]]:
    """Return the figures of the current organisation whose count differs from a new count, with both numbers.

    Call it in a repeatable-read transaction: otherwise answers that arrive meanwhile look like differences.
    """
    counted, there = count_kept(), count_again()
    return {key: (counted[key], there[key]) for key in sorted(counted.keys() | there.keys()) if counted[key] != there[key]}


def use_repeatable_read() -> None:
    """Make the transaction that has just begun see one moment of the database."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


def count_kept() -> Counter[Key]:
    """Return the stored counts: totals and deltas."""
    counted: Counter[Key] = Counter()
    for model in (DayTotal, Delta):
        for row in model.objects.filter(organisation=tenant.current()).iterator(_CHUNK):
            key = (row.day, row.model, row.prompt_version, row.section)
            counted.update({Key(*key, figure): getattr(row, figure) for figure in FIGURES})
    return counted


def count_again() -> Counter[Key]:
    """Count everything anew from the queue, the labels and the citation searches."""
    counted: Counter[Key] = Counter()
    apart = _read_counted_names()
    names: dict[UUID, tuple[date, str, str]] = {}
    items = QueueItem.objects.filter(organisation=tenant.current()).values(
        "pk",
        "answered_at",
        "facets",
        "citation_counts",
        "state",
        "is_blind",
        "phase",
        "attribution_id",
        "has_unsupported",
        given=F("snapshot__given_sections"),
    )
    for item in items.iterator(_CHUNK):
        name = _name(item, apart)
        names[item["pk"]] = names[item["attribution_id"]] = name
        counted.update(Key(*name, "", figure) for figure in figures_of(item))
        for figure, sections in (("answers", _values(item["facets"], "section")), ("given", item["given"] or ())):
            counted.update(Key(*name, _counted_as(apart, item["pk"], ("section", "", section)), figure) for section in sections)
    counted.update(Key(*names[pk], "", "labels") for pk in _labelled())
    counted.update(Key(*names[pk], "", "found_afterwards") for pk in _found() if pk in names)
    return counted


def figures_of(item: Mapping[str, Any]) -> Iterator[str]:
    """Yield the figures of a day that an answer counts in."""
    facets, counts = set(item["facets"]), item["citation_counts"]
    yield "answers"
    yield from (figure for figure, facet in FACETS.items() if facet in facets)
    validity = {facet for facet in facets if facet.startswith("validity:")}
    if validity - {"validity:nothing_to_cite"}:
        yield "documented"
    if validity - {"validity:red", "validity:nothing_to_cite"} and not facets & {"answer:withheld", "answer:repaired"}:
        yield "citing"
        yield from (figure for figure, count in zip(CITATION_COUNTS, counts, strict=False) for _ in range(count))
    if "answer:withheld" not in facets:
        yield from (figure for figure, facet in COLOURS.items() if facet in facets)
    if item["state"] == State.SUBMITTED:
        yield "submitted"
    if item["has_unsupported"]:
        yield "not_in_record"
    if item["is_blind"] and item["phase"] == Phase.INDEPENDENT:
        yield "blind"


def _labelled() -> Iterator[UUID]:
    """Yield the snapshot of each verdict that is in force: the newest by each person on a field or citation."""
    labels = Label.objects.filter(organisation=tenant.current()).order_by("snapshot", "reviewer", "section", "path", "-id")
    newest = labels.distinct("snapshot", "reviewer", "section", "path")
    asked = ("snapshot", "reviewer", "source", "is_own", "start", "end", "repeat")
    citations = CitationLabel.objects.filter(organisation=tenant.current()).order_by(*asked, "-id").distinct(*asked)
    for rows in (newest, citations):
        yield from (pk for pk, verdict in rows.values_list("snapshot_id", "verdict").iterator(_CHUNK) if verdict != "none")


def _found() -> set[UUID]:
    found = CitationSearchResult.objects.filter(organisation=tenant.current(), outcome=SearchOutcome.FOUND)
    return set(found.values_list("search__attribution_id", flat=True))


def _read_counted_names() -> dict[tuple[str, str, str], UUID]:
    """Return the names that are counted apart (kind, model, name), each with the first item."""
    names = CountedName.objects.filter(organisation=tenant.current())
    return {(each.kind, each.of_model, each.name): each.first_id for each in names.iterator(_CHUNK)}


def _counted_as(apart: Mapping[tuple[str, str, str], UUID], item_id: UUID, name: tuple[str, str, str]) -> str:
    first_id = apart.get(name)
    return name[-1] if not name[-1] or (first_id is not None and first_id <= item_id) else OTHER_NAMES


def _name(item: Mapping[str, Any], apart: Mapping[tuple[str, str, str], UUID]) -> tuple[date, str, str]:
    model, prompt = (next(_values(item["facets"], kind), "") for kind in ("model", "prompt"))
    counted = _counted_as(apart, item["pk"], ("model", "", model)), _counted_as(apart, item["pk"], ("combination", model, prompt))
    return (item["answered_at"].astimezone(UTC).date(), *counted)


def _values(facets: list[str], kind: str) -> Iterator[str]:
    return (facet.removeprefix(f"{kind}:") for facet in facets if facet.startswith(f"{kind}:"))


class Command(BaseCommand):
    help = "Fold the counts of the quality page into days; with --check count everything again and name what differs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="count again and compare; nothing is changed")

    def handle(self, *, check: bool, **options: Any) -> None:
        del options
        found = 0
        for organisation_id in list_organisation_ids():
            with tenant.within(organisation_id):
                found += self._check() if check else self._fold()
        if check and found:
            raise CommandError(f"{found} figures differ")
        if check:
            self.stdout.write("all figures are what there is")

    def _fold(self) -> int:
        self.stdout.write(f"{fold()} deltas folded")
        return 0

    def _check(self) -> int:
        with transaction.atomic():
            use_repeatable_read()
            found = differences()
        for key, (counted, there) in list(found.items())[:_MOST_SHOWN]:
            self.stderr.write(
                f"{key.day} {key.model!r} {key.prompt_version!r} {key.section!r} {key.figure}: counted {counted}, there are {there}"
            )
        return len(found)
