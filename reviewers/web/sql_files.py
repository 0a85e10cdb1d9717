"""SQL files beside a migration: triggers, functions and constraints, which are not models."""

from __future__ import annotations

from pathlib import Path

from django.db.migrations import RunSQL


def sql_file(migration: str, name: str) -> RunSQL:
    """Return the operation that runs ``sql/<name>.sql`` beside a migration, which passes its ``__file__``."""
    return RunSQL(Path(migration).with_name("sql").joinpath(f"{name}.sql").read_text(encoding="utf-8"))
