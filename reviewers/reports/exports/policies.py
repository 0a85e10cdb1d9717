"""Policies of exports: which ones can be made, who may download them, and which are hidden while a blind review goes on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, Func, OuterRef, QuerySet, TextField, UUIDField
from django.db.models.functions import Cast

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.policies import Invalid, Refused
from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent
from reviewers.reports.disclosure.profiles import DisclosureProfile
from reviewers.reports.exports.formats.registry import FORMATS
from reviewers.reports.exports.scope import read_scope
from reviewers.reports.models import Export, ExportResult
from reviewers.review.models import QueueItem
from reviewers.review.visibility import hides_work_from, viewer_of


def check_may_export(count: int, form: str) -> None:
    """Raise ``Invalid`` if there are more answers than the format can hold. A report of no answers is allowed, and says so."""
    most = FORMATS[form].most
    if most is not None and count > most:
        raise Invalid(
            f"{FORMATS[form].label} holds at most {most:,} answers, and these are {count:,}. Choose fewer days, CSV or JSON lines."
        )


MOST_WAITING = 20
"""The reports of a member that wait for the worker: it writes those of an organisation one after the other."""


def check_has_room(by: Membership) -> None:
    """Raise ``Refused`` if so many reports of a member wait that another would be made much later."""
    if Export.objects.filter(organisation=by.organisation_id, asked_by=by.user_id, result=None).count() >= MOST_WAITING:
        raise Refused(f"{MOST_WAITING} of your reports wait to be made. Ask again when some of them are there.")


def check_may_take(export: Export, by: Membership) -> None:
    """Raise ``Refused`` if the file may show more than the member may know."""
    if not may_take(export, by):
        raise Refused("Somebody else asked for this report. It may show labels that you may not know yet.")


def may_take(export: Export, by: Membership) -> bool:
    """Return True if a member may download the file.

    The member who requested it may, and so may members who do not label, because they may know everything that is submitted. External
    auditors may only download masked reports.
    """
    return not names_masked_text(export, by) and (export.asked_by_id == by.user_id or not may(by, Permission.LABEL_ITEMS))


def names_masked_text(export: Export, by: Membership) -> bool:
    """Return True if a report has text that is masked for a member, who could also test guesses at it by the digest of the file."""
    return by.is_external and read_scope(export.scope).profile is not DisclosureProfile.MASKED


def withheld_among(by: Membership, export_ids: Collection[UUID]) -> frozenset[UUID]:
    """Return the exports that others requested and that have answers whose work is hidden from a member.

    Somebody who knows the rest of a report could test guesses at the hidden part by its digest or its length alone.
    """
    viewer = viewer_of(by)
    if not export_ids or not viewer.may_label:
        return frozenset()
    hidden = QueueItem.objects.filter(hides_work_from(viewer), organisation=by.organisation_id)
    others = ExportResult.objects.filter(organisation=by.organisation_id, export__in=export_ids).exclude(export__asked_by=by.user_id)
    return frozenset(others.filter(has_any_of(hidden)).values_list("export_id", flat=True))


def has_any_of(answers: QuerySet[Any]) -> Exists:
    """Return the condition that the result of an export has one of these answers.

    Those of the result are looked up among them: PostgreSQL compares each element of two lists with each, which takes minutes.
    """
    each = Cast(Func(F("snapshots"), function="unnest", output_field=TextField()), UUIDField())
    its = ExportResult.objects.filter(pk=OuterRef(OuterRef("pk"))).annotate(answer=each)
    return Exists(answers.filter(pk__in=its.values("answer")))


def hidden_from(member: Membership, events: Sequence[AuditEvent]) -> set[UUID]:
    """Return the events of making such reports, which tell the size of the file."""
    made = {each.pk: each.object_id for each in events if each.action == Action.REPORT_MADE}
    withheld = withheld_among(member, set(made.values()))
    return {pk for pk, export_id in made.items() if export_id in withheld}
