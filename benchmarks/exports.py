"""How fast the answers of a long report are written, and in how much memory: ``python -m benchmarks.exports COUNT``.

Loads so many generated turns beside the demonstration into a database of its own, and writes JSON lines and CSV, each in a process of
its own so that the memory is that of the export alone.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_USUAL = 5_000


def main(arguments: list[str]) -> int:
    """Load, and print a line for each format."""
    if arguments[:1] == ["write"]:
        sys.stdout.write(write(arguments[1]) + "\n")
        return 0
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as folder:
        os.environ |= {"FOOTNOTE_VAR": folder, "DJANGO_SETTINGS_MODULE": "reviewers.settings", "FOOTNOTE_LOG_LEVEL": "ERROR"}
        load_turns(Path(folder), int(arguments[0]) if arguments else _USUAL)
        for name in ("jsonl", "csv"):
            subprocess.run([sys.executable, "-m", "benchmarks.exports", "write", name], check=True)  # noqa: S603 — our own
    return 0


def load_turns(folder: Path, count: int) -> None:
    """The demonstration and so many generated turns."""
    import django  # noqa: PLC0415 — the environment comes first

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415 — the same
    from django.utils import timezone  # noqa: PLC0415 — the same

    from reviewers.review.demonstration_loading import load, load_generated  # noqa: PLC0415 — the same

    call_command("migrate", verbosity=0)
    load(folder=folder / "demo", now=timezone.now())
    load_generated(count, now=timezone.now())


def write(name: str) -> str:
    """Write all answers in one format; returns the figures in words."""
    import django  # noqa: PLC0415 — the same

    django.setup()
    from reviewers.accounts.models import Membership, Role  # noqa: PLC0415 — the same
    from reviewers.accounts.queries import list_organisation_ids  # noqa: PLC0415 — the same
    from reviewers.reports.exporting.formats.every import FORMATS  # noqa: PLC0415 — the same
    from reviewers.reports.exporting.model import Answer  # noqa: PLC0415 — the same
    from reviewers.reports.exporting.reading import ask, read_parts  # noqa: PLC0415 — the same
    from reviewers.reports.exporting.scope import Kind, Scope  # noqa: PLC0415 — the same
    from reviewers.web import walls  # noqa: PLC0415 — the same

    with walls.within(next(iter(list_organisation_ids()))):
        member = Membership.objects.select_related("organisation", "user").get(role=Role.AUDITOR)
        begun, worked, size, count = time.perf_counter(), time.process_time(), 0, 0
        for part in read_parts(ask(Scope(Kind.PERIOD), member)):
            size += sum(map(len, FORMATS[name].write([part])))
            count += isinstance(part, Answer)
        seconds, worked = time.perf_counter() - begun, time.process_time() - worked
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    speed = f"{count / seconds:,.0f} a second, {count / worked:,.0f} in a second of its own work"
    return f"{name}: {count:,} answers, {speed}, {size / 1e6:,.0f} MB, at most {memory:,.0f} MB of memory"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
