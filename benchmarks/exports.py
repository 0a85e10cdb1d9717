"""Measure how fast a long report is made, labels and all, and in how much memory: ``python -m benchmarks.exports COUNT``.

Loads so many generated turns beside the demonstration into a database of its own, has six rows of each labelled and reviewed, with the
event of each, and makes the report as the worker does: read, written, kept and measured, so that it can be taken. Each format in a
process of its own, so that the memory is that of the export alone; the second process that it may start is counted apart. On a machine
that is busy with other things as well, the processors' time tells more than the clock.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measuring import Row

if TYPE_CHECKING:
    from django.db.backends.utils import CursorWrapper

_MEGABYTE = 1024  # of kibibytes, which the system counts in
_USUAL = 10_000
_FORMATS = {"jsonl": "JSON lines", "csv": "CSV"}
_ATTRIBUTED = 10_000
"""The number that come in as turns do; the others are copies of them, made by the database."""

_SUBMITTED = """
INSERT INTO review_submission (id, organisation_id, snapshot_id, reviewer_id, slot, round, submitted_at, label_count, digest)
SELECT gen_random_uuid(), item.organisation_id, item.snapshot_id, %(reviewer)s, 1, 1, now(), 6, sha256('')
FROM review_queueitem AS item WHERE item.plan_id IS NULL
    AND NOT EXISTS (SELECT FROM review_submission AS other WHERE other.snapshot_id = item.snapshot_id)
"""
_LABELLED = """
INSERT INTO review_label (id, organisation_id, snapshot_id, reviewer_id, section, path, verdict, truth, is_misstated, note, reason, shown,
    action_id, created_at)
SELECT gen_random_uuid(), done.organisation_id, done.snapshot_id, done.reviewer_id, field.section, field.path, 'correct', 'used', false,
    '', '', '{}', gen_random_uuid(), now()
FROM review_submission AS done, (VALUES ('safety', 'risk_level'), ('safety', 'recommended_action'), ('therapeutic_fit', 'fit_score'),
    ('client_signal', 'chief_complaint'), ('provider_genome', 'provider_name'), ('provider_genome', 'license_state')
) AS field (section, path)
WHERE done.digest = sha256('')
"""
_WRITTEN_DOWN = """
INSERT INTO ledger_auditevent (id, organisation_id, action, actor_id, object_id, occurred_at, body)
SELECT gen_random_uuid(), label.organisation_id, 'label.saved', label.reviewer_id, label.snapshot_id, label.created_at, '\\x7b7d'::bytea
FROM review_label AS label JOIN review_submission AS done USING (snapshot_id, reviewer_id) WHERE done.digest = sha256('')
UNION ALL SELECT gen_random_uuid(), organisation_id, 'review.submitted', reviewer_id, snapshot_id, submitted_at, '\\x7b7d'::bytea
FROM review_submission WHERE digest = sha256('')
"""
_COPIES = """
CREATE TEMPORARY TABLE copied ON COMMIT DROP AS
SELECT item.snapshot_id AS old, item.attribution_id AS old_attribution, gen_random_uuid() AS new, gen_random_uuid() AS attribution, number
FROM review_queueitem AS item JOIN snapshots_snapshot AS snapshot ON snapshot.id = item.snapshot_id, generate_series(1, %(times)s) AS number
WHERE snapshot.external_id LIKE 'generated-%%'
ORDER BY number LIMIT %(count)s
"""
_COPIED: dict[str, tuple[str, dict[str, str]]] = {
    "snapshots_snapshot": (
        "row.id = copied.old",
        {
            "id": "copied.new",
            "external_id": "row.external_id || '-' || copied.number",
            "answered_at": "row.answered_at + copied.number * interval '30 days'",
        },
    ),
    "snapshots_snapshotattribution": ("row.id = copied.old_attribution", {"id": "copied.attribution", "snapshot_id": "copied.new"}),
    "ledger_auditevent": ("row.object_id = copied.old", {"id": "gen_random_uuid()", "object_id": "copied.new"}),
}
"""The tables that hold a turn, what joins them to it, and the columns that a copy has of its own.

