"""The inbox: who finds what in it, what takes it off again, and that a blind review shows nothing there."""

from __future__ import annotations

import pytest
from django.db import connection
from django.utils import timezone

from reviewers.accounts.actions import add_member
from reviewers.accounts.models import Membership, Role
from reviewers.ledger.models import RedactionBasis
from reviewers.review.adjudication.actions import reopen
from reviewers.review.inbox import MENTIONS, OWN_SOURCES, count_inbox, load_inbox
from reviewers.review.labels import actions
from reviewers.review.models import Verdict
from reviewers.review.redaction.actions import propose
from reviewers.review.talk.comments import write_comment
from reviewers.review.talk.flags import resolve_flag
from reviewers.web.tenancy import tenant
from tests.calibration.standing import Standing
from tests.factories import NOW, choose_finding, flag_finding, make_item, make_member, make_organisation, sign_in
from tests.markup import read_markup
from tests.review.deciding.cases import make_conflict
from tests.review.holds.held import make_lifting
from tests.review.plans.planning import review, run_blind
from tests.review.redacting.redactable import lead_and_administrator, make_proposal, make_redactable, names_of
from tests.snapshots.schemas import make_schema
from tests.snapshots.trust_tables import make_table


def told(member):
    return {group.title: [entry.what for entry in group.entries] for group in load_inbox(member)}


def test_a_lead_finds_what_waits_for_a_lead(organisation, item, alice, lead):
    make_conflict(organisation)
    make_proposal(item)
    make_schema(organisation)
    make_table(organisation)
    make_lifting(organisation)
    Standing(organisation)
    flag_finding(choice=choose_finding(item, "over_cited"), note="look", by=alice, now=NOW)
    write_comment(item_id=item.pk, text="@Leda Lund?", by=alice, now=NOW)
    skipped = make_item(organisation)
    actions.skip(item_id=skipped.pk, reason="which clock?", by=alice, now=NOW)

    assert told(lead) == {
        "Conflicts": ["Labels conflict"],
        "Approvals": told(lead)["Approvals"],
        "Flags": ["A finding flagged"],
        "Mentions": ["You are mentioned"],
        "Skipped": ["Skipped: which clock?"],
    }
    assert {"Redaction proposed", "Schema proposed", "Table of trust proposed", "Lifting of a legal hold proposed"} <= set(
        told(lead)["Approvals"]
    )
    assert count_inbox(lead) == sum(map(len, told(lead).values()))


def test_every_line_opens_its_place(organisation, item, alice, lead):
    make_conflict(organisation)
    make_proposal(item)
    flag_finding(choice=choose_finding(item, "over_cited"), note="look", by=alice, now=NOW)
    desk = sign_in(lead)

    lines = read_markup(desk.get("/inbox/")).one("main").find("a")

    assert len(lines) == 3
    assert {desk.get(line["href"]).status_code for line in lines} == {200}


def send(desk, form, **given):
    """Send a form of a page with what it holds, and what somebody fills in."""
    hidden = {each["name"]: each.get("value") or "" for each in form.find("input", type="hidden")}
    return desk.post(form["action"], hidden | given)


def test_flags_are_resolved_one_after_the_other_each_on_its_answer(organisation, item, alice, lead):
    another = make_item(organisation)
    flags = [flag_finding(choice=choose_finding(each, "over_cited"), note="look", by=alice, now=NOW) for each in (item, another)]
    desk = sign_in(lead)
    address = read_markup(desk.get("/inbox/")).one("main").find("a")[0]["href"]
    assert address == f"/items/{another.pk}/?resolve={flags[1].pk}#resolve-{flags[1].pk}"

    asked = read_markup(desk.get(address)).find("details", class_="resolving", open=True)
    assert asked[0].one("textarea")["id"] == f"resolve-{flags[1].pk}"
    response = send(desk, asked[0].one("form"), note="seen to")
    assert response["Location"] == f"/items/{item.pk}/?resolve={flags[0].pk}#resolve-{flags[0].pk}"

    asked = read_markup(desk.get(response["Location"])).find("details", class_="resolving", open=True)
    assert send(desk, asked[0].one("form"), note="seen to")["Location"] == "/inbox/"


