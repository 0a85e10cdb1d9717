"""``manage.py seal``: seal the waiting events once."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from reviewers.ledger.sequencer import seal_all


class Command(BaseCommand):
    help = "Seal all events that wait, as the worker does continually."

    def handle(self, **options: Any) -> None:
        del options
        count = seal_all(now=timezone.now())
        self.stdout.write(f"{count:,} event{'' if count == 1 else 's'} sealed.")
