"""Errors that callers may anticipate. Anything else that is raised is a bug of the engine."""

from __future__ import annotations

from collections.abc import Sequence


class AttributionError(ValueError):
    """Bad input or a bad profile; the message says where and why, in words a caller can show."""


class InputError(AttributionError):
    """A turn that cannot be attributed, with the place in it: ``context.safety: …``."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.place = place
        self.reason = reason


class ProfileError(AttributionError):
    """A profile that cannot be used: a missing score, an unknown field type, a threshold out of range."""


class LexiconError(AttributionError):
    """A data file of the lexicon that cannot be used, with the file and the entry."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"lexicon: {place}: {reason}")
        self.place = place
        self.reason = reason


class SchemaError(AttributionError):
    """A schema that cannot be used: everything that is wrong with it, as pairs of a place in it and a reason."""

    def __init__(self, problems: Sequence[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{place}: {reason}" if place else reason for place, reason in problems))
        self.problems = tuple(problems)


class TrustTableError(AttributionError):
    """A table of trust that cannot be used: everything that is wrong with it, as pairs of a line (0 for the table itself) and a reason."""

    def __init__(self, problems: Sequence[tuple[int, str]]) -> None:
        super().__init__("; ".join(f"line {line}: {reason}" if line else reason for line, reason in problems))
        self.problems = tuple(problems)
