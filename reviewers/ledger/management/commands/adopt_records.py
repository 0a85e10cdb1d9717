"""``manage.py adopt_records``: makes records of before the log part of it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from reviewers.accounts.announcements import SYSTEM
from reviewers.accounts.models import Organisation
from reviewers.ledger.adopting import adopt


class Command(BaseCommand):
    help = "Have events commit to records that no event tells of, as they are now. The log keeps that this was done."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("organisation", metavar="SLUG")

    def handle(self, *, organisation: str, **options: Any) -> None:
        del options
        found = Organisation.objects.filter(slug=organisation).first()
        if found is None:
            raise CommandError(f"There is no organisation {organisation!r}.")
        count = adopt(organisation_id=found.id, by=SYSTEM, at=timezone.now())
        self.stdout.write(f"{count:,} row{'' if count == 1 else 's'} adopted.")