Its place in the queue is a trigger's work.
"""


def main(arguments: list[str]) -> int:
    """Measure, and print a line for each figure; or make one export and print its figures, as a process of its own."""
    if arguments[:1] == ["make"]:
        sys.stdout.write(json.dumps(make(arguments[1])))
        return 0
    for row in measure(int(arguments[0]) if arguments else _USUAL):
        sys.stdout.write(f"{row.name:<58}{row.value:>12,.0f} {row.unit}\n")
    return 0


def measure(count: int = _USUAL) -> Iterator[Row]:
    """Measure for each format the answers a second, and the memory of each process."""
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as folder:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DATABASE_")}
        environment |= {"FOOTNOTE_VAR": folder, "DJANGO_SETTINGS_MODULE": "reviewers.settings", "FOOTNOTE_LOG_LEVEL": "ERROR"}
        _run(["-c", f"from benchmarks.exports import load; load({folder!r}, {count})"], environment)
        for form, label in _FORMATS.items():
            told = json.loads(_run(["-m", "benchmarks.exports", "make", form], environment))
            name = f"export of {told['answers']:,} with labels, {label}"
            yield Row(name, told["answers"] / told["seconds"], "records/s", "5,000")
            yield Row(f"{name}, a second of either process", told["answers"] / told["processed"], "records/s")
            yield Row(f"{name}, memory", told["memory"], "MB", "200")
            yield Row(f"{name}, memory of the second process", told["second"], "MB", "200")


def load(folder: str, count: int) -> None:
    """The demonstration and so many generated turns, each of which somebody has reviewed."""
    import django  # noqa: PLC0415 — the environment comes first

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415 — the same
    from django.db import connections, transaction  # noqa: PLC0415 — the same
    from django.utils import timezone  # noqa: PLC0415 — the same

    from reviewers.accounts.models import Membership, Role  # noqa: PLC0415 — the same
    from reviewers.accounts.queries import list_organisation_ids  # noqa: PLC0415 — the same
    from reviewers.demonstration.loader import load, load_generated  # noqa: PLC0415 — the same
    from reviewers.web.config import OWNER  # noqa: PLC0415 — the same
    from reviewers.web.tenancy import tenant  # noqa: PLC0415 — the same

    call_command("migrate", verbosity=0)
    load(folder=Path(folder) / "demo", now=timezone.now())
    load_generated(min(count, _ATTRIBUTED), now=timezone.now())
    organisation_id = next(iter(list_organisation_ids()))
    with tenant.within(organisation_id):
        reviewer = Membership.objects.filter(role=Role.REVIEWER).earliest("created_at")
    with transaction.atomic(using=OWNER), connections[OWNER].cursor() as cursor:
        cursor.execute("SELECT set_config('footnote.organisation', %s, true)", [str(organisation_id)])
        _copy(cursor, count - _ATTRIBUTED)
        for statement in (_SUBMITTED, _LABELLED, _WRITTEN_DOWN):
            cursor.execute(statement, {"reviewer": reviewer.user_id})
    with connections[OWNER].cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # which the server does by itself soon after


def _copy(cursor: CursorWrapper, count: int) -> None:
    if count <= 0:
        return
    cursor.execute(_COPIES, {"times": -(-count // _ATTRIBUTED), "count": count})
    for table, (joined, own) in _COPIED.items():
        cursor.execute("SELECT column_name FROM information_schema.columns WHERE table_name = %s AND is_generated = 'NEVER'", [table])
        names = [name for (name,) in cursor.fetchall()]
        values = ", ".join(own.get(name, f'row."{name}"') for name in names)
        columns = ", ".join(f'"{name}"' for name in names)
        cursor.execute(f"INSERT INTO {table} ({columns}) SELECT {values} FROM copied JOIN {table} AS row ON {joined}")  # noqa: S608 — our own


def make(form: str) -> dict[str, float]:
    """Make an export of everything; how many answers, in how many seconds, in how many MB of memory."""
    import django  # noqa: PLC0415 — the same

    django.setup()
    from django.utils import timezone  # noqa: PLC0415 — the same

    from reviewers.accounts.models import Membership, Role  # noqa: PLC0415 — the same
    from reviewers.accounts.queries import list_organisation_ids  # noqa: PLC0415 — the same
    from reviewers.reports.exports.actions import ask_for, finish  # noqa: PLC0415 — the same
    from reviewers.reports.exports.scope import ReportScope, ScopeKind  # noqa: PLC0415 — the same
    from reviewers.web.tenancy import tenant  # noqa: PLC0415 — the same

    now = timezone.now()
    with tenant.within(next(iter(list_organisation_ids()))):
        by = Membership.objects.select_related("organisation", "user").get(role=Role.AUDITOR)
        export = ask_for(scope=ReportScope(ScopeKind.PERIOD), form=form, reason="a measurement", by=by, now=now, at_once=-1)
        begun, before = time.perf_counter(), time.process_time()
        result = finish(export=export, by=by, now=now)
        seconds = time.perf_counter() - begun
    answers = result.answers if result else 0
    own, second = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    processed = own.ru_utime + own.ru_stime + second.ru_utime + second.ru_stime - before
    memory = {"memory": own.ru_maxrss / _MEGABYTE, "second": second.ru_maxrss / _MEGABYTE}
    return {"answers": answers, "seconds": seconds, "processed": processed, **memory}


def _run(arguments: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run([sys.executable, *arguments], env=environment, check=True, capture_output=True, text=True)  # noqa: S603 — our own
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
