"""One proof, one act: proofs are rows, and an act uses its own up in the transaction in which it happens."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from unittest.mock import Mock

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from reviewers.accounts.actions import add_member
from reviewers.accounts.models import Proof, ServiceKey
from reviewers.accounts.sign_in import proofs, reauthentication
from reviewers.accounts.sign_in.proofs import ProofUsed, use_proof
from reviewers.accounts.sign_in.reauthentication import Purpose
from reviewers.review.models import Signature
from reviewers.review.signing.actions import sign
from reviewers.web.tenancy import tenant
from tests.events import events
from tests.factories import NOW, make_member, make_organisation, prove, sign_in, without_proofs
from tests.review.signed import form_of, intent_of, make_submitted, proof_of, sign_as_it_stands
from tests.threads import at_once

AT_ONCE = 8


def bare(item) -> dict[str, object]:
    """The form without a proof in it."""
    return {name: value for name, value in form_of(item).items() if name not in {"password", "proof"}}


def copies(client, member, count: int) -> list:
    """Browsers that all send the cookie of one session."""
    found = [without_proofs(member) for _ in range(count)]
    for each in found:
        each.cookies = client.cookies
    return found


@pytest.mark.usefixtures("committed")
def test_eight_signings_at_once_after_one_proof_are_one_signature():
    alice = make_member(make_organisation())
    items = [make_submitted(alice, external_id=f"turn-{number}") for number in range(AT_ONCE)]
    client = prove(without_proofs(alice), alice, Purpose.SIGN)
    calls = [
        partial(each.post, f"/items/{item.pk}/sign/", bare(item)) for each, item in zip(copies(client, alice, AT_ONCE), items, strict=True)
    ]

    answers = at_once(calls)

    assert sorted(answer.status_code for answer in answers) == [200] * (AT_ONCE - 1) + [302]
    signature = Signature.objects.get()
    assert signature.proof.used_for == f"sign {signature.review_id}"
    assert len(events("signature.made")) == 1


@pytest.mark.usefixtures("committed")
def test_what_writes_the_session_meanwhile_does_not_bring_a_proof_back():
    alice = make_member(make_organisation())
    items = [make_submitted(alice, external_id=f"turn-{number}") for number in range(4)]
    client = prove(without_proofs(alice), alice, Purpose.SIGN)
    for item in items:
        one, other = copies(client, alice, 2)
        at_once([partial(one.post, f"/items/{item.pk}/sign/", bare(item)), partial(other.get, f"/queue/?model=m{item.pk}")])

    assert Signature.objects.count() == 1


def test_a_proof_of_one_session_is_none_of_another(alice):
    item = make_submitted(alice)
    prove(without_proofs(alice), alice, Purpose.SIGN)

    assert without_proofs(alice).post(f"/items/{item.pk}/sign/", bare(item)).status_code == 200
    assert not Signature.objects.exists()


def test_a_proof_given_in_one_organisation_is_none_in_another(alice, organisation):
    other = make_organisation("Elsewhere")
    with tenant.within(other.pk):
        elsewhere = add_member(organisation=other, user=alice.user, role="reviewer", at=NOW)
    item, client = make_submitted(alice), without_proofs(alice)
    prove(client, elsewhere, Purpose.SIGN)
    client.post(f"/organisations/{organisation.pk}/enter/")

    assert "about to <strong>sign</strong>" in client.post(f"/items/{item.pk}/sign/", bare(item)).content.decode()
    assert not Signature.objects.exists()


def test_an_act_that_is_rolled_back_gives_its_proof_back(alice, monkeypatch):
    item, client = make_submitted(alice), prove(without_proofs(alice), alice, Purpose.SIGN)
    with monkeypatch.context() as patched:
        patched.setattr("reviewers.review.signing.actions.record", Mock(side_effect=RuntimeError))
        with pytest.raises(RuntimeError):
            client.post(f"/items/{item.pk}/sign/", bare(item))
    assert (Signature.objects.count(), Proof.objects.get(purpose="sign").used_at) == (0, None)

    assert client.post(f"/items/{item.pk}/sign/", bare(item)).status_code == 302


def test_an_act_that_is_refused_gives_its_proof_back(alice):
    item, client = make_submitted(alice), prove(without_proofs(alice), alice, Purpose.SIGN)

    refused = client.post(f"/items/{item.pk}/sign/", bare(item) | {"digest": "sha256:" + "0" * 64})

    assert refused.status_code == 409
    assert client.post(f"/items/{item.pk}/sign/", bare(item)).status_code == 302


def test_only_reading_and_the_pages_of_ones_sign_in_are_windows():
    assert {Purpose.EXPORT, Purpose.ACCOUNT} == reauthentication.WINDOWS


def test_the_action_itself_takes_no_proof_twice(alice):
    proof = proof_of(alice)
    first, second = make_submitted(alice, external_id="one"), make_submitted(alice, external_id="two")
    sign(intent=intent_of(first), proof=proof, by=alice, now=NOW)

    with pytest.raises(ProofUsed):
        sign(intent=intent_of(second), proof=proof, by=alice, now=NOW)
    with pytest.raises(ProofUsed):
        use_proof(proof=proof_of(alice), act="too late", now=NOW + timedelta(hours=1))


def changed(call) -> bool:
    """Return True if the database accepts the write."""
    try:
        with transaction.atomic():
            call()
    except DatabaseError:
        return False
    return True


def test_the_database_uses_a_proof_once_and_changes_nothing_else_of_it(alice):
    used, unused = sign_as_it_stands(make_submitted(alice), alice).proof, proof_of(alice)
    used_row, unused_row = Proof.objects.filter(pk=used.pk), Proof.objects.filter(pk=unused.pk)

    assert not changed(lambda: used_row.update(used_at=None, used_for=""))
    assert not changed(lambda: used_row.update(used_for="another act"))
    assert not changed(used_row.delete)
    assert not changed(lambda: unused_row.update(expires_at=NOW + timedelta(days=1)))
    assert not changed(lambda: unused_row.update(purpose="approve"))
    assert not changed(lambda: unused_row.update(session="1" * 64))
    assert not changed(lambda: unused_row.update(used_at=NOW + timedelta(days=1), used_for="long after"))


def test_the_database_takes_proofs_of_members_alone_and_unused_ones(alice):
    stranger = make_member(make_organisation("Elsewhere"))
    told = {"organisation_id": alice.organisation_id, "purpose": "sign", "session": "0" * 64}
    times = {"given_at": NOW, "expires_at": NOW + timedelta(minutes=5)}

    assert not changed(lambda: Proof.objects.create(**told, **times, user_id=stranger.user_id))
    assert not changed(lambda: Proof.objects.create(**told, **times, user_id=alice.user_id, used_at=NOW, used_for="an act"))


def test_the_database_takes_no_signature_without_a_proof_of_its_signer(alice, bob):
    signature = sign_as_it_stands(make_submitted(alice), alice)
    others = proof_of(bob)
    use_proof(proof=others, act="something", now=NOW)
    unused = proof_of(alice)

    def again(**changes: object) -> None:
        copy = Signature.objects.get(pk=signature.pk)
        copy.pk, copy.digest = others.pk, b"\1" * 32
        for name, value in changes.items():
            setattr(copy, name, value)
        copy.save(force_insert=True)

    assert not changed(again)
    assert not changed(lambda: again(proof=None))
    assert not changed(lambda: again(proof=others))
    assert not changed(lambda: again(proof=unused))


def test_proofs_that_expired_unused_are_forgotten_and_others_kept(alice):
    kept = sign_as_it_stands(make_submitted(alice), alice).proof
    prove(sign_in(alice), alice, Purpose.SIGN)
    proof_of(alice)

    proofs.delete_unused_proofs(now=timezone.now())

    assert Proof.objects.filter(given_at=NOW).get() == kept
    assert Proof.objects.filter(purpose="sign", used_at=None).exists()


@pytest.mark.usefixtures("committed")
def test_eight_keys_at_once_after_one_proof_are_one_key():
    administrator = make_member(make_organisation(), "administrator")
    client = prove(without_proofs(administrator), administrator, Purpose.MANAGE)
    form = {"name": "runtime", "scopes": ["ingest"]}

    at_once([partial(each.post, "/settings/keys/", form) for each in copies(client, administrator, AT_ONCE)])

    assert ServiceKey.objects.count() == 1
