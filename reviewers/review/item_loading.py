"""Loads an item with all that belongs to it, in one statement."""

from __future__ import annotations

from uuid import UUID

from django.db.models import F, Func, QuerySet, TextField, Value
from django.http import Http404
from django.shortcuts import get_object_or_404

from reviewers.accounts.models import Membership
from reviewers.accounts.texts import NOTHING, Surface, Text, hidden_from
from reviewers.ledger.redacted import read_redacted, redacted_of
from reviewers.review.given_labels import citation_labels_of, labels_of, read_citation_label, read_label
from reviewers.review.holds.held import holds_of, read_holds
from reviewers.review.items import Item
from reviewers.review.models import QueueItem
from reviewers.review.plans.visibility import viewer_of
from reviewers.review.standing import TERMS, holders_of, planted_of, read_standing, reviews_of
from reviewers.snapshots.search_state import newest_search, read_search


def load_item(member: Membership, snapshot_id: UUID, *, lock: bool = False, shown: frozenset[Text] = NOTHING) -> Item:
    """An item of the member's organisation, or 404. ``lock`` holds its row until the transaction ends, so that writes take turns.

    Text that the member is not shown on the review page has masks, but for the kinds in ``shown``, which they have revealed.
    The row is held by a statement of its own: what a statement reads is as old as its beginning, however long it waited for the row.
    """
    if lock:
        own = QueueItem.objects.filter(organisation=member.organisation_id)
        get_object_or_404(own.select_for_update().only("pk"), pk=snapshot_id)
    row = _rows_of(member.organisation_id, snapshot_id, member.user_id).first()
    if row is None:
        raise Http404("There is no such item.")
    names = ("given", "given_to_citations", "held", "reviewed", "seeded", "searched", "text", "gone", "kept", "unbelieved")
    given, to_citations, held, reviewed, seeded, searched, text, gone, kept, unbelieved = (
        getattr(row, name) for name in names
    )  # annotations: types know none
    return Item(
        row=row,
        standing=read_standing({name: getattr(row, name) for name in TERMS}, held, reviewed),
        labels=[read_label(each) for each in given],
        citation_labels=[read_citation_label(each) for each in to_citations],
        search=read_search(searched),
        record_text=text,
        viewer=viewer_of(member),
        planted=frozenset((each["section"], each["path"]) for each in seeded),
        redacted=read_redacted(gone),
        holds=read_holds(kept),
        suspended=frozenset(unbelieved),
        hidden=NOTHING if lock else hidden_from(member, Surface.ITEM) - shown,
    )


def _rows_of(organisation_id: UUID, snapshot_id: UUID, user_id: UUID) -> QuerySet[QueueItem]:
    """The row of an item with all that belongs to it; none of another organisation's."""
    own = QueueItem.objects.filter(organisation=organisation_id, pk=snapshot_id)
    rows = own.select_related("snapshot", "attribution__documents", "submitted_by", "skipped_by", "plan__guide").defer("snapshot__record")
    labels = {"given": labels_of(user_id), "given_to_citations": citation_labels_of(user_id)}
    standing = {"held": holders_of(), "reviewed": reviews_of(), "seeded": planted_of()}
    return rows.annotate(
        **labels,
        **standing,
        searched=newest_search("attribution_id"),
        text=_record_as_text(),
        gone=redacted_of("pk"),
        kept=holds_of("pk"),
        unbelieved=F("organisation__suspended_profiles"),
    )


def _record_as_text() -> Func:
    """A record of megabytes comes as text in half the time it takes as bytes, which are written out in hexadecimal digits."""
    return Func(F("snapshot__record"), Value("UTF8"), function="convert_from", output_field=TextField())
