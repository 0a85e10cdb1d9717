"""Reviews as signatures need them: all their labels, and digests of what they are about. One statement for all of an item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef, QuerySet
from django.db.models.functions import JSONObject

from reviewers.review.citation_models import CitationLabel
from reviewers.review.citations import CitationKey
from reviewers.review.decision_models import Decision, Reopening
from reviewers.review.models import Label, Submission
from reviewers.review.plan_models import Phase
from reviewers.snapshots.models import CitationSearchResult, SearchOutcome, SnapshotAttribution

FIELD_COLUMNS = ("id", "section", "path", "verdict", "truth", "is_misstated", "note", "reason")
CITATION_COLUMNS = ("id", *CitationKey._fields, "verdict", "note", "reason")
DECISION_COLUMNS = ("id", "is_citation", "section", "path", *CitationKey._fields, "verdict", "reason", "labels", "decided_by_id")

Written = Mapping[str, Any]
"""A row by its columns, as JSON has them."""


@dataclass(frozen=True, slots=True)
class Review:
    """A submitted review. ``shown`` is the attribution that its item shows now; ``found`` is what was found afterwards of any of them.

    ``decisions`` are those that leads made in its round, the newest of each row. ``reopenings`` have put its item back into the queue
    since; ``is_present`` says that none has. ``is_in_doubt`` says that conflicts of its item wait for a lead.
    """

    id: UUID
    organisation_id: UUID
    reviewer_id: UUID
    reviewer: str
    submitted_at: datetime
    submission_digest: str
    item_id: UUID
    snapshot_digest: str
    content_digest: str
    shown: UUID
    attributions: Mapping[str, Written]
    found: Sequence[Written]
    fields: Sequence[Written]
    citations: Sequence[Written]
    round: int
    is_present: bool
    is_in_doubt: bool
    decisions: Sequence[Written]
    reopenings: Sequence[str]

    @property
    def label_count(self) -> int:
        """How many labels were ever given in it."""
        return len(self.fields) + len(self.citations)


def load_reviews(organisation_id: UUID, item_id: UUID) -> list[Review]:
    """The submitted reviews of an item, in the order in which they came in."""
    return load_reviews_of(organisation_id, [item_id])


def load_reviews_of(organisation_id: UUID, item_ids: Sequence[UUID]) -> list[Review]:
    """The same of several items, still in one statement."""
    rows = Submission.objects.filter(organisation=organisation_id, snapshot__in=item_ids).order_by("submitted_at", "id")
    return [_read(row) for row in _select(rows)]


def _select(rows: QuerySet[Submission]) -> QuerySet[Submission, Any]:
    by_review = {"snapshot": OuterRef("snapshot"), "reviewer": OuterRef("reviewer")}
    of_snapshot = SnapshotAttribution.objects.filter(snapshot=OuterRef("snapshot"))
    decided = Decision.objects.filter(snapshot=OuterRef("snapshot"), round=OuterRef("round")).order_by("id")
    reopened = Reopening.objects.filter(snapshot=OuterRef("snapshot"), round__gt=OuterRef("round")).order_by("round")
    found = CitationSearchResult.objects.filter(search__attribution__snapshot=OuterRef("snapshot"), outcome=SearchOutcome.FOUND)
    return rows.values(
        "id",
        "organisation_id",
        "reviewer_id",
        "submitted_at",
        "digest",
        "snapshot_id",
        "round",
        phase=F("snapshot__item__phase"),
        reviewer_name=F("reviewer__name"),
        snapshot_digest=F("snapshot__digest"),
        content_digest=F("snapshot__content_digest"),
        shown=F("snapshot__item__attribution_id"),
        attributions=ArraySubquery(of_snapshot.values(json=JSONObject(**_ATTRIBUTION))),
        found=ArraySubquery(found.order_by("search__number").values(json=JSONObject(**_FOUND))),
        fields=ArraySubquery(Label.objects.filter(**by_review).order_by("id").values(json=_columns(FIELD_COLUMNS))),
        citations=ArraySubquery(CitationLabel.objects.filter(**by_review).order_by("id").values(json=_columns(CITATION_COLUMNS))),
        decisions=ArraySubquery(decided.values(json=_columns(DECISION_COLUMNS))),
        reopenings=ArraySubquery(reopened.values("id")),
    )


_ATTRIBUTION = {"id": "id", "digest": "digest", "profile": "profile_id", "engine": "engine_version", "documents": "documents__digest"}
_FOUND = {"id": "id", "attribution": "search__attribution_id", "digest": "digest"}


def _columns(names: Sequence[str]) -> JSONObject:
    return JSONObject(**{name: name for name in names})


def _read(row: Mapping[str, Any]) -> Review:
    return Review(
        id=row["id"],
        organisation_id=row["organisation_id"],
        reviewer_id=row["reviewer_id"],
        reviewer=row["reviewer_name"],
        submitted_at=row["submitted_at"],
        submission_digest=named(row["digest"]),
        item_id=row["snapshot_id"],
        snapshot_digest=named(row["snapshot_digest"]),
        content_digest=named(row["content_digest"]),
        shown=row["shown"],
        attributions={each["id"]: each for each in row["attributions"]},
        found=row["found"],
        fields=row["fields"],
        citations=row["citations"],
        round=row["round"],
        is_present=not row["reopenings"],
        is_in_doubt=row["phase"] == Phase.CONSOLIDATING,
        decisions=row["decisions"],
        reopenings=[str(each) for each in row["reopenings"]],
    )


def named(digest: bytes | memoryview) -> str:
    """A digest with its name before it."""
    return "sha256:" + bytes(digest).hex()


def named_out_of_json(digest: str | None) -> str | None:
    """The same of a binary column as JSON has it: hexadecimal digits behind a backslash and an x."""
    return "sha256:" + digest.removeprefix("\\x") if digest else None
