"""Labels: a verdict on what a row claims, kept as the truth about the field with what was shown, saved row by row."""

from __future__ import annotations

import pytest

from reviewers.accounts.policies import Invalid
from reviewers.review.labels import actions
from reviewers.review.models import Label, Lease, Verdict
from tests.events import events
from tests.factories import NOW, as_seen_by, choose, label, make_item, sign_in
from tests.markup import read_markup
from tests.review.desk import FOUR_TRACKS, FRAGMENT, act, notice_of, open_page, progress_of, rows_of
from tests.state import state_of_tables

FOUND, UNFOUND = 0, 4
"""Rows of the usual item: the risk level, which is cited and found, and the fees, which are not in the answer."""

TRUTHS = [
    (FOUND, Verdict.CORRECT, "used"),
    (FOUND, Verdict.WRONG, "not_used"),
    (FOUND, Verdict.MISSTATED, "used"),
    (FOUND, Verdict.CANNOT_JUDGE, "unknown"),
    (UNFOUND, Verdict.CORRECT, "not_used"),
    (UNFOUND, Verdict.WRONG, "used"),
    (UNFOUND, Verdict.MISSTATED, "used"),
    (UNFOUND, Verdict.CANNOT_JUDGE, "unknown"),
]


@pytest.fixture
def desk(alice):
    return sign_in(alice)


def row_form(item, number=FOUND, **more):
    return {"row": number, "attribution": str(item.attribution_id)} | more


@pytest.mark.parametrize(("number", "verdict", "truth"), TRUTHS)
def test_a_verdict_is_kept_as_the_truth_about_the_field(item, alice, number, verdict, truth):
    actions.save_label(choice=choose(item, number), verdict=verdict, by=alice, now=NOW)

    kept = Label.objects.get()
    assert (kept.verdict, kept.truth, kept.is_misstated) == (verdict, truth, verdict is Verdict.MISSTATED)


def test_a_label_is_kept_with_what_was_shown(item, alice):
    actions.save_label(choice=choose(item), verdict=Verdict.CORRECT, by=alice, now=NOW)

    kept = Label.objects.get()
    assert (kept.section, kept.path, kept.reviewer, kept.created_at) == ("safety", "risk_level", alice.user, NOW)
    assert kept.shown == {
        "attribution": str(item.attribution_id),
        "profile": item.attribution.profile_id,
        "engine": item.attribution.engine_version,
        "calibrated": False,
        "field_type": "enum",
        "track": "cited_and_found",
        "method": "citation",
        "rule": "cited_and_found",
        "score": 1.0,
        "uncapped_score": 1.0,
        "evidence": "enum.whole_word",
        "confidence": 1.0,
        "contradicted": False,
        "blind": False,
    }


def test_a_label_of_an_ambiguous_row_keeps_both_scores(organisation, alice):
    item = make_item(organisation, response="He has elevated mood swings.", context={"safety": {"risk_level": "elevated"}})

    actions.save_label(choice=choose(item), verdict=Verdict.WRONG, by=alice, now=NOW)

    shown = Label.objects.get().shown
    assert (shown["score"], shown["uncapped_score"]) == (0.5, 0.95)


def test_a_label_is_an_event_that_tells_neither_field_nor_note(item, alice):
    actions.save_label(choice=choose(item), verdict=Verdict.MISSTATED, note="said zeppelin", by=alice, now=NOW)

    (event,) = events("label.saved")
    kept = Label.objects.get()
    assert event["object"] == {"type": "snapshot", "id": str(item.pk)}
    assert event["actor"] == {"kind": "user", "id": str(alice.user_id)}
    assert event["details"] == {
        "label": str(kept.pk),
        "verdict": "misstated",
        "truth": "used",
        "misstated": True,
        "replaces": None,
        "after_submission": False,
    }
    assert event["parts"]["count"] == 3
    assert "zeppelin" not in str(event)
    assert "risk_level" not in str(event)


def test_the_label_that_counts_is_the_newest_and_the_others_stay(item, desk):
    for verdict in ("correct", "wrong", "wrong", "misstated"):
        label(desk, item, FOUND, verdict)

    labels = list(Label.objects.order_by("id"))
    assert [each.verdict for each in labels] == ["correct", "wrong", "wrong", "misstated"]
    assert [each.replaces_id for each in labels] == [None, *(each.pk for each in labels[:-1])]


