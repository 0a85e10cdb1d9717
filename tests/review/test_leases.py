"""A lease is an expiring hold on an item: who has it may label, others read meanwhile and are told who and how long."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from reviewers.accounts.audit import user_actor
from reviewers.accounts.members.actions import change_role, end_membership
from reviewers.accounts.models import Role
from reviewers.accounts.policies import Refused
from reviewers.review import leases as leasing
from reviewers.review.labels import actions
from reviewers.review.leases import LEASE_LENGTH, RENEW_BELOW
from reviewers.review.models import Lease, QueueItem, Verdict
from reviewers.review.page.loader import build_state
from tests.events import events
from tests.factories import NOW, as_seen_by, choose, label, make_item, sign_in
from tests.markup import read_markup
from tests.review.desk import act, is_labelable, notice_of, open_page, rows_of
from tests.state import state_of_tables

MINUTE = timedelta(minutes=1)
HELD = "Alice Aldous is reviewing this answer. You can read it meanwhile."


def leases() -> list[str]:
    """Return the actions on leases, in order."""
    return [event["action"] for event in events() if event["action"].startswith("lease.")]


def take_next(member, now=NOW):
    return leasing.take_next(candidates=QueueItem.objects.filter(organisation=member.organisation), by=member, now=now)


def test_a_lease_lasts_a_quarter_of_an_hour(item, alice):
    actions.take(item_id=item.pk, by=alice, now=NOW)

    lease = Lease.objects.get()
    assert (lease.item_id, lease.holder, lease.taken_at) == (item.pk, alice.user, NOW)
    assert lease.expires_at == NOW + LEASE_LENGTH == NOW + 15 * MINUTE
    assert leases() == ["lease.taken"]


@pytest.mark.parametrize(("minutes", "is_renewed"), [(0, False), (4, False), (5, False), (6, True), (14, True)])
def test_a_lease_is_renewed_while_the_page_is_in_use_but_not_at_every_touch(item, alice, minutes, is_renewed):
    actions.take(item_id=item.pk, by=alice, now=NOW)

    actions.take(item_id=item.pk, by=alice, now=NOW + minutes * MINUTE)

    assert Lease.objects.get().expires_at == NOW + LEASE_LENGTH + (minutes * MINUTE if is_renewed else timedelta())
    assert leases() == ["lease.taken", *["lease.renewed"] * is_renewed]
    assert RENEW_BELOW == 10 * MINUTE


def test_labelling_takes_a_free_item_and_renews_the_hold_on_it(item, alice):
    actions.save_label(choice=choose(item), verdict=Verdict.CORRECT, by=alice, now=NOW)
    actions.save_label(choice=choose(item), verdict=Verdict.WRONG, by=alice, now=NOW + 14 * MINUTE)

    assert Lease.objects.get().expires_at == NOW + 29 * MINUTE
    assert leases() == ["lease.taken", "lease.renewed"]


@pytest.mark.parametrize(
    "attempt",
    [
        lambda item, by, now: actions.take(item_id=item.pk, by=by, now=now),
        lambda item, by, now: actions.save_label(choice=choose(item), verdict=Verdict.CORRECT, by=by, now=now),
        lambda item, by, now: actions.save_label(choice=choose(item), note="look", by=by, now=now),
        lambda item, by, now: actions.label_remaining(item_id=item.pk, by=by, now=now),
        lambda item, by, now: actions.undo(item_id=item.pk, by=by, now=now),
        lambda item, by, now: actions.submit(item_id=item.pk, by=by, now=now),
        lambda item, by, now: actions.skip(item_id=item.pk, reason="mine", by=by, now=now),
    ],
    ids=["take", "label", "note", "label remaining", "undo", "submit", "skip"],
)
def test_what_somebody_holds_nobody_else_touches_until_it_has_run_out(item, alice, bob, attempt):
    actions.label_remaining(item_id=item.pk, by=bob, now=NOW)
    actions.let_go(item_id=item.pk, by=bob, now=NOW)
    actions.take(item_id=item.pk, by=alice, now=NOW)
    before = state_of_tables()

    with pytest.raises(Refused) as refused:
        attempt(item, bob, NOW + LEASE_LENGTH - timedelta(seconds=1))
    assert str(refused.value) == HELD
    assert state_of_tables() == before

    attempt(item, bob, NOW + LEASE_LENGTH)
    assert state_of_tables() != before


def test_a_lease_that_has_run_out_holds_nothing_and_goes_to_whoever_takes_it(item, alice, bob):
    actions.take(item_id=item.pk, by=alice, now=NOW)

    actions.take(item_id=item.pk, by=bob, now=NOW + LEASE_LENGTH)

    assert Lease.objects.get().holder == bob.user
    with pytest.raises(Refused, match="Bob Birch is reviewing this answer"):
        actions.save_label(choice=choose(item), verdict=Verdict.CORRECT, by=alice, now=NOW + LEASE_LENGTH)


def test_whoever_comes_back_after_it_ran_out_takes_it_again(item, alice):
    actions.take(item_id=item.pk, by=alice, now=NOW)

    actions.save_label(choice=choose(item), verdict=Verdict.CORRECT, by=alice, now=NOW + 2 * LEASE_LENGTH)

    assert Lease.objects.get().expires_at == NOW + 3 * LEASE_LENGTH
    assert leases() == ["lease.taken", "lease.expired", "lease.taken"]


@pytest.mark.parametrize(
    "take",
    [
        lambda item, by, now: actions.take(item_id=item.pk, by=by, now=now),
        lambda _, by, now: take_next(by, now),
    ],
    ids=["by its page", "as the next"],
)
def test_that_a_lease_ran_out_is_written_down_by_whoever_takes_the_item_over_and_only_once(item, alice, bob, take):
    take(item, alice, NOW)

    take(item, bob, NOW + LEASE_LENGTH)  # before the worker came round
    leasing.expire(now=NOW + LEASE_LENGTH)

    assert leases() == ["lease.taken", "lease.expired", "lease.taken"]
    (event,) = events("lease.expired")
    assert (event["actor"]["kind"], event["object"]["id"], event["details"]) == ("system", str(item.pk), {"holder": str(alice.user_id)})
    assert Lease.objects.get().holder == bob.user


@pytest.mark.parametrize(("minutes", "is_renewed"), [(1, False), (6, True)])
def test_asking_for_the_next_while_one_holds_an_item_takes_nothing_again(item, alice, minutes, is_renewed):
    take_next(alice)

    assert take_next(alice, NOW + minutes * MINUTE) == item.pk

    lease = Lease.objects.get()
    assert (lease.taken_at, lease.expires_at) == (NOW, NOW + LEASE_LENGTH + is_renewed * minutes * MINUTE)
    assert leases() == ["lease.taken", *["lease.renewed"] * is_renewed]


def test_leases_that_have_run_out_are_written_down_and_taken_away(organisation, item, alice, bob):
    other = make_item(organisation)
    actions.take(item_id=item.pk, by=alice, now=NOW)
    actions.take(item_id=other.pk, by=bob, now=NOW + MINUTE)

    counts = [leasing.expire(now=NOW + LEASE_LENGTH + wait * timedelta(seconds=1)) for wait in (-1, 0, 1)]

    assert counts == [0, 1, 0]
    assert Lease.objects.get().item_id == other.pk
    (event,) = events("lease.expired")
    assert (event["actor"], event["object"]["id"]) == ({"kind": "system", "id": None}, str(item.pk))
    assert event["details"] == {"holder": str(alice.user_id)}


def test_letting_go_frees_an_item_and_leads_to_the_queue(item, alice, bob):
    desk = sign_in(alice)
    act(desk, item, "take")

    response = act(desk, item, "let-go")

    assert response["Location"] == "/queue/"
    assert not Lease.objects.exists()
    assert leases() == ["lease.taken", "lease.released"]
    assert act(sign_in(bob), item, "take")["Location"] == f"/items/{item.pk}/"


def test_nobody_lets_go_of_what_somebody_else_holds(item, alice, bob):
    act(sign_in(alice), item, "take")

    act(sign_in(bob), item, "let-go")

    assert Lease.objects.get().holder == alice.user
    assert leases() == ["lease.taken"]


def test_signing_out_lets_go_of_everything(organisation, item, alice, bob):
    other = make_item(organisation)
    desk = sign_in(alice)
    act(desk, item, "take")
    act(desk, other, "take")
    act(sign_in(bob), make_item(organisation), "take")

    desk.post("/accounts/logout/")

    assert Lease.objects.get().holder == bob.user
    assert leases().count("lease.released") == 2


def test_the_next_item_is_the_oldest_that_is_to_do_and_free(organisation, alice, bob):
    days = [make_item(organisation, answered_at=f"2026-03-0{day}T00:00:00Z") for day in (4, 1, 3, 2, 5)]
    oldest, second, third, fourth, last = sorted(days, key=lambda each: each.answered_at)
    actions.skip(item_id=oldest.pk, reason="later", by=bob, now=NOW)
    actions.take(item_id=second.pk, by=bob, now=NOW)
    actions.label_remaining(item_id=third.pk, by=bob, now=NOW)
    actions.submit(item_id=third.pk, by=bob, now=NOW)

    assert take_next(alice) == fourth.pk
    actions.skip(item_id=fourth.pk, reason="later", by=alice, now=NOW)
    assert take_next(alice) == last.pk
    assert take_next(alice, NOW + 2 * LEASE_LENGTH) == second.pk, "Bob's hold has run out"


def test_an_item_that_one_holds_comes_before_older_ones_that_are_free(organisation, alice):
    _, later = (make_item(organisation, answered_at=f"2026-03-0{day}T00:00:00Z") for day in (1, 2))
    actions.take(item_id=later.pk, by=alice, now=NOW)

    assert take_next(alice) == later.pk
    assert Lease.objects.get().item_id == later.pk


def test_where_nothing_is_free_there_is_no_next_item(item, alice, bob):
    actions.take(item_id=item.pk, by=bob, now=NOW)

    assert take_next(alice) is None
    assert sign_in(alice).post("/queue/next/")["Location"] == f"/items/{item.pk}/", "by the clock of the wall it has run out"


def test_the_page_of_an_item_that_somebody_holds_can_be_read_and_says_who_and_how_long(item, alice, bob):
    actions.take(item_id=item.pk, by=alice, now=timezone.now())

    page = open_page(bob, item, unfound=True)

    assert page.one("article").find("p", class_="notice")[0].text == (
        "Alice Aldous is reviewing this answer, for 15 more min. You can read it meanwhile, but not label it."
    )
    assert page.one("div", id="lease").text == "Being reviewed by Alice Aldous"
    assert not any(is_labelable(row) for row in rows_of(page).values())
    assert not page.find("form", id="undo") + page.find("form", class_="noting")
    assert page.one("form", id="submit")["action"] == "/queue/next/"


@pytest.mark.parametrize(("minutes", "told"), [(0, 15), (4.4, 11), (13.4, 2), (14.9, 1)])
def test_minutes_left_are_counted_from_now(item, alice, bob, minutes, told):
    actions.take(item_id=item.pk, by=alice, now=NOW)

    state = build_state(as_seen_by(bob, item), by=bob, now=NOW + minutes * MINUTE)

    assert (state.holder, state.minutes_left, state.is_mine, state.can_label) == ("Alice Aldous", told, False, False)


def test_once_it_has_run_out_the_page_says_that_the_item_is_free(item, alice, bob):
    actions.take(item_id=item.pk, by=alice, now=NOW)

    for member in (alice, bob):
        state = build_state(as_seen_by(member, item), by=member, now=NOW + LEASE_LENGTH)
        assert (state.holder, state.is_mine, state.can_label) == ("", False, True)
        assert open_page(member, item).one("div", id="lease").text.startswith("Unassigned: labelling assigns it to you")


def test_whoever_holds_an_item_sees_how_long_and_can_let_go(item, alice):
    desk = sign_in(alice)
    act(desk, item, "take")

    lease = read_markup(desk.get(f"/items/{item.pk}/")).one("div", id="lease")

    assert lease.text == "Assigned to you, 15 min leftRelease"
    assert lease["hx-post"] == f"/items/{item.pk}/renew/"
    assert lease.one("form")["action"] == f"/items/{item.pk}/let-go/"


def test_opening_a_page_takes_nothing(item, alice):
    open_page(alice, item)

    assert not Lease.objects.exists()


def test_renewing_brings_the_lease_back_and_a_lost_one_is_told(item, alice, bob):
    desk = sign_in(alice)
    act(desk, item, "take")
    renewed = act(desk, item, "renew", as_fragment=True)
    act(desk, item, "let-go")
    act(sign_in(bob), item, "take")

    lost = act(desk, item, "renew", as_fragment=True)

    assert [each["id"] for each in read_markup(renewed).children if not isinstance(each, str)] == ["lease"]
    assert lost.status_code == 409
    assert (lost["HX-Retarget"], notice_of(read_markup(lost))) == ("#notice", HELD.replace("Alice Aldous", "Bob Birch"))


def test_a_refused_label_is_told_on_the_page_and_as_a_fragment(item, alice, bob):
    act(sign_in(alice), item, "take")
    desk = sign_in(bob)

    page, fragment = label(desk, item), label(desk, item, headers={"HX-Request": "true"})

    assert (page.status_code, fragment.status_code) == (409, 409)
    assert notice_of(read_markup(page)) == notice_of(read_markup(fragment)) == HELD
    assert read_markup(page).find("table", class_="rows")
    assert not read_markup(fragment).find("table")


def test_whoever_is_a_member_no_more_holds_nothing(alice, bob, administrator, item):
    actions.take(item_id=item.pk, by=alice, now=NOW)

    end_membership(member=alice, at=NOW, by=user_actor(administrator.user_id))

    assert not Lease.objects.exists()
    (released,) = events("lease.released")
    assert released["details"] == {"holder": str(alice.user_id)}
    assert released["actor"]["id"] == str(administrator.user_id)
    actions.take(item_id=item.pk, by=bob, now=NOW)


def test_whoever_may_not_label_any_more_holds_nothing_and_a_lead_goes_on(alice, bob, administrator, item):
    other = make_item(alice.organisation)
    actions.take(item_id=item.pk, by=alice, now=NOW)
    actions.take(item_id=other.pk, by=bob, now=NOW)

    change_role(member=alice, role=Role.AUDITOR, at=NOW, by=user_actor(administrator.user_id))
    change_role(member=bob, role=Role.LEAD, at=NOW, by=user_actor(administrator.user_id))

    assert [lease.holder_id for lease in Lease.objects.all()] == [bob.user_id]
