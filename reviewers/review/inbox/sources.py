"""The kinds of things that can wait for a member: which rows wait, and how the inbox lists them.

Under a blind review nothing waits that the page of its item would hide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, DateTimeField, Exists, F, OuterRef, Q, QuerySet, Subquery, TextField, When
from django.db.models.functions import Cast, Greatest
from django.urls import reverse

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.texts import Surface, Text, hidden_from
from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent, Redaction
from reviewers.ledger.queries import name_of
from reviewers.review.masking.masks import names_of
from reviewers.review.models import Aside, Flag, FlagKind, LiftProposal, Mention, Phase, QueueItem, State, Submission
from reviewers.review.plans.visibility import hides_work_from, viewer_of
from reviewers.review.redaction.parts import OF_WORK
from reviewers.review.wording import turn_in_words
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.schemas.kind import SCHEMAS
from reviewers.snapshots.trust.kind import TRUST_TABLES
from reviewers.snapshots.versions.kinds import Kind


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the inbox: what waits, who caused it, since when, and the address where it is dealt with."""

    what: str
    who: str
    at: datetime | None
    address: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class InboxSource:
    """A kind of thing that waits. ``group`` is its heading, ``permission`` what somebody needs to deal with it.

    ``waiting`` returns the rows that wait for a member, and ``entries`` the lines of some of them. ``newest`` is the column of their time.
    """

    group: str
    permission: Permission
    waiting: Callable[[Membership], QuerySet[Any]]
    entries: Callable[[Sequence[Any], Membership], Iterable[Entry]]
    newest: str


CONFLICTS, APPROVALS, FLAGS, MENTIONS, SKIPS = "Conflicts", "Approvals", "Flags", "Mentions", "Skipped"
GROUPS = {
    CONFLICTS: "Labels conflict, and you did not review the answer: your decision is asked for.",
    APPROVALS: "Somebody else has proposed it. It takes effect once a second person agrees.",
    FLAGS: "A reviewer asks a lead to look. Resolve it with a note on the answer.",
    MENTIONS: "Comments that name you. Opening the answer takes them off this list.",
    SKIPS: "Answers that a reviewer has put aside.",
}
"""The groups in their order, each with what it holds."""


def _hidden_from(by: Membership) -> QuerySet[QueueItem]:
    return QueueItem.objects.filter(hides_work_from(viewer_of(by)), organisation=by.organisation_id)


def _not_hidden(by: Membership, column: str) -> Any:
    return ~Exists(_hidden_from(by).filter(pk=OuterRef(column)))


def _subject(snapshot: Snapshot, by: Membership) -> str:
    """Return the name and turn of an answer, as the member may see them."""
    names = names_of(snapshot, hidden_from(by, Surface.CONFLICTS))
    return ", ".join([each for each in (names.title, turn_in_words(snapshot.turn_index)) if each])


# Conflicts.


def _conflicts(by: Membership) -> QuerySet[Any]:
    own = Submission.objects.filter(snapshot=OuterRef("pk"), round=OuterRef("round"), reviewer=by.user_id)
    return QueueItem.objects.filter(~Exists(own), organisation=by.organisation_id, phase=Phase.CONSOLIDATING)


def _of_conflicts(rows: Sequence[QueueItem], by: Membership) -> Iterable[Entry]:
    for row in _again(QueueItem, rows, "plan", "skipped_by", "snapshot"):
        who = row.plan.name if row.plan else ""
        yield Entry("Labels conflict", who, row.submitted_at, reverse("conflict", args=[row.pk]), _subject(row.snapshot, by))


# Approvals.


_NAMES_WORK = rf'"({"|".join(sorted(OF_WORK))})\.'


def _redactions(by: Membership) -> QuerySet[Any]:
    """Return the open proposals of others. Those that name what is hidden from the member are left out, as on their own page."""
    hidden = Exists(_hidden_from(by).filter(pk=OuterRef("object_id")))
    open_ones = Redaction.objects.filter(organisation_id=by.organisation_id, decision=None).exclude(proposed_by=by.user_id)
    return open_ones.annotate(named=Cast("parts", TextField())).exclude(hidden & Q(named__regex=_NAMES_WORK))


