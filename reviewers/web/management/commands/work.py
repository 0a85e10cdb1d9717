"""The background worker, as the site runs it."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from reviewers.web import hooks


class Command(BaseCommand):
    help = "Run background and periodic jobs, and seal events, until told to stop."

    def handle(self, **options: Any) -> None:
        del options
        with hooks.run_background_loops():
            call_command("procrastinate", "worker", "--delete-jobs=successful", "--concurrency=2")
