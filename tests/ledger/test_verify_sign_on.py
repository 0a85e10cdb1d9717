"""Verifying names whatever was changed about single sign-on, and only that: it is replaced and removed by events as well."""

from __future__ import annotations

import pytest

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.members.actions import sign_out
from reviewers.accounts.models import Membership, SignOnDomain, SignOnIdentity, SignOnProvider
from reviewers.accounts.single_sign_on.actions import ProviderSettings, link_identity, remove_provider, set_provider
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.ledger.verification.organisation import verify
from reviewers.web.tenancy import tenant
from tests.factories import NOW, make_member, make_organisation
from tests.ledger.sealed import seal_now

ONE = ProviderSettings("North", "https://login.example", "one", "secret", ("north.example", "south.example"))
ANOTHER = ProviderSettings("North", "https://login.example", "another", "secret", ("north.example",))
NARROWER = ProviderSettings("Northern", "https://login.example", "one", "changed", ("north.example",))


@pytest.fixture
def member(db) -> Membership:
    """A member whom a provider knows."""
    member = make_member(make_organisation())
    with tenant.within(member.organisation_id):
        provider = set_provider(organisation=member.organisation, terms=ONE, at=NOW)
        link_identity(provider=provider, user=member.user, subject="subject", at=NOW, by=SYSTEM)
    return member


def verify_one(member: Membership) -> None:
    """Before events are sealed, and afterwards."""
    verify(organisation_id=member.organisation_id)
    seal_now(member.organisation_id)
    verify(organisation_id=member.organisation_id)


def named(member: Membership) -> tuple[str, str]:
    with pytest.raises(LedgerMismatch) as found:
        verify(organisation_id=member.organisation_id)
    return found.value.table, found.value.how


@pytest.mark.parametrize("terms", [ONE, ANOTHER, NARROWER], ids=["again", "another", "narrower"])
def test_a_provider_that_was_set_anew_agrees(member, terms):
    with tenant.within(member.organisation_id):
        set_provider(organisation=member.organisation, terms=terms, at=NOW)

    verify_one(member)


def test_a_provider_that_was_removed_by_an_event_agrees(member):
    with tenant.within(member.organisation_id):
        remove_provider(organisation=member.organisation, at=NOW)

    verify_one(member)


@pytest.mark.parametrize(
    ("model", "table"), [(SignOnIdentity, "accounts_signonidentity"), (SignOnDomain, "accounts_signondomain")], ids=["identity", "domain"]
)
@pytest.mark.parametrize("is_sealed", [True, False], ids=["sealed", "waiting"])
def test_what_was_removed_without_an_event_is_named(member, model, table, is_sealed):
    if is_sealed:
        seal_now(member.organisation_id)
    with tenant.within(member.organisation_id):
        model.objects.all().delete()

    assert named(member) == (table, "is gone")


def test_who_was_tied_stays_named_while_the_provider_is_the_same(member):
    with tenant.within(member.organisation_id):
        SignOnIdentity.objects.all().delete()
        set_provider(organisation=member.organisation, terms=NARROWER, at=NOW)

    assert named(member) == ("accounts_signonidentity", "is gone")


def test_what_is_put_back_after_it_was_removed_is_named(member):
    with tenant.within(member.organisation_id):
        provider, domain = SignOnProvider.objects.get(), SignOnDomain.objects.first()
        remove_provider(organisation=member.organisation, at=NOW)
        domain.save(force_insert=True)
    assert named(member)[0] == "accounts_signondomain"
    with tenant.within(member.organisation_id):
        provider.save(force_insert=True)
    assert named(member)[0] == "accounts_signonprovider"


def test_a_domain_that_was_added_beside_the_command_is_named(member):
    with tenant.within(member.organisation_id):
        SignOnDomain.objects.create(domain="theirs.example", organisation=member.organisation)

    table, how = named(member)

    assert table == "accounts_signondomain"
    assert how.startswith("no event tells of this row")


def test_that_somebody_was_signed_out_cannot_be_taken_back(member):
    with tenant.within(member.organisation_id):
        sign_out(member=member, at=NOW, by=SYSTEM)
        verify_one(member)
        Membership.objects.filter(pk=member.pk).update(signed_out_at=None)

    assert named(member) == ("accounts_membership", "is not what was written")
