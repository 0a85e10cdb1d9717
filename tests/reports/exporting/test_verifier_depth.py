"""Content that is nested deeper or is longer than anything that was ever written is refused with a sentence, wherever it is in a bundle."""

from __future__ import annotations

import zlib

import pytest

from reviewers.reports.exports.bundle.verifier import claims, files
from reviewers.reports.exports.bundle.verifier.claims import inflated
from reviewers.reports.exports.bundle.verifier.events import read_columns
from reviewers.reports.exports.bundle.verifier.files import Files, VerificationFailed

DEEP = 200_000


@pytest.mark.parametrize("kind", ["j", "n"])
def test_a_column_that_is_nested_too_deep_is_no_column(kind):
    with pytest.raises(ValueError, match="nested deeper"):
        read_columns(f"a\0{kind}{DEEP}\0".encode() + b"[" * DEEP)


def test_a_line_that_is_too_long_is_not_held(monkeypatch):
    monkeypatch.setattr(files, "_LONGEST_LINE", 10)
    with Files() as unpacked:
        unpacked.take("report.jsonl", [b"012345678\n", b"0123456789\n"])
        lines = unpacked.lines("report.jsonl")

        assert next(lines) == (0, b"012345678")
        with pytest.raises(VerificationFailed, match="longer than any"):
            next(lines)


def test_a_statement_that_is_too_large_is_not_unpacked(monkeypatch):
    monkeypatch.setattr(claims, "LARGEST_STATEMENT", 1_000)

    assert inflated(zlib.compress(b"0" * 999)) == b"0" * 999
    with pytest.raises(ValueError, match="larger than any"):
        inflated(zlib.compress(b"0" * 1_000_000))
