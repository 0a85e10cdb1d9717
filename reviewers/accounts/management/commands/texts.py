"""``manage.py texts``: write the table of protected texts to ``texts.md``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from reviewers import accounts
from reviewers.accounts.texts import document


class Command(BaseCommand):
    help = "Write reviewers/accounts/texts.md from the table in code."

    def handle(self, **options: Any) -> None:
        del options
        (Path(accounts.__file__).parent / "texts.md").write_text(document(), encoding="utf-8")
