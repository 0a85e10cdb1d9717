"""``manage.py import FILE…``: import records from JSONL files, compressed or not."""

from __future__ import annotations

import sys
import zlib
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation
from reviewers.snapshots.ingest.actions import BATCH
from reviewers.snapshots.ingest.importer import Line, Tally, import_batch, read_lines
from reviewers.web.tenancy import tenant

_MOST_SHOWN = 20


class Command(BaseCommand):
    help = (
        "Freeze the records of JSONL files, gzip too, one a line. What is there already is passed over, so an import that was "
        "stopped is taken up again by running it again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--organisation", metavar="SLUG", help="whose they are; may be left out where there is only one")

    def handle(self, *, files: list[Path], organisation: str | None, **options: Any) -> None:
        del options
        owner = _find_organisation(organisation)
        missing = [str(path) for path in files if not path.is_file()]
        if missing:
            raise CommandError(f"No such file: {', '.join(missing)}")
        tally = Tally()
        for path in files:
            self._import(path, owner, tally)
        self.stdout.write(f"{tally.frozen} frozen, {tally.known} known already, {len(tally.refused)} refused.")
        if tally.refused:
            more = f"\n… and {len(tally.refused) - _MOST_SHOWN} more" if len(tally.refused) > _MOST_SHOWN else ""
            raise CommandError("Refused:\n" + "\n".join(tally.refused[:_MOST_SHOWN]) + more)

    def _import(self, path: Path, organisation: Organisation, tally: Tally) -> None:
        with tqdm(total=path.stat().st_size, unit="B", unit_scale=True, desc=path.name, disable=None, file=sys.stderr) as bar:
            batch: list[Line] = []
            try:
                for line in read_lines(path):
                    batch.append(line)
                    if len(batch) == BATCH:
                        _flush(batch, path, organisation, tally, bar)
                _flush(batch, path, organisation, tally, bar)
            except (EOFError, OSError, zlib.error) as error:
                _flush(batch, path, organisation, tally, bar)
                tally.refused.append(f"{path.name}: the file is damaged, {error}; what came before is frozen")


def _flush(batch: list[Line], path: Path, organisation: Organisation, tally: Tally, bar: Any) -> None:
    if batch:
        with tenant.within(organisation.pk):
            import_batch(batch, name=path.name, organisation=organisation, by=SYSTEM, at=timezone.now(), tally=tally)
        bar.update(batch[-1].position - bar.n)
        batch.clear()


def _find_organisation(slug: str | None) -> Organisation:
    if slug:
        found = Organisation.objects.filter(slug=slug).first()
        if found is None:
            raise CommandError(f"There is no organisation {slug}.")
        return found
    organisations = list(Organisation.objects.order_by("slug")[:2])
    if len(organisations) != 1:
        raise CommandError("Say whose they are with --organisation SLUG." if organisations else "There is no organisation yet.")
    return organisations[0]
