"""What verifying says where something is not as it was sealed."""

from __future__ import annotations

from django.db import models


class Differs(Exception):  # noqa: N818 — what was found, not an error of ours
    """The first row that differs: its table, its key, the column where that is known, and how."""

    def __init__(self, table: str | type[models.Model], key: object, how: str, column: str = "") -> None:
        self.table = table if isinstance(table, str) else table._meta.db_table
        self.key = str(key)
        self.how = how
        self.column = column
        super().__init__(str(self))

    def __str__(self) -> str:
        place = f"{self.table} {self.key}" + (f", column {self.column}" if self.column else "")
        return f"{place}: {self.how}"
