"""The engine compiled: the same source, made into C by mypyc where there is a compiler. Nothing needs it; it is faster.

``python -m compiled`` builds it into ``var/compiled``, in a folder named after a digest of the source, so that a build never outlives
the source it was made from. ``prefer()``, called before the engine is imported, takes the build that fits, if there is one.
"""

from __future__ import annotations

import hashlib
import importlib
import shutil
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "attribution"
BUILDS = ROOT / "var" / "compiled"


def sources() -> list[Path]:
    """All files of the engine, its vocabulary and profiles included, in a fixed order."""
    return sorted(path for path in ENGINE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def folder() -> Path:
    """Where the build of the present source for the present Python stands, or would stand."""
    digest = hashlib.sha256(f"{sys.implementation.cache_tag} {sys.platform}".encode())
    for path in sources():
        digest.update(f"\0{path.relative_to(ENGINE)}\0".encode() + path.read_bytes())
    return BUILDS / digest.hexdigest()[:16]


def is_preferred() -> bool:
    """Whether the engine that is imported here is a compiled one."""
    module = sys.modules.get("attribution")
    return module is not None and BUILDS in Path(module.__file__ or "").parents


def prefer() -> bool:
    """Import the compiled engine, if one fits and no engine is imported yet. Says whether the engine imported is compiled."""
    if "attribution" not in sys.modules and BUILDS.is_dir() and (build := folder()).is_dir():
        sys.path.insert(0, str(build))
        importlib.import_module("attribution")
        sys.path.remove(str(build))
    return is_preferred()


def can_build() -> bool:
    """Whether there is a C compiler, and what Python's own header files say it needs."""
    return bool(shutil.which("cc")) and (Path(sysconfig.get_path("include")) / "Python.h").exists()
