"""Flags on fields, citations and words, how they are resolved, and comments with mentions."""

from __future__ import annotations

import time

import pytest

from reviewers.accounts.models import Role
from reviewers.accounts.policies import Invalid
from reviewers.ledger.sequencer import seal_all
from reviewers.ledger.verification.organisation import verify
from reviewers.review.models import Comment, Flag, FlagKind, FlagResolution, Mention
from reviewers.review.queries import load_item
from reviewers.review.talk.comments import named_in, write_comment
from reviewers.review.talk.flags import quoted_words, resolve_flag, words_in
from tests.events import events
from tests.factories import CITED, NOW, choose_finding, flag_finding, make_item, make_member, sign_in
from tests.markup import read_markup
from tests.review.desk import act, notice_of, open_page
from tests.review.plans.planning import run_blind
from tests.review.redacting.redactable import lead_and_administrator, names_of, redact


def flags_on(page):
    return page.one("section", class_="flags").find("li")


@pytest.fixture
def cited(organisation):
    return make_item(organisation, **CITED)


def put(member, item, place, **more):
    form = {"attribution": str(item.attribution_id), "place": place, "note": "look at this"} | more
    return act(sign_in(member), item, "flag", **form)


def test_a_field_is_flagged_and_leads_to_its_row(item, alice, lead):
    response = put(alice, item, "row-0")

    assert response["Location"] == f"/items/{item.pk}/#row-0"
    flag = Flag.objects.get()
    row = load_item(alice, item.pk).attribution.fields[0].field
    assert (flag.kind, flag.place) == (FlagKind.ROW, {"section": row.section, "path": row.path})
    (shown,) = flags_on(open_page(lead, item))
    assert shown.find("a")[0]["href"] == "#row-0"
    assert "look at this Alice Aldous" in shown.text
    (event,) = events("place.flagged")
    assert event["details"] == {"flag": str(flag.pk), "kind": "row"}


def test_a_citation_is_flagged(cited, alice, lead):
    put(alice, cited, "citation-0")

    (shown,) = flags_on(open_page(lead, cited))
    assert shown.find("a")[0]["href"] == "#citation-0"


def test_words_of_the_answer_are_flagged_by_their_place(item, alice, lead):
    words = load_item(alice, item.pk).unmarked.text[3:20].strip()

    put(alice, item, "", words=f"  {words} ")

    flag = Flag.objects.get()
    assert quoted_words(load_item(lead, item.pk), **flag.place) == words
    assert words in flags_on(open_page(lead, item))[0].text


def test_a_flagged_field_and_citation_are_marked_until_the_flag_is_resolved(cited, alice, lead):
    for place in ("row-0", "citation-0"):
        put(alice, cited, place)
    page = open_page(lead, cited)
    assert [each.text for each in page.one("tbody", id="row-0").find("a", href="#flags")] == ["flagged"]
    assert page.one("div", id="judged-0").find("a", href="#flags")
    assert len(page.find("a", href="#flags")) == 2

    for flag in Flag.objects.all():
        resolve_flag(item_id=cited.pk, flag_id=flag.pk, note="seen to", by=lead, now=NOW)

    assert not open_page(lead, cited).find("a", href="#flags")


def test_a_label_keeps_the_mark_on_its_row(item, alice):
    put(alice, item, "row-0")

    form = {"row": 0, "attribution": str(item.attribution_id), "verdict": "correct"}
    row = read_markup(act(sign_in(alice), item, "label", as_fragment=True, **form))

    assert row.find("a", href="#flags")


def test_flagged_words_are_marked_in_the_answer(item, alice, lead):
    words = load_item(alice, item.pk).unmarked.text[:20].strip()
    put(alice, item, "words", words=words)

    page = open_page(lead, item)
    assert "".join(each.raw_text for each in page.one("div", class_="answer").find("mark", data_span="flagged")) == words
    assert page.one("p", class_="key").find("span", data_span="flagged")

    resolve_flag(item_id=item.pk, flag_id=Flag.objects.get().pk, note="seen to", by=lead, now=NOW)

    assert not open_page(lead, item).find("", data_span="flagged")


def test_a_mark_of_a_colleague_waits_for_the_end_of_a_blind_review(item, alice, bob, lead):
    run_blind(lead, overlap=2)
    put(alice, item, "row-0")

    assert open_page(alice, item).find("a", href="#flags")
    assert not open_page(bob, item).find("a", href="#flags")


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"place": "row-999"}, "There is no such field."),
        ({"place": "citation-999"}, "There is no such citation."),
        ({"place": "words", "words": "nothing like this"}, "These words do not stand in the answer"),
        ({"place": "words", "words": " "}, "These words do not stand in the answer"),
        ({"place": ""}, "A flag needs a finding, a field"),
        ({"place": "row-x"}, "A flag needs a finding, a field"),
        ({"place": "row-0", "note": ""}, "A flag needs a note"),
    ],
)
def test_a_place_that_is_not_there_is_refused(item, alice, form, told):
    response = put(alice, item, **form)

    assert response.status_code == 422
    assert notice_of(read_markup(response)).startswith(told)
    assert not Flag.objects.exists()


