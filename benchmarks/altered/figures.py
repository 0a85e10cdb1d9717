"""The figures that are committed: of each file the table of all its services."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from benchmarks.accuracy.tables import Table, rounded

COMMITTED = Path(__file__).with_name("figures.json")


def read_figures(path: Path = COMMITTED) -> dict[str, Table]:
    """By the file's name; nothing where none are committed."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_figures(tables: Mapping[str, Table], path: Path = COMMITTED) -> None:
    """In order, so that a change shows as such."""
    document = {name: rounded(table) for name, table in sorted(tables.items())}
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
