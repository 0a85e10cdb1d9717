"""Plans as tests make them, by the actions the site itself uses."""

from __future__ import annotations

from typing import Any

from reviewers.accounts.models import Membership, Organisation, Role
from reviewers.review.labels import actions
from reviewers.review.labels.actions import save_citation_label
from reviewers.review.models import CitationVerdict, Draw, Plan, QueueItem, Verdict
from reviewers.review.plans.actions import create_plan, start_plan
from reviewers.review.plans.sampling import Design, PlanTerms, Triggers
from tests.factories import NOW, choose, make_item, make_member


def make_plan(lead: Membership, **terms: Any) -> Plan:
    """A draft."""
    return create_plan(terms=PlanTerms(**{"name": "A plan"} | terms), by=lead, now=NOW, seed="a seed")


def run_plan(lead: Membership, **terms: Any) -> Plan:
    """One that has started."""
    return start_plan(plan_id=make_plan(lead, **terms).pk, by=lead, now=NOW)


def run_blind(lead: Membership, **terms: Any) -> Plan:
    """Two reviewers an item, who know nothing of each other."""
    return run_plan(lead, **{"overlap": 2, "is_blind": True} | terms)


def review(item: QueueItem, by: Membership, verdict: Verdict = Verdict.CORRECT, note: str = "", now: Any = NOW) -> None:
    """Label every found row and every citation alike, and submit."""
    label_all(item, by, verdict, note, now)
    actions.submit(item_id=item.pk, by=by, now=now)


def label_all(item: QueueItem, by: Membership, verdict: Verdict = Verdict.CORRECT, note: str = "", now: Any = NOW) -> None:
    """Label every found row and every citation alike, without submitting."""
    found = actions.take(item_id=item.pk, by=by, now=now)
    for number in list(found.unlabelled):
        actions.save_label(choice=choose(item, number), verdict=verdict, note=note, by=by, now=now)
    for citation in list(found.unlabelled_citations):
        save_citation_label(choice=choose(item, citation.number), verdict=CitationVerdict.SUPPORTS, note=note, by=by, now=now)


def run_to_the_end(organisation: Organisation) -> None:
    """A plan that draws an item and is finished, and one that an item is called into."""
    lead, reviewer = make_member(organisation, Role.LEAD), make_member(organisation)
    drawn, called = make_item(organisation, model="drawn"), make_item(organisation, model="called")
    run_plan(lead, candidates={"facets": {"model": ["drawn"]}})
    review(drawn, reviewer)
    triggers = Triggers(missing=("nothing.like_it",))
    run_plan(lead, candidates={"facets": {"model": [called.snapshot.model]}}, design=Design(Draw.TRIGGERED), triggers=triggers)
