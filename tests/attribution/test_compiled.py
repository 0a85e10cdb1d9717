"""The compiled engine says the same as the engine as written, byte for byte. Asked with `make test-compiled`, which builds it first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import attribution.answer
import compiled
from attribution import attribute, canonical_bytes, encode, encode_documents
from reviewers.review.demonstration.generated import generate
from tests.attribution.documents.turns_of_documents import cases

pytestmark = pytest.mark.skipif(not compiled.is_preferred(), reason="the engine as written is tested; make test-compiled")

ROOT = Path(__file__).resolve().parents[2]
AS_WRITTEN = """
import sys
from attribution import attribute, canonical_bytes, encode
from reviewers.review.demonstration.generated import generate
for turn in generate(200):
    given = {name: turn[name] for name in ("response", "context", "user_text")}
    sys.stdout.buffer.write(canonical_bytes(encode(attribute(**given))) + b"\\n")
"""

CITED_AS_WRITTEN = """
import sys
from attribution import canonical_bytes, encode_documents
from tests.attribution.documents.turns_of_documents import cases
for case in cases("keyed", "structured", "native", "tools_cited", "echoed", "checks"):
    sys.stdout.buffer.write(canonical_bytes(encode_documents(case.attribute())) + b"\\n")
"""


def test_its_modules_are_machine_code() -> None:
    assert Path(attribution.answer.__file__).suffix != ".py"


def test_it_says_the_same_as_the_engine_as_written() -> None:
    done = subprocess.run([sys.executable, "-c", AS_WRITTEN], capture_output=True, check=True, cwd=ROOT)  # noqa: S603 - our own script
    for turn, expected in zip(generate(200), done.stdout.splitlines(), strict=True):
        given = {name: turn[name] for name in ("response", "context", "user_text")}
        assert canonical_bytes(encode(attribute(**given))) == expected


def test_it_says_the_same_of_documents_as_the_engine_as_written() -> None:
    done = subprocess.run([sys.executable, "-c", CITED_AS_WRITTEN], capture_output=True, check=True, cwd=ROOT)  # noqa: S603 - our own script
    turns = cases("keyed", "structured", "native", "tools_cited", "echoed", "checks")
    for case, expected in zip(turns, done.stdout.splitlines(), strict=True):
        assert canonical_bytes(encode_documents(case.attribute())) == expected
