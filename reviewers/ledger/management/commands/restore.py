"""``manage.py restore``: restore a backup into an empty database, and verify it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviewers.ledger.backups import BackupError, Restored, restore_backup
from reviewers.ledger.verification.checks import LedgerMismatch

IS_BEHIND = 2
"""The exit status after restoring a backup that agrees with itself and is behind a published checkpoint."""


class Command(BaseCommand):
    help = (
        "Restore a backup into an empty database and verify it. Ends with status 1 where nothing was restored or something differs, "
        f"and with {IS_BEHIND} where all agrees and more was published than the backup has."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder that manage.py backup has written")

    def handle(self, *, folder: Path, **options: Any) -> None:
        del options
        try:
            restored = restore_backup(folder)
        except BackupError as error:
            raise CommandError(str(error)) from error
        except LedgerMismatch as difference:
            raise CommandError(f"It was restored and is not as it was sealed. Do not work with it.\n{difference}") from difference
        self._tell(restored)
        if restored.behind:
            raise CommandError(_loudly(restored), returncode=IS_BEHIND)

    def _tell(self, restored: Restored) -> None:
        self.stdout.write(f"Restored, as of {restored.manifest.made_at:%Y-%m-%d %H:%M:%S %Z}.")
        for slug, found in restored.verified.items():
            self.stdout.write(f"{slug}: {found.events:,} events sealed, {found.waiting:,} waiting, {found.rows:,} rows agree.")
        for slug in restored.unpublished:
            self.stdout.write(
                f"{slug}: no checkpoint as late as the backup's was in {settings.LEDGER_FOLDER}, so its own was put there. "
                f"Nothing here shows if more was sealed after the backup."
            )
        for slug in restored.without_key:
            self.stdout.write(f"{slug}: the private key of its log is not in {settings.LEDGER_FOLDER}; the next event begins a new log.")


def _loudly(restored: Restored) -> str:
    lines = [
        f"{each.slug}: {each.published:,} events were published as sealed, and "
        + (f"the backup has {each.restored:,}." if each.restored else "the backup has none of this log.")
        for each in restored.behind
    ]
    return "\n".join(
        [
            "THIS STATE IS BEHIND A PUBLISHED CHECKPOINT. What was sealed after the backup is not in it:",
            *lines,
            "If a later backup exists, restore that one. The next event begins a new log, which names the published checkpoint for good.",
        ]
    )
