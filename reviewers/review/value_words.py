"""Values of a record as the pages and the reports write them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite
from typing import Any

_as_json = json.JSONEncoder(ensure_ascii=False).encode


def value_in_words(value: Any) -> str:
    """A frozen value as text: lists by their elements, everything that has no plain form as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) or (isinstance(value, float) and isfinite(value)):
        return repr(value)
    if isinstance(value, list) and value and all(isinstance(element, (str, int, float)) for element in value):
        return _elements_in_words(value)
    if value is None or value in ([], {}):
        return "empty"
    return _as_json(value)


def _elements_in_words(value: Sequence[Any]) -> str:
    try:
        return "; ".join(value)  # most lists are of texts
    except TypeError:
        return "; ".join([value_in_words(element) for element in value])