def test_after_the_last_conflict_of_an_answer_comes_what_waits_next(organisation, lead):
    first, second = make_conflict(organisation), make_conflict(organisation)
    desk = sign_in(lead)
    decided, addresses = [], [f"/conflicts/{second.pk}/?from=inbox"]
    while addresses[-1] != "/inbox/":
        page = read_markup(desk.get(addresses[-1]))
        decided.append(addresses[-1].split("/")[2])
        addresses.append(send(desk, page.one("form", id="decide"), verdict=choices_of(page)[0], reason="so it says")["Location"])

    assert list(dict.fromkeys(decided)) == [str(second.pk), str(first.pk)]
    assert told(lead) == {}


def choices_of(page):
    return [each["value"] for each in page.find("input", name="verdict")]


def test_who_came_another_way_stays_with_the_answer(organisation, lead):
    item = make_conflict(organisation)
    desk = sign_in(lead)
    while (address := f"/conflicts/{item.pk}/") and (page := read_markup(desk.get(address, follow=True))).find("form", id="decide"):
        response = send(desk, page.one("form", id="decide"), verdict=choices_of(page)[0], reason="so it says")

    assert response["Location"] == f"/items/{item.pk}/"


def test_a_reviewer_finds_mentions_only_and_reading_the_answer_takes_them_off(item, alice, lead):
    flag_finding(choice=choose_finding(item, "over_cited"), note="look", by=alice, now=NOW)
    write_comment(item_id=item.pk, text="see here, @Alice", by=lead, now=NOW)
    desk = sign_in(alice)
    page = read_markup(desk.get("/inbox/"))
    (line,) = page.one("main").find("a")
    assert page.one("b", class_="count").text == "1 waiting"

    desk.get(line["href"])

    assert told(alice) == {}
    page = read_markup(desk.get("/inbox/"))
    assert page.one("p", class_="empty").text.startswith("Nothing waits for you.")
    assert not page.find("b", class_="count")


def test_one_s_own_proposals_and_resolved_flags_do_not_wait(item, alice, lead):
    flag = flag_finding(choice=choose_finding(item, "over_cited"), note="look", by=alice, now=NOW)
    proposal = make_proposal(item)
    proposer = Membership.objects.get(organisation=item.organisation, user=proposal.proposed_by)
    assert told(proposer) == {"Flags": ["A finding flagged"]}

    resolve_flag(item_id=item.pk, flag_id=flag.pk, note="seen to", by=lead, now=NOW)

    assert told(proposer) == {}


def test_who_reviewed_the_answer_themselves_does_not_find_its_conflict(organisation, lead):
    item = run_blind_item(organisation, lead)
    other = make_member(organisation, Role.REVIEWER, "Bob Burr")
    review(item, lead, Verdict.CORRECT)
    review(item, other, Verdict.WRONG)

    assert told(lead) == {}
    assert told(make_member(organisation, Role.LEAD, "Second Lead")) == {"Conflicts": ["Labels conflict"]}


def run_blind_item(organisation, lead):
    item = make_item(organisation)
    run_blind(lead, overlap=2)
    item.refresh_from_db()
    return item


@pytest.fixture
def reopened(organisation, lead, alice, bob, auditor):
    """An answer with a flag, its resolution and a mention of Bob from its first round, which is reviewed blind once more."""
    item = run_blind_item(organisation, lead)
    for member in (alice, bob):
        review(item, member, Verdict.CORRECT)
    flag_finding(choice=choose_finding(item, "over_cited"), note="a quizzical canary", by=alice, now=NOW)
    write_comment(item_id=item.pk, text="a quizzical canary for @Bob and @Leda", by=alice, now=NOW)
    assert told(lead) == {"Flags": ["A finding flagged"], "Mentions": ["You are mentioned"]}
    reopen(item_id=item.pk, reason="once more", by=lead, now=NOW)
    write_comment(item_id=item.pk, text="an auditor's canary for @Bob and @Leda", by=auditor, now=NOW)
    return item


