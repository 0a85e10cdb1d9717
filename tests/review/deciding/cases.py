"""Items on which reviewers differ, as tests need them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reviewers.accounts.models import Membership, Organisation, Role
from reviewers.review.adjudication.actions import Ruling, decide_conflict
from reviewers.review.adjudication.decisions import ItemReviews, LabelledRow, load_item_reviews
from reviewers.review.models import Phase, QueueItem, Verdict
from tests.factories import BOTH, NOW, as_seen_by, make_item, make_member
from tests.review.plans.planning import review, run_blind

BRIEF: Mapping[str, Any] = BOTH | {
    "response": "Your risk is elevated [[SF:risk_level]], the fit 85%. Whoever takes other medicines should ask first [2].",
    "context": {"safety": {"risk_level": "elevated"}, "therapeutic_fit": {"fit_score": 0.85}},
}
"""An answer that draws on two fields and cites a document."""

REASON = "the sentence before it says so"


def make_conflict(organisation: Organisation, note: str = "", record: Mapping[str, Any] = BRIEF, **terms: Any) -> QueueItem:
    """One that two people have reviewed blind: the one calls every row correct, the other wrong."""
    item = make_item(organisation, **record, model="conflicted")
    lead = make_member(organisation, Role.LEAD, "Petra Planner")
    run_blind(lead, **{"name": "Conflicted", "candidates": {"facets": {"model": ["conflicted"]}}} | terms)
    review(item, make_member(organisation, name="Una Ulm"), Verdict.CORRECT)
    review(item, make_member(organisation, name="Vera Voss"), Verdict.WRONG, note)
    return QueueItem.objects.select_related("snapshot", "attribution", "plan").get(pk=item.pk)


def case_of(item: QueueItem, member: Membership) -> ItemReviews:
    """Return the labels and decisions of a review item."""
    return load_item_reviews(as_seen_by(member, item))


def ruling_of(item: QueueItem, row: LabelledRow, verdict: str = Verdict.WRONG, **changes: Any) -> Ruling:
    """To decide a row as it is now."""
    seen = {"attribution_id": item.attribution_id, "labels": [label.id for label in row.labels]}
    return Ruling(**{"item_id": item.pk, "verdict": verdict, "reason": REASON} | seen | changes)


def decide_one(item: QueueItem, by: Membership, verdict: str = Verdict.WRONG) -> ItemReviews:
    """The first conflict alone."""
    return decide_conflict(ruling=ruling_of(item, case_of(item, by).conflicts[0], verdict), by=by, now=NOW)


def decide_all(item: QueueItem, by: Membership, verdict: str = Verdict.WRONG) -> ItemReviews:
    """One conflict after the other."""
    case = case_of(item, by)
    for row in case.conflicts:
        case = decide_conflict(ruling=ruling_of(item, row, verdict), by=by, now=NOW)
    return case


def phase_of(item: QueueItem) -> str:
    return Phase(QueueItem.objects.get(pk=item.pk).phase)
