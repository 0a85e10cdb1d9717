"""The compiled engine says the same as the engine as written, byte for byte. Asked by `make test-all`, which builds it first."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import attribution.rows
import compiled
from attribution import DEFAULT_PROFILE, attribute, calibrated, canonical_bytes, encode, encode_documents
from attribution.calibration import Record, Scope, fit, label_set
from reviewers.demonstration.generator import generate
from tests.attribution.calibration.labels import labels
from tests.attribution.documents.turns_of_documents import cases

pytestmark = pytest.mark.skipif(not compiled.is_preferred(), reason="the engine as written is tested; make test-all")

ROOT = Path(__file__).resolve().parents[2]
AS_WRITTEN = """
import sys
from attribution import attribute, canonical_bytes, encode
from reviewers.demonstration.generator import generate
for turn in generate(200):
    given = {name: turn[name] for name in ("response", "context", "user_text")}
    sys.stdout.buffer.write(canonical_bytes(encode(attribute(**given))) + b"\\n")
"""

CALIBRATED_AS_WRITTEN = """
import sys
from tests.attribution.test_compiled import calibrated_results
sys.stdout.buffer.writelines(calibrated_results())
"""

CITED_AS_WRITTEN = """
import sys
from attribution import canonical_bytes, encode_documents
from tests.attribution.documents.turns_of_documents import cases
for case in cases("keyed", "structured", "native", "tools_cited", "echoed", "checks"):
    sys.stdout.buffer.write(canonical_bytes(encode_documents(case.attribute())) + b"\\n")
"""


def test_its_modules_are_machine_code() -> None:
    assert Path(attribution.rows.__file__).suffix != ".py"


def test_it_says_the_same_as_the_engine_as_written() -> None:
    done = subprocess.run([sys.executable, "-c", AS_WRITTEN], capture_output=True, check=True, cwd=ROOT)  # noqa: S603 - our own script
    for turn, expected in zip(generate(200), done.stdout.splitlines(), strict=True):
        given = {name: turn[name] for name in ("response", "context", "user_text")}
        assert canonical_bytes(encode(attribute(**given))) == expected


def calibrated_results() -> Iterator[bytes]:
    """Yield the results of a calibrated profile on invented turns, one a line."""
    record = Record(scope=Scope(), calibrator=fit(labels(400)), labels=label_set(labels(400)))
    profile = calibrated(DEFAULT_PROFILE, record.document())
    for turn in generate(100):
        yield canonical_bytes(encode(attribute(response=turn["response"], context=turn["context"], profile=profile))) + b"\n"


def test_it_says_the_same_under_a_calibrated_profile() -> None:
    done = subprocess.run([sys.executable, "-c", CALIBRATED_AS_WRITTEN], capture_output=True, check=True, cwd=ROOT)  # noqa: S603 - our own script
    assert b'"estimate"' in done.stdout
    assert b"".join(calibrated_results()) == done.stdout


def test_it_says_the_same_of_documents_as_the_engine_as_written() -> None:
    done = subprocess.run([sys.executable, "-c", CITED_AS_WRITTEN], capture_output=True, check=True, cwd=ROOT)  # noqa: S603 - our own script
    turns = cases("keyed", "structured", "native", "tools_cited", "echoed", "checks")
    for case, expected in zip(turns, done.stdout.splitlines(), strict=True):
        assert canonical_bytes(encode_documents(case.attribute())) == expected
