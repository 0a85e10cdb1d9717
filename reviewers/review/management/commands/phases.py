"""Draw the phases of a review item into the page about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from reviewers import review
from reviewers.review.plans.phases import document


class Command(BaseCommand):
    help = "Write reviewers/review/phases.md from the table in code."

    def handle(self, **options: Any) -> None:
        del options
        (Path(review.__file__).parent / "phases.md").write_text(document(), encoding="utf-8")
