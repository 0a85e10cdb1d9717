"""``manage.py serve``: web and worker of a deployment under one supervisor."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviewers.web.supervisor import Supervisor, web_command, worker_command


class Command(BaseCommand):
    help = "Run the web server and the worker with the settings of a deployment, and restart what ends, until told to stop."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", default=os.environ.get("FOOTNOTE_BIND", "127.0.0.1:8000"), help="the address to listen at")

    def handle(self, *, bind: str, **options: Any) -> None:
        del options
        if settings.IS_LOCAL:
            raise CommandError("This runs a deployment: set FOOTNOTE_LOCAL=0 and what docs/running.md names. On your own machine run demo.")
        if not (Path(settings.STATIC_ROOT) / "staticfiles.json").exists():
            raise CommandError("Scripts and style sheets are not collected. Run manage.py collectstatic first.")
        call_command("check", deploy=True, fail_level="ERROR", databases=["default"])
        commands = {"web": web_command(bind), "worker": worker_command()}
        sys.exit(Supervisor(commands, Path(settings.ROOT)).run())
