"""``manage.py rollup [--check]``: folds the counts of the quality page, or compares them with what there is."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from reviewers.accounts.queries import list_organisation_ids
from reviewers.quality.folding import fold
from reviewers.quality.recounting import differences, see_one_moment
from reviewers.web import walls

_MOST_SHOWN = 20


class Command(BaseCommand):
    help = "Fold the counts of the quality page into days; with --check count everything again and name what differs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="count again and compare; nothing is changed")

    def handle(self, *, check: bool, **options: Any) -> None:
        del options
        found = 0
        for organisation_id in list_organisation_ids():
            with walls.within(organisation_id):
                found += self._check() if check else self._fold()
        if check and found:
            raise CommandError(f"{found} figures differ")
        if check:
            self.stdout.write("all figures are what there is")

    def _fold(self) -> int:
        self.stdout.write(f"{fold()} deltas folded")
        return 0

    def _check(self) -> int:
        with transaction.atomic():
            see_one_moment()
            found = differences()
        for key, (counted, there) in list(found.items())[:_MOST_SHOWN]:
            self.stderr.write(
                f"{key.day} {key.model!r} {key.prompt_version!r} {key.section!r} {key.figure}: counted {counted}, there are {there}"
            )
        return len(found)
