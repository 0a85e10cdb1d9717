"""The demonstration is written as the site writes: verify has nothing to say about it."""

from __future__ import annotations

from django.core.management import call_command
from django.utils import timezone

from reviewers.accounts.models import Organisation
from reviewers.demonstration.loader import load
from reviewers.ledger.jobs import run_verification
from reviewers.web.tenancy import tenant
from tests.ledger.sealed import forget_published, seal_now


def test_a_fresh_demonstration_agrees_in_the_command_and_as_the_worker_verifies_it(db, tmp_path):
    forget_published()
    load(folder=tmp_path, now=timezone.now())
    organisation = Organisation.objects.get()
    with tenant.within(organisation.pk):
        seal_now(organisation.pk)

    with tenant.outside():
        call_command("verify")
        assert run_verification(organisation_id=organisation.pk, begun_at=timezone.now()).difference == ""
