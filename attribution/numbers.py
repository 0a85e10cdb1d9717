"""Numbers as a field holds them."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import lru_cache

from attribution.figures import canonical_number, shift_point
from attribution.remembering import remembered


def canonical_value(value: object) -> str | None:
    """The canonical form of a number as a field holds it, without sign and rounding; nothing for what is no finite number."""
    if isinstance(value, int):
        return str(abs(value))
    if isinstance(value, float):
        return _canonical_float(value)
    written = str(value).strip().lstrip("-")
    return canonical_number(written) if written.replace(",", "").replace(".", "", 1).isdecimal() else None


@lru_cache(maxsize=4_096)
def _canonical_float(value: float) -> str | None:
    return canonical_number(format(Decimal(repr(abs(value))), "f")) if math.isfinite(value) else None


@remembered
def as_percentage(canonical: str) -> str:
    """``0.85`` → ``85``, exactly."""
    return shift_point(canonical, 2)


@remembered
def as_share(canonical: str) -> str:
    """``85`` → ``0.85``, exactly."""
    return shift_point(canonical, -2)
