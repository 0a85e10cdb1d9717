"""What of a schema is not models: triggers, functions and constraints in SQL, in files beside the migration that runs them."""

from __future__ import annotations

from pathlib import Path

from django.db.migrations import RunSQL


def sql_file(migration: str, name: str) -> RunSQL:
    """Run ``sql/<name>.sql`` beside a migration, which says where it stands itself (``__file__``)."""
    return RunSQL(Path(migration).with_name("sql").joinpath(f"{name}.sql").read_text(encoding="utf-8"))
