"""Several reviewers at once on a plan: never more hold or finish an item than it wants."""

from __future__ import annotations

from functools import partial

import pytest

from reviewers.accounts.models import Role
from reviewers.accounts.policies import Refused
from reviewers.review.labels import actions
from reviewers.review.leases import take_next
from reviewers.review.models import Lease, Phase, QueueItem, Submission
from tests.factories import NOW, make_item, make_member, make_organisation
from tests.review.plans.planning import review, run_blind
from tests.threads import at_once, in_rounds

REVIEWERS = 8
OVERLAP = 2

pytestmark = pytest.mark.usefixtures("committed")


def start(items):
    organisation = make_organisation()
    made = [make_item(organisation, response="Your risk is elevated.") for _ in range(items)]
    run_blind(make_member(organisation, Role.LEAD), overlap=OVERLAP)
    return made, [make_member(organisation, name=f"Reviewer {number}") for number in range(REVIEWERS)]


def hold_in_turns(rounds):
    """All try to hold one item at once, round by round; who gets in looks how many hold it, and lets go."""
    (item,), reviewers = start(1)

    def attempt(reviewer):
        try:
            actions.take(item_id=item.pk, by=reviewer, now=NOW)
        except Refused:
            return 0
        holders = Lease.objects.filter(item=item.pk).count()
        actions.let_go(item_id=item.pk, by=reviewer, now=NOW)
        return holders

    seen = [count for told in in_rounds([partial(attempt, reviewer) for reviewer in reviewers], rounds) for count in told]
    assert max(seen) <= OVERLAP
    assert sum(count > 0 for count in seen) >= rounds, "each round somebody got in"


def test_never_more_than_two_hold_an_item():
    hold_in_turns(25)


@pytest.mark.exhaustive
def test_never_more_than_two_hold_an_item_in_500_rounds():
    hold_in_turns(500)


def test_of_all_who_review_one_item_at_once_two_finish_it():
    (item,), reviewers = start(1)

    def attempt(reviewer):
        try:
            review(item, reviewer)
        except Refused:
            return False
        return True

    done = at_once([partial(attempt, reviewer) for reviewer in reviewers])

    assert sum(done) == Submission.objects.count() == OVERLAP
    assert QueueItem.objects.get().phase == Phase.COMPLETE
    assert not Lease.objects.exists()


def test_all_who_take_the_next_items_at_once_share_them_two_by_two():
    items, reviewers = start(4)

    taken = at_once([partial(take_next, candidates=QueueItem.objects.all(), by=reviewer, now=NOW) for reviewer in reviewers])

    counts = [taken.count(item.pk) for item in items]
    assert max(counts) <= OVERLAP
    assert sum(counts) + taken.count(None) == REVIEWERS
    while None in taken:  # whoever met only rows that others were taking asks again
        place = taken.index(None)
        taken[place] = take_next(candidates=QueueItem.objects.all(), by=reviewers[place], now=NOW)
    assert sorted(taken.count(item.pk) for item in items) == [OVERLAP] * 4
