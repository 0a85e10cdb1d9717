"""Comparison of a profile with the active one on stored answers, by looking their rows up in both tables.

Only where both have other thresholds are the answers read again, under either; nothing of that is stored.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.shortcuts import get_object_or_404
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.exceptions import AlreadyEnqueued

from attribution import FieldAttribution, canonical_bytes
from attribution.calibration import Calibration, Change, ShadowReport, ShadowRow, changes, compare, node_path, path_of_row, read_calibration
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Membership
from reviewers.calibration.fitting import SCORES
from reviewers.calibration.labels.thresholds import Thresholds, reading_profile, reads_otherwise, rows_under, thresholds_of
from reviewers.calibration.lifecycle.states import record_profile_event
from reviewers.calibration.models import BackgroundTask, CalibrationProfile, Comparison, SeenCombination, TaskKind
from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent
from reviewers.review.models import PlanItem, QueueItem, Reopening
from reviewers.review.visibility import Viewer, hides_engine_from, is_under_blind_review, viewer_of
from reviewers.web.jobs import lock_of
from reviewers.web.models import unpack

MOST_COMPARED = 10_000
"""The most answers that are compared, the newest first."""

_AT_ONCE = 500
_OF_COMPARISONS = frozenset({Action.PROFILE_COMPARED, Action.PROFILE_APPROVED})

GIVEN_UP = "The work was ended several times before it was done."

Told = Callable[[int, int], object]
"""Called with the number of answers read, and their total."""


@dataclass(frozen=True, slots=True)
class Shadow:
    """The engine's report, and the rows that cross a threshold."""

    report: ShadowReport
    changes: Sequence[Change]


class Read(NamedTuple):
    """The thresholds under which the active and the proposed profile read an answer."""

    active: Thresholds
    proposed: Thresholds


AS_STORED = Read({}, {})


def shadow(
    seen: SeenCombination,
    active: Calibration,
    proposed: Calibration,
    most: int = MOST_COMPARED,
    told: Told = lambda *_: None,
    under: Read = AS_STORED,
) -> Shadow:
    """Compare two tables on the newest answers of a combination, reporting progress every few hundred."""
    rows = list(corpus_of(seen, most, told, under))
    return Shadow(compare(rows, active, proposed), list(changes(rows, active, proposed)))


def table_of(profile: CalibrationProfile | None) -> Calibration:
    """Return a profile's table, or the scores without a profile."""
    return read_calibration(record_of(profile)) if profile else SCORES


def record_of(profile: CalibrationProfile) -> dict[str, Any]:
    """Return the record of a profile."""
    read: dict[str, Any] = unpack(profile.document)
    return read


def corpus_of(seen: SeenCombination, most: int, told: Told, under: Read) -> Iterator[ShadowRow]:
    """Yield the claiming rows of the displayed attributions, or of what is read now where profiles read ``under`` other thresholds.

    Answers under blind review are left out: leads read the total change, and could subtract the answers they know.
    """
    items = _items_of(seen).exclude(is_under_blind_review())
    newest = items.order_by("-snapshot_id").values_list("snapshot_id", "attribution__document")
    total, read = min(most, items.count()), 0
    told(0, total)
    ahead = newest
    while piece := list(ahead[: min(_AT_ONCE, total - read)]):
        if reads_otherwise(*under):
            yield from _rows_under(seen, [snapshot_id for snapshot_id, _ in piece], under)
        else:
            for snapshot_id, document in piece:
                yield from _rows_of(str(snapshot_id), bytes(document))
        read += len(piece)
        ahead = newest.filter(snapshot_id__lt=piece[-1][0])
        told(read, total)


def _items_of(seen: SeenCombination) -> QuerySet[QueueItem]:
    return QueueItem.objects.filter(
        organisation=seen.organisation_id,
        snapshot__model=seen.model,
        snapshot__prompt_version=seen.prompt_version,
        snapshot__schema_version=seen.schema_version,
        attribution__engine_version=seen.engine.partition(" ")[0],
    )


def counts_hidden(comparison: Comparison, seen: SeenCombination, viewer: Viewer) -> bool:
    """Return True if a comparison counts answers that have come under blind review since, of which the viewer may not know yet."""
    made_at = comparison.compared_at
    drawn = PlanItem.objects.filter(plan=OuterRef("plan"), item=OuterRef("pk"), added_at__gt=made_at)
    again = Reopening.objects.filter(snapshot=OuterRef("pk"), round=OuterRef("round"), reopened_at__gt=made_at)
    hidden = _items_of(seen).filter(hides_engine_from(viewer), snapshot__frozen_at__lte=made_at)
    return hidden.filter(Exists(drawn) | Exists(again)).exists()


def hidden_from(member: Membership, events: Sequence[AuditEvent]) -> set[UUID]:
    """Return the events of others that tell the figures of such comparisons."""
    viewer = viewer_of(member)
    if not viewer.may_label:
        return set()
    told = [each for each in events if each.action in _OF_COMPARISONS and each.actor_id != member.user_id]
    return {each.pk for each in told if (found := _told_of(each)) and counts_hidden(found, found.profile.combination, viewer)}


def _told_of(event: AuditEvent) -> Comparison | None:
    """Return the newest comparison of a profile at the time of an event."""
    made = Comparison.objects.filter(profile=event.object_id, compared_at__lte=event.occurred_at)
    return made.select_related("profile__combination").only("compared_at", "profile__combination").order_by("-id").first()


def _rows_of(message: str, document: bytes) -> Iterator[ShadowRow]:
    for row in unpack(document)["fields"]:
        if "method" in row:
            yield ShadowRow(message, path_of(row), float(row["score"]))


