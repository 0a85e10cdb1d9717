"""Sampling: a pure function of the frozen candidates, the design and the seed, so that anybody can repeat the draw.

Candidates are ranked by the SHA-256 of the seed and their identifier; those of the lowest ranks are drawn in each stratum. Over all seeds
this is simple random sampling without replacement in each stratum, whichever order the candidates come in.
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet, Sum
from django.db.models.functions import TruncDate

from reviewers.accounts.models import Organisation
from reviewers.review.models import CitationLabel, Draw, Label, Lease, Plan, QueueItem, Rule, State, Stream, Submission
from reviewers.review.queue.filters import Filter, matching


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that could be drawn."""

    id: UUID
    stratum: str = ""


@dataclass(frozen=True, slots=True)
class Design:
    """The number of items to draw: all, a share, a number, or a number evenly over strata."""

    draw: Draw
    share: float | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Drawn:
    """An item that was drawn. ``probability`` is its inclusion probability over all seeds."""

    id: UUID
    stratum: str
    probability: float


def draw(candidates: Iterable[Candidate], design: Design, seed: str) -> list[Drawn]:
    """Return the sample in the random order in which it is worked through."""
    ranked = sorted(candidates, key=lambda each: _rank(seed, str(each.id)))
    counts = Counter(each.stratum if design.draw is Draw.STRATIFIED else "" for each in ranked)
    wanted, chance = _wanted(design, counts, seed)
    left = Counter(wanted)
    drawn: list[Drawn] = []
    for candidate in ranked:
        stratum = candidate.stratum if design.draw is Draw.STRATIFIED else ""
        if left[stratum] > 0:
            left[stratum] -= 1
            drawn.append(Drawn(candidate.id, candidate.stratum, chance * wanted[stratum] / counts[stratum]))
    return drawn


def _wanted(design: Design, counts: Mapping[str, int], seed: str) -> tuple[Mapping[str, int], float]:
    """Return the number to draw from each stratum, and the probability that a stratum is among them."""
    total = sum(counts.values())
    if design.draw is Draw.STRATIFIED:
        return _wanted_of_strata(min(design.size or 0, total), counts, seed)
    if design.draw is Draw.NUMBER:
        return {"": min(design.size or 0, total)}, 1
    if design.draw is Draw.SHARE:
        return {"": min(total, max(1, int(total * (design.share or 0) + 0.5)))}, 1
    return {"": total if design.draw is Draw.ALL else 0}, 1


def _wanted_of_strata(size: int, counts: Mapping[str, int], seed: str) -> tuple[Mapping[str, int], float]:
    """Return an even spread over strata, or one each of some drawn strata if there are more strata than items wanted."""
    if size < len(counts):
        chosen = sorted(counts, key=lambda stratum: _rank(seed, "stratum " + stratum))[:size]
        return dict.fromkeys(chosen, 1), size / len(counts)
    return spread(size, counts), 1


