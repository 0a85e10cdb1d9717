"""Submitting finishes a review when every found row has a verdict; skipping puts an item aside and says why."""

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest

from attribution import canonical_bytes
from reviewers.accounts.policies import Refused
from reviewers.review.labels import actions
from reviewers.review.models import CitationLabel, Label, Lease, QueueItem, Submission
from tests.events import events
from tests.factories import CITED, NOW, as_seen_by, label, label_citation, make_item, sign_in
from tests.markup import read_markup
from tests.review.desk import act, notice_of, open_page
from tests.state import state_of_tables

CHANGED_BY_SIGNING_IN = {"ledger_auditevent", "ledger_pending", "accounts_user", "accounts_membership", "accounts_proof"}


@pytest.fixture
def desk(alice):
    return sign_in(alice)


def test_a_review_with_rows_left_cannot_be_submitted_and_says_how_many(item, desk):
    told = []
    for number in (0, 2, 3):
        label(desk, item, number)
        response = act(desk, item, "submit", as_fragment=True)
        told.append((response.status_code, notice_of(read_markup(response))))

    assert told == [
        (409, "3 found rows have no label yet."),
        (409, "2 found rows have no label yet."),
        (409, "1 found row has no label yet."),
    ]
    assert not Submission.objects.exists()


def test_unfound_rows_and_notes_do_not_stand_in_for_verdicts(item, desk):
    for number in (0, 2, 3, 1, 4):
        label(desk, item, number)
    act(desk, item, "note", row=5, attribution=str(item.attribution_id), note="look")

    assert act(desk, item, "submit").status_code == 409


@pytest.mark.parametrize("verdict", ["correct", "wrong", "misstated", "cannot_judge"])
def test_any_verdict_on_every_found_row_is_enough(item, desk, verdict):
    for number in (0, 2, 3, 5):
        label(desk, item, number, verdict)

    assert act(desk, item, "submit").status_code == 302
    assert QueueItem.objects.get().state == "submitted"


def test_a_turn_without_found_rows_can_be_submitted_as_it_is(organisation, desk):
    item = make_item(organisation, response="Good morning.")

    assert act(desk, item, "submit").status_code == 302
    assert Submission.objects.get().label_count == 0


def test_a_submission_counts_the_labels_that_count_and_their_digest_can_be_recomputed(item, alice, desk):
    label(desk, item, 0, "correct")
    label(desk, item, 0, "wrong")
    label(desk, item, 4, "wrong")
    label(desk, item, 1, "wrong")
    act(desk, item, "undo")
    act(desk, item, "label-remaining")

    act(desk, item, "submit")

    kept = Submission.objects.get()
    latest = {(each.section, each.path): each for each in Label.objects.order_by("id")}
    counting = sorted([*key, each.verdict, str(each.pk)] for key, each in latest.items() if each.verdict != "none")
    assert kept.label_count == len(counting) == 5
    assert bytes(kept.digest) == hashlib.sha256(canonical_bytes(counting)).digest()
    (event,) = events("review.submitted")
    assert event["details"] == {"labels": 5, "sha256": bytes(kept.digest).hex()}
    assert event["actor"]["id"] == str(alice.user_id)


def test_a_review_with_citations_left_cannot_be_submitted_and_says_how_many_of_which_kind(organisation, desk):
    item = make_item(organisation, **CITED)
    told = []
    for step in (
        None,
        lambda: label_citation(desk, item, 0),
        lambda: label(desk, item),
        lambda: label_citation(desk, item, 1, "cannot_judge"),
    ):
        if step:
            step()
        response = act(desk, item, "submit", as_fragment=True)
        told.append((response.status_code, notice_of(read_markup(response)) if response.status_code == 409 else ""))

    assert told == [
        (409, "1 found row and 2 citations have no label yet."),
        (409, "1 found row and 1 citation have no label yet."),
        (409, "1 citation has no label yet."),
        (200, ""),
    ]


def test_what_was_listed_attached_or_taken_back_is_no_citation_that_a_submission_waits_for(organisation, desk, alice):
    listed = "Coffee keeps awake [3].\n\nSources used:\n[2] Asking first\n[3] Nobody cites this"
    item = make_item(organisation, response=listed, documents=CITED["documents"], context={})
    due = [(each.source, each.is_due) for each in as_seen_by(alice, item).citations]
    assert due == [("doc-3", True), ("doc-2", False)]

    label_citation(desk, item, 0)
    act(desk, item, "undo")
    assert act(desk, item, "submit").status_code == 409
    label_citation(desk, item, 0)
    assert act(desk, item, "submit").status_code == 302


