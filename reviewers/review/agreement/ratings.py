"""Rows that several people have labelled, as statistics need them. Answers whose reviews are not all in are left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, QuerySet

from reviewers.accounts.models import Organisation
from reviewers.review.citation_models import CitationLabel
from reviewers.review.citations import CitationKey
from reviewers.review.models import Label, QueueItem, Submission
from reviewers.review.plan_models import Phase, Plan

_UNJUDGED = ("none", "cannot_judge")
_SAID = ("reviewer_id", "verdict", "snapshot__conversation_id")


@dataclass(frozen=True, slots=True)
class Rating:
    """One row of one answer with the verdict of each reviewer who has judged it. A citation has neither section nor type.

    ``conversation`` names the conversation; of an answer that stands in none, the answer itself.
    """

    section: str
    field_type: str
    verdicts: Mapping[UUID, str]
    conversation: str


def reviewed_items(organisation: Organisation, plan: Plan | None, since: datetime | None) -> QuerySet[QueueItem]:
    """The answers that several were to review, and all of them have: of a plan, or of all since a moment."""
    items = QueueItem.objects.filter(organisation=organisation, overlap__gt=1).exclude(phase=Phase.INDEPENDENT)
    if plan is not None:
        items = items.filter(plan=plan)
    return items.filter(submitted_at__gte=since) if since else items


def load_field_ratings(items: QuerySet[QueueItem]) -> list[Rating]:
    """Their rows of fields."""
    key = ("snapshot_id", "section", "path")
    return [
        Rating(first["section"], first["shown__field_type"] or "", verdicts, _conversation(first))
        for first, verdicts in _grouped(_counting(Label, items, key).values(*key, *_SAID, "shown__field_type"), key)
    ]


def load_citation_ratings(items: QuerySet[QueueItem]) -> list[Rating]:
    """Their citations of documents."""
    key = ("snapshot_id", *CitationKey._fields)
    rows = _counting(CitationLabel, items, key).values(*key, *_SAID)
    return [Rating("", "", verdicts, _conversation(first)) for first, verdicts in _grouped(rows, key)]


def _conversation(row: Mapping[str, Any]) -> str:
    return row["snapshot__conversation_id"] or str(row["snapshot_id"])


def _counting(kind: type[Label | CitationLabel], items: QuerySet[QueueItem], key: tuple[str, ...]) -> QuerySet[Any]:
    """The newest label of each row by each reviewer whose review counts."""
    reviews = Submission.objects.filter(snapshot=OuterRef("snapshot"), reviewer=OuterRef("reviewer"), round=F("snapshot__item__round"))
    labels = kind.objects.filter(Exists(reviews), snapshot__item__in=items)
    return labels.order_by(*key, "reviewer_id", "-id").distinct(*key, "reviewer_id")


def _grouped(rows: Iterable[Mapping[str, Any]], key: tuple[str, ...]) -> Iterator[tuple[Mapping[str, Any], dict[UUID, str]]]:
    """Rows by what they are about, each with who said what; what nobody could judge is left out."""
    table: dict[tuple[Any, ...], tuple[Mapping[str, Any], dict[UUID, str]]] = {}
    for row in rows:
        if row["verdict"] not in _UNJUDGED:
            table.setdefault(tuple(row[name] for name in key), (row, {}))[1][row["reviewer_id"]] = row["verdict"]
    return iter(table.values())
