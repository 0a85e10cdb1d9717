"""``manage.py import FILE…``: import turns from files, as records or as other tools export them, compressed or not."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation
from reviewers.snapshots.importers.actions import PREVIEWED, ImportTally, import_batch, import_export, preview
from reviewers.snapshots.importers.export import RECORDS, ExportedTurns, find_tool
from reviewers.snapshots.importers.files import FileLine, is_lines, read_lines
from reviewers.snapshots.importers.tools import TOOLS
from reviewers.snapshots.importers.turns import MappingError, Paths, read_paths
from reviewers.snapshots.ingest.actions import BATCH
from reviewers.web.tenancy import tenant

_MOST_SHOWN = 20
_AUTO = "auto"


class Command(BaseCommand):
    help = (
        "Freeze the turns of files: records, one a line, or what other tools export, as JSON, JSONL, CSV or Parquet, gzip too. What is "
        "there already is passed over, so an import that was stopped is taken up again by running it again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--organisation", metavar="SLUG", help="whose they are; may be left out where there is only one")
        parser.add_argument("--from", dest="tool", choices=[RECORDS, *TOOLS, _AUTO], default=RECORDS, help="which tool exported them")
        parser.add_argument("--mapping", type=Path, metavar="FILE", help="a JSON object of paths by field, for what differs")
        parser.add_argument("--dry-run", action="store_true", help=f"say what would come of the first {PREVIEWED}, and store nothing")

    def handle(self, *, files: list[Path], organisation: str | None, **options: Any) -> None:
        owner = _find_organisation(organisation)
        missing = [str(path) for path in files if not path.is_file()]
        if missing:
            raise CommandError(f"No such file: {', '.join(missing)}")
        paths = _read_mapping(options.get("mapping"))
        tool = _find_tool(options.get("tool") or RECORDS, files)
        tally = ImportTally()
        if options.get("dry_run"):
            self._preview(_read_export(files, tool, paths, PREVIEWED if tool == RECORDS else None), owner, tally)
        elif tool == RECORDS and paths is None and all(map(is_lines, files)):
            for path in files:
                self._import_lines(path, owner, tally)
            self._tell(tally)
        else:
            self._import_export(_read_export(files, tool, paths), files, owner, tally)
        if tally.refused:
            more = f"\n… and {len(tally.refused) - _MOST_SHOWN} more" if len(tally.refused) > _MOST_SHOWN else ""
            raise CommandError("Refused:\n" + "\n".join(tally.refused[:_MOST_SHOWN]) + more)

    def _tell(self, tally: ImportTally) -> None:
        self.stdout.write(f"{tally.frozen} frozen, {tally.known} known already, {len(tally.refused)} refused.")

    def _preview(self, export: ExportedTurns, organisation: Organisation, tally: ImportTally) -> None:
        tally.refused += export.refused
        for said in preview(turns=export.turns(), organisation=organisation, by=SYSTEM, tally=tally):
            self.stdout.write(said)
        self.stdout.write(f"Turns read: {len(export)}; nothing was stored.")

    def _import_export(self, export: ExportedTurns, files: list[Path], organisation: Organisation, tally: ImportTally) -> None:
        source = ", ".join(path.name for path in files)[:200]
        with tqdm(total=len(export), unit=" turns", desc="turns", disable=None, file=sys.stderr) as bar:
            report = import_export(export=export, source=source, organisation=organisation, by=SYSTEM, tally=tally, advance=bar.update)
        self._tell(tally)
        for said in report.sentences(export.without_turn):
            self.stdout.write(said)

    def _import_lines(self, path: Path, organisation: Organisation, tally: ImportTally) -> None:
        with _progress(path) as bar:
            batch: list[FileLine] = []
            try:
                for line in read_lines(path):
                    batch.append(line)
                    if len(batch) == BATCH:
                        _flush(batch, path, organisation, tally, bar)
                _flush(batch, path, organisation, tally, bar)
            except (EOFError, OSError, zlib.error) as error:
                _flush(batch, path, organisation, tally, bar)
                tally.refused.append(f"{path.name}: the file is damaged, {error}; what came before is frozen")


@contextmanager
def _progress(path: Path) -> Iterator[Any]:
    with tqdm(total=path.stat().st_size, unit="B", unit_scale=True, desc=path.name, disable=None, file=sys.stderr) as bar:
        yield bar


def _flush(batch: list[FileLine], path: Path, organisation: Organisation, tally: ImportTally, bar: Any) -> None:
    if batch:
        contents, places = [line.content for line in batch], [f"{path.name}, line {line.number}" for line in batch]
        with tenant.within(organisation.pk):
            import_batch(contents, places, organisation=organisation, by=SYSTEM, at=timezone.now(), tally=tally)
        bar.update(batch[-1].position - bar.n)
        batch.clear()


def _read_export(files: list[Path], tool: str, paths: Paths | None, most: int | None = None) -> ExportedTurns:
    export = ExportedTurns(TOOLS.get(tool), paths or Paths(), most)
    for path in files:
        with _progress(path) as bar:
            export.read(path, lambda position, bar=bar: bar.update(position - bar.n))  # type: ignore[misc]  # bound to this bar
    return export


def _find_tool(tool: str, files: list[Path]) -> str:
    if tool != _AUTO:
        return tool
    found = next((name for path in files if (name := find_tool(path))), "")
    if not found:
        raise CommandError(f"It is not known which tool exported them; say it with --from: {', '.join([RECORDS, *TOOLS])}.")
    return found


def _read_mapping(path: Path | None) -> Paths | None:
    try:
        return read_paths(path) if path else None
    except MappingError as error:
        raise CommandError(f"The mapping file cannot be used: {error}.") from error


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
