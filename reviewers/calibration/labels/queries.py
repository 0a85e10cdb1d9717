"""Reads of labels: counts by combination, audit labels of a day, reviewers' conditions, stored answers, and imported sets."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from operator import add
from typing import Any
from uuid import UUID

from django.db.models import CharField, Count, F, Q, QuerySet, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, Concat, NullIf

from attribution import MarkerStatus, fold_words
from attribution.calibration import Observation
from reviewers.accounts.models import Membership, Organisation
from reviewers.accounts.texts import NOTHING, Text, masked
from reviewers.calibration import wording
from reviewers.calibration.combinations import ENGINE, key_of
from reviewers.calibration.labels.dataset import (
    AUDITED,
    LABEL_COLUMNS,
    SettledField,
    decisions_among,
    effective_truths,
    engine_of,
    engines_of,
    submitted_labels,
)
from reviewers.calibration.models import ImportedSet, Origin, SeenCombination
from reviewers.review.agreement.queries import GateLine, gates_on
from reviewers.review.models import Label, Phase, QueueItem, State, Stream, Truth
from reviewers.snapshots.hooks import Combination
from reviewers.web.models import read_uuid, unpack

LOOKED_BACK = timedelta(days=14)

Key = tuple[Combination, str]
"""A combination and its engine."""


@dataclass(frozen=True, slots=True)
class CombinationLabels:
    """Labelled fields that may be learned from, their conversations and answers, and the recent ones. ``audited`` counts answers."""

    fields: int = 0
    conversations: int = 0
    answers: int = 0
    lately: int = 0
    audit: int = 0
    audited: int = 0
    audited_lately: int = 0

    @property
    def per_day(self) -> float:
        """Labelled fields a day, over the last two weeks."""
        return self.lately / LOOKED_BACK.days

    @property
    def audited_per_day(self) -> float:
        """Audited answers a day, over the last two weeks."""
        return self.audited_lately / LOOKED_BACK.days


def count_labels(organisation_id: UUID, now: datetime, engines: Mapping[str, str] | None = None) -> Mapping[Key, CombinationLabels]:
    """Return the counts of every combination with labels, in one query. Fields on which reviewers differ are included."""
    known = Label.objects.filter(pk__in=submitted_labels(organisation_id).values("pk"), truth__in=[Truth.USED, Truth.NOT_USED])
    seen = known.exclude(shown__has_key="planted").annotate(
        engine=KeyTextTransform("engine", "shown"), profile=KeyTextTransform("profile", "shown")
    )
    field = Concat(Cast("snapshot_id", CharField()), Value("/"), "section", Value("."), "path", output_field=CharField())
    talk = Coalesce(NullIf(F("snapshot__conversation_id"), Value("")), Cast("snapshot_id", CharField()))
    lately = Q(created_at__gte=now - LOOKED_BACK)
    rows = seen.values_list(*(f"snapshot__{name}" for name in Combination._fields), "engine", "profile").order_by()
    counted = rows.annotate(
        fields=Count(field, distinct=True),
        conversations=Count(talk, distinct=True),
        answers=Count("snapshot_id", distinct=True),
        lately=Count(field, distinct=True, filter=lately),
        audit=Count(field, distinct=True, filter=AUDITED),
        audited=Count("snapshot_id", distinct=True, filter=AUDITED),
        audited_lately=Count("snapshot_id", distinct=True, filter=AUDITED & lately),
    )
    engines = engines_of(organisation_id) if engines is None else engines
    found: dict[Key, CombinationLabels] = {}
    for model, prompt, schema, engine, profile, *counts in counted:
        key = (Combination(model, prompt, schema), engine_of({"engine": engine, "profile": profile}, engines))
        found[key] = _added(found.get(key, CombinationLabels()), CombinationLabels(*counts))
    return found


def _added(one: CombinationLabels, other: CombinationLabels) -> CombinationLabels:
    """Return the counts under two profiles of one engine together. A conversation or an answer under both counts twice."""
    return CombinationLabels(*map(add, astuple(one), astuple(other)))


_NAMES = tuple(f"snapshot__{name}" for name in Combination._fields)
_TALK = ("snapshot__item__submitted_at", "snapshot__conversation_id")


@dataclass(frozen=True, slots=True)
class Audited:
    """The audit labels of one conversation: pairs of the confidence given, and whether the answer draws on the field."""

    combination: Combination
    profile: str
    labels: tuple[tuple[float, bool], ...]


def read_audited(organisation_id: UUID, day: date) -> list[Audited]:
    """Return the audited conversations whose answers were reviewed on a day (UTC), by combination, for monitoring precision.

    The conversations of a combination are in the order of their reviews, each once for every profile that its answers were shown under.
    """
    begin = datetime.combine(day, time(), UTC)
    audited = Q(
        snapshot__item__plan__stream=Stream.AUDIT,
        snapshot__item__state=State.SUBMITTED,
        snapshot__item__submitted_at__gte=begin,
        snapshot__item__submitted_at__lt=begin + timedelta(days=1),
    )
    labels = submitted_labels(organisation_id).filter(audited, shown__calibrated=True)
    rows = labels.values(*LABEL_COLUMNS, *_NAMES, *_TALK)
    settled = _claimed(effective_truths(sorted(rows, key=_label_place), decisions_among(organisation_id, audited)))
    found = sorted(_conversations(sorted(settled, key=_place)), key=lambda each: (each[1].combination, each[0]))
    return [each for _, each in found]


def _label_place(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["snapshot"], row["section"], row["path"]


def _claimed(settled: Iterable[SettledField]) -> list[SettledField]:
    """Return the fields with a confidence; it equals the score if no label says anything about the rule."""
    shown = ((each, each.labels[0]["shown"]) for each in settled)
    return [each for each, its in shown if its["track"] != "neither" and its["confidence"] != its["score"]]


def _place(each: SettledField) -> tuple[Any, ...]:
    """Return the sort key of a field: its combination's names, profile and conversation, then the field."""
    row = each.labels[0]
    talk = row["snapshot__conversation_id"] or str(row["snapshot"])
    return (*(row[name] for name in _NAMES), row["shown"]["profile"], talk, *each.place)


