"""The inbox of a member: the kinds of things that can wait, how its page lists them, and how much waits.

Under a blind review nothing waits that the page of its item would hide. The statements are SQL, because every page with the navigation
counts what waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import MemberRequest, Permission, may, requires
from reviewers.accounts.texts import Surface, Text, hidden_from
from reviewers.ledger.events import Action
from reviewers.ledger.models import Redaction
from reviewers.ledger.queries import name_of
from reviewers.review.hooks import inbox_sources
from reviewers.review.masking.masks import names_of
from reviewers.review.models import Aside, Flag, FlagKind, LiftProposal, Mention, QueueItem
from reviewers.review.redaction.parts import TELLING_OF_WORK
from reviewers.review.visibility import HIDES_WORK, viewer_of
from reviewers.review.wording import turn_in_words
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.versions.kinds import VersionKind
from reviewers.snapshots.versions.schemas import SCHEMAS
from reviewers.snapshots.versions.trust import TRUST_TABLES
from reviewers.web.tenancy import tenant


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """A line of the inbox: what waits, who caused it, since when, and the address where it is dealt with."""

    what: str
    who: str
    at: datetime | None
    address: str
    subject: str = ""


class Waiting(NamedTuple):
    """A row that waits: its key, and since when."""

    pk: Any
    at: datetime | None


@dataclass(frozen=True, slots=True)
class InboxSource:
    """A kind of thing that waits. ``group`` is its heading, ``permission`` what somebody needs to deal with it.

    ``waiting`` is a statement that selects the key and the time of what waits for ``%(person)s`` in ``%(organisation)s``; ``%(may_label)s``
    is true if they may label. ``entries`` returns the lines of some of these rows.
    """

    group: str
    permission: Permission
    waiting: str
    entries: Callable[[Sequence[Waiting], Membership], Iterable[InboxEntry]]


FROM, INBOX = "from", "inbox"
"""The parameter of pages that were opened from the inbox, and its value: what is done there leads on to what waits next."""

CONFLICTS, APPROVALS, FLAGS, MENTIONS, SKIPS = "Conflicts", "Approvals", "Flags", "Mentions", "Skipped"
GROUPS = {
    CONFLICTS: "Labels conflict, and you did not review the answer: your decision is asked for. It leads on to the next.",
    APPROVALS: "Somebody else has proposed it. It takes effect once a second person agrees.",
    FLAGS: "A reviewer asks a lead to look. Each opens with the form to resolve it, which leads on to the next.",
    MENTIONS: "Comments that name you. Opening the answer takes them off this list.",
    SKIPS: "Answers that a reviewer has put aside.",
}
"""The groups in their order, each with what it holds."""


def _subject(snapshot: Snapshot, by: Membership) -> str:
    """Return the name and turn of an answer, as the member may see them."""
    names = names_of(snapshot, hidden_from(by, Surface.CONFLICTS))
    return ", ".join([each for each in (names.title, turn_in_words(snapshot.turn_index)) if each])


# Conflicts.


_CONFLICTS = """
SELECT item.snapshot_id, item.submitted_at FROM review_queueitem AS item
WHERE item.organisation_id = %(organisation)s AND item.phase = 'consolidating' AND NOT EXISTS (
    SELECT FROM review_submission AS own
    WHERE own.snapshot_id = item.snapshot_id AND own.round = item.round AND own.reviewer_id = %(person)s
)
"""


def _of_conflicts(rows: Sequence[Waiting], by: Membership) -> Iterable[InboxEntry]:
    for row in _again(QueueItem, rows, "plan", "skipped_by", "snapshot"):
        who = row.plan.name if row.plan else ""
        address = f"{reverse('conflict', args=[row.pk])}?{FROM}={INBOX}"
        yield InboxEntry("Labels conflict", who, row.submitted_at, address, _subject(row.snapshot, by))


# Approvals.


# Proposals that name what is hidden from the member are left out, as on their own page.
_REDACTIONS = rf"""
SELECT redaction.id, redaction.proposed_at FROM ledger_redaction AS redaction
WHERE redaction.organisation_id = %(organisation)s AND redaction.proposed_by <> %(person)s
AND NOT EXISTS (SELECT FROM ledger_redactiondecision AS made WHERE made.redaction_id = redaction.id)
AND NOT (redaction.parts::text ~ '"({"|".join(sorted(TELLING_OF_WORK))})\.' AND EXISTS (
    SELECT FROM review_queueitem AS item WHERE item.snapshot_id = redaction.object_id AND {HIDES_WORK}
))
"""  # noqa: S608  # names of our own


def _of_redactions(rows: Sequence[Waiting], by: Membership) -> Iterable[InboxEntry]:
    found = list(Redaction.objects.filter(pk__in=[row.pk for row in rows]).annotate(name=name_of("proposed_by")))
    snapshots = Snapshot.objects.defer("record").in_bulk([each.object_id for each in found])
    hidden = hidden_from(by, Surface.REDACTIONS)
    for each in found:
        subject = names_of(snapshots[each.object_id], hidden).title if each.object_id in snapshots else ""
        yield InboxEntry("Redaction proposed", each.name or "somebody", each.proposed_at, reverse("redaction", args=[each.pk]), subject)


def open_proposals(proposal: str, decision: str) -> str:
    """Return the statement for proposals of others that nobody has decided, given the names of the two tables."""
    return f"""
