"""JSON as the engine and the site accept it: no duplicate keys, no NaN, bounded depth, errors that say where."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from attribution.errors import InputError

DEEPEST = 64
_STRUCTURE = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)
"""A text, closed or not, or a bracket: each byte is looked at once."""


def read_json(data: bytes, deepest: int = DEEPEST) -> Any:
    """The value of one JSON document in UTF-8.

    Raises ``InputError`` for what is no JSON, invalid UTF-8, a duplicate key, NaN or Infinity, a number out of range, and nesting
    deeper than ``deepest``. Lone surrogates written as escapes are kept.
    """
    if data.count(b"[") + data.count(b"{") > deepest and _is_deeper(data, deepest):
        raise InputError("", f"nested deeper than {deepest} levels")
    try:
        return _decoder.decode(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError("", f"not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise InputError("", f"not JSON: {error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}") from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError("", "a number has too many digits") from error


def read_json_at(text: str, start: int, deepest: int = DEEPEST) -> tuple[Any, int]:
    """The JSON value that begins at an offset of a text, and where it ends; what stands behind it is not read.

    Raises ``InputError`` as ``read_json`` does.
    """
    rest = text[start:].encode("utf-8", "surrogatepass")
    if rest.count(b"[") + rest.count(b"{") > deepest and _is_deeper(rest, deepest):
        raise InputError("", f"nested deeper than {deepest} levels")
    try:
        return _decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise InputError("", f"not JSON: {error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}") from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError("", "a number has too many digits") from error


def _is_deeper(data: bytes, deepest: int) -> bool:
    """Return True if anything is nested deeper, before anything is built; what stands behind it is not looked at."""
    depth = 0
    for match in _STRUCTURE.finditer(data):
        sign = match.group()
        if sign in b"[{":
            depth += 1
            if depth > deepest:
                return True
        elif sign in b"]}":
            depth -= 1
    return False


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise InputError("", f"duplicate key {json.dumps(key)}")
            seen.add(key)
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise InputError("", f"{name} is not JSON")


def _float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise InputError("", f"number out of range: {text[:32]}")
    return number


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_float)
