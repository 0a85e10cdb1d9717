"""Find the ends of clauses and sentences."""

from __future__ import annotations

import re

_CLOSED = r"(?=[\s\"'”’)\]*]|\Z)"
_BETWEEN_SPACES = r"(?<=\s.)(?=\s)"
_NO_SHORT_FORM = (
    r"(?:(?<=[a-z]{3}\.)(?<!\bProf\.)(?<!\bapprox\.)"
    r"|(?<![a-z]{3}\.)(?<!\b[DMJS]r\.)(?<!\bM[rs]s\.)(?<!\b[MS][st]\.)(?<!\bvs\.)(?<!\b[A-Z]\.)(?<!\b[ei]\.[ge]\.))"
)
"""Not the full stop of a title, an initial or a short form. Behind three small letters only the long ones are looked for."""

_CLAUSE_ENDS = {
    ".": re.compile(rf"\.{_CLOSED}{_NO_SHORT_FORM}"),
    "!": re.compile(rf"!{_CLOSED}"),
    "?": re.compile(rf"\?{_CLOSED}"),
    ",": re.compile(r",(?=\s)"),
    ":": re.compile(r":(?=\s)"),
    "–": re.compile(rf"–{_BETWEEN_SPACES}"),
    "-": re.compile(rf"-{_BETWEEN_SPACES}"),
    "—": re.compile("—"),
    ";": re.compile(";"),
    "\n": re.compile(r"\n"),
}
"""What ends a clause, by its first sign: looking whether a text has a sign at all costs next to nothing."""


def clause_ends(text: str) -> list[int]:
    """The offsets behind each clause: at sentence ends, semicolons, colons, commas and dashes."""
    return sorted([match.end() for sign, pattern in _CLAUSE_ENDS.items() if sign in text for match in pattern.finditer(text)])
