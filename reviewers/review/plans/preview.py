"""What a plan would draw if it started now, and how long its reviews would take."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Sum
from django.db.models.functions import TruncDate

from reviewers.accounts.models import Organisation
from reviewers.review.models import QueueItem, Submission
from reviewers.review.plan_models import Draw
from reviewers.review.plans.candidates import candidates_of, frame_of
from reviewers.review.plans.drawing import Design, draw

_LOOKED_BACK = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class Preview:
    """Counts; ``days`` is empty where nobody has reviewed anything lately."""

    candidates: int
    drawn: int
    rows: int
    reviews: int
    strata: Mapping[str, int]
    days: int | None


@transaction.atomic
def preview_of(
    organisation: Organisation, candidates: Mapping[str, Any], design: Design, overlap: int, now: datetime, seed: str = ""
) -> Preview:
    """Draws as starting would, with the seed if the plan has one already."""
    frame = frame_of(candidates_of(organisation, candidates, now), design.draw)
    drawn = draw(frame, design, seed)
    rows = QueueItem.objects.filter(pk__in=[each.id for each in drawn]).aggregate(rows=Sum("found_count"))["rows"] or 0
    strata = Counter(each.stratum for each in drawn) if design.draw is Draw.STRATIFIED else Counter[str]()
    reviews = len(drawn) * overlap
    return Preview(len(frame), len(drawn), rows * overlap, reviews, dict(strata.most_common()), _days(organisation, reviews, now))


def _days(organisation: Organisation, reviews: int, now: datetime) -> int | None:
    """At the pace of the days of the last two weeks on which anything was reviewed."""
    lately = Submission.objects.filter(organisation=organisation, submitted_at__gte=now - _LOOKED_BACK, submitted_at__lte=now)
    pace = lately.aggregate(count=Count("id"), days=Count(TruncDate("submitted_at"), distinct=True))
    return math.ceil(reviews * pace["days"] / pace["count"]) if pace["count"] else None