def test_a_link_on_a_row_opens_the_form_on_it_without_a_script(item, alice):
    page = read_markup(sign_in(alice).get(f"/items/{item.pk}/?flag=row-0"))

    assert page.one("details", id="flag").get("open") is not None
    assert page.one("details", id="flag").one("option", selected=True)["value"] == "row-0"


def test_a_lead_resolves_a_flag_once_with_a_note(item, alice, lead):
    flag = flag_finding(choice=choose_finding(item, "over_cited"), note="look", by=alice, now=NOW)
    address = f"/items/{item.pk}/flags/{flag.pk}/resolve/"
    desk = sign_in(lead)

    assert desk.post(address, {"note": ""}).status_code == 422
    assert sign_in(alice).post(address, {"note": "mine"}).status_code == 403
    assert desk.post(address, {"note": "the prompt was mended"}).status_code == 302
    assert desk.post(address, {"note": "again"}).status_code == 409

    assert "Resolved by Leda Lund" in open_page(alice, item).one("ul", class_="findings").text
    assert FlagResolution.objects.get().note == "the prompt was mended"
    (event,) = events("flag.resolved")
    assert event["details"] == {"flag": str(flag.pk), "resolution": str(FlagResolution.objects.get().pk)}


def test_the_queue_lists_open_flags_only(item, alice, lead):
    flag = flag_finding(choice=choose_finding(item, "over_cited"), note="look", by=alice, now=NOW)
    desk = sign_in(lead)
    assert str(item.pk) in desk.get("/queue/?flagged=on&state=all").text

    resolve_flag(item_id=item.pk, flag_id=flag.pk, note="seen to", by=lead, now=NOW)

    assert str(item.pk) not in desk.get("/queue/?flagged=on&state=all").text


def test_a_flag_of_another_item_is_not_found(organisation, item, alice, lead):
    flag = flag_finding(choice=choose_finding(item, "over_cited"), note="look", by=alice, now=NOW)
    other = make_item(organisation)

    assert sign_in(lead).post(f"/items/{other.pk}/flags/{flag.pk}/resolve/", {"note": "x"}).status_code == 404


# Comments.


def test_a_comment_stands_in_the_thread_with_who_wrote_it(item, alice, lead):
    response = act(sign_in(alice), item, "comment", text="is <this> right, @Leda Lund?")

    comment = Comment.objects.get()
    assert response["Location"] == f"/items/{item.pk}/#comment-{comment.pk}"
    assert "is <this> right" in open_page(lead, item).one("section", class_="comments").text
    assert Mention.objects.get().person_id == lead.user_id
    (event,) = events("comment.written")
    assert event["details"] == {"comment": str(comment.pk), "mentions": 1}
    assert "right" not in str(event)


@pytest.mark.parametrize(("text", "status"), [("", 422), ("  ", 422), ("x" * 5_001, 422)])
def test_a_comment_without_words_or_with_too_many_is_refused(item, alice, text, status):
    assert act(sign_in(alice), item, "comment", text=text).status_code == status
    assert not Comment.objects.exists()


def test_names_are_read_whole_and_a_first_name_only_where_one_person_has_it():
    people = [(1, "Ada Abbot"), (2, "Ada Abbotson"), (3, "Leda Lund"), (4, "Ledal")]

    assert named_in("see @ada abbotson, and @Leda.", people) == [2, 3]
    assert named_in("ada@leda.org and @nobody, @", people) == []
    with pytest.raises(Invalid, match="Several members are called “Ada”"):
        named_in("@Ada?", people)
    with pytest.raises(Invalid, match="at most 20 people"):
        named_in("@" * 5_000, people)


def test_somebody_outside_the_organisation_or_who_cannot_see_the_item_is_not_mentioned(organisation, item, alice):
    make_member(organisation, Role.COORDINATOR, "Cora Coe")
    write_comment(item_id=item.pk, text="@Cora Coe and @Nobody Known", by=alice, now=NOW)

    assert not Mention.objects.exists()


def test_a_comment_and_a_resolution_are_redacted_like_notes_and_everything_verifies(item, alice):
    proposer, approver = lead_and_administrator(alice)
    flag = flag_finding(choice=choose_finding(item, "over_cited"), note="look", by=alice, now=NOW)
    resolve_flag(item_id=item.pk, flag_id=flag.pk, note="call Zoë Zander", by=proposer, now=NOW)
    write_comment(item_id=item.pk, text="her name is Zoë Zander", by=alice, now=NOW)

    redact(item, names_of(item, proposer, "comment", "resolution"), proposer, approver)

    assert "Zander" not in Comment.objects.get().text + FlagResolution.objects.get().note
    seal_all(now=NOW)
    verify(organisation_id=item.organisation_id)
    assert "Zander" not in sign_in(proposer).get(f"/items/{item.pk}/").text


def test_many_words_are_looked_for_in_a_long_answer_of_alike_words_in_little_time(organisation, alice):
    item = make_item(organisation, response="a " * 200_000)
    sought = "a " * 990 + "b"  # a pattern of them takes five seconds
    loaded = load_item(alice, item.pk).unmarked.text
    assert len(loaded) > 300_000

    began = time.process_time()
    with pytest.raises(Invalid, match="These words do not stand in the answer"):
        words_in(loaded, sought)

    assert time.process_time() - began < 1
    assert words_in("One\n two  three", " One  two three ") == {"start": 0, "end": 15}
