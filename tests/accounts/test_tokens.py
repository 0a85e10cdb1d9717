"""Tokens of members: made with a second factor, shown once, kept as a digest, working as their member until something ends them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from reviewers.accounts.actions import add_member
from reviewers.accounts.audit import SYSTEM, user_actor
from reviewers.accounts.members.actions import change_role, end_membership, mark_external, sign_out
from reviewers.accounts.members.tokens import MOST_TOKENS, make_token
from reviewers.accounts.models import Membership, MemberToken, Role, TokenScope, User
from reviewers.accounts.policies import ExternalTerms, Refused
from reviewers.web.tenancy import tenant
from tests.accounts.mailing import deliver, link_in_mail
from tests.accounts.outside import make_external
from tests.accounts.signing_in import code_of, give_second_factor
from tests.accounts.tokens import bearing, program_of_member, token_of
from tests.events import events
from tests.factories import NOW, PASSWORD, make_item, make_member, make_organisation, sign_in, without_proofs

MAKE, ITEMS = "/tokens/make/", "/api/v1/items"
FORM = {"name": "my desk", "scope": "label", "days": "30"}


def status_of(secret: str) -> int:
    return bearing(secret).get(ITEMS).status_code


def make_second(member: Membership) -> Membership:
    """A membership of the same person in another organisation."""
    elsewhere = make_organisation("Elsewhere Clinic")
    with tenant.within(elsewhere.pk):
        return add_member(organisation=elsewhere, user=member.user, role=Role.REVIEWER, at=NOW)


def test_a_token_is_made_with_password_and_code_and_shown_once(alice):
    code, client = give_second_factor(alice), without_proofs(alice)

    asked = client.post(MAKE, FORM)
    assert (asked.status_code, MemberToken.objects.count()) == (200, 0)
    refused = client.post(MAKE, FORM | {"proof": "token", "password": PASSWORD, "code": "000000"})
    assert (refused.status_code, MemberToken.objects.count()) == (422, 0)
    made = client.post(MAKE, FORM | {"proof": "token", "password": PASSWORD, "code": code_of(code)})

    secret = made.context["secret"]
    assert made.content.decode().count(secret) == 1
    assert made["Cache-Control"] == "no-store"
    assert secret not in client.get("/tokens/").content.decode()
    token = MemberToken.objects.get()
    assert bytes(token.digest) == hashlib.sha256(secret.encode()).digest()
    assert (token.hint, token.scope, token.membership) == (secret[:9], "label", alice)
    assert token.expires_at - token.created_at == timedelta(days=30)
    assert status_of(secret) == 200


def test_making_and_ending_are_events_of_the_member(alice):
    give_second_factor(alice)
    client = sign_in(alice)
    client.post(MAKE, FORM)
    token = MemberToken.objects.get()
    client.post(f"/tokens/{token.pk}/end/")
    client.post(f"/tokens/{token.pk}/end/")

    (made,), (ended,) = events("token.made"), events("token.ended")
    assert made["actor"] == ended["actor"] == {"kind": "user", "id": str(alice.user_id)}
    assert made["object"] == ended["object"] == {"type": "token", "id": str(token.pk)}
    assert (made["details"]["user"], made["details"]["scope"]) == (str(alice.user_id), "label")
    assert ended["details"] == {"user": str(alice.user_id), "because": "asked"}
    assert [row["table"] for row in made["rows"]] == [row["table"] for row in ended["rows"]] == ["accounts_membertoken"]


def test_without_a_second_factor_there_is_no_token(alice):
    client = sign_in(alice)

    assert "Set up a second factor" in client.get("/tokens/").content.decode()
    assert (client.post(MAKE, FORM).status_code, MemberToken.objects.count()) == (409, 0)


def test_a_token_without_the_factor_that_it_was_made_with_does_not_work(alice):
    _, secret = token_of(alice)
    alice.user.authenticator_set.all().delete()

    assert status_of(secret) == 401


def test_a_member_ends_only_tokens_of_their_own(alice, bob):
    token, secret = token_of(alice)

    assert sign_in(bob).post(f"/tokens/{token.pk}/end/").status_code == 404
    assert status_of(secret) == 200


def _ended_by_member(member: Membership, token: MemberToken) -> None:
    assert sign_in(member).post(f"/tokens/{token.pk}/end/").status_code == 302


def _ended_by_administrator(member: Membership, token: MemberToken) -> None:
    client = sign_in(make_member(member.organisation, Role.ADMINISTRATOR, "Ines Ixworth"))
    assert token.name in client.get("/settings/members/").content.decode()
    assert client.post(f"/settings/tokens/{token.pk}/end/").status_code == 302


def _membership_ends(member: Membership, _: MemberToken) -> None:
    end_membership(member=member, at=NOW, by=SYSTEM)


def _role_changes(member: Membership, _: MemberToken) -> None:
    change_role(member=member, role=Role.LEAD, at=NOW, by=SYSTEM)


def _signed_out(member: Membership, _: MemberToken) -> None:
    sign_out(member=member, at=NOW, by=SYSTEM)


def _password_changes(member: Membership, _: MemberToken) -> None:
    new = "another rather long one"
    changed = sign_in(member).post("/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new})
    assert changed.status_code == 302


def _password_reset(member: Membership, _: MemberToken) -> None:
    client = without_proofs(make_member(make_organisation("Elsewhere"), name="Nobody"))
    client.logout()
    client.post("/accounts/password/reset/", {"email": member.user.email})
    deliver()
    form = client.get(link_in_mail(), follow=True)
    new = "another rather long one"
    client.post(form.request["PATH_INFO"], {"password1": new, "password2": new})


def _factor_removed(member: Membership, _: MemberToken) -> None:
    """Another one would have the token work again."""
    member.user.authenticator_set.all().delete()
    give_second_factor(member)


ENDINGS: dict[str, Callable[[Membership, MemberToken], None]] = {
    "asked": _ended_by_member,
    "asked by an administrator": _ended_by_administrator,
    "membership": _membership_ends,
    "role": _role_changes,
    "signed_out": _signed_out,
    "password": _password_changes,
    "password reset": _password_reset,
    "factor": _factor_removed,
}


@pytest.mark.parametrize("because", ENDINGS)
def test_what_ends_a_token_ends_it_at_once_and_is_an_event(alice, because):
    token, secret = token_of(alice)
    assert status_of(secret) == 200

    ENDINGS[because](alice, token)

    assert status_of(secret) == 401
    (ended,) = events("token.ended")
    assert (ended["object"]["id"], ended["details"]["because"]) == (str(token.pk), because.split(" ")[0])


def test_a_password_ends_the_tokens_of_every_organisation(alice):
    secrets = [token_of(alice)[1]]
    elsewhere = make_second(alice)
    with tenant.within(elsewhere.organisation_id):
        secrets.append(token_of(elsewhere)[1])

    _password_changes(alice, MemberToken.objects.get())

    assert [status_of(secret) for secret in secrets] == [401, 401]


def test_a_token_runs_out(alice):
    token, secret = token_of(alice)
    MemberToken.objects.filter(pk=token.pk).update(created_at=NOW, expires_at=timezone.now() - timedelta(seconds=1))

    assert status_of(secret) == 401


def test_a_closed_account_has_no_token_that_works(alice):
    _, secret = token_of(alice)
    User.objects.filter(pk=alice.user_id).update(is_active=False)

    assert status_of(secret) == 401


def test_the_last_use_is_kept_to_the_minute(alice):
    _, secret = token_of(alice)
    status_of(secret)
    first = MemberToken.objects.get().last_use.used_at
    status_of(secret)

    assert MemberToken.objects.get().last_use.used_at == first
    assert "never" not in sign_in(alice).get("/tokens/").content.decode()


def test_a_scope_is_what_the_role_allows(auditor, administrator):
    give_second_factor(auditor)
    client = sign_in(auditor)

    assert client.post(MAKE, FORM).status_code == 422
    assert client.post(MAKE, FORM | {"scope": "read"}).status_code == 200
    assert sign_in(administrator).get("/tokens/").status_code == 403
    give_second_factor(administrator)
    with pytest.raises(Refused):
        make_token(member=administrator, name="x", scope=TokenScope.READ, at=NOW, expires_at=NOW + timedelta(days=1))


def test_members_from_outside_have_no_tokens(organisation, auditor):
    _, secret = token_of(auditor, TokenScope.READ)
    terms = ExternalTerms("the yearly audit", timezone.now() + timedelta(days=9))
    mark_external(member=auditor, outside=terms, at=timezone.now(), by=user_actor(auditor.user_id))
    assert status_of(secret) == 401

    outside = make_external(organisation)
    give_second_factor(outside)
    client = sign_in(outside)
    assert "have no tokens" in client.get("/tokens/").content.decode()
    assert client.post(MAKE, FORM | {"scope": "read"}).status_code == 422


def test_there_are_only_so_many_tokens(alice):
    for number in range(MOST_TOKENS):
        token_of(alice, name=f"desk {number}")

    with pytest.raises(Refused):
        token_of(alice)


def test_a_role_that_allows_less_is_looked_at_at_each_use(alice):
    """Also where a token was left open, as by a change in the database."""
    program = program_of_member(alice)
    Membership.objects.filter(pk=alice.pk).update(role=Role.AUDITOR)
    assert (program.get(ITEMS).status_code, program.post(f"{ITEMS}/next").status_code) == (200, 403)
    Membership.objects.filter(pk=alice.pk).update(role=Role.ADMINISTRATOR)
    assert program.get(ITEMS).status_code == 403


def test_a_token_opens_one_organisation_of_a_member_of_two(alice):
    elsewhere, own, program = make_second(alice), make_item(alice.organisation), program_of_member(alice)
    with tenant.within(elsewhere.organisation_id):
        foreign = make_item(elsewhere.organisation)

    assert [each["id"] for each in program.get(ITEMS).json()["items"]] == [str(own.pk)]
    assert program.get(f"{ITEMS}/{foreign.pk}").status_code == 404
    assert program.post(f"{ITEMS}/{foreign.pk}/submit").status_code == 404


def test_the_tokens_of_a_member_are_counted_against_the_rate_of_one_key(alice, bob, settings):
    settings.KEY_RATE = "3/m"
    program = program_of_member(alice)

    assert [program.get(ITEMS).status_code for _ in range(4)] == [200, 200, 200, 429]
    assert program_of_member(alice).get(ITEMS).status_code == 429, "another token is of the same member"
    assert program_of_member(bob).get(ITEMS).status_code == 200


def test_who_is_signed_out_while_a_token_is_made_gets_none(alice):
    give_second_factor(alice)
    sign_out(member=Membership.objects.get(pk=alice.pk), at=timezone.now(), by=SYSTEM)

    with pytest.raises(Refused, match="signed out"):
        token_of(alice)
