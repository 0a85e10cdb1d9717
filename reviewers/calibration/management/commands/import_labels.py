"""``manage.py import_labels FILE…``: import labels from JSONL files of any size, compressed or not."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation
from reviewers.calibration.labels.actions import import_sets, read_file, told_of
from reviewers.calibration.labels.imports import Numbered
from reviewers.calibration.labels.label_sets import NotLabelsError
from reviewers.snapshots.hooks import Combination
from reviewers.snapshots.importers.files import read_lines
from reviewers.web.tenancy import tenant


class Command(BaseCommand):
    help = (
        "Bring labels in: exported by Footnote, or turns with labels on their fields, one a line, gzip too. They stand apart from those "
        "of the reviewers here. What is there already is passed over."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--organisation", metavar="SLUG", required=True)
        parser.add_argument("--source", default="", metavar="NAME", help="where they are from; the file's name, if not given")
        for name in ("model", "prompt", "schema"):
            parser.add_argument(f"--{name}", metavar="NAME", help="what turns were made by, instead of what they say themselves")

    def handle(self, *, files: list[Path], organisation: str, source: str, **options: Any) -> None:
        owner = Organisation.objects.filter(slug=organisation).first()
        if owner is None:
            raise CommandError(f"There is no organisation {organisation}.")
        given = [options[name] for name in ("model", "prompt", "schema")]
        combination = Combination(*(each or "" for each in given)) if any(each is not None for each in given) else None
        for path in files:
            try:
                self._import(path, owner, source or path.name, combination)
            except (NotLabelsError, OSError, EOFError, zlib.error) as error:
                raise CommandError(f"{path.name}: {error}; nothing of it was brought in") from error

    def _import(self, path: Path, organisation: Organisation, source: str, combination: Combination | None) -> None:
        with tenant.within(organisation.pk):
            sets = read_file(_lines_with_progress(path), organisation, source, combination)
            all_brought = import_sets(sets=sets, source=source, organisation=organisation, by=SYSTEM, now=timezone.now())
            for brought in all_brought:
                self.stdout.write(f"{path.name}: {told_of(brought)}")


def _lines_with_progress(path: Path) -> Iterator[Numbered]:
    with tqdm(total=path.stat().st_size, unit="B", unit_scale=True, desc=path.name, disable=None, file=sys.stderr) as bar:
        for line in read_lines(path):
            yield line.number, line.content
            bar.update(line.position - bar.n)
