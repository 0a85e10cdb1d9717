"""Measure how long it takes to compare a proposed profile with the scores on the answers that are stored: on the wall, and of processors.

Answers of one combination are sent to the site. A process beside it reviews some, proposes a profile from these labels and compares it
as the worker does; nothing of that stays, so that the worker does not compare it as well.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial

from benchmarks.footprint import cpu_of
from benchmarks.ingest import post_all
from benchmarks.measuring import Row, rate_of
from benchmarks.site import ROOT, Site
from reviewers.demonstration.generator import generate

_ANSWERS = 10_000
_BATCH = 500
_REVIEWED = 20
_NAMES = {"model": "compared", "prompt_version": "compared", "schema_version": "compared"}


def measure(site: Site) -> Iterator[Row]:
    """Seconds, and those of processors."""
    lines = [json.dumps(turn | _NAMES | {"id": f"compared {turn['id']}"}).encode() for turn in generate(_ANSWERS)]
    batches = [b"\n".join(lines[start : start + _BATCH]) for start in range(0, _ANSWERS, _BATCH)]
    rate_of([partial(post_all, site, half, "application/x-ndjson") for half in (batches[::2], batches[1::2])])
    environment = {key: value for key, value in os.environ.items() if not key.startswith("DATABASE_")}
    environment |= {"FOOTNOTE_VAR": str(site.folder), "FOOTNOTE_LOG_LEVEL": "ERROR", "DJANGO_SETTINGS_MODULE": "reviewers.settings"}
    command = [sys.executable, "-m", "benchmarks.shadowed"]
    told = json.loads(subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True).stdout)  # noqa: S603 — our own
    name = f"shadow of {told['answers']:,} stored answers, {told['changed']:,} of which change"
    yield Row(name, told["seconds"], "s", "20")
    yield Row("the same, CPU of the process and of its database session", told["cpu"], "s", "20")


def main() -> None:
    """Print the figures of the process beside the site as JSON."""
    import django  # noqa: PLC0415 — the environment comes first

    django.setup()
    from django.db import transaction  # noqa: PLC0415 — the same

    from reviewers.accounts.queries import list_organisation_ids  # noqa: PLC0415 — the same
    from reviewers.web.tenancy import tenant  # noqa: PLC0415 — the same

    with tenant.within(next(iter(list_organisation_ids()))), transaction.atomic():
        figures = _propose_and_compare()
        transaction.set_rollback(True)
    print(json.dumps(figures))


def _propose_and_compare() -> dict[str, float]:
    from django.db import connection  # noqa: PLC0415 — the same
    from django.utils import timezone  # noqa: PLC0415 — the same

    from reviewers.accounts.models import Membership, Role  # noqa: PLC0415 — the same
    from reviewers.calibration.lifecycle.actions import propose  # noqa: PLC0415 — the same
    from reviewers.calibration.models import SeenCombination  # noqa: PLC0415 — the same
    from reviewers.calibration.shadow import compare_profile  # noqa: PLC0415 — the same
    from reviewers.review.labels.actions import label_remaining, submit  # noqa: PLC0415 — the same
    from reviewers.review.models import QueueItem  # noqa: PLC0415 — the same

    now = timezone.now()
    reviewer, lead = (Membership.objects.filter(role=role).earliest("created_at") for role in (Role.REVIEWER, Role.LEAD))
    answers = QueueItem.objects.filter(snapshot__model=_NAMES["model"], found_count__gt=0).order_by("pk")
    for item_id in answers.values_list("pk", flat=True)[:_REVIEWED]:
        label_remaining(item_id=item_id, by=reviewer, now=now)
        submit(item_id=item_id, by=reviewer, now=now)
    profile = propose(combination_id=SeenCombination.objects.get(model=_NAMES["model"]).pk, by=lead, now=now)
    session = connection.connection.info.backend_pid
    begun, cpu = time.perf_counter(), _cpu(session)
    found = compare_profile(profile_id=profile.pk, organisation_id=lead.organisation_id, now=now)
    seconds = {"seconds": time.perf_counter() - begun, "cpu": _cpu(session) - cpu}
    return {"answers": found.message_count, "changed": found.changed_count} | seconds


def _cpu(session: int) -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime + cpu_of([session])


if __name__ == "__main__":
    main()
