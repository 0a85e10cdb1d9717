"""Several reviews signed by one act: a list of what is signed, one proof, all of them or none, each with a signature and an event."""

from __future__ import annotations

import uuid
import zlib
from datetime import timedelta
from hashlib import sha256

import pytest
from django.db import DatabaseError, transaction

from attribution import canonical_bytes
from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Proof
from reviewers.accounts.sign_in.proofs import ProofUsed
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.ledger.verification.organisation import verify
from reviewers.review.labels import actions
from reviewers.review.models import Signature, Verdict
from reviewers.review.signing.actions import sign, sign_all
from reviewers.review.signing.queries import MOST_TOGETHER
from reviewers.review.signing.statements import state_now
from tests.events import events
from tests.factories import NOW, choose, choose_finding, flag_finding, make_item, sign_in
from tests.ledger.sealed import seal_now
from tests.markup import read_markup
from tests.review.signed import form_of_several, intent_of, make_submitted, proof_of, review_of, sign_as_it_stands


@pytest.fixture
def items(alice):
    return [make_submitted(alice, external_id=f"turn-{number}") for number in range(3)]


def sign_together(items, by, **changes):
    return sign_all(intents=[intent_of(item) for item in items], proof=proof_of(by), by=by, now=NOW, **changes)


def test_the_list_has_ones_own_reviews_that_are_not_signed(items, alice, bob):
    sign_as_it_stands(items[0], alice)
    make_submitted(bob)
    make_item(alice.organisation)

    page = read_markup(sign_in(alice).get("/signing/"))

    assert [each["value"] for each in page.find("input", name="chosen")] == form_of_several(*items[1:])["chosen"]
    assert "4 correct" in page.find("td", data_name="covers")[0].text
    assert {each["title"] for each in page.find("a", title=True) if each["title"].startswith("sha256:")} == {
        intent_of(item).digest for item in items[1:]
    }


def test_reviews_that_changed_or_have_a_flag_are_not_ticked_and_say_why(items, alice, bob):
    actions.save_label(choice=choose(items[0], 0, "second look"), verdict=Verdict.WRONG, by=alice, now=NOW)
    flag_finding(choice=choose_finding(items[1], "over_cited"), note="look", by=bob, now=NOW)

    page = read_markup(sign_in(alice).get("/signing/"))

    rows = {row.one("input")["value"][:36]: row for row in page.one("tbody").find("tr")}
    told = [("checked" in row.one("input").attributes, [each.text for each in row.find("span", class_="flag")]) for row in rows.values()]
    assert dict(zip(rows, told, strict=True)) == {
        str(items[0].pk): (False, ["look again first: labels changed after you submitted"]),
        str(items[1].pk): (False, ["look again first: an open flag"]),
        str(items[2].pk): (True, []),
    }


def test_without_a_review_to_sign_the_page_says_so(alice):
    assert "Nothing to sign" in sign_in(alice).get("/signing/").content.decode()


def test_one_password_signs_them_all_each_with_its_own_event(items, alice):
    response = sign_in(alice).post("/signing/sign/", form_of_several(*items), follow=True)

    assert "You have signed 3 reviews." in response.content.decode()
    signatures = Signature.objects.order_by("id")
    assert {each.review.snapshot_id for each in signatures} == {item.pk for item in items}
    (proof,) = {each.proof for each in signatures}
    written = events("signature.made")
    assert {event["object"]["id"] for event in written} == {str(item.pk) for item in items}
    assert {event["details"]["proof"] for event in written} == {str(proof.pk)}
    assert len(events("proof.given")) == 1
    reviews = sorted(str(each.review_id) for each in signatures)
    assert proof.used_for == f"sign 3 reviews {sha256(chr(10).join(reviews).encode()).hexdigest()}"


def test_a_review_that_is_named_twice_is_signed_once(items, alice):
    form = form_of_several(items[0])
    (seen,) = form["chosen"]
    item, _, rest = seen.partition(":")
    again = f"{item.replace('-', '').ljust(36, '-')}:{rest}"

    response = sign_in(alice).post("/signing/sign/", form | {"chosen": [seen, seen, again]}, follow=True)

    assert "You have signed 1 review." in response.content.decode()
    assert Signature.objects.count() == len(events("signature.made")) == 1


