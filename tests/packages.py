"""Packages that single tests use: they are installed from the package registry into a folder, and no one has to have them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

_SECONDS = 900


def install(folder: Path, *packages: str) -> Mapping[str, str]:
    """Return the environment of a process that has these packages. Skips the test where they cannot be installed."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--target", str(folder)]
    done = subprocess.run([*command, *packages], capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603 — ours
    if done.returncode:
        pytest.skip(f"{', '.join(packages)} cannot be installed: {done.stderr.strip().rpartition(chr(10))[2]}")
    return os.environ | {"PYTHONPATH": str(folder)}
