"""Tests measure turns that are made up here, never those that may lie beside the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.accuracy import folder


@pytest.fixture(autouse=True)
def _nothing_lies_beside_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "DEFAULT_FOLDER", tmp_path / "nothing-lies-here")
