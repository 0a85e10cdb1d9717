"""``manage.py calibrate fit|shadow|report``: fit or compare profiles from scripts. Nothing is proposed or decided here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from attribution.calibration import read_tree
from reviewers.accounts.models import Organisation
from reviewers.calibration.combinations import ENGINE, scope_of
from reviewers.calibration.fitting import FittedProfile, fit_profile, transfer_profile
from reviewers.calibration.labels.label_sets import NotLabelsError, read_export
from reviewers.calibration.labels.thresholds import CHOSEN, choose_thresholds, reading_profile, thresholds_of
from reviewers.calibration.lifecycle.actions import gather
from reviewers.calibration.models import SeenCombination
from reviewers.calibration.shadow import MOST_COMPARED, Read, shadow, table_of
from reviewers.web.tenancy import tenant


class Command(BaseCommand):
    help = (
        "fit: fit a profile to labels, of the site or exported, and print its name. shadow: print what it would change on stored answers. "
        "report: print its whole record as JSON."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=["fit", "shadow", "report"])
        parser.add_argument("--labels", type=Path, metavar="FILE", help="exported labels; then nothing is read from the site")
        parser.add_argument("--organisation", metavar="SLUG")
        for name in ("model", "prompt", "schema"):
            parser.add_argument(f"--{name}", default="", help="of the combination, as its records name it")
        named = "a threshold of the profile, such as summary_share=0.75; it may be given several times"
        parser.add_argument("--threshold", action="append", default=[], metavar="NAME=NUMBER", help=named)
        parser.add_argument("--most", type=int, default=MOST_COMPARED, metavar="N", help="compare on so many answers, the newest ones")

    def handle(self, *, what: str, labels: Path | None, most: int, **options: Any) -> None:
        if labels is not None:
            if what == "shadow":
                raise CommandError("Exported labels are not compared: stored answers are of a site. Leave out --labels.")
            self._say(what, _fit_file(labels))
            return
        organisation = _find_organisation(options["organisation"])
        with tenant.within(organisation.pk), transaction.atomic():
            seen = _find_combination(organisation, options)
            gathered = gather(seen, thresholds=_read_thresholds(options["threshold"]))
            fitted = fit_profile(gathered, scope_of(seen), seen.active.name if seen.active else None)
            if what == "shadow":
                under = Read(thresholds_of(seen.active), gathered.thresholds)
                report = shadow(seen, table_of(seen.active), fitted.calibrator.table, most, under=under).report
                self.stdout.write(json.dumps(report.document(), ensure_ascii=False, indent=1))
            else:
                self._say(what, fitted)

    def _say(self, what: str, fitted: FittedProfile) -> None:
        if what == "report":
            self.stdout.write(json.dumps(fitted.record, ensure_ascii=False, indent=1, sort_keys=True))
            return
        labels = fitted.labels
        self.stdout.write(fitted.profile.id)
        self.stdout.write(
            f"{labels.labels} labels of {labels.conversations} conversations, {fitted.calibrator.state.value}, {labels.digest}"
        )


def _fit_file(path: Path) -> FittedProfile:
    try:
        read = read_export(path.read_bytes().splitlines())
    except (NotLabelsError, OSError) as error:
        raise CommandError(f"{path.name}: {error}") from error
    if read.calibrator is None or read.parent is None:
        return fit_profile(read.gathered, read.scope, read.parent)
    try:
        return transfer_profile(read.gathered, read.scope, read.parent, read_tree(read.calibrator))
    except (KeyError, TypeError, ValueError) as error:
        raise CommandError(f"{path.name}: line 1: calibrator: {error}") from error


def _read_thresholds(given: list[str]) -> dict[str, float]:
    """Return the thresholds that are named; raise ``CommandError`` for any that no profile can have."""
    chosen: dict[str, float] = {}
    for each in given:
        name, _, number = each.partition("=")
        if name not in CHOSEN:
            raise CommandError(f"--threshold {each}: it is one of {', '.join(CHOSEN)}.")
        try:
            chosen[name] = float(number)
            reading_profile(choose_thresholds({}, chosen))
        except ValueError as error:
            raise CommandError(f"--threshold {each}: {error}") from error
    return chosen


def _find_organisation(slug: str | None) -> Organisation:
    found = Organisation.objects.filter(slug=slug).first() if slug else None
    if found is None:
        raise CommandError(f"There is no organisation {slug}." if slug else "Say whose labels: --organisation SLUG.")
    return found


def _find_combination(organisation: Organisation, options: dict[str, Any]) -> SeenCombination:
    names = {"model": options["model"], "prompt_version": options["prompt"], "schema_version": options["schema"]}
    own = SeenCombination.objects.filter(organisation=organisation, engine=ENGINE).select_related("active")
    found: SeenCombination | None = own.filter(**names).first()
    if found is None:
        known = "\n".join(f"  --model {each.model!r} --prompt {each.prompt_version!r} --schema {each.schema_version!r}" for each in own)
        raise CommandError(f"No answer has come from that combination. Those that have:\n{known or '  none'}")
    return found