@pytest.mark.parametrize("number", [FOUND, UNFOUND])
def test_as_a_plain_form_a_label_leads_back_to_its_row(item, desk, number):
    form = row_form(item, number, verdict="correct") | ({"unfound": "1"} if number == UNFOUND else {})

    response = act(desk, item, "label", **form)

    opened = "?unfound=1" if number == UNFOUND else ""
    assert (response.status_code, response["Location"]) == (302, f"/items/{item.pk}/{opened}#row-{number}")
    row = read_markup(desk.get(response["Location"].partition("#")[0])).one("tbody", id=f"row-{number}")
    assert row["data-verdict"] == "correct"


@pytest.mark.parametrize(("number", "verdict", "_"), TRUTHS)
def test_with_htmx_a_label_brings_its_row_the_progress_the_lease_and_an_empty_notice(item, desk, number, verdict, _):
    fragment = read_markup(act(desk, item, "label", as_fragment=True, **row_form(item, number, verdict=verdict.value)))

    parts = [each for each in fragment.children if not isinstance(each, str)]
    assert [each["id"] for each in parts] == [f"row-{number}", "progress", "lease", "notice"]
    assert [each.get("hx-swap-oob") for each in parts] == [None, "true", "true", "true"]
    row, progress, lease, notice = parts
    assert row["data-verdict"] == verdict.value
    assert row.one("span", class_="said").text == verdict.label
    assert [each["value"] for each in row.find("button", name="verdict", aria_pressed="true")] == [verdict.value]
    assert progress.text == f"4 fields found in the answer {1 if number == FOUND else 0} labelled, {3 if number == FOUND else 4} to go"
    assert lease.text.startswith("Assigned to you, 15 min left")
    assert "hidden" in notice.attributes
    assert notice.text == ""


def test_the_row_of_a_fragment_is_the_row_of_the_page(item, desk, alice):
    fragment = read_markup(act(desk, item, "label", as_fragment=True, **row_form(item, verdict="wrong")))

    drawn_again, on_the_page = (rows_of(each)["risk_level"] for each in (fragment, open_page(alice, item)))
    assert outline(drawn_again) == outline(on_the_page)


def outline(element):
    """An element's tags, attributes and text, but for the token against forged requests."""
    return [(each.tag, each.attributes, each.text) for each in element.walk() if each.get("name") != "csrfmiddlewaretoken"]


def test_progress_counts_found_rows_with_a_verdict_and_nothing_else(item, desk, alice):
    told = []
    for number, verdict in ((0, "correct"), (0, "wrong"), (UNFOUND, "wrong"), (2, "cannot_judge")):
        label(desk, item, number, verdict)
        told.append(progress_of(open_page(alice, item)))
    act(desk, item, "note", **row_form(item, 3, note="look"))
    told.append(progress_of(open_page(alice, item)))

    assert [each.removeprefix("4 fields found in the answer ") for each in told] == [
        "1 labelled, 3 to go",
        "1 labelled, 3 to go",
        "1 labelled, 3 to go",
        "2 labelled, 2 to go",
        "2 labelled, 2 to go",
    ]


def test_a_note_is_put_to_a_row_without_giving_it_a_verdict(item, desk, alice):
    response = act(desk, item, "note", **row_form(item, note="  see line two  "))

    row = rows_of(open_page(alice, item))["risk_level"]
    assert response["Location"] == f"/items/{item.pk}/#row-{FOUND}"
    assert row.one("bdi", class_="note").text == row.one("input", name="note")["value"] == "see line two"
    assert row.get("data-verdict") is None
    assert [event["action"] for event in events() if event["action"] in ("note.saved", "label.saved")] == ["note.saved"]


def test_a_note_stays_when_the_verdict_changes_and_a_verdict_when_the_note_does(item, desk, alice):
    label(desk, item, FOUND, "wrong")
    act(desk, item, "note", **row_form(item, note="look"))
    label(desk, item, FOUND, "misstated")
    act(desk, item, "note", **row_form(item, note="look again"))

    given = as_seen_by(alice, item).current["safety", "risk_level"]
    assert (given.verdict, given.note) == (Verdict.MISSTATED, "look again")
    assert [each.note for each in Label.objects.order_by("id")] == ["", "look", "look", "look again"]


