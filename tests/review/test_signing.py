"""Signing: who may, with which proof, as what; and exactly what."""

from __future__ import annotations

import hashlib
import json

import pytest
from django.test import Client
from django.utils import timezone

from attribution import canonical_bytes
from reviewers.accounts.models import Organisation, Role, User
from reviewers.accounts.policies import Refused
from reviewers.accounts.sign_in.reauthentication import Purpose
from reviewers.review.labels import actions
from reviewers.review.models import CitationLabel, Label, Meaning, Signature, Verdict
from tests.accounts.signing_in import clock_stands, code_of, give_second_factor
from tests.events import events
from tests.factories import BOTH, NOW, choose, make_item, make_key, make_member, prove, sign_in, without_proofs
from tests.markup import read_markup
from tests.review.plans.planning import review, run_blind
from tests.review.signed import form_of, make_signed, make_submitted, review_of, send, sign_as_it_stands, submission_of
from tests.state import state_of_tables

WRONG = "not the passphrase at all"


@pytest.fixture
def item(alice):
    """Alice has reviewed it."""
    return make_submitted(alice)


def test_a_reviewer_signs_their_own_review_as_reviewed(item, alice):
    before = timezone.now()

    response = send(sign_in(alice), item)

    kept = Signature.objects.get()
    assert (response.status_code, response["Location"]) == (302, f"/items/{item.pk}/#signatures")
    assert (kept.signer_id, kept.organisation_id, kept.printed_name) == (alice.user_id, alice.organisation_id, "Alice Aldous")
    assert (kept.meaning, kept.zone, kept.object_type) == ("reviewed", "Europe/Berlin", "review")
    assert kept.object_id == kept.review_id == submission_of(item).pk
    assert before <= kept.signed_at <= timezone.now()


def test_the_event_of_a_signature_commits_to_digest_and_name_and_tells_neither(item, alice):
    signature = sign_as_it_stands(item, alice)

    (event,) = events("signature.made")
    assert event["object"] == {"type": "snapshot", "id": str(item.pk)}
    assert event["actor"]["id"] == str(alice.user_id)
    assert event["details"] == {
        "signature": str(signature.pk),
        "meaning": "reviewed",
        "signs": "review",
        "review": str(signature.review_id),
        "proof": str(signature.proof_id),
    }
    assert event["parts"]["count"] == 3
    assert bytes(signature.digest).hex() not in json.dumps(event)


def test_what_is_signed_can_be_made_again_by_hand(item, alice):
    actions.save_label(choice=choose(item, 0, "second look"), verdict=Verdict.WRONG, note="no", by=alice, now=NOW)
    signature = sign_as_it_stands(item, alice)

    shown, documents, submission = item.attribution, item.attribution.documents, submission_of(item)
    latest = {(each.section, each.path): each for each in Label.objects.order_by("id")}
    expected = {
        "v": 1,
        "object": {"type": "review", "id": str(submission.pk)},
        "organisation": str(item.organisation_id),
        "snapshot": {"id": str(item.pk), "digest": sha(item.snapshot.digest), "content": sha(item.snapshot.content_digest)},
        "attribution": {
            "id": str(shown.pk),
            "digest": sha(shown.digest),
            "profile": shown.profile_id,
            "engine": shown.engine_version,
        },
        "documents": sha(documents.digest),
        "found_afterwards": None,
        "review": {
            "reviewer": str(alice.user_id),
            "submitted_at": "2026-03-04T09:30:00.000000Z",
            "digest": sha(submission.digest),
        },
        "fields": [field(each) for each in sorted(latest.values(), key=lambda each: each.pk)],
        "citations": [citation(each) for each in CitationLabel.objects.all()],
    }
    told = sign_in(alice).get(f"/signatures/{signature.pk}/")
    assert told.content == canonical_bytes(expected)
    assert hashlib.sha256(told.content).digest() == bytes(signature.digest)
    assert any(each["note"] == sha(hashlib.sha256(b"no").digest()) for each in expected["fields"])
    assert told["Content-Disposition"] == f'attachment; filename="signed-{signature.pk}.json"'


