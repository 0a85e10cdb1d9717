"""The labels of all reviews of an item, and those of them that somebody may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from reviewers.review.citation_models import CitationLabel, CitationVerdict
from reviewers.review.citations import CitationKey
from reviewers.review.given_labels import GIVEN, FieldKey, GivenCitationLabel, GivenLabel, given_of, given_to_citation
from reviewers.review.models import Label, Verdict
from reviewers.review.plans.visibility import Viewer, sees_labels
from reviewers.review.standing import Standing


@dataclass(frozen=True, slots=True)
class Reviewed:
    """One submitted review: the labels that count in it, also those that take a verdict back, by what they are about."""

    reviewer_id: UUID
    name: str
    submitted_at: datetime
    fields: Mapping[FieldKey, GivenLabel]
    citations: Mapping[CitationKey, GivenCitationLabel]

    def verdict_on(self, key: FieldKey) -> Verdict:
        """What was said of a field's row."""
        label = self.fields.get(key)
        return label.verdict if label else Verdict.NONE

    def verdict_on_citation(self, key: CitationKey) -> CitationVerdict:
        """What was said of a citation."""
        label = self.citations.get(key)
        return label.verdict if label else CitationVerdict.NONE


def labels_of(item_id: UUID, standing: Standing) -> list[Reviewed]:
    """All submitted reviews of an item, whoever may see them, in the order of their slots: for deciding, never for showing."""
    return labels_of_items({item_id: standing})[item_id]


def labels_of_items(standings: Mapping[UUID, Standing]) -> dict[UUID, list[Reviewed]]:
    """The same of several items, in two statements."""
    fields: dict[tuple[UUID, UUID], dict[FieldKey, GivenLabel]] = {}
    citations: dict[tuple[UUID, UUID], dict[CitationKey, GivenCitationLabel]] = {}
    authors = {review.reviewer_id for standing in standings.values() for review in standing.reviews}
    wanted = {"snapshot__in": list(standings), "reviewer__in": authors}
    for item_id, by, *columns in Label.objects.filter(**wanted).order_by("id").values_list("snapshot_id", "reviewer_id", *GIVEN):
        label = given_of(columns)
        fields.setdefault((item_id, by), {})[label.key] = label
    for cited in CitationLabel.objects.filter(**wanted).defer("shown").order_by("id"):
        said = given_to_citation(cited)
        citations.setdefault((cited.snapshot_id, cited.reviewer_id), {})[said.key] = said
    return {
        item_id: [
            Reviewed(each.reviewer_id, each.name, each.submitted_at, fields.get(by, {}), citations.get(by, {}))
            for each in standing.reviews
            for by in [(item_id, each.reviewer_id)]
        ]
        for item_id, standing in standings.items()
    }


def visible_labels(viewer: Viewer, item_id: UUID, standing: Standing) -> Sequence[Reviewed]:
    """The submitted reviews of an item that somebody may see."""
    if not any(sees_labels(viewer, standing, review.reviewer_id) for review in standing.reviews):
        return ()
    return [reviewed for reviewed in labels_of(item_id, standing) if sees_labels(viewer, standing, reviewed.reviewer_id)]