SELECT proposal.id, proposal.proposed_at FROM {proposal} AS proposal
WHERE proposal.organisation_id = %(organisation)s AND proposal.proposed_by_id <> %(person)s
AND NOT EXISTS (SELECT FROM {decision} AS made WHERE made.proposal_id = proposal.id)
"""  # noqa: S608  # names of our own


def _of_versions(kind: VersionKind, what: str) -> Callable[[Sequence[Waiting], Membership], Iterable[InboxEntry]]:
    def entries(rows: Sequence[Waiting], _: Membership) -> Iterable[InboxEntry]:
        for row in _again(kind.proposals, rows, "version", "proposed_by"):
            address = reverse(kind.name, args=[row.version_id])
            yield InboxEntry(what, row.proposed_by.name, row.proposed_at, address, f"version {kind.names(row.version).label}")

    return entries


def _of_liftings(rows: Sequence[Waiting], _: Membership) -> Iterable[InboxEntry]:
    for row in _again(LiftProposal, rows, "hold", "proposed_by"):
        yield InboxEntry("Lifting of a legal hold proposed", row.proposed_by.name, row.proposed_at, reverse("hold", args=[row.hold_id]))


def _again(model: Any, rows: Sequence[Waiting], *related: str) -> list[Any]:
    """Return rows in their order, together with those that they point to. Records of snapshots are left out."""
    records = [f"{name}__record" for name in related if name.endswith("snapshot")]
    found = model.objects.select_related(*related).defer(*records).in_bulk([row.pk for row in rows])
    return [found[row.pk] for row in rows if row.pk in found]


# Flags, mentions and skips.


_FLAGS = f"""
SELECT flag.id, flag.created_at FROM review_flag AS flag JOIN review_queueitem AS item ON item.snapshot_id = flag.snapshot_id
WHERE flag.organisation_id = %(organisation)s AND NOT ({HIDES_WORK})
AND NOT EXISTS (SELECT FROM review_flagresolution AS resolution WHERE resolution.flag_id = flag.id)
"""  # noqa: S608  # a condition of our own


def _of_flags(rows: Sequence[Waiting], by: Membership) -> Iterable[InboxEntry]:
    for row in _again(Flag, rows, "reviewer", "snapshot"):
        what = f"{FlagKind(row.kind).label} flagged"
        address = f"{reverse('item', args=[row.snapshot_id])}?resolve={row.pk}#resolve-{row.pk}"
        yield InboxEntry(what, row.reviewer.name, row.created_at, address, _subject(row.snapshot, by))


# A mention waits until the member opens the item while its comment can be seen, which in a blind review is after all have submitted.
_MENTIONS = f"""
SELECT mention.id, comment.written_at
FROM review_mention AS mention
JOIN review_comment AS comment ON comment.id = mention.comment_id
JOIN review_queueitem AS item ON item.snapshot_id = comment.snapshot_id
WHERE mention.organisation_id = %(organisation)s AND mention.person_id = %(person)s AND NOT ({HIDES_WORK}) AND NOT EXISTS (
    SELECT FROM ledger_auditevent AS opened
    WHERE opened.organisation_id = %(organisation)s AND opened.object_id = item.snapshot_id AND opened.actor_id = %(person)s
    AND opened.action = '{Action.SNAPSHOT_VIEWED.value}'
    AND opened.occurred_at >= GREATEST(comment.written_at, CASE WHEN item.is_blind THEN item.submitted_at END)
)
"""  # noqa: S608  # conditions of our own


def _of_mentions(rows: Sequence[Waiting], by: Membership) -> Iterable[InboxEntry]:
    for row in _again(Mention, rows, "comment__author", "comment__snapshot"):
        made = row.comment
        address = reverse("item", args=[made.snapshot_id]) + f"#comment-{made.pk}"
        yield InboxEntry("You are mentioned", made.author.name, made.written_at, address, _subject(made.snapshot, by))


_SKIPPED = f"""
SELECT item.snapshot_id, (
    SELECT max(skip.occurred_at) FROM ledger_auditevent AS skip
    WHERE skip.organisation_id = %(organisation)s AND skip.object_id = item.snapshot_id AND skip.action = '{Action.REVIEW_SKIPPED.value}'
)
FROM review_queueitem AS item
WHERE item.organisation_id = %(organisation)s AND item.state = 'skipped' AND NOT ({HIDES_WORK})
"""  # noqa: S608  # conditions of our own


def _of_skipped(rows: Sequence[Waiting], by: Membership) -> Iterable[InboxEntry]:
    hidden, times = hidden_from(by, Surface.QUEUE), {row.pk: row.at for row in rows}
    for row in _again(QueueItem, rows, "plan", "skipped_by", "snapshot"):
        what = "Skipped" if Text.NOTES in hidden else f"Skipped: {row.skip_reason}"
        who = row.skipped_by.name if row.skipped_by else ""
        yield InboxEntry(what, who, times[row.pk], reverse("item", args=[row.pk]), _subject(row.snapshot, by))


_ASIDES = f"""
SELECT aside.id, aside.put_at FROM review_aside AS aside JOIN review_queueitem AS item ON item.snapshot_id = aside.item_id
WHERE aside.organisation_id = %(organisation)s AND item.state <> 'submitted' AND NOT ({HIDES_WORK})
"""  # noqa: S608  # a condition of our own


def _of_asides(rows: Sequence[Waiting], by: Membership) -> Iterable[InboxEntry]:
    for row in _again(Aside, rows, "reviewer", "item__snapshot"):
        subject = _subject(row.item.snapshot, by)
        yield InboxEntry("Put aside by one of its reviewers", row.reviewer.name, row.put_at, reverse("item", args=[row.item_id]), subject)


OWN_SOURCES: Sequence[InboxSource] = (
    InboxSource(CONFLICTS, Permission.APPROVE_REVIEWS, _CONFLICTS, _of_conflicts),
    InboxSource(APPROVALS, Permission.REDACT, _REDACTIONS, _of_redactions),
    InboxSource(
        APPROVALS,
        SCHEMAS.permission,
        open_proposals("snapshots_schemaproposal", "snapshots_schemadecision"),
        _of_versions(SCHEMAS, "Schema proposed"),
    ),
    InboxSource(
        APPROVALS,
        TRUST_TABLES.permission,
        open_proposals("snapshots_trustproposal", "snapshots_trustdecision"),
        _of_versions(TRUST_TABLES, "Table of trust proposed"),
    ),
    InboxSource(APPROVALS, Permission.PLACE_HOLDS, open_proposals("review_liftproposal", "review_liftdecision"), _of_liftings),
    InboxSource(FLAGS, Permission.APPROVE_REVIEWS, _FLAGS, _of_flags),
    InboxSource(MENTIONS, Permission.READ_ITEMS, _MENTIONS, _of_mentions),
    InboxSource(SKIPS, Permission.APPROVE_REVIEWS, _SKIPPED, _of_skipped),
    InboxSource(SKIPS, Permission.APPROVE_REVIEWS, _ASIDES, _of_asides),
)


def sources_for(by: Membership, sources: Iterable[InboxSource]) -> list[InboxSource]:
    """Return the sources that a member can deal with."""
    return [each for each in sources if may(by, each.permission)]


# The inbox of a member as its page shows it, and how much waits in it.


MOST_LISTED = 50
"""The most lines of one source on the page."""
MOST_COUNTED = 100
"""The most rows of one source that are counted, so that the count costs little."""
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class InboxGroup:
    """A heading of the inbox, what it holds, and its lines, the newest first. ``is_part`` is true if there are more."""

    title: str
    about: str
    entries: Sequence[InboxEntry]
    is_part: bool


def _sources(by: Membership) -> list[InboxSource]:
    return sources_for(by, [*OWN_SOURCES, *inbox_sources])


def load_inbox(by: Membership) -> list[InboxGroup]:
    """Return the groups of a member's inbox in which something waits."""
    found: dict[str, list[InboxEntry]] = {title: [] for title in GROUPS}
    cut: set[str] = set()
    for source in _sources(by):
        rows = _newest(source, by)
        found[source.group] += source.entries(rows[:MOST_LISTED], by) if rows else ()
        cut |= {source.group} if len(rows) > MOST_LISTED else set()
    return [
        InboxGroup(title, about, sorted(found[title], key=lambda entry: entry.at or _LONG_AGO, reverse=True), title in cut)
        for title, about in GROUPS.items()
        if found[title]
    ]


