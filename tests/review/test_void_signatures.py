"""Nothing silent: whatever changes after somebody has signed makes the signature void, on every page that shows it, and leaves it there."""

from __future__ import annotations

import uuid
from dataclasses import replace

import pytest
from django.test import Client

from reviewers.accounts.models import Membership, Proof
from reviewers.accounts.sign_in.proofs import use_proof
from reviewers.review.labels import actions
from reviewers.review.labels.actions import save_citation_label
from reviewers.review.labels.writer import RowChoice
from reviewers.review.models import CitationVerdict, Meaning, QueueItem, Signature, Verdict
from reviewers.review.signing.queries import SignatureStatus, is_intact, signatures_of
from reviewers.snapshots.models import SnapshotAttribution
from tests.factories import NOW, choose, flag_finding, label, make_item, make_key, sign_in
from tests.markup import read_markup
from tests.review.desk import FRAGMENT
from tests.review.signed import make_submitted, proof_of, review_of, sign_as_it_stands
from tests.sampling import sampled
from tests.snapshots.searches import run_all, turn_on

UNCITED_WORDS = "Whoever takes other medicines should ask first. Your risk is elevated [[SF:risk_level]]."


@pytest.fixture
def item(alice):
    """Alice has reviewed and signed it."""
    item = make_submitted(alice)
    sign_as_it_stands(item, alice)
    return item


def change_label(item, member, number=0, verdict=Verdict.WRONG) -> None:
    actions.save_label(choice=choose(item, number, "second look"), verdict=verdict, by=member, now=NOW)


def change_two(item, member) -> None:
    change_label(item, member, 0)
    change_label(item, member, 2)


def label_what_had_none(item, member) -> None:
    (number,) = [number for number, row in enumerate(actions.load_item(member, item.pk).attribution.fields) if not row.is_used][:1]
    change_label(item, member, number)


def note(item, member) -> None:
    actions.save_label(choice=choose(item, 0, "second look"), note="look here", by=member, now=NOW)


def change_citation(item, member) -> None:
    choice = RowChoice(item.pk, item.attribution_id, 0, "second look")
    save_citation_label(choice=choice, verdict=CitationVerdict.DOES_NOT_SAY, by=member, now=NOW)


def change_both(item, member) -> None:
    change_two(item, member)
    change_citation(item, member)


def attribute_again(item, member) -> None:
    again = SnapshotAttribution.objects.get(pk=item.attribution_id)
    again.pk, again.engine_version = uuid.uuid4(), "9.0.0"
    again.save(force_insert=True)
    QueueItem.objects.filter(pk=item.pk).update(attribution=again)


CHANGES = {
    "1 label": change_label,
    "2 labels": change_two,
    "one that had none": label_what_had_none,
    "a note": note,
    "1 label of a citation": change_citation,
    "2 labels, 1 label of a citation": change_both,
    "the attribution, what is found of documents": attribute_again,
}


def standing_of(item) -> list[tuple[str, list[str]]]:
    return [(row.standing.value, list(row.changes)) for row in signatures_of(item.organisation_id, item.pk)]


def listed(client: Client, signed: str) -> list[uuid.UUID]:
    return [row.id for row in client.get(f"/queue/?signed={signed}").context["page"].rows]


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_makes_a_signature_void_and_says_what_has_changed(item, alice, name):
    CHANGES[name](item, alice)

    ((standing, changes),) = standing_of(item)
    assert standing == "void"
    assert ", ".join(changes) == (name if name[0].isdigit() or name.startswith("the") else "1 label")
    assert Signature.objects.count() == 1


@pytest.mark.parametrize("name", sampled(CHANGES, more=3))
def test_the_list_and_its_filter_say_the_same_as_the_digests(item, alice, auditor, name):
    client = sign_in(auditor)
    before = [listed(client, signed) for signed in ("holds", "void", "none")]

    CHANGES[name](item, alice)

    assert before == [[item.pk], [], []]
    assert [listed(client, signed) for signed in ("holds", "void", "none")] == [[], [item.pk], []]
    page = read_markup(client.get("/queue/?signed=void"))
    assert "Void, changed since: reviewed" in page.one("td", data_name="state").text


def test_what_is_found_afterwards_makes_a_signature_void(alice, auditor):
    turn_on(alice.organisation)
    item = make_submitted(alice, response=UNCITED_WORDS)
    sign_as_it_stands(item, alice)
    assert standing_of(item) == [("holds", [])]

    run_all()

    assert standing_of(item) == [("void", ["citations found afterwards"])]
    assert listed(sign_in(auditor), "void") == [item.pk]


def test_what_somebody_else_does_about_the_item_leaves_a_signature_alone(item, alice, bob, auditor):
    other = make_submitted(alice)
    change_label(other, alice)
    flag_finding(choice=choose(item, 0), note="look", by=bob, now=NOW)

    assert standing_of(item) == [("holds", [])]
    assert listed(sign_in(auditor), "holds") == [item.pk]


def test_signed_again_it_holds_and_the_old_signature_stays(item, alice, lead, auditor):
    sign_as_it_stands(item, lead, Meaning.APPROVED)
    change_label(item, alice)
    sign_as_it_stands(item, alice)

    rows = signatures_of(item.organisation_id, item.pk)
    assert [(row.printed_name, row.standing.value, row.is_replaced) for row in rows] == [
        ("Alice Aldous", "void", True),
        ("Leda Lund", "void", False),
        ("Alice Aldous", "holds", False),
    ]
    client = sign_in(auditor)
    assert (listed(client, "holds"), listed(client, "void")) == ([item.pk], [item.pk])
    state = read_markup(client.get("/queue/?signed=holds")).one("td", data_name="state").text
    assert "Signed: reviewed" in state
    assert "Void, changed since: approved" in state