def sha(digest: bytes) -> str:
    return "sha256:" + bytes(digest).hex()


def text_digest(text: str) -> str | None:
    return sha(hashlib.sha256(text.encode()).digest()) if text else None


def field(label: Label) -> dict[str, object]:
    said = {name: getattr(label, name) for name in ("section", "path", "verdict", "truth", "is_misstated")}
    return said | {"id": str(label.pk), "note": text_digest(label.note), "reason": text_digest(label.reason)}


def citation(label: CitationLabel) -> dict[str, object]:
    said = {name: getattr(label, name) for name in ("source", "is_own", "start", "end", "repeat", "verdict")}
    return said | {"id": str(label.pk), "note": text_digest(label.note), "reason": text_digest(label.reason)}


def test_the_page_says_in_words_what_is_signed_and_that_is_an_event(item, alice):
    page = read_markup(sign_in(alice).get(f"/items/{item.pk}/signing/"))

    told = " ".join(page.one("main").text.split())
    assert "Sign your review" in told
    assert "Labels of fields4 correctLabels of citations1 supports" in told.replace("\n", "")
    assert "Printed nameAlice Aldous" in told
    assert form_of(item)["digest"] in told
    assert [event["object"]["id"] for event in events("snapshot.viewed")] == [str(item.pk)]


def test_a_review_that_is_not_submitted_leads_back_to_its_item(alice):
    item = make_item(alice.organisation)

    response = sign_in(alice).get(f"/items/{item.pk}/signing/")

    assert (response.status_code, response["Location"]) == (302, f"/items/{item.pk}/")


def test_nothing_is_signed_that_was_not_submitted(item, alice):
    todo = make_item(alice.organisation)

    with pytest.raises(Refused, match="has not been submitted"):
        sign_as_it_stands(item, alice, item_id=todo.pk)


# Who may


def test_nobody_signs_the_review_of_another_as_reviewed(item, bob, lead):
    for member in (bob, lead):
        response = send(sign_in(member), item)
        assert response.status_code == 409
        assert "Nobody else can sign it as reviewed." in response.content.decode()
    assert not Signature.objects.exists()


@pytest.mark.parametrize("meaning", ["adjudicated", "approved"])
def test_a_lead_signs_the_review_of_another_as_adjudicated_or_approved(item, lead, meaning):
    response = send(sign_in(lead), item, "approve", meaning=meaning)

    assert response.status_code == 302
    assert Signature.objects.get().meaning == meaning


def test_a_lead_does_not_approve_their_own_review(lead):
    item = make_submitted(lead)

    response = send(sign_in(lead), item, "approve", meaning="approved")

    assert (response.status_code, Signature.objects.count()) == (409, 0)
    assert send(sign_in(lead), item).status_code == 302


@pytest.mark.parametrize("role", [role for role in Role if role != Role.LEAD])
def test_nobody_but_a_lead_approves(item, role):
    member = make_member(item.organisation, role)

    assert send(sign_in(member), item, "approve", meaning="approved").status_code == 403


@pytest.mark.parametrize("meaning", ["reviewed", "liked", ""])
def test_another_meaning_is_none(item, lead, meaning):
    response = send(sign_in(lead), item, "approve", meaning=meaning)

    assert (response.status_code, Signature.objects.count()) == (422, 0)


def test_a_reviewer_is_told_who_can_sign_the_review_of_another(item, bob):
    page = read_markup(sign_in(bob).get(f"/items/{item.pk}/signing/"))

    assert "This is the review of Alice Aldous." in page.one("main").text
    assert not page.find("form", class_="signing-form")
    assert not page.find("dl"), "what the labels of another are is not shown to who cannot sign them"
    assert form_of(item)["digest"] not in page.one("main").text


def test_a_stranger_finds_neither_item_nor_signature(item, alice, charlie):
    signature = sign_as_it_stands(item, alice)
    client, before = sign_in(charlie), state_of_tables()

    answers = [client.get(f"/items/{item.pk}/signing/"), send(client, item), client.get(f"/signatures/{signature.pk}/")]

    assert [answer.status_code for answer in answers] == [404] * 3
    assert state_of_tables() == before


