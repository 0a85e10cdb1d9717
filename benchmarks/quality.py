"""The quality page with a year of a million turns a month behind it: the counts of them, not the turns."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.footprint import cpu_of, descendants
from benchmarks.measuring import Row, milliseconds_each, percentile
from benchmarks.sealing import database_of
from benchmarks.site import Site

_YEAR = """
INSERT INTO quality_daytotal (organisation_id, section, day, model, prompt_version, answers, by_citation, by_mixed, by_heuristic,
    by_none, contradicted, unknown, over_cited, duplicate, hidden, echoed, documented, citing, withheld, repaired, submitted, labels, given)
SELECT organisation.id, section, date '2024-01-01' + day, 'bench-' || model, 'prompt ' || prompt,
    3700 + 7 * (day % 90), 900, 1900 + 3 * (day % 90), 700, 200, 40 + day % 30, 25 + day % 11, 60, 90, 12, 8, 1200, 950, 60, 30, 90, 400,
    4400
FROM accounts_organisation AS organisation, generate_series(0, 364) AS day, generate_series(1, 3) AS model, generate_series(1, 3) AS prompt,
    unnest(ARRAY['', 'safety', 'genome', 'fit', 'context', 'signal', 'preferences', 'schedule']) AS section
"""
_ADDRESS = "/quality/?since=2024-01-01&until=2024-12-30"
_TIMES = 60


def measure(site: Site) -> Iterator[Row]:
    """Three models with three prompt versions each, eight sections, 365 days. Of processors: site, worker and database together."""
    client = site.reviewer()
    with database_of(site) as connection:
        connection.execute(_YEAR)
        connection.execute("ANALYZE quality_daytotal")
        client.get(_ADDRESS)
        pids = {*descendants(site.pid), *(pid for (pid,) in connection.execute("SELECT pid FROM pg_stat_activity"))}
        before = cpu_of(pids)
        times = milliseconds_each([lambda: client.get(_ADDRESS)] * _TIMES)
        used = cpu_of(pids) - before
    yield Row("quality, a year of a million turns a month, p50", percentile(times, 0.5), "ms", "50")
    yield Row("the same, CPU of site and database a page", 1_000 * used / _TIMES, "ms", "50")