def spread(size: int, counts: Mapping[str, int]) -> dict[str, int]:
    """Spread a number evenly over strata, up to the size of each. What small ones cannot take goes to larger ones."""
    parts: dict[str, int] = {}
    for place, (stratum, count) in enumerate(sorted(counts.items(), key=lambda each: (each[1], each[0]))):
        parts[stratum] = min(count, (size - sum(parts.values())) // (len(counts) - place))
    return parts


def _rank(seed: str, name: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{name}".encode()).digest()


# Strata and triggers.

NOTHING_FOUND = "nothing found"
_BINS = ((0.9, "0.90 and above"), (0.7, "0.70 to 0.90"), (0.5, "0.50 to 0.70"), (0.0, "below 0.50"))


@dataclass(frozen=True, slots=True)
class Triggers:
    """The conditions that add later answers: a found field below a confidence, an expected field not found, a guardrail finding."""

    below: float | None = None
    missing: Sequence[str] = ()
    guardrails: Sequence[str] = ()

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Triggers:
        """Return the triggers that a plan stores."""
        return cls(stored.get("below"), tuple(stored.get("missing", ())), tuple(stored.get("guardrails", ())))

    def as_data(self) -> dict[str, Any]:
        """Return the triggers as a plan stores them; empty if there are none."""
        named = {"below": self.below, "missing": list(self.missing), "guardrails": list(self.guardrails)}
        return {name: value for name, value in named.items() if value not in (None, [])}

    def calling_for(self, document: Mapping[str, Any]) -> str:
        """Return the trigger that an answer matches, in words, or an empty string."""
        found = {f"{row['section']}.{row['path']}": row for row in document["fields"] if "method" in row}
        if self.below is not None and any(row["confidence"] < self.below for row in found.values()):
            return f"confidence below {self.below:.2f}"
        missing = next((name for name in self.missing if name not in found), None)
        if missing is not None:
            return f"{missing} not found"
        codes = {finding["code"] for finding in document["guardrails"]}
        return next((f"guardrail {code}" for code in self.guardrails if code in codes), "")


def strata_of(document: Mapping[str, Any]) -> frozenset[str]:
    """Return the strata of an attribution: method, field type and confidence bin of each found field."""
    rows = [row for row in document["fields"] if "method" in row]
    return frozenset(f"{row['method']}, {row['field_type']}, {bin_of(row['confidence'])}" for row in rows) or frozenset({NOTHING_FOUND})


def bin_of(confidence: float) -> str:
    """Return the bin of a confidence, in words."""
    return next(words for least, words in _BINS if confidence >= least)


def assign(strata: Iterable[tuple[UUID, frozenset[str]]]) -> list[Candidate]:
    """Put each answer into the rarest of the strata that its fields fall into, so that common ones do not drown rare ones."""
    listed = list(strata)
    counts = Counter(stratum for _, each in listed for stratum in each)
    return [Candidate(pk, min(each, key=lambda stratum: (counts[stratum], stratum))) for pk, each in listed]


# Terms and candidates.


@dataclass(frozen=True, slots=True)
class PlanTerms:
    """The terms of a plan, without its random seed."""

    name: str
    candidates: Mapping[str, Any] = field(default_factory=dict)
    design: Design = field(default_factory=lambda: Design(Draw.ALL))
    triggers: Triggers = field(default_factory=Triggers)
    overlap: int = 1
    is_blind: bool = False
    rule: Rule = Rule.UNANIMOUS
    stream: Stream = Stream.NONE
    guide: str = ""
    gold_share: float = 0
    due_on: date | None = None


def design_of(plan: Plan) -> Design:
    """Return the design of a plan."""
    return Design(Draw(plan.draw), plan.share, plan.size)


_CHUNK = 200


def candidates_of(organisation: Organisation, stored: Mapping[str, Any], now: datetime) -> QuerySet[QueueItem]:
    """Return the items that a plan may draw: matching its filter, to do, in no plan, and begun by nobody."""
    free = matching(organisation, read_stored(stored)).filter(state=State.TO_DO, plan=None)
    begun = (
        Lease.objects.filter(item=OuterRef("pk"), expires_at__gt=now),
        Label.objects.filter(snapshot=OuterRef("pk")),
        CitationLabel.objects.filter(snapshot=OuterRef("pk")),
    )
    for rows in begun:
        free = free.filter(~Exists(rows))
    return free


def frame_of(items: QuerySet[QueueItem], draw: Draw) -> list[Candidate]:
    """Return the candidates, with strata if the design needs them."""
    if draw is Draw.STRATIFIED:
        return assign((pk, strata_of(document)) for pk, document in documents_of(items))
    return [Candidate(pk) for pk in items.order_by("pk").values_list("pk", flat=True)]


def documents_of(items: QuerySet[QueueItem]) -> Iterator[tuple[UUID, Mapping[str, Any]]]:
    """Yield the items with their attributions as stored."""
    rows = items.order_by("pk").values_list("pk", "attribution__document")
    for pk, document in rows.iterator(chunk_size=_CHUNK):
        yield pk, json.loads(zlib.decompress(bytes(document)))


def read_stored(stored: Mapping[str, Any]) -> Filter:
    """Return the queue filter that a plan stores."""
    since, until = (date.fromisoformat(stored[name]) if stored.get(name) else None for name in ("since", "until"))
    return Filter(facets={kind: frozenset(values) for kind, values in stored.get("facets", {}).items()}, since=since, until=until)


def stored_of(chosen: Filter) -> dict[str, Any]:
    """Return what a plan stores of a filter: facets and dates. Words may be protected, and states and flags change."""
    data = chosen.as_data()
    return {name: data[name] for name in ("facets", "since", "until") if data[name]}


# The preview of a draft.

_LOOKED_BACK = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class Preview:
    """The result of a preview. ``days`` is None if nobody has reviewed anything lately."""

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
    """Return what a plan would draw if it started now, and how long its reviews would take.

    ``seed`` is that of the plan, if it has one already.
    """
    frame = frame_of(candidates_of(organisation, candidates, now), design.draw)
    drawn = draw(frame, design, seed)
    rows = QueueItem.objects.filter(pk__in=[each.id for each in drawn]).aggregate(rows=Sum("found_count"))["rows"] or 0
    strata = Counter(each.stratum for each in drawn) if design.draw is Draw.STRATIFIED else Counter[str]()
    reviews = len(drawn) * overlap
    return Preview(len(frame), len(drawn), rows * overlap, reviews, dict(strata.most_common()), _days(organisation, reviews, now))


def _days(organisation: Organisation, reviews: int, now: datetime) -> int | None:
    """Return the days that the reviews take at the pace of the review days of the last two weeks."""
    lately = Submission.objects.filter(organisation=organisation, submitted_at__gte=now - _LOOKED_BACK, submitted_at__lte=now)
    pace = lately.aggregate(count=Count("id"), days=Count(TruncDate("submitted_at"), distinct=True))
    return math.ceil(reviews * pace["days"] / pace["count"]) if pace["count"] else None
