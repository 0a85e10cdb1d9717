"""The demonstration's plan: blind, two reviewers an answer, with seeded rows and a guide.

Of part of it the reviews are in: on one answer they differ, and it awaits a lead; on another they did, until the lead decided.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone

from reviewers.accounts.models import Membership
from reviewers.review import actions
from reviewers.review.authoring import RowChoice
from reviewers.review.citation_actions import save_citation_label
from reviewers.review.citation_models import CitationVerdict
from reviewers.review.deciding.actions import Ruling, decide_conflict
from reviewers.review.deciding.loading import load_case
from reviewers.review.item_loading import load_item
from reviewers.review.items import Item
from reviewers.review.models import Verdict
from reviewers.review.plan_models import Draw
from reviewers.review.plans.actions import create_plan, start_plan
from reviewers.review.plans.drawing import Design
from reviewers.review.plans.terms import Terms

NAME = "Second look, blind"
SIZE = 8
_DUE = timedelta(days=9)
_SECONDS_A_LABEL = 4
_GUIDE = """\
A row claims that the answer draws on a field of the record. Call it correct if the answer says what the field says, in whatever words; \
wrong if the answer says nothing of it, or says it for another reason; misstated if it speaks of the field but gives another value.

A citation supports its words if somebody who has only the source would agree with them. What is true but does not stand in the source \
is not supported.

Judge each row on its own. Do not talk about an answer before both reviews are in."""


def load_plan(*, lead: Membership, first: Membership, second: Membership, now: datetime) -> None:
    """Make and start it; the first reviewer finishes four of its answers, the second three of them.

    On one of these they agree, on two they do not; one of those the lead decides, the other awaits it.
    """
    terms = Terms(
        name=NAME,
        design=Design(Draw.NUMBER, size=SIZE),
        overlap=2,
        is_blind=True,
        guide=_GUIDE,
        gold_share=0.1,
        due_on=timezone.localdate(now + _DUE),
    )
    begun = now - timedelta(hours=30)
    plan = create_plan(terms=terms, by=lead, now=begun, seed="harbor lights")
    start_plan(plan_id=plan.pk, by=lead, now=begun + timedelta(minutes=5))
    by_rows = plan.items.order_by("-item__found_count", "ordinal")  # whatever was drawn, there are rows to differ on
    waits, decided, agreed, half = (each.item_id for each in by_rows[:4])
    for minutes, pk, reviewer, is_wrong in (
        (20, waits, first, False),
        (40, half, first, False),
        (60, agreed, first, False),
        (75, decided, first, False),
        (90, waits, second, True),
        (110, agreed, second, False),
        (125, decided, second, True),
    ):
        moment = begun + timedelta(minutes=minutes)
        _review(actions.take(item_id=pk, by=reviewer, now=moment), reviewer, moment, is_wrong=is_wrong)
    _decide(decided, lead, begun + timedelta(hours=20))


def _decide(item_id: UUID, lead: Membership, now: datetime) -> None:
    """With the first of the two, on every row."""
    item = load_item(lead, item_id)
    for row in load_case(item).conflicts:
        labels, verdict = [label.id for label in row.labels], row.labels[0].verdict.value
        ruling = Ruling(item_id, item.row.attribution_id, labels, verdict, "The answer says so in other words.")
        decide_conflict(ruling=ruling, by=lead, now=now)


def _review(item: Item, by: Membership, now: datetime, *, is_wrong: bool) -> None:
    """Call every row correct, but perhaps the first, and every citation supported; submit."""
    for place, number in enumerate(list(item.unlabelled)):
        now += timedelta(seconds=_SECONDS_A_LABEL)
        verdict, note = (Verdict.WRONG, "It speaks of something else here.") if is_wrong and place == 0 else (Verdict.CORRECT, "")
        choice = RowChoice(item.id, item.row.attribution_id, number)
        actions.save_label(choice=choice, verdict=verdict, note=note, by=by, now=now)
    for citation in list(item.unlabelled_citations):
        now += timedelta(seconds=_SECONDS_A_LABEL)
        choice = RowChoice(item.id, item.row.attribution_id, citation.number)
        save_citation_label(choice=choice, verdict=CitationVerdict.SUPPORTS, by=by, now=now)
    actions.submit(item_id=item.id, by=by, now=now)
