"""The benchmark that goes through the site: answers drawn by a plan, reviewed as their labels say, and nothing of it kept."""

from __future__ import annotations

from benchmarks.calibration.reviewed import Reviewing
from reviewers.accounts.models import Role
from reviewers.calibration.fitting import SCORES
from reviewers.review.models import Label, Plan, QueueItem, Stream
from tests.benchmarks.labelled import turn
from tests.factories import make_item, make_member


def site_of(organisation, turns):
    for each in turns:
        make_item(
            organisation, **{key: each[key] for key in ("id", "user_text", "response", "context")}, model="labelled", prompt_version=None
        )
    truths = {each["id"]: {(label["section"], label["path"]): label["referenced"] for label in each["gold"]} for each in turns}
    reviewer, lead = (make_member(organisation, role, role) for role in (Role.REVIEWER, Role.LEAD))
    return Reviewing(organisation, reviewer, lead, truths)


def test_labels_are_drawn_by_a_plan_and_given_as_the_truth_is(organisation):
    turns = [turn(1), turn(2, response="Nothing of it at all."), turn(3)]
    turns[1]["gold"][2]["referenced"] = True  # the city was missed
    site = site_of(organisation, turns)

    (found,) = site.proposals(Stream.AUDIT, [7], "one")

    assert sorted(found.answers) == ["turn-1", "turn-2", "turn-3"]
    assert found.labels == 7
    assert found.table == SCORES
    assert found.refusal.startswith("There are 7 labels, and 100 are the fewest.")


def test_nothing_of_a_draw_stays(organisation):
    site = site_of(organisation, [turn(1), turn(2)])

    first = [each.answers for each in site.proposals(Stream.AUDIT, [2], "one")]

    assert first == [each.answers for each in site.proposals(Stream.AUDIT, [2], "one")]
    assert not Plan.objects.exists()
    assert not Label.objects.exists()
    assert not QueueItem.objects.exclude(plan=None).exists()


def test_rows_are_those_that_the_site_has_stored(organisation):
    turns = [turn(1)]
    rows = {each.path: each for each in site_of(organisation, turns).observations(turns)}

    assert (rows["fee"].claims, rows["fee"].score, rows["fee"].is_used) == (True, 0.95, True)
    assert (rows["city"].claims, rows["city"].is_used) == (False, False)