def test_the_digest_of_a_submission_covers_both_kinds(organisation, desk):
    item = make_item(organisation, **CITED)
    act(desk, item, "label-remaining")
    label_citation(desk, item, 0, "does_not_say")
    label_citation(desk, item, 1, "cannot_judge")

    act(desk, item, "submit")

    kept, of_field = Submission.objects.get(), Label.objects.get()
    latest = {each.source: each for each in CitationLabel.objects.order_by("id")}
    citations = [[each.source, each.is_own, each.start, each.end, each.repeat, each.verdict, str(each.pk)] for each in latest.values()]
    covered = {
        "fields": [[of_field.section, of_field.path, of_field.verdict, str(of_field.pk)]],
        "citations": sorted(citations, key=canonical_bytes),
    }
    assert kept.label_count == 3
    assert bytes(kept.digest) == hashlib.sha256(canonical_bytes(covered)).digest()


def test_submitting_lets_the_item_go_and_takes_the_next_one(organisation, alice, desk):
    first, second = (make_item(organisation, answered_at=f"2026-03-0{day}T00:00:00Z") for day in (1, 2))
    act(desk, first, "label-remaining")

    response = act(desk, first, "submit")

    assert response["Location"] == f"/items/{second.pk}/"
    assert Lease.objects.get().item_id == second.pk
    assert [event["action"] for event in events()][-3:] == ["review.submitted", "lease.released", "lease.taken"]


def test_submitting_with_htmx_leads_the_page_to_the_next_item(organisation, desk):
    first, second = (make_item(organisation, answered_at=f"2026-03-0{day}T00:00:00Z") for day in (1, 2))
    act(desk, first, "label-remaining")

    response = act(desk, first, "submit", as_fragment=True)

    assert (response.status_code, response["HX-Redirect"]) == (200, f"/items/{second.pk}/")


def test_after_the_last_item_the_queue_says_that_nothing_is_left(item, desk):
    act(desk, item, "label-remaining")

    response = desk.post(f"/items/{item.pk}/submit/", follow=True)

    assert response.redirect_chain == [("/queue/?nothing=1", 302)]
    page = read_markup(response)
    assert page.one("p", class_="notice", role="status").text.startswith("Nothing is left to take here")
    assert page.one("div", class_="empty").one("h2").text == "Nothing to do"


def test_the_page_of_a_submitted_item_says_who_finished_it_and_when(item, alice, bob, desk):
    actions.label_remaining(item_id=item.pk, by=alice, now=NOW)
    actions.submit(item_id=item.pk, by=alice, now=NOW)

    told = [open_page(member, item).one("article").find("p", class_="notice")[0].text for member in (alice, bob)]

    assert told == [
        (
            "Submitted by Alice Aldous, 4 Mar 2026, 09:30. "
            "A label can still be changed with a reason; the old one stays on record. Download the receipt"
        ),
        "Submitted by Alice Aldous, 4 Mar 2026, 09:30. Download the receipt",
    ]
    assert open_page(bob, item).one("div", id="lease").text == "Submitted"
    assert open_page(bob, item).one("form", id="submit")["action"] == "/queue/next/"


@pytest.mark.parametrize("again", ["submit", "skip", "take", "label-remaining", "renew"])
def test_what_is_submitted_stays_submitted(item, bob, desk, again):
    act(desk, item, "label-remaining")
    act(desk, item, "submit")
    before = state_of_tables()

    for browser in (desk, sign_in(bob)):
        response = act(browser, item, again, as_fragment=True, reason="why not")
        assert response.status_code in (409, 422)
        assert "submitted" in notice_of(read_markup(response))
    after = state_of_tables()
    assert {table for table in after if after[table] != before[table]} <= CHANGED_BY_SIGNING_IN
    assert [event["action"] for event in events()][-1] in ("session.started", "lease.released")


def test_a_review_is_submitted_by_whoever_labelled_it(item, bob, desk):
    act(desk, item, "label-remaining")
    act(desk, item, "let-go")

    response = act(sign_in(bob), item, "submit", as_fragment=True)

    assert notice_of(read_markup(response)) == "4 found rows have no label yet."


