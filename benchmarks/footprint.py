"""Start-up, memory, size on disk."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path

from benchmarks.measuring import Row
from benchmarks.site import ROOT, Site, running_site


def measure_start() -> Iterator[Row]:
    """From nothing to the first page: database made, migrated, demonstration loaded, server up."""
    begin = time.perf_counter()
    with running_site():
        yield Row("first start to first page, demonstration loaded", time.perf_counter() - begin, "s", "4")


def measure_memory(site: Site) -> Iterator[Row]:
    """Measure the memory of the site's Python processes (proportional set size), database apart."""
    web = sum(_proportional(pid) for pid in descendants(site.pid) if "postgres" not in _name(pid))
    yield Row("memory of site and worker", web / 1024, "MB", "150")


def measure_size() -> Iterator[Row]:
    """The installed size of what the site needs at run time."""
    wanted = {line.split("==")[0].lower() for line in (ROOT / "requirements.txt").read_text().splitlines() if "==" in line}
    installed = [each for each in distributions() if each.metadata["Name"].lower() in wanted]
    size = sum(Path(file.locate()).stat().st_size for each in installed for file in each.files or () if Path(file.locate()).exists())
    yield Row("installed size", size / 1024**2, "MB", "400")
    yield Row("packages", len(installed), "", "70")


def processor_seconds(site: Site) -> tuple[float, float]:
    """Return the processor seconds of the site's Python processes and its database so far, those that have ended included."""
    ours = descendants(site.pid)
    return _seconds_of([pid for pid in ours if "postgres" not in _name(pid)]), _seconds_of(_database(site))


def _seconds_of(pids: Iterable[int]) -> float:
    """Own time, and that of children that have ended."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(tick) for each in fields for tick in each[11:15]) / os.sysconf("SC_CLK_TCK")


def _database(site: Site) -> list[int]:
    """Processes that are in the database's folder; they are nobody's descendants here."""
    folder = (site.folder / "postgresql").resolve()
    return [int(each.name) for each in Path("/proc").glob("[0-9]*") if _place(each) == folder]


def _place(process: Path) -> Path | None:
    try:
        return (process / "cwd").readlink()
    except OSError:
        return None


def descendants(pid: int) -> list[int]:
    """A process and all that it has started."""
    children = [int(child) for task in Path(f"/proc/{pid}/task").glob("*") for child in (task / "children").read_text().split()]
    return [pid, *(each for child in children for each in descendants(child))]


def cpu_of(pids: Iterable[int]) -> float:
    """Seconds of processors that some processes have taken so far; those that are gone took none."""
    ticks = 0
    for pid in pids:
        with suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _name(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text()


def _proportional(pid: int) -> int:
    """Kilobytes."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