def test_across_a_blind_phase_nothing_shows_in_inbox_page_or_ledger(reopened, bob, lead, auditor):
    for member in (bob, lead):
        assert told(member) == {}
        assert count_inbox(member) == 0
        desk = sign_in(member)
        page = desk.get(f"/items/{reopened.pk}/").text
        assert "canary" not in page
        assert "once all reviews are in" in page
        assert desk.post(f"/items/{reopened.pk}/comment/", {"text": "hush"}).status_code == 409
    assert "commented on an answer" not in sign_in(lead).get(f"/ledger/?object={reopened.pk}").text
    assert "canary for @Bob" in sign_in(auditor).get(f"/items/{reopened.pk}/").text


def test_once_all_have_submitted_what_was_hidden_waits_although_the_page_was_opened(reopened, alice, bob, lead):
    sign_in(bob).get(f"/items/{reopened.pk}/")
    for member in (alice, bob):
        review(reopened, member, Verdict.CORRECT, now=timezone.now())

    assert told(bob) == {"Mentions": ["You are mentioned"] * 2}
    assert "Flags" in told(lead)


def test_a_proposal_that_names_work_waits_only_where_the_work_may_be_known(organisation, alice):
    item = make_redactable(alice)
    proposer, approver = lead_and_administrator(alice)
    names = names_of(item, proposer, "note")
    propose(item_id=item.pk, parts=names, basis=RedactionBasis.ERASURE, reason="she asked", by=proposer, now=NOW)

    assert told(approver) == {"Approvals": ["Redaction proposed"]}


def test_the_choice_of_organisation_says_how_much_waits_in_each(organisation, item, alice, lead):
    flag_finding(choice=choose_finding(item, "over_cited"), note="look", by=alice, now=NOW)
    other = make_organisation("Second House")
    with tenant.within(other.pk):
        add_member(organisation=other, user=lead.user, role=Role.LEAD, at=NOW)

    page = read_markup(sign_in(lead).get("/organisations/"))

    assert [button.text for button in page.one("ul", class_="choices").find("button")] == [
        f"{organisation.name} as lead 1 waiting",
        "Second House as lead",
    ]


def test_nothing_is_counted_where_an_administrator_has_signed_the_member_out(organisation, item, alice, lead):
    flag_finding(choice=choose_finding(item, "over_cited"), note="look", by=alice, now=NOW)
    other = make_organisation("Second House")
    with tenant.within(other.pk):
        add_member(organisation=other, user=lead.user, role=Role.LEAD, at=NOW)
    desk = sign_in(lead)
    desk.post(f"/organisations/{other.pk}/enter/")
    assert "1 waiting" in desk.get("/organisations/").text

    Membership.objects.filter(pk=lead.pk).update(signed_out_at=timezone.now())

    assert "waiting" not in read_markup(desk.get("/organisations/")).one("ul", class_="choices").text


def test_nobody_without_an_inbox_is_counted_for(organisation, django_assert_num_queries):
    coordinator = make_member(organisation, Role.COORDINATOR, "Cora Coe")
    assert sign_in(coordinator).get("/inbox/").status_code == 403
    with django_assert_num_queries(0):
        assert count_inbox(coordinator) == 0


def test_the_count_takes_one_statement(lead, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert count_inbox(lead) == 0


def test_whether_a_mention_was_read_is_found_by_its_index(organisation, item, alice, lead):
    """Otherwise whoever opens an answer often, and mentions somebody on it often, slows down all pages of that person."""
    write_comment(item_id=item.pk, text="@Leda Lund?", by=alice, now=NOW)
    (mentions,) = [source for source in OWN_SOURCES if source.group == MENTIONS]
    values = {"organisation": organisation.pk, "person": lead.user_id, "may_label": True}
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {mentions.waiting}", values)
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert "answer_opened_by_person" in plan
    assert "event_by_object" not in plan
