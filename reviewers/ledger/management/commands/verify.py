"""``manage.py verify``: compare the ledger with itself, its signatures and the tables."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from reviewers.accounts.models import Organisation
from reviewers.ledger.merkle.notes import FormatError, read_checkpoint
from reviewers.ledger.models import AuditEvent
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.ledger.verification.organisation import accept_checkpoint, verify, verify_known_log, verify_none_gone, verify_shared
from reviewers.web.tenancy import tenant


class Command(BaseCommand):
    help = "Verify the ledger. Names the first row that differs, and ends with status 1 where one does."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--organisation", metavar="SLUG", help="only this one")
        parser.add_argument("--checkpoint", metavar="FILE", help="a checkpoint that you have kept elsewhere: it has to be among those here")
        parser.add_argument(
            "--accept-checkpoint",
            action="store_true",
            help="begin anew outside the database: put the last checkpoint there. Only where the end of the log is known from elsewhere",
        )

    def handle(self, *, organisation: str | None, checkpoint: str | None = None, accept_checkpoint: bool = False, **options: Any) -> None:
        del options
        self._known = _read_known(checkpoint) if checkpoint else ""
        self._accepts = accept_checkpoint
        chosen = Organisation.objects.filter(slug=organisation) if organisation else Organisation.objects.order_by("slug")
        if organisation and not chosen:
            raise CommandError(f"There is no organisation {organisation!r}.")
        failures = [failure for each in chosen if (failure := self._verify(each))]
        checks = [] if organisation else [verify_none_gone, verify_shared]
        if self._known:
            checks.append(partial(verify_known_log, self._known, [each.pk for each in chosen]))
        failures += self._verify_others(checks)
        if failures:
            raise CommandError("Not as it was sealed:\n" + "\n".join(failures))

    def _verify(self, organisation: Organisation) -> str:
        """Return the first difference in words; an empty string if all agrees."""
        with tenant.across_all():
            total = AuditEvent.objects.filter(organisation_id=organisation.id).count()
        if self._accepts and accept_checkpoint(organisation.id):
            self.stdout.write(f"{organisation.slug}: the last checkpoint was put outside the database, as you asked.")
        with tqdm(total=total, unit=" events", desc=organisation.slug, disable=None, file=sys.stderr) as bar:
            try:
                found = verify(organisation_id=organisation.id, progress=bar.update, known=self._known)
            except LedgerMismatch as difference:
                return f"{organisation.slug}: {difference}"
        self.stdout.write(
            f"{organisation.slug}: {found.events:,} events sealed, {found.waiting:,} waiting, {found.rows:,} rows and "
            f"{found.checkpoints:,} checkpoints agree."
        )
        for redacted in found.redacted:
            self.stdout.write(f"{organisation.slug}: {redacted}")
        return ""

    def _verify_others(self, checks: Sequence[Callable[[], None]]) -> list[str]:
        """Verify what belongs to no organisation, and that none is missing, nor a log that is known from elsewhere."""
        failures = []
        for check in checks:
            try:
                check()
            except LedgerMismatch as difference:
                failures.append(str(difference))
        return failures


def _read_known(name: str) -> str:
    """Return the checkpoint in a file; raise ``CommandError`` if there is none, so that nothing is taken for compared with it."""
    try:
        note = Path(name).read_text(encoding="utf-8")
        read_checkpoint(note)
    except (OSError, FormatError, UnicodeDecodeError) as error:
        raise CommandError(f"{name} holds no checkpoint: {error}") from error
    return note