def test_if_one_has_changed_since_none_is_signed_and_it_is_marked(items, alice):
    form = form_of_several(*items)
    actions.save_label(choice=choose(items[1], 0, "second look"), verdict=Verdict.WRONG, by=alice, now=NOW)

    response = sign_in(alice).post("/signing/sign/", form)

    assert response.status_code == 409
    assert not Signature.objects.exists()
    page = read_markup(response)
    assert "Changed since you opened this page: 1 label." in page.one("p", role="alert").text
    (marked,) = [row.one("input") for row in page.find("tr") if "changed since you opened" in row.text]
    assert marked["value"].startswith(str(items[1].pk))
    assert "checked" not in marked.attributes


def test_the_proof_of_one_act_signs_no_other_review_later(items, alice):
    proof = proof_of(alice)
    sign_all(intents=[intent_of(item) for item in items[:2]], proof=proof, by=alice, now=NOW)

    with pytest.raises(ProofUsed):
        sign(intent=intent_of(items[2]), proof=proof, by=alice, now=NOW)


def test_what_is_signed_already_stays_and_uses_no_proof(items, alice):
    first = sign_together(items[:2], alice)
    proof = proof_of(alice)

    again = sign_all(intents=[intent_of(item) for item in items[:2]], proof=proof, by=alice, now=NOW)

    assert again == first
    assert Proof.objects.get(pk=proof.pk).used_at is None


@pytest.mark.parametrize("change", ["another reviewer", "another item", "nonsense", "none", "too many", "no such item"])
def test_what_may_not_be_signed_signs_nothing(items, alice, bob, change):
    form = form_of_several(*items)
    other = form_of_several(make_submitted(bob))["chosen"][0]
    form["chosen"] = {
        "another reviewer": [*form["chosen"], other],
        "another item": [":".join([str(items[0].pk), *form["chosen"][1].split(":")[1:]])],
        "nonsense": ["nonsense"],
        "none": [],
        "too many": form["chosen"][:1] * (MOST_TOGETHER + 1),
        "no such item": [":".join(["0" * 36, *form["chosen"][1].split(":")[1:]])],
    }[change]

    assert sign_in(alice).post("/signing/sign/", form).status_code in {404, 409, 422}
    assert not Signature.objects.exists()


def test_a_wrong_password_signs_nothing(items, alice):
    sign_in(alice).post("/signing/sign/", form_of_several(*items) | {"password": "not hers"})

    assert not Signature.objects.exists()


def test_verifying_names_the_proof_where_a_signature_was_added_to_its_act(items, alice):
    proof = sign_together(items[:2], alice)[0].proof
    seal_now(alice.organisation_id)
    verify(organisation_id=alice.organisation_id)

    added = Signature.objects.latest("id")
    review = review_of(items[2])
    added.pk, added.object_id, added.review_id, added.attribution_id = uuid.uuid4(), review.id, review.id, review.shown
    statement = canonical_bytes(state_now(review))
    added.statement, added.digest = zlib.compress(statement), sha256(statement).digest()
    added.save(force_insert=True)
    by = user_actor(alice.user_id)
    record(Event(Action.SIGNATURE_MADE, alice.organisation_id, by, NOW, "snapshot", items[2].pk, rows=rows_of([added])))
    seal_now(alice.organisation_id)

    with pytest.raises(LedgerMismatch, match=f"accounts_proof {proof.pk}, column used_for"):
        verify(organisation_id=alice.organisation_id)


def test_the_database_takes_no_signature_of_another_moment_than_its_proof(items, alice):
    signature = sign_together(items[:2], alice)[0]
    signature.pk, signature.object_id, signature.review_id = uuid.uuid4(), review_of(items[2]).id, review_of(items[2]).id
    signature.signed_at = NOW + timedelta(minutes=1)

    with pytest.raises(DatabaseError, match="rests on a proof"), transaction.atomic():
        signature.save(force_insert=True)
