"""Agreement of a model's judgements on citations with the labels of people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import F, OuterRef, Q, Subquery

from reviewers.accounts.models import Organisation
from reviewers.review.agreement.statistics import CITATIONS, AgreementLine, Rating, counting_labels, line_of
from reviewers.review.models import CitationLabel, QueueItem
from reviewers.review.plans.visibility import is_under_blind_review
from reviewers.snapshots.citations import CitationKey
from reviewers.snapshots.models import SupportJudgement

KNOWN_FOR = timedelta(days=180)
MOST_LABELS = 10_000
"""The most labels that are compared, the newest of each citation first found."""

_PERSON, _MODEL = UUID(int=1), UUID(int=2)


@dataclass(frozen=True, slots=True)
class ModelAgreement:
    """Labels beside judgements on the same citations: their table, and the agreement on all and on labels given without seeing it.

    ``table`` has a line for each verdict of people, with the number of judgements of each kind.
    """

    table: Sequence[tuple[str, Sequence[int]]]
    all: AgreementLine
    unseen: AgreementLine


def agreement_with_people(organisation: Organisation, now: datetime) -> ModelAgreement:
    """Return the agreement over the labels of submitted reviews in the last days, none of them under blind review now."""
    found = _labels(organisation, now - KNOWN_FOR)[:MOST_LABELS]
    labels = [label for label in found if label["verdict"] in CITATIONS]  # not in the query, which would take an older label instead
    counts = Counter((label["verdict"], label["judged"]) for label in labels)
    return ModelAgreement(
        table=[(verdict, [counts[verdict, judged] for judged in CITATIONS]) for verdict in CITATIONS],
        all=line_of("All labels", [_rating(label) for label in labels], CITATIONS),
        unseen=line_of("Labels given without seeing it", [_rating(label) for label in labels if label["is_unseen"]], CITATIONS),
    )


def _labels(organisation: Organisation, since: datetime) -> Any:
    """Return the newest label of each citation by each reviewer that has a judgement beside it.

    A label was given without seeing the judgement if it came before, or in a blind review.
    """
    items = QueueItem.objects.filter(organisation=organisation).exclude(is_under_blind_review())
    key = ("snapshot_id", *CitationKey._fields)
    same = {name: OuterRef(name) for name in CitationKey._fields}
    alike = SupportJudgement.objects.filter(request__attribution__snapshot=OuterRef("snapshot"), **same).exclude(verdict="").order_by("-id")
    first = alike.order_by("id").values("judged_at")[:1]
    labels = counting_labels(CitationLabel, items, key).filter(created_at__gt=since, start__isnull=False)
    beside = labels.annotate(judged=Subquery(alike.values("verdict")[:1]), first_judged=Subquery(first)).filter(judged__isnull=False)
    is_unseen = Q(snapshot__item__is_blind=True) | Q(created_at__lt=F("first_judged"))
    return beside.annotate(is_unseen=is_unseen).values(*key, "verdict", "judged", "is_unseen", "snapshot__conversation_id")


def _rating(label: Mapping[str, Any]) -> Rating:
    conversation = label["snapshot__conversation_id"] or str(label["snapshot_id"])
    return Rating("", "", {_PERSON: label["verdict"], _MODEL: label["judged"]}, conversation)
