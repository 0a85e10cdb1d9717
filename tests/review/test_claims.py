"""Unsupported claims: words of an answer of which a reviewer says that they are not in the record."""

from __future__ import annotations

import pytest
from django.test import Client

from reviewers.accounts.models import Role
from reviewers.accounts.policies import Invalid
from reviewers.ledger.sequencer import seal_all
from reviewers.ledger.verification.organisation import verify
from reviewers.quality.management.commands.rollup import differences
from reviewers.quality.models import Delta
from reviewers.review.agreement.statistics import line_of_claims, load_claim_ratings, reviewed_items
from reviewers.review.labels import actions
from reviewers.review.labels.claims import save_claim, shown_claims
from reviewers.review.labels.queries import ClaimKey, are_same, group
from reviewers.review.models import QueueItem, Submission, UnsupportedClaim
from reviewers.review.queries import load_item
from reviewers.review.talk.flags import words_in
from reviewers.snapshots.unmarked import UnmarkedText
from tests.accounts.outside import mark
from tests.events import events
from tests.factories import NOW, choose, label, make_item, make_key, make_member, sign_in
from tests.review.desk import FOUR_TRACKS, act, notice_of, open_page
from tests.review.plans.planning import label_all, review, run_plan
from tests.review.redacting.redactable import lead_and_administrator, names_of, redact

WORDS = "somebody answers at night"


@pytest.fixture
def item(organisation):
    return make_item(organisation, **FOUR_TRACKS)


def say(member, item, words=WORDS, **more):
    return act(sign_in(member), item, "unsupported", attribution=str(item.attribution_id), words=words, **more)


def claim(item, by, words=WORDS, note="", reason="", **more):
    return save_claim(choice=choose(item, reason=reason), words=words, note=note, by=by, now=NOW, **more)


def place_of(item):
    made = UnsupportedClaim.objects.order_by("id").last()
    return {"attribution": str(item.attribution_id), "start": made.start, "end": made.end}


def section_of(page):
    return page.one("section", class_="unsupported")


def marked(page):
    return [mark.text for mark in page.find("mark") if "reported" in mark["data-span"]]


def has_unsupported(item):
    return QueueItem.objects.get(pk=item.pk).has_unsupported


def submit(item, by):
    label_all(item, by)
    actions.submit(item_id=item.pk, by=by, now=NOW)


def test_words_of_the_answer_are_said_to_be_unsupported(item, alice):
    response = say(alice, item, f" {WORDS}  ", note="no such line")

    made = UnsupportedClaim.objects.get()
    assert response["Location"] == f"/items/{item.pk}/#claim-{made.pk}"
    (saved,) = events("claim.saved")
    assert saved["details"] == {"label": str(made.pk), "replaces": None, "after_submission": False, "verdict": "unsupported"}
    page = open_page(alice, item)
    assert "".join(marked(page)) == WORDS
    assert f"{WORDS} You : no such line" in " ".join(section_of(page).text.split()).replace("You:", "You :")


def test_words_that_were_taken_back_count_like_others_when_they_are_said_again(item, alice, monkeypatch):
    monkeypatch.setattr("reviewers.review.labels.claims.MOST_CLAIMS", 1)
    claim(item, alice)
    act(sign_in(alice), item, "unsupported/take-back", **place_of(item))
    claim(item, alice, "somebody")

    assert say(alice, item).status_code == 409
    assert claim(item, alice, "somebody", note="none").note == "none"


def test_the_note_is_optional_and_the_same_words_have_one_label(item, alice):
    claim(item, alice)
    claim(item, alice, note="twice")

    (shown,) = shown_claims(load_item(alice, item.pk))
    assert [each.note for each in shown.labels] == ["twice"]
    old, new = UnsupportedClaim.objects.order_by("id")
    assert new.replaces_id == old.pk