def test_an_empty_note_takes_the_note_away(item, desk, alice):
    act(desk, item, "note", **row_form(item, note="look"))
    act(desk, item, "note", **row_form(item, note=""))

    assert not rows_of(open_page(alice, item))["risk_level"].find("bdi", class_="note")


def test_a_note_comes_back_with_its_row(item, desk):
    fragment = read_markup(act(desk, item, "note", as_fragment=True, **row_form(item, note="look")))

    assert fragment.children[0]["id"] == f"row-{FOUND}"
    assert fragment.one("bdi", class_="note").text == "look"


def test_all_remaining_found_rows_are_called_correct_at_once(item, desk, alice):
    label(desk, item, FOUND, "wrong")
    act(desk, item, "note", **row_form(item, 2, note="look"))

    response = act(desk, item, "label-remaining")

    current = as_seen_by(alice, item).current
    assert response["Location"] == f"/items/{item.pk}/"
    assert {path: given.verdict.value for (_, path), given in current.items()} == {
        "risk_level": "wrong",
        "provider_name": "correct",
        "accepting_new": "correct",
        "fit_score": "correct",
    }
    assert current["provider_genome", "provider_name"].note == "look"
    assert len(events("label.saved")) == 4


def test_calling_the_rest_correct_where_nothing_is_left_writes_no_label(item, desk):
    act(desk, item, "label-remaining")
    before = state_of_tables()

    act(desk, item, "label-remaining")

    assert state_of_tables() == before


