"""``manage.py recompute``: attribute stored turns again by the present engine, here or on Spark, and report what changes."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from django.utils import timezone
from tqdm import tqdm

from attribution import ENGINE_VERSION, attribute_stored
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation
from reviewers.calibration.recomputing import actions, spark
from reviewers.calibration.recomputing.changes import AttributionChange, ChangeKind, ShadowOfEngine
from reviewers.review.masking.masks import mask_path
from reviewers.web.tenancy import tenant

_HERE, _SPARK = "python", "spark"


class Command(BaseCommand):
    help = (
        "Attribute the stored turns that the present engine has not attributed yet, each under the profile in use for it, and report what "
        "changes. The attributions that they have stay; answers that nobody has begun to review show the new one. A run that was stopped "
        "goes on when it is started again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--organisation", metavar="SLUG", required=True)
        parser.add_argument("--engine", choices=[_HERE, _SPARK], default=_HERE, help="in this process, or on Spark where it is installed")
        parser.add_argument("--dry-run", action="store_true", help="report only; enter nothing")
        parser.add_argument("--master", default=spark.LOCAL, help="the cluster's address for Spark; without it, this machine")
        parser.add_argument("--folder", type=Path, metavar="FOLDER", help="where Spark's files are meanwhile: one that all executors reach")

    def handle(self, *, organisation: str, engine: str, **options: Any) -> None:
        owner = Organisation.objects.filter(slug=organisation).first()
        if owner is None:
            raise CommandError(f"There is no organisation {organisation}.")
        now = timezone.now()
        with tenant.within(owner.pk):
            count = actions.count_waiting(owner, actions.waiting_turns(owner, now), now)
            chosen: actions.Engine = attribute_stored
            if engine == _SPARK:
                folder = options["folder"] or settings.VAR / "recomputing"
                chosen = self._prepare_spark(owner, folder, options["master"], count)
            with tqdm(total=count, unit=" turns", disable=None, file=sys.stderr) as bar:
                done = actions.recompute(organisation=owner, engine=chosen, now=now, is_trial=options["dry_run"], told=bar.update)
        if engine == _SPARK:
            self.stdout.write(f"The files with protected text below {folder} are removed.")
        self._tell(done, is_trial=options["dry_run"])

    def _prepare_spark(self, owner: Organisation, folder: Path, master: str, count: int) -> actions.Engine:
        """Write the event of the export. A command that is told to end removes its files first."""
        try:
            spark.check_installed()
        except spark.SparkMissing as missing:
            raise CommandError(str(missing)) from missing
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        actions.note_export(organisation=owner, turns=count, by=SYSTEM, now=timezone.now())
        self.stdout.write(
            f"{count:,} turns, with the protected text in them, are written below {folder}, which only this user can read. This is in the "
            "audit log, and the files are removed in the end."
        )
        return spark.Spark(folder, master)

    def _tell(self, done: actions.RecomputedTurns, *, is_trial: bool) -> None:
        report = done.report
        self.stdout.write(f"{report.compared:,} answers attributed by engine {ENGINE_VERSION}, of which {report.changed:,} change.")
        for kind in ChangeKind:
            if report.counts[kind]:
                self.stdout.write(f"\n{report.counts[kind]:,} {kind.value}")
                for line in sorted(_lines(report, kind)):
                    self.stdout.write(f"  {line}")
        if is_trial:
            self.stdout.write("\nNothing was entered.")
        else:
            left = f" {done.left:,} were left as they are." if done.left else ""
            self.stdout.write(f"\n{done.entered:,} attributions entered; {done.switched:,} answers show theirs now.{left}")


def _lines(report: ShadowOfEngine, kind: ChangeKind) -> list[str]:
    return [f"{settings.ADDRESS}{reverse('item', args=[answer])} {_words(each)}".rstrip() for _, answer, each in report.samples[kind]]


def _words(change: AttributionChange) -> str:
    """Return a change in words. Keys that may be data are masked, as what is printed may end in a log."""
    place = ".".join(map(mask_path, change.place)) if any(change.place) else ""
    steps = f"{change.before} → {change.after}" if change.before or change.after else ""
    return ": ".join(each for each in (place, steps) if each)