@pytest.mark.parametrize(("words", "told"), [("not in it", "do not stand in the answer"), (" ", "do not stand in the answer")])
def test_words_that_are_not_there_are_refused(item, alice, words, told):
    response = say(alice, item, words)

    assert response.status_code == 422
    assert told in response.content.decode()
    assert not UnsupportedClaim.objects.exists()


def test_which_occurrence_is_meant_can_be_said(organisation, alice):
    item = make_item(organisation, response="Call me. Then call me. Then call me again.")

    claim(item, alice, "call me", occurrence=2)

    text = load_item(alice, item.pk).unmarked.text
    assert UnsupportedClaim.objects.get().start == text.rindex("call me")
    with pytest.raises(Invalid):
        words_in(text, "call me", 3)


def test_it_is_taken_back_and_undone_like_a_label(item, alice):
    client = sign_in(alice)
    claim(item, alice, note="gone soon")

    act(client, item, "unsupported/take-back", **place_of(item))
    assert not shown_claims(load_item(alice, item.pk))
    assert act(client, item, "unsupported/take-back", **place_of(item)).status_code == 422

    act(client, item, "undo")
    (shown,) = shown_claims(load_item(alice, item.pk))
    assert [each.note for each in shown.labels] == ["gone soon"]
    act(client, item, "undo")
    assert not shown_claims(load_item(alice, item.pk))
    assert (len(events("claim.saved")), len(events("claim.undone"))) == (1, 3)


def test_after_submission_it_needs_a_reason(item, alice):
    submit(item, alice)

    assert notice_of(open_page(alice, item)) == ""
    assert say(alice, item).status_code == 422
    say(alice, item, reason="seen late")

    (shown,) = shown_claims(load_item(alice, item.pk))
    assert [each.reason for each in shown.labels] == ["seen late"]
    assert events("claim.saved")[0]["details"]["after_submission"] is True


def test_nobody_else_says_it_of_an_answer_that_is_held(item, alice, bob):
    label(sign_in(alice), item)

    assert say(bob, item).status_code == 409
    assert not UnsupportedClaim.objects.exists()


def test_others_see_it_once_it_is_submitted(item, alice, bob):
    claim(item, alice, note="not so")
    assert not shown_claims(load_item(bob, item.pk))

    submit(item, alice)

    page = open_page(bob, item)
    assert "Alice Aldous" in section_of(page).text
    assert not section_of(page).find("form")
    assert "".join(marked(page)) == WORDS


def test_a_submission_and_the_counts_of_answers_include_it(item, alice):
    claim(item, alice)
    assert not has_unsupported(item)

    submit(item, alice)

    assert has_unsupported(item)
    assert sum(Delta.objects.values_list("not_in_record", flat=True)) == 1
    assert Submission.objects.get().label_count == item.found_count + 1
    found = sign_in(alice).get("/queue/?unsupported=on").content.decode()
    assert str(item.pk) in found
    assert not differences()


def test_an_answer_is_counted_and_no_longer_counted_after_submission(item, alice):
    submit(item, alice)
    assert not has_unsupported(item)

    claim(item, alice, reason="late")
    assert has_unsupported(item)
    act(sign_in(alice), item, "unsupported/take-back", **place_of(item), reason="no")

    assert not has_unsupported(item)
    assert sum(Delta.objects.values_list("not_in_record", flat=True)) == 0
    assert not differences()