REFUSED = {
    "no verdict": {"verdict": ""},
    "an unknown verdict": {"verdict": "splendid"},
    "the verdict that takes back": {"verdict": "none"},
    "no row": {"row": ""},
    "a row that is no number": {"row": "first"},
    "a row before the first": {"row": "-1"},
    "a row behind the last": {"row": "6"},
    "no attribution": {"attribution": ""},
    "something else than an attribution": {"attribution": "latest"},
    "a reason too long": {"reason": "x" * 2_001},
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("as_fragment", [False, True], ids=["page", "fragment"])
def test_a_form_that_makes_no_sense_is_refused_with_the_reason_and_writes_no_label(item, desk, name, as_fragment):
    response = act(desk, item, "label", as_fragment=as_fragment, **row_form(item, verdict="correct") | REFUSED[name])

    assert response.status_code == 422
    assert notice_of(read_markup(response)) != ""
    assert not Label.objects.exists()
    assert not Lease.objects.exists()


def test_a_note_that_is_too_long_is_refused(item, desk):
    response = act(desk, item, "note", **row_form(item, note="x" * 5_001))

    assert response.status_code == 422
    assert "at most 5000 characters" in notice_of(read_markup(response))
    assert not Label.objects.exists()


def test_a_page_of_an_older_attribution_is_told_to_reload(organisation, item, desk):
    other = make_item(organisation)

    response = act(desk, item, "label", as_fragment=True, **row_form(item, verdict="correct") | {"attribution": str(other.attribution_id)})

    assert response.status_code == 409
    assert (response["HX-Retarget"], response["HX-Reswap"]) == ("#notice", "outerHTML")
    assert notice_of(read_markup(response)) == "This item has been attributed again since you opened it. Reload the page."
    assert not Label.objects.exists()


def test_a_refusal_as_a_page_is_the_page_with_the_reason_on_it(organisation, item, desk):
    response = act(desk, item, "label", **row_form(item, verdict="correct") | {"attribution": str(make_item(organisation).attribution_id)})

    page = read_markup(response)
    assert response.status_code == 409
    assert page.one("p", id="notice")["role"] == "alert"
    assert notice_of(page).startswith("This item has been attributed again")
    assert rows_of(page).keys() >= {"risk_level", "fit_score"}
    assert len(events("snapshot.viewed")) == 1


def test_labels_of_two_people_stand_beside_each_other(item, alice, bob):
    actions.save_label(choice=choose(item), verdict=Verdict.CORRECT, by=alice, now=NOW)
    actions.let_go(item_id=item.pk, by=alice, now=NOW)
    actions.save_label(choice=choose(item), verdict=Verdict.WRONG, by=bob, now=NOW)

    assert [(each.reviewer_id, each.replaces_id) for each in Label.objects.order_by("id")] == [(alice.user_id, None), (bob.user_id, None)]
    assert [as_seen_by(member, item).current["safety", "risk_level"].verdict for member in (alice, bob)] == ["correct", "wrong"]


def test_every_row_has_the_four_buttons_in_the_order_of_the_keys(organisation, alice):
    page = open_page(alice, make_item(organisation, **FOUR_TRACKS), unfound=True)

    for row in rows_of(page).values():
        is_found = row.attributes.get("data-used") is not None
        buttons = row.one("form", class_="verdict").find("button")
        assert [(button["value"], button["title"]) for button in buttons] == [
            ("correct", f"Correct (1): {'used, with the record’s value' if is_found else 'really not used'}"),
            ("wrong", f"Wrong (2): {'not used in the answer' if is_found else 'used after all'}"),
            ("misstated", "Misstated (3): used, with another value"),
            ("cannot_judge", "Can’t judge (0): answer and record do not tell"),
        ]
        assert {button["aria-pressed"] for button in buttons} == {"false"}


def test_a_label_after_submission_needs_a_reason_and_the_old_one_stays_on_the_page(item, desk, alice):
    act(desk, item, "label-remaining")
    act(desk, item, "submit")

    refused = act(desk, item, "label", as_fragment=True, **row_form(item, verdict="wrong"))
    changed = act(desk, item, "label", **row_form(item, verdict="wrong", reason="read it again"))

    assert refused.status_code == 422
    assert notice_of(read_markup(refused)) == "This review is submitted: changing a label needs a reason. The old label stays on record."
    assert changed.status_code == 302
    row = rows_of(open_page(alice, item))["risk_level"]
    assert row["data-verdict"] == "wrong"
    assert "Was Correct, until it was changed: read it again" in row.one("tr", class_="trace").text
    assert Label.objects.order_by("id").last().reason == "read it again"
    assert events("label.saved")[-1]["details"]["after_submission"] is True


def test_the_page_of_a_submitted_review_asks_for_the_reasons_it_needs(item, desk, alice):
    act(desk, item, "label-remaining")
    act(desk, item, "submit")

    row = rows_of(open_page(alice, item))["risk_level"]
    verdict_form, note_form = row.one("form", class_="verdict"), row.one("form", class_="noting")

    reasons = row.find("input", name="reason")
    assert [reason.get("form") for reason in reasons] == [verdict_form["id"], None]
    assert note_form.find("input", name="reason")
    fields = {field["name"]: field["value"] for field in note_form.find("input", value=True)} | {"note": "late", "reason": "forgot it"}
    assert desk.post(note_form["action"], fields).status_code == 302
    assert rows_of(open_page(alice, item))["risk_level"].one("bdi", class_="note").text == "late"


def test_a_change_needs_no_lease_once_the_review_is_submitted(item, desk):
    act(desk, item, "label-remaining")
    act(desk, item, "submit")

    act(desk, item, "label", **row_form(item, verdict="wrong", reason="read it again"))

    assert not Lease.objects.exists()


def test_nobody_else_changes_a_submitted_review(item, desk, bob):
    act(desk, item, "label-remaining")
    act(desk, item, "submit")

    refused = act(sign_in(bob), item, "label", as_fragment=True, **row_form(item, verdict="wrong", reason="no"))

    assert refused.status_code == 409
    assert notice_of(read_markup(refused)) == "Somebody else has submitted this review. Only its reviewer can change it, with a reason."
    assert not any(row.find("form", class_="verdict") for row in rows_of(open_page(bob, item)).values())


def test_a_reason_is_no_reason_if_it_is_blank(item, alice):
    actions.label_remaining(item_id=item.pk, by=alice, now=NOW)
    actions.submit(item_id=item.pk, by=alice, now=NOW)

    with pytest.raises(Invalid):
        actions.save_label(choice=choose(item), verdict=Verdict.WRONG, by=alice, now=NOW)
    assert act(sign_in(alice), item, "label", **row_form(item, verdict="wrong", reason="   ")).status_code == 422


def test_headers_of_fragments_keep_them_apart_from_pages(item, desk):
    response = desk.get(f"/items/{item.pk}/", headers=FRAGMENT)

    assert "HX-Request" in response["Vary"]
    assert response["Cache-Control"] == "no-store"
