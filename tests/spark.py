"""Spark for single tests. It is large, so it is in no lock: it is installed for them if the registry has it, once for a checkout."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Mapping

import pytest

from benchmarks.site import ROOT
from reviewers.calibration.recomputing import spark
from tests.packages import install

PACKAGES = ("pyspark~=4.0", "pyarrow")
FOLDER = ROOT / "var" / "packages" / "spark"


def with_spark() -> Mapping[str, str]:
    """Return the environment of a process that has Spark. Skips the test where there is no Java, or Spark cannot be installed."""
    if not spark._has_java():
        pytest.skip("there is no Java here, which Spark needs")
    try:
        spark.check_installed()
    except spark.SparkMissing:
        FOLDER.mkdir(parents=True, exist_ok=True)
        with (FOLDER / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (FOLDER / "whole").exists():
                install(FOLDER, *PACKAGES)
                (FOLDER / "whole").touch()
        return os.environ | {"PYTHONPATH": str(FOLDER)}
    return os.environ
