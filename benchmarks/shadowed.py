"""How long it takes to compare two profiles on the answers that are stored."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.measuring import Row, seconds_of
from benchmarks.sealing import database_of
from benchmarks.site import ROOT, Site

_ANSWERS = 10_000
_LARGEST = """
SELECT organisation.slug, model, prompt_version, schema_version, count(*) FROM snapshots_snapshot AS snapshot
JOIN accounts_organisation AS organisation ON organisation.id = snapshot.organisation_id GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC LIMIT 1
"""


def measure(site: Site) -> Iterator[Row]:
    """The command, with its start, on the combination that has the most answers."""
    with database_of(site) as connection:
        found = connection.execute(_LARGEST).fetchone()
    if found is None:
        return
    slug, model, prompt, schema, count = found
    names = ["--organisation", slug, "--model", model, "--prompt", prompt, "--schema", schema, "--most", str(_ANSWERS)]
    environment = os.environ | {"FOOTNOTE_VAR": str(site.folder), "FOOTNOTE_LOG_LEVEL": "ERROR"}
    command = [sys.executable, "manage.py", "calibrate", "shadow", *names]
    seconds = seconds_of(lambda: subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL))  # noqa: S603 — names out of our own database
    yield Row(f"shadow of {min(count, _ANSWERS):,} stored answers, with its start", seconds, "s", "≤ 20")