def _conversations(settled: Iterable[SettledField]) -> Iterator[tuple[datetime, Audited]]:
    """Yield each conversation with the time of its first review."""
    for (*names, profile, _), group in groupby(settled, key=lambda each: _place(each)[:5]):
        its = list(group)
        labels = tuple((float(each.labels[0]["shown"]["confidence"]), each.is_used) for each in its)
        yield min(each.labels[0]["snapshot__item__submitted_at"] for each in its), Audited(Combination(*names), profile, labels)


def reviewer_conditions(seen: SeenCombination, by: Membership) -> list[GateLine]:
    """Return the conditions on reviewers of a combination's answers, in two queries: that they agree, and notice what is wrong.

    Results about control rows are only for members who see everybody's work.
    """
    names = {f"snapshot__{name}": value for name, value in key_of(seen)._asdict().items()}
    return gates_on(QueueItem.objects.filter(organisation=seen.organisation_id, **names).exclude(phase=Phase.INDEPENDENT), by)


_SHARE = re.compile(r"(\d+) of (\d+) content words")
_AT_ONCE = 500


def words_per_marker(observations: Iterable[Observation]) -> Mapping[str, float]:
    """Return, by message, the number of words of the clean answer to a marker, as the engine counts both.

    A single marker is infinitely sparse, however short the answer is, as for the engine.
    """
    return {message: _words_per_marker(document) for message, document in _documents(observations)}


def shares(observations: Iterable[Observation]) -> Mapping[str, float]:
    """Return, by label, the share of a long text's words that the answer has. It is read from the trace, as scores are capped."""
    its = list(observations)
    wanted = {(each.message, each.section, each.path): each.id for each in its}
    found = {}
    for message, document in _documents(its):
        for row in document["fields"]:
            name = wanted.get((message, row["section"], row["path"]))
            counted = _SHARE.match(row.get("trace") or "")
            if name and counted:
                found[name] = int(counted[1]) / int(counted[2])
    return found


def answers_of(observations: Iterable[Observation]) -> set[UUID]:
    """Return the snapshots that labels are on. Those of an export have names from another site, which may be anything."""
    return {number for each in observations if (number := read_uuid(each.message))}


def hidden_answers(messages: Iterable[str], hides: Q) -> frozenset[str]:
    """Return those messages of labels that are answers which a condition hides."""
    named = {message: number for message in messages if (number := read_uuid(message))}
    hidden = set(QueueItem.objects.filter(hides, pk__in=set(named.values())).values_list("pk", flat=True))
    return frozenset(message for message, number in named.items() if number in hidden)


def _words_per_marker(document: Mapping[str, Any]) -> float:
    count = sum(marker["status"] != MarkerStatus.MALFORMED for marker in document["markers"])
    return len(fold_words(document["clean_text"])) / count if count > 1 else math.inf


def _documents(observations: Iterable[Observation]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the displayed attribution of each answer, a batch at a time."""
    answers = sorted(answers_of(observations))
    for begin in range(0, len(answers), _AT_ONCE):
        items = QueueItem.objects.filter(pk__in=answers[begin : begin + _AT_ONCE])
        for snapshot_id, document in items.values_list("snapshot_id", "attribution__document"):
            yield str(snapshot_id), unpack(document)


@dataclass(frozen=True, slots=True)
class ImportRow:
    """An imported set. ``who`` is empty if a command imported it."""

    id: UUID
    combination_id: UUID
    combination: str
    kind: str
    source: str
    digest: str
    labels: int
    conversations: int
    who: str
    at: datetime


def list_imports(organisation: Organisation, seen: SeenCombination | None = None, hidden: frozenset[Text] = NOTHING) -> Sequence[ImportRow]:
    """Return the sets of an organisation or of one of its combinations, the newest first, in one query. A source is a note."""
    sets = ImportedSet.objects.filter(organisation=organisation, combination__engine=ENGINE)
    found = (sets.filter(combination=seen) if seen else sets).select_related("imported_by", "combination")
    rows = [_row(each) for each in found.defer("document").order_by("-id")]
    return [replace(row, source=masked(row.source, Text.NOTES, hidden)) for row in rows]


MOST_OFFERED = 500
"""Combinations that a form offers: programs may name as many as they send answers."""


def combinations_of(organisation: Organisation) -> QuerySet[SeenCombination]:
    """Return the combinations that imported turns may be assigned to."""
    return SeenCombination.objects.filter(organisation=organisation, engine=ENGINE)


def offered_combinations(organisation: Organisation) -> list[SeenCombination]:
    """Return the combinations that a form offers, by name: those with a profile, and those that were seen first."""
    found = combinations_of(organisation).order_by(F("active").asc(nulls_last=True), "first_seen_at")[:MOST_OFFERED]
    return sorted(found, key=key_of)


def _row(each: ImportedSet) -> ImportRow:
    return ImportRow(
        id=each.pk,
        combination_id=each.combination_id,
        combination=wording.combination_in_words(each.combination.model, each.combination.prompt_version),
        kind=Origin(each.origin).label,
        source=each.source,
        digest=f"sha256:{bytes(each.digest).hex()}",
        labels=each.label_count,
        conversations=each.conversation_count,
        who=each.imported_by.name if each.imported_by else "",
        at=each.imported_at,
    )
