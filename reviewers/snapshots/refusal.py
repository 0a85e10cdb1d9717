"""Why a record is not taken."""

from __future__ import annotations

from typing import Any


class RecordError(Exception):
    """A record that cannot be taken. ``status`` is the HTTP status it deserves: 400 for what is no JSON, 422 for what is wrong in it."""

    def __init__(self, place: str, reason: str, status: int = 422) -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.place = place
        self.reason = reason
        self.status = status


def kind_of(value: Any) -> str:
    """The kind of a JSON value in words."""
    names = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return names.get(type(value), "null")
