"""The page of reviewer agreement: agreement, attention, pace, and the gates that depend on them; and a model’s agreement with people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from attribution.calibration import Attention, Gate, attention, reviewer_gates
from reviewers.accounts.models import Membership, Organisation
from reviewers.review.agreement.statistics import (
    CITATIONS,
    FEWEST,
    FEWEST_CALLED_SO,
    WRONG,
    AgreementLine,
    Rating,
    agreement_on,
    called,
    counting_labels,
    line_of,
    line_of_claims,
    lines_by,
    load_citation_ratings,
    load_claim_ratings,
    load_field_ratings,
    reviewed_items,
)
from reviewers.review.masking.masks import mask_key
from reviewers.review.models import CitationLabel, ControlRow, Label, Plan, QueueItem, Submission, Truth
from reviewers.review.visibility import is_under_blind_review, sees_attention_of_all
from reviewers.review.wording import METHODS, Badge
from reviewers.snapshots.citations import CitationKey
from reviewers.snapshots.models import SupportJudgement

_BREAK = timedelta(minutes=5)
"""A longer time without a label is a break."""

ControlResult = tuple[bool, bool]
"""True if the control row is right, and True if it was called right."""


@dataclass(frozen=True, slots=True)
class Reviewer:
    """The figures of one reviewer.

    ``reviews`` are those that count, ``control_results`` their verdicts on control rows, ``seconds`` the median time between labels.
    """

    name: str
    is_viewer: bool
    reviews: int
    control_results: Sequence[ControlResult]
    seconds: float | None

    @property
    def attention(self) -> Attention:
        """Return the shares of right and wrong control rows that were recognised, with intervals."""
        return attention(self.control_results)

    @property
    def wrong(self) -> int:
        """Return the number of wrong control rows."""
        return sum(not truth for truth, _ in self.control_results)

    @property
    def caught(self) -> int:
        """Return the number of wrong control rows that were called wrong."""
        return sum(not truth and not said for truth, said in self.control_results)


def load_reviewers(items: QuerySet[QueueItem], by: Membership) -> list[Reviewer]:
    """Return the reviewers whose figures the member may see, themselves first, then by name. In three queries."""
    reviews = Submission.objects.filter(snapshot__item__in=items, round=F("snapshot__item__round")).select_related("reviewer")
    if not sees_attention_of_all(by):
        reviews = reviews.filter(reviewer=by.user_id)
    people: dict[UUID, list[Submission]] = {}
    for review in reviews:
        people.setdefault(review.reviewer_id, []).append(review)
    control_results, seconds = _control_results_of(items, list(people)), _seconds_of(items, list(people))
    rows = [
        Reviewer(own[0].reviewer.name, pk == by.user_id, len(own), control_results.get(pk, ()), seconds.get(pk))
        for pk, own in people.items()
    ]
    return sorted(rows, key=lambda row: (not row.is_viewer, row.name))


def load_control_results(items: QuerySet[QueueItem]) -> list[ControlResult]:
    """Return the verdicts of all reviewers on control rows, in one query."""
    return [each for its in _control_results_of(items, None).values() for each in its]


def _control_results_of(items: QuerySet[QueueItem], people: Sequence[UUID] | None) -> Mapping[UUID, Sequence[ControlResult]]:
    """Return the verdicts on control rows at submission, by reviewer. Later the page says which they are, so only first rounds count."""
    seeded = ControlRow.objects.filter(
        drawn__item=OuterRef("snapshot"), drawn__plan=F("drawn__item__plan"), section=OuterRef("section"), path=OuterRef("path")
    )
    names = ("reviewer_id", "snapshot_id", "section", "path")
    labels = _before_submission(items, people).filter(Exists(seeded)).order_by(*names, "-id").distinct(*names)
    right = Exists(seeded.filter(is_right=True))
    table: dict[UUID, list[ControlResult]] = {}
    for reviewer_id, truth, is_right in labels.annotate(is_right=right).values_list("reviewer_id", "truth", "is_right"):
        if truth in (Truth.USED, Truth.NOT_USED):
            table.setdefault(reviewer_id, []).append((is_right, truth == Truth.USED))
    return table


def _seconds_of(items: QuerySet[QueueItem], people: Sequence[UUID]) -> Mapping[UUID, float]:
    """Return the median time between labels of one review by reviewer, without breaks. Labels given by one action count once."""
    given = _before_submission(items, people).order_by("reviewer_id", "snapshot_id", "created_at")
    moments: dict[tuple[UUID, UUID], list[datetime]] = {}
    for reviewer_id, item_id, moment in given.values_list("reviewer_id", "snapshot_id", "created_at"):
        moments.setdefault((reviewer_id, item_id), []).append(moment)
    gaps: dict[UUID, list[float]] = {}
    for (reviewer_id, _), given_at in moments.items():
        passed = (after - before for before, after in pairwise(given_at))
        gaps.setdefault(reviewer_id, []).extend(gap.total_seconds() for gap in passed if timedelta() < gap < _BREAK)
    return {reviewer_id: median(each) for reviewer_id, each in gaps.items() if each}


def _before_submission(items: QuerySet[QueueItem], people: Sequence[UUID] | None) -> QuerySet[Label]:
    """Return the labels given before submission in the first round, of some people or of all."""
    review = Submission.objects.filter(
        Q(submitted_at__gte=OuterRef("created_at")), snapshot=OuterRef("snapshot"), reviewer=OuterRef("reviewer"), round=1
    )
    given = Label.objects.filter(Exists(review), snapshot__item__in=items.filter(round=1))
    return given if people is None else given.filter(reviewer__in=people)


# The page.


LOOKED_BACK = timedelta(days=90)
"""How far the page of all plans looks back."""

_HOLDS = Badge("Holds", "good", "check")
_FAILS = Badge("Does not hold", "bad", "cross")
_OPEN = Badge("Cannot tell yet", "unsure", "unsure")


@dataclass(frozen=True, slots=True)
class GateLine:
    """A gate in words: whether it holds, if it can be told, and the figures behind it."""

    badge: Badge
    title: str
    because: str

    @property
    def fails(self) -> bool:
        """True if the gate is known not to hold."""
        return self.badge is _FAILS


class SampleSize(NamedTuple):
    """The number of rows that a gate rests on, and the fewest that it needs."""

    number: int
    fewest: int
    what: str


@dataclass(frozen=True, slots=True)
class AgreementPage:
    """The page. ``answers`` are those with all reviews."""

    answers: int
    gates: Sequence[GateLine]
    fields: AgreementLine
    by_type: Sequence[AgreementLine]
    by_section: Sequence[AgreementLine]
    citations: AgreementLine
    claims: AgreementLine
    reviewers: Sequence[Reviewer]
    sees_all: bool
    fewest: int = FEWEST


def build_agreement(by: Membership, plan: Plan | None, now: datetime) -> AgreementPage:
    """Return the page of one plan, or of all recent reviews of the organisation."""
    items = reviewed_items(by.organisation, plan, None if plan else now - LOOKED_BACK)
    fields, citations = load_field_ratings(items), load_citation_ratings(items)
    reviewers = load_reviewers(items, by)
    sees_all = sees_attention_of_all(by)
    return AgreementPage(
        answers=items.count(),
        gates=_gates(fields, [each for reviewer in reviewers for each in reviewer.control_results] if sees_all and reviewers else None),
        fields=line_of("All fields", fields),
        by_type=lines_by(fields, lambda rating: METHODS.get(rating.field_type, rating.field_type) or "unknown"),
        by_section=lines_by(fields, lambda rating: mask_key(rating.section) if by.is_external else rating.section),
        citations=line_of("All citations", citations, CITATIONS),
        claims=line_of_claims(load_claim_ratings(items)),
        reviewers=reviewers,
        sees_all=sees_all,
    )


def gates_on(items: QuerySet[QueueItem], by: Membership) -> list[GateLine]:
    """Return the gates on the labels of some reviewed items, as far as the member may see them. In two queries."""
    fields = load_field_ratings(items.filter(overlap__gt=1))
    return _gates(fields, load_control_results(items) if sees_attention_of_all(by) else None)


def _gates(fields: Sequence[Rating], control_results: Sequence[ControlResult] | None) -> list[GateLine]:
    """Return the gates that labels must pass before profiles are fitted to them.

    The one on control rows is only for members who may see the figures of all reviewers.
    """
    found = agreement_on(fields)
    wrong = sum(not truth for truth, _ in control_results or ())
    agree, notice = reviewer_gates(WRONG, found, attention(control_results or ()))
    called_so = SampleSize(called(WRONG, fields), FEWEST_CALLED_SO, "rows that one of two called wrong")
    lines = [_gate("Reviewers agree on what is wrong", called_so, agree)]
    if control_results is not None:
        title = "Reviewers notice what is known to be wrong"
        lines.append(_gate(title, SampleSize(wrong, FEWEST, "attention-check rows judged"), notice))
    return lines


def _gate(title: str, counted: SampleSize, gate: Gate) -> GateLine:
    if counted.number < counted.fewest:
        return GateLine(_OPEN, title, f"{counted.number} {counted.what}; at least {counted.fewest} needed")
    return GateLine(_HOLDS if gate.is_passed else _FAILS, title, gate.because)


# Agreement of a model’s judgements on citations with the labels of people.


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