def test_a_review_of_another_item_is_none_of_this_one(item, alice):
    other = make_submitted(alice)

    with pytest.raises(Refused, match="has not been submitted"):
        sign_as_it_stands(item, alice, review_id=review_of(other).id)


# With which proof


def test_a_stolen_session_alone_signs_nothing(item, alice):
    """Nor does a proof for something else that is still fresh."""
    client = prove(without_proofs(alice), alice, Purpose.EXPORT, Purpose.REDACT)
    form = form_of(item)
    del form["password"], form["proof"]

    asked = client.post(f"/items/{item.pk}/sign/", form)
    refused = client.post(f"/items/{item.pk}/sign/", form | {"proof": "sign", "password": WRONG})
    by_fragment = client.post(f"/items/{item.pk}/sign/", form, headers={"HX-Request": "true"})

    assert "about to <strong>sign</strong>" in asked.content.decode()
    assert (asked.status_code, refused.status_code) == (200, 422)
    assert "/accounts/reauthenticate/" in by_fragment["HX-Redirect"]
    assert not Signature.objects.exists()
    assert [event["details"]["purpose"] for event in events("proof.refused")] == ["sign"]


def test_after_a_wrong_password_what_was_to_be_signed_goes_on_with_the_right_one(item, alice):
    client = sign_in(alice)
    refused = read_markup(send(client, item, password=WRONG))
    carried = {each["name"]: each["value"] for each in refused.one("main").find("input", type="hidden") if each.get("name")}

    response = client.post(f"/items/{item.pk}/sign/", carried | {"password": form_of(item)["password"]})

    assert response.status_code == 302
    assert Signature.objects.count() == 1


def test_whoever_has_a_second_factor_signs_with_both(item, alice):
    secret, client = give_second_factor(alice), sign_in(alice)
    with clock_stands():
        assert send(client, item).status_code == 422
        assert send(client, item, code="abcdef").status_code == 422
        assert send(client, item, password=WRONG, code=code_of(secret)).status_code == 422
        assert not Signature.objects.exists()
        assert send(client, item, code=code_of(secret)).status_code == 302
    page = read_markup(client.get(f"/items/{make_submitted(alice).pk}/signing/"))
    assert page.find("input", name="code")


def test_one_proof_is_good_for_one_signature(item, alice):
    client, other = prove(sign_in(alice), alice, Purpose.SIGN), make_submitted(alice)
    first, second = ({name: value for name, value in form_of(each).items() if name != "password"} for each in (item, other))

    assert client.post(f"/items/{item.pk}/sign/", first).status_code == 302
    assert client.post(f"/items/{other.pk}/sign/", second).status_code == 422
    assert Signature.objects.count() == 1


# Twice, and changed in between


