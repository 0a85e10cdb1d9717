"""``manage.py backup``: dump the database, with a manifest of its logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from reviewers.ledger.backups import BackupError, make_backup
from reviewers.ledger.merkle.notes import read_checkpoint


class Command(BaseCommand):
    help = "Write a backup of the database into a new folder. It has protected text in it, and no private key of the ledger."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder that is not there yet")

    def handle(self, *, folder: Path, **options: Any) -> None:
        del options
        try:
            manifest = make_backup(folder, now=timezone.now())
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{folder}: {manifest.dump_bytes:,} bytes of PostgreSQL {manifest.postgresql}, SHA-256 {manifest.dump_sha256}.")
        for log in manifest.logs:
            self.stdout.write(f"{log.slug}: sealed up to {read_checkpoint(log.checkpoint).size:,} events.")