def test_an_item_is_skipped_with_a_reason_and_the_next_one_is_taken(organisation, desk, alice):
    first, second = (make_item(organisation, answered_at=f"2026-03-0{day}T00:00:00Z") for day in (1, 2))

    response = act(desk, first, "skip", reason="not my language")

    first.refresh_from_db()
    assert response["Location"] == f"/items/{second.pk}/"
    assert (first.state, first.skipped_by, first.skip_reason) == ("skipped", alice.user, "not my language")
    assert not Lease.objects.filter(item=first.pk).exists()
    (event,) = events("review.skipped")
    assert event["parts"]["count"] == 1
    assert "language" not in str(event)


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("", "Skipping needs a reason, so that somebody else can take it up."),
        ("  ", "Skipping needs a reason, so that somebody else can take it up."),
        ("x" * 501, "A reason has at most 500 characters."),
    ],
    ids=len,
)
def test_skipping_without_a_reason_that_can_be_kept_is_refused(item, desk, reason, told):
    response = act(desk, item, "skip", as_fragment=True, reason=reason)

    assert (response.status_code, notice_of(read_markup(response))) == (422, told)
    item.refresh_from_db()
    assert item.state == "to_do"


def test_a_skipped_item_says_by_whom_and_why_and_is_not_given_to_the_next_one(item, alice, bob):
    actions.skip(item_id=item.pk, reason="not my <language>", by=alice, now=NOW)

    assert open_page(bob, item).one("article").find("p", class_="notice")[0].text == "Skipped by Alice Aldous: not my <language>"
    assert sign_in(bob).post("/queue/next/")["Location"] == "/queue/?nothing=1"


@pytest.mark.parametrize("way", ["take", "label"])
def test_a_skipped_item_can_be_taken_up_again_by_anybody(item, alice, bob, way):
    actions.skip(item_id=item.pk, reason="not my language", by=alice, now=NOW)

    act(sign_in(bob), item, way, row=0, attribution=str(item.attribution_id), verdict="correct")

    item.refresh_from_db()
    assert (item.state, item.skipped_by, item.skip_reason) == ("to_do", None, "")
    assert Lease.objects.get().holder == bob.user


def test_labels_survive_a_skip(item, alice, desk):
    label(desk, item, 0, "wrong")
    act(desk, item, "skip", reason="later")
    act(desk, item, "take")

    assert open_page(alice, item).one("tbody", id="row-0")["data-verdict"] == "wrong"


def test_what_somebody_else_holds_is_neither_submitted_nor_skipped(item, alice, bob):
    actions.label_remaining(item_id=item.pk, by=alice, now=NOW)
    later = NOW + timedelta(minutes=20)
    actions.take(item_id=item.pk, by=bob, now=later)

    for attempt in (
        lambda: actions.submit(item_id=item.pk, by=alice, now=later),
        lambda: actions.skip(item_id=item.pk, reason="mine", by=alice, now=later),
    ):
        with pytest.raises(Refused, match="Bob Birch is reviewing this answer"):
            attempt()
    assert QueueItem.objects.get().state == "to_do"


def test_reviews_of_today_are_counted_for_whoever_submitted_them(organisation, alice, bob, desk):
    for _ in range(2):
        item = make_item(organisation)
        act(desk, item, "label-remaining")
        act(desk, item, "submit")

    other = make_item(organisation)
    assert open_page(alice, other).one("span", class_="today").text == "2 submitted by you today"
    assert open_page(bob, other).find("span", class_="today") == []
    assert "2 by you today" in read_markup(desk.get("/queue/")).one("main").text


@pytest.mark.parametrize("others", [1, 0], ids=["the next item", "the list, as nothing is left"])
def test_what_was_submitted_can_be_opened_and_signed_from_the_page_that_comes_next(organisation, desk, others):
    item, *_ = [make_item(organisation, response="Good morning.", conversation_id=f"talk {number}") for number in range(1 + others)]
    act(desk, item, "take")

    after = act(desk, item, "submit")["Location"]
    pages = [read_markup(desk.get(after)) for _ in range(2)]

    ways = {f"/items/{item.pk}/": "Look at it again", f"/items/{item.pk}/signing/": "sign it"}
    told = [{link["href"]: link.text for link in page.find("a") if link.get("href") in ways} for page in pages]
    assert told == [ways, {}], "it is said once"
