"""Equal turns give equal bytes, whatever seed Python hashes texts with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = """
from attribution import canonical_bytes, digest, encode
from tests.attribution.cases import all_cases
print(digest(b"".join(canonical_bytes(encode(case.attribute())) for case in all_cases())))
"""


def digest_with(seed: str) -> bytes:
    environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", SCRIPT]
    return subprocess.run(command, env=environment, capture_output=True, check=True, cwd=ROOT).stdout  # noqa: S603 - our own script


def test_results_do_not_depend_on_the_hash_seed() -> None:
    first = digest_with("0")
    assert first.startswith(b"sha256:")
    assert digest_with("1") == digest_with("4242") == first
