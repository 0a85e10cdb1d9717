"""``manage.py change_ledger_key``: give an organisation's log a new signing key."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation
from reviewers.ledger.sequencer import change_key


class Command(BaseCommand):
    help = "Sign an organisation's log with a new key from now on. The old key signs the change."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("organisation", metavar="SLUG")

    def handle(self, *, organisation: str, **options: Any) -> None:
        del options
        found = Organisation.objects.filter(slug=organisation).first()
        if found is None:
            raise CommandError(f"There is no organisation {organisation!r}.")
        self.stdout.write(str(change_key(organisation_id=found.id, by=SYSTEM, now=timezone.now())))
