"""No test reads what lies beside the checkout: measurements over that are ``make accuracy``'s."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
BESIDE = re.compile(r"\bDEFAULT_FOLDER\b|[\"'](?:\.\./shared(?:/|[\"'])|shared/)|\bROOT\.parent\b")
THEMSELVES = {Path(__file__), Path(__file__).with_name("conftest.py")}


def test_no_test_names_a_folder_beside_the_checkout() -> None:
    modules = set(TESTS.rglob("*.py")) - THEMSELVES
    assert [str(module) for module in modules if BESIDE.search(module.read_text(encoding="utf-8"))] == []