def next_address(group: str, by: Membership) -> str:
    """Return the address of what waits next for a member in a group of their inbox, or of the inbox if nothing does."""
    entries = (entry for source in _sources(by) if source.group == group for entry in source.entries(_newest(source, by)[:1], by))
    return next((entry.address for entry in entries), reverse("inbox"))


def count_inbox(by: Membership) -> int:
    """Return how much waits for a member, up to a limit for each kind, in one statement; none if their role has no inbox."""
    if not may(by, Permission.READ_INBOX):
        return 0
    each = [f"(SELECT FROM ({source.waiting}) AS waiting LIMIT {MOST_COUNTED})" for source in _sources(by)]  # our own
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM ({' UNION ALL '.join(each)}) AS waiting", _values(by))  # noqa: S608  # our own
        return int(cursor.fetchone()[0])


def _newest(source: InboxSource, by: Membership) -> list[Waiting]:
    """Return the newest rows of a source, one more than are listed if there are more."""
    with connection.cursor() as cursor:
        cursor.execute(f"{source.waiting} ORDER BY 2 DESC NULLS LAST, 1 DESC LIMIT {MOST_LISTED + 1}", _values(by))
        return [Waiting(*row) for row in cursor.fetchall()]


def _values(by: Membership) -> dict[str, UUID | bool]:
    return {"organisation": by.organisation_id, "person": by.user_id, "may_label": viewer_of(by).may_label}


def count_elsewhere(member: Membership) -> int:
    """Return how much waits for a person in the organisation of one of their memberships."""
    with tenant.within(member.organisation_id):
        return count_inbox(member)


# Views.


@require_GET
@requires(Permission.READ_INBOX)
def show(request: MemberRequest) -> HttpResponse:
    """Show what waits for the member."""
    return render(request, "review/inbox.html", {"groups": load_inbox(request.member)})


def waiting(request: HttpRequest) -> dict[str, Any]:
    """Return a template context with a function that counts what waits for the member. Only pages with the navigation call it."""
    member = getattr(request, "member", None)
    return {"count_inbox": lambda: count_inbox(member) if member else 0}
