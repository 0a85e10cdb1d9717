"""How far reviewers agree: what the page tells of a plan, to whom, and what it keeps to itself."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest
from django.utils import timezone

from attribution.calibration import agreement, cohen_kappa
from reviewers.accounts.models import Role
from reviewers.review.adjudication.actions import reopen
from reviewers.review.agreement.queries import build_agreement
from reviewers.review.agreement.statistics import CITATIONS, Rating, line_of
from reviewers.review.items import field_key
from reviewers.review.labels import actions
from reviewers.review.models import ControlRow, Verdict
from tests.factories import BOTH, NOW, as_seen_by, choose, make_item, make_member, sign_in
from tests.markup import read_markup
from tests.review.deciding.cases import make_conflict
from tests.review.plans.planning import label_all, review, run_blind, run_plan
from tests.statements import statements_of

LATELY = timezone.now() - timedelta(hours=2)


def call_correct(item, *reviewers):
    for reviewer in reviewers:
        actions.label_remaining(item_id=item.pk, by=reviewer, now=LATELY)
        actions.submit(item_id=item.pk, by=reviewer, now=LATELY)


@pytest.fixture
def many(organisation, lead, alice, bob):
    """Five answers on which two agree, and three on which they do not, in a plan; more than twenty rows."""
    first, second, third, *items = [make_item(organisation, **BOTH, conversation_id=f"talk {n}" if n % 2 else None) for n in range(8)]
    plan = run_plan(lead, overlap=2)
    for item in (first, second, third):
        call_correct(item, alice)
        review(item, bob, Verdict.WRONG, now=LATELY)
    for item in items:
        call_correct(item, alice, bob)
    return plan


def test_intervals_are_over_conversations_and_an_answer_without_one_stands_for_itself(many, lead):
    one, other = (
        page_of(lead, many).fields.percent.interval,
        agreement([["a", "a"]] * 5 + [["a", "b"]] * 3, groups=range(8)).percent.interval,
    )
    assert (one.low, one.high) == pytest.approx((other.low, other.high)), "rows of an answer say the same, so there are eight"


def page_of(member, plan=None, now=LATELY):
    return build_agreement(member, plan, now)


def test_figures_are_those_of_the_statistics(many, lead):
    page = page_of(lead, many)

    assert page.answers == 8
    line = page.fields
    assert line.percent.value == pytest.approx(5 / 8)
    assert line.by_verdict["negative"].value == 0.0, "what the one calls wrong the other never does"
    assert line.by_verdict["positive"].value == pytest.approx(10 / 13)
    assert line.cohen.value == 0.0
    assert line.fleiss.value == pytest.approx(-3 / 13)
    assert line.percent.interval.low < 5 / 8 < line.percent.interval.high
    assert page.citations.percent.value == 1.0
    assert {each.name for each in page.by_section} == {"safety", "provider_genome", "therapeutic_fit"}
    assert sum(each.rows for each in page.by_type) == line.rows


def test_agreement_on_citations_is_told_verdict_by_verdict():
    one, other = uuid4(), uuid4()
    pairs = [("supports", "supports")] * 10 + [("contradicts", "contradicts")] * 6 + [("does_not_say", "contradicts")] * 8
    ratings = [Rating("", "", {one: first, other: second}, str(number)) for number, (first, second) in enumerate(pairs)]

    line = line_of("All citations", ratings, CITATIONS)

    assert {name: each.value for name, each in line.by_verdict.items()} == {
        "supports": 1.0,
        "does_not_say": None,
        "contradicts": pytest.approx(12 / 20),
    }, "only eight were said to say nothing: too few to tell"
    assert list(line.figures) == ["percent", "supports", "does_not_say", "contradicts", "cohen", "fleiss", "alpha", "ac1"]
    assert line.cohen.value == pytest.approx(cohen_kappa(pairs).value)
    assert 0 < line.cohen.value < 1, "who says nothing and who says otherwise disagree"


def test_the_table_of_citations_names_what_can_be_said_of_a_source(many, lead):
    page = read_markup(sign_in(lead).get(f"/plans/{many.pk}/agreement/"))

    heads = [each.text for each in page.one("section", aria_labelledby="citations").one("thead").find("th")]
    assert heads[3:6] == ["On supports", "On does not say", "On contradicts"]


def test_gates_are_in_words(many, lead):
    gate, seeded = page_of(lead, many).gates

    assert (gate.badge.text, gate.because) == ("Does not hold", "0.00; 0.60 is the least")
    assert (seeded.badge.text, seeded.because) == ("Cannot tell yet", "0 attention-check rows judged; at least 20 needed")


def test_small_counts_tell_nothing_yet(organisation, lead):
    conflict = make_conflict(organisation)

    page = page_of(lead, conflict.plan)
    text = sign_in(lead).get(f"/plans/{conflict.plan_id}/agreement/").content.decode()

    assert not page.fields.is_enough
    assert page.fields.by_verdict["negative"].value is None
    assert page.gates[0].badge.text == "Cannot tell yet"
    assert "cannot tell yet" in text


def test_of_three_people_there_is_no_kappa_of_two(organisation, lead, alice, bob):
    items = [make_item(organisation, **BOTH) for _ in range(2)]
    run_plan(lead, overlap=2)
    call_correct(items[0], alice, bob)
    call_correct(items[1], alice, make_member(organisation))

    assert page_of(lead).fields.cohen.value is None
    assert page_of(lead).fields.percent.value == 1.0


def test_what_is_under_review_is_left_out_whatever_it_is(many, organisation, lead, alice, bob, auditor):
    before = {who: sign_in(who).get("/agreement/").content for who in (lead, alice, auditor)}
    item = make_item(organisation, **BOTH, model="another")
    run_blind(lead, candidates={"facets": {"model": ["another"]}})
    review(item, alice, Verdict.MISSTATED, now=LATELY)
    label_all(item, bob, Verdict.WRONG, now=LATELY)

    assert "8 answers" in before[lead].decode()
    for who, page in before.items():
        assert main_of(sign_in(who).get("/agreement/").content) == main_of(page)


def main_of(page: bytes) -> str:
    return page.decode().partition("<main")[2].partition("</main>")[0]


def test_reopened_answers_are_left_out_until_they_are_reviewed_again(many, lead, alice, bob):
    item_id = many.items.first().item_id
    reopen(item_id=item_id, reason="look again", by=lead, now=NOW)

    assert page_of(lead, many).answers == 7


def test_only_plans_in_which_several_look_count(organisation, lead, alice):
    item = make_item(organisation)
    run_plan(lead)
    review(item, alice, now=timezone.now())

    assert page_of(lead).answers == 0
    assert "No field was judged by two people yet" in sign_in(lead).get("/agreement/").content.decode()


def test_of_all_plans_only_the_last_days_count(many, lead):
    assert page_of(lead, now=LATELY + timedelta(days=89)).answers == 8
    assert page_of(lead, now=LATELY + timedelta(days=91)).answers == 0
    assert page_of(lead, many, now=LATELY + timedelta(days=91)).answers == 8


@pytest.fixture
def seeded(organisation, lead, alice, bob):
    """A plan with seeded rows; Alice calls every row correct, Bob the wrong ones wrong."""
    items = [make_item(organisation, **BOTH) for _ in range(3)]
    plan = run_blind(lead, control_share=0.5)
    for item in items:
        review(item, alice, now=LATELY)
        wrong = set(ControlRow.objects.filter(drawn__item=item.pk, is_right=False).values_list("section", "path"))
        found = actions.take(item_id=item.pk, by=bob, now=LATELY)
        for number in list(found.unlabelled):
            verdict = Verdict.WRONG if field_key(found.attribution.fields[number]) in wrong else Verdict.CORRECT
            actions.save_label(choice=choose(item, number), verdict=verdict, by=bob, now=LATELY)
        review(item, bob, now=LATELY)
    assert ControlRow.objects.filter(is_right=False).exists()
    return plan


def test_a_lead_sees_who_noticed_seeded_rows_and_the_others_see_themselves(seeded, lead, alice, bob, auditor):
    wrong = ControlRow.objects.filter(is_right=False).count()

    assert {row.name: (row.caught, row.wrong) for row in page_of(lead, seeded).reviewers} == {
        "Alice Aldous": (0, wrong),
        "Bob Birch": (wrong, wrong),
    }
    for who, caught in ((alice, 0), (bob, wrong)):
        (own,) = page_of(who, seeded).reviewers
        assert (own.name, own.is_viewer, own.caught) == (who.user.name, True, caught)
    assert page_of(auditor, seeded).reviewers == []


@pytest.mark.parametrize("path", ["/agreement/", "/plans/{plan}/agreement/"])
def test_nobody_but_they_and_leads_read_of_it(seeded, lead, alice, bob, auditor, path):
    path = path.format(plan=seeded.pk)
    texts = {who: main_of(sign_in(who).get(path).content) for who in (lead, alice, bob, auditor)}

    assert "Alice Aldous" in texts[lead]
    assert "Bob Birch" in texts[lead]
    assert "Bob Birch" not in texts[alice]
    assert "Alice Aldous" not in texts[bob]
    assert not any(name in texts[auditor] for name in ("Alice Aldous", "Bob Birch", "known to be wrong"))
    assert "known to be wrong" not in texts[alice]


def test_what_is_said_of_a_seeded_row_once_it_is_known_to_be_one_does_not_count(seeded, lead, alice):
    row = ControlRow.objects.filter(is_right=False).select_related("drawn__item").first()
    item = row.drawn.item
    number = next(n for n, each in enumerate(as_seen_by(alice, item).attribution.fields) if field_key(each) == (row.section, row.path))
    later = LATELY + timedelta(hours=1)
    actions.save_label(choice=choose(item, number, "I see it now"), verdict=Verdict.WRONG, by=alice, now=later)

    (own,) = page_of(alice, seeded).reviewers
    assert own.caught == 0


def test_the_pace_is_the_median_between_labels_without_breaks(organisation, lead, alice, bob):
    item = make_item(organisation, **BOTH)
    run_blind(lead)
    review(item, bob, now=LATELY)
    found = actions.take(item_id=item.pk, by=alice, now=LATELY)
    moments = [0, 4, 12, 612]
    for number, seconds in zip(list(found.unlabelled), moments, strict=False):
        moment = LATELY + timedelta(seconds=seconds)
        actions.save_label(choice=choose(item, number), verdict=Verdict.CORRECT, by=alice, now=moment)
    review(item, alice, now=LATELY + timedelta(seconds=620))

    seconds = {row.name: row.seconds for row in page_of(lead).reviewers}
    assert seconds["Alice Aldous"] == pytest.approx(6, abs=2)
    assert seconds["Bob Birch"] is None


@pytest.mark.parametrize("path", ["/agreement/", "/plans/{plan}/agreement/"])
def test_the_litany(many, organisation, charlie, path):
    path = path.format(plan=many.pk)
    statuses = {Role.LEAD: 200, Role.REVIEWER: 200, Role.AUDITOR: 200, Role.COORDINATOR: 403, Role.ADMINISTRATOR: 403}
    for role, status in statuses.items():
        assert sign_in(make_member(organisation, role)).get(path).status_code == status
    assert sign_in(charlie).get(path).status_code == (200 if path == "/agreement/" else 404)
    assert "8 answers" not in sign_in(charlie).get("/agreement/").content.decode()


def test_pages_take_as_many_statements_for_many_answers_as_for_one(many, organisation, lead):
    one = make_conflict(organisation)
    client = sign_in(lead)

    counts = [len(statements_of(partial(client.get, f"/plans/{plan}/agreement/"))) for plan in (one.plan_id, many.pk)]

    assert counts[0] == counts[1] <= 12


def test_the_table_shows_figures_with_intervals(many, lead):
    page = read_markup(sign_in(lead).get(f"/plans/{many.pk}/agreement/"))

    first = page.one("section", aria_labelledby="fields").one("table").find("tbody")[0].find("tr")[0]
    assert "0.62" in first.text
    assert " to " in first.text
