"""Rows and moments in the words of files for people."""

from __future__ import annotations

import re

from reviewers.reports.exporting.told import Row
from reviewers.review import words

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{6}Z")


def found_by(row: Row) -> str:
    """By which method and rule, as the review page says it."""
    if row.is_seeded:
        return words.PLANTED
    if row.track == "neither":
        return "withheld from the prompt" if row.is_hidden else "not found"
    return f"{words.METHODS.get(row.method, row.method)}, {words.rule_in_words(row.rule)}"


def track_of(row: Row) -> str:
    """The two tracks side by side."""
    return words.TRACKS[row.track]


def shortly(moment: str) -> str:
    """``2026-03-04 01:42:08 UTC``."""
    return _MOMENT.sub(r"\1 \2 UTC", moment)