def _rows_under(seen: SeenCombination, answers: Sequence[UUID], under: Read) -> Iterator[ShadowRow]:
    """Yield the rows that claim something under the thresholds of either profile."""
    active, proposed = (rows_under(seen, answers, reading_profile(each)) for each in under)
    for (message, one), (_, other) in zip(active, proposed, strict=True):
        if one.is_used or other.is_used:
            path, score = _place(one)
            moved = _place(other)
            yield ShadowRow(message, path if one.is_used else moved[0], score, (moved[0] if other.is_used else path, moved[1]))


def _place(row: FieldAttribution) -> tuple[tuple[str, ...], float | None]:
    """Return the path of a row in a table and its score, which is nothing if the row claims nothing."""
    return path_of_row(row), row.score if row.is_used else None


def path_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the path of a stored row in a table."""
    is_ambiguous = bool(row.get("evidence", {}).get("ambiguous")) and not row["cited"]
    rule = f"{row['method']}.{row['rule']}"
    return node_path(rule, row["field_type"], row["score"], row["section"], row["path"], is_ambiguous=is_ambiguous)


def compare_profile(*, profile_id: UUID, organisation_id: UUID, now: datetime, task_id: UUID | None = None) -> Comparison:
    """Compare a profile with the active one, or with scores, on stored answers, and store the comparison; the worker does this.

    Progress is stored every few hundred answers, and the result at the end in one transaction.
    """
    profile = get_object_or_404(profiles_of(organisation_id), pk=profile_id)
    active = profile.combination.active
    asked = BackgroundTask.objects.filter(pk__in=[task_id] if task_id else [])
    found = shadow(
        profile.combination,
        table_of(active),
        table_of(profile),
        told=lambda done, total: asked.update(done=done, total=total),
        under=Read(thresholds_of(active), thresholds_of(profile)),
    )
    with transaction.atomic():
        asked.update(finished_at=now)
        return _keep(profile, active, found, now)


def newest_task(profile: CalibrationProfile) -> BackgroundTask | None:
    """Return the newest request to compare a profile."""
    return BackgroundTask.objects.filter(profile=profile, kind=TaskKind.COMPARE).order_by("-id").first()


def is_waiting(asked: BackgroundTask | None) -> bool:
    """Return True if the worker has yet to do a task. Without a job, as after its workers were killed, nobody would ever do it."""
    return asked is not None and asked.finished_at is None and has_job("background_task", asked.pk)


def has_job(argument: str, key: UUID) -> bool:
    """Return True if a job with this argument waits or runs."""
    jobs = ProcrastinateJob.objects.annotate(key=KeyTextTransform(argument, "args"))
    return bool(jobs.filter(key=str(key), status__in=("todo", "doing")).exists())


def give_up_lost_tasks(*, organisation_id: UUID, now: datetime) -> None:
    """End the tasks whose jobs are gone, so that their pages stop waiting and somebody can ask again."""
    for asked in BackgroundTask.objects.filter(organisation=organisation_id, finished_at=None):
        if not is_waiting(asked):
            BackgroundTask.objects.filter(pk=asked.pk, finished_at=None).update(refused=GIVEN_UP, finished_at=now)


def queue_comparison(profile: CalibrationProfile, now: datetime) -> None:
    """Queue the comparison of a profile, unless one is waiting already; its task shows the progress.

    It runs once the transaction is committed. An organisation has one fit or comparison at a time.
    """
    task = app.configure_task(
        "reviewers.calibration.jobs.compare", queueing_lock=f"compare {profile.pk}", lock=lock_of(profile.organisation_id)
    )
    with suppress(AlreadyEnqueued), transaction.atomic():
        asked: BackgroundTask = BackgroundTask.objects.create(
            organisation_id=profile.organisation_id,
            kind=TaskKind.COMPARE,
            combination_id=profile.combination_id,
            profile=profile,
            asked_at=now,
        )
        task.defer(profile=str(profile.pk), organisation=str(profile.organisation_id), background_task=str(asked.pk))


def _keep(profile: CalibrationProfile, active: CalibrationProfile | None, found: Shadow, now: datetime) -> Comparison:
    comparison: Comparison = Comparison.objects.create(
        organisation_id=profile.organisation_id,
        profile=profile,
        against=active,
        message_count=found.report.messages,
        changed_count=found.report.changed_messages,
        document=zlib.compress(canonical_bytes(found.report.document())),
        changes=zlib.compress(canonical_bytes(_changes(found))),
        compared_at=now,
    )
    details = {"against": active.name if active else None, "messages": comparison.message_count, "changed": comparison.changed_count}
    record_profile_event(Action.PROFILE_COMPARED, profile, SYSTEM, now, details, [comparison])
    return comparison


def newest_comparison(profile: CalibrationProfile) -> Comparison | None:
    """Return the newest comparison of a profile."""
    return Comparison.objects.filter(profile=profile).select_related("against").defer("changes").order_by("-id").first()


def profiles_of(organisation_id: UUID) -> QuerySet[CalibrationProfile]:
    """Return the profiles of an organisation with everything their state follows from, without large columns except their own record."""
    joined = ("combination__active", "parent", "labels", "proposed_by", "decision__decided_by", "retirement__retired_by", "recomputation")
    profiles = CalibrationProfile.objects.filter(organisation=organisation_id).select_related(*joined, "retirement__replaced_by")
    return profiles.defer("labels__document", "parent__document", "combination__active__document", "retirement__replaced_by__document")


def _changes(found: Shadow) -> list[list[Any]]:
    return [[each.row.message, *each.row.path, each.before, each.after] for each in found.changes]
