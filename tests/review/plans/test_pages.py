"""The pages of plans: the litany for each, the form and its preview, the list and its progress."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from reviewers.review.adjudication.actions import reopen
from reviewers.review.leases import take_next
from reviewers.review.models import Draw, Guide, Plan, PlanState, QueueItem, Submission
from reviewers.review.plans import queries, sampling
from reviewers.review.plans.queries import list_plans
from reviewers.review.plans.sampling import Design, Triggers, preview_of
from tests.factories import NOW, make_item, sign_in
from tests.markup import read_markup
from tests.review.plans.planning import make_plan, review, run_blind, run_plan
from tests.web.forms import PLAN

TERMS = (
    "name",
    "draw",
    "share",
    "size",
    "triggers",
    "overlap",
    "is_blind",
    "rule",
    "stream",
    "guide_id",
    "control_share",
    "due_on",
    "seed",
)
PATHS = ["/plans/", "/plans/{plan}/"]


def read(member, path, status=200):
    response = sign_in(member).get(path)
    assert response.status_code == status
    return response.content.decode()


@pytest.mark.parametrize("path", PATHS)
def test_those_who_review_lead_or_audit_read_of_plans(item, lead, alice, auditor, path):
    plan = run_blind(lead, name="Sleep, twice")

    for member in (lead, alice, auditor):
        assert "Sleep, twice" in read(member, path.format(plan=plan.pk))


@pytest.mark.parametrize("path", PATHS)
def test_others_do_not(item, lead, coordinator, administrator, path):
    plan = run_blind(lead)

    for member in (coordinator, administrator):
        read(member, path.format(plan=plan.pk), 403)


def test_a_plan_of_another_organisation_is_not_there(item, lead, charlie):
    plan = run_blind(lead, name="Sleep, twice")

    assert "Sleep, twice" not in read(charlie, "/plans/")
    read(charlie, f"/plans/{plan.pk}/", 404)
    assert "Sleep, twice" not in read(charlie, f"/queue/?plan={plan.pk}")


@pytest.mark.parametrize("name", ["start", "stop"])
def test_only_leads_start_and_stop_plans(item, lead, alice, auditor, name):
    plan = make_plan(lead)

    for member in (alice, auditor):
        assert sign_in(member).post(f"/plans/{plan.pk}/{name}/").status_code == 403
    assert Plan.objects.get().state == PlanState.DRAFT
    assert sign_in(lead).post(f"/plans/{plan.pk}/{name}/")["Location"] == f"/plans/{plan.pk}/"
    assert Plan.objects.get().state == {"start": PlanState.RUNNING, "stop": PlanState.STOPPED}[name]
    assert sign_in(lead).post(f"/plans/{plan.pk}/start/").status_code == 409


def test_the_preview_says_what_would_be_drawn_and_writes_nothing(organisation, lead, alice):
    done, *_ = [make_item(organisation) for _ in range(4)]
    review(done, alice, now=timezone.now() - timedelta(days=1))

    page = read_markup(sign_in(lead).post("/plans/preview/", PLAN | {"draw": "number", "size": "2"}))

    assert page.one("h2", id="preview").text == "This draws 2 of 3 answers"
    assert "4 reviews, about 16 rows to label; at the present pace 4 days." in page.one("section").text
    assert not Plan.objects.exists()


def test_without_any_reviews_there_is_no_pace(item, lead):
    assert "no pace to go by" in sign_in(lead).post("/plans/preview/", PLAN).content.decode()


def test_a_draft_says_what_it_will_draw(organisation, lead):
    for _ in range(3):
        make_item(organisation)
    plan = make_plan(lead, design=Design(Draw.STRATIFIED, size=2))

    page = read_markup(sign_in(lead).get(f"/plans/{plan.pk}/"))

    assert page.one("h2", id="preview").text == "This draws 2 of 3 answers"
    assert page.find("form", action=f"/plans/{plan.pk}/start/")


def test_a_preview_reads_the_strata_of_a_few_answers(organisation, lead, monkeypatch):
    for _ in range(5):
        make_item(organisation)
    monkeypatch.setattr(sampling, "_PREVIEWED", 2)
    read = []
    monkeypatch.setattr(sampling, "strata_of", lambda document: read.append(document) or STRATA_OF(document))
    plan = make_plan(lead, design=Design(Draw.STRATIFIED, size=4))

    page = read_markup(sign_in(lead).get(f"/plans/{plan.pk}/"))

    assert page.one("h2", id="preview").text == "This draws 4 of 5 answers"
    assert "judged by 2 of the answers" in page.one("summary").text
    assert len(read) == 2


STRATA_OF = sampling.strata_of


def test_a_preview_reads_fewer_answers_where_these_are_long(organisation, monkeypatch):
    items = [make_item(organisation) for _ in range(3)]
    monkeypatch.setattr(sampling, "_PREVIEWED_ROWS", items[0].attribution.field_count)

    assert preview_of(organisation, {}, Design(Draw.STRATIFIED, size=3), 1, NOW).looked_at == 1


@pytest.mark.parametrize(
    "terms",
    [
        {"design": Design(Draw.STRATIFIED, size=1)},
        {"triggers": Triggers(below=0.5)},
        {"is_blind": True, "overlap": 2, "control_share": 0.1},
    ],
    ids=["strata", "conditions", "control rows"],
)
def test_a_plan_that_would_read_too_many_answers_does_not_start(item, lead, monkeypatch, terms):
    plan, other = make_plan(lead, **terms), make_plan(lead, name="Another plan")
    monkeypatch.setattr(sampling, "MOST_READ", 2)
    client = sign_in(lead)

    response = client.post(f"/plans/{plan.pk}/start/")

    assert (response.status_code, Plan.objects.get(pk=plan.pk).state) == (409, PlanState.DRAFT)
    assert "These are too many answers" in response.content.decode()
    assert client.post(f"/plans/{other.pk}/start/").status_code == 302


def test_strata_that_were_read_before_the_rows_were_locked_are_not_read_again(organisation):
    read, other = make_item(organisation), make_item(organisation, response="Nothing of it.")

    frame = sampling.frame_of(QueueItem.objects.all(), Draw.STRATIFIED, {read.attribution_id: frozenset({"read before"})})

    assert {each.id: each.stratum for each in frame} == {read.pk: "read before", other.pk: "nothing found"}


def test_what_the_form_says_is_what_the_plan_is(item, lead):
    form = PLAN | {
        "draw": "share",
        "share": "50",
        "guide": "Look.\r\nTwice.",
        "control_rows": "10",
        "due_on": "2026-04-01",
        "query": "model=model-a",
    }

    response = sign_in(lead).post("/plans/create/", form)

    plan = Plan.objects.get()
    assert response["Location"] == f"/plans/{plan.pk}/"
    assert (plan.draw, plan.share, plan.overlap, plan.is_blind, plan.stream) == ("share", 0.5, 2, True, "audit")
    assert (plan.control_share, str(plan.due_on), plan.guide.text) == (0.1, "2026-04-01", "Look.\nTwice.")
    assert plan.candidates == {"facets": {"model": ["model-a"]}}
    assert len(plan.seed) == 32


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"draw": "number"}, "Say how many."),
        ({"draw": "share"}, "Say how many."),
        ({"draw": "triggered", "stream": "none"}, "would wait for nothing"),
        ({"is_blind": ""}, "An audit is blind"),
        ({"below": "0.5"}, "no triggers"),
        ({"is_blind": "", "stream": "none", "control_rows": "10"}, "need a blind plan"),
        ({"overlap": "6"}, "less than or equal to 5"),
        ({"name": ""}, "required"),
    ],
)
@pytest.mark.parametrize("address", ["preview", "create"])
def test_what_cannot_be_is_said_beside_it(item, lead, changes, told, address):
    response = sign_in(lead).post(f"/plans/{address}/", PLAN | changes)

    assert response.status_code == 422
    assert told in response.content.decode()
    assert not Plan.objects.exists()


def test_the_same_guide_is_kept_once(item, lead):
    for name in ("one", "other"):
        make_plan(lead, name=name, guide="Look twice.")

    assert Guide.objects.count() == 1


def test_paragraphs_of_the_guide_are_paragraphs_of_the_page(item, lead):
    plan = make_plan(lead, guide="Look <twice>.\n\nThen label.")

    page = sign_in(lead).get(f"/plans/{plan.pk}/").content.decode()

    assert "<p>Look &lt;twice&gt;.</p>\n\n<p>Then label.</p>" in page


def test_so_many_plans_are_listed_running_ones_first(organisation, lead, monkeypatch):
    """All of them were, however many leads had made."""
    monkeypatch.setattr(queries, "MOST_LISTED", 2)
    make_item(organisation)
    run_plan(lead, name="runs")
    for name in ("older draft", "newer draft"):
        make_plan(lead, name=name)

    assert [row.name for row in list_plans(lead, NOW)] == ["runs", "newer draft"]
    assert "Up to 2 plans are listed." in read(lead, "/plans/")


def test_the_list_says_how_far_plans_are_and_which_are_overdue(organisation, lead, alice, bob):
    items = [make_item(organisation) for _ in range(3)]
    run_blind(lead, due_on=NOW.date())
    for reviewer in (alice, bob):
        review(items[0], reviewer)
    review(items[1], alice)

    (row,) = list_plans(alice, NOW + timedelta(days=2))

    assert (row.progress.to_do, row.progress.done, row.progress.conflicted, row.progress.mine) == (2, 1, 0, 2)
    assert row.is_overdue
    assert not list_plans(alice, NOW)[0].is_overdue
    assert "Overdue" in read(alice, "/plans/")


def test_the_queue_is_narrowed_to_plans_and_what_is_due_first_comes_first(organisation, lead, alice):
    for name in ("late", "soon", "none"):
        make_item(organisation, model=name)
    late, soon = (
        run_plan(lead, name=name, due_on=NOW.date() + timedelta(days=days), candidates={"facets": {"model": [name]}})
        for name, days in (("late", 9), ("soon", 1))
    )
    client = sign_in(alice)

    page = client.get(f"/queue/?plan={late.pk}&plan={soon.pk}&plan=nonsense").context["page"]
    assert [row.plan for row in page.rows] == ["late", "soon"]
    taken = client.post("/queue/next/", {"query": f"plan={late.pk}&plan={soon.pk}"})["Location"]
    assert taken == f"/items/{QueueItem.objects.get(plan=soon).pk}/"
    assert take_next(candidates=QueueItem.objects.filter(plan=late), by=alice, now=NOW)


def test_pages_of_plans_take_few_statements(organisation, lead, django_assert_max_num_queries):
    for number in range(4):
        make_item(organisation, model=f"m{number}")
        plan = run_blind(lead, candidates={"facets": {"model": [f"m{number}"]}})
    client = sign_in(lead)
    for path in ("/plans/", f"/plans/{plan.pk}/", "/plans/new/"):
        with django_assert_max_num_queries(12):
            client.get(path)


def test_a_seeded_row_stands_among_the_others_and_is_told_afterwards(item, lead, alice):
    run_blind(lead, control_share=0.5)
    before = read_markup(sign_in(alice).get(f"/items/{item.pk}/"))
    review(item, alice)

    page = read_markup(sign_in(alice).get(f"/items/{item.pk}/"))

    assert "attention" not in before.text.lower()
    assert len(before.find("tbody", data_row=True)) == item.found_count + 1
    assert "5 fields found in the answer" in before.text
    assert "This row was an attention check" in page.text
    assert Submission.objects.get().label_count == item.found_count + 1


def test_a_lead_changes_a_draft_on_the_form_it_was_made_with(item, lead):
    design, triggers = Design(Draw.SHARE, share=0.07), Triggers(0.5, ("safety.risk_level",), ("over_cited",))
    plan = make_plan(
        lead, name="Sleep", design=design, triggers=triggers, guide="Look twice.", is_blind=True, control_share=0.29, overlap=3
    )
    client = sign_in(lead)

    form = client.get(f"/plans/{plan.pk}/edit/").context["form"]
    sent = {name: value for name, value in form.initial.items() if value not in (None, "", False)}
    client.post(f"/plans/{plan.pk}/change/", sent)
    same = Plan.objects.get()
    assert {name: getattr(same, name) for name in TERMS} == {name: getattr(plan, name) for name in TERMS}

    assert client.post(f"/plans/{plan.pk}/change/", sent | {"name": "Sleep, once", "overlap": 1})["Location"] == f"/plans/{plan.pk}/"
    changed = Plan.objects.get()
    assert (changed.name, changed.overlap, changed.seed) == ("Sleep, once", 1, plan.seed)


def test_a_draft_is_not_changed_to_what_cannot_be(item, lead):
    plan = make_plan(lead)

    response = sign_in(lead).post(f"/plans/{plan.pk}/change/", PLAN | {"draw": "share"})

    assert response.status_code == 422
    assert "Say how many." in response.content.decode()
    assert Plan.objects.get().draw == plan.draw


def test_what_has_started_is_not_changed(item, lead):
    plan = run_blind(lead)
    client = sign_in(lead)

    assert client.get(f"/plans/{plan.pk}/edit/")["Location"] == f"/plans/{plan.pk}/"
    refused = client.post(f"/plans/{plan.pk}/change/", PLAN)
    assert refused.status_code == 409
    assert "Nothing of it can be changed any more." in refused.content.decode()


def test_others_change_no_plan(item, lead, alice, auditor):
    plan = make_plan(lead)
    for member in (alice, auditor):
        assert sign_in(member).get(f"/plans/{plan.pk}/edit/").status_code == 403
        assert sign_in(member).post(f"/plans/{plan.pk}/change/", PLAN).status_code == 403


def test_a_plan_that_was_finished_says_what_was_reopened_since_until_it_is_complete_again(organisation, lead, alice):
    items = [make_item(organisation) for _ in range(2)]
    plan = run_plan(lead, name="Sleep, once")
    for item in items:
        review(item, alice)
    assert "Open again" not in read(alice, f"/plans/{plan.pk}/")

    reopen(item_id=items[0].pk, reason="the guide was another one", by=lead, now=NOW)

    page = read(alice, f"/plans/{plan.pk}/")
    assert "This plan was finished" in page
    assert "1 of its answers is open again, 1 of them reopened by a lead." in page
    assert "Take the next of this plan" in page
    (row,) = list_plans(alice, NOW)
    assert (row.state.text, row.is_running, row.progress.done, row.progress.to_do, row.progress.mine) == ("Open again", False, 1, 1, 1)
    assert "Sleep, once" in read(alice, "/queue/"), "the queue can be narrowed to it"
    assert Plan.objects.get(pk=plan.pk).state == PlanState.FINISHED, "its record stays"

    review(items[0], alice)

    (row,) = list_plans(alice, NOW)
    assert (row.state.text, row.progress.done, row.progress.mine) == ("Finished", 2, 2)
    assert "Open again" not in read(alice, f"/plans/{plan.pk}/")
