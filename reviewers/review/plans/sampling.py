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
from itertools import accumulate, cycle
from typing import Any, NotRequired, TypedDict
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet, Sum
from django.db.models.functions import TruncDate

from reviewers.accounts.models import Organisation
from reviewers.review.models import CitationLabel, Draw, Label, Lease, Plan, QueueItem, Rule, State, Stream, Submission, UnsupportedClaim
from reviewers.review.queue.filters import Filter, matching
from reviewers.snapshots.models import CitationSearch


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
    control_share: float = 0
    due_on: date | None = None


def design_of(plan: Plan) -> Design:
    """Return the design of a plan."""
    return Design(Draw(plan.draw), plan.share, plan.size)


_CHUNK = 200
_LONGEST_SEARCH = timedelta(minutes=5)
"""The time that a search for citations is waited for. Plans with triggers look back longer."""


def candidates_of(organisation: Organisation, stored: Mapping[str, Any], now: datetime) -> QuerySet[QueueItem]:
    """Return the items that a plan may draw: matching its filter, to do, in no plan, and begun by nobody.

    While citations are looked for, an item waits: those that come under its reviewers' eyes would be known as found afterwards.
    """
    free = matching(organisation, read_stored(stored)).filter(state=State.TO_DO, plan=None)
    begun = (
        Lease.objects.filter(item=OuterRef("pk"), expires_at__gt=now),
        Label.objects.filter(snapshot=OuterRef("pk")),
        CitationLabel.objects.filter(snapshot=OuterRef("pk")),
        UnsupportedClaim.objects.filter(snapshot=OuterRef("pk")),
    )
    searched = CitationSearch.objects.filter(attribution=OuterRef("attribution"), result=None, asked_at__gt=now - _LONGEST_SEARCH)
    for rows in (*begun, searched):
        free = free.filter(~Exists(rows))
    return free


def frame_of(items: QuerySet[QueueItem], draw: Draw, known: Mapping[UUID, frozenset[str]] | None = None) -> list[Candidate]:
    """Return the candidates, with strata if the design needs them. ``known`` has strata that were read already, by attribution."""
    if draw is not Draw.STRATIFIED:
        return [Candidate(pk) for pk in items.order_by("pk").values_list("pk", flat=True)]
    strata = dict(known or {})
    of_items = dict(items.order_by("pk").values_list("pk", "attribution_id"))
    strata |= strata_by_attribution(items.exclude(attribution__in=strata.keys() & {*of_items.values()}))
    return assign((pk, strata[attribution_id]) for pk, attribution_id in of_items.items())


def strata_by_attribution(items: QuerySet[QueueItem]) -> dict[UUID, frozenset[str]]:
    """Return the strata of the items' attributions by their ids."""
    rows = items.order_by("pk").values_list("attribution_id", "attribution__document")
    return {pk: strata_of(_read(document)) for pk, document in rows.iterator(chunk_size=_CHUNK)}


class _Row(TypedDict):
    """The keys of a field's row that plans read."""

    section: str
    path: str
    field_type: str
    track: str
    method: NotRequired[str]
    confidence: NotRequired[float]
    contradiction: NotRequired[Any]
    hidden: NotRequired[Any]


class _Finding(TypedDict):
    code: str


class _Document(TypedDict):
    fields: list[_Row]
    guardrails: list[_Finding]


_decoder = msgspec.json.Decoder(_Document)
"""Reads only the keys that are used: several times as fast as reading all of them."""


def _read(document: bytes | memoryview) -> Mapping[str, Any]:
    """Return a stored attribution. The decoder refuses the half of a character, which an answer that was cut off may hold."""
    content = zlib.decompress(bytes(document))
    try:
        return _decoder.decode(content)
    except msgspec.DecodeError:
        read: Mapping[str, Any] = json.loads(content)
        return read


def documents_of(items: QuerySet[QueueItem]) -> Iterator[tuple[UUID, Mapping[str, Any]]]:
    """Yield the items with their attributions as stored, as far as plans read them."""
    rows = items.order_by("pk").values_list("pk", "attribution__document")
    for pk, document in rows.iterator(chunk_size=_CHUNK):
        yield pk, _read(document)


MOST_READ = 100_000
"""Rows of fields that a plan reads at once, of all candidates: a few seconds."""


def is_too_long(items: QuerySet[QueueItem]) -> bool:
    """Return True if the items have more fields than a plan may read."""
    read = items.aggregate(rows=Sum("attribution__field_count"), answers=Count("pk"))
    return int(read["rows"] or 0) + int(read["answers"]) > MOST_READ


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
_PREVIEWED, _PREVIEWED_ROWS = 500, 20_000
"""The candidates, and the fields of these, whose strata a preview reads. The page is shown each time somebody looks at the draft."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The result of a preview. ``days`` is None if nobody has reviewed anything lately.

    ``looked_at`` is the number of candidates whose strata were read; if it is fewer than all, strata and rows are estimates.
    """

    candidates: int
    drawn: int
    rows: int
    reviews: int
    strata: Mapping[str, int]
    days: int | None
    looked_at: int


@transaction.atomic
def preview_of(
    organisation: Organisation, candidates: Mapping[str, Any], design: Design, overlap: int, now: datetime, seed: str = ""
) -> Preview:
    """Return what a plan would draw if it started now, and how long its reviews would take.

    ``seed`` is that of the plan, if it has one already.
    """
    items = candidates_of(organisation, candidates, now)
    frame = frame_of(items, Draw.ALL)
    looked_at = len(frame)
    if design.draw is Draw.STRATIFIED:
        read = _first_few(frame, seed)
        frame, looked_at = _estimate(frame, frame_of(items.filter(pk__in=read), design.draw)), len(read)
    drawn = draw(frame, design, seed)
    rows = QueueItem.objects.filter(pk__in=[each.id for each in drawn]).aggregate(rows=Sum("found_count"))["rows"] or 0
    strata = Counter(each.stratum for each in drawn) if design.draw is Draw.STRATIFIED else Counter[str]()
    reviews, common = len(drawn) * overlap, dict(strata.most_common())
    return Preview(len(frame), len(drawn), rows * overlap, reviews, common, _days(organisation, reviews, now), looked_at)


def _first_few(frame: Sequence[Candidate], seed: str) -> list[UUID]:
    """Return random candidates, as many as a page may read."""
    few = sorted((each.id for each in frame), key=lambda pk: _rank(seed, f"preview {pk}"))[:_PREVIEWED]
    rows = dict(QueueItem.objects.filter(pk__in=few).values_list("pk", "attribution__field_count"))
    read = [pk for pk, total in zip(few, accumulate(rows.get(pk, 0) for pk in few), strict=True) if total <= _PREVIEWED_ROWS]
    return read or few[:1]


def _estimate(frame: Sequence[Candidate], read: Sequence[Candidate]) -> list[Candidate]:
    """Give the candidates that were not read the strata of those that were, in turn."""
    strata = {each.id: each.stratum for each in read}
    others = cycle(sorted(strata.values()))
    return [Candidate(each.id, strata[each.id] if each.id in strata else next(others)) for each in frame]


def _days(organisation: Organisation, reviews: int, now: datetime) -> int | None:
    """Return the days that the reviews take at the pace of the review days of the last two weeks."""
    lately = Submission.objects.filter(organisation=organisation, submitted_at__gte=now - _LOOKED_BACK, submitted_at__lte=now)
    pace = lately.aggregate(count=Count("id"), days=Count(TruncDate("submitted_at"), distinct=True))
    return math.ceil(reviews * pace["days"] / pace["count"]) if pace["count"] else None
