"""``manage.py seal``: seal the waiting events, once or continually."""

from __future__ import annotations

import signal
from threading import Event
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from reviewers.ledger.jobs import seal_continually
from reviewers.ledger.sequencer import seal_all


class Command(BaseCommand):
    help = "Seal all events that wait, as the worker does continually."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--continually", action="store_true", help="go on until told to stop, beside manage.py work --without-sealing")

    def handle(self, *, continually: bool = False, **options: Any) -> None:
        del options
        if continually:
            stop = Event()
            for each in (signal.SIGINT, signal.SIGTERM):
                signal.signal(each, lambda *_: stop.set())
            seal_continually(stop)
            return
        count = seal_all(now=timezone.now())
        self.stdout.write(f"{count:,} event{'' if count == 1 else 's'} sealed.")
