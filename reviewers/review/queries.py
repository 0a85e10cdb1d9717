"""Load review items with all that belongs to them: one with its labels, or many without."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet
from django.http import Http404

from reviewers.accounts.models import Membership, User
from reviewers.accounts.texts import NOTHING, Surface, Text, hidden_from, hidden_from_programs
from reviewers.ledger.queries import read_redacted, redacted_of
from reviewers.review.items import NOBODY, ReviewItem
from reviewers.review.labels.queries import OF_CITATIONS, OF_CLAIMS, OF_FIELDS
from reviewers.review.legal_holds.queries import holds_of, read_holds
from reviewers.review.models import Guide, Plan, QueueItem
from reviewers.review.review_status import (
    TERMS,
    control_rows_of,
    flagged_places_of,
    holders_of,
    read_control_rows,
    read_review_status,
    reviews_of,
)
from reviewers.review.visibility import PROGRAM, Viewer, viewer_of
from reviewers.snapshots.judged_support.queries import newest_support, read_support_state
from reviewers.snapshots.models import Snapshot, SnapshotAttribution, SnapshotDocuments
from reviewers.snapshots.queries import newest_search, read_search
from reviewers.web.statements import Columns, read_joined, sql_of

_ITEM, _SNAPSHOT = Columns(QueueItem, "item"), Columns(Snapshot, "snapshot", without=["record"])
_ATTRIBUTION, _DOCUMENTS = Columns(SnapshotAttribution, "attribution"), Columns(SnapshotDocuments, "documents")
_SUBMITTER, _SKIPPER = Columns(User, "submitter"), Columns(User, "skipper")
_PLAN, _GUIDE = Columns(Plan, "plan"), Columns(Guide, "guide")
_ROW = (_ITEM, _SNAPSHOT, _ATTRIBUTION, _DOCUMENTS, _SUBMITTER, _SKIPPER, _PLAN, _GUIDE)
_ASKED = ("item.snapshot_id", "item.round", "item.submitted_by_id", "%s::uuid")

_LOAD = f"""
SELECT {", ".join(map(str, _ROW))}, convert_from(snapshot.record, 'UTF8'), organisation.suspended_profiles,
    {OF_FIELDS.sql(*_ASKED)},
    {OF_CITATIONS.sql(*_ASKED)},
    {OF_CLAIMS.sql(*_ASKED)},
    {sql_of(holders_of(), "item.snapshot_id")},
    {sql_of(reviews_of(), "item.snapshot_id", "item.round")},
    {sql_of(control_rows_of(), "item.snapshot_id", "item.plan_id")},
    {sql_of(newest_search("attribution"), "item.attribution_id")},
    {sql_of(newest_support("pk"), "item.snapshot_id")},
    {sql_of(redacted_of("pk"), "item.snapshot_id")},
    {sql_of(holds_of("pk"), "item.snapshot_id")},
    {sql_of(flagged_places_of(), "item.snapshot_id")}