def test_a_blind_reviewer_sees_only_their_own_until_all_have_submitted(organisation, alice, bob, lead):
    item = make_item(organisation, **FOUR_TRACKS)
    run_plan(lead, overlap=2, is_blind=True)
    claim(item, alice, note="a trombone")
    review(item, alice)
    assert "verdict" not in events("claim.saved")[0]["details"]

    for member in (bob, lead):
        assert not shown_claims(load_item(member, item.pk))
        assert "a trombone" not in sign_in(member).get(f"/items/{item.pk}/").content.decode()
    assert not has_unsupported(item)

    claim(item, bob, words="somebody answers")
    review(item, bob)

    (shown,) = shown_claims(load_item(lead, item.pk))
    assert ({each.name for each in shown.labels}, shown.reviews) == ({"Alice Aldous", "Bob Birch"}, 2)
    assert has_unsupported(item)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ((0, 10), (0, 10), True),
        ((0, 10), (5, 10), True),
        ((0, 10), (5, 15), True),
        ((0, 10), (6, 16), False),
        ((0, 10), (0, 4), False),
        ((0, 10), (10, 20), False),
    ],
)
def test_spans_that_overlap_by_half_are_the_same_claim(one, other, is_same):
    assert are_same(one, other) is is_same
    assert are_same(other, one) is is_same


def test_claims_are_grouped_in_the_order_of_the_answer():
    assert group([ClaimKey(20, 30), ClaimKey(0, 10), ClaimKey(2, 11)]) == [[(0, 10), (2, 11)], [(20, 30)]]


def test_a_span_has_its_place_in_the_whole_text():
    shorter = UnmarkedText("ab[1]cd[2]ef", [(2, 5), (7, 10)])

    assert shorter.text == "abcdef"
    assert [shorter.whole_span(span) for span in ((0, 2), (2, 4), (1, 5), (4, 6))] == [(0, 2), (5, 7), (1, 11), (10, 12)]


def test_notes_are_redacted_and_the_ledger_verifies(item, alice):
    claim(item, alice, note="a bassoon")
    submit(item, alice)
    lead, admin = lead_and_administrator(alice)

    redact(item, names_of(item, lead, "claim_note"), lead, admin)

    assert UnsupportedClaim.objects.get().note == ""
    seal_all(now=NOW)
    verify(organisation_id=item.organisation_id)


def test_a_member_from_outside_reads_no_masked_words(item, alice, organisation):
    claim(item, alice, note="a bassoon")
    submit(item, alice)
    auditor = mark(make_member(organisation, Role.AUDITOR, "Ida Inkpen"))

    found = load_item(auditor, item.pk)
    (shown,) = shown_claims(found)
    assert found.hidden
    assert shown.span is None
    assert WORDS not in shown.words


def test_spans_that_overlap_by_half_agree_and_others_do_not(organisation, alice, bob, lead):
    item = make_item(organisation, **FOUR_TRACKS)
    plan = run_plan(lead, overlap=2)
    claim(item, alice)
    claim(item, alice, words="Your risk")
    review(item, alice)
    claim(item, bob, words="somebody answers at")
    review(item, bob)

    ratings = load_claim_ratings(reviewed_items(organisation, None, None))

    assert sorted(sorted(each.verdicts.values()) for each in ratings) == [["supported", "unsupported"], ["unsupported", "unsupported"]]
    line = line_of_claims(ratings)
    assert line.rows == 2
    assert line.percent.value is None
    assert "2 claims that somebody found unsupported" in sign_in(lead).get(f"/plans/{plan.pk}/agreement/").content.decode()


def test_the_sheet_of_the_answer_warns_of_it(organisation, alice):
    item = make_item(organisation, provider="Ada Quill", **FOUR_TRACKS)
    claim(item, alice, note="nobody said so")
    submit(item, alice)
    coordinator = make_member(organisation, Role.COORDINATOR, "Cora Cole")

    page = sign_in(coordinator).get(f"/why/{item.pk}/").content.decode()

    assert "A reviewer says that this is not in the record." in page
    assert WORDS in page


def test_a_program_reads_the_words_and_no_notes(item, alice, organisation):
    claim(item, alice, note="a bassoon")
    submit(item, alice)
    client = Client(headers={"Authorization": f"Bearer {make_key(organisation, 'read')}"})

    (told,) = client.get(f"/api/v1/items/{item.pk}").json()["unsupported"]

    assert (told["words"], told["reviewers"]) == (WORDS, ["Alice Aldous"])
    assert "bassoon" not in str(told["notes"])