def _of_redactions(rows: Sequence[Any], by: Membership) -> Iterable[Entry]:
    snapshots = Snapshot.objects.defer("record").in_bulk([row.object_id for row in rows])
    hidden = hidden_from(by, Surface.REDACTIONS)
    named = Redaction.objects.filter(pk__in=[row.pk for row in rows]).annotate(name=name_of("proposed_by"))
    names = dict(named.values_list("pk", "name"))
    for row in rows:
        subject = names_of(snapshots[row.object_id], hidden).title if row.object_id in snapshots else ""
        yield Entry("Redaction proposed", names[row.pk] or "somebody", row.proposed_at, reverse("redaction", args=[row.pk]), subject)


def _versions(kind: Kind) -> Callable[[Membership], QuerySet[Any]]:
    def waiting(by: Membership) -> QuerySet[Any]:
        found: QuerySet[Any] = kind.proposals.objects.filter(organisation=by.organisation_id, decision=None)
        return found.exclude(proposed_by=by.user_id)

    return waiting


def _of_versions(kind: Kind, what: str) -> Callable[[Sequence[Any], Membership], Iterable[Entry]]:
    def entries(rows: Sequence[Any], _: Membership) -> Iterable[Entry]:
        for row in _again(kind.proposals, rows, "version", "proposed_by"):
            address = reverse(kind.name, args=[row.version_id])
            yield Entry(what, row.proposed_by.name, row.proposed_at, address, f"version {kind.names(row.version).label}")

    return entries


def _liftings(by: Membership) -> QuerySet[Any]:
    return LiftProposal.objects.filter(organisation=by.organisation_id, decision=None).exclude(proposed_by=by.user_id)


def _of_liftings(rows: Sequence[Any], _: Membership) -> Iterable[Entry]:
    for row in _again(LiftProposal, rows, "hold", "proposed_by"):
        yield Entry("Lifting of a legal hold proposed", row.proposed_by.name, row.proposed_at, reverse("hold", args=[row.hold_id]))


def _again(model: Any, rows: Sequence[Any], *related: str) -> list[Any]:
    """Return rows in their order, together with those that they point to. Records of snapshots are left out."""
    records = [f"{name}__record" for name in related if name.endswith("snapshot")]
    found = model.objects.select_related(*related).defer(*records).in_bulk([row.pk for row in rows])
    return [found[row.pk] for row in rows if row.pk in found]


# Flags, mentions and skips.


def _flags(by: Membership) -> QuerySet[Any]:
    return Flag.objects.filter(_not_hidden(by, "snapshot"), organisation=by.organisation_id, resolution=None)


def _of_flags(rows: Sequence[Any], by: Membership) -> Iterable[Entry]:
    for row in _again(Flag, rows, "reviewer", "snapshot"):
        what = f"{FlagKind(row.kind).label} flagged"
        anchor = "" if row.kind == FlagKind.FINDING else "#flags"
        yield Entry(what, row.reviewer.name, row.created_at, reverse("item", args=[row.snapshot_id]) + anchor, _subject(row.snapshot, by))


def _mentions(by: Membership) -> QuerySet[Any]:
    """Return the mentions since whose comment could be seen the member has not opened the item."""
    item = "comment__snapshot__item"
    seen = Greatest("comment__written_at", Case(When(**{f"{item}__is_blind": True}, then=F(f"{item}__submitted_at"))))
    opened = AuditEvent.objects.filter(
        organisation_id=by.organisation_id,
        object_id=OuterRef("comment__snapshot"),
        occurred_at__gte=OuterRef("visible_at"),
        actor_id=by.user_id,
        action=Action.SNAPSHOT_VIEWED.value,
    )
    own = Mention.objects.filter(_not_hidden(by, "comment__snapshot"), organisation=by.organisation_id, person=by.user_id)
    return own.annotate(visible_at=Cast(seen, DateTimeField())).filter(~Exists(opened))


