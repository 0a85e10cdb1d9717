"""Which characters the fonts of a PDF have. All others are named by their code points, for nothing may vanish from a report."""

from __future__ import annotations

import re
from typing import Any

from reviewers.reports.exporting.formats.spoken import shortly
from reviewers.reports.exporting.text import visible

_RANGES = (
    "\n\\u0020-\\u007e\\u00a0-\\u00ac\\u00ae-\\u02af\\u0384-\\u038a\\u038c\\u038e-\\u03a1\\u03a3-\\u03ce\\u0400-\\u045f\\u0490-\\u04c4"
    "\\u1e00-\\u1eff\\u2010-\\u2027\\u2030-\\u2037\\u2039-\\u203e\\u2044\\u2070\\u2071\\u2074-\\u208e\\u20a0-\\u20b5\\u20bd\\u20bf"
    "\\u0591-\\u05c7\\u05d0-\\u05ea\\u05ef-\\u05f4\\u0606-\\u061b\\u061e-\\u06a1\\u06a3-\\u06dc\\u06de-\\u06ff"
    "\\u3001-\\u303f\\u3041-\\u3096\\u3099-\\u30ff\\u4e00-\\u9fef\\uff01-\\uff9f\\uffe0-\\uffe6"
    "\\u2116\\u2122\\u2190-\\u222e\\u2241-\\u226b\\u2308-\\u230b\\u2460-\\u2487\\u2500-\\u262f\\u2713-\\u2718\\u27e8\\u27e9"
)
"""Latin, Greek, Cyrillic, Hebrew, Arabic, Chinese and kana, as far as the fonts go that come with the compiler and as packages."""

_WITHOUT_SHAPE = re.compile(f"[^{_RANGES}]+")
_LONG_WORD = re.compile(r"\S{25}(?=\S)")
_PART = re.compile(r"(?<=[^\W_]{3})[._/](?=\w{3})")
LONGEST = 20_000


def printable(text: str) -> str:
    """A text as its PDF shows it: other characters as ``⟨U+4E2D U+6587⟩``, and what is very long cut, which is said."""
    shown = visible(text[:LONGEST])
    if len(text) > LONGEST:
        shown += f" … and {len(text) - LONGEST} more characters, which the attached report has"
    return _WITHOUT_SHAPE.sub(_code_points, shown)


def breakable(text: str) -> str:
    """The same with places at which a long word or a name of several words may be broken; moments are written short."""
    return _LONG_WORD.sub(lambda match: match.group() + "\u200b", _PART.sub("\\g<0>\u200b", shortly(printable(text))))


def printable_data(value: Any) -> Any:
    """JSON values with all their texts made printable."""
    if isinstance(value, str):
        return breakable(value)
    if isinstance(value, list):
        return [printable_data(each) for each in value]
    if isinstance(value, dict):
        return {name: printable_data(each) for name, each in value.items()}
    return value


def has_code_points(text: str) -> bool:
    """Whether a text has characters that are shown by their code points."""
    return _WITHOUT_SHAPE.search(text) is not None


def _code_points(match: re.Match[str]) -> str:
    return "⟨" + " ".join(f"U+{ord(each):04X}" for each in match.group()) + "⟩"
