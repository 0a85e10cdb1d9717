"""Stored turns attributed on Spark: written as Parquet, mapped by ``mapInArrow``, and read back.

The files have protected text in them. They are in a folder that only its owner can read, and it is removed when the results were read.
Executors need Python with pyarrow; the engine is sent to them as it is here, so that theirs has the same version.
"""

from __future__ import annotations

import fcntl
import importlib
import importlib.util
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import attribution
from attribution import StoredResult, StoredTurn, attribute_stored

LOCAL = "local[*]"
"""Spark in this process' machine, on all its processors."""

NOT_INSTALLED = (
    "Spark is not installed here. Install what it needs with: pip install 'pyspark[sql]>=4.0,<5' (the extra “spark” of pyproject.toml, "
    "with pandas and pyarrow), and Java 17 or newer."
)
_PACKAGES = ("pyspark", "pandas", "pyarrow")
_PREFIX = "turns-"
TURNS_IN_A_FILE = 1_000
"""Turns in a file, which is one task of Spark."""

_RESULT = "key string, digest binary, terms string, fields binary, documents binary"


class SparkMissing(Exception):  # noqa: N818 — says what it is
    """Something that attribution on Spark needs is not installed; the message is for the person who runs the command."""


def check_installed() -> None:
    """Raise ``SparkMissing`` unless Spark can be started here."""
    if any(importlib.util.find_spec(name) is None for name in _PACKAGES) or not _has_java():
        raise SparkMissing(NOT_INSTALLED)


def _has_java() -> bool:
    home = os.environ.get("JAVA_HOME")
    return (Path(home) / "bin" / "java").exists() if home else shutil.which("java") is not None


@dataclass(frozen=True, slots=True)
class Spark:
    """An engine that attributes on Spark, with its files below ``folder``, which the executors have to reach under the same name."""

    folder: Path
    master: str = LOCAL

    def __call__(self, turns: Iterable[StoredTurn], terms: Mapping[str, str]) -> Iterator[StoredResult]:
        """Yield the results of all turns, in any order, once all of them are there; remove the files then, or if anything fails."""
        with private_folder(self.folder) as place:
            if write_turns(place / "turns", turns):
                run(place, dict(terms), self.master)
                yield from read_results(place / "results")


@contextmanager
def private_folder(parent: Path) -> Iterator[Path]:
    """Make a folder that only its owner can read, and remove it in the end.

    Those of processes that were killed are removed first. A process holds a lock on its own, which ends with it.
    """
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (parent / "lock").open("w") as making:
        fcntl.flock(making, fcntl.LOCK_EX)
        remove_abandoned(parent)
        place = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        held = (place / "lock").open("w")
        fcntl.flock(held, fcntl.LOCK_EX)
    with held:
        try:
            yield place
        finally:
            shutil.rmtree(place)


def remove_abandoned(parent: Path) -> None:
    """Remove the folders of processes that ended without removing theirs."""
    for left in parent.glob(f"{_PREFIX}*/lock"):
        with left.open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            shutil.rmtree(left.parent)


def write_turns(folder: Path, turns: Iterable[StoredTurn]) -> int:
    """Write turns as Parquet, a thousand in a file; return how many there are."""
    arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    binary, text, day = arrow.binary(), arrow.string(), arrow.date32()
    types = {"digest": binary, "record": binary, "hidden_sections": binary, "answered_on": day, "cited_on": day}
    schema = arrow.schema([(name, types.get(name, text)) for name in StoredTurn._fields])
    folder.mkdir()
    ahead, written = iter(turns), 0
    while piece := [turn._asdict() for turn in islice(ahead, TURNS_IN_A_FILE)]:
        parquet.write_table(arrow.Table.from_pylist(piece, schema=schema), folder / f"{written:012}.parquet")
        written += len(piece)
    return written


def read_results(folder: Path) -> Iterator[StoredResult]:
    """Yield the results in the files of a folder."""
    parquet = importlib.import_module("pyarrow.parquet")
    for path in sorted(folder.glob("*.parquet")):
        for batch in parquet.ParquetFile(path).iter_batches(batch_size=TURNS_IN_A_FILE):
            yield from (StoredResult(**row) for row in batch.to_pylist())


def run(place: Path, terms: Mapping[str, str], master: str) -> None:
    """Attribute the turns of a folder on Spark, and write the results beside them."""
    session = _session(place, master)
    try:
        session.sparkContext.addPyFile(str(pack_engine(place / "engine.zip")))
        turns = session.read.parquet(f"file://{place}/turns")
        turns.mapInArrow(mapper(terms), _RESULT).write.parquet(f"file://{place}/results")
    finally:
        session.stop()


def _session(place: Path, master: str) -> Any:
    """Start Spark. Its own files are below the folder, and on this machine it listens at no other address than this one's own."""
    scratch = place / "scratch"
    scratch.mkdir()
    largest = 1 << 30
    settings = {
        "spark.local.dir": scratch,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.files.maxPartitionBytes": largest,
        "spark.sql.files.openCostInBytes": largest,  # so that each file is a task
        "spark.sql.parquet.compression.codec": "zstd",
    }
    if master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    builder = importlib.import_module("pyspark.sql").SparkSession.builder.master(master).appName("Footnote")
    for name, value in settings.items():
        builder = builder.config(name, str(value))
    return builder.getOrCreate()


def pack_engine(file: Path) -> Path:
    """Write the engine of this process to a zip file that Python imports from."""
    package = Path(attribution.__file__).parent
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(package.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                packed.write(path, path.relative_to(package.parent))
    return file


def mapper(terms: Mapping[str, str]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return the function that Spark maps over batches of turns. It is sent to executors by its code, as they have no site."""

    def attribute_batches(batches: Iterator[Any]) -> Iterator[Any]:
        arrow = importlib.import_module("pyarrow")
        types = {"digest": arrow.binary(), "fields": arrow.binary(), "documents": arrow.binary()}
        schema = arrow.schema([(name, types.get(name, arrow.string())) for name in StoredResult._fields])
        for batch in batches:
            turns = (StoredTurn(**row) for row in batch.to_pylist())
            yield arrow.RecordBatch.from_pylist([each._asdict() for each in attribute_stored(turns, terms)], schema=schema)

    return attribute_batches