def test_changed_back_it_is_still_void_for_it_was_changed(item, alice):
    change_label(item, alice)
    change_label(item, alice, verdict=Verdict.CORRECT)

    assert standing_of(item) == [("void", ["1 label"])]


def test_the_page_and_the_api_show_that_it_is_void_and_what_has_changed(item, alice, auditor):
    change_both(item, alice)

    shown = read_markup(sign_in(auditor).get(f"/items/{item.pk}/")).one("section", id="signatures")
    program = Client(headers={"Authorization": f"Bearer {make_key(item.organisation)}"})
    (told,) = program.get(f"/api/v1/snapshots/{item.pk}").json()["signatures"]

    assert "Void Signed as reviewed by Alice Aldous, 4 Mar 2026, 10:30:00 CET (UTC+01:00, Europe/Berlin)" in shown.text
    assert "Changed since signing: 2 labels, 1 label of a citation." in shown.text
    assert (told["standing"], told["changed_since"]) == ("void", ["2 labels", "1 label of a citation"])


def test_the_page_that_changes_a_label_shows_it_at_once(item, alice):
    response = label(sign_in(alice), item, 0, "wrong", reason="second look", headers=FRAGMENT)

    section = read_markup(response).one("section", id="signatures")
    assert section["hx-swap-oob"] == "true"
    assert "Changed since signing: 1 label." in section.text


def test_before_it_is_submitted_a_label_brings_no_signatures(alice):
    item = make_item(alice.organisation)

    response = label(sign_in(alice), item, 0, "wrong", headers=FRAGMENT)

    assert not read_markup(response).find("section", id="signatures")


def test_only_who_can_sign_and_has_not_is_offered_to(item, alice, bob, lead, auditor):
    def is_offered(member) -> bool:
        return bool(read_markup(sign_in(member).get(f"/items/{item.pk}/")).find("a", id="to-sign"))

    assert [is_offered(member) for member in (alice, bob, lead, auditor)] == [False, False, True, False]
    change_label(item, alice)
    assert [is_offered(member) for member in (alice, bob, lead, auditor)] == [True, False, True, False]


def test_what_is_submitted_and_not_signed_can_be_listed(item, alice, auditor):
    unsigned = make_submitted(alice)
    make_item(alice.organisation)

    assert listed(sign_in(auditor), "none") == [unsigned.pk]
    assert set(listed(sign_in(auditor), "none&signed=holds")) == {item.pk, unsigned.pk}


# Changes of what a signature names


FIELD_COLUMNS = {
    "id": str(uuid.UUID(int=1)),
    "section": "another",
    "path": "another",
    "verdict": "wrong",
    "truth": "not_used",
    "is_misstated": True,
    "note": "another",
    "reason": "another",
}
CITATION_COLUMNS = {
    "id": str(uuid.UUID(int=2)),
    "source": "another",
    "is_own": False,
    "start": 0,
    "end": 1,
    "repeat": 7,
    "verdict": "cannot_judge",
    "note": "another",
    "reason": "another",
}
REVIEW_COLUMNS = {
    "id": uuid.UUID(int=3),
    "organisation_id": uuid.UUID(int=4),
    "reviewer_id": uuid.UUID(int=5),
    "submission_digest": "sha256:" + "0" * 64,
    "snapshot_digest": "sha256:" + "0" * 64,
    "content_digest": "sha256:" + "0" * 64,
    "attributions": {},
}


@pytest.mark.parametrize(
    ("kind", "column", "value"),
    [("fields", *each) for each in FIELD_COLUMNS.items()] + [("citations", *each) for each in CITATION_COLUMNS.items()],
)
def test_a_label_that_was_signed_and_is_another_now_is_found(item, kind, column, value):
    review, signature = review_of(item), Signature.objects.get()
    first, *others = getattr(review, kind)

    assert is_intact(signature, review)
    assert not is_intact(signature, replace(review, **{kind: [{**first, column: value}, *others]}))
    assert not is_intact(signature, replace(review, **{kind: others}))


@pytest.mark.parametrize("column", REVIEW_COLUMNS)
def test_so_is_whatever_else_was_signed(item, column):
    assert not is_intact(Signature.objects.get(), replace(review_of(item), **{column: REVIEW_COLUMNS[column]}))


def used_proof(member: Membership, act: str) -> Proof:
    """A proof that was used up by a forged signature: the database takes none without one."""
    proof = proof_of(member)
    use_proof(proof=proof, act=act, now=NOW)
    return proof


def test_a_signature_copied_to_another_review_does_not_agree_there(item, alice, auditor):
    other = make_submitted(alice)
    review, copy = review_of(other), Signature.objects.get()
    copy.pk, copy.object_id, copy.review_id, copy.attribution_id = uuid.uuid4(), review.id, review.id, review.shown
    copy.proof = used_proof(alice, f"sign {review.id}")
    copy.save(force_insert=True)

    assert [row.standing for row in signatures_of(other.organisation_id, other.pk)] == [SignatureStatus.BROKEN]
    shown = read_markup(sign_in(auditor).get(f"/items/{other.pk}/")).one("section", id="signatures").text
    assert "What was signed is not what is recorded now." in shown


def test_a_digest_that_is_not_that_of_its_statement_does_not_agree(item):
    forged = Signature.objects.get()
    forged.pk, forged.digest = uuid.uuid4(), b"\0" * 32
    forged.proof = used_proof(Membership.objects.get(user=forged.signer_id), f"sign {forged.review_id}")
    forged.save(force_insert=True)

    assert [row.standing.value for row in signatures_of(item.organisation_id, item.pk)] == ["holds", "broken"]