def _of_mentions(rows: Sequence[Any], by: Membership) -> Iterable[Entry]:
    for row in _again(Mention, rows, "comment__author", "comment__snapshot"):
        made = row.comment
        address = reverse("item", args=[made.snapshot_id]) + f"#comment-{made.pk}"
        yield Entry("You are mentioned", made.author.name, made.written_at, address, _subject(made.snapshot, by))


def _skipped(by: Membership) -> QuerySet[Any]:
    skips = AuditEvent.objects.filter(
        organisation_id=by.organisation_id, object_id=OuterRef("pk"), action=Action.REVIEW_SKIPPED.value
    ).order_by("-occurred_at")
    items = QueueItem.objects.filter(_not_hidden(by, "pk"), organisation=by.organisation_id, state=State.SKIPPED)
    return items.annotate(skipped_at=Subquery(skips.values("occurred_at")[:1]))


def _of_skipped(rows: Sequence[Any], by: Membership) -> Iterable[Entry]:
    hidden, times = hidden_from(by, Surface.QUEUE), {row.pk: row.skipped_at for row in rows}
    for row in _again(QueueItem, rows, "plan", "skipped_by", "snapshot"):
        what = "Skipped" if Text.NOTES in hidden else f"Skipped: {row.skip_reason}"
        who = row.skipped_by.name if row.skipped_by else ""
        yield Entry(what, who, times[row.pk], reverse("item", args=[row.pk]), _subject(row.snapshot, by))


def _asides(by: Membership) -> QuerySet[Any]:
    aside = Aside.objects.filter(_not_hidden(by, "item"), organisation=by.organisation_id)
    return aside.exclude(item__state=State.SUBMITTED)


def _of_asides(rows: Sequence[Any], by: Membership) -> Iterable[Entry]:
    for row in _again(Aside, rows, "reviewer", "item__snapshot"):
        subject = _subject(row.item.snapshot, by)
        yield Entry("Put aside by one of its reviewers", row.reviewer.name, row.put_at, reverse("item", args=[row.item_id]), subject)


OWN_SOURCES: Sequence[InboxSource] = (
    InboxSource(CONFLICTS, Permission.APPROVE_REVIEWS, _conflicts, _of_conflicts, "submitted_at"),
    InboxSource(APPROVALS, Permission.REDACT, _redactions, _of_redactions, "proposed_at"),
    InboxSource(APPROVALS, SCHEMAS.permission, _versions(SCHEMAS), _of_versions(SCHEMAS, "Schema proposed"), "proposed_at"),
    InboxSource(
        APPROVALS, TRUST_TABLES.permission, _versions(TRUST_TABLES), _of_versions(TRUST_TABLES, "Table of trust proposed"), "proposed_at"
    ),
    InboxSource(APPROVALS, Permission.PLACE_HOLDS, _liftings, _of_liftings, "proposed_at"),
    InboxSource(FLAGS, Permission.APPROVE_REVIEWS, _flags, _of_flags, "created_at"),
    InboxSource(MENTIONS, Permission.READ_ITEMS, _mentions, _of_mentions, "comment__written_at"),
    InboxSource(SKIPS, Permission.APPROVE_REVIEWS, _skipped, _of_skipped, "skipped_at"),
    InboxSource(SKIPS, Permission.APPROVE_REVIEWS, _asides, _of_asides, "put_at"),
)


def sources_for(by: Membership, sources: Iterable[InboxSource]) -> list[InboxSource]:
    """Return the sources that a member can deal with."""
    return [each for each in sources if may(by, each.permission)]


def key_of(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return the identifiers of rows that wait, or of their items, so that all kinds can be counted in one statement."""
    return rows.order_by().values_list("item" if rows.model is Aside else "pk")
