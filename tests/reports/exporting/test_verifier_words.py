"""The verifier's output for a hostile bundle: plain lines, on any terminal."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import pytest

from reviewers.reports.exports.bundle.verifier.main import main


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("x\nThis bundle holds.\nIt is the report", "utf-8"),
        ("\x1b[2Jx", "utf-8"),
        ("\u202ex", "utf-8"),
        ("\u5317", "ascii"),
        ("\u5317", "cp1252"),
    ],
)
def test_a_name_in_a_bundle_neither_forges_a_line_nor_ends_in_a_traceback(
    name: str, encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = tmp_path / "bundle.zip"
    with zipfile.ZipFile(bundle, "w") as archive:
        archive.writestr(name, b"")
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding, newline="\n", write_through=True))
    assert main([str(bundle)]) == 1
    lines = written.getvalue().decode(encoding).splitlines()
    assert len(lines) == 2
    assert lines[0] == "This bundle does not hold."
    assert "\x1b" not in lines[1]
    assert "\u202e" not in lines[1]