FROM review_queueitem AS item
JOIN accounts_organisation AS organisation ON organisation.id = item.organisation_id
JOIN snapshots_snapshot AS snapshot ON snapshot.id = item.snapshot_id
JOIN snapshots_snapshotattribution AS attribution ON attribution.id = item.attribution_id
LEFT JOIN snapshots_snapshotdocuments AS documents ON documents.attribution_id = attribution.id
LEFT JOIN accounts_user AS submitter ON submitter.id = item.submitted_by_id
LEFT JOIN accounts_user AS skipper ON skipper.id = item.skipped_by_id
LEFT JOIN review_plan AS plan ON plan.id = item.plan_id
LEFT JOIN review_guide AS guide ON guide.id = plan.guide_id
WHERE item.organisation_id = %s AND item.snapshot_id = %s
"""  # noqa: S608 — names of our own
"""A record of megabytes comes as text in half the time it takes as bytes, which are written out in hexadecimal digits."""

_LOCK = "SELECT FROM review_queueitem WHERE organisation_id = %s AND snapshot_id = %s FOR UPDATE"


def load_item(member: Membership, snapshot_id: UUID, *, lock: bool = False, shown: frozenset[Text] = NOTHING) -> ReviewItem:
    """Return a review item of the member's organisation, or raise 404.

    Text that the member is not shown on the review page is masked, except the kinds in ``shown``, which they have revealed. ``lock`` locks
    its row until the end of the transaction. The lock takes a statement of its own, because a statement that waited for a row still reads
    what was committed when the statement began.
    """
    if lock:
        with connection.cursor() as cursor:
            cursor.execute(_LOCK, [member.organisation_id, snapshot_id])
    hidden = NOTHING if lock else hidden_from(member, Surface.ITEM) - shown
    return _load(member.organisation_id, snapshot_id, viewer_of(member), hidden)


def load_item_for_program(organisation_id: UUID, snapshot_id: UUID) -> ReviewItem:
    """Return a review item as a program with a key of its organisation may know it, or raise 404."""
    return _load(organisation_id, snapshot_id, PROGRAM, hidden_from_programs())


def _load(organisation_id: UUID, snapshot_id: UUID, viewer: Viewer, hidden: frozenset[Text]) -> ReviewItem:
    found = next(read_joined(_LOAD, [viewer.id, viewer.id, viewer.id, organisation_id, snapshot_id], *_ROW), None)
    if found is None:
        raise Http404("There is no such item.")
    row, documents, (text, unbelieved, *annotated) = _row_of(*found[: len(_ROW)]), found[3], found[len(_ROW) :]
    given, to_citations, to_words, held, reviewed, seeded, searched, judged, gone, kept, flagged = (
        [json.loads(each) for each in column] for column in annotated
    )
    return ReviewItem(
        row=row,
        review_status=read_review_status({name: getattr(row, name) for name in TERMS}, held, reviewed),
        labels=[OF_FIELDS.read(each) for each in given],
        citation_labels=[OF_CITATIONS.read(each) for each in to_citations],
        claim_labels=[OF_CLAIMS.read(each) for each in to_words],
        search=read_search(searched),
        support=read_support_state(judged),
        record_text=text,
        viewer=viewer,
        planted=read_control_rows(seeded),
        redacted=read_redacted(gone),
        holds=read_holds(kept),
        flagged_places=flagged,
        suspended=frozenset(unbelieved),
        hidden=hidden,
        has_documents=documents is not None,
    )


def _row_of(
    item: QueueItem,
    snapshot: Snapshot,
    attribution: SnapshotAttribution,
    documents: SnapshotDocuments | None,
    *others: Any,
) -> QueueItem:
    """Put together the row of an item and those it points to."""
    if documents:
        attribution.documents = documents
    item.snapshot, item.attribution = snapshot, attribution
    item.submitted_by, item.skipped_by, plan, guide = others
    if plan:
        plan.guide = guide
    item.plan = plan
    return item


def load_items(rows: QuerySet[QueueItem], viewer: Viewer = NOBODY) -> Iterator[ReviewItem]:
    """Yield review items in the order of ``rows``, in one query. No labels are loaded, and no text is masked.

    Without a viewer they are read as by somebody who may know everything that is submitted.
    """
    related = rows.select_related("snapshot", "attribution__documents").annotate(reviewed=reviews_of(), seeded=control_rows_of())
    for row in related.annotate(
        searched=newest_search("attribution_id"), judged=newest_support("pk"), gone=redacted_of("pk"), kept=holds_of("pk")
    ):
        found: Any = row
        yield ReviewItem(
            row=row,
            review_status=read_review_status({name: getattr(row, name) for name in TERMS}, (), found.reviewed),
            labels=(),
            search=read_search(found.searched),
            support=read_support_state(found.judged),
            viewer=viewer,
            planted=read_control_rows(found.seeded),
            redacted=read_redacted(found.gone),
            holds=read_holds(found.kept),
        )