def test_sent_twice_it_is_one_signature(item, alice):
    client, form = sign_in(alice), form_of(item)

    answers = [client.post(f"/items/{item.pk}/sign/", form) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [302, 302]
    assert (Signature.objects.count(), len(events("signature.made"))) == (1, 1)


def test_what_changed_between_page_and_signing_is_told_and_nothing_is_signed(item, alice):
    form = form_of(item)
    for number in (0, 2):
        actions.save_label(choice=choose(item, number, "second look"), verdict=Verdict.WRONG, by=alice, now=NOW)

    response = sign_in(alice).post(f"/items/{item.pk}/sign/", form)

    told = response.content.decode()
    assert (response.status_code, Signature.objects.count()) == (409, 0)
    assert "Changed since you opened this page: 2 labels. Nothing was signed." in told
    assert form_of(item)["digest"] in told
    assert send(sign_in(alice), item).status_code == 302


def test_a_digest_of_something_else_is_not_signed(item, alice):
    response = send(sign_in(alice), item, digest="sha256:" + "0" * 64)

    assert (response.status_code, Signature.objects.count()) == (409, 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [("zone", "Europe/Atlantis"), ("zone", "../../etc/passwd"), ("zone", ""), ("digest", "sha256:1"), ("labels", "-1"), ("review", "x")],
)
def test_a_form_with_nonsense_is_refused(item, alice, name, value):
    response = send(sign_in(alice), item, **{name: value})

    assert response.status_code == (302 if name == "review" else 422)
    assert not events("signature.made")


def test_the_zone_is_the_one_of_the_last_signature(item, alice):
    client = sign_in(alice)

    def zone() -> str:
        return read_markup(client.get(f"/items/{item.pk}/signing/")).one("input", id="zone")["value"]

    assert zone() == "UTC"
    send(client, item, zone="America/Denver")
    assert zone() == "America/Denver"


# The page of a signature


def test_a_later_name_leaves_the_one_that_was_signed_with(item, alice, auditor):
    sign_as_it_stands(item, alice)
    User.objects.filter(pk=alice.user_id).update(name="Alice Married")

    shown = read_markup(sign_in(auditor).get(f"/items/{item.pk}/")).one("section", id="signatures").text

    assert "Alice Aldous" in shown
    assert "Alice Married" not in shown


def test_the_moment_is_shown_in_the_zone_of_the_signer(item, alice, auditor):
    sign_as_it_stands(item, alice, zone="America/Denver")

    shown = read_markup(sign_in(auditor).get(f"/items/{item.pk}/")).one("section", id="signatures").text

    assert "4 Mar 2026, 02:30:00 MST (UTC-07:00, America/Denver)" in shown


def test_reading_what_was_signed_is_an_event(item, alice, auditor):
    signature = sign_as_it_stands(item, alice)

    sign_in(auditor).get(f"/signatures/{signature.pk}/")

    (event,) = events("signature.read")
    assert (event["object"]["id"], event["details"]) == (str(item.pk), {"signature": str(signature.pk)})
    page = sign_in(auditor).get("/access/").content.decode()
    assert "read what was signed of" in page


def test_where_a_reason_is_wanted_the_page_asks_for_it_first(item, lead):
    Organisation.objects.update(asks_why=True)

    response = sign_in(lead).get(f"/items/{item.pk}/signing/")

    assert "Why do you open this record?" in response.content.decode()


def test_signatures_are_part_of_the_answer_of_the_api(alice):
    signature = make_signed(alice)
    item_id = signature.review.snapshot_id
    client = Client(headers={"Authorization": f"Bearer {make_key(alice.organisation)}"})

    (told,) = client.get(f"/api/v1/snapshots/{item_id}").json()["signatures"]

    assert told == {
        "id": str(signature.pk),
        "printed_name": "Alice Aldous",
        "meaning": "reviewed",
        "signed_at": "2026-03-04T09:30:00+00:00",
        "zone": "Europe/Berlin",
        "review": str(signature.review_id),
        "digest": sha(signature.digest),
        "standing": "holds",
        "changed_since": [],
        "is_replaced": False,
    }


def test_what_was_signed_in_a_blind_review_is_for_its_reviewer_until_all_are_in(alice):
    lead = make_member(alice.organisation, Role.LEAD, "Lara Lead")
    item = make_item(alice.organisation, **BOTH)
    run_blind(lead)
    review(item, alice)
    signature = sign_as_it_stands(item, alice)

    assert sign_in(alice).get(f"/signatures/{signature.pk}/").status_code == 200
    for member in (lead, make_member(alice.organisation, name="Olga Other")):
        client = sign_in(member)
        assert client.get(f"/signatures/{signature.pk}/").status_code == 404
        assert client.get(f"/items/{item.pk}/signing/?review={submission_of(item).pk}").status_code == 302
        assert alice.user.name not in read_markup(client.get(f"/items/{item.pk}/")).one("main").text


@pytest.mark.parametrize("meaning", Meaning)
def test_nobody_confirms_by_signing_what_somebody_else_said_in_a_blind_review(alice, meaning):
    lead = make_member(alice.organisation, Role.LEAD, "Lara Lead")
    item = make_item(alice.organisation, **BOTH)
    run_blind(lead)
    review(item, alice)

    with pytest.raises(Refused, match="has not been submitted"):
        sign_as_it_stands(item, lead, meaning)
