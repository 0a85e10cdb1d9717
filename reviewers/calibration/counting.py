"""How many labels there are on each combination, and how fast they come: one statement for all of an organisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from operator import add
from uuid import UUID

from django.db.models import CharField, Count, F, Q, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, Concat, NullIf

from reviewers.calibration.gathering import AUDITED, engine_of, engines_of, submitted_labels
from reviewers.review.models import Label, Truth
from reviewers.snapshots.choosing import Combination

LOOKED_BACK = timedelta(days=14)

Key = tuple[Combination, str]
"""A combination and its engine."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Fields with a label that may be learned from, their conversations, and how many came lately. ``audited`` are answers."""

    fields: int = 0
    conversations: int = 0
    answers: int = 0
    lately: int = 0
    audit: int = 0
    audited: int = 0
    audited_lately: int = 0

    @property
    def per_day(self) -> float:
        """The pace of the last two weeks."""
        return self.lately / LOOKED_BACK.days

    @property
    def audited_per_day(self) -> float:
        """That of audited answers."""
        return self.audited_lately / LOOKED_BACK.days


def count_labels(organisation_id: UUID, now: datetime, engines: Mapping[str, str] | None = None) -> Mapping[Key, Labels]:
    """Of all combinations that have any. Where reviewers differ a field counts too, so these are a few more than a fit will use."""
    known = Label.objects.filter(pk__in=submitted_labels(organisation_id).values("pk"), truth__in=[Truth.USED, Truth.NOT_USED])
    seen = known.exclude(shown__has_key="planted").annotate(
        engine=KeyTextTransform("engine", "shown"), profile=KeyTextTransform("profile", "shown")
    )
    field = Concat(Cast("snapshot_id", CharField()), Value("/"), "section", Value("."), "path", output_field=CharField())
    talk = Coalesce(NullIf(F("snapshot__conversation_id"), Value("")), Cast("snapshot_id", CharField()))
    lately = Q(created_at__gte=now - LOOKED_BACK)
    rows = seen.values_list(*(f"snapshot__{name}" for name in Combination._fields), "engine", "profile").order_by()
    counted = rows.annotate(
        fields=Count(field, distinct=True),
        conversations=Count(talk, distinct=True),
        answers=Count("snapshot_id", distinct=True),
        lately=Count(field, distinct=True, filter=lately),
        audit=Count(field, distinct=True, filter=AUDITED),
        audited=Count("snapshot_id", distinct=True, filter=AUDITED),
        audited_lately=Count("snapshot_id", distinct=True, filter=AUDITED & lately),
    )
    engines = engines_of(organisation_id) if engines is None else engines
    found: dict[Key, Labels] = {}
    for model, prompt, schema, engine, profile, *counts in counted:
        key = (Combination(model, prompt, schema), engine_of({"engine": engine, "profile": profile}, engines))
        found[key] = _added(found.get(key, Labels()), Labels(*counts))
    return found


def _added(one: Labels, other: Labels) -> Labels:
    """Labels under two profiles of one engine. A conversation or an answer that has both counts twice."""
    return Labels(*map(add, astuple(one), astuple(other)))
